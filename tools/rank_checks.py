#!/usr/bin/python3
"""Named scenes on 1 to 4 ranks against one process: bits, operator, certificate.

    tools/rank_checks.py [--ranks 1,2,3,4] [--steps 200] [gathered operator certificate bits ...]

gathered: rank 0 solves; the hash must be that of one process, also when bodies change their rank at every step. operator: step 50 of the drum from one checkpoint; contacts
must be the same, B, the diagonal of W and W R of the form that ranks share within 1e-13 of their maximum. certificate: ranks solve together; no more steps miss the tolerance than in
one process, the stored residual is what rank 0 measures of the whole problem to 1e-3, NEWTON takes within 20 % of its iterations. bits: 3 ranks twice, with 1 and 2 threads, one hash.
drum: kinetic energy, contacts and centre of mass, averaged over 5 to 10 s and five runs that begin 1e-12 apart, are those of five such runs of one process (slow: not among the default kinds).
table: rows of the quasi-Newton report's Table 6 for the drum of 100 particles, nothing is judged.
Counts and hashes are compared, never times. Exit status 0 when all is well.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
MPIRUN = ["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
GATHERED = ("wall", "arch", "drum", "drum_pseudo_rigid", "cubes_2", "cohesive_wall")
CERTIFIED = (("wall", "AUTO", "residual"), ("drum", "NEWTON", "merit"), ("drum", "GAUSS_SEIDEL", "merit"))
SHARED_BITS = (("wall", "AUTO", "residual"), ("drum", "NEWTON", "merit"))
FALL = 3  #: times as many steps of the drum, whose particles fall first
ROUNDING = 1e-11  #: residuals below this are rounding
CLOSE, SAME_RESIDUAL, MORE_ITERATIONS = 1e-13, 1e-3, 1.2


# --- on the ranks ---------------------------------------------------------------------------------------------

def make(name, migrate=False):
    """A scene whose bodies are divided however few they are."""
    from scree import ranks, scenes
    sim = scenes.make("wall" if name == "cohesive_wall" else name).sim
    if name == "cohesive_wall":
        sim.surface_material(friction=0.3, cohesion=1e4)
    if ranks.size > 1:
        sim._engine.set_division(least_bodies=1, migrate_always=migrate)
    return sim


def run_gathered(work):
    from scree.bench_scene import _run_steps
    found = {}
    for name in work["scenes"]:
        sim = make(name, work["migrate"])
        table = _run_steps(sim, work["steps"])[0]
        found[name] = {"hash": sim.hash(), "contacts": int(table["contacts"].max())}
    return found


def run_shared(work):
    """Figures of each solver; what is stored is measured again on the whole problem every tenth step."""
    from scree.bench_scene import _run_steps
    found = {}
    for name, solver, yardstick in work["cases"]:
        sim, off = make(name), []
        sim.solver(solver, tolerance=1e-8, yardstick=yardstick, **({} if solver == "AUTO" else {"max_iterations": 1000}))

        def check(sim):
            problem = sim.problem() if sim._engine.problem_blocks() else None
            if problem is None or problem.solution is None:
                return
            measured, stored = problem.measure(problem.solution[0]), float(sim.report["residual"])
            off.append(abs(stored - measured) / max(stored, measured, ROUNDING))
        sim.callback(10 * sim.step, check)
        table = _run_steps(sim, work["steps"] * (FALL if name == "drum" else 1))[0]
        busy = table["iterations"] > 0
        found[f"{name} {solver}"] = {"missed": int((table["status"] != 0).sum()), "iterations": float(table["iterations"][busy].mean()) if busy.any() else 0.0, "busy": int(busy.sum()), "residual": float(table["residual"].max()),
                                     "off": max(off), "checked": len(off), "hash": sim.hash()}
    return found


def run_operator(work):
    """The drum up to a step, where it stops by itself; the problem of step 50 goes into a file."""
    import signal
    sim = make("drum")
    sim.solver("NEWTON", tolerance=1e-8, yardstick="merit", max_iterations=1000)

    def watch(sim):
        write = os.environ.get("RANK_CHECKS_FILE")  # a script's arguments may not change between a run and its resumption
        if write is None and sim.steps == 49:
            os.kill(os.getpid(), signal.SIGTERM)
        if write is not None and sim.steps == 50:
            problem, contacts = sim.problem(), sim.contacts
            R = np.random.RandomState(3).normal(size=problem.B.size)
            if NCPU() > 1:
                product, diagonal = sim._engine.shared_product(R.tolist())
            else:
                product, diagonal = (problem.velocity(R) - problem.B).ravel(), problem.diagonal().ravel()
            if RANK() == 0:
                np.savez(write, B=problem.B, product=product, diagonal=diagonal, **{name: contacts[name] for name in contacts})
            return False
        return True
    sim.callback(sim.step, watch)
    sim.run(0.2)
    return {}


def run_drum(work):
    """Means over the second half of the run; particles are larger by a factor 1 + perturbation."""
    from scree.bench_scene import _run_steps
    sim, places = make("drum"), []
    state = sim._callbacks[0].data
    state["radii"] = [radius * (1.0 + work["perturbation"]) for radius in state["radii"]]
    half = 0.5 * work["seconds"]

    def look(sim):
        if sim.time > half:
            places.append(np.average(sim.bodies.positions[sim.bodies.moving], axis=0))
    sim.callback(0.01, look)
    table = _run_steps(sim, round(work["seconds"] / sim.step))[0]
    late = table["time"] > half
    x, y, z = np.mean(places, axis=0)
    return {"kinetic energy, J": float(table["kinetic"][late].mean()), "contacts": float(table["contacts"][late].mean()), "centre x, m": float(x), "centre y, m": float(y), "centre z, m": float(z)}


def run_table(work):
    """Rows of the quasi-Newton report's Table 6: share of the run spent in the solver, iterations, their mean over steps that took some and converged, steps that met the limit."""
    from scree.bench_paper import drum as bench_drum
    from scree.bench_scene import STAGES, _run_steps
    found = {}
    for name in ("drum", "drum_pseudo_rigid"):
        for solver in ("NEWTON", "GAUSS_SEIDEL"):
            sim = make(name)
            sim.solver(solver, tolerance=bench_drum.TOLERANCE, yardstick="merit", max_iterations=bench_drum.LIMIT, **bench_drum.options(name, solver))
            table = _run_steps(sim, work["steps"])[0]
            counts = table["iterations"]
            used = counts[(counts > 0) & (table["status"] == 0)]
            found[f"{name} {solver}"] = {"ratio": float(table["solve"].sum() / sum(table[stage].sum() for stage in STAGES)), "total": int(counts.sum()), "mean": float(used.mean()),
                                         "missed": int((table["status"] != 0).sum())}
    return found


