"""A run of one ball on a floor, and how to wait for what a run writes."""
import pathlib
import time

BALL = """
import scree, sys
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.3)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
sim.rigid(scree.sphere((0, 0, 0.4), 0.1), density=1000)
sim.run(DURATION, output=0.001, checkpoint=60)
print("final", sim.hash())
"""


def ball(duration):
    return BALL.replace("DURATION", str(duration))


def wait_for(path, process, seconds=60):
    limit = time.monotonic() + seconds
    while not pathlib.Path(path).exists():
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.02)
