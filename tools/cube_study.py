#!/usr/bin/env python3
"""Shaken cubes with three solvers and the sensitivity of the quasi-Newton method: docs/cubes.md and its plots.

    tools/cube_study.py [--steps N] [--cubes 2,3,4] [--budget S] [--only table|studies]     run, print, draw; figures go to out/cubes.json

A run of the table ends after `--steps` steps (6000: the report's 3 s), or at the first hundred after `--budget` CPU seconds.
"""
import argparse
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

from scree import bench_scene, scenes  # noqa: E402

STUDY_STEPS = 100     #: of each run of the sensitivity studies
LIMIT = 1000          #: iterations after which a step counts as diverged
TOLERANCE = 1e-8      #: of merit
DELTAS = (1e-4, 1e-2, 1e0)
DENSITIES = (100.0, 1000.0, 10000.0)
FRICTIONS = (0.0, 0.1, 0.4)
STUDIES = (("delta", (None,), None), ("density", DENSITIES, "density"), ("friction", FRICTIONS, "friction"))
CHUNK = 100           #: steps between looks at the budget


def run(edge, rigid, solver, steps, density=1000.0, friction=0.1, budget=float("inf"), **options):
    """Steps made, CPU seconds, iterations a converged step, diverged steps and contacts of one run."""
    scene = scenes.cubes(edge=edge, rigid=rigid, density=density, friction=friction)
    sim = scene.sim
    sim._threads = 1
    sim.solver(solver, tolerance=TOLERANCE, yardstick="merit", max_iterations=LIMIT, **options)
    begun = time.process_time()
    tables, done = [], 0
    while done < steps and time.process_time() - begun < budget:
        tables.append(bench_scene._run_steps(sim, min(CHUNK, steps - done))[0])
        done += len(tables[-1])
    seconds = time.process_time() - begun
    table = np.concatenate(tables)
    iterations = table["iterations"]
    solved = iterations[(iterations > 0) & (iterations < LIMIT)]
    return {"steps": done, "seconds": seconds, "iterations": float(solved.mean()) if solved.size else 0.0, "divs": int((iterations >= LIMIT).sum()),
            "contacts": float(table["contacts"].mean()), "solve": float(table["solve"].sum())}


def newton(rigid, **options):
    """The report's parameters for rigid and deformable bodies."""
    return {"epsilon": 0.25 if rigid else 0.01, "linmaxiter": 10 if rigid else 5, "sweeps": 0, **options}


def main_table(edges, steps, budget):
    rows = []
    for edge in edges:
        for rigid in (False, True):
            for solver in ("GAUSS_SEIDEL", "NEWTON", "AUTO"):
                figures = run(edge, rigid, solver, steps, budget=budget, **(newton(rigid) if solver == "NEWTON" else {}))
                rows.append({"edge": edge, "rigid": rigid, "solver": solver, **figures})
                print(rows[-1], flush=True)
    return rows


def study(edge, steps, values, name):
    """Figures over values of `density` or `friction` and delta."""
    grid = {}
    for rigid in (False, True):
        for value in values:
            for delta in DELTAS:
                keyword = {} if name is None else {name: value}
                grid[f"{rigid},{value},{delta}"] = run(edge, rigid, "NEWTON", steps, **keyword, **newton(rigid, delta=delta))
                print(edge, name, value, delta, rigid, grid[f"{rigid},{value},{delta}"], flush=True)
    return grid


def plot(grids, values, name, path):
    """Iterations a step over delta, one line a value; finite elements left, rigid right; one row an M."""
    figure, axes = plt.subplots(len(grids), 2, figsize=(9, 2.6 * len(grids)), squeeze=False, sharex=True)
    for row, (edge, grid) in zip(axes, grids.items()):
        for axis, rigid in zip(row, (False, True)):
            for value in values:
                line = [grid[f"{rigid},{value},{d}"] for d in DELTAS]
                label = None if name is None else f"{name} {value:g}"
                axis.loglog(DELTAS, [max(1e-1, p["iterations"]) for p in line], "o-", label=label)
                for d, p in zip(DELTAS, line):
                    if p["divs"]:
                        axis.annotate(f"{p['divs']} divs", (d, max(1e-1, p["iterations"])), fontsize=7)
            axis.set_title(f"M = {edge}, {'rigid' if rigid else 'finite elements'}", fontsize=9)
            axis.set_ylabel("iterations a step", fontsize=8)
            if name:
                axis.legend(fontsize=7)
    for axis in axes[-1]:
        axis.set_xlabel("delta / average W_ii", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=160)
    parser.add_argument("--cubes", default="2,3,4")
    parser.add_argument("--budget", type=float, default=float("inf"))
    parser.add_argument("--only", choices=("table", "studies"))
    arguments = parser.parse_args()
    edges = [int(m) for m in arguments.cubes.split(",")]
    data = {"steps": arguments.steps, "table": [] if arguments.only == "studies" else main_table(edges, arguments.steps, arguments.budget)}
    images = ROOT / "docs" / "images"
    for key, values, name in STUDIES if arguments.only != "table" else ():
        grids = {edge: study(edge, STUDY_STEPS, values, name) for edge in edges}
        data[key] = {str(e): g for e, g in grids.items()}
        plot(grids, values, name, images / f"cubes_{key}.png")
    (ROOT / "out").mkdir(exist_ok=True)
    (ROOT / "out" / "cubes.json").write_text(json.dumps(data, indent=1))
    for row in data["table"]:
        print("| {edge} | {} | {solver} | {steps} | {seconds:.1f} | {iterations:.1f} | {divs} | {contacts:.0f} |".format("rigid" if row["rigid"] else "FE", **row))


if __name__ == "__main__":
    main()
