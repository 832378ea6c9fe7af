#!/usr/bin/env python3
"""Write the type stubs of the package: python/scree/__init__.pyi and python/scree/solfec/__init__.pyi.

Names, orders and defaults come from the code itself; types from the tables below, where an argument or member of one name has one type everywhere.
`--check` tells whether the stubs are up to date.
"""
import inspect
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

VECTOR, POINTS, NUMBER = "Vector", "Points", "float"
ARGUMENTS = {
    # the language
    "solfec": "SOLFEC", "body": "BODY", "body1": "BODY | None", "body2": "BODY | None", "vertices": POINTS, "faces": "Sequence[int]", "points": POINTS, "nodes": POINTS,
    "elements": "Sequence[int]", "surfids": "int | Sequence[int]", "volid": "int", "surfid": "int", "surfid1": "int", "surfid2": "int", "surf1": "int", "surf2": "int",
    "convex": "CONVEX", "sphere": "SPHERE", "ellip": "ELLIP", "i": "int", "j": "int", "k": "int", "dx": "Sequence[float]", "dy": "Sequence[float]", "dz": "Sequence[float]",
    "shape": "Any", "shapes": "Any", "obstacles": "Any", "center": VECTOR, "radius": NUMBER, "radii": VECTOR, "error": NUMBER, "analysis": "str", "step": NUMBER, "output": "str",
    "model": "str", "label": "str", "friction": NUMBER, "cohesion": NUMBER, "restitution": NUMBER, "spring": NUMBER, "dashpot": NUMBER, "young": NUMBER, "poisson": NUMBER,
    "density": NUMBER, "kind": "str", "material": "BULK_MATERIAL | str", "formulation": "str", "mesh": "MESH", "form": "str", "base": "Any", "cache": "int",
    "epsilon": NUMBER, "maxiter": "int", "meritval": NUMBER, "failure": "str", "diagepsilon": NUMBER, "diagmaxiter": "int", "diagsolver": "str", "data": "Any",
    "callback": "Callable[..., Any]", "point": VECTOR, "point1": VECTOR, "point2": VECTOR, "direction": VECTOR, "vector": VECTOR, "normal": VECTOR, "coefs": VECTOR,
    "linear": VECTOR, "angular": VECTOR, "tms": "Any", "value": "Any", "solver": "Any", "duration": NUMBER, "interval": NUMBER, "compression": "str", "extents": "Sequence[float]",
    "depth": NUMBER, "tolerance": NUMBER, "mass": NUMBER, "volume": NUMBER, "tensor": "Sequence[float]", "object": "Any", "angle": NUMBER, "threshold": NUMBER, "minarea": NUMBER,
    "mindist": NUMBER, "steps": "int", "time": NUMBER, "list": "Any", "t0": NUMBER, "t1": NUMBER, "skip": "int", "progress": "str", "path": "str", "subset": "Any",
    "attributes": "Sequence[str]", "function": "Callable[..., Any]", "limits": "tuple[float, float] | None", "update": "str", "pnt": VECTOR, "dir": VECTOR, "rin": NUMBER, "thi": NUMBER,
    "ndir": "int", "nrad": "int", "nthi": "int", "quality": NUMBER, "nodeset": "Sequence[int]", "faceset": "Sequence[Sequence[int]]", "negate": "bool", "gap": NUMBER, "state": "str",
    "variant": "str", "name": "str", "yardstick": "str", "options": "dict[str, Any]", "surfaces": "tuple[int, int]", "verbose": "str", "num": "int", "abstol": NUMBER,
    "pathM": "str", "pathK": "str", "spdM": "str", "spdK": "str", "topoadj": "str", "remesh": "Any",
}
MODERN = {
    "body": "Body", "body1": "Body | None", "body2": "Body | None", "shape": "Shape", "material": "BulkMaterial", "value": "float | TimeSeries", "out": "str | os.PathLike[str] | None",
    "path": "str | os.PathLike[str]", "target": "str | os.PathLike[str]", "output": "float", "bodies": "Any", "points": "Any", "density": "float | dict[int, float]",
    "velocity": "Any", "angular_velocity": "Any", "gravity": VECTOR, "threads": "int", "surface": "int | Sequence[int]", "surface1": "int", "surface2": "int", "scheme": "str", "integrator": "str",
    "damping": NUMBER, "pivot": VECTOR, "size": VECTOR, "low": VECTOR, "high": VECTOR, "axes": "Any", "corners": POINTS, "cells": "tuple[int, int, int]", "inner_radius": NUMBER,
    "thickness": NUMBER, "axis": VECTOR, "factors": "float | Vector", "vertices": POINTS, "faces": "Any", "elements": "Sequence[Sequence[int]]", "volume": "Any", "length": NUMBER,
    "checkpoint": NUMBER, "quiet": "bool", "resume": "bool", "compress": "bool", "max_iterations": "int", "max_seconds": NUMBER, "on_failure": "Callable[..., Any]", "convected": "bool",
    "X": VECTOR, "index": "int", "frame": "int", "every": "int", "times": "tuple[float, float]", "spheres": "bool", "format": "str", "quantity": "str", "count": "int",
    "inertia": "Any", "mass": NUMBER, "source": "Any", "solver": "str", "W": "Any", "B": "Any", "mu": "Any", "R": "Any", "guess": "Any", "solution": "Any", "frames": "Any",
    "function": "Callable[..., Any]", "steps": "int", "data": "Any", "label": "str", "points_": "Any",
}
RETURNS = {
    "HULL": "CONVEX", "HEX": "MESH", "ROUGH_HEX": "MESH", "PIPE": "MESH", "ELLIP_MESH": "MESH", "TETRAHEDRALIZE": "MESH", "MESH2CONVEX": "CONVEX", "MESH_SPLIT": "list[MESH]",
    "SPLIT": "tuple[Any, Any]", "MASS_CENTER": "tuple[float, float, float]", "FIX_POINT": "CONSTRAINT", "FIX_DIRECTION": "CONSTRAINT", "SET_DISPLACEMENT": "CONSTRAINT",
    "SET_VELOCITY": "CONSTRAINT", "SET_ACCELERATION": "CONSTRAINT", "PUT_RIGID_LINK": "CONSTRAINT", "SET_DISPLACEMENT3": "list[CONSTRAINT]", "SET_VELOCITY3": "list[CONSTRAINT]",
    "SET_ACCELERATION3": "list[CONSTRAINT]", "NCPU": "int", "RANK": "int", "HERE": "bool", "VIEWER": "bool", "DISPLACEMENT": "tuple[float, float, float]",
    "VELOCITY": "tuple[float, float, float]", "ENERGY": "tuple[float, float, float, float, float]", "TIMING": "float", "HISTORY": "tuple[list[float], ...]", "RENDER": "str",
    "OVERLAPPING": "list[Any]", "NON_SOLFEC_ARGV": "list[str] | None", "DURATION": "Any", "BYLABEL": "Any", "COPY": "Any", "SCALE": "Any", "TRANSLATE": "Any", "ROTATE": "Any",
    "BEND": "Any", "PUT_SPRING": "Any", "SUBDIR": "str | None",
}
QUIET = {"CONTACT_EXCLUDE_BODIES", "CONTACT_EXCLUDE_OBJECTS", "CONTACT_EXCLUDE_SURFACES", "CONTACT_SPARSIFY", "GRAVITY", "FORCE", "TORQUE", "RUN", "OUTPUT", "EXTENTS", "CALLBACK",
         "REGISTER_CALLBACK", "UNPHYSICAL_PENETRATION", "IMBALANCE_TOLERANCE", "BARRIER", "BODY_CHARS", "INITIAL_VELOCITY", "MATERIAL", "DELETE", "FORWARD", "BACKWARD", "SEEK",
         "INITIALIZE_STATE", "RIGID_TO_FEM", "XDMF_EXPORT", "MBFCP_EXPORT", "LOCDYN_DUMP", "DISPLAY_POINT", "GEOMETRIC_EPSILON", "WARNINGS", "LOAD", "PRESSURE"}
