"""Checks of arguments. What is refused raises ValueError naming the argument, its value and what is allowed."""
import collections.abc
import difflib
import functools
import inspect
import math
import numbers
import os
import re
import sys

import numpy as np


#: What the engine's types are called to a user, and what has them.
_WORDS = {"int": ("an integer", numbers.Integral), "float": ("a number", numbers.Real), "str": ("a text", str), "bool": ("True or False", (bool, np.bool_)),
          "Callable": ("a function", collections.abc.Callable), "dict": ("a dictionary", dict)}


def explain(error, arguments):
    """The sentence for a call that the engine refuses because of a type: what was called, which value, what is expected."""
    signature = re.search(r"1\. \((.*)\) -> ", str(error))
    wanted = re.findall(r"(\w+): ((?:[\w.]+\[.*?\](?:\])?|[\w.]+))", signature.group(1)) if signature else []
    for (_, kind), value in zip(wanted, arguments):
        words, types = _WORDS.get(kind.split("[")[0], (None, object))
        if isinstance(value, numbers.Integral) and kind == "int" and abs(int(value)) >= 2**31:
            return f"{routine()}: {int(value)}: an integer from {-2**31} to {2**31 - 1} is expected"
        if not isinstance(value, types):
            return f"{routine()}: {value!r:.80}: {words} is expected"
        if isinstance(value, str) and kind == "str" and any(0xd800 <= ord(c) < 0xe000 for c in value):
            return f"{routine()}: {value!r:.80}: it holds characters that are no text (surrogates)"
    given = ", ".join(f"{value!r:.40}" for value in arguments if type(value).__module__ != "scree._scree")
    return f"{routine()}: one of the values {given} has a type that cannot be used here"


def in_words(engine):
    """Let all that the engine's module holds refuse wrong types with a sentence instead of a signature."""
    def wrapped(call):
        @functools.wraps(call)
        def checked(*args, **kwargs):
            try:
                return call(*args, **kwargs)
            except TypeError as error:
                if "incompatible function arguments" not in str(error) and "incompatible constructor arguments" not in str(error):
                    raise
                text = explain(error, (*args, *kwargs.values()))
            raise ValueError(text)
        return checked

    for name, value in list(vars(engine).items()):
        if isinstance(value, type):
            for member, call in list(vars(value).items()):
                if type(call).__name__ == "instancemethod" and not member.startswith("__"):
                    setattr(value, member, wrapped(call))
                elif isinstance(call, staticmethod):
                    setattr(value, member, staticmethod(wrapped(call.__func__)))
        elif type(value).__name__ == "builtin_function_or_method":
            setattr(engine, name, wrapped(value))


#: What neither HDF5 nor the system's calls take inside a text.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class UnknownKeyword(TypeError, ValueError):
    """A keyword argument that the called function does not have."""


class UnknownMember(AttributeError, ValueError):
    """A member that an object does not have, or that cannot be set."""


def nearest(name, known):
    """The end of a message about an unknown name: its nearest spelling, or all that are known."""
    known = [str(k) for k in known]
    lower = {k.lower(): k for k in known}
    close = difflib.get_close_matches(str(name).lower(), lower, n=1, cutoff=0.6)
    if close:
        return f"; did you mean '{lower[close[0]]}'?"
    return "; known: " + ", ".join(known) if known else ""


def outside():
    """Number of frames from the caller of the caller to the first outside this package: what a warning is about."""
    package = os.path.dirname(os.path.abspath(__file__))
    frame, depth = sys._getframe(2), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, depth = frame.f_back, depth + 1
    return depth


def routine():
    """Name of the routine of this package that the user's code called last."""
    package = os.path.dirname(os.path.abspath(__file__))
    frame, name = sys._getframe(1), "scree"
    while frame is not None and frame.f_code.co_filename.startswith(package):
        called = frame.f_code.co_qualname
        owner, _, last = called.rpartition(".")
        if "<" not in called and not last.startswith("_"):
            name = called
        elif last in ("__init__", "__setattr__") and name == "scree":
            name = owner
        frame = frame.f_back
    return name