def work_here(text):
    work = json.loads(text)
    found = {"gathered": run_gathered, "shared": run_shared, "operator": run_operator, "drum": run_drum, "table": run_table}[work["kind"]](work)
    if RANK() == 0:
        print("FOUND " + json.dumps(found), flush=True)


# --- the judge ------------------------------------------------------------------------------------------------

def launch(count, work, *options, cwd=None, threads=1, may_stop=False, **variables):
    """What the work finds on so many ranks; 0: one process without a launcher."""
    if cwd is None:
        with tempfile.TemporaryDirectory() as folder:
            return launch(count, work, *options, cwd=folder, threads=threads, may_stop=may_stop, **variables)
    command = [str(ROOT / "scree"), "run", str(pathlib.Path(__file__).resolve()), "--quiet", "--threads", str(threads), *options, "--", "work", json.dumps(work)]
    done = subprocess.run([*MPIRUN, "-n", str(count), *command] if count else command, cwd=cwd, capture_output=True, text=True, timeout=3600, env={**os.environ, **variables})
    rows = [line for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    if done.returncode != 0 and not may_stop:
        raise SystemExit(f"{count} ranks: exit status {done.returncode}\n{done.stderr}")
    return json.loads(rows[0][6:]) if rows else None


class Judge:
    def __init__(self):
        self.bad = 0

    def __call__(self, good, text):
        self.bad += not good
        print(("good  " if good else "BAD   ") + text, flush=True)


def check_gathered(args, judge):
    def work(migrate):
        return {"kind": "gathered", "scenes": args.scenes.split(","), "steps": args.steps, "migrate": migrate}
    alone = launch(0, work(False))
    for count in args.counts:
        for migrate in (False, True) if count > 1 else (False,):
            found = launch(count, work(migrate), "--gathered")
            for name, row in found.items():
                judge(row == alone[name], f"gathered {name}, {count} ranks{', migrating' if migrate else ''}: {row['hash']} ({alone[name]['hash']}), {row['contacts']} contacts at most")


def check_operator(args, judge):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        launch(0, {"kind": "operator"}, "--out", "start", cwd=folder, may_stop=True)
        stored = {}
        for count in (0, *args.counts):
            shutil.copytree(folder / "start", folder / f"on_{count}")
            launch(count, {"kind": "operator"}, "--out", f"on_{count}", "--resume", cwd=folder, RANK_CHECKS_FILE=str(folder / f"{count}.npz"))
            stored[count] = dict(np.load(folder / f"{count}.npz"))
    for count in args.counts:
        mine, alone = stored[count], stored[0]
        lists = [name for name in alone if name not in ("B", "product", "diagonal") and alone[name].dtype.kind in "iu"]
        judge(all(np.array_equal(mine[name], alone[name]) for name in lists), f"operator, {count} ranks: {len(alone['B'])} blocks, the same {', '.join(lists)}")
        for name in ("B", "diagonal", "product"):
            off = np.abs(mine[name] - alone[name]).max() / np.abs(alone[name]).max()
            judge(off <= CLOSE, f"operator, {count} ranks: {name} differs by {off:.1e} of its maximum")


def check_certificate(args, judge):
    work = {"kind": "shared", "cases": CERTIFIED, "steps": args.steps}
    alone = launch(0, work)
    for name, row in alone.items():
        print(f"      {name}, one process: {row['missed']} missed, {row['iterations']:.1f} iterations, residual at most {row['residual']:.1e}, {row['busy']} steps that took some")
    for count in args.counts:
        for name, row in launch(count, work).items():
            first = alone[name]
            near = not name.endswith("NEWTON") or first["iterations"] / MORE_ITERATIONS <= row["iterations"] <= MORE_ITERATIONS * first["iterations"]
            judge(first["busy"] > 0 and row["missed"] <= first["missed"] and row["off"] <= SAME_RESIDUAL and near,
                  f"certificate {name}, {count} ranks: {row['missed']} missed ({first['missed']}), {row['iterations']:.1f} iterations ({first['iterations']:.1f}), "
                  f"residual at most {row['residual']:.1e}, stored and measured differ by {row['off']:.1e} at most in {row['checked']} steps" + ("" if first["busy"] else ": nothing was solved, more --steps are needed"))


def check_bits(args, judge):
    work = {"kind": "shared", "cases": SHARED_BITS, "steps": args.steps}
    runs = [launch(3, work, threads=threads) for threads in (1, 1, 2)]
    for name in runs[0]:
        hashes = [run[name]["hash"] for run in runs]
        judge(len(set(hashes)) == 1, f"bits {name}, 3 ranks, twice with 1 thread and with 2: {' '.join(hashes)}")


def check_drum(args, judge):
    """Means over runs that begin 1e-12 apart, on both sides: single runs of a flow of 100 particles scatter too much to tell a wrong one."""
    runs = {count: [launch(count, {"kind": "drum", "seconds": args.seconds, "perturbation": k * 1e-12}) for k in range(1, args.runs + 1)] for count in (0, *args.counts)}
    for count in args.counts:
        for name in runs[0][0]:
            here, alone = (np.array([row[name] for row in runs[n]]) for n in (count, 0))
            error = np.sqrt((here.var(ddof=1) + alone.var(ddof=1)) / args.runs)
            off = abs(here.mean() - alone.mean())
            judge(off <= 3.0 * error, f"drum, {count} ranks: {name} {here.mean():.6g}, one process {alone.mean():.6g}, means of {args.runs} runs that scatter by {here.std(ddof=1):.2g} and {alone.std(ddof=1):.2g}: "
                  f"{off / error if error > 0.0 else 0.0:.1f} standard errors apart")


def check_table(args, judge):
    print("| scene | ranks | NEWTON ratio | tot it | it/step | divs | GAUSS_SEIDEL ratio | tot it | it/step | divs |\n|---|---|---|---|---|---|---|---|---|---|")
    rows = {count: launch(count, {"kind": "table", "steps": args.steps}) for count in args.counts}
    for name in ("drum", "drum_pseudo_rigid"):
        for count, found in rows.items():
            cells = [f"{row['ratio']:.2f} | {row['total']} | {row['mean']:.1f} | {row['missed']}" for row in (found[f"{name} NEWTON"], found[f"{name} GAUSS_SEIDEL"])]
            print(f"| {name} | {count} | {cells[0]} | {cells[1]} |", flush=True)


KINDS = {"gathered": check_gathered, "operator": check_operator, "certificate": check_certificate, "bits": check_bits, "drum": check_drum, "table": check_table}
USUAL = ("gathered", "operator", "certificate", "bits")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (default: all but drum and table)")
    parser.add_argument("--ranks", default="1,2,3,4")
    parser.add_argument("--seconds", type=float, default=10.0, help="of drum")
    parser.add_argument("--runs", type=int, default=5, help="of drum, of each number of ranks")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--scenes", default=",".join(GATHERED), help="of gathered")
    args = parser.parse_args()
    args.counts = [int(count) for count in args.ranks.split(",")]
    judge = Judge()
    for kind in args.kinds or USUAL:
        KINDS[kind](args, judge)
    print(f"{judge.bad} bad")
    return 1 if judge.bad else 0


if sys.argv[1:2] == ["work"]:
    work_here(sys.argv[2])
elif __name__ == "__main__":
    sys.exit(main())
