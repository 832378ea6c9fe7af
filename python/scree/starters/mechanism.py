"""A gripper closes with a given force, lifts a ball and holds it by friction."""
import numpy as np
import scree

MASS, FRICTION, GRIP = 1.0, 0.5, 15.0            # kg, -, N of each finger
LIFT, CLOSED, LIFTED, END = 0.15, 0.3, 0.9, 1.2  # m; times of closing, lifting and the end, s

sim = scree.Simulation(step=1e-3, gravity=(0, 0, -9.81))
sim.surface_material(friction=FRICTION)
sim.obstacle(scree.box(low=(-0.5, -0.5, -0.1), high=(0.5, 0.5, 0)), label="table")
ball = sim.rigid(scree.sphere((0, 0, 0.05), 0.05), density=1000, label="ball")
ball.set_characteristics(mass=MASS, inertia=[[0.4 * MASS * 0.05**2 * (i == j) for j in range(3)] for i in range(3)])

# Fingers slide along x under the gripping force. Three points follow the lift, two are held across: nothing else can move.
# The lift begins and ends smoothly: a jump of velocity would be an impact, and the ball would slip in it.
t = np.linspace(0, END, 241)
lift = scree.TimeSeries(np.stack([t, 0.5 * LIFT * (1 - np.cos(np.pi * np.clip((t - CLOSED) / (LIFTED - CLOSED), 0, 1)))], axis=1))
fingers = []
for side in (-1, 1):
    x = side * 0.08
    finger = sim.rigid(scree.box(center=(x, 0, 0.08), size=(0.03, 0.04, 0.12)), density=2700, label="left" if side < 0 else "right")
    for point in ((x, -0.02, 0.14), (x, 0.02, 0.14), (x + side * 0.015, 0, 0.02)):
        sim.set_displacement(finger, point, (0, 0, 1), lift)
    for z in (0.02, 0.14):
        sim.fix_direction(finger, (x, 0, z), (0, 1, 0))
    finger.apply_force(finger.center, (-side, 0, 0), GRIP)
    fingers.append(finger)

sim.run(END, output=0.01)

contacts = sim.contacts
on_ball = (contacts["bodies"] == ball.id).any(axis=1)
print(f"ball lifted {1000 * (ball.position - ball.center)[2]:.2f} mm, fingers {1000 * LIFT:.2f} mm")
print(f"pressed by {contacts['local_force'][on_ball, 0].sum() / 2:.3f} N from each side")
print(f"friction used: {MASS * 9.81 / (2 * GRIP * FRICTION):.0%}; it would slip above 100%")
