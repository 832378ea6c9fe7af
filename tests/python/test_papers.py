"""Experiments of the papers, at sizes that take seconds."""
import json
import pathlib
import re

import numpy as np
import pytest

from scree import bench_paper
from scree.bench_paper import cpg, document, drum, interior_point, krylov, listing, processes, quasi_newton
from scree.bench_paper.experiment import Experiment, Outcome, Settings

ROOT = pathlib.Path(__file__).parents[2]


def value(outcome, method, quantity, problem=None):
    """Our number of the one row that begins so."""
    found = [r["ours"] for r in outcome.rows if r["method"] == method and r["quantity"].startswith(quantity) and problem in (None, r["problem"])]
    assert len(found) == 1, (method, quantity, found)
    return found[0]


# --- command, list and page ---------------------------------------------------------------------------------------------------------

def test_paper_as_a_command(command, tmp_path):
    done = command("bench", "paper", "krylov.table1", "--scale", "0.2", "--json", "out.json", "--write", "docs")
    assert done.status == 0, done.err
    assert "ours" in done.out and "paper" in done.out
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert {r["experiment"] for r in rows} == {"krylov.table1"} and all(r["ours"] is not None for r in rows)
    page = (tmp_path / "docs" / "papers.md").read_text()
    assert page.count("<!-- krylov.table1 -->") == 1 and "short form at scale 0.2" in page
    for name in re.findall(r"\((images/papers/\w+\.png)\)", page):
        assert (tmp_path / "docs" / name).stat().st_size > 5000
    assert command("bench", "paper", "nothing").status == 2
    assert command("bench", "paper").status == 2


def test_a_section_replaces_its_own_and_keeps_the_others(tmp_path):
    def made(name, ours):
        outcome = Outcome()
        outcome.add("1", 7, "M", "iterations", ours, 3)
        return [(Experiment(name, "Title", "Table", "short", "full", "Differs.", None), outcome)]
    order = ("krylov.a", "krylov.b", "cpg.c")
    for name, ours in (("cpg.c", 1), ("krylov.b", 2), ("krylov.a", 4), ("krylov.b", 5)):
        document.write(made(name, ours), Settings(), tmp_path, order)
    page = (tmp_path / "papers.md").read_text()
    assert [page.count(f"| 1 | 7 | M | iterations | {n} | 3 |") for n in (1, 2, 4, 5)] == [1, 0, 1, 1]
    places = [page.index(f"<!-- {name} -->") for name in order]
    assert places == sorted(places) and page.count("## Krylov") == 1


def test_every_item_of_the_papers_is_listed(command):
    items = json.loads(command("bench", "paper", "--list", "--json", "-").out)["items"]
    assert len({item["text"] for item in items}) == 5 and all(item["status"] in listing.STATUSES for item in items)
    named = {}
    for item in items:
        for path in re.findall(r"(?:docs|tests|tools|examples|src)/[\w./]+\.\w+", item["where"]):
            assert (ROOT / path).exists(), path
        for name in re.findall(r"scree bench paper ([\w.]+\w)", item["where"]):
            assert name in bench_paper.NAMES, name
            named.setdefault(name, set()).add(item["status"])
        assert item["status"] == "picture" or item["where"]
    # what can be run is listed, and what was run has its section on the page
    page = (ROOT / "docs" / "papers.md").read_text()
    for name in bench_paper.EXPERIMENTS:
        assert name in named, name
        assert (f"<!-- {name} -->" in page) == (named[name] != {"open"}), name
    for name in re.findall(r"\((images/papers/\w+\.png)\)", page):
        assert (ROOT / "docs" / name).exists(), name


# --- Krylov and spectral methods ----------------------------------------------------------------------------------------------------

def test_jacobi_needs_many_times_the_iterations():
    outcome = krylov.ratio(Settings(scale=0.2), gaps=(3.4e-4,))
    assert value(outcome, "JACOBI / GPMINRES", "iterations") > 4.0    # 43 in the paper, at fifty times the size


def test_one_geometry_under_three_lids():
    outcome = krylov.lid(Settings(scale=0.2))
    contacts = {r["ours"] for r in outcome.rows if r["quantity"] == "contacts"}
    assert len(contacts) == 1
    for name in ("3a", "3b", "3c"):
        assert value(outcome, "GPMINRES", "objective", name) <= value(outcome, "JACOBI", "objective", name)


