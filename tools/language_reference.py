#!/usr/bin/env python3
"""Write docs/language.md, the reference of the Solfec language, from the routines' own docstrings and the examples below.

    tools/language_reference.py            write it
    tools/language_reference.py --check    exit status 1 when it is not up to date

Every example is run by tests/python/test_docs.py after PRELUDE, in a folder of its own.
"""
import inspect
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "language.md"

PRELUDE = """\
CUBE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]
solfec = SOLFEC ('DYNAMIC', 1E-3, 'out')
solfec.verbose = 'OFF'
SURFACE_MATERIAL (solfec, friction = 0.5)
bulk = BULK_MATERIAL (solfec, label = 'stone', density = 2000)
GRAVITY (solfec, (0, 0, -1), 9.81)
floor = BODY (solfec, 'OBSTACLE', TRANSLATE (SCALE (HULL (CUBE, 1, 1), (20, 20, 1)), (-10, -10, -1)), bulk, 'floor')
body = BODY (solfec, 'RIGID', HULL (CUBE, 1, 1), bulk, 'block')
other = BODY (solfec, 'RIGID', SPHERE ((5, 0, 2), 0.5, 1, 1), bulk, 'ball')
OUTPUT (solfec, 1E-3)
"""

SECTIONS = {
    "Shapes": "CONVEX HULL MESH HEX ROUGH_HEX PIPE SPHERE ELLIP ELLIP_MESH TETRAHEDRALIZE",
    "Working with shapes": "COPY SCALE TRANSLATE ROTATE BEND SPLIT MESH_SPLIT MESH2CONVEX OVERLAPPING MASS_CENTER",
    "The analysis, its materials and bodies": "SOLFEC SURFACE_MATERIAL BULK_MATERIAL BODY BODY_CHARS INITIAL_VELOCITY MATERIAL DELETE BYLABEL FIELD APPLY_BULKMAT RT_SPLIT SIMPLIFIED_CRACK",
    "Constraints": "FIX_POINT FIX_DIRECTION FIX_SURFACE SET_DISPLACEMENT SET_VELOCITY SET_ACCELERATION SET_DISPLACEMENT3 SET_VELOCITY3 "
                   "SET_ACCELERATION3 PUT_RIGID_LINK PUT_SPRING",
    "Loads": "TIME_SERIES GRAVITY FORCE TORQUE LOAD PRESSURE",
    "Solvers": "GAUSS_SEIDEL_SOLVER NEWTON_SOLVER EXPLICIT_SOLVER PENALTY_SOLVER SOLVER TEST_SOLVER SICONOS_SOLVER HYBRID_SOLVER",
    "Running": "RUN OUTPUT EXTENTS CALLBACK REGISTER_CALLBACK UNPHYSICAL_PENETRATION",
    "Contact filters": "CONTACT_EXCLUDE_BODIES CONTACT_EXCLUDE_OBJECTS CONTACT_EXCLUDE_SURFACES CONTACT_SPARSIFY",
    "Results": "DURATION FORWARD BACKWARD SEEK DISPLACEMENT VELOCITY STRESS ENERGY TIMING HISTORY",
    "States and files": "INITIALIZE_STATE RIGID_TO_FEM XDMF_EXPORT SOLFEC_EXPORT MBFCP_EXPORT LOCDYN_DUMP BODY_MM_EXPORT MODAL_ANALYSIS RIGID_DISPLACEMENTS COROTATED_DISPLACEMENTS REGISTER_BASE RENDER DISPLAY_POINT",
    "Machine and settings": "NCPU RANK BARRIER HERE IMBALANCE_TOLERANCE VIEWER NON_SOLFEC_ARGV SUBDIR GEOMETRIC_EPSILON WARNINGS",
}

