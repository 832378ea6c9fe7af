"""Benchmarks as commands: scenes and solvers."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import scree
from scree import bench_agreement, bench_solvers, scenes, siconos_peer
from scree.peers import solfec as solfec_peer

ROOT = pathlib.Path(__file__).parents[2]
SCENE_KEYS = {"scene", "steps", "bodies", "threads", "contacts_mean", "ms_per_step", "stages", "residual_max", "penetration_max",
              "penetration_mean", "kinetic_energy", "hash"}


def bench_scene(command, *args):
    done = command("bench", "scene", *args, "--json", "-")
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_scene_json_has_every_key_and_one_hash_for_any_threads(command):
    reports = [bench_scene(command, "pile", "--steps", "60", "--threads", str(n)) for n in (1, 2)]
    assert SCENE_KEYS <= set(reports[0]) and ("sweeps_mean" in reports[0] or "iterations_mean" in reports[0])
    assert set(reports[0]["stages"]) == {"integrate", "detect", "assemble", "solve"}
    assert [r["threads"] for r in reports] == [1, 2] and reports[0]["hash"] == reports[1]["hash"]
    assert reports[0]["steps"] == 60 and reports[0]["residual_max"] <= 1e-8


def test_scene_for_people_and_to_a_file(command, tmp_path):
    done = command("bench", "scene", "dominoes", "--steps", "5", "--json", "out.json")
    assert done.status == 0 and "ms a step" in done.out
    assert json.loads((tmp_path / "out.json").read_text())["scene"] == "dominoes"


def test_hulls_touch_where_neighbours_overlap_and_stay(command):
    reports = [bench_scene(command, "hulls_30", "--steps", "2", "--threads", str(n)) for n in (1, 2)]
    assert reports[0]["hash"] == reports[1]["hash"] and reports[0]["kinetic_energy"] == 0.0
    assert reports[0]["contacts_mean"] > 100 and 0.02 < reports[0]["penetration_max"] < 0.1
    assert reports[0]["cpu_ms_per_step"] > 0


def test_another_engine_in_the_same_run(command):
    refused = command("bench", "scene", "wall", "--steps", "1", "--against")
    assert refused.status != 0 and "no other engine has a driver for scene 'wall'" in refused.err
    if shutil.which("g++") and os.path.exists("/usr/include/ode/ode.h"):
        report = bench_scene(command, "column_1k", "--steps", "2", "--warmup", "0", "--against")
        assert report["peer"]["name"] == "ODE" and report["peer"]["cpu_ms"] > 0
    else:
        refused = command("bench", "scene", "column_1k", "--steps", "1", "--warmup", "0", "--against")
        assert refused.status != 0 and "install the Debian package" in refused.err


@pytest.mark.parametrize("name,bound", [("wall", 1e-9), ("heavy_on_light", 1e-9)])
def test_stacks_do_not_move(command, name, bound):
    report = bench_scene(command, name, "--steps", "30", "--tol", "1e-8")
    assert report["drift_max"] < bound and report["penetration_max"] < bound


def test_column_with_its_own_start_and_a_given_one(command, tmp_path):
    report = bench_scene(command, "column_1k", "--steps", "2", "--warmup", "3", "--solver", "GAUSS_SEIDEL", "--max-iterations", "50")
    assert report["bodies"] == 1005 and report["warmup"] == 3
    rows = np.hstack([scenes.column_positions(1000, 10), np.tile([1.0, 0, 0, 0], (1000, 1)), np.zeros((1000, 6))])
    np.savetxt(tmp_path / "state.csv", rows, delimiter=",", header="x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", comments="")
    again = bench_scene(command, "column_1k", "--steps", "5", "--solver", "GAUSS_SEIDEL", "--max-iterations", "50", "--state", "state.csv")
    assert again["warmup"] == 0 and again["steps"] == 5
    (tmp_path / "bad.csv").write_text("x,y,z\n1,2,3\n")
    assert command("bench", "scene", "column_1k", "--state", "bad.csv").status == 2


def test_every_scene_steps():
    for name in scenes.names():
        if name.startswith(("column", "elastic_block")):
            continue
        scene = scenes.make(name)
        scene.sim.run(3 * scene.sim.step, quiet=True)
        assert scene.sim.steps == 3 and np.isfinite(scene.sim.bodies.positions).all()


def test_drum_inserts_and_turns_as_described():
    scene = scenes.make("drum")
    scene.sim.run(0.002, quiet=True)
    assert scene.sim.bodies.moving.sum() == 96
    radii = scenes._drum_radii(100)
    assert np.allclose(radii, 0.1 * np.array([0.9, 0.5, 1.0]))
    assert len(list(scenes.drum_lattice(radii))) == 96
    assert len(list(scenes.drum_lattice(np.full(3, radii.mean())))) >= 81


def fake_solfec(tmp_path, code):
    """A program that stands for Solfec's: it gets the path of an input file."""
    program = tmp_path / "solfec"
    program.write_text(f"#!{sys.executable}\nimport sys\n{code}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("name,solver", [("drum", "AUTO"), ("drum_spheres", "GAUSS_SEIDEL"), ("drum_pseudo_rigid", "NEWTON"), ("cubes_2", "AUTO"), ("cubes_2_rigid", "GAUSS_SEIDEL")])
def test_scenes_for_solfec_are_our_scenes(command, tmp_path, name, solver):
    # The input file, read by Scree itself, makes the bodies of the scene: numbers, masses and places after some steps of free fall.
    (tmp_path / "scene.py").write_text(solfec_peer.script(name, 4, solver, 1e-8) + "\nimport numpy\nnumpy.save ('places.npy', solfec.simulation.bodies.positions)\n")
    done = command("run", "scene.py")
    assert done.status == 0, done.err
    figures = json.loads(next(line for line in done.out.splitlines() if line.startswith(solfec_peer.MARK))[len(solfec_peer.MARK):])
    scene = scenes.make(name)
    scene.sim.run(4 * scene.sim.step, quiet=True)
    assert figures["bodies"] == len(scene.sim.bodies)
    assert figures["cpu_ms"] > 0
    ours, theirs = scene.sim.bodies.positions, np.load(tmp_path / "places.npy")
    assert np.allclose(np.sort(ours, axis=0), np.sort(theirs, axis=0), atol=1e-9)


def test_a_scene_is_timed_beside_solfec(command, tmp_path):
    program = fake_solfec(tmp_path, "text = open(sys.argv[1]).read()\nassert 'GAUSS_SEIDEL_SOLVER (1.0, 1000, 1e-06)' in text and 'RUN (solfec, solver, 3 * 0.0005)' in text\n"
                                    f"print('{solfec_peer.MARK} {{\"cpu_ms\": 12.5, \"contacts\": 7, \"bodies\": 14}}')")
    arguments = ("bench", "scene", "cubes_2_rigid", "--steps", "3", "--solver", "GAUSS_SEIDEL", "--yardstick", "merit", "--tol", "1e-6", "--solfec", program)
    done = command(*arguments, "--json", "-")
    assert done.status == 0, done.err
    assert json.loads(done.out)["peer"] == {"name": "Solfec's GAUSS_SEIDEL", "cpu_ms": 12.5, "contacts": 7, "bodies": 14}
    assert "Solfec's GAUSS_SEIDEL from the same start: 12.5 ms" in command(*arguments).out


def test_solfec_that_cannot_run_says_why(command, tmp_path):
    scene = ("bench", "scene", "cubes_2_rigid", "--steps", "1", "--solfec")
    for arguments, words in (((*scene, "nowhere"), "is not a program"), ((*scene, fake_solfec(tmp_path, "sys.exit('no licence')")), "no licence"),
                             (("bench", "scene", "wall", "--steps", "1", "--solfec", tmp_path / "solfec"), "scene 'wall' has no input file for Solfec"),
                             ((*scene, tmp_path / "solfec", "--warmup", "2"), "leave out --warmup")):
        done = command(*arguments)
        assert done.status == 2 and words in done.err, done.err


# --- solvers ------------------------------------------------------------------------------------------------------

@pytest.fixture
def folder(tmp_path):
    random = np.random.RandomState(2)
    for k in range(3):
        n = 4 + 3 * k
        H = random.normal(size=(3 * n, 4 * n))
        scree.Problem.from_arrays(H @ H.T, random.normal(size=3 * n), random.uniform(0.1, 0.8, n)).write(tmp_path / f"p{k}.hdf5")
    return tmp_path


def test_bench_solvers(command, folder):
    done = command("bench", "solvers", folder, "--solvers", "GAUSS_SEIDEL,JACOBI", "--tol", "1e-3,1e-6", "--cap", "2", "--json", "out.json",
                   "--plot", "profile.png", "--histories", "histories.png")
    assert done.status == 0, done.err
    assert "milliseconds to" in done.out
    report = json.loads((folder / "out.json").read_text())
    records = report["records"]
    assert {r["solver"] for r in records} == {"GAUSS_SEIDEL", "JACOBI"} and {r["problem"] for r in records} == {"p0", "p1", "p2"}
    assert all(r["residual"] <= r["tolerance"] for r in records if r["solved"])
    assert (folder / "profile.png").read_bytes().startswith(b"\x89PNG") and (folder / "histories.png").exists()
    done = command("bench", "solvers", folder / "p0.hdf5", "--solvers", "GAUSS_SEIDEL", "--tol", "1e-6", "--json", "-")
    assert json.loads(done.out)["summary"][0]["solved"] == 1


def test_velocities_of_converged_solvers_are_compared(command, folder):
    done = command("bench", "solvers", folder, "--solvers", "GAUSS_SEIDEL,APGD,SEMISMOOTH_NEWTON", "--tol", "1e-4,1e-9", "--json", "out.json")
    assert done.status == 0 and "largest difference of velocities" in done.out and "several solutions: none" in done.out
    agreement = json.loads((folder / "out.json").read_text())["agreement"]
    assert len(agreement) == 6 and all(r["solvers"] == 3 and len(r["between"]) == 2 for r in agreement)
    # Conditions of these random W are below 100.
    assert all(0.0 < r["difference"] < 100 * r["tolerance"] for r in agreement)


def test_several_coulomb_solutions_are_told_from_inaccurate_ones():
    # One contact whose slip lifts it off: R = 0 and sticking are both solutions (W couples tangent and normal, friction is large).
    W = np.array([[1.0, -0.9, 0.0], [-0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    problem = scree.Problem.from_arrays(W, [0.1, -1.0, 0.0], [3.0])
    free, stuck = problem.solve(guess=np.zeros((1, 3))), problem.solve("GAUSS_SEIDEL", guess=-np.linalg.solve(W, [0.1, -1.0, 0.0]))
    assert free.converged and stuck.converged
    record = bench_agreement.compare("jam", problem, 1e-8, {"A": free, "B": stuck})
    assert record["several"] and record["groups"] == [["A"], ["B"]] and record["polished_residual"] < 1e-11
    near = problem.solve(guess=np.zeros((1, 3)))
    near.U = near.U + 1e-6
    record = bench_agreement.compare("jam", problem, 1e-8, {"A": free, "B": near})
    assert not record["several"] and record["difference"] > 1e-7


def test_profile_follows_its_definition():
    def record(problem, solver, seconds, solved=True):
        return {"problem": problem, "solver": solver, "tolerance": 1e-4, "seconds": seconds, "solved": solved}
    curves = bench_solvers.profile([record("p", "A", 1.0), record("p", "B", 2.0), record("q", "A", 3.0), record("q", "B", 9.0, False)], 1e-4)
    assert curves["A"][0].tolist() == [1.0, 1.0] and curves["A"][1].tolist() == [0.5, 1.0]
    assert curves["B"][0].tolist() == [2.0] and curves["B"][1].tolist() == [0.5]


def test_peer_that_is_missing_is_named(command, folder, tmp_path):
    # A package that cannot be imported stands before the peer's own, where that is installed.
    (tmp_path / "absent" / "siconos").mkdir(parents=True)
    (tmp_path / "absent" / "siconos" / "__init__.py").write_text("raise ImportError('absent')")
    done = command("bench", "solvers", folder, "--solvers", "GAUSS_SEIDEL", "--tol", "1e-3", "--against", "siconos",
                   env={"PYTHONPATH": str(tmp_path / "absent")})
    assert done.status == 2 and "python3-siconos" in done.err


@pytest.mark.skipif(siconos_peer.available() is None, reason="siconos is not installed")
def test_against_siconos(command, folder):
    done = command("bench", "solvers", folder, "--solvers", "GAUSS_SEIDEL", "--tol", "1e-4", "--against", "siconos", "--peer-solvers", "NSGS,NSN_AC",
                   "--cap", "5", "--json", "-")
    assert done.status == 0, done.err
    records = [r for r in json.loads(done.out)["records"] if r["solver"].startswith("siconos:")]
    assert len(records) == 6 and any(r["solved"] for r in records)
    assert all(r["residual"] <= 1e-4 for r in records if r["solved"])


def test_files_of_the_same_name_keep_their_folder(tmp_path):
    files = [str(tmp_path / "local" / "a.hdf5"), str(tmp_path / "global" / "a.hdf5"), str(tmp_path / "b.hdf5")]
    assert bench_solvers.labels(files) == ["local/a", "global/a", "b"]


def test_comparison_counts_small_problems_as_slower_but_not_in_the_means():
    def record(problem, contacts, solver, seconds):
        return {"problem": problem, "contacts": contacts, "solver": solver, "tolerance": 1e-8, "seconds": seconds, "solved": True}
    row, = bench_solvers.comparison([record("large", 50, "AUTO", 1.0), record("large", 50, "peer:A", 4.0), record("large", 50, "peer:B", 9.0),
                                     record("tiny", 1, "AUTO", 2.0), record("tiny", 1, "peer:A", 1.0)])
    assert row["problems"] == 1 and row["best_single"] == "peer:A" and row["over_best_of_all"] == pytest.approx(4.0)
    assert row["slower_on"] == ["tiny"]


def test_a_solve_on_many_ranks_is_counted_and_priced(command):
    out = command("bench", "scale", "static", "--across", "4", "--up", "4", "--ranks", "1,3", "--threads", "1,4", "--tol", "1e-3", "--json", "-").out
    rows = {(row["solver"], row["ranks"]): row for row in json.loads(out)["rows"]}
    assert set(rows) == {(solver, count) for solver in ("NEWTON", "GAUSS_SEIDEL") for count in (1, 3)}
    for (solver, count), row in rows.items():
        assert row["status"] == "converged" and row["residual"] <= 1e-3 and row["product_rounds"] == 1
        assert (row["bytes"] > 0) == (count > 1) and (row["imbalance"] == 1) == (count == 1)
        m = row["modelled"]["1"]
        assert m["seconds"] == pytest.approx(m["compute"] + m["rounds"] + m["bytes"] + m["reductions"])
        assert row["modelled"]["4"]["compute"] == pytest.approx(m["compute"] / 3.2)
    sweeps = rows["GAUSS_SEIDEL", 3]
    assert sweeps["rounds"] <= 1.3 * sweeps["products"] + 5  # one exchange a sweep, and those that measure
    assert "modelled with" in command("bench", "scale", "static", "--across", "3", "--up", "3", "--ranks", "2", "--solvers", "SPG", "--tol", "1e-2").out
    assert command("bench", "scale", "static", "--solvers", "AUTO").status == 2
    # The drum of the quasi-Newton report with another number of particles, which all touch where they appear.
    rows = json.loads(command("bench", "scale", "drum", "--particles", "150", "--warmup", "4", "--ranks", "2", "--solvers", "GAUSS_SEIDEL", "--json", "-").out)["rows"]
    assert rows[0]["bodies"] == 150
    done = command("bench", "scale", "wall", "--particles", "150")
    assert done.status == 2 and "particles = 150" in done.err
