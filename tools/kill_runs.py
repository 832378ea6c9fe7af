#!/usr/bin/python3
"""Kill a run at random times and restart it: every finished frame must stay readable and the end must be the same bits.

    tools/kill_runs.py [SCENE] [--kills 20] [--duration 1.0]

Exit status 0 when all is well.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

SCRIPT = """
import sys
from scree import scenes
scene = scenes.make(sys.argv[1])
scene.sim.run(float(sys.argv[2]), output=0.005, checkpoint=0.2)
"""


def command(script, out, scene, duration):
    return [str(ROOT / "scree"), "run", script, "--out", out, "--quiet", "--resume", "--", scene, str(duration)]


def state_hash(out):
    done = subprocess.run([str(ROOT / "scree"), "info", out, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["hash"]


def check_frames(out):
    """Read every frame; returns their number."""
    import numpy as np
    import scree
    if not os.path.exists(os.path.join(out, "results.h5")):
        return 0
    results = scree.read(out)
    for frame in results:
        assert np.isfinite(frame.positions).all() and np.isfinite(frame.contacts["force"]).all()
    return len(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scene", nargs="?", default="pile")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--duration", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        script, whole, killed = (os.path.join(folder, name) for name in ("script.py", "whole", "killed"))
        pathlib.Path(script).write_text(SCRIPT)
        begun = time.monotonic()
        subprocess.run(command(script, whole, args.scene, args.duration), check=True)
        length = time.monotonic() - begun
        print(f"undisturbed: {length:.1f} s, hash {state_hash(whole)}")
        for kill in range(args.kills):
            process = subprocess.Popen(command(script, killed, args.scene, args.duration))
            time.sleep(chance.uniform(0.0, 1.0) * max(1.0, 2.5 * length / args.kills))
            process.kill()
            process.wait()
            print(f"kill {kill + 1}: {check_frames(killed)} frames readable")
        subprocess.run(command(script, killed, args.scene, args.duration), check=True)
        same = state_hash(whole) == state_hash(killed) and check_frames(whole) == check_frames(killed)
        print(f"after {args.kills} kills: hash {state_hash(killed)}, {check_frames(killed)} frames:", "the same" if same else "DIFFERENT")
        return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
