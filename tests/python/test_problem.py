"""Contact problems from arrays and files, and `scree solve`."""
import json
import time

import numpy as np
import pytest

import scree
from conftest import DATA
from scree import bench_paper


def pushing(mu=0.5):
    """One contact pressed together at 1 m/s while sliding at 2 m/s, W = identity: R_N = 1 + ..., slip."""
    return scree.Problem.from_arrays(np.eye(3), [-1.0, 2.0, 0.0], [mu])


def two_contacts():
    random = np.random.RandomState(0)
    H = random.normal(size=(6, 6))
    return scree.Problem.from_arrays(H @ H.T, random.normal(size=6), [0.3, 0.6])


def test_one_contact_has_the_known_answer():
    # R_N = 1 stops the approach; friction can take mu R_N = 0.5 of the 2 m/s.
    solution = pushing().solve("GAUSS_SEIDEL", tolerance=1e-12)
    assert solution.converged
    assert np.allclose(solution.R, [[1.0, -0.5, 0.0]], atol=1e-10)
    assert np.allclose(solution.U, [[0.0, 1.5, 0.0]], atol=1e-10)


@pytest.mark.parametrize("name", [entry["name"] for entry in scree.solvers() if entry["problems"]])
def test_every_solver_takes_a_small_problem(name):
    problem = two_contacts()
    solution = problem.solve(name, tolerance=1e-6, max_iterations=100000, max_seconds=5)
    assert solution.status in ("converged", "max_iterations", "max_seconds", "diverged")
    assert np.isfinite(solution.R).all() and solution.residual == pytest.approx(problem.measure(solution.R), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", [entry["name"] for entry in scree.solvers() if entry["problems"]])
def test_every_solver_takes_nothing(name):
    empty = scree.Problem.from_arrays(np.zeros((0, 0)), [], [])
    assert empty.solve(name).converged


def test_limits_are_statuses():
    solution = two_contacts().solve("JACOBI", tolerance=1e-14, max_iterations=1)
    assert solution.status == "max_iterations" and not solution.converged


def test_options_are_checked():
    with pytest.raises(ValueError, match="unknown option"):
        pushing().solve("GAUSS_SEIDEL", no_such_option=1)
    with pytest.raises(ValueError, match="GAUSS_SEIDEL"):
        pushing().solve("GAUS_SEIDEL")
    with pytest.raises(ValueError, match="guess|numbers"):
        pushing().solve("GAUSS_SEIDEL", guess=[0.0])


def test_history_is_kept_when_asked_for():
    assert len(two_contacts().solve("JACOBI", history=True, tolerance=1e-6).history) > 1


def test_files_keep_problem_and_solution(tmp_path):
    problem = two_contacts()
    solution = problem.solve("GAUSS_SEIDEL", tolerance=1e-10)
    path = tmp_path / "problem.hdf5"
    problem.write(path, solution)
    again = scree.Problem(path)
    assert np.array_equal(again.B, problem.B) and np.array_equal(again.mu, problem.mu) and again.name == "problem"
    R, U = again.solution
    assert np.array_equal(R, solution.R) and np.array_equal(U, solution.U)
    assert again.measure(R) == pytest.approx(solution.residual, rel=1e-6)


def test_exported_step_is_solved_again(tmp_path):
    sim = scree.Simulation()
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    for k in range(3):
        sim.rigid(scree.box(center=(0, 0, 0.5 + k)), density=1000)
    sim.advance(3)
    path = tmp_path / "step.hdf5"
    sim.export_problem(path)
    problem = scree.Problem(path)
    assert problem.contacts == len(sim.contacts["gap"])
    assert problem.solve("GAUSS_SEIDEL", tolerance=1e-8).converged
    assert problem.measure(problem.solution[0]) <= 1e-7


def pile_of_boxes():
    sim = scree.Simulation()
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    for k in range(3):
        sim.rigid(scree.box(center=(0.1 * k, 0, 0.5 + k)), density=1000, velocity=(0.2, 0, 0))
    return sim


def test_global_form_of_a_step_has_true_masses_and_velocities(tmp_path):
    sim = pile_of_boxes()
    body = sim.rigid(scree.sphere(center=(3, 0, 1), radius=0.2), density=500)
    sim.fix_point(body, (3, 0, 1))
    sim.advance(3)
    for form in ("local", "global"):
        sim.export_problem(tmp_path / f"{form}.hdf5", form=form)
    local, world = scree.Problem(tmp_path / "local.hdf5"), scree.Problem(tmp_path / "global.hdf5")
    assert (local.form, world.form) == ("local", "global") and world.body_form and not local.body_form
    # Condensing M and H again costs some round-offs.
    assert np.allclose(world.B, local.B, rtol=0, atol=1e-13 * np.abs(local.B).max())
    assert np.allclose(world.diagonal(), local.diagonal(), rtol=1e-12, atol=1e-18)
    assert np.array_equal(world.solution[0], local.solution[0]) and np.array_equal(world.guesses[0], local.guesses[0])
    # The file's v are velocities at the end of the step, world axes; its M has the masses.
    v = world._native.solution_v.reshape(-1, 6)
    moving = sim.bodies.moving
    assert np.allclose(v[:, :3], sim.bodies.velocities[moving], atol=1e-12) and np.allclose(v[:, 3:], sim.bodies.angular_velocities[moving], atol=1e-12)
    import h5py
    with h5py.File(tmp_path / "global.hdf5") as file:
        M = file["fclib_global/M"]
        diagonal = {int(r): x for r, (a, b) in enumerate(zip(M["p"][:-1], M["p"][1:])) for c, x in zip(M["i"][a:b], M["x"][a:b]) if c == r}
    assert np.allclose([diagonal[6 * k] for k in range(4)], sim.bodies.masses[moving])
    assert world.solve(tolerance=1e-10).converged


def test_every_step_of_a_run_becomes_a_file(tmp_path):
    sim = pile_of_boxes()
    sim.export_problems(tmp_path / "steps", interval=2e-3)
    sim.run(0.01, quiet=True)
    names = sorted(p.name for p in (tmp_path / "steps").iterdir())
    assert names == [f"step_{k:06d}.hdf5" for k in (1, 2, 4, 6, 8, 10)]
    for name in names:
        problem = scree.Problem(tmp_path / "steps" / name)
        assert problem.measure(problem.solution[0]) <= 1e-7
        # The guess is what the solver began with: nothing in the first step, the impulses of the step before later.
        assert problem.guesses[0].any() == (name != names[0])


def test_frames_of_deformable_bodies_give_the_problem_of_the_next_step(tmp_path):
    sim = scree.Simulation(out=tmp_path / "out")
    sim.surface_material(friction=0.3)
    material = sim.bulk_material(young=1e6, poisson=0.25, density=1000)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    sim.pseudo_rigid(scree.box(center=(0, 0, 0.5)), material=material, velocity=(0.1, 0, -0.2))
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])
    sim.finite_element(scree.hex(0.5 * corners + (1, 0, 0), cells=(2, 2, 2)), material=material)
    sim.export_problems(tmp_path / "steps")
    sim.run(0.03, output=0.01, quiet=True)
    scree.export(tmp_path / "out", "fclib", target=tmp_path / "frame.hdf5", frame=2)
    frame, step = scree.Problem(tmp_path / "frame.hdf5"), scree.Problem(tmp_path / "steps" / "step_000021.hdf5")
    # Results keep states to the bit; all that a frame lacks is the warm start.
    assert np.array_equal(frame.B, step.B) and np.array_equal(frame.diagonal(), step.diagonal()) and np.array_equal(frame.mu, step.mu)
    sim.export_problem(tmp_path / "global.hdf5", form="global")
    assert scree.Problem(tmp_path / "global.hdf5").solve(tolerance=1e-9).converged


