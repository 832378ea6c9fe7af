"""What a checkpoint keeps of the Python side: run counters and the data of callbacks.

Data is stored as plain values (JSON), never as code: numbers, texts, lists, tuples, dictionaries, sets, arrays, random generators, objects of classes the
script itself defines, and handles (bodies, constraints, materials, the simulation) by name. On a restart the stored values are put into the objects the
script made anew, so that every reference to them sees the restored state.
"""
import base64
import collections
import json
import math
import random
import sys

import numpy as np

from . import _scree, handles

#: Turns the key of a stored handle back into the handle: {name: function(sim, *rest of the key)}.
RESOLVERS = {
    "simulation": lambda sim: sim,
    "body": lambda sim, id: handles.Body(sim, id),
    "constraint": lambda sim, id: handles.Constraint(sim, id),
    "surface_material": lambda sim, id: handles.SurfaceMaterial(sim, id),
    "bulk_material": lambda sim, id: handles.BulkMaterial(sim, id),
}

#: Kinds of numbers an array may hold (numpy's letters): nothing that could be an object.
_ARRAY_KINDS = "biufcSU"
_DEEPEST = 100
_SEQUENCES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "deque": collections.deque}


def dump(sim, value):
    """The value as text; TypeError names what cannot be stored."""
    return json.dumps(_encode(sim, value, 0))


def load(sim, text):
    """The value stored by dump(); ValueError when the text is no such thing."""
    try:
        return _decode(sim, json.loads(text))
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"the checkpoint holds data that Scree did not write ({error})") from None


def _encode(sim, value, depth):
    """Plain numbers and texts as they are; everything else as ["kind", ...]."""
    if depth > _DEEPEST:
        raise TypeError(f"it is nested more than {_DEEPEST} deep, or holds itself")

    def inner(part):
        return _encode(sim, part, depth + 1)

    key = _handle_key(sim, value)
    if key is not None:
        return ["handle", *key]
    if value is None or isinstance(value, (bool, str)) or type(value) is int:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else ["float", repr(value)]
    for name, kind in _SEQUENCES.items():
        if type(value) is kind:
            return [name, *map(inner, sorted(value, key=repr) if kind in (set, frozenset) else value)]
    if type(value) is dict:
        return ["dict", *([inner(k), inner(v)] for k, v in value.items())]
    special = _encode_special(value)
    if special is not None:
        return special
    if _scripts_own(type(value)):
        return ["object", type(value).__qualname__, inner(dict(value.__dict__))]
    raise TypeError(f"a value of type {type(value).__module__}.{type(value).__qualname__} is neither a number, text, list, tuple, dict, set or array nor an object of a class of "
                    "the script")


def _encode_special(value):
    """Values of the standard library and numpy that scripts keep; None for others."""
    if type(value) is complex:
        return ["complex", value.real.hex(), value.imag.hex()]
    if type(value) in (bytes, bytearray):
        return [type(value).__name__, base64.b64encode(value).decode()]
    if isinstance(value, np.generic) and value.dtype.kind in _ARRAY_KINDS:
        return ["scalar", value.dtype.str, base64.b64encode(value.tobytes()).decode()]
    if type(value) is np.ndarray and value.dtype.kind in _ARRAY_KINDS:
        return ["array", value.dtype.str, list(value.shape), base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()]
    if type(value) is random.Random:
        version, numbers, gauss = value.getstate()
        return ["random", version, list(numbers), gauss]
    if type(value) is np.random.Generator:
        return ["generator", json.loads(json.dumps(value.bit_generator.state, default=np.ndarray.tolist))]
    return None


def _decode(sim, stored):
    if not isinstance(stored, list):
        return stored
    kind, *rest = stored
    if kind == "handle":
        return RESOLVERS[rest[0]](sim, *rest[1:])
    if kind in _SEQUENCES:
        return _SEQUENCES[kind](_decode(sim, part) for part in rest)
    if kind == "dict":
        return {_decode(sim, k): _decode(sim, v) for k, v in rest}
    if kind == "object":
        return _decode_object(sim, *rest)
    return _SPECIAL[kind](*rest)


def _decode_object(sim, name, state):
    """An object of a class that the script defines now under the name it had; no code of it runs."""
    cls = sys.modules["__main__"]
    for part in name.split("."):
        cls = getattr(cls, part, None)
    if not _scripts_own(cls):
        raise ValueError(f"the checkpoint holds an object of class '{name}', which the script does not define")
    made = object.__new__(cls)
    made.__dict__.update(_decode(sim, state))
    return made


def _array(dtype, shape, data):
    if np.dtype(dtype).kind not in _ARRAY_KINDS:
        raise ValueError(f"the checkpoint holds an array of type '{dtype}'")
    return np.frombuffer(base64.b64decode(data), dtype=dtype).reshape(shape).copy()


def _random(version, numbers, gauss):
    made = random.Random()
    made.setstate((version, tuple(numbers), gauss))
    return made


def _generator(state):
    kinds = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM, "MT19937": np.random.MT19937, "Philox": np.random.Philox, "SFC64": np.random.SFC64}
    bits = kinds[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)


_SPECIAL = {
    "float": float,
    "complex": lambda real, imag: complex(float.fromhex(real), float.fromhex(imag)),
    "bytes": base64.b64decode,
    "bytearray": lambda data: bytearray(base64.b64decode(data)),
    "scalar": lambda dtype, data: _array(dtype, (), data)[()],
    "array": _array,
    "random": _random,
    "generator": _generator,
}


def _scripts_own(cls):
    """True for a plain class of the script: its objects are their attributes and nothing else."""
    return isinstance(cls, type) and cls.__module__ == "__main__" and hasattr(cls, "__dict__") and cls.__new__ is object.__new__ and not hasattr(cls, "__slots__")


