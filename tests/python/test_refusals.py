"""Files made to harm and calls that were not meant: words, and not what is inside."""
import base64
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
    block = zlib.compress(bytes(4 << 20), 9)
    packed = base64.b64encode(struct.pack("<4I", 1, 4 << 20, 0, len(block))).decode() + base64.b64encode(block).decode()
    array = '<DataArray type="{}" Name="{}" format="appended" offset="0"/>'
    piece = ('<Piece NumberOfPoints="8" NumberOfCells="1"><Points>' + array.format("Float64", "Points") + "</Points><Cells>" + array.format("Int8", "connectivity") +
             array.format("Int8", "offsets") + array.format("Int8", "types") + "</Cells></Piece>")
    path = tmp_path / "bomb.vtu"
    path.write_text('<?xml version="1.0"?><VTKFile type="UnstructuredGrid" byte_order="LittleEndian" compressor="vtkZLibDataCompressor"><UnstructuredGrid>' + 40 * piece +
                    f'</UnstructuredGrid><AppendedData encoding="base64">_{packed}</AppendedData></VTKFile>')
    code = f"import resource, scree; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); scree.read_mesh({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1"})
    assert "OSError" in done.stderr and "bomb.vtu: " in done.stderr and "MemoryError" not in done.stderr, done.stderr


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


@pytest.mark.parametrize("ending", ["png", "gif"])
def test_pictures_that_do_not_fit_are_named(tmp_path, ending):
    sim = scree.Simulation(step=1e-3, out=str(tmp_path / "out"))
    sim.rigid(scree.sphere(), density=1000)
    sim.run(2e-3, output=1e-3, quiet=True)
    code = f"""
import resource, signal, scree
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    scree.render("out", "picture.{ending}")
except OSError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.stdout == f"picture.{ending}: cannot write there: File too large\n", done.stderr
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
