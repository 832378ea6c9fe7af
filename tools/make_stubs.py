#!/usr/bin/env python3
"""Write the type stubs of the package: python/scree/{__init__,plot,view,measure/__init__,solfec/__init__}.pyi.

Names, orders and defaults come from the code itself, types from tools/stub_types.py. `--check` tells whether the stubs are up to date.
"""
import inspect
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "tools"))

import stub_types as types  # noqa: E402

HEADER = '''"""Type stubs, made by tools/make_stubs.py from the code."""
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = Sequence[float] | NDArray[np.float64]
Matrix = Sequence[Sequence[float]] | NDArray[np.float64]
Points = Sequence[float] | Sequence[Sequence[float]] | NDArray[np.float64]
'''
SETTABLE = '''_Given = TypeVar("_Given", covariant=True)
_Taken = TypeVar("_Taken", contravariant=True)

class _Settable(Generic[_Given, _Taken]):
    def __get__(self, owner: Any, kind: Any = ...) -> _Given: ...
    def __set__(self, owner: Any, value: _Taken) -> None: ...
'''
SPECIAL = ("__len__", "__iter__", "__getitem__", "__contains__", "__call__", "__add__", "__enter__", "__exit__")


class Face:
    """One of the two faces of the package: where it looks types up."""

    def __init__(self, arguments, gives):
        self.arguments, self._gives = arguments, gives

    def argument(self, place, name):
        """Type of an argument of the function at a place such as 'Body.move'."""
        return types.ARGUMENTS_HERE.get(f"{place}.{name}") or self.arguments.get(name, "Any")

    def gives(self, place):
        """Type of what is called or read there."""
        return self._gives(place)


MODERN = Face({**types.LANGUAGE_ARGUMENTS, **types.ARGUMENTS}, lambda place: types.GIVES.get(place, "Any"))


def _language_gives(place):
    name = place.rpartition(".")[2]
    if "." in place:
        return types.LANGUAGE_MEMBERS.get(name, "Any")
    return "None" if name in types.LANGUAGE_QUIET else types.LANGUAGE_RETURNS.get(name, "Any")


LANGUAGE = Face(types.LANGUAGE_ARGUMENTS, _language_gives)


def _parameter(p, place, face):
    prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    kind = face.argument(place, p.name) if prefix != "**" else "Any"
    if prefix or p.default is p.empty:
        return f"{prefix}{p.name}: {kind}"
    if p.default is None and kind != "Any" and "None" not in kind:
        kind += " | None"
    return f"{p.name}: {kind} = ..."


def _call(function, place, face, owner=False):
    parameters = list(inspect.signature(function).parameters.values())
    words = []
    for k, p in enumerate(parameters):
        if owner and k == 0 and p.name in ("self", "cls"):
            words.append(p.name)
            continue
        if p.kind is p.KEYWORD_ONLY and not any(q.kind in (q.VAR_POSITIONAL, q.KEYWORD_ONLY) for q in parameters[:k]):
            words.append("*")
        words.append(_parameter(p, place, face))
    return ", ".join(words)


def _property(name, place, value, face):
    """A property; one that takes more than it gives is a descriptor, the only thing mypy lets differ."""
    if place in types.TAKES:
        return [f"    {name}: _Settable[{face.gives(place)}, {types.TAKES[place]}]"]
    lines = ["    @property", f"    def {name}(self) -> {face.gives(place)}: ..."]
    if value.fset:
        lines += [f"    @{name}.setter", f"    def {name}(self, value: {face.gives(place)}) -> None: ..."]
    return lines