def test_the_preconditioned_variant_descends_to_the_best():
    problem = krylov.first_problem(Settings(scale=0.02))
    best = krylov.best_objective(problem)
    force, first, _ = krylov._preconditioned(problem, 2)
    force, last, _ = krylov._preconditioned(problem, 30)
    assert best < 0.0 and last < first and (last - best) / abs(best) < 1e-3 and force.min() >= 0.0
    # the error of eq. 24 vanishes at a solution alone
    exact = problem.solve("AUTO", 1e-11, formulation="frictionless")
    rough = krylov.solve(problem, "JACOBI", 5)
    assert krylov.error(exact) < 1e-6 * krylov.error(rough)


def test_piles_are_the_same_every_time_and_refuse_nonsense():
    options = dict(grains=60, vessel_radius=0.5, settling_steps=30, mu=0.3, seed=4)
    first, again = bench_paper.pile(**options), bench_paper.pile(**options)
    assert first.contacts == again.contacts > 60 and np.array_equal(first.B, again.B)
    assert first.body_form and first.solve("AUTO", 1e-8).converged
    released = bench_paper.pile(**options, free_steps=20)
    assert released.contacts != first.contacts     # without its vessel the pile spreads
    disks = bench_paper.pile(grains=80, radius=0.04, planar=True, mu=0.3, vessel_width=1.0, settling_steps=30, spread=0.1)
    sweeps, gradients = disks.solve("GAUSS_SEIDEL", 1e-6, max_iterations=100000), disks.solve("CPG", 1e-6, max_iterations=100000)
    assert gradients.stage == "planar" and gradients.converged and gradients.iterations < sweeps.iterations
    for wrong in ({"vessel_radius": 0.05}, {"graims": 10}, {"free_steps": -1}, {"settling_lid_mass": -1.0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            bench_paper.pile(**{"grains": 10, "vessel_radius": 1.0, **wrong})
    with pytest.raises(ValueError, match="none of 2 x 2 grains of the first lattice"):
        bench_paper.pile(grains=30, vessel_radius=0.233)


# --- quasi-Newton -------------------------------------------------------------------------------------------------------------------

def test_drum_steps_solved_by_both_methods():
    outcome = Outcome()
    drum.bench(outcome, 0.45)    # particles fall onto each other and the drum
    compared = 0
    for scene in drum.TABLE:
        newton, sweeps = (value(outcome, method, "iterations, the same steps", scene) for method in ("NEWTON", "GAUSS_SEIDEL"))
        compared += 1
        assert 0 < newton < sweeps
        assert value(outcome, "GAUSS_SEIDEL / NEWTON", "iterations", scene) == pytest.approx(sweeps / newton)
        assert value(outcome, "NEWTON", "steps not solved", scene) == 0
    assert compared == 4


def test_parameters_of_newton_are_tried_on_the_same_problems():
    found = quasi_newton.problems("rigid", 2, first=0.8)
    assert len(found) == 2 and all(p.guesses for p in found)
    good = quasi_newton.measure(found, 200, **quasi_newton.BASE["rigid"])
    assert good["failed"] == 0 and good["total"] == pytest.approx(2 * good["mean"])
    assert quasi_newton.measure(found, 1, **quasi_newton.BASE["rigid"])["failed"] == 2
    # delta relative to W_ii moves with the masses, an absolute one does not: rough regularisation needs more steps
    rough = quasi_newton.measure(found, 200, **{**quasi_newton.BASE["rigid"], "delta": 10.0})
    assert rough["total"] > good["total"]
    outcome, best = Outcome(), {}
    quasi_newton._add_best(outcome, "rigid", "avg", 5, [((1.0, 0.1, 5), rough), ((0.01, 0.25, 10), good)], best)
    assert best["avg"] == (0.01, 0.25, 10)


# --- interior point -----------------------------------------------------------------------------------------------------------------

def test_nesterov_todd_blocks_map_impulses_to_velocities():
    rng = np.random.default_rng(3)
    def inside(n):
        t = rng.normal(size=(n, 2))
        return np.column_stack([np.linalg.norm(t, axis=1) + rng.uniform(0.01, 1.0, n), t])
    x, y = inside(50), inside(50)
    S = interior_point.scaling_blocks(x, y)
    assert np.allclose(np.einsum("aij,aj->ai", S, x), y, rtol=1e-8, atol=1e-10)
    assert np.allclose(S, np.transpose(S, (0, 2, 1)), rtol=1e-8) and np.linalg.eigvalsh(S).min() > 0.0


def test_scales_and_largest_error_of_a_pile():
    problem = interior_point.dense_pile(40, free_steps=10)
    own, gravity = interior_point.scales(problem, 40)
    assert 0.1 < own / gravity < 100.0
    # the scale is that of the yardstick: times `ccp` it gives the error in N s per root of kg
    R = np.abs(np.random.default_rng(4).normal(size=problem.B.shape)) * 1e-3
    rho = 3.0 / np.trace(problem.diagonal(), axis1=1, axis2=2)
    error = R - interior_point.nearest(R - rho[:, None] * problem.velocity(R), problem.mu)
    assert own * problem.measure(R, "ccp") == pytest.approx(np.sqrt(np.sum(np.sum(error**2, axis=1) / rho)), rel=1e-9)
    rough, good = (problem.solve("JACOBI", tolerance, formulation="convex", max_iterations=10**6) for tolerance in (1e-1, 1e-7))
    assert good.converged and interior_point.largest_error(problem, good) < 1e-3 * interior_point.largest_error(problem, rough)


def test_the_blade_pushes_grains_ahead():
    packing = interior_point.settled_trench(250)
    runs = [interior_point._push(250, packing, 0.05, interior_point.STEP, {"solver": "IPM", "tolerance": tolerance, "max_iterations": 3000}) for tolerance in (1e-3, 1e-5)]
    for found in runs:
        # grains that touch the blade are in front of it, and IPM reaches what is asked for: gaps of the packing are not negative
        assert not found["missed"].any() and found["draft"].min() >= 0.0 and found["draft"].max() > 0.0 and found["fastest"] < 1.0
    rough, good = runs
    assert np.abs(rough["draft"] - good["draft"]).max() < 0.3 * good["draft"].max()
    assert rough["iterations"].sum() < good["iterations"].sum()
    sim, blade = interior_point.with_blade(250, *packing)
    sim.advance(2)
    assert not sim.bodies.angular_velocities[sim.bodies.moving].any()
    assert blade.velocity[0] == interior_point.SPEED


# --- conjugate projected gradients --------------------------------------------------------------------------------------------------

def test_criteria_measure_the_work_of_the_next_change():
    settings = Settings(scale=0.05)
    _, problem = cpg.deposit(settings, 1000, 0.1)
    R = problem.solve("AUTO", 1e-8).R
    still = np.zeros_like(R)
    assert cpg.criteria_of(problem, R, still) == (0.0, 0.0)
    change = np.einsum("aij,aj->ai", problem.diagonal(), 0.01 * R)
    quadratic, mean = cpg.criteria_of(problem, R, change)
    assert mean == pytest.approx(0.01) and quadratic >= mean      # Cauchy and Schwarz
    twice = cpg.criteria_of(problem, 2.0 * R, 2.0 * change)
    assert twice == pytest.approx((quadratic, mean))


def test_a_square_of_disks_carries_the_pressure_it_is_under():
    process = processes.biaxial(36, 0.02)
    process.sim.solver("AUTO", tolerance=1e-6)
    process.sim.advance(200)
    stress, compactness, coordination = (function(process.sim) for function in process.curves.values())
    assert 0.9 < stress < 4.0 and 0.7 < compactness < 0.92 and coordination > 2.0
    assert not process.sim.bodies.positions[process.sim.bodies.moving][1:36, 1].any()


@pytest.mark.parametrize("name", ("drum", "shear", "compaction"))
def test_a_process_with_three_methods(name):
    experiment = bench_paper.EXPERIMENTS["cpg." + name]
    outcome = experiment.run(Settings(scale=0.4))
    steps = {method: value(outcome, method, "iterations a step") for method in cpg.METHODS}
    assert all(n > 0 for n in steps.values())
    assert value(outcome, "GAUSS_SEIDEL / PCPG", "iterations") == pytest.approx(steps["GAUSS_SEIDEL"] / steps["PCPG"])
    assert all(r["note"].endswith(" 0 missed") for r in outcome.rows if r["quantity"] == "iterations a step")
