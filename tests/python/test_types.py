"""The type stubs: mypy accepts them, they say what calls really give, and objects give what they say."""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import types as builtin_types
import typing

import numpy as np
import pytest

import scree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
_spec = importlib.util.spec_from_file_location("make_stubs", ROOT / "tools" / "make_stubs.py")
make_stubs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_stubs)

PROGRAM = """
import numpy as np
import scree
from scree import measure, plot, solfec

sim = scree.Simulation(step=1e-3, gravity=(0, 0, -9.81))
sim.surface_material(friction=0.5)
floor = sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
ball = sim.rigid(scree.sphere(radius=0.1), density=2500, velocity=(1, 0, 0))
ball.position = (0, 0, 0.2)
ball.velocity = np.zeros(3)
sim.gravity = (0, 0, -1.62)
reveal_type(ball)                      # Body
reveal_type(ball.position)             # ndarray
reveal_type(sim.run(0.1))              # dict[str, Any] | None
reveal_type(sim.bodies["ball"])        # Body
reveal_type(sim.fix_point(ball, (0, 0, 0)))   # Constraint
reveal_type(scree.read("out"))         # Results
reveal_type(scree.read("out")[0])      # Frame
reveal_type(scree.read("out")[0].positions)   # ndarray
for frame in scree.read("out"):
    reveal_type(frame.time)            # float
reveal_type(sim.problem().solve())     # Solution
reveal_type(measure.coordination(sim).mean)   # float
reveal_type(sim.servo_wall(scree.box(), (0, 0, -1), force=10.0).reaction)   # float
reveal_type(sim.problem().solve().residual)   # float
reveal_type(scree.box() + scree.sphere())     # Shape
reveal_type(scree.split(scree.box(), (0, 0, 0), (0, 0, 1))[0])   # Shape | None
"""
WRONG = """
import scree
sim = scree.Simulation(step="long")
sim.rigid(scree.box(), density="heavy")
sim.rigid(scree.box()).velocity = "fast"
sim.obstacle(3)
scree.read("out")[0].nothing
sim.run()
"""


def mypy(text, folder):
    """Lines that mypy prints about a program."""
    if shutil.which("mypy") is None:
        pytest.skip("mypy is not installed")
    (folder / "program.py").write_text(text)
    done = subprocess.run(["mypy", "--strict", "--no-error-summary", "--cache-dir", str(folder / "cache"), "program.py"], cwd=folder, capture_output=True,
                          text=True, timeout=300, env={"PATH": "/usr/bin:/bin", "MYPYPATH": str(ROOT / "python"), "HOME": str(folder)})
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


def test_mypy_accepts_the_stubs_and_sees_real_types(tmp_path):
    said = mypy(PROGRAM, tmp_path)
    assert not [line for line in said if "error:" in line], "\n".join(said)
    wanted = re.findall(r"# (.*)$", PROGRAM, re.M)
    seen = [re.search(r'Revealed type is "(.*)"', line).group(1) for line in said if "Revealed" in line]
    assert len(seen) == len(wanted)
    for line, expected in zip(seen, wanted):
        for word in re.findall(r"\w+", expected):
            assert word in line.replace("Union[", "").replace("builtins.", ""), (line, expected)


def test_mypy_finds_what_is_wrong(tmp_path):
    said = mypy(WRONG, tmp_path)
    lines = {int(re.match(r"program\.py:(\d+): error", line).group(1)) for line in said if ": error" in line}
    assert lines == {3, 4, 5, 6, 7, 8}, "\n".join(said)


def test_stubs_are_up_to_date():
    for path, text in make_stubs.stubs().items():
        assert path.read_text() == text, f"run tools/make_stubs.py: {path}"


# --- what objects give is what the stubs say ---------------------------------------------------------------------

NAMES = {"Any": typing.Any, "np": np, "NDArray": np.ndarray, "Array": np.ndarray, "Iterator": typing.Iterator,
         **{name: getattr(scree, name) for name in scree.__all__}, "Frame": scree.results.Frame, "Bodies": scree.simulation.Bodies}


def allowed(text):
    """Classes of a type as the tables write it: 'Shape | None' -> (Shape, NoneType)."""
    classes = []
    for part in re.sub(r"\[[^\[\]]*(\[[^\[\]]*(\[[^\[\]]*\])?[^\[\]]*\])*[^\[\]]*\]", "", text).split(" | "):
        made = type(None) if part == "None" else NAMES.get(part) or {"int": int, "float": float, "str": str, "bool": bool, "dict": dict, "list": list, "tuple": tuple}[part]
        classes.append(object if made is typing.Any else made)
    return tuple(classes)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An object of every class, from a small run."""
    folder = tmp_path_factory.mktemp("types")
    sim = scree.Simulation(step=1e-3, out=folder)
    surface, bulk = sim.surface_material(friction=0.5), sim.bulk_material(young=1e7)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)), label="floor")
    body = sim.finite_element(scree.hex([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]), bulk, label="block")
    ball = sim.rigid(scree.sphere(center=(3, 0, 1), radius=0.2), label="ball")
    constraint = sim.fix_point(ball, (3, 0, 1))
    sim.run(0.01, output=0.005, quiet=True)
    problem = sim.problem()
    results = scree.read(folder)
    return {"Simulation": sim, "SurfaceMaterial": surface, "BulkMaterial": bulk, "Body": body, "Constraint": constraint, "Problem": problem,
            "Solution": problem.solve(history=True), "Results": results, "Frame": results[0], "Bodies": sim.bodies, "Shape": scree.box(),
            "TimeSeries": scree.TimeSeries([(0, 1), (1, 2)])}


def readable(made):
    """(place, type, value) of every property and attribute in the tables."""
    from stub_types import GIVES
    for place, text in GIVES.items():
        owner, _, name = place.partition(".")
        if owner in made and not name.startswith("__"):
            value = getattr(made[owner], name)
            if not isinstance(value, builtin_types.MethodType):
                yield place, text, value


def test_members_have_the_types_the_stubs_say(made):
    seen = 0
    for place, text, value in readable(made):
        kinds = allowed(text)
        sound = isinstance(value, kinds) or (float in kinds and isinstance(value, (int, np.floating))) or (int in kinds and isinstance(value, np.integer))
        assert sound, f"{place}: {type(value).__name__}, the stubs say {text}"
        seen += 1
    assert seen > 90


def test_no_member_of_the_package_is_left_untyped():
    text = make_stubs.modern_stub()
    untyped = re.findall(r"^ *(?:def )?(\w+)(?:\(self\))?(?:: Any$| -> Any: \.\.\.$)", text, re.M)
    assert not untyped, f"give these a type in tools/stub_types.py: {untyped}"
