"""Coulomb's law: slopes, sliding, sticking, and what a certified residual promises."""
import math

import numpy as np

from .. import series, shapes
from .case import case, exactly, least, most, near, relative
from .scenes import G, INTEGRATORS, floor, simulation

THEME = "friction"


def on_slope(tilt, friction, tolerance=None, step=1e-3, integrator="MOREAU"):
    """A flat box on a floor, gravity tilted so that the slope is `tilt` (a tangent)."""
    c = 1 / math.hypot(1, tilt)
    sim = simulation(step, (G * tilt * c, 0, -G * c), integrator, friction, tolerance=tolerance)
    floor(sim)
    return sim, sim.rigid(shapes.box((0, 0, 0.05), (0.25, 0.2, 0.1))), G * c * (tilt - friction)


@case(THEME, "Slope just over the friction limit slides, whatever the tolerance", "3.7")
def false_stiction():
    """A box on slopes 0.05 % to 2 % over the limit: distance after 0.4 s, g cos (tan - mu) t^2 / 2."""
    for tolerance in (1e-2, 1e-3, 1e-4, 1e-8):
        for excess in (5e-4, 3e-3, 2e-2):
            friction = 0.6
            sim, body, a = on_slope(friction * (1 + excess), friction, tolerance)
            sim.advance(400)
            expected = a * 0.4**2 / 2
            if tolerance <= 1e-4:
                yield relative(f"tolerance {tolerance:g}, {100 * excess:g} % over, m", expected, body.position[0], 0.05)
            else:  # a force may err by the tolerance, which is more than the excess: it slides, no more is promised
                yield least(f"tolerance {tolerance:g}, {100 * excess:g} % over, of the distance", body.position[0] / expected, 0.3)


@case(THEME, "Slope below the friction limit holds", "3.7")
def holds():
    """The same boxes 0.05 % to 2 % below the limit: distance after 0.4 s."""
    for integrator in INTEGRATORS:
        for below in (5e-4, 2e-2):
            sim, body, _ = on_slope(0.45 * (1 - below), 0.45, 1e-8, integrator=integrator)
            sim.advance(400)
            yield most(f"{integrator}, {100 * below:g} % below, m", abs(body.position[0]), 1e-9)


@case(THEME, "Stopping distance")
def stopping():
    """A box thrown flat stops after v^2 / (2 mu g)."""
    for integrator in INTEGRATORS:
        for friction, speed in ((0.2, 1.5), (0.7, 4.0)):
            sim = simulation(1e-3, integrator=integrator, friction=friction, tolerance=1e-10)
            floor(sim)
            body = sim.rigid(shapes.box((0, 0, 0.02), (0.4, 0.4, 0.04)), velocity=(speed, 0, 0))
            sim.advance(round(1.2 * speed / (friction * G) / 1e-3))
            # of first order: the step in which it stops
            yield near(f"{integrator}, mu {friction:g}, m", speed**2 / (2 * friction * G), body.position[0], speed * 1e-3)


@case(THEME, "Conveyor belt")
def belt():
    """A box put on a belt that runs with v lags by v^2 / (2 mu g)."""
    for integrator in INTEGRATORS:
        sim = simulation(1e-3, integrator=integrator, friction=0.5, tolerance=1e-10)
        floor(sim, velocity=(1.2, 0, 0))
        body = sim.rigid(shapes.box((0, 0, 0.05), (0.2, 0.2, 0.1)))
        sim.advance(500)
        yield near(f"{integrator}, lag, m", 1.2**2 / (2 * 0.5 * G), 1.2 * sim.time - body.position[0], 1.3e-3)
        yield near(f"{integrator}, speed, m/s", 1.2, body.velocity[0], 1e-8)