EXAMPLES = {
    "CONVEX": "tet = CONVEX ([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1],\n              [3, 0, 2, 1, 5, 3, 0, 1, 3, 5, 3, 1, 2, 3, 5, 3, 0, 3, 2, 5], 1)\nprint (tet.nver, tet.vertex (3))",
    "HULL": "pyramid = HULL ([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 0, 1], 1, 1)",
    "MESH": "one = MESH (CUBE, [8, 0, 1, 2, 3, 4, 5, 6, 7, 1], [1, 4, 4, 5, 6, 7, 2])   # surface 2 on top, 1 elsewhere\nprint (one.nnod, one.node (6))",
    "HEX": "beam = HEX ([0, 0, 0, 4, 0, 0, 4, 1, 0, 0, 1, 0, 0, 0, 1, 4, 0, 1, 4, 1, 1, 0, 1, 1], 4, 1, 2, 1, [1, 2, 3, 4, 5, 6], dx = [1, 2, 2, 1])",
    "ROUGH_HEX": "around = ROUGH_HEX (HULL (CUBE, 1, 1), 2, 2, 2)",
    "PIPE": "drum = PIPE ((0, 0, 0), (0, 0.5, 0), 1.0, 0.05, 1, 32, 1, 1, [1, 1, 1, 1])",
    "SPHERE": "two = SPHERE ((1, 0, 0), 0.5, 1, 1, SPHERE ((0, 0, 0), 0.5, 1, 1))   # a collection\nprint (two.center, two.radius)",
    "ELLIP": "egg = ELLIP ((0, 0, 2), (0.9, 0.5, 1.0), 1, 1)\nBODY (solfec, 'RIGID', egg, bulk)",
    "ELLIP_MESH": "egg = ELLIP_MESH ((0, 0, 2), (0.9, 0.5, 1.0), 0.05, 1, 1)\nprint (egg.nnod)",
    "TETRAHEDRALIZE": "try: fine = TETRAHEDRALIZE (HULL (CUBE, 1, 1), 'cube.txt', 0.01, 1.4)\nexcept ValueError as why: print (why)   # no mesher installed",
    "COPY": "a = HULL (CUBE, 1, 1)\nBODY (solfec, 'RIGID', TRANSLATE (COPY (a), (0, 5, 0)), bulk)   # a itself is not emptied",
    "SCALE": "brick = SCALE (HULL (CUBE, 1, 1), (0.2, 0.1, 0.06))",
    "TRANSLATE": "moved = TRANSLATE (HULL (CUBE, 1, 1), (0, 0, 3))\nprint (TRANSLATE ((1, 2, 3), (0, 0, 1)))   # points are mapped",
    "ROTATE": "turned = ROTATE (HULL (CUBE, 1, 1), (0.5, 0.5, 0.5), (0, 0, 1), 45)",
    "BEND": "bar = HEX ([0, 0, 0, 9, 0, 0, 9, 1, 0, 0, 1, 0, 0, 0, 1, 9, 0, 1, 9, 1, 1, 0, 1, 1], 30, 1, 1, 1, [1] * 6)\nBEND (bar, (2, 0, 4), (0, -1, 0), 90)   # an elbow",
    "SPLIT": "below, above = SPLIT (HULL (CUBE, 1, 1), (0, 0, 0.25), (0, 0, 1))\nprint (MASS_CENTER (below))",
    "MESH_SPLIT": "bar = HEX ([0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0, 1, 2, 0, 1, 2, 1, 1, 0, 1, 1], 2, 1, 1, 1, [1] * 6)\nmiddle = [n for n in range (bar.nnod) if bar.node (n) [0] == 1]\nleft, right = MESH_SPLIT (bar, middle, None, 7, 8)",
    "MESH2CONVEX": "pieces = MESH2CONVEX (HEX (CUBE, 2, 2, 2, 1, [1] * 6))",
    "OVERLAPPING": "wall = HULL (CUBE, 1, 1)\nballs = [SPHERE ((x, 0.5, 1.2), 0.3, 1, 1) for x in (0.5, 5)]\nprint (len (OVERLAPPING (wall, balls)))",
    "MASS_CENTER": "print (MASS_CENTER (HULL (CUBE, 1, 1)), MASS_CENTER (body))",
    "SOLFEC": "sol = SOLFEC ('DYNAMIC', 1E-3, 'out/other')\nprint (sol.mode, sol.time, sol.nbod)",
    "SURFACE_MATERIAL": "steel = SURFACE_MATERIAL (solfec, 1, 2, model = 'SIGNORINI_COULOMB', friction = 0.2, restitution = 0.4)\nsteel.friction = 0.25",
    "BULK_MATERIAL": "concrete = BULK_MATERIAL (solfec, model = 'KIRCHHOFF', label = 'concrete', young = 15E9, poisson = 0.25, density = 1.8E3)",
    "BODY": "new = BODY (solfec, 'RIGID', SPHERE ((0, 5, 1), 0.5, 1, 1), 'stone', label = 'new')\nprint (new.mass, new.conf [9:])",
    "BODY_CHARS": "BODY_CHARS (other, 12.0, 0.5, (5, 0, 2), (1, 0, 0, 0, 1, 0, 0, 0, 1))",
    "INITIAL_VELOCITY": "INITIAL_VELOCITY (other, (0, 0, -5), (0, 0, 10))",
    "MATERIAL": "lead = BULK_MATERIAL (solfec, label = 'lead', density = 11000)\nMATERIAL (solfec, other, 1, 'lead')",
    "DELETE": "DELETE (solfec, other)\nprint (solfec.nbod)",
    "BYLABEL": "print (BYLABEL (solfec, 'BODY', 'block').mass)",
    "FIX_POINT": "pin = FIX_POINT (solfec, other, (5, 0, 2))",
    "FIX_DIRECTION": "rail = FIX_DIRECTION (solfec, other, (5, 0, 2), (0, 1, 0))",
    "SET_DISPLACEMENT": "SET_DISPLACEMENT (solfec, other, (5, 0, 2), (0, 0, 1), TIME_SERIES ([0, 0, 1, 0.5]))",
    "SET_VELOCITY": "SET_VELOCITY (solfec, other, (5, 0, 2), (1, 0, 0), 0.25)",
    "SET_ACCELERATION": "SET_ACCELERATION (solfec, other, (5, 0, 2), (1, 0, 0), TIME_SERIES ([0, 0, 0.5, 3, 1, 0]))",
    "SET_DISPLACEMENT3": "SET_DISPLACEMENT3 (other, (5, 0, 2), (1, 0, 0, 0, 1, 0, 0, 0, 1), (0.0, 0.0, TIME_SERIES ([0, 0, 1, 0.1])))",
    "SET_VELOCITY3": "SET_VELOCITY3 (other, (5, 0, 2), (1, 0, 0, 0, 1, 0, 0, 0, 1), (0.0, 0.0, 0.1))",
    "SET_ACCELERATION3": "SET_ACCELERATION3 (other, (5, 0, 2), (1, 0, 0, 0, 1, 0, 0, 0, 1), (0.0, 0.0, 1.0))",
    "PUT_RIGID_LINK": "thread = PUT_RIGID_LINK (solfec, other, None, (5, 0, 2), (5, 0, 4))",
    "PUT_SPRING": "spring = PUT_SPRING (other, (5, 0, 2), None, (5, 0, 4), lambda stroke, velocity: -1E5 * stroke - 1E3 * velocity, (-0.5, 0.5))",
    "TIME_SERIES": "ramp = TIME_SERIES ([0, 0, 1, 2, 5, 2])\nprint (ramp (0.5), ramp.integral (1.0))",
    "GRAVITY": "GRAVITY (solfec, (0, 0, -1), 9.81)\nGRAVITY (solfec, (0, 0, -9.81))   # as later scripts write it",
    "FORCE": "FORCE (other, 'SPATIAL', (5, 0, 2), (1, 0, 0), 100)\ndef drag (c, q, u, time, step): return (-c * u [3], -c * u [4], -c * u [5])\nFORCE (other, 'SPATIAL', (5, 0, 2), (1, 0, 0), drag, 0.7)",
    "TORQUE": "TORQUE (other, 'CONVECTED', (0, 0, 1), TIME_SERIES ([0, 0, 1, 10]))",
    "GAUSS_SEIDEL_SOLVER": "gs = GAUSS_SEIDEL_SOLVER (1E-6, 1000, failure = 'CONTINUE', diagsolver = 'PROJECTED_GRADIENT')\nRUN (solfec, gs, 0.01)\nprint (gs.error, gs.iters)",
    "NEWTON_SOLVER": "RUN (solfec, NEWTON_SOLVER (meritval = 1E-8), 0.01)",
    "EXPLICIT_SOLVER": "SURFACE_MATERIAL (solfec, model = 'SPRING_DASHPOT', spring = 1E8, dashpot = 1E4)\nRUN (solfec, EXPLICIT_SOLVER (), 0.01)",
    "PENALTY_SOLVER": "xs = PENALTY_SOLVER ('IMPLICIT')",
    "SOLVER": "RUN (solfec, SOLVER ('AUTO', 1E-8), 0.01)",
    "RUN": "RUN (solfec, GAUSS_SEIDEL_SOLVER (1E-6, 1000), 0.05)\nprint (solfec.time)",
    "OUTPUT": "OUTPUT (solfec, 0.01, 'FASTLZ')",
    "EXTENTS": "EXTENTS (solfec, (-10, -10, -5, 10, 10, 20))",
    "CALLBACK": "def report (sol): print (sol.time, sol.ncon); return 1\nCALLBACK (solfec, 0.005, solfec, report)\nRUN (solfec, None, 0.01)",
    "REGISTER_CALLBACK": "REGISTER_CALLBACK (lambda data: 1, None)   # nothing to do in one process",
    "FIELD": "heat = FIELD (solfec, lambda x, y, z, t: 20 + z, 'heat')\nprint (heat (0, 0, 5, 0))",
    "APPLY_BULKMAT": "lead = BULK_MATERIAL (solfec, label = 'lead', density = 11000)\nAPPLY_BULKMAT (solfec, other, 1, lead)",
    "RT_SPLIT": "bar = BODY (solfec, 'RIGID', SCALE (HEX ([x + 2 for x in CUBE], 2, 1, 1, 1, [1] * 6), (2, 1, 1)), bulk)\nfaces = bar.mesh.inter_element_faces_on_plane ((5, 0, 0), (1, 0, 0))\nhalf, kept, gone = RT_SPLIT (bar, faces, 1, 1)\nprint (bar.mass, half.mass)",
    "SIMPLIFIED_CRACK": "try: SIMPLIFIED_CRACK (body, body.center, (1, 0, 0), 1, 'TENSILE', ft = 1E5)\nexcept ValueError as why: print (why)",
    "TEST_SOLVER": "RUN (solfec, TEST_SOLVER (1E-8), 0.01)",
    "SICONOS_SOLVER": "RUN (solfec, SICONOS_SOLVER (1E-6, 1000), 0.01)",
    "HYBRID_SOLVER": "try: HYBRID_SOLVER ('parmec.py', 1E-4, {}, NEWTON_SOLVER ())\nexcept ValueError as why: print (why)",
    "RIGID_DISPLACEMENTS": "elastic = BODY (solfec, 'FINITE_ELEMENT', TRANSLATE (HEX (CUBE, 2, 2, 2, 1, [1] * 6), (0, 5, 0)), bulk)\nprint (len (RIGID_DISPLACEMENTS (elastic)))",
    "COROTATED_DISPLACEMENTS": "elastic = BODY (solfec, 'FINITE_ELEMENT', TRANSLATE (HEX (CUBE, 2, 2, 2, 1, [1] * 6), (0, 5, 0)), bulk)\nsamples = COROTATED_DISPLACEMENTS (solfec, elastic)\nRUN (solfec, None, 0.01)\nprint (len (samples))",
    "REGISTER_BASE": "elastic = BODY (solfec, 'FINITE_ELEMENT', TRANSLATE (HEX (CUBE, 2, 2, 2, 1, [1] * 6), (0, 5, 0)), bulk)\nREGISTER_BASE (solfec, MODAL_ANALYSIS (elastic, 12, 'modes'), 'cube')\nBODY (solfec, 'FINITE_ELEMENT', TRANSLATE (HEX (CUBE, 2, 2, 2, 1, [1] * 6), (0, 7, 0)), bulk, form = 'BC-MODAL', base = 'cube')",
    "UNPHYSICAL_PENETRATION": "UNPHYSICAL_PENETRATION (solfec, 0.01)",
    "CONTACT_EXCLUDE_BODIES": "CONTACT_EXCLUDE_BODIES (solfec, floor, other)",
    "CONTACT_EXCLUDE_OBJECTS": "CONTACT_EXCLUDE_OBJECTS (solfec, floor, (0.5, 0.5, -0.5), other, (5, 0, 2))",
    "CONTACT_EXCLUDE_SURFACES": "CONTACT_EXCLUDE_SURFACES (solfec, 7, 8)",
    "CONTACT_SPARSIFY": "CONTACT_SPARSIFY (solfec, 0.02)",
    "DURATION": "RUN (solfec, None, 0.01)\nprint (DURATION (solfec))",
    "FORWARD": "FORWARD (solfec, 10)   # in 'READ' mode",
    "BACKWARD": "BACKWARD (solfec, 1)   # in 'READ' mode",
    "SEEK": "SEEK (solfec, 0.5)   # in 'READ' mode",
    "DISPLACEMENT": "RUN (solfec, None, 0.05)\nprint (DISPLACEMENT (other, (5, 0, 2)))",
    "FIX_SURFACE": "bar = BODY (solfec, 'FINITE_ELEMENT', HEX ([x + 3 for x in CUBE], 4, 1, 1, 1, [1, 2, 3, 4, 5, 6]), bulk)\nprint (len (FIX_SURFACE (solfec, bar, 5, (0, 0, 1))))",
    "LOAD": "bar = BODY (solfec, 'FINITE_ELEMENT', HEX ([x + 3 for x in CUBE], 4, 1, 1, 1, [1, 2, 3, 4, 5, 6]), bulk)\nLOAD (bar, 'SPATIAL', 6, (0, 0, -1), 1E3)\nRUN (solfec, None, 0.01)",
    "PRESSURE": "bar = BODY (solfec, 'FINITE_ELEMENT', HEX ([x + 3 for x in CUBE], 4, 1, 1, 1, [1, 2, 3, 4, 5, 6]), bulk)\nPRESSURE (bar, 6, TIME_SERIES ([0, 0, 1, -1E3]))   # presses on the top\nRUN (solfec, None, 0.01)",
    "STRESS": "soft = BODY (solfec, 'PSEUDO_RIGID', HULL ([x + 3 for x in CUBE], 1, 1), bulk)\nRUN (solfec, None, 0.05)\nprint (STRESS (soft, (3.5, 3.5, 3.5)) [6])",
    "VELOCITY": "RUN (solfec, None, 0.05)\nprint (VELOCITY (other, (5, 0, 2)))",
    "ENERGY": "RUN (solfec, None, 0.05)\nkinetic, internal, external, contact, friction = ENERGY (solfec)\nprint (ENERGY (solfec, [body, other]))",
    "TIMING": "RUN (solfec, None, 0.01)\nprint (TIMING (solfec, 'CONSOL'))",
    "HISTORY": "RUN (solfec, None, 0.05)\ntimes, z, energy = HISTORY (solfec, [(other, (5, 0, 2), 'CZ'), (solfec, 'KINETIC')], 0, 0.05)",
    "INITIALIZE_STATE": "RUN (solfec, None, 0.01)\nINITIALIZE_STATE (solfec, solfec.outpath, 0.005, ['ball'])",
    "RIGID_TO_FEM": "RUN (solfec, None, 0.01)\nRIGID_TO_FEM (solfec.outpath, 0.01, solfec, 'ball')",
    "XDMF_EXPORT": "RUN (solfec, None, 0.01)\nXDMF_EXPORT (solfec, (0, 0.01), 'view', ['block', 'ball'])",
    "SOLFEC_EXPORT": "SOLFEC_EXPORT (solfec, (0, 1), 'out/part')",
    "MBFCP_EXPORT": "RUN (solfec, None, 0.01)\nMBFCP_EXPORT (solfec, 'state.txt')",
    "LOCDYN_DUMP": "RUN (solfec, None, 0.01)\nLOCDYN_DUMP (solfec, 'problem.hdf5')",
    "BODY_MM_EXPORT": "mesh = HEX (CUBE, 2, 2, 2, 1, [1, 2, 3, 4, 5, 6])\nelastic = BODY (solfec, 'FINITE_ELEMENT', TRANSLATE (mesh, (0, 5, 0)), bulk)\nBODY_MM_EXPORT (elastic, 'M.mtx', 'K.mtx')",
    "MODAL_ANALYSIS": "mesh = HEX (CUBE, 2, 2, 2, 1, [1, 2, 3, 4, 5, 6])\nelastic = BODY (solfec, 'FINITE_ELEMENT', TRANSLATE (mesh, (0, 5, 0)), bulk)\nvals, vecs = MODAL_ANALYSIS (elastic, 9, 'modes')\nprint (vals [6:])   # after six rigid ones",
    "RENDER": "RUN (solfec, None, 0.01)\nprint (RENDER (solfec, body))",
    "DISPLAY_POINT": "DISPLAY_POINT (body, (0, 0, 0), 'corner')",
    "NCPU": "print (NCPU ())",
    "RANK": "if RANK () == 0: print ('the first process')",
    "BARRIER": "BARRIER ()",
    "HERE": "if HERE (solfec, body): print (body.conf)",
    "IMBALANCE_TOLERANCE": "IMBALANCE_TOLERANCE (solfec, 1.2)",
    "VIEWER": "if not VIEWER (): RUN (solfec, None, 0.01)",
    "NON_SOLFEC_ARGV": "argv = NON_SOLFEC_ARGV ()   # scree run script.py -- 10 fast",
    "SUBDIR": "print (SUBDIR ())",
    "GEOMETRIC_EPSILON": "GEOMETRIC_EPSILON (1E-8)",
    "WARNINGS": "WARNINGS ('OFF')",
}

