#!/usr/bin/env python3
"""Write docs/errors.md: wrong calls and the message each gives. `--check` tells whether it is up to date.

The calls are made one after the other in one model (PRELUDE of tools/language_reference.py); tests/python/test_errors.py makes them again and checks that nothing
of the model has changed.
"""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "errors.md"
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "python")]

CALLS = {
    "Wrong types and lengths": [
        "SPHERE ((0, 0), 1, 1, 1)", "SPHERE ((0, 0, 0), 'big', 1, 1)", "SPHERE ((0, 0, 0), 1, 1.5, 1)", "HULL ([0, 0, 0, 1], 1, 1)",
        "HULL ([0, 0, 0, 1, 0, 0, 0, 1, 0], 1, 1)", "HEX (CUBE [:-3], 1, 1, 1, 1, [1] * 6)", "HEX (CUBE, 2, 1, 1, 1, [1, 1, 1])",
        "HEX (CUBE, 2, 1, 1, 1, [1] * 6, dx = [1, 2, 3])", "MESH (CUBE, [8, 0, 1, 2, 3, 4, 5, 6, 9, 1], 1)", "MESH (CUBE, [7, 0, 1, 2, 3, 4, 5, 6, 1], 1)",
        "CONVEX (CUBE, [4, 0, 1, 2, 3, 1], 1)", "EXTENTS (solfec, (0, 0, 0))", "BODY_CHARS (body, 1, 1, (0, 0, 0), (1, 0, 0))",
        "GRAVITY (solfec, (0, 0, -1), 'strong')", "FIX_POINT (solfec, body, 3)", "SET_VELOCITY3 (body, (0, 0, 0), (1, 2, 3), (0, 0, 0))",
        "EXTENTS (solfec, (1, 1, 1, 0, 0, 0))", "BODY (solfec, 'RIGID', [], bulk)", "RUN (solfec, 'NEWTON', 1.0)", "CALLBACK (solfec, 0.1, None, 3)",
        "PUT_SPRING (body, (0, 0, 0), None, (0, 0, 1), 1E5, None)", "DISPLACEMENT (floor.label, (0, 0, 0))", "COPY (3)",
    ],
    "Values out of range": [
        "SPHERE ((0, 0, 0), -1, 1, 1)", "ELLIP ((0, 0, 0), (1, 0, 1), 1, 1)", "ELLIP_MESH ((0, 0, 0), (1, 1, 1), 0, 1, 1)", "SOLFEC ('DYNAMIC', 0, 'x')",
        "SURFACE_MATERIAL (solfec, friction = -0.1)", "SURFACE_MATERIAL (solfec, restitution = 1.5)", "BULK_MATERIAL (solfec, density = 0)",
        "BULK_MATERIAL (solfec, poisson = 0.6)", "GAUSS_SEIDEL_SOLVER (1E-3, 0)", "GAUSS_SEIDEL_SOLVER (-1E-3, 100)", "RUN (solfec, None, -1.0)",
        "OUTPUT (solfec, -0.1)", "CONTACT_SPARSIFY (solfec, 2.0)", "IMBALANCE_TOLERANCE (solfec, 0.5)", "UNPHYSICAL_PENETRATION (solfec, -1)",
        "SCALE (HULL (CUBE, 1, 1), (1, 0, 1))", "ROTATE (HULL (CUBE, 1, 1), (0, 0, 0), (0, 0, 0), 90)", "HULL ([float ('nan')] + CUBE [1:], 1, 1)",
        "TIME_SERIES ([0, 0, 1, 1, 0.5, 2])", "BODY_CHARS (body, -1, 1, (0, 0, 0), (1, 0, 0, 0, 1, 0, 0, 0, 1))",
        "PUT_SPRING (body, (0, 0, 0), None, (0, 0, 1), lambda x, v: 0, (0.1, 0.2))", "BEND (HEX (CUBE, 1, 1, 1, 1, [1] * 6), (0.5, 0, 0.5), (0, 1, 0), 45)",
        "solfec.step = 0", "body.damping = -1",
    ],
    "Unknown names": [
        "BODY (solfec, 'RIGD', HULL (CUBE, 1, 1), bulk)", "BODY (solfec, 'RIGID', HULL (CUBE, 1, 1), 'stnoe')",
        "BODY (solfec, 'RIGID', HULL (CUBE, 1, 1), bulk, lable = 'x')", "SURFACE_MATERIAL (solfec, fricton = 0.3)",
        "SURFACE_MATERIAL (solfec, model = 'COULOMB')", "SOLFEC ('DYNAMICAL', 1E-3, 'x')", "GAUSS_SEIDEL_SOLVER (1E-3, 100, 'STOP')",
        "GAUSS_SEIDEL_SOLVER (1E-3, 100, diagsolver = 'NEWTON')", "SOLVER ('NEWTN')", "TIMING (solfec, 'SOLVE')", "FORCE (body, 'LOCAL', (0, 0, 0), (1, 0, 0), 1)",
        "BYLABEL (solfec, 'BODIES', 'block')", "OUTPUT (solfec, 0.1, 'ZIP')", "body.scheme = 'RIG_MID'", "MATERIAL (solfec, body, 7, bulk)",
        "WARNINGS ('QUIET')", "solfec.verbose = 'LOUD'", "bulk.densty = 3", "body.dampin = 1", "body.mass = 3", "solfec.stp = 1E-4",
    ],
    "Missing arguments, files and results": [
        "BODY (solfec, 'RIGID', HULL (CUBE, 1, 1))", "BODY (None, 'RIGID', HULL (CUBE, 1, 1), bulk)", "TIME_SERIES ('no_such_file.txt')",
        "HISTORY (solfec, (solfec, 'KINETIC'), 0, 1)", "INITIALIZE_STATE (solfec, 'no_such_folder', 0)", "PUT_RIGID_LINK (solfec, None, None, (0, 0, 0), (0, 0, 1))",
        "LOCDYN_DUMP (solfec, 3)", "MESH_SPLIT (HEX (CUBE, 1, 1, 1, 1, [1] * 6))", "XDMF_EXPORT (solfec, 0.0, 'view', 'nobody')",
    ],
    "Objects that are empty, gone or of another analysis": [
        "BODY (solfec, 'RIGID', taken, bulk)", "SPLIT (taken, (0, 0, 0), (0, 0, 1))", "BODY (solfec, 'RIGID', [shape, shape], bulk)",
        "FIX_POINT (solfec, deleted, (0, 0, 0))", "CONTACT_EXCLUDE_BODIES (solfec, body, stranger)", "DELETE (solfec, stranger)", "HERE (solfec, 3)",
    ],
}