def _class(name, made, face):
    lines = [f"class {name}:"]
    init = made.__dict__.get("__init__") or made.__init__
    if init is not object.__init__ and not hasattr(made, "__dataclass_fields__"):
        lines.append(f"    def __init__({_call(init, f'{name}.__init__', face, True)}) -> None: ...")
    for attribute, value in sorted({n: v for b in reversed(made.__mro__) for n, v in vars(b).items()}.items()):
        place = f"{name}.{attribute}"
        if attribute.startswith("_") and attribute not in SPECIAL:
            continue
        if isinstance(value, property):
            lines += _property(attribute, place, value, face)
        elif isinstance(value, classmethod):
            lines += ["    @classmethod", f"    def {attribute}({_call(value.__func__, place, face, True)}) -> {face.gives(place)}: ..."]
        elif inspect.isfunction(value):
            lines.append(f"    def {attribute}({_call(value, place, face, True)}) -> {face.gives(place)}: ...")
    for attribute in getattr(made, "_fields", ()) or (*getattr(made, "_readable", ()), *getattr(made, "_writable", ())):
        lines.append(f"    {attribute}: {face.gives(f'{name}.{attribute}')}")
    for field in getattr(made, "__dataclass_fields__", {}).values():
        lines.append(f"    {field.name}: {'NDArray[Any]' if 'ndarray' in str(field.type) else getattr(field.type, '__name__', field.type)}")
    for attribute in types.ATTRIBUTES.get(name, ()) if face is MODERN else ():
        lines.append(f"    {attribute}: {face.gives(f'{name}.{attribute}')}")
    return lines + (["    ..."] if len(lines) == 1 else []) + [""]


def _function(name, made, face, module=""):
    place = f"{module}{name}"
    return f"def {name}({_call(made, place, face)}) -> {face.gives(place)}: ..."


def language_stub():
    """Text of the stub of scree.solfec."""
    from scree import solfec
    from scree.solfec.constraints import CONSTRAINT
    lines = [HEADER, *_class("CONSTRAINT", CONSTRAINT, LANGUAGE)]
    for name in solfec.__all__:
        made = getattr(solfec, name)
        lines += _class(name, made, LANGUAGE) if inspect.isclass(made) else [_function(name, made, LANGUAGE)]
    return "\n".join(lines).rstrip("\n") + "\n"


def modern_stub():
    """Text of the stub of scree."""
    import scree
    from scree.results import Frame
    from scree.servo import ServoWall, Triaxial
    from scree.simulation import Bodies
    lines = [HEADER.rstrip("\n"), "from . import measure as measure, plot as plot, view as view", "", "__version__: str", "", SETTABLE]
    for name, made in (("Frame", Frame), ("Bodies", Bodies), ("ServoWall", ServoWall), ("Triaxial", Triaxial)):
        lines += _class(name, made, MODERN)
    for name in scree.__all__:
        made = getattr(scree, name)
        lines += _class(name, made, MODERN) if inspect.isclass(made) else [_function(name, made, MODERN)]
    return "\n".join(lines).rstrip("\n") + "\n"


def module_stub(name):
    """Text of the stub of scree.NAME, a module of functions or a package that lists its names."""
    import importlib
    module = importlib.import_module(f"scree.{name}")
    own = [f for f, made in vars(module).items() if inspect.isfunction(made) and made.__module__ == module.__name__ and not f.startswith("_")]
    above = ".." if hasattr(module, "__path__") else "."
    lines = [HEADER.rstrip("\n"), f"from {above} import Results, Simulation, Solution", ""]
    for n in getattr(module, "__all__", own):
        made = getattr(module, n)
        lines += _class(n, made, MODERN) if inspect.isclass(made) else [_function(n, made, MODERN, f"{name}.")]
    return "\n".join(lines).rstrip("\n") + "\n"


def stubs():
    """{path: text}."""
    package = ROOT / "python" / "scree"
    return {package / "solfec" / "__init__.pyi": language_stub(), package / "__init__.pyi": modern_stub(),
            package / "measure" / "__init__.pyi": module_stub("measure"), **{package / f"{name}.pyi": module_stub(name) for name in ("plot", "view")}}


if __name__ == "__main__":
    made = stubs()
    if "--check" in sys.argv:
        sys.exit(0 if all(path.exists() and path.read_text() == text for path, text in made.items()) else 1)
    for path, text in made.items():
        path.write_text(text)
        print(path)
