"""Impacts with restitution and friction: energy, momentum, bounce times, rest."""
import math
import warnings

import numpy as np

from .. import shapes
from .case import case, least, most, near, order, relative
from .scenes import G, box_of_walls, floor, kinetic, random_rotation, simulation, unit

THEME = "impacts"
BOUNCING = ("MOREAU", "RATTLE")


@case(THEME, "Two balls, head on and oblique")
def pair():
    """Unlike balls, restitution e: momentum kept, energy lost m* (1 - e^2) v_n^2 / 2 with v_n along the direction of the impulse. Without restitution the impulse falls into
    two steps, between which the normal turns by v h / r = 1e-3: energy to its square."""
    for integrator in BOUNCING:
        worst = lost = 0.0
        for e in (0.0, 0.3, 0.7, 1.0):
            for offset in (0.0, 0.05, 0.09):
                sim = simulation(1e-4, (0, 0, 0), integrator, restitution=e)
                a = sim.rigid(shapes.sphere((0, offset, 0), 0.05), density=7800, velocity=(1, 0, 0))
                b = sim.rigid(shapes.sphere((0.12345, 0, 0), 0.06), density=2000, velocity=(-0.3, 0.1, 0))
                before, momentum = kinetic((a, b)), a.mass * a.velocity + b.mass * b.velocity
                sim.advance(600)
                after = a.mass * a.velocity + b.mass * b.velocity
                worst = max(worst, np.linalg.norm(after - momentum) / np.linalg.norm(momentum))
                # along the normal of the touch, in which direction momentum was passed
                n = (push := b.velocity - (-0.3, 0.1, 0)) / np.linalg.norm(push)
                closing, reduced = np.dot((1.3, -0.1, 0), n), a.mass * b.mass / (a.mass + b.mass)
                lost = max(lost, abs(before - kinetic((a, b)) - reduced * (1 - e * e) * closing**2 / 2) / before)
        yield most(f"{integrator}, momentum, relative", worst, 1e-12)
        yield most(f"{integrator}, energy lost beside the closed form, relative", lost, 1e-6)


def bounce_place(e, t, height=1.0, speed=0.0):
    """Height of a ball that falls from `height` (m, thrown down with `speed`) at time t."""
    v = math.sqrt(speed**2 + 2 * G * height)
    now = (v - speed) / G
    if t < now:
        return height - speed * t - G * t * t / 2
    while True:
        v *= e
        if t < now + 2 * v / G:
            return v * (t - now) - G * (t - now) ** 2 / 2
        now += 2 * v / G


@case(THEME, "Bouncing ball, order in the bounce times", "2.9")
def bounce_order():
    """A ball falls from 1 m, e = 0.8: error of its place, mean over 1.3 to 1.6 s (after two bounces), against the parabolas."""
    def error(integrator, step):
        sim = simulation(step, integrator=integrator, restitution=0.8)
        floor(sim)
        body = sim.rigid(shapes.sphere((0, 0, 1.1), 0.1))
        sim.advance(round(1.3 / step))
        errors = []
        for _ in range(20):
            sim.advance(max(1, round(0.015 / step)))
            errors.append(abs(body.position[2] - 0.1 - bounce_place(0.8, sim.time)))
        return np.mean(errors)
    steps = (8e-3, 4e-3, 2e-3, 1e-3, 5e-4)
    for integrator, expected in (("MOREAU", 1.0), ("RATTLE", 2.0)):
        errors = [error(integrator, h) for h in steps]
        yield order(f"{integrator}, slope", steps, errors, expected, 0.3)
        yield most(f"{integrator}, error at 1e-3 s, m", errors[3], 3e-3 if integrator == "MOREAU" else 2e-4)