@case(THEME, "Very large friction", "3.4")
def large_friction():
    """A block thrown over a floor with mu from 10 to 1e12 sticks: it may tip, it does not sink and does not slide. Depth of its lowest corner, m, and slip of the leading
    edge, m."""
    for friction in (10.0, 1e4, 1e8, 1e12):
        sim = simulation(1e-3, friction=friction)
        floor(sim)
        size = np.array((1.0, 1.0, 0.5))
        body = sim.rigid(shapes.box((0, 0, 0.25), size), velocity=(1.0, 0, 0))
        edge, low, slip = (0.5, 0, 0), 0.0, 0.0
        for _ in range(40):
            sim.advance(10)
            low = min(low, *(body.point((x, y, z))[2] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0, 0.5)))
            slip = max(slip, abs(body.point(edge)[0] - 0.5))
        yield most(f"mu {friction:g}, depth, m", -low, 6e-3)
        yield most(f"mu {friction:g}, slip, m", slip, 6e-3)
        yield exactly(f"mu {friction:g}, status", "converged", sim.report["status"])


@case(THEME, "Forces of a fast sliding box", "3.4")
def fast_box():
    """A box slides at 10 m/s and turns: the sum of normal forces over the weight, at steps to 1e-5 and tolerances from 1e-6."""
    for tolerance in (1e-6, 1e-8):
        for step in (1e-3, 1e-4, 1e-5):
            sim = simulation(step, friction=0.3, tolerance=tolerance)
            floor(sim, 100)
            body = sim.rigid(shapes.box((0, 0, 0.1), (0.4, 0.3, 0.2)), density=2000, velocity=(10, 0.3, 0), angular_velocity=(0, 0, 1.0))
            sim.advance(200)
            force = sum(f[2] for f in sim.contacts["force"])
            yield near(f"tolerance {tolerance:g}, h {step:g}", 1.0, force / (body.mass * G), 1e4 * tolerance)


@case(THEME, "Symmetric impact of two points", "3.2")
def symmetric_impact():
    """A box falls flat on one edge's two corners with mu = 2, symmetric in y: spin about x and z, rad/s, of every solver."""
    for solver in ("AUTO", "GAUSS_SEIDEL", "NEWTON", "ADMM"):
        sim = simulation(1e-4, (0, 0, 0), friction=2.0)
        sim.solver(solver, tolerance=1e-10)
        floor(sim)
        tilt = math.radians(35)
        shape = shapes.rotate(shapes.box((0.5, 0, 0.05), (1.0, 0.3, 0.1)), (0, 1, 0), -tilt)
        body = sim.rigid(shape)
        low = min(p[2] for p in shape.pieces[0]["vertices"])
        body.position = body.position + (0, 0, 5e-5 - low)
        body.velocity = (-1.0, 0, -2.0)
        sim.advance(6)
        w = body.rotation.T @ body.angular_velocity
        yield most(solver, max(abs(body.angular_velocity[0]), abs(body.angular_velocity[2])), 1e-5)
        yield least(f"{solver}, spin about y, rad/s", abs(w[1]), 0.1)


@case(THEME, "Heavy on light", "4.1")
def mass_ratio():
    """A heavy box on a light one, mass ratio to 1e12, 50 steps of 1e-3 s: how far the heavy one sinks, m, and missed steps. Impulses are known to their rounding, 4e-15 of them, which
    moves the light box by 4e-15 ratio g h a second."""
    for ratio in (1e3, 1e6, 1e9, 1e12):
        sim = simulation(1e-3, friction=0.4)
        floor(sim)
        sim.rigid(shapes.box((0, 0, 0.5), (1, 1, 1)), density=1.0)
        heavy = sim.rigid(shapes.box((0, 0, 1.5), (1, 1, 1)), density=ratio)
        rows = sim.advance(50)
        yield most(f"ratio {ratio:g}, m", abs(heavy.position[2] - 1.5), max(1e-6, 4e-15 * ratio * G * 1e-3 * sim.time))
        yield exactly(f"ratio {ratio:g}, steps that missed the tolerance", 0, int((rows["status"] != 0).sum()))


