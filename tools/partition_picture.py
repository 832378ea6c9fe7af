#!/usr/bin/python3
"""Picture of a heap of spheres whose colours tell which rank owns them, after one step on ranks.

    tools/partition_picture.py OUT.png [--ranks 4]
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLOURS = ("#2f6f9f", "#e0a030", "#5a9a5a", "#b0504a", "#7a5aa0", "#50a0a0", "#a0a050", "#808080")


def heap(pitch=0.1, height=1.0, steep=0.9):
    """Places of spheres of a conical heap on a floor."""
    k = np.arange(-20, 21)
    x, y, z = (axis.ravel() * pitch for axis in np.meshgrid(k, k, np.arange(20), indexing="ij"))
    odd = np.round(z / pitch).astype(int) % 2
    places = np.stack([x + 0.5 * pitch * odd, y + 0.5 * pitch * odd, 0.5 * pitch + z / np.sqrt(2.0)], axis=1)
    return places[places[:, 2] + steep * np.hypot(places[:, 0], places[:, 1]) < height], 0.5 * pitch


def own(owners):
    """Owners of the spheres as ranks divide them."""
    import scree
    sim = scree.Simulation(step=1e-4)
    sim.surface_material(friction=0.5)
    sim.obstacle(scree.box(low=(-2, -2, -1), high=(2, 2, 0)))
    places, radius = heap()
    balls = [sim.rigid(scree.sphere(place, radius), density=1000.0) for place in places]
    sim.solver("GAUSS_SEIDEL", tolerance=0.1, max_iterations=3)
    sim.advance(1)
    if RANK() == 0:
        np.save(owners, [sim._engine.owner(ball.id) for ball in balls])


def draw(owners, path):
    """Seen from the front and above, from far away."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle
    places, radius = heap()
    tilt = np.radians(35.0)
    right, front = (np.array(axis) / np.linalg.norm(axis) for axis in ((1.0, 0.35, 0.0), (0.35, -1.0, 0.0)))
    up = np.cos(tilt) * np.array([0.0, 0.0, 1.0]) - np.sin(tilt) * front
    toward = np.sin(tilt) * np.array([0.0, 0.0, 1.0]) + np.cos(tilt) * front
    figure, axes = pyplot.subplots(figsize=(7.0, 4.6), dpi=130)
    order = np.argsort(places @ toward)
    circles = [Circle((places[k] @ right, places[k] @ up), radius) for k in order]
    axes.add_collection(PatchCollection(circles, facecolors=[COLOURS[owners[k] % len(COLOURS)] for k in order], edgecolors="#202020", linewidths=0.4))
    for rank in range(owners.max() + 1):
        axes.plot([], [], "o", color=COLOURS[rank % len(COLOURS)], label=f"rank {rank}: {np.sum(owners == rank)} spheres")
    axes.autoscale_view()
    axes.set(aspect="equal")
    axes.axis("off")
    axes.legend(loc="upper left", frameon=False)
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", metavar="OUT.png")
    parser.add_argument("--ranks", type=int, default=4)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        owners = os.path.join(folder, "owners.npy")
        script = str(pathlib.Path(__file__).resolve())
        subprocess.run([str(ROOT / "scree"), "run", script, "--quiet", "--threads", "1", "--ranks", str(asked.ranks), "--out", "own", "--", "own", owners], check=True, cwd=folder)
        draw(np.load(owners), asked.out)


if sys.argv[1:2] == ["own"]:
    own(sys.argv[2])
elif __name__ == "__main__":
    main()