INTRODUCTION = """\
# The language

Every name below is there in a script run by `scree run SCRIPT.py`, and after `from scree.solfec import *` anywhere else. Argument orders are those
of the Solfec manual; what stands after the bar is optional, and every argument may be given by name. SI units throughout; indices start at 0;
angles in degrees. Some routines *empty* an object they are given: using it later raises and says which call took it; pass `COPY (x)` to keep x.
What is wrong raises ValueError (a file: OSError) naming routine, argument, value and remedy, and changes nothing.

This page is made from the docstrings by `tools/language_reference.py`; each example runs in the tests. See also
[coming from Solfec](coming_from_solfec.md) and the [tutorials](tutorials/README.md).
"""


def _public(made):
    """(name, property) pairs of a class, in the order of its source."""
    found = {}
    for base in reversed(made.__mro__):
        found.update({n: v for n, v in vars(base).items() if isinstance(v, property) and not n.startswith("_")})
    return found.items()


def _members(name, made):
    """Table of the members of an object, as lines."""
    rows = [(n, "read, write" if p.fset else "read", " ".join((p.__doc__ or "").split())) for n, p in _public(made)]
    for attribute, words in getattr(made, "_documented", {}).items():
        rows.append((attribute, "read, write" if attribute in made._writable else "read", words))
    methods = [(n, v) for n, v in vars(made).items() if inspect.isfunction(v) and not n.startswith("_")]
    rows += [(f"{n} ({', '.join(list(inspect.signature(v).parameters)[1:])})", "call", " ".join((v.__doc__ or "").split())) for n, v in methods]
    if not rows:
        return []
    return ["", "| member | | |", "|---|---|---|"] + [f"| `{n}` | {how} | {text} |" for n, how, text in rows]


