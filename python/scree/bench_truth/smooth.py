"""Motion without impacts: flight, pendulums, rolling, sliding."""
import math

import numpy as np

from .. import shapes
from .case import case, near, most, order, relative
from .scenes import G, INTEGRATORS, floor, simulation

THEME = "smooth motion"


@case(THEME, "Projectile")
def projectile():
    """Thrown with (3, 0, 8) m/s: x = v t, z = v t - g t^2 / 2; every integrator is exact for constant acceleration, at any step."""
    for integrator in INTEGRATORS:
        worst = 0.0
        for step in (0.1, 7e-3, 1e-3):
            sim = simulation(step, integrator=integrator)
            body = sim.rigid(shapes.sphere((0, 0, 0), 0.1), velocity=(3, 0, 8))
            sim.advance(round(1.4 / step))
            t = sim.time
            worst = max(worst, np.abs(body.position - (3 * t, 0, 8 * t - G * t * t / 2)).max())
        yield most(f"{integrator}, place, m", worst, 1e-11)


@case(THEME, "Step and integrator changed in flight", "2.8")
def changed_in_flight():
    """A ball falls while step and integrator change: z = -g t^2 / 2 whatever the sequence."""
    for plan in ((("SHAKE", 0.05), ("SHAKE", 0.01)), (("RATTLE", 0.02), ("RATTLE", 0.08)), (("MOREAU", 0.1), ("RATTLE", 0.03)), (("SHAKE", 0.1), ("MOREAU", 0.02))):
        sim = simulation(plan[0][1], integrator=plan[0][0])
        body = sim.rigid(shapes.sphere((0, 0, 0), 0.1))
        for integrator, step in plan:
            sim.integrator, sim.step = integrator, step
            sim.advance(10)
        yield most(" then ".join(f"{i} {h:g} s" for i, h in plan) + ", m", abs(body.position[2] + G * sim.time**2 / 2), 1e-11)


@case(THEME, "Pendulum's period", "2.6")
def pendulum():
    """A ball on a rigid link let go from the horizontal: T = 4 K(1/2) sqrt(l / g) = 7.416299 sqrt(l / g); the moment of inertia of the ball does not
    count, because a link turns nothing."""
    for integrator in INTEGRATORS:
        sim = simulation(1e-3, integrator=integrator, tolerance=1e-12)
        body = sim.rigid(shapes.sphere((1, 0, 0), 0.05))
        sim.rigid_link(body, None, (1, 0, 0), (0, 0, 0))
        last, crossings = body.position[0], []
        while len(crossings) < 4:
            sim.advance()
            x = body.position[0]
            if x * last < 0:
                crossings.append(sim.time - 1e-3 * x / (x - last))
            last = x
        yield relative(f"{integrator}, s", 7.416298709 / math.sqrt(G), 2 * (crossings[3] - crossings[1]) / 2, 1e-5)


@case(THEME, "Spherical pendulum, order", "2.6")
def spherical_pendulum():
    """A ball on a link thrown sideways: error of its place after 0.8 s against a step 16 times smaller."""
    def place(integrator, step):
        sim = simulation(step, integrator=integrator, tolerance=1e-12)
        body = sim.rigid(shapes.sphere((1, 0, 0), 0.1), velocity=(0, 1.3, 0.5))
        sim.rigid_link(body, None, (1, 0, 0), (0, 0, 0))
        sim.advance(round(0.8 / step))
        return body.position
    for integrator in INTEGRATORS:
        steps, exact = (8e-3, 4e-3, 2e-3), place(integrator, 1.25e-4)
        yield order(f"{integrator}, slope", steps, [np.linalg.norm(place(integrator, h) - exact) for h in steps])


@case(THEME, "Rolling on a turntable", "3.3")
def turntable():
    """A ball rolls without slip on a disk that turns with Omega: its centre circles with 2 Omega / 7. Error of its place after 1.5 s."""
    def error(integrator, step, table=3.0, radius=0.08):
        sim = simulation(step, integrator=integrator, friction=1.0, tolerance=1e-12)
        floor(sim, angular_velocity=(0, 0, table))
        # v + w x (-r z) = Omega z x x
        place, velocity = np.array([0.7, 0.2]), np.array([0.1, 0.6])
        slip = table * np.array([-place[1], place[0]]) - velocity
        body = sim.rigid(shapes.sphere((*place, radius), radius), velocity=(*velocity, 0), angular_velocity=(slip[1] / radius, -slip[0] / radius, 0))
        sim.advance(round(1.5 / step))
        rate = 2 / 7 * table
        centre = place + np.array([-velocity[1], velocity[0]]) / rate
        c, s = math.cos(rate * sim.time), math.sin(rate * sim.time)
        return np.linalg.norm(body.position[:2] - centre - np.array([[c, -s], [s, c]]) @ (place - centre))
    for integrator in INTEGRATORS:
        steps = (1e-2, 5e-3, 2.5e-3)
        errors = [error(integrator, h) for h in steps]
        yield order(f"{integrator}, slope", steps, errors)
        yield most(f"{integrator}, error at 2.5e-3 s, m", errors[-1], 2e-4)