MEMBERS = {
    "nver": "int", "nnod": "int", "center": "tuple[float, float, float]", "radius": "float", "radii": "tuple[float, float, float]", "analysis": "str", "mode": "str", "outpath": "str",
    "time": "float", "step": "float", "verbose": "str", "bodies": "list[BODY]", "nbod": "int", "constraints": "list[CONSTRAINT]", "ncon": "int", "kind": "str", "label": "str", "id": "int",
    "conf": "tuple[float, ...] | None", "velo": "tuple[float, ...] | None", "mass": "float", "volume": "float", "tensor": "tuple[float, ...]", "selfcontact": "str", "scheme": "str",
    "damping": "float", "R": "tuple[float, float, float]", "U": "tuple[float, float, float]", "V": "tuple[float, float, float] | None", "base": "tuple[float, ...]",
    "point": "tuple[float, ...]", "adjbod": "Any", "matlab": "str | None", "gap": "float", "area": "float", "merit": "float", "spair": "tuple[int, int] | None", "iters": "int",
    "error": "str", "epsilon": "float", "maxiter": "int", "failure": "str", "rerhist": "list[float] | None", "times": "NDArray[np.float64]", "values": "NDArray[np.float64]",
}
ARRAYS = {"positions", "velocities", "rotations", "angular_velocities", "masses", "position", "velocity", "rotation", "angular_velocity", "conf", "velo", "center", "inertia", "force",
          "local_force", "frame", "points", "gravity", "B", "mu", "ids", "times", "moving", "U", "R"}
MODERN_MEMBERS = {"steps": "Any", "label": "str", "mass": "float", "volume": "float", "kind": "str", "exists": "bool", "id": "int", "kinetic_energy": "float", "damping": "float",
                  "scheme": "str", "integrator": "str", "length": "float", "time": "float", "step": "float", "title": "str", "version": "str", "stages": "list[str]", "body_frames": "int", "contacts": "Any",
                  "size": "float", "blocks": "int", "name": "str", "converged": "bool"}