def _handle_key(sim, value):
    if value is sim:
        return ("simulation",)
    key = getattr(type(value), "_checkpoint_key", None)
    return key(value) if key else None


def restore(target, stored):
    """Put stored values into `target` where it can be changed in place; returns what replaces it otherwise."""
    if hasattr(type(target), "_checkpoint_key"):
        return target if type(stored) is type(target) and stored == target else stored
    if type(target) is not type(stored):
        return stored
    if isinstance(target, list):
        old = target[:]
        target[:] = [restore(old[i], v) if i < len(old) else v for i, v in enumerate(stored)]
    elif isinstance(target, dict):
        old = dict(target)
        target.clear()
        target.update({k: restore(old[k], v) if k in old else v for k, v in stored.items()})
    elif isinstance(target, set):
        target.clear()
        target.update(stored)
    elif isinstance(target, collections.deque):
        target.clear()
        target.extend(stored)
    elif isinstance(target, np.ndarray) and target.shape == stored.shape and target.dtype == stored.dtype:
        target[...] = stored
    elif isinstance(target, random.Random):
        target.setstate(stored.getstate())
    elif isinstance(target, np.random.Generator):
        target.bit_generator.state = stored.bit_generator.state
    elif type(target) is tuple and len(target) == len(stored):
        return tuple(restore(a, b) for a, b in zip(target, stored))
    elif getattr(target, "__dict__", None) is not None and not callable(target):
        target.__dict__.update({k: restore(target.__dict__[k], v) if k in target.__dict__ else v for k, v in stored.__dict__.items()})
    else:
        return stored
    return target


def pack(sim, state, warn):
    """Text with the run's counters and its callbacks' data. `warn` hears once about data that cannot be stored."""
    callbacks = []
    for k, callback in enumerate(sim._callbacks):
        entry = {"calls": callback.calls, "start": callback.start, "interval": callback.interval, "data": None}
        if callback.data is not None:
            try:
                entry["data"] = dump(sim, callback.data)
            except TypeError as error:
                warn(f"the data of callback {k} cannot be stored in checkpoints and will start anew on --resume ({error})")
        callbacks.append(entry)
    return json.dumps({**state, "callbacks": callbacks})


#: Counters of a run in a checkpoint.
_NUMBER = (int, float)
_COUNTERS = {"run": int, "start": _NUMBER, "frames": int, "stopped": bool, "hash": str, "time": _NUMBER, "finished": bool, "output": _NUMBER,
             "solver": (str, type(None)), "kernels": (str, type(None)), "args": list, "script": (str, type(None)), "callbacks": list}
_ENTRY = {"calls": int, "start": _NUMBER, "interval": _NUMBER, "data": (str, type(None))}


def read(path):
    """The run's counters in a checkpoint; OSError when they are not what pack() writes."""
    def fits(stored, kinds):
        return isinstance(stored, dict) and all(isinstance(stored.get(name), kind) for name, kind in kinds.items())
    try:
        state = json.loads(_scree.Engine.peek_checkpoint(path, "python"))
    except (ValueError, RecursionError):
        state = None
    if not fits(state, _COUNTERS) or not all(fits(entry, _ENTRY) for entry in state["callbacks"]) or not all(isinstance(a, str) for a in state["args"]):
        raise OSError(f"{path}: it holds data that Scree did not write")
    return state


def pack_last(engine):
    """(reals, integers): report and contacts of the last step."""
    row, table = engine.report(), engine.contacts()
    count = [len(table["gap"])]
    reals = [column.ravel() for column in table.values() if column.dtype.kind == "f"]
    integers = [column.astype(np.int64).ravel() for column in table.values() if column.dtype.kind != "f"]
    return np.concatenate(reals), np.concatenate([count, np.frombuffer(row.tobytes(), np.uint8).astype(np.int64), *integers])


def unpack_last(engine, path):
    """(report, contacts) of the last step before a checkpoint; None where it has none. `engine` tells what columns there are."""
    reals, integers = _scree.Engine.peek_numbers(path)
    if not len(integers):
        return None
    row, table = engine.report(), engine.contacts()
    count, places = int(integers[0]), {"f": 0, "i": 1 + row.nbytes}
    widths = {name: int(np.prod(column.shape[1:], dtype=int)) for name, column in table.items()}
    expected = {kind: start + count * sum(widths[n] for n, c in table.items() if (c.dtype.kind == "f") == (kind == "f")) for kind, start in places.items()}
    if count < 0 or expected != {"f": len(reals), "i": len(integers)} or not ((integers[1:1 + row.nbytes] >= 0) & (integers[1:1 + row.nbytes] < 256)).all():
        raise OSError(f"{path}: it holds data that Scree did not write")
    for name, column in table.items():
        source, kind = (reals, "f") if column.dtype.kind == "f" else (integers, "i")
        size = count * widths[name]
        table[name] = source[places[kind]:places[kind] + size].astype(column.dtype).reshape(count, *column.shape[1:])
        places[kind] += size
    return np.frombuffer(integers[1:1 + row.nbytes].astype(np.uint8).tobytes(), row.dtype), table


def unpack(sim, state):
    """Restore callbacks in place from the counters of read(). ValueError when the script has other callbacks now."""
    stored = state["callbacks"]
    if len(stored) != len(sim._callbacks):
        raise ValueError(f"resume: the checkpoint belongs to a script with {len(stored)} callbacks, this one has {len(sim._callbacks)}")
    for callback, entry in zip(sim._callbacks, stored):
        callback.calls, callback.start, callback.interval = entry["calls"], entry["start"], entry["interval"]
        if entry["data"] is not None:
            callback.data = restore(callback.data, load(sim, entry["data"]))