MORE = """
taken = HULL ([v + 30 for v in CUBE], 1, 1)
BODY (solfec, 'RIGID', taken, bulk)
shape = HULL (CUBE, 1, 1)
deleted = BODY (solfec, 'RIGID', SPHERE ((9, 9, 9), 0.5, 1, 1), bulk)
DELETE (solfec, deleted)
elsewhere = SOLFEC ('DYNAMIC', 1E-3, 'elsewhere')
stranger = BODY (elsewhere, 'RIGID', SPHERE ((0, 0, 0), 1, 1, 1), BULK_MATERIAL (elsewhere))
"""


def model():
    """Names of a script whose model the calls are made in."""
    from language_reference import PRELUDE
    from scree import solfec as language
    space = {name: getattr(language, name) for name in language.__all__}
    exec(PRELUDE + MORE, space)
    return space


def answer(space, call):
    """(exception, message) of a call; None when it was accepted."""
    try:
        exec(call, space)
    except (ValueError, OSError, AttributeError) as error:
        return error, str(error)
    return None


def fingerprint(space):
    """Everything a refused call might have changed."""
    solfec = space["solfec"]
    sim, engine = solfec._sim, solfec._engine
    return (engine.hash(), solfec.nbod, len(engine.constraint_ids()), len(solfec._surface_materials), len(solfec._bulk_materials), len(sim._callbacks),
            solfec.step, solfec._interval, solfec.verbose, tuple(sim.gravity), repr(sim.extents), repr(sim.contact_settings()), space["body"].damping,
            space["body"].scheme, space["body"].mass, [m.density for m in solfec._bulk_materials], sorted(os.listdir(".")))


def rows():
    """(section, call, kind of exception, message) of every call."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            space = model()
            for section, calls in CALLS.items():
                for call in calls:
                    given = answer(space, call)
                    yield section, call, type(given[0]).__name__ if given else "", given[1] if given else "accepted"
        finally:
            os.chdir(before)


def page():
    """Text of the page."""
    table = list(rows())
    lines = ["# Wrong calls and their answers", "", f"{len(table)} mistakes and what Scree says to each. A message names the routine, the argument, its value and what to do; the model is left as it",
             "was. Made by `tools/error_table.py`; the tests make every call again.", ""]
    for section in CALLS:
        lines += [f"## {section}", "", "| call | answer |", "|---|---|"]
        for part, call, kind, message in table:
            if part == section:
                lines.append(f"| `{call}` | {kind}: {message.replace('|', chr(92) + '|').replace('<', '&lt;')} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == text else 1)
    PAGE.write_text(text)
    print(PAGE)
