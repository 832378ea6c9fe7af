"""Files made to harm and calls that were not meant: words, and not what is inside."""
import base64
import fractions
import functools
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

import scree
from conftest import ROOT


# --- files made to harm --------------------------------------------------------------------------------------------------


def test_arrays_of_a_mesh_that_share_a_block_do_not_fill_the_memory(tmp_path):
    """40 pieces whose points are all the same packed block of zeros: 34 kB that hold what a sound file of 1 GB does."""
    points = 1 << 20
    block = zlib.compress(bytes(24 * points), 9)
    packed = base64.b64encode(struct.pack("<4I", 1, 24 * points, 0, len(block))).decode() + base64.b64encode(block).decode()
    empty = "".join(f'<DataArray type="Int32" Name="{name}" format="ascii"></DataArray>' for name in ("connectivity", "offsets", "types"))
    piece = (f'<Piece NumberOfPoints="{points}" NumberOfCells="0"><Points><DataArray type="Float64" NumberOfComponents="3" format="appended" offset="0"/></Points>'
             f"<Cells>{empty}</Cells></Piece>")
    path = tmp_path / "bomb.vtu"
    path.write_text('<?xml version="1.0"?><VTKFile type="UnstructuredGrid" byte_order="LittleEndian" compressor="vtkZLibDataCompressor"><UnstructuredGrid>' + 40 * piece +
                    f'</UnstructuredGrid><AppendedData encoding="base64">_{packed}</AppendedData></VTKFile>')
    code = f"import resource, scree; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); scree.read_mesh({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1"})
    assert "OSError" in done.stderr and "bomb.vtu: its arrays unpack to more than" in done.stderr, done.stderr


# --- words instead of what is inside -------------------------------------------------------------------------------------


def raw_calls():
    sim = scree.Simulation()
    ball = sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    from scree import solfec
    return [
        (lambda: scree.set_threads("x"), "threads = 'x': an integer is expected"),
        (lambda: scree.set_threads(2**40), "threads = 1099511627776: it must be from 1 to 4096"),
        (lambda: sim.solver("SPG", memory=2**40), "option 'memory' = 1099511627776: an integer from"),
        (lambda: sim.solver("SPG", max_iterations=2**40), "max_iterations = 1099511627776: it must be from 1 to 2147483647"),
        (lambda: sim.solver(max_seconds="x"), "max_seconds = 'x': a number is expected"),
        (lambda: sim.contact_settings(restitution=3), "restitution = 3 is unknown"),
        (lambda: sim.contact_settings(one_point_per_overlap="x"), "one_point_per_overlap = 'x': True or False is expected"),
        (lambda: scree.hex(corners, (2, 2, 2), dx=0.5), "hex: dx = 0.5: a list of relative sizes is expected"),
        (lambda: solfec.HEX(sum(corners, ()), 2, 2, 2, 0, [0] * 6, dx=0.5), "HEX: dx = 0.5: a list of 2 relative sizes is expected"),
        (lambda: scree.Simulation(out=3), "out = 3: the name of a file or folder is expected"),
        (lambda: sim.export_problem(3), "path = 3: the name of a file or folder is expected"),
        (lambda: sim.exclude(bodies=3), "exclude: bodies = 3: two are expected"),
        (lambda: sim.exclude(surfaces=5), "exclude: surfaces = 5: two are expected"),
        (lambda: scree.Problem(3), "the name of an FCLIB file is expected"),
        (lambda: scree.Problem.from_arrays("x", [1, 2, 3], [0.1]), "Problem: W = 'x': a matrix is expected"),
        (lambda: scree.Problem.packing(1000, 1000), "packing: 1000 x 1000 x 1000 bodies are more than"),
        (lambda: scree.read(3), "path = 3: the name of a file or folder is expected"),
        (lambda: scree.read_mesh(3), "read_mesh: path = 3: the name of a file or folder is expected"),
        (lambda: sim.rigid(scree.sphere((0, 0, 5), 0.1), density=1, label="\ud800"), "characters that are no text"),
        (lambda: sim._engine.has_body("x"), "'x': an integer is expected"),
        (lambda: sim._engine.has_body(2**40), "1099511627776: an integer from -2147483648 to 2147483647 is expected"),
        (lambda: sim.solver(max_iterations=0), "max_iterations = 0: it must be 1 or more"),
        (lambda: sim.rigid(scree.sphere(), density={1: 3}), "density = {1: 3.0}: the shape has no volume 1; its volume ids are 0"),
        (lambda: sim.rigid(scree.sphere() + scree.sphere(volume=2), density={2: 3}), "density = {2: 3.0}: volume 0 of the shape has none"),
        (lambda: scree.join(), "join: one shape at least is expected"),
        (lambda: setattr(ball, "rotation", np.diag((1.0, 1.0, 2.0))), "rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]: an orthonormal matrix"),
        (lambda: setattr(ball, "rotation", np.eye(2)), "rotation = array([[1., 0.],"),
        (lambda: scree.ellipsoid(radii=(1, 0, 1)), "ellipsoid: radius y is 0"),
        (lambda: scree.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "hull: all 4 points lie in a plane"),
        (lambda: scree.box(low=(0, 0, 0), high=(1, 1, 0)), "box: extent along z is 0"),
        (lambda: scree.mesh(corners, [[0, 1, 2, 9]]), "mesh: element 0 names node 9"),
        (lambda: ball.apply_function(lambda *_: None) or sim.advance(1), "force function of body 0: returned None: a force"),
    ]