@case(THEME, "Redundant prescribed motions", "2.6")
def redundant():
    """A gripper of two fingers holds a box; each finger is held by 2 to 4 displacements in a direction where 2 would do: steps that missed the tolerance of 100, and
    how far the box slips, m."""
    for extra in (0, 1, 2):
        sim = simulation(1e-3, friction=0.8)
        box = sim.rigid(shapes.box((0, 0, 0.05), (0.1, 0.1, 0.1)), density=500)
        for side in (-1, 1):
            finger = sim.rigid(shapes.box((side * 0.065, 0, 0.05), (0.03, 0.08, 0.24)), density=2000)
            c = finger.center
            for k in range(2 + extra):
                sim.set_displacement(finger, c + ((0, 0.03, 0), (0, -0.03, 0.02), (0.005, 0.01, 0.1), (0, 0, -0.1))[k], (0, 0, 1), series.TimeSeries([0, 0, 9, 0]))
            for p in (c, c + (0, 0, 0.1), c + (0.01, 0, 0)):
                sim.fix_direction(finger, p, (0, 1, 0))
            finger.apply_force(c, (-side, 0, 0), 30.0)
        rows = sim.advance(100)
        yield exactly(f"{2 + extra} a finger, missed", 0, int((rows["status"] != 0).sum()))
        yield most(f"{2 + extra} a finger, slip, m", abs(box.position[2] - 0.05), 1e-6)


@case(THEME, "Motions prescribed at points one above the other", "2.6")
def redundant_lines():
    """The same fingers, reaching down to a box on a floor, with 1 to 3 points on one vertical line that are all held along it, tolerance 1e-8: steps of 150 that missed it."""
    for extra in (0, 1, 2):
        sim = simulation(1e-3, friction=0.8, tolerance=1e-8)
        floor(sim)
        sim.rigid(shapes.box((0, 0, 0.05), (0.1, 0.1, 0.1)), density=500)
        for side in (-1, 1):
            finger = sim.rigid(shapes.box((side * 0.07, 0, 0.15), (0.03, 0.08, 0.24)), density=2000)
            c = finger.center
            for p in (c, c + (0, 0.03, 0), c + (0, 0, 0.1), c + (0, 0, -0.05))[:2 + extra]:
                sim.set_displacement(finger, p, (0, 0, 1), series.TimeSeries([0, 0, 9, 0]))
            for p in (c, c + (0, 0, 0.1), c + (0.01, 0, 0)):
                sim.fix_direction(finger, p, (0, 1, 0))
            finger.apply_force(c, (-side, 0, 0), 30.0)
        rows = sim.advance(150)
        yield exactly(f"{1 + extra} on a line, missed", 0, int((rows["status"] != 0).sum()))


@case(THEME, "Painleve's rod jams or slides")
def painleve():
    """A rod pushed with its end over a floor: status and energy for mu below and above 4/3; friction takes energy, no step fails."""
    for friction in (0.5, 2.0, 3.0):
        sim = simulation(1e-4, friction=friction)
        floor(sim)
        tilt = math.radians(60)
        body = sim.rigid(shapes.translate(shapes.rotate(shapes.box((0.5, 0, 0), (1.0, 0.01, 0.01)), (0, 1, 0), -tilt), (0, 0, 0.01)), velocity=(-1, 0, 0))
        start = body.kinetic_energy + body.mass * G * body.position[2]
        rows = sim.advance(800)
        energy = body.kinetic_energy + body.mass * G * body.position[2]
        yield exactly(f"mu {friction:g}, missed steps", 0, int((rows["status"] != 0).sum()))
        yield most(f"mu {friction:g}, energy over that of the start", energy / start, 1 + 1e-9, 1.0)


@case(THEME, "Pressed block", "3.2")
def pressed():
    """A block between two plates, pressed with F a side, carries at most 2 mu F: holds a weight just below, drops one just above."""
    for share in (0.99, 1.01):
        sim = simulation(1e-3, friction=0.4, tolerance=1e-9)
        block = sim.rigid(shapes.box((0, 0, 0), (0.2, 0.2, 0.2)))
        press = block.mass * G / (2 * 0.4) / share
        for side in (-1, 1):
            plate = sim.rigid(shapes.box((side * 0.15, 0, 0), (0.1, 0.4, 0.4)))
            for p in ((0, 0, 0), (0, 0.1, 0), (0, 0, 0.1)):
                q = plate.center + p
                for d in ((0, 1, 0), (0, 0, 1)):
                    sim.fix_direction(plate, q, d)
            plate.apply_force(plate.center, (-side, 0, 0), press)
        sim.advance(300)
        drop = -block.position[2]
        if share < 1:
            yield most("weight 1 % below the limit, m", abs(drop), 1e-7)
        else:
            yield relative("weight 1 % above, m", 0.5 * G * (1 - 1 / share) * 0.3**2, drop, 0.02)