@case(THEME, "Bounces come to an end")
def zeno():
    """A ball falls from 1 m: at rest after sqrt(2 H / g) (1 + e) / (1 - e). The last bounces, slower than 2 g h, are left out: v / g (2 e / (1 - e)) = 4 e h / (1 - e)."""
    for integrator in BOUNCING:
        for e in (0.5, 0.8, 0.9):
            step = 5e-4
            sim = simulation(step, integrator=integrator, restitution=e)
            floor(sim)
            body = sim.rigid(shapes.sphere((0, 0, 1.1), 0.1))
            expected = math.sqrt(2 / G) * (1 + e) / (1 - e)
            last = 0.0
            for _ in range(round(1.2 * expected / step / 5)):
                sim.advance(5)
                if abs(body.velocity[2]) > 2 * G * step or body.position[2] > 0.1 + 1e-6:
                    last = sim.time
            yield near(f"{integrator}, e {e:g}, s", expected, last, 0.02 * expected + 8 * e * step / (1 - e))
            yield most(f"{integrator}, e {e:g}, height at the end, m", abs(body.position[2] - 0.1), 1e-4)


@case(THEME, "Elastic gas without friction")
def gas():
    """27 balls in a box, e = 1, h = 1e-3, one second: kinetic energy at the end, and the greatest on the way, over that of the start."""
    for integrator in BOUNCING:
        for seed in (1, 2):
            rng = np.random.default_rng(seed)
            sim = simulation(1e-3, (0, 0, 0), integrator, restitution=1.0)
            box_of_walls(sim)
            balls = [sim.rigid(shapes.sphere((np.array((i, j, k)) + 0.5) / 3, 0.1), velocity=rng.normal(size=3)) for i in range(3) for j in range(3) for k in range(3)]
            start, top = kinetic(balls), 0.0
            for _ in range(100):
                top = max(top, sim.advance(10)["kinetic"].max() / start)
            yield near(f"{integrator}, seed {seed}, end", 1.0, kinetic(balls) / start, 1e-6)
            yield most(f"{integrator}, seed {seed}, greatest", top, 1 + 1e-9, 1.0)


