"""Grains run out of a hopper onto a plate: flow rate, angle of repose, porosity."""
import math

import numpy as np
import scree
from scree import measure

SIZE, OUTLET, SLOPE = 0.04, 0.16, math.radians(55)      # of grains and of the outlet (width), m; of the hopper's walls
LAYERS = 6
rng = np.random.default_rng(1)

sim = scree.Simulation(step=1e-3, gravity=(0, 0, -9.81))
sim.surface_material(friction=0.5)
sim.solver(tolerance=1e-4)
sim.obstacle(scree.box(low=(-0.5, -0.5, -0.05), high=(0.5, 0.5, 0)), label="plate")

# Four inclined walls around the outlet, 0.2 m above the plate.
walls = []
for k in range(4):
    wall = scree.box(low=(0, -0.45, -0.02), high=(0.45, 0.45, 0))
    wall = scree.translate(scree.rotate(wall, (0, 1, 0), -SLOPE), (0.5 * OUTLET, 0, 0.2))
    walls.append(scree.rotate(wall, (0, 0, 1), k * math.pi / 2))
sim.obstacle(scree.join(*walls), label="hopper")

count = 0
for layer in range(LAYERS):
    for i in range(5):
        for j in range(5):
            place = (np.array([i - 2, j - 2, layer]) + rng.uniform(-0.05, 0.05, 3)) * 1.15 * SIZE + (0, 0, 0.33)
            grain = scree.rotate(scree.box(center=place, size=SIZE * rng.uniform(0.5, 0.7, 3)), rng.normal(size=3), rng.uniform(0, 3), place)
            sim.rigid(grain, density=2500, label=f"grain {count}")
            count += 1

sim.run(1.4, output=0.02)

if sim.out:
    flow = measure.flow_rate(sim.out, point=(0, 0, 0.2), normal=(0, 0, -1), radius=OUTLET)
    print(f"through the outlet: {flow.bodies[-1]} of {count} grains, {flow.rate.max():.2f} kg/s at most")
on_plate = [b for b in sim.bodies if b.kind == "rigid" and b.position[2] < 0.18 and np.hypot(*b.position[:2]) < 0.45]
heap = measure.coordination(sim, bodies=on_plate)
print(f"on the plate: {len(on_plate)} grains, {heap.mean:.2f} partners each")
print(f"slope of the heap: {measure.angle_of_repose(sim, bodies=on_plate, rings=6).degrees:.0f} degrees")
