"""How routines of the language treat their arguments: names checked, errors that carry the routine's name."""
import functools
import inspect

import numpy as np

from .. import _check
from ..shapes import MAKERS


def routine(function, name_errors=True):
    """Make a routine of the language: arguments are matched by position or name, an unknown name is answered with the
    nearest one, and every ValueError begins with the routine's name (unless name_errors is False: routines that run
    users' functions). Nothing is passed to `function` unless it fits."""
    signature = inspect.signature(function)
    names = [p.name for p in signature.parameters.values() if p.name != "self" and p.kind is not p.VAR_POSITIONAL]
    name = function.__qualname__.split(".")[0]

    @functools.wraps(function)
    def checked(*args, **kwargs):
        for key in kwargs:
            if key not in names:
                raise ValueError(f"{name}: unknown argument '{key}'{_check.nearest(key, names)}")
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ValueError(f"{name}: {error}; the arguments are ({', '.join(names)})") from None
        if not name_errors:
            return function(*args, **kwargs)
        with named(name):
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                _check.refuse_types(error, name, names, args, kwargs)
                raise

    return checked


class named:
    """Context in which the message of a ValueError or OSError gets the routine's name in front, once."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is None or str(error).startswith(self.name):
            return
        maker, _, rest = str(error).partition(": ")
        if issubclass(kind, ValueError):
            raise ValueError(f"{self.name}: {rest if maker in MAKERS or maker == 'TimeSeries' else error}").with_traceback(error.__traceback__) from None
        if issubclass(kind, OSError):
            raise OSError(f"{self.name}: {error}").with_traceback(error.__traceback__) from None


class Strict:
    """Base of objects whose members are fixed: a misspelt one is refused instead of becoming a new attribute."""

    def __setattr__(self, name, value):
        member = getattr(type(self), name, None)
        if name.startswith("_") or (member is not None and not (isinstance(member, property) and member.fset is None)):
            object.__setattr__(self, name, value)
            return
        members = {n: getattr(type(self), n) for n in dir(type(self)) if not n.startswith("_")}
        writable = [n for n, m in members.items() if isinstance(m, property) and m.fset is not None]
        kind = type(self).__name__
        if isinstance(member, property):
            raise _check.UnknownMember(f"{kind}: '{name}' is read-only; writable: {', '.join(writable) or 'none'}")
        raise _check.UnknownMember(f"{kind} has no member '{name}'{_check.nearest(name, writable)}")


class Emptied(Strict):
    """Base of objects that a routine may take over. A taken object is left empty: any use of it says who took it."""

    _taken_by = None
    _remedy = "use COPY before passing it there"

    def _take(self, routine_name):
        """Mark as emptied."""
        self._taken_by = routine_name

    def _check_there(self):
        if self._taken_by is not None:
            raise ValueError(f"this {type(self).__name__} is empty: {self._taken_by} took its data; {self._remedy}")


def flag(what, value):
    """'ON' or 'OFF'."""
    return _check.choice(what, value, ("ON", "OFF"))


def text(what, value):
    """A string."""
    if not isinstance(value, str):
        raise ValueError(f"{what} = {value!r}: a string is expected")
    return value


def floats(values):
    """A flat tuple of Python numbers."""
    return tuple(float(x) for x in np.ravel(values))


def is_point(value):
    """True for a tuple or array of three numbers (not a list of objects)."""
    return isinstance(value, (tuple, list, np.ndarray)) and len(value) == 3 and all(isinstance(x, (int, float, np.number)) for x in value)


def data_names(data):
    """What a message calls the arguments that a tuple is spread over, one datum, or none."""
    return [f"data[{k}]" for k in range(len(data))] if isinstance(data, tuple) else [] if data is None else ["data"]


def _ways(data, *leading):
    """The arguments that call_with() may hand over, first choice first."""
    return ([(*leading, *data)] if isinstance(data, tuple) else []) + [(*leading, data)] + ([leading] if data is None else [])


def callback_with(what, function, data, *leading):
    """A function that call_with() can call; `leading` names its arguments before the data."""
    _check.function(what, function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function  # one of C, which does not tell
    if not any(_binds(signature, way) for way in _ways(data, *leading)):
        spread = f", or with ({', '.join([*leading, *data_names(data)])})" if isinstance(data, tuple) else ""
        raise ValueError(f"{what} = {function!r}: it is called with ({', '.join([*leading, 'data'])}){spread}, and takes {signature}")
    return function


def _binds(signature, arguments):
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def call_with(function, data, *leading):
    """Call a user's function with `leading` arguments and its data. A tuple is spread over the parameters when they can
    take it; no data (None) may be left out by the function."""
    ways = _ways(data, *leading)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function(*ways[0])
    return function(*next((way for way in ways if _binds(signature, way)), ways[0]))