def member(owner, name):
    """UnknownMember unless `name` is one that objects of this kind have, or private: a misspelt setting must not vanish without effect."""
    if not name.startswith("_") and not hasattr(type(owner), name) and name not in getattr(owner, "__dict__", ()):
        known = [n for n in dir(type(owner)) if not n.startswith("_") and getattr(getattr(type(owner), n), "fset", None)]
        raise UnknownMember(f"{type(owner).__name__} has no member '{name}'{nearest(name, known)}")


def keywords(function):
    """Decorate a function so that a misspelt keyword is answered with the nearest one."""
    parameters = inspect.signature(function).parameters
    called = function.__qualname__.removesuffix(".__init__").split(".")[-1]
    names = [n for n, p in parameters.items() if n != "self" and p.kind is not p.VAR_KEYWORD]

    @functools.wraps(function)
    def checked(*args, **kwargs):
        for name in kwargs:
            if name not in names:
                raise UnknownKeyword(f"{called}(): unknown keyword '{name}'{nearest(name, names)}")
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            refuse_types(error, called, list(parameters), args, kwargs)
            raise

    return checked


def refuse_types(error, called, names, args, kwargs):
    """ValueError in place of a TypeError that arose in this package, not in a user's function: an argument has a type nobody expected."""
    package, link = os.path.dirname(os.path.abspath(__file__)), error.__traceback__
    while link.tb_next is not None:
        link = link.tb_next
    if isinstance(error, ValueError) or link.tb_frame.f_code.co_name == "checked" or not link.tb_frame.f_code.co_filename.startswith(package):
        return
    given = ", ".join([f"{n} = {v!r:.60}" for n, v in zip(names, args) if n != "self"] + [f"{n} = {v!r:.60}" for n, v in kwargs.items()])
    raise ValueError(f"{called}({given}): one of these has a type that cannot be used ({error}); help(scree) says what is expected") from None


def number(what, value, low=-math.inf, high=math.inf, open_low=False):
    """A finite float within [low, high] (or above `low` when open_low)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.ndarray)) or np.ndim(value) != 0:
        raise ValueError(f"{what} = {value!r}: a number is expected")
    try:
        value = float(value)
    except OverflowError:
        raise ValueError(f"{what} = {value!r:.40}...: it is larger than any number of floating point") from None
    except (TypeError, ValueError):
        raise ValueError(f"{what} = {value!r}: a number is expected") from None
    if not math.isfinite(value) or value < low or value > high or (open_low and value <= low):
        if open_low:
            allowed = f"greater than {low:g}" + (f" and at most {high:g}" if high < math.inf else "")
        elif low == -math.inf:
            allowed = "finite"
        else:
            allowed = f"from {low:g} to {high:g}" if high < math.inf else f"{low:g} or more"
        raise ValueError(f"{what} = {value!r}: it must be finite and {allowed}" if allowed != "finite" else f"{what} = {value!r}: it must be finite")
    return value


def positive(what, value):
    """A finite float above zero."""
    return number(what, value, 0.0, open_low=True)


def integer(what, value, low=None, high=None):
    """An int within [low, high]."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise ValueError(f"{what} = {value!r}: an integer is expected")
    value = int(value)
    if (low is not None and value < low) or (high is not None and value > high) or abs(value) > 2**31 - 1:
        bound = f"{low} or more" if high is None and low is not None and value < low else f"from {-2**31 if low is None else low} to {2**31 - 1 if high is None else high}"
        raise ValueError(f"{what} = {value}: it must be {bound}")
    return value


def _array(what, value, expected):
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} = {value!r:.80}: {expected} expected") from None
    return array


