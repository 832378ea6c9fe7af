"""Values of a script as plain data (JSON), never as code, and back.

Numbers, texts, lists, tuples, dictionaries and sets of every kind the standard library has, arrays, random generators, dates, objects and enumerations of classes that the
script itself defines, and handles (bodies, constraints, materials, the simulation) by name. On a restart stored values are put into the objects that the script made anew, so
that every reference to them sees the restored state; what two places of the data share, they share again.
"""
import array
import base64
import collections
import datetime
import decimal
import enum
import fractions
import json
import math
import pathlib
import random
import sys
import types

import numpy as np

from . import handles, series

#: Turns the key of a stored handle back into the handle: {name: function(sim, *rest of the key)}.
RESOLVERS = {
    "simulation": lambda sim: sim,
    "body": lambda sim, id: handles.Body(sim, id),
    "constraint": lambda sim, id: handles.Constraint(sim, id),
    "surface_material": lambda sim, id: handles.SurfaceMaterial(sim, id),
    "bulk_material": lambda sim, id: handles.BulkMaterial(sim, id),
}

#: Kinds of numbers an array may hold (numpy's letters): nothing that could be an object.
_ARRAY_KINDS = "biufcSUmM"
_DEEPEST = 100
#: What a defaultdict may fill in, by name.
_FACTORIES = {kind.__name__: kind for kind in (list, dict, set, tuple, int, float, str, bool, collections.deque, collections.Counter, collections.OrderedDict)}
_BITS = {name: getattr(np.random, name) for name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")}


def dump(sim, value):
    """The value as text; TypeError names what cannot be stored."""
    return json.dumps(_Encoder(sim).encode(value, 0))


def load(sim, text):
    """The value stored by dump(); ValueError when the text is no such thing."""
    try:
        return _Decoder(sim).decode(json.loads(text))
    except _Foreign:
        raise
    except Exception as error:  # what makes dates, fractions, arrays, ... says what it likes
        raise _Foreign(f"data that Scree did not write ({error})") from None


class _Foreign(ValueError):
    """Data of somebody else."""

    def __init__(self, what):
        super().__init__(f"the checkpoint holds {what}")


# --- containers ----------------------------------------------------------------------------------------------------------


class _Kind:
    """How containers of one type of the standard library are taken apart, made and filled. What `parts` gives is stored value by value; of dictionaries (key, value) by
    (key, value)."""

    def __init__(self, type, parts, fill=None, clear=None):
        self.type, self.parts, self.fill, self.clear = type, parts, fill, clear
        self.immutable = fill is None

    def make(self, cls, parts):
        """An object of this type, or of a class derived from it."""
        made = self.type.__new__(cls, *([parts] if self.immutable else []))
        if not self.immutable:
            self.fill(made, parts)
        return made


def _dictionary(type, head=lambda value: [], take=lambda made, parts: parts):
    """A kind of dictionary. head: what comes before its items; take: uses that up and gives the items."""
    def fill(made, parts):
        for key, value in take(made, parts):
            type.__setitem__(made, key, value)
    return _Kind(type, lambda value: [*head(value), *type.items(value)], fill, type.clear)


def _factory(value):
    factory = value.default_factory
    if factory is not None and _FACTORIES.get(getattr(factory, "__name__", None)) is not factory:
        raise TypeError(f"a defaultdict that fills in {factory!r:.60} is not stored; those of {', '.join(_FACTORIES)} are")
    return [factory and factory.__name__]


def _take_factory(made, parts):
    name, *items = parts
    made.default_factory = None if name is None else _FACTORIES[name]
    return items


def _fill_queue(made, parts):
    collections.deque.__init__(made, parts[1:], parts[0])


#: What is derived comes before what it derives from.
_KINDS = {
    "ordered": _dictionary(collections.OrderedDict),
    "defaultdict": _dictionary(collections.defaultdict, _factory, _take_factory),
    "counter": _dictionary(collections.Counter),
    "dict": _dictionary(dict),
    "list": _Kind(list, list.__iter__, list.extend, list.clear),
    "tuple": _Kind(tuple, tuple.__iter__),
    "set": _Kind(set, lambda v: sorted(set.__iter__(v), key=repr), set.update, set.clear),
    "frozenset": _Kind(frozenset, lambda v: sorted(frozenset.__iter__(v), key=repr)),
    "queue": _Kind(collections.deque, lambda v: [v.maxlen, *collections.deque.__iter__(v)], _fill_queue, collections.deque.clear),
}

_NAMES = {kind.type: name for name, kind in _KINDS.items()}


def _kind_of(cls):
    """Name of the container that a type is, or that a class of the script derives from; None for others."""
    return _NAMES.get(cls) or (next((name for name, kind in _KINDS.items() if issubclass(cls, kind.type)), None) if _of_script(cls) else None)


# --- classes of the script -----------------------------------------------------------------------------------------------


def _of_script(cls):
    return isinstance(cls, type) and cls.__module__ == "__main__"


def _scripts_own(cls):
    """True for a class of the script whose objects are their attributes, or those and what a container holds."""
    if not _of_script(cls) or issubclass(cls, enum.Enum):
        return False
    kind = _kind_of(cls)
    return cls.__new__ is object.__new__ if kind is None else kind == "tuple" or cls.__new__ is _KINDS[kind].type.__new__


def _class_of_script(name, fits):
    """The class that the script defines now under a name; no code of it runs."""
    cls = sys.modules["__main__"]
    for part in name.split("."):
        cls = getattr(cls, part, None)
    if not fits(cls):
        raise _Foreign(f"an object of class '{name}', which the script does not define")
    return cls


def _attributes(value):
    """{name: value} of an object of the script, those in slots included."""
    found = dict(getattr(value, "__dict__", {}))
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            name = f"_{cls.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                found[name] = getattr(value, name)
    return found


def _set_attributes(made, attributes):
    inside = getattr(made, "__dict__", None)
    for name, value in attributes.items():
        if inside is None or isinstance(getattr(type(made), name, None), types.MemberDescriptorType):
            object.__setattr__(made, name, value)
        else:
            inside[name] = value


# --- writing -------------------------------------------------------------------------------------------------------------


class _Encoder:
    """Plain numbers and texts as they are; everything else as ["kind", ...]. What can change has a number, in the order in which it is complete: seen again, it is
    ["again", number]."""

    def __init__(self, sim):
        self.sim, self.numbers, self.kept = sim, {}, []

    def encode(self, value, depth):
        if depth > _DEEPEST:
            raise TypeError(f"it is nested more than {_DEEPEST} deep, or holds itself")
        key = _handle_key(self.sim, value)
        if key is not None:
            return ["handle", *key]
        if value is None or type(value) in (bool, str, int):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else ["float", repr(value)]
        if id(value) in self.numbers:
            return ["again", self.numbers[id(value)]]
        stored, changes = self._whole(value, depth)
        if changes:
            self.numbers[id(value)] = len(self.numbers)
            self.kept.append(value)  # no other object takes its id meanwhile
        return stored

    def _whole(self, value, depth):
        """(stored, whether it can change)."""
        cls = type(value)
        kind = _kind_of(cls)
        if kind is not None and cls is _KINDS[kind].type:
            return [kind, *self._parts(kind, value, depth)], not _KINDS[kind].immutable
        special = _SPECIAL_TYPES.get(cls)
        if special is not None:
            name, changes = special
            return [name, *_SPECIAL[name][0](value)], changes
        if isinstance(value, np.generic) and _plain_type(value.dtype):
            return ["scalar", *_array_parts(value)], False
        if _of_script(cls) and isinstance(value, enum.Enum) and value.name in cls.__members__:
            return ["enum", cls.__qualname__, value.name], False
        if cls is types.SimpleNamespace:
            return ["namespace", self._attributes(vars(value), depth)], True
        if _scripts_own(cls):
            attributes = self._attributes(_attributes(value), depth)
            if kind is None:
                return ["object", cls.__qualname__, attributes], True
            return ["derived", cls.__qualname__, kind, attributes, *self._parts(kind, value, depth)], not _KINDS[kind].immutable
        raise TypeError(f"a value of type {cls.__module__}.{cls.__qualname__} is neither a number, text, list, tuple, dict, set or array nor an object of a class of "
                        "the script")

    def _parts(self, kind, value, depth):
        """Items of dictionaries are pairs, and no values of their own."""
        pairs = issubclass(_KINDS[kind].type, dict)
        return [[self.encode(part[0], depth + 1), self.encode(part[1], depth + 1)] if pairs and type(part) is tuple else self.encode(part, depth + 1)
                for part in _KINDS[kind].parts(value)]

    def _attributes(self, attributes, depth):
        return ["dict", *([name, self.encode(value, depth + 1)] for name, value in attributes.items())]


def _handle_key(sim, value):
    if value is sim:
        return ("simulation",)
    key = getattr(type(value), "_checkpoint_key", None)
    return key(value) if key else None


# --- reading -------------------------------------------------------------------------------------------------------------


class _Decoder:
    """What _Encoder wrote; the script's own code does not run."""

    def __init__(self, sim):
        self.sim, self.made = sim, []

    def decode(self, stored):
        if not isinstance(stored, list):
            return stored
        kind, *rest = stored
        if kind == "handle":
            return RESOLVERS[rest[0]](self.sim, *rest[1:])
        if kind == "again":
            return self.made[_index(rest[0])]
        made, changes = self._whole(kind, rest)
        if changes:
            self.made.append(made)
        return made

    def _whole(self, kind, rest):
        """(value, whether it can change)."""
        if kind in _KINDS:
            return self._container(kind, _KINDS[kind].type, rest)
        if kind == "object":
            cls = _class_of_script(rest[0], lambda cls: _scripts_own(cls) and _kind_of(cls) is None)
            attributes = self._attributes(rest[1])
            made = object.__new__(cls)
            _set_attributes(made, attributes)
            return made, True
        if kind == "derived":
            cls = _class_of_script(rest[0], lambda cls: _scripts_own(cls) and _kind_of(cls) == rest[1])
            attributes = self._attributes(rest[2])
            made, changes = self._container(rest[1], cls, rest[3:])
            _set_attributes(made, attributes)
            return made, changes
        if kind == "enum":
            return _class_of_script(rest[0], lambda cls: _of_script(cls) and issubclass(cls, enum.Enum)).__members__[rest[1]], False
        if kind == "namespace":
            return types.SimpleNamespace(**self._attributes(rest[0])), True
        if kind == "scalar":
            return _array(*rest)[()], False
        return _SPECIAL[kind][1](*rest), _SPECIAL[kind][2]

    def _container(self, kind, cls, stored):
        pairs = issubclass(_KINDS[kind].type, dict)
        parts = [tuple(map(self.decode, _pair(part))) if pairs and isinstance(part, list) else self.decode(part) for part in stored]
        return _KINDS[kind].make(cls, parts), not _KINDS[kind].immutable

    def _attributes(self, stored):
        """The attributes of an object are a dictionary that nothing else refers to."""
        if stored[0] != "dict":
            raise KeyError(stored[0])
        return {_text(name): self.decode(value) for name, value in map(_pair, stored[1:])}


def _pair(value):
    if type(value) is not list or len(value) != 2:
        raise IndexError(f"{value!r:.40} is no pair")
    return value


def _text(value):
    if type(value) is not str:
        raise TypeError(f"{value!r:.40} is no name")
    return value


def _index(value):
    if type(value) is not int or value < 0:
        raise IndexError(f"{value!r} is no number of a value")
    return value


# --- values of the standard library and numpy ------------------------------------------------------------------------------


def _plain_type(dtype):
    """True when an array of this type holds numbers and texts alone."""
    return not dtype.hasobject and (dtype.kind in _ARRAY_KINDS or dtype.kind == "V" and dtype.fields is not None)


def _array_parts(value):
    if not _plain_type(value.dtype):
        raise TypeError(f"an array of type {value.dtype} is not stored")
    return np.lib.format.dtype_to_descr(value.dtype), list(value.shape), base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()


def _type_of(description):
    """A type of array: its name, or a list of (name, type) or (name, type, shape)."""
    if isinstance(description, str):
        return np.dtype(description)
    return np.dtype([(name, _type_of(of), *(tuple(size) for size in shape)) for name, of, *shape in description])


def _array(description, shape, data):
    dtype = _type_of(description)
    if not _plain_type(dtype):
        raise _Foreign(f"an array of type '{dtype}'")
    return np.frombuffer(base64.b64decode(data), dtype=dtype).reshape(shape).copy()


def _random(version, numbers, gauss):
    made = random.Random()
    made.setstate((version, tuple(numbers), gauss))
    return made


def _generator(state):
    bits = _BITS[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)


def _generator_parts(value):
    state = value.bit_generator.state
    if state["bit_generator"] not in _BITS:
        raise TypeError(f"a generator of {state['bit_generator']} is not stored")
    return [json.loads(json.dumps(state, default=np.ndarray.tolist))]


def _old_generator(state):
    made = np.random.RandomState()
    made.set_state(state)
    return made


def _moment(kind):
    """Dates and times as texts; a zone must be a fixed distance from UTC."""
    def parts(value):
        if getattr(value, "tzinfo", None) is not None and not isinstance(value.tzinfo, datetime.timezone):
            raise TypeError(f"a time of the zone {value.tzinfo!r:.40} is not stored")
        return [value.isoformat()]
    return parts, kind.fromisoformat, False


def _typed_array(code, data):
    made = array.array(code)
    made.frombytes(base64.b64decode(data))
    return made


#: {name: (its parts as plain JSON, what makes it of them, whether it can change)}
_SPECIAL = {
    "float": (None, float, False),
    "complex": (lambda v: [v.real.hex(), v.imag.hex()], lambda real, imag: complex(float.fromhex(real), float.fromhex(imag)), False),
    "bytes": (lambda v: [base64.b64encode(v).decode()], lambda data: base64.b64decode(data), False),
    "bytearray": (lambda v: [base64.b64encode(v).decode()], lambda data: bytearray(base64.b64decode(data)), True),
    "array": (_array_parts, _array, True),
    "typed_array": (lambda v: [v.typecode, base64.b64encode(v.tobytes()).decode()], _typed_array, True),
    "random": (lambda v: [v.getstate()[0], list(v.getstate()[1]), v.getstate()[2]], _random, True),
    "generator": (_generator_parts, _generator, True),
    "old_generator": (lambda v: [json.loads(json.dumps(v.get_state(legacy=False), default=np.ndarray.tolist))], _old_generator, True),
    "range": (lambda v: [v.start, v.stop, v.step], range, False),
    "fraction": (lambda v: [v.numerator, v.denominator], fractions.Fraction, False),
    "decimal": (lambda v: [str(v)], decimal.Decimal, False),
    "date": _moment(datetime.date),
    "datetime": _moment(datetime.datetime),
    "time": _moment(datetime.time),
    "timedelta": (lambda v: [v.days, v.seconds, v.microseconds], datetime.timedelta, False),
    "series": (lambda v: [v.times.tolist(), v.values.tolist(), v.label], lambda times, values, label: series.TimeSeries(list(zip(times, values, strict=True)), label), False),
    "path": (lambda v: [str(v)], pathlib.Path, False),
}
_SPECIAL_TYPES = {kind: (name, _SPECIAL[name][2]) for kind, name in (
    (complex, "complex"), (bytes, "bytes"), (bytearray, "bytearray"), (np.ndarray, "array"), (array.array, "typed_array"), (random.Random, "random"),
    (np.random.Generator, "generator"), (np.random.RandomState, "old_generator"), (range, "range"), (fractions.Fraction, "fraction"), (decimal.Decimal, "decimal"),
    (datetime.date, "date"), (datetime.datetime, "datetime"), (datetime.time, "time"), (datetime.timedelta, "timedelta"), (type(pathlib.Path()), "path"), (series.TimeSeries, "series"))}


# --- putting stored values where the script's references see them ----------------------------------------------------------


def restore(target, stored):
    """Put stored values into `target` where it can be changed in place; returns what replaces it otherwise."""
    return _Restorer().restore(target, stored)


class _Restorer:
    """What stood in two places of the stored data is put into one object."""

    def __init__(self):
        self.placed = {}

    def restore(self, target, stored):
        if hasattr(type(target), "_checkpoint_key"):
            return target if type(stored) is type(target) and stored == target else stored
        if type(target) is not type(stored):
            return stored
        if id(stored) in self.placed:
            return self.placed[id(stored)]
        if _kind_of(type(target)) == "tuple" and len(target) == len(stored):
            made = tuple.__new__(type(stored), map(self.restore, target, stored))
            _set_attributes(made, _attributes(stored))
            return made
        if not self._can_take(target, stored):
            return stored
        self.placed[id(stored)] = target
        self._put(target, stored)
        return target

    @staticmethod
    def _can_take(target, stored):
        """True when `target` can be made equal to `stored` without another object in its place."""
        kind = _kind_of(type(target))
        if isinstance(target, np.ndarray):
            return target.shape == stored.shape and target.dtype == stored.dtype and target.flags.writeable
        if kind == "queue":
            return target.maxlen == stored.maxlen
        if isinstance(target, np.random.Generator):
            return type(target.bit_generator) is type(stored.bit_generator)
        if kind is not None:
            return not _KINDS[kind].immutable
        changing = (bytearray, array.array, random.Random, np.random.RandomState, types.SimpleNamespace)
        return isinstance(target, changing) and getattr(target, "typecode", "") == getattr(stored, "typecode", "") or _scripts_own(type(target))

    def _put(self, target, stored):
        kind = _kind_of(type(target))
        if isinstance(target, np.ndarray):
            target[...] = stored
        elif isinstance(target, (bytearray, array.array)):
            target[:] = stored
        elif isinstance(target, random.Random):
            target.setstate(stored.getstate())
        elif isinstance(target, np.random.Generator):
            target.bit_generator.state = stored.bit_generator.state
        elif isinstance(target, np.random.RandomState):
            target.set_state(stored.get_state())
        elif kind is not None:
            self._put_container(_KINDS[kind], target, stored)
        if isinstance(target, types.SimpleNamespace) or _scripts_own(type(target)):
            now = _attributes(target)
            _set_attributes(target, {name: self.restore(now[name], value) if name in now else value for name, value in _attributes(stored).items()})

    def _put_container(self, kind, target, stored):
        parts = list(kind.parts(stored))
        if issubclass(kind.type, dict):
            old = dict(kind.type.items(target))
            parts = [(part[0], self.restore(old[part[0]], part[1])) if type(part) is tuple and part[0] in old else part for part in parts]
        elif kind.type is list:
            old = list(list.__iter__(target))
            parts = [self.restore(old[i], value) if i < len(old) else value for i, value in enumerate(parts)]
        kind.clear(target)
        kind.fill(target, parts)