@case(THEME, "Ball that slides and then rolls", "3.2")
def slide_then_roll():
    """Thrown flat with v0: rolling with 5 v0 / 7 after 2 v0 / (7 mu g)."""
    for integrator in INTEGRATORS:
        for friction, speed in ((0.15, 2.0), (0.4, 7.0)):
            sim = simulation(1e-3, integrator=integrator, friction=friction, tolerance=1e-12)
            floor(sim, 100)
            body = sim.rigid(shapes.sphere((0, 0, 0.1), 0.1), velocity=(speed, 0, 0))
            sim.advance(round(1.2 * 2 * speed / (7 * friction * G) / 1e-3))
            yield relative(f"{integrator}, mu {friction:g}, m/s", 5 * speed / 7, body.velocity[0], 1e-8)


@case(THEME, "Block on a movable wedge", "3.1")
def wedge():
    """Without friction, slope 30 degrees: the wedge takes m g sin cos / (M + m sin^2)."""
    th, M, m, t = math.radians(30), 3.0, 1.0, 0.4
    sim = simulation(1e-3, tolerance=1e-12)
    floor(sim, 60)
    top = 4 * math.tan(th)
    base = sim.rigid(shapes.hull([(x, y, z) for y in (-0.5, 0.5) for x, z in ((0, 0), (4, 0), (0, top))]))
    base.set_characteristics(mass=M)
    block = shapes.rotate(shapes.box(center=(0, 0, 0.1), size=(0.4, 0.3, 0.2)), (0, 1, 0), th)
    body = sim.rigid(shapes.translate(block, (1.0, 0, top - math.tan(th))))
    body.set_characteristics(mass=m)
    sim.advance(round(t / 1e-3))
    away = m * G * math.sin(th) * math.cos(th) / (M + m * math.sin(th) ** 2)
    down = (M + m) * G * math.sin(th) / (M + m * math.sin(th) ** 2)
    yield relative("wedge, m/s", -away * t, base.velocity[0], 1e-6)
    yield relative("block, m/s", (down * math.cos(th) - away) * t, body.velocity[0], 1e-6)


@case(THEME, "Ladder leaves the wall", "3.2")
def ladder():
    """A rod slides down a wall and a floor without friction: it leaves the wall at two thirds of its height."""
    for integrator in ("MOREAU", "RATTLE"):
        start, length, r, step = math.radians(65), 2.0, 1e-3, 5e-4
        sim = simulation(step, integrator=integrator, tolerance=1e-10)
        floor(sim, 30)
        wall = sim.obstacle(shapes.box(low=(-1, -5, 0), high=(0, 5, 10)))
        top, foot = np.array((r, 0, r + length * math.sin(start))), np.array((r + length * math.cos(start), 0, r))
        body = sim.rigid(shapes.join(shapes.sphere(tuple(top), r), shapes.sphere(tuple(foot), r)))
        d = (top - foot) / length
        body.set_characteristics(mass=1.0, volume=1e-3, center=tuple((top + foot) / 2), inertia=length**2 / 12 * (np.eye(3) - np.outer(d, d)) + 1e-5 * np.outer(d, d))
        for k in range(4000):
            sim.advance()
            contacts = sim.contacts
            pressing = sum(abs(f[0]) for f, pair in zip(contacts["force"], contacts["bodies"]) if wall.id in pair)
            if k > 5 and pressing == 0:
                break
        height = (body.point(tuple(top)) - body.point(tuple(foot)))[2] / length
        yield near(f"{integrator}, height over first height", 2 / 3, height / math.sin(start), 2e-3)


@case(THEME, "Ball leaves a frictionless sphere", "3.2")
def hill():
    """A ball slides down a fixed sphere from rest: it leaves where its height over the centre is two thirds of the first."""
    for integrator in ("MOREAU", "RATTLE"):
        R, r, step, start = 1.0, 0.1, 5e-4, 0.25
        sim = simulation(step, integrator=integrator, tolerance=1e-10)
        sim.obstacle(shapes.sphere((0, 0, 0), R))
        body = sim.rigid(shapes.sphere(((R + r) * math.sin(start), 0, (R + r) * math.cos(start)), r))
        for k in range(4000):
            sim.advance()
            if k > 5 and not np.any(sim.contacts["force"]):
                break
        yield near(f"{integrator}, height over first height", 2 / 3, body.position[2] / ((R + r) * math.cos(start)), 2e-3)