def vector(what, value):
    """Three finite numbers as an array."""
    array = _array(what, value, "three numbers are")
    if array.shape != (3,):
        raise ValueError(f"{what} = {value!r}: three numbers are expected")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} = {value!r}: it must be finite")
    return array


def direction(what, value):
    """A finite vector that is not zero."""
    array = vector(what, value)
    if not array.any():
        raise ValueError(f"{what} = {value!r}: a direction must not be zero")
    return array


def matrix(what, value):
    """A finite 3 x 3 array."""
    array = _array(what, value, "a 3 x 3 matrix is")
    if array.shape != (3, 3):
        raise ValueError(f"{what} = {value!r:.80}: a 3 x 3 matrix is expected, not one of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} = {array.tolist()}: the matrix has entries that are not finite")
    return array


def points(what, value):
    """An (n, 3) array from rows of coordinates or one flat list x0, y0, z0, x1, ..."""
    array = _array(what, value, "points (x, y, z) are")
    if array.ndim == 1 and array.size % 3 == 0:
        array = array.reshape(-1, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what}: an (n, 3) array or a flat list of 3 n numbers is expected, not shape {array.shape}")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise ValueError(f"{what}[{bad[0]}] = {tuple(array[bad[0]])}: coordinates must be finite")
    return np.ascontiguousarray(array)


def flag(what, value):
    """True or False."""
    if not isinstance(value, (bool, np.bool_, numbers.Real)) or value not in (0, 1):
        raise ValueError(f"{what} = {value!r}: True or False is expected")
    return bool(value)


def text(what, value):
    """A text that files can hold."""
    if not isinstance(value, str):
        raise ValueError(f"{what} = {value!r:.80}: a text is expected")
    if _NO_TEXT.search(value):
        raise ValueError(f"{what} = {value!r:.80}: it holds characters that are no text (zeros, surrogates)")
    return str(value)


def label(what, value, usual):
    """A text; the usual one where none is given."""
    return usual if value is None or (isinstance(value, str) and not value) else text(what, value)


def path(what, value):
    """The name of a file or folder."""
    name = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name:
        raise ValueError(f"{what} = {value!r}: the name of a file or folder is expected")
    return text(what, name)


def mapping(what, value, expected):
    """A dictionary; None is an empty one."""
    if value is not None and not isinstance(value, collections.abc.Mapping):
        raise ValueError(f"{what} = {value!r:.80}: a dictionary {expected} is expected")
    return value or {}


def unbounded(what, value, check, *limits):
    """Infinity, or what `check` lets pass."""
    return value if isinstance(value, numbers.Real) and value == math.inf else check(what, value, *limits)


def pair(what, value):
    """Two of something."""
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ValueError(f"{what} = {value!r}: two are expected") from None
    return first, second


def several(what, value):
    """The entries of a list, tuple, range or array."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (collections.abc.Iterable, np.ndarray)) or np.ndim(value) == 0 and isinstance(value, np.ndarray):
        raise ValueError(f"{what} = {value!r:.80}: a list is expected")
    return list(value)


def function(what, value, *given):
    """Anything that can be called, with arguments of the names `given` where they are known here."""
    if not callable(value):
        raise ValueError(f"{what} = {value!r}: a function is expected")
    if any(waits(called) for called in (value, value.__call__) for waits in (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)):
        raise ValueError(f"{what} = {value!r}: it has a yield or is async: called, it would do nothing; give a plain function")
    if given:
        try:
            inspect.signature(value).bind(*given)
        except TypeError as error:
            raise ValueError(f"{what} = {value!r}: it is called with ({', '.join(given)}): {error}") from None
        except ValueError:
            pass  # one of C, which does not tell
    return value


def rank(value):
    """Dimensions of an array or of nested sequences; None where their lengths differ."""
    try:
        return np.ndim(value)
    except ValueError:
        return None


def choice(what, value, known):
    """One of the known names."""
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{what} = {value!r} is unknown{nearest(value, known)}")
    return value