def _arguments(made, text):
    """A paragraph, with one bullet for each argument it explains."""
    names = [n for n in inspect.signature(made).parameters if n not in ("self", "later", "more")]
    which = "(?:" + "|".join(map(re.escape, names)) + ")"
    parts = re.split(rf"(?:^|(?<=[.;)]) )(?={which}(?:(?:,| and| or) {which})*(?: \([^)]*\))?: )", text) if names else [text]
    lines = [part for part in parts[:1] if part]
    for part in parts[1:]:
        head, _, rest = part.partition(": ")
        lines.append(f"- `{head}`: {rest.rstrip(';')}")
    if parts[0] and len(parts) > 1:
        lines.insert(1, "")
    return lines


def _entry(language, name):
    made = getattr(language, name)
    paragraphs = inspect.getdoc(made).split("\n\n")
    head, _, first = paragraphs[0].partition("): ") if "): " in paragraphs[0] else paragraphs[0].partition(")")
    call = " ".join((head + ")").split())
    lines = [f"### {name}", "", f"    {call}", ""]
    first = " ".join(first.strip().lstrip(".").split())
    if first:
        lines += [first[0].upper() + first[1:], ""]
    for paragraph in paragraphs[1:]:
        lines += _arguments(made, " ".join(paragraph.split())) + [""]
    if inspect.isclass(made):
        lines += _members(name, made) + [""]
    if name in EXAMPLES:
        lines += ["```python", *EXAMPLES[name].split("\n"), "```", ""]
    return lines


def page():
    """Text of the reference."""
    sys.path.insert(0, str(ROOT / "python"))
    from scree import solfec as language
    from scree.solfec.constraints import CONSTRAINT
    lines = [INTRODUCTION]
    for title, names in SECTIONS.items():
        there = [n for n in names.split() if n in language.__all__]
        lines += [f"- **{title}**: " + ", ".join(f"[{n}](#{n.lower()})" for n in there)]
    lines.append("")
    for title, names in SECTIONS.items():
        lines += [f"## {title}", ""]
        if title == "Constraints":
            lines += ["Constraints the script prescribes, and contacts, are objects of one type; `solfec.constraints` lists them.", *_members("CONSTRAINT", CONSTRAINT), ""]
        for name in names.split():
            if name in language.__all__:
                lines += _entry(language, name)
    text = "\n".join(lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip("\n") + "\n"


def listed():
    """Names of all sections."""
    return [n for names in SECTIONS.values() for n in names.split()]


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == text else 1)
    PAGE.write_text(text)
    print(PAGE)
