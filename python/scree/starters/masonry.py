"""A dry stone wall with a gate on ground that shakes as an accelerogram says."""
import numpy as np
import scree

# A record of your own: two columns, time (s) and acceleration (m/s2), CSV with or without a header line.
RECORD = None
PEAK, DURATION = 3.0, 2.5                        # m/s2, s; of the record made up where there is none
BLOCK = np.array([0.6, 0.3, 0.25])               # length, depth, height, m
ROWS, COLUMNS = 6, 6

if RECORD:
    ground_motion = scree.TimeSeries(RECORD)
else:
    t = np.linspace(0, DURATION, 501)
    ground_motion = scree.TimeSeries(np.stack([t, PEAK * np.sin(np.pi * t / DURATION) ** 2 * np.sin(2 * np.pi * 1.6 * t)], axis=1))

sim = scree.Simulation(step=2e-3, gravity=(0, 0, -9.81))
sim.surface_material(friction=0.6)
sim.obstacle(scree.box(low=(-3, -2, -0.4), high=(3, 2, 0)), acceleration=(0, ground_motion, 0), label="ground")

# A wall in running bond; the gate in the middle is two blocks wide and three high, under a lintel.
blocks = []
for row in range(ROWS):
    for k in range(COLUMNS + row % 2):
        low = (k - 0.5 * (COLUMNS + row % 2)) * BLOCK[0]
        high = low + BLOCK[0]
        low, high = max(low, -0.5 * COLUMNS * BLOCK[0]), min(high, 0.5 * COLUMNS * BLOCK[0])
        if row < 3 and low < 0.6 and high > -0.6:
            low, high = (low, min(high, -0.6)) if low < -0.6 else (max(low, 0.6), high)
            if high - low < 0.05:
                continue
        if row == 3 and abs(low + high) < 1.3:
            continue
        z = row * BLOCK[2]
        blocks.append(sim.rigid(scree.box(low=(low, -0.15, z), high=(high, 0.15, z + BLOCK[2])), density=2200, label=f"block {row}.{k}"))
lintel = sim.rigid(scree.box(low=(-0.9, -0.15, 3 * BLOCK[2]), high=(0.9, 0.15, 4 * BLOCK[2])), density=2200, label="lintel")

sim.run(DURATION + 1.0, output=0.02)

ground = sim.bodies["ground"]
moved = np.array([b.position - b.center - (ground.position - ground.center) for b in [*blocks, lintel]])
print(f"{len(moved)} blocks; ground moved {1000 * (ground.position - ground.center)[1]:.1f} mm for good")
print(f"largest displacement against the ground: {1000 * np.abs(moved).max():.1f} mm; lintel {1000 * np.abs(moved[-1]).max():.1f} mm")
print("the wall stands" if moved[:, 2].min() > -0.05 else "the wall has lost blocks")
