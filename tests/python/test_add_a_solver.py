"""The tutorial that adds a solver: its script runs as a plugin, its C++ is the one that is compiled and tested."""
import json
import pathlib
import re

import numpy as np
import pytest

import scree
from scree import problem as problems

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tutorials" / "add_a_solver.md").read_text()


def block(language):
    return re.search(rf"```{language}\n(.*?)```", PAGE, re.S).group(1)


@pytest.fixture
def plugin(tmp_path):
    (tmp_path / "my_solver.py").write_text(block("python"))
    random = np.random.RandomState(3)
    H = random.normal(size=(12, 16))
    scree.Problem.from_arrays(H @ H.T, random.normal(size=12), [0.3, 0.6, 0.4, 0.0]).write(tmp_path / "p.hdf5")
    yield tmp_path
    problems._added.clear()


def test_the_script_of_the_tutorial_joins_the_profile(command, plugin):
    done = command("bench", "solvers", "p.hdf5", "--plugin", "my_solver.py", "--solvers", "PLAIN_STEPS,JACOBI", "--tol", "1e-6", "--plot", "profile.png",
                   "--histories", "histories.png", "--json", "out.json")
    assert done.status == 0, done.err
    records = {r["solver"]: r for r in json.loads((plugin / "out.json").read_text())["records"]}
    assert records["PLAIN_STEPS"]["solved"] and records["PLAIN_STEPS"]["residual"] <= 1e-6
    assert (plugin / "profile.png").exists() and (plugin / "histories.png").exists()
    done = command("solve", "p.hdf5", "--plugin", "my_solver.py", "--solver", "PLAIN_STEPS", "--option", "omega=0.2", "--tol", "1e-6", "--json")
    assert done.status == 0 and json.loads(done.out)["status"] == "converged"
    assert command("solve", "p.hdf5", "--plugin", "nowhere.py").status != 0


def test_added_solvers_keep_limits_and_the_best_iterate(plugin):
    problem = scree.Problem(plugin / "p.hdf5")

    def wild(problem, watch, R):
        while not watch.finished(R):
            R = R + np.inf

    scree.add_solver("WILD", wild)
    solution = problem.solve("WILD", 1e-8, max_iterations=5)
    assert solution.status == "max_iterations" and solution.iterations == 5 and np.isfinite(solution.R).all()
    exact = problem.solve("AUTO", 1e-12)
    assert np.allclose(exact.U, problem.velocity(exact.R), atol=1e-12)
    assert problem.solve("WILD", 1e-8, guess=exact.R).iterations == 0
    with pytest.raises(ValueError, match="already"):
        scree.add_solver("AUTO", wild)
    with pytest.raises(ValueError, match="omega"):
        problem.solve("WILD", 1e-8, omega=1.0)
    assert "WILD" in [entry["name"] for entry in scree.solvers()]


def test_the_compiled_solver_is_the_one_shown():
    assert block("cpp") in (ROOT / "tests" / "solvers" / "tutorial_solver_test.cpp").read_text()