#: Attributes that constructors set.
ATTRIBUTES = {"Frame": ("time", "step", "ids", "rows", "positions", "rotations", "velocities", "angular_velocities", "body_energies", "energies", "contacts"),
              "Results": ("path",), "Solution": ("solver", "R", "U", "status", "iterations", "residual"), "Simulation": ("out",)}
HEADER = '''"""Type stubs, made by tools/make_stubs.py from the code."""
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = Sequence[float] | NDArray[np.float64]
Points = Sequence[float] | Sequence[Sequence[float]] | NDArray[np.float64]
'''


def _parameter(p, types):
    kind = types.get(p.name, "Any")
    prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    if prefix:
        return f"{prefix}{p.name}: Any"
    if p.default is p.empty:
        return f"{p.name}: {kind}"
    if p.default is None and kind != "Any" and "None" not in kind:
        kind += " | None"
    return f"{p.name}: {kind} = ..."


def _call(function, types, owner=False):
    parameters = list(inspect.signature(function).parameters.values())
    words = []
    for k, p in enumerate(parameters):
        if owner and k == 0 and p.name in ("self", "cls"):
            words.append(p.name)
            continue
        if p.kind is p.KEYWORD_ONLY and not any(q.kind in (q.VAR_POSITIONAL, q.KEYWORD_ONLY) for q in parameters[:k]):
            words.append("*")
        words.append(_parameter(p, types))
    return ", ".join(words)


def _class(name, made, types, members, base=""):
    lines = [f"class {name}{base}:"]
    init = made.__dict__.get("__init__") or made.__init__
    if init is not object.__init__:
        lines.append(f"    def __init__({_call(init, types, True)}) -> None: ...")
    for attribute, value in sorted({n: v for b in reversed(made.__mro__) for n, v in vars(b).items()}.items()):
        if attribute.startswith("_") and attribute not in ("__len__", "__iter__", "__getitem__", "__contains__", "__call__", "__add__", "__enter__", "__exit__"):
            continue
        if isinstance(value, property):
            lines += ["    @property", f"    def {attribute}(self) -> {members(attribute)}: ..."]
            if value.fset:
                lines += [f"    @{attribute}.setter", f"    def {attribute}(self, value: Any) -> None: ..."]
        elif isinstance(value, classmethod):
            lines += ["    @classmethod", f"    def {attribute}({_call(value.__func__, types, True)}) -> Any: ..."]
        elif inspect.isfunction(value):
            lines.append(f"    def {attribute}({_call(value, types, True)}) -> Any: ...")
    for attribute in getattr(made, "_fields", ()) or (*getattr(made, "_readable", ()), *getattr(made, "_writable", ())):
        lines.append(f"    {attribute}: Any")
    for attribute in ATTRIBUTES.get(name, ()):
        lines.append(f"    {attribute}: {members(attribute)}")
    return lines + (["    ..."] if len(lines) == 1 else []) + [""]


def language_stub():
    """Text of the stub of scree.solfec."""
    from scree import solfec
    from scree.solfec.constraints import CONSTRAINT
    lines = [HEADER]
    lines += _class("CONSTRAINT", CONSTRAINT, ARGUMENTS, lambda n: MEMBERS.get(n, "Any"))
    for name in solfec.__all__:
        made = getattr(solfec, name)
        if inspect.isclass(made):
            lines += _class(name, made, ARGUMENTS, lambda n: MEMBERS.get(n, "Any"))
        else:
            answer = "None" if name in QUIET else RETURNS.get(name, "Any")
            lines.append(f"def {name}({_call(made, ARGUMENTS)}) -> {answer}: ...")
    return "\n".join(lines).rstrip("\n") + "\n"


def _modern_member(name):
    return "NDArray[Any]" if name in ARRAYS else MODERN_MEMBERS.get(name, "Any")


def modern_stub():
    """Text of the stub of scree."""
    import scree
    from scree.results import Frame
    types = {**ARGUMENTS, **MODERN}
    answers = {**{n: "Shape" for n in ("sphere", "ellipsoid", "box", "hull", "convex", "mesh", "hex", "rough_hex", "pipe", "copy", "scale", "translate", "rotate", "join")},
               "read": "Results", "threads": "int", "set_threads": "None", "export": "list[str]", "render": "str", "picture": "NDArray[np.uint8]", "mass_center": "NDArray[np.float64]"}
    lines = [HEADER.rstrip("\n"), "from . import plot as plot, view as view", "", "__version__: str", ""]
    lines += _class("Frame", Frame, types, _modern_member)
    for name in scree.__all__:
        made = getattr(scree, name)
        if inspect.isclass(made):
            lines += _class(name, made, types, _modern_member)
        else:
            lines.append(f"def {name}({_call(made, types)}) -> {answers.get(name, 'Any')}: ...")
    return "\n".join(lines).rstrip("\n") + "\n"


def stubs():
    """{path: text}."""
    return {ROOT / "python/scree/solfec/__init__.pyi": language_stub(), ROOT / "python/scree/__init__.pyi": modern_stub()}


if __name__ == "__main__":
    made = stubs()
    if "--check" in sys.argv:
        sys.exit(0 if all(path.exists() and path.read_text() == text for path, text in made.items()) else 1)
    for path, text in made.items():
        path.write_text(text)
        print(path)