@pytest.mark.parametrize("number", range(32))
def test_wrong_types_are_answered_in_words(number):
    call, words = raw_calls()[number]
    with pytest.raises(ValueError) as refused:
        call()
    assert words in str(refused.value)

#: What no argument of Scree may be.
NONSENSE = (object(), b"q", 3 + 1j, Ellipsis, "\ud800", "a\0b", {1: 2}, [["a"]], np.array(["a"]), type)


def every_argument():
    """(name, call with one argument given otherwise): arguments of all kinds, of shapes, bodies, loads, constraints, settings and files."""
    cube = [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    sim = scree.Simulation()
    stone = sim.bulk_material(density=2000, young=1e7)
    ball, block = sim.rigid(scree.sphere(), density=1000), sim.finite_element(scree.hex(cube), material=stone)
    wall = scree.box(center=(0, 0, 9))
    calls = [
        ((scree.sphere,), "center radius surface volume"), ((scree.box,), "center size surface"), ((scree.ellipsoid,), "radii axes"),
        ((scree.hex, cube), "cells surface volume dx"), ((scree.pipe, (0, 0, 0), (0, 0, 1), 1, 0.1), "cells surface"), ((scree.mesh, cube[:4], [(0, 1, 2, 3)]), "surface faces"),
        ((scree.rotate, wall, (0, 0, 1)), "angle"), ((scree.split, wall, (0, 0, 9), (0, 0, 1)), "surface"), ((scree.Simulation,), "step gravity out threads"),
        ((sim.surface_material,), "surface1 surface2 model friction restitution label"), ((sim.bulk_material,), "density young model label"),
        ((sim.rigid, wall), "density material label velocity scheme damping"), ((sim.pseudo_rigid, wall), "material label round_spheres stiffness_damping"),
        ((sim.finite_element, scree.hex(cube)), "material mesh order form modes materials label shapes selfcontact"), ((sim.obstacle, wall), "label velocity pivot acceleration"),
        ((sim.fix_direction, ball, (0, 0, 0), (0, 0, 1)), "body2 point2"), ((sim.rigid_link,), "body1 body2 point1 point2"), ((sim.fix_surface,), "body surface"),
        ((sim.solver,), "name tolerance yardstick max_iterations max_seconds failure on_failure goal"), ((sim.run,), "duration output checkpoint quiet resume compress"),
        ((sim.callback, 1.0), "function"), ((sim.export_problem,), "path form"), ((sim.contact_settings,), "recovery recovery_speed restitution"),
        ((ball.apply_force, (0, 0, 0), (0, 0, 1), 1.0), "convected"), ((ball.apply_torque, (0, 0, 1), 1.0), "convected"), ((block.apply_load, 0, "NORMAL"), "value convected"),
        ((scree.Problem.packing, 2, 2), "mu shear reach ellipsoids seed"), ((scree.Problem.packing(2, 2).solve,), "tolerance yardstick max_iterations max_seconds history threads"),
        ((scree.read,), "path"), ((scree.read_mesh,), "path")]
    needed = {sim.rigid_link: dict(body1=ball, body2=block, point1=(0, 0, 0), point2=(0, 0, 0)), sim.fix_surface: dict(body=block, surface=0), sim.run: dict(duration=0.0),
              sim.export_problem: dict(path="p.hdf5"), block.apply_load: dict(value=1.0)}
    for (call, *given), names in calls:
        for name in names.split():
            yield name, lambda value, call=call, given=given, name=name: call(*given, **{**needed.get(call, {}), name: value})
    for owner, names in ((sim, "step gravity out quasi_static extents"), (ball, "velocity position rotation damping scheme"), (block, "selfcontact round_spheres")):
        for name in names.split():
            yield name, lambda value, owner=owner, name=name: setattr(owner, name, value)


def test_every_argument_is_named_where_it_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = ("Unable to cast", "incompatible", "std::", "object is not", "has no attribute", "has no len", "truth value", "could not convert", "one of the values")
    wrong = []
    for name, call in every_argument():
        for value in NONSENSE:
            if name == "density" and isinstance(value, dict) or name in ("function", "on_failure") and value is type:
                continue
            try:
                call(value)
                wrong.append(f"{name} = {value!r}: accepted")
            except ValueError as error:
                if name not in str(error) or any(words in str(error) for words in raw):
                    wrong.append(f"{name} = {value!r}: {error}")
            except Exception as error:
                wrong.append(f"{name} = {value!r}: {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong)
    assert not list(tmp_path.iterdir())


def test_a_body_that_is_not_there_is_answered_in_words():
    sim = scree.Simulation()
    sim.rigid(scree.sphere(), density=1000)
    with pytest.raises(IndexError, match=r"bodies\[99\]: there are 1 bodies, numbered from 0"):
        sim.bodies[99]
    assert sim.bodies[-1].id == sim.bodies[0].id == sim.bodies[0:1][0].id


def test_files_that_cannot_be_written_have_the_name_they_were_given(tmp_path):
    sim = scree.Simulation()
    sim.fix_point(sim.rigid(scree.sphere(), density=1000), (0, 0, 0))
    sim.advance(1)
    with pytest.raises(OSError) as refused:
        sim.export_problem(tmp_path / "nowhere" / "problem.hdf5")
    assert str(refused.value) == f"{tmp_path}/nowhere/problem.hdf5: cannot write there: No such file or directory"


@pytest.mark.parametrize("call, name", [('scree.render("out", "picture.png")', "picture.png"), ('scree.render("out", "picture.gif")', "picture.gif"),
                                        ('scree.view.export("out", "page.html")', "page.html"), ('scree.measure.to_fields("out", ".", cells=9)', "./fields_000000.vti")])
def test_files_that_do_not_fit_are_named(tmp_path, call, name):
    sim = scree.Simulation(step=1e-3, out=str(tmp_path / "out"))
    sim.rigid(scree.sphere(), density=1000)
    sim.run(2e-3, output=1e-3, quiet=True)
    code = f"""
import resource, signal, scree
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    {call}
except OSError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.stdout == f"{name}: cannot write there: File too large\n", done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_run_shorter_than_a_step_is_told(capsys):
    sim = scree.Simulation(step=1e-3)
    sim.rigid(scree.sphere(), density=1000)
    sim.run(1e-9, quiet=True)
    sim.run(1e-4, quiet=True)
    assert capsys.readouterr().err == ("scree: duration = 1e-09 s is less than a step: no step was made\n"
                                       "scree: duration = 0.0001 s is less than a step: one step of 0.001 s was made\n") and sim.steps == 1


def test_a_body_that_deforms_wants_a_modulus():
    sim = scree.Simulation()
    with pytest.warns(UserWarning, match="no Young's modulus: 1e6 Pa"):
        sim.pseudo_rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
    sim = scree.Simulation()
    soft = sim.bulk_material(density=1000)
    soft.young = 1e7
    sim.pseudo_rigid(scree.sphere((0, 0, 0), 0.1), material=soft)


def test_bodies_in_one_place_are_told():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0)
    for _ in range(2):
        sim.rigid(scree.sphere((0, 0, 1), 0.1), density=1000)
    with pytest.warns(UserWarning, match="overlap at the start"):
        sim.advance(1)


def test_numbers_that_are_none_are_answered_in_words():
    """Integers beyond floating point, sequences of sequences of several lengths, arrays where a text is expected."""
    sim = scree.Simulation()
    ball, cube = sim.rigid(scree.sphere(), density=1000), [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    huge, ragged, array = 10**400, [[1, 2], [3]], np.ma.masked_array([1, 2, 3], mask=[0, 1, 0])
    calls = [(lambda: scree.Simulation(step=huge), "step = 1000"), (lambda: setattr(sim, "gravity", (huge, 0, 0)), "gravity = (1000"), (lambda: sim.rigid(scree.sphere(), density=huge), "density"),
             (lambda: scree.sphere(radius=-huge), "radius"), (lambda: setattr(sim, "extents", ragged), "extents = [[1, 2], [3]]: two corners"),
             (lambda: setattr(sim, "extents", (("a", 1, 2), (3, 4, 5))), "extents = (('a', 1, 2)"), (lambda: scree.TimeSeries(ragged), "TimeSeries: points = [[1, 2], [3]]"),
             (lambda: scree.TimeSeries([(0, huge)]), "TimeSeries: points"), (lambda: scree.hex(cube, cells=ragged), "cells = [[1, 2], [3]]"), (lambda: scree.hex(cube, dx=ragged), "dx"),
             (lambda: scree.scale(scree.sphere(), ragged), "factors = [[1, 2], [3]]"), (lambda: sim.bulk_material(label=array), "label"), (lambda: sim.surface_material(label=array), "label"),
             (lambda: sim.solver(array), "solver: name"), (lambda: sim.solver(goal=fractions.Fraction(1, 3)), "goal = 0.333333 of AUTO"),
             (lambda: scree.measure.fabric(sim, where="abc"), "where = 'abc': a box"), (lambda: scree.measure.fabric(sim, weight=array), "weight"),
             (lambda: ball.apply_force((0, 0, huge), (0, 0, 1), 1.0), "point = (0, 0, 1000")]
    for call, words in calls:
        with pytest.raises(ValueError) as refused:
            call()
        assert words in str(refused.value) and len(str(refused.value)) < 300, refused.value


def test_functions_that_take_other_arguments_are_refused_where_they_are_given():
    sim = scree.Simulation()
    ball = sim.rigid(scree.sphere(), density=1000)
    for call, words in ((lambda: ball.apply_function(lambda: (0, 0, 0)), "it is called with (state, time, step): too many positional arguments"),
                        (lambda: sim.callback(0.1, lambda: None), "it is called with (sim)"), (lambda: sim.callback(0.1, lambda sim: None, data=[]), "it is called with (sim, data)"),
                        (lambda: sim.solver(failure="callback", on_failure=lambda: True), "on_failure = <function")):
        with pytest.raises(ValueError) as refused:
            call()
        assert words in str(refused.value)
    def steps(sim):
        yield sim.steps

    async def later(*_):
        return (0, 0, 0)

    class Steps:
        def __call__(self, sim):
            yield sim.steps
    for call in (lambda: sim.callback(0.1, steps), lambda: sim.callback(0.1, Steps()), lambda: sim.callback(0.1, functools.partial(steps)), lambda: ball.apply_function(later), lambda: sim.solver(failure="callback", on_failure=later)):
        with pytest.raises(ValueError, match="has a yield or is async: called, it would do nothing"):
            call()
    sim.callback(0.1, print), ball.apply_function(lambda *_: (0, 0, 0)), sim.callback(0.1, dict, data=[])


def test_walls_that_are_refused_leave_none_behind():
    sim = scree.Simulation()
    for pressure, mass, words in (((1, None, 2), None, "axis y"), ((1, 2, "x"), None, "pressure along z = 'x'"), (1, -1, "mass = -1"), (np.array(np.nan), None, "pressure along x")):
        with pytest.raises(ValueError, match=words):
            sim.triaxial((-1, -1, -1), (1, 1, 1), pressure=pressure, mass=mass)
    with pytest.raises(ValueError, match="servo_wall: mass = -1"):
        sim.servo_wall(scree.box(center=(0, 0, 2), size=(1, 1, 0.1)), (0, 0, -1), force=100.0, mass=-1)
    assert len(sim.bodies) == 0
    sim.servo_wall(scree.box(center=(0, 0, 2), size=(1, 1, 0.1)), (0, 0, -1), pressure=100.0, area=lambda: "x")
    with pytest.raises(ValueError, match=r"servo_wall: area\(\) = 'x': a number is expected"):
        sim.advance(1)


def test_numbers_of_frames_are_checked(tmp_path):
    sim = scree.Simulation(out=str(tmp_path / "out"))
    sim.surface_material(friction=0.5)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(2, 2, 1)))
    sim.rigid(scree.sphere((0, 0, 0.1), 0.1), density=1000)
    sim.run(0.01, output=0.005, quiet=True)
    results = scree.read(sim.out)
    assert len(results.contacts(-1)["gap"]) == 1 and scree.measure.flow_rate(results, (0, 0, 5), (0, 0, 1), frames=[0, -1]).times[-1] == pytest.approx(0.01)
    for call, words in ((lambda: results.contacts(3), "frame 3: the results have 3 frames"), (lambda: results.contacts("x"), "frame = 'x'"),
                        (lambda: scree.measure.flow_rate(results, (0, 0, 0), (0, 0, 1), frames="abc"), "flow_rate: frames = 'abc': a list"),
                        (lambda: scree.measure.flow_rate(results, (0, 0, 0), (0, 0, 1), frames=[0, 9]), "frame 9"),
                        (lambda: scree.measure.force_distribution(results, frames=[9]), "frame 9"), (lambda: scree.measure.force_distribution(results, bins="x"), "bins = 'x'"),
                        (lambda: scree.measure.force_distribution(results, bins=-3), "bins = -3"), (lambda: scree.picture(results.path, size=3), "size = 3: two are expected"),
                        (lambda: scree.measure.to_fields(results, tmp_path / "fields", cells=10**6), "more than 1e+08; take fewer"), (lambda: scree.measure.Grid((0, 0, 0), (1, 1, 1), 3), "grid: cells = 3: a list")):
        with pytest.raises(ValueError) as refused:
            call()
        assert words in str(refused.value)