def test_cohesion_is_in_the_problem_not_in_its_solution(tmp_path):
    sim = scree.Simulation()
    sim.surface_material(friction=0.3, cohesion=1e5)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    sim.rigid(scree.box(center=(0, 0, 0.5)), density=1000)
    sim.advance(2)
    problem = sim.problem()
    assert problem.measure(problem.solution[0]) <= 1e-7


def test_planar_problems_are_written_with_two_components(tmp_path):
    random = np.random.RandomState(4)
    H = random.normal(size=(8, 12))
    W, B = H @ H.T, random.normal(size=8)
    problem = scree.Problem.from_arrays(W, B, [0.1, 0.3, 0.5, 0.2], dimension=2)
    solution = problem.solve(tolerance=1e-10)
    assert solution.converged and not solution.R[:, 2].any()
    problem.write(tmp_path / "plane.hdf5", solution, guesses=[np.ones((4, 3)) * (1, 1, 0)])
    again = scree.Problem(tmp_path / "plane.hdf5")
    assert again.dimension == 2 and np.array_equal(again.B, problem.B) and np.array_equal(again.solution[0], solution.R)
    assert np.array_equal(again.guesses[0], np.ones((4, 3)) * (1, 1, 0)) and np.array_equal(again.diagonal(), problem.diagonal())
    disks = bench_paper.pile(grains=30, radius=0.04, planar=True, mu=0.3, vessel_width=0.6, settling_steps=20, spread=0.1)
    for form in ("local", "global"):
        disks.write(tmp_path / "disks.hdf5", form=form)
        again = scree.Problem(tmp_path / "disks.hdf5")
        assert again.form == form and again.dimension == 2 and again.body_form == (form == "global")
        assert np.allclose(again.solve(tolerance=1e-10).U[:, :2], disks.solve(tolerance=1e-10).U[:, :2], atol=1e-8)
    with pytest.raises(ValueError, match="body form"):
        problem.write(tmp_path / "no.hdf5", form="global")


