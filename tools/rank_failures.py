#!/usr/bin/python3
"""What goes wrong on one of several ranks, many times over: the run must end by itself, say what it was, and leave files that are whole.

    tools/rank_failures.py [--times 20] [--ranks 3] [--limit 10] [kill exception alone ...]

kill: kill -9 of a random rank at a random time; then all frames are read and --resume on 2 ranks finishes. exception: one rank's callback raises. alone: a run under
`if RANK() == 0`. A run that has not ended `limit` seconds after its failure counts as hanging. Exit status 0 when all is well.
"""
import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import numpy as np  # noqa: E402
import scree  # noqa: E402

MPIRUN = ["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]

SCRIPT = """
import os, time
import scree
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.4)
sim.obstacle(scree.box(low=(-2, -2, -1), high=(2, 2, 0)))
for k in range(18):
    sim.rigid(scree.sphere(center=(0.25 * (k % 3), 0.25 * (k // 3 % 3), 0.15 + 0.25 * (k // 9)), radius=0.12), density=1000)
if NCPU() > 1: sim._engine.set_division(least_bodies=1)
open(f"rank_{RANK()}", "w").write(str(os.getpid()))
BODY
"""
BODIES = {
    "kill": "sim.run(3.0, output=0.005, checkpoint=0.1)",
    "exception": "def bad(sim):\n    if RANK() == 1 and sim.time > 0.004:\n        open('failed', 'w').close()\n        raise ValueError('the table is empty')\nsim.callback(0.001, bad)\nsim.run(1000.0)",
    "alone": "if RANK() == 0:\n    open('failed', 'w').close()\n    sim.run(0.01)",
}


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def check_frames(out):
    results = scree.read(out)
    assert len(results) > 0 and all(np.isfinite(frame.positions).all() for frame in results), "a frame cannot be read"


def attempt(kind, count, limit, chance):
    """One failure; returns the seconds between it and the end of the run."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "script.py").write_text(SCRIPT.replace("BODY", BODIES[kind]))
        command = [str(ROOT / "scree"), "run", "script.py", "--out", "out", "--quiet"]
        run = subprocess.Popen([*MPIRUN, "-n", str(count), *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ready = (lambda: (folder / "out" / "checkpoint.h5").exists() and all((folder / f"rank_{r}").exists() for r in range(count))) if kind == "kill" else (folder / "failed").exists
        assert wait_for(ready, 120), "the run did not come to its failure"
        if kind == "kill":
            time.sleep(chance.uniform(0.0, 1.0))
            os.kill(int((folder / f"rank_{chance.randrange(count)}").read_text()), signal.SIGKILL)
        begun = time.monotonic()
        try:
            said = run.communicate(timeout=limit)[1]
        except subprocess.TimeoutExpired:
            run.terminate()
            raise AssertionError(f"still running after {limit} s") from None
        took = time.monotonic() - begun
        assert run.returncode != 0, "the exit status is 0"
        if kind == "kill":
            check_frames(folder / "out")
            again = subprocess.run([*MPIRUN, "-n", "2", *command, "--resume"], cwd=folder, capture_output=True, text=True, timeout=300)
            assert again.returncode == 0, again.stderr
            assert scree.read(folder / "out")[-1].time > 2.99, "the resumed run did not reach its end"
        elif kind == "exception":
            assert run.returncode == 1 and len(re.findall(r"on rank 1 of \d:\n(?:.*\n)*.*line 1\d(?:.*\n)*ValueError: the table is empty", said)) == 1, said
        else:
            assert run.returncode == 1 and re.search(r"script\.py:1\d", said), said
        return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="of kill, exception, alone (default: all)")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds from a failure to the end of the run")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance, bad = random.Random(args.seed), 0
    for kind in args.kinds or BODIES:
        times = []
        for _ in range(args.times):
            try:
                times.append(attempt(kind, args.ranks, args.limit, chance))
            except AssertionError as error:
                bad += 1
                print(f"{kind}: {error}", flush=True)
        print(f"{kind}: {len(times)} of {args.times}, {max(times, default=0.0):.1f} s at most from the failure to the end", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