@case(THEME, "Gas with friction and any restitution")
def dissipative_gas():
    """Balls and boxes in a box, any e and mu: greatest gain of kinetic energy in a step over that of the start."""
    for integrator in BOUNCING:
        gain = 0.0
        for e, mu in ((1.0, 0.3), (0.9, 1.0), (0.5, 0.1), (1.0, 5.0)):
            rng = np.random.default_rng(round(100 * e + 10 * mu))
            sim = simulation(1e-3, (0, 0, 0), integrator, mu, e)
            box_of_walls(sim)
            for i in range(27):
                at = (np.array((i % 3, i // 3 % 3, i // 9)) + 0.5) / 3
                shape = shapes.sphere(at, 0.1) if i % 2 else shapes.box(at, (0.16, 0.12, 0.1))
                sim.rigid(shape, velocity=rng.normal(size=3), angular_velocity=3 * rng.normal(size=3))
            energy = np.array([kinetic(b for b in sim.bodies if b.kind == "rigid"), *sim.advance(400)["kinetic"]])
            gain = max(gain, np.diff(energy).max() / energy[0])
        yield most(integrator, gain, 1e-9)


def corner_impacts(integrator, e, mu, shape, count, seed):
    """Energies after impacts of a body thrown at a floor at random, over those before."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        sim = simulation(1e-5, (0, 0, 0), integrator, mu, e)
        floor(sim)
        body = sim.rigid(shape)
        turn = random_rotation(rng)
        body.rotation = turn
        body.position = (0, 0, 1e-5 - min((turn @ v)[2] for v in shape.pieces[0]["vertices"]))
        body.velocity, body.angular_velocity = rng.normal(size=3) - (0, 0, 1.5), 5 * rng.normal(size=3)
        before = body.kinetic_energy
        sim.advance(12)
        yield body.kinetic_energy / before


@case(THEME, "Corners that strike a floor")
def corners():
    """Bars, plates and tetrahedra strike a floor at random, e from 0 to 1 and mu to 5: greatest energy after over before."""
    bodies = {"bar": shapes.box((0, 0, 0), (0.6, 0.05, 0.05)), "plate": shapes.box((0, 0, 0), (0.3, 0.4, 0.02))}
    points = np.array([(0, 0, 0), (0.3, 0, 0), (0, 0.4, 0), (0.05, 0.1, 0.3)])
    bodies["tetrahedron"] = shapes.hull(points - points.mean(axis=0))
    for integrator in ("MOREAU", "SHAKE", "RATTLE"):
        for name, shape in bodies.items():
            laws = [(e, mu) for e in ((0.0,) if integrator == "SHAKE" else (0.0, 0.5, 0.9, 1.0)) for mu in (0.0, 0.3, 1.0, 5.0)]
            top = max(max(corner_impacts(integrator, e, mu, shape, 5, round(100 * e + mu))) for e, mu in laws)
            yield most(f"{integrator}, {name}", top, 1 + 1e-7, 1.0)


@case(THEME, "Bounces under gravity")
def bounces_under_gravity():
    """Bars and ellipsoids thrown on a floor, e = 0.5 and 1, mu from 0 to 1000: greatest gain of kinetic and potential energy in a step with an impact, of all there is."""
    for step in (1e-3, 1e-2):
        rng, worst = np.random.default_rng(5), 0.0
        for e in (0.5, 1.0):
            for mu in (0.0, 0.3, 1.0, 1e3):
                for form in (shapes.box(center=(0, 0, 0), size=(0.6, 0.08, 0.05)), shapes.ellipsoid((0, 0, 0), (0.3, 0.1, 0.06))):
                    sim = simulation(step, friction=mu, restitution=e, tolerance=1e-9)
                    floor(sim)
                    body = sim.rigid(shapes.translate(shapes.rotate(form, unit(rng), 3.0), (0, 0, 0.6)), density=1000, velocity=(1, 0, 0),
                                     angular_velocity=3 * rng.normal(size=3))
                    start = before = body.kinetic_energy + body.mass * G * body.position[2]
                    for _ in range(round(1.0 / step)):
                        sim.advance(1)
                        now, contacts = body.kinetic_energy + body.mass * G * body.position[2], sim.contacts
                        if np.any((contacts["local_force"][:, 0] > 0) & (contacts["local_velocity_before"][:, 0] < -2 * G * step)):
                            worst = max(worst, (now - before) / start)
                        before = now
        yield most(f"h = {step:g}, gain", worst, 1e-6)


@case(THEME, "Stacks at rest stay at rest for any restitution", "3.7")
def quiet_stacks():
    """Five boxes of a tonne on each other, one second: greatest kinetic energy, J, of 98 kJ of weight times height."""
    for integrator in BOUNCING:
        for e in (0.5, 0.9, 1.0):
            sim = simulation(1e-3, integrator=integrator, friction=0.5, restitution=e)
            floor(sim)
            for k in range(5):
                sim.rigid(shapes.box((0, 0, 0.5 + k), (1, 1, 1)))
            yield most(f"{integrator}, e {e:g}", sim.advance(1000)["kinetic"].max(), 1e-6)


@case(THEME, "Cradles")
def cradles():
    """A ball strikes a row of five at rest with a gap, e = 1: speeds of the six after; sequential impacts pass it to the last. Gaps from less to more than the
    ball's way in a step. Greatest deviation of energy and of momentum, and the speed of the last ball."""
    for integrator in BOUNCING:
        for gap in (1e-9, 1e-7, 1e-5, 1e-3):
            sim = simulation(1e-4, (0, 0, 0), integrator, restitution=1.0)
            row = [sim.rigid(shapes.sphere((i * (0.1 + gap), 0, 0), 0.05), density=7800) for i in range(5)]
            first = sim.rigid(shapes.sphere((-0.11, 0, 0), 0.05), density=7800, velocity=(1, 0, 0))
            sim.advance(600)
            v = np.array([b.velocity[0] for b in (first, *row)])
            yield near(f"{integrator}, gap {gap:g} m, energy", 1.0, v @ v, 1e-6)
            yield near(f"{integrator}, gap {gap:g} m, speed of the last, m/s", 1.0, v[-1], 1e-6)


@case(THEME, "A ball thrown into a bed", "3.3")
def bed():
    """A heavy ball at 5 m/s into 216 balls at rest with gaps of 1 mm, e = 0: greatest gain of kinetic energy in a step, and deepest overlap of spheres at the
    end of a step, of the radius."""
    for integrator in ("MOREAU", "SHAKE", "RATTLE"):
        sim = simulation(1e-3, (0, 0, 0), integrator, friction=0.3)
        r, p = 0.05, 0.101
        for i in range(216):
            sim.rigid(shapes.sphere(p * np.array((i % 6, i // 6 % 6, i // 36)), r), density=2500)
        ball = sim.rigid(shapes.sphere((-3 * r, 2.5 * p, 2.5 * p), 2 * r), density=7800, velocity=(5, 0, 0))
        radii = np.array([r] * 216 + [2 * r])
        energy, deepest = [ball.kinetic_energy], 0.0
        for _ in range(60):
            energy.append(sim.advance()["kinetic"][0])
            x = sim.bodies.positions
            gaps = np.linalg.norm(x[:, None] - x[None], axis=2) - radii[:, None] - radii
            np.fill_diagonal(gaps, 1.0)
            deepest = max(deepest, -gaps.min() / r)
        yield most(f"{integrator}, gain", np.diff(energy).max() / energy[0], 1e-8)
        # MOREAU holds gaps at mid-step: half a step of motion may overlap at its end
        yield most(f"{integrator}, overlap", deepest, 0.05 if integrator == "MOREAU" else 1e-7)


@case(THEME, "Overlap at the start", "3.3")
def overlap():
    """A box and a row of boxes start inside each other: the greatest speed with which they part, any step, and the warning that names them."""
    for integrator in ("MOREAU", "SHAKE", "RATTLE"):
        fastest, said = 0.0, 0
        for step in (1e-2, 1e-3, 1e-4):
            sim = simulation(step, (0, 0, 0), integrator)
            floor(sim)
            boxes = [sim.rigid(shapes.box((0, 0, 0.45 + 0.9 * k), (1, 1, 1))) for k in range(3)]
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(100):
                    sim.advance()
                    v = np.array([0.0, *(b.velocity[2] for b in boxes)])
                    fastest = max(fastest, np.abs(np.diff(v)).max())
            said += any("overlap at the start" in str(w.message) and "0 and 1" in str(w.message) for w in caught)
        yield most(f"{integrator}, m/s (0.1 radii a second)", fastest, 0.05 * 3**0.5 + 1e-6, 0.05 * 3**0.5)
        yield least(f"{integrator}, warnings of three runs", said, 3)


@case(THEME, "Thrown at a floor just ahead", "3.3")
def thrown_at_a_floor():
    """A ball of radius 0.05 m at 2 m/s, 0 to 6 mm above a floor, h = 0.01, meets it within the first half-step: depth, of its radius, and warnings of an overlap that is not there."""
    deepest = said = 0
    for gap in (0.0, 2e-3, 6e-3):
        sim = simulation(1e-2)
        floor(sim)
        ball = sim.rigid(shapes.sphere((0, 0, 0.05 + gap), 0.05), density=1000, velocity=(0, 0, -2))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(5):
                sim.advance(1)
                deepest = max(deepest, 1 - ball.position[2] / 0.05)
        said += len(caught)
    yield most("depth", deepest, 0.015)
    yield near("warnings", 0, said, 0)


@case(THEME, "Bar dropped flat", "3.8")
def flat_bar():
    """A bar falls flat on a floor, no friction, e: symmetric impact, its centre leaves with e v and it does not turn."""
    for integrator in BOUNCING:
        worst = spin = 0.0
        for e in (0.0, 0.4, 1.0):
            sim = simulation(1e-4, (0, 0, 0), integrator, restitution=e, tolerance=1e-12)
            floor(sim)
            body = sim.rigid(shapes.box((0, 0, 0.1501), (1.0, 0.1, 0.1)), velocity=(0, 0, -2))
            sim.advance(700)
            worst, spin = max(worst, abs(body.velocity[2] - 2 * e)), max(spin, np.linalg.norm(body.angular_velocity))
        yield most(f"{integrator}, velocity beside e v, m/s", worst, 1e-8)
        yield most(f"{integrator}, spin, rad/s", spin, 1e-8)


@case(THEME, "Rod that strikes with its end")
def rod_end():
    """A thin rod at an angle falls on a smooth floor: impulse m (1 + e) v / (1 + 3 cos^2 a), spin 6 (1 + e) v cos a / (l (1 + 3 cos^2 a))."""
    for integrator in BOUNCING:
        for e, angle in ((0.0, 30.0), (0.6, 50.0), (1.0, 20.0)):
            a, length, v = math.radians(angle), 1.0, 1.5
            sim = simulation(1e-5, (0, 0, 0), integrator, restitution=e)
            floor(sim)
            half = length / 2 * np.array((math.cos(a), 0, math.sin(a)))
            body = sim.rigid(shapes.join(shapes.sphere(tuple(-half + (0, 0, 1)), 1e-3), shapes.sphere(tuple(half + (0, 0, 1)), 1e-3)))
            d = half / np.linalg.norm(half)
            body.set_characteristics(mass=1.0, volume=1e-3, inertia=length**2 / 12 * (np.eye(3) - np.outer(d, d)) + 1e-6 * np.outer(d, d))
            body.position, body.velocity = (0, 0, half[2] + 1e-3 + 1e-4), (0, 0, -v)
            sim.advance(20)
            share = (1 + e) * v / (1 + 3 * math.cos(a) ** 2)
            yield relative(f"{integrator}, e {e:g}, {angle:g} degrees, spin, rad/s", 6 * share * math.cos(a) / length, abs(body.angular_velocity[1]), 1e-3)
            yield near(f"{integrator}, e {e:g}, {angle:g} degrees, centre, m/s", share - v, body.velocity[2], 1e-3)


@case(THEME, "Sphere that strikes obliquely with friction")
def oblique_sphere():
    """Walton: a ball with normal speed vn and tangential vt, restitution e: it slips through when mu (1 + e) vn < 2 vt / 7, then loses mu (1 + e) vn; else it rolls with
    5 vt / 7."""
    for integrator in BOUNCING:
        for e, mu, vt in ((0.7, 0.1, 3.0), (0.7, 0.5, 1.0), (1.0, 0.2, 2.5), (0.0, 0.3, 0.5)):
            sim = simulation(1e-4, (0, 0, 0), integrator, mu, e, tolerance=1e-10)
            floor(sim)
            body = sim.rigid(shapes.sphere((0, 0, 0.1005), 0.1), velocity=(vt, 0, -1.0))
            sim.advance(30)
            slip = mu * (1 + e) < 2 * vt / 7
            # the midpoint scheme's contact acts across the gap still open, up to v h / 2: its arm is longer by that
            yield near(f"{integrator}, e {e:g}, mu {mu:g}, vt {vt:g}: {'slips' if slip else 'rolls'}, m/s", vt - mu * (1 + e) if slip else 5 * vt / 7,
                       body.velocity[0], 1e-7 if integrator == "RATTLE" else 5e-4 * vt)


@case(THEME, "Energy ledger of falling and bouncing bodies", "2.7")
def ledger():
    """kinetic = external + contact + friction + damping + drift, and external is the work of gravity, for balls that fall and bounce; J of J."""
    for integrator in ("MOREAU", "SHAKE", "RATTLE"):
        sim = simulation(1e-3, integrator=integrator, friction=0.3, restitution=0.0 if integrator == "SHAKE" else 0.7)
        floor(sim)
        balls = [sim.rigid(shapes.sphere((0.15 * k, 0.02 * k * k, 0.4 + 0.21 * k), 0.1)) for k in range(5)]
        weight = balls[0].mass * G
        heights = sum(b.position[2] for b in balls)
        sim.advance(700)
        energies = sim.energies
        work = weight * (heights - sum(b.position[2] for b in balls))
        yield most(f"{integrator}, drift over the work of gravity", abs(energies["drift"]) / work, 1e-6)
        yield relative(f"{integrator}, work of gravity, J", work, energies["external"], 1e-6 if integrator == "MOREAU" else 2e-2)
        yield most(f"{integrator}, work of contacts and friction, J", max(energies["contact"], energies["friction"]), 1e-9)