def test_nothing_to_export_is_said():
    with pytest.raises(ValueError, match="no contacts"):
        scree.Simulation().export_problem("nothing.hdf5")


# --- the command --------------------------------------------------------------------------------------------------

KEYS = {"problem", "contacts", "solver", "status", "iterations", "residual", "merit", "siconos", "seconds", "threads"}


@pytest.fixture
def file(tmp_path):
    two_contacts().write(tmp_path / "small.hdf5")
    return tmp_path / "small.hdf5"


def test_solve_writes_global_problems_as_such(command, tmp_path):
    sim = pile_of_boxes()
    sim.advance(2)
    sim.export_problem(tmp_path / "g.hdf5", form="global")
    assert command("solve", "g.hdf5", "--tol", "1e-10", "--write", "out.hdf5").status == 0
    given, written = scree.Problem(tmp_path / "g.hdf5"), scree.Problem(tmp_path / "out.hdf5")
    assert written.form == "global" and written.body_form and np.array_equal(written.B, given.B)
    assert np.array_equal(written.guesses[0], given.guesses[0]) and written.measure(written.solution[0]) <= 1e-10
    assert written._native.solution_v.size == 18
    # Its own solution needs no iterations; the number of guesses is checked.
    done = command("solve", "out.hdf5", "--tol", "1e-9", "--guess", "0", "--solver", "GAUSS_SEIDEL", "--json")
    assert done.status == 0 and json.loads(done.out)["iterations"] == 0
    done = command("solve", "out.hdf5", "--guess", "2")
    assert done.status == 2 and "1 guesses and a solution" in done.err


def test_solve_prints_one_object(command, file):
    done = command("solve", file, "--json", "--solver", "GAUSS_SEIDEL", "--tol", "1e-9", "--threads", "1")
    assert done.status == 0, done.err
    report = json.loads(done.out)
    assert KEYS <= set(report)
    assert report["status"] == "converged" and report["residual"] <= 1e-9 and report["threads"] == 1 and report["contacts"] == 2


def test_solve_for_people(command, file):
    done = command("solve", file, "--solver", "GAUSS_SEIDEL")
    assert done.status == 0 and "converged" in done.out and "residual" in done.out


def test_solve_writes_the_solution(command, file, tmp_path):
    assert command("solve", file, "--solver", "GAUSS_SEIDEL", "--write", "out.hdf5", "--json").status == 0
    problem = scree.Problem(tmp_path / "out.hdf5")
    assert problem.measure(problem.solution[0]) <= 1e-8


def test_missing_the_tolerance_is_status_one(command, file):
    done = command("solve", file, "--solver", "JACOBI", "--tol", "1e-14", "--max-iterations", "1", "--json")
    assert done.status == 1 and json.loads(done.out)["status"] == "max_iterations" and "JACOBI" in done.err


@pytest.mark.parametrize("yardstick", ["residual", "merit", "siconos"])
def test_yardsticks(command, file, yardstick):
    done = command("solve", file, "--solver", "GAUSS_SEIDEL", "--yardstick", yardstick, "--tol", "1e-6", "--json")
    assert done.status == 0 and json.loads(done.out)[yardstick] <= 1e-6


def test_bad_files_are_refused_at_once(command, tmp_path):
    (tmp_path / "text.hdf5").write_text("this is not HDF5")
    (tmp_path / "empty.hdf5").write_bytes(b"")
    two_contacts().write(tmp_path / "good.hdf5")
    (tmp_path / "cut.hdf5").write_bytes((tmp_path / "good.hdf5").read_bytes()[:700])
    for name in ("missing.hdf5", "text.hdf5", "empty.hdf5", "cut.hdf5"):
        begun = time.perf_counter()
        done = command("solve", name, "--json")
        assert done.status == 2 and name in done.err and done.out == "" and "Traceback" not in done.err
        assert time.perf_counter() - begun < 10  # a second on a quiet machine; starting Python dominates


@pytest.mark.parametrize("args", [("--solver", "NOPE"), ("--tol", "0"), ("--tol", "x"), ("--yardstick", "nope"), ("--threads", "0"),
                                  ("--max-seconds", "-1"), ("--nope",), ("--option", "x"), ("--option", "no_such=1")])
def test_bad_usage_is_status_two(command, file, args):
    done = command("solve", file, *args)
    assert done.status == 2 and done.err and "Traceback" not in done.err


def real(name):
    """A file from outside, beside generated ones: [] where such files are not kept."""
    path = DATA / "fc3d" / "local" / f"{name}.hdf5"
    return [path] if path.exists() else []


@pytest.mark.parametrize("path", [None, *real("Capsules-i101-404")], ids=str)
def test_a_file_of_many_contacts(command, tmp_path, path):
    if path is None:
        path = tmp_path / "packing.hdf5"
        scree.Problem.packing(4, 4).write(path)
    done = command("solve", path, "--json", "--tol", "1e-4", "--solver", "GAUSS_SEIDEL", "--max-iterations", "100000")
    assert done.status == 0 and json.loads(done.out)["contacts"] == scree.Problem(path).contacts > 200


def test_formulations_on_the_command_line(command, tmp_path):
    two_contacts().write(tmp_path / "p.hdf5")
    done = command("solve", "p.hdf5", "--formulation", "convex", "--json")
    report = json.loads(done.out)
    assert done.status == 0 and report["formulation"] == "convex" and report["ccp"] <= 1e-8 < report["residual"]
    refused = command("solve", "p.hdf5", "--solver", "CPG", "--formulation", "convex")
    assert refused.status == 2 and "coulomb" in refused.err
    explicit = command("solve", "p.hdf5", "--solver", "EXPLICIT")
    assert explicit.status == 2 and "simulations" in explicit.err
    assert "spring-dashpot" in command("solvers", "EXPLICIT").out


@pytest.mark.parametrize("path", [None, *real("Rover1040"), *real("NESpheres_10_1"), *real("LMGC_GlobalFrictionContactProblem00046"),
                                  *real("Confeti-ex03-Fc3D-SBM"), *real("Box_Stacks-i0122-82-5")], ids=str)
def test_all_solvers_find_the_same_velocity(path):
    problem = scree.Problem(path) if path else two_contacts()
    scale = np.sqrt(3 / np.trace(problem.diagonal(), axis1=1, axis2=2))[:, None]
    exact = problem.solve("AUTO", 1e-13, max_iterations=10**6)
    for entry in scree.solvers():
        if not entry["problems"]:
            continue
        solution = problem.solve(entry["name"], 1e-8, max_iterations=10**6, max_seconds=5)
        assert solution.converged and solution.residual <= 1e-8, entry["name"]
        # U is unique; the residual of 1e-8 is amplified by the root of the condition number of W, at most 1e3 here.
        error = np.linalg.norm(scale * (solution.U - exact.U)) / np.linalg.norm(scale * problem.B)
        assert error < 1e-5, (entry["name"], error)


@pytest.mark.parametrize("path", [None, *real("RockPile_tob1")], ids=str)
def test_auto_goes_far_with_default_limits(path):
    problem = scree.Problem(path) if path else scree.Problem.packing(6, 6)
    solution = problem.solve(tolerance=1e-12)
    assert solution.converged and problem.measure(solution.R) <= 1e-12


def test_a_failed_step_leaves_its_contacts_and_says_that_the_problem_is_gone():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.4)
    sim.obstacle(scree.box(low=(-1, -1, -1), high=(1, 1, 0)))
    for k in range(4):
        sim.rigid(scree.box(center=(0, 0, 0.05 + 0.1 * k), size=(0.1, 0.1, 0.1)), density=1000)
    sim.advance(2)
    blocks, contacts, state = sim.problem().blocks, sim.contacts, sim.hash()
    assert blocks > 0
    sim.gravity = (3.0, 0.0, -9.81)
    sim.solver("GAUSS_SEIDEL", tolerance=1e-14, max_iterations=1, failure="raise")
    with pytest.raises(RuntimeError):
        sim.advance(1)
    assert sim.hash() == state and all(np.array_equal(sim.contacts[name], contacts[name]) for name in contacts)
    with pytest.raises(ValueError, match="the last one failed"):
        sim.problem()
    sim.solver("AUTO")
    sim.advance(1)
    assert sim.problem().blocks == blocks
