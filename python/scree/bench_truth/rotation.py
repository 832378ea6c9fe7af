"""Rigid bodies that turn."""
import math

import numpy as np

from .. import shapes
from .case import case, exactly, least, most, near, order, relative
from .scenes import G, INTEGRATORS, angular_momentum, floor, random_rotation, simulation, unit

THEME = "rigid rotation"
SCHEMES = ("RIG_EXACT", "RIG_IMP")


def spinning(size, spin, step, scheme=None, integrator="MOREAU"):
    sim = simulation(step, (0, 0, 0), integrator)
    return sim, sim.rigid(shapes.box((0, 0, 0), size), angular_velocity=spin, scheme=scheme)


def any_boxes(seed, **how):
    """40 free boxes with edges of any ratio to 1000, turning by 1e-3 to 30 rad a step about any axis."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        size, step = 10.0 ** rng.uniform(-3, 0, 3), 10.0 ** rng.uniform(-5, -1)
        yield spinning(size, 10.0 ** rng.uniform(-3, 1.5) / step * unit(rng), step, **how)


@case(THEME, "Free bodies of any shape, spin and step: energy")
def free_energy():
    """Boxes with edges of any ratio to 1000, turning by 1e-3 to 30 rad a step about any axis, 300 steps: greatest change of kinetic energy, relative."""
    for integrator in INTEGRATORS:
        worst = 0.0
        for sim, body in any_boxes(5, integrator=integrator):
            start = body.kinetic_energy
            for _ in range(6):
                sim.advance(50)
                worst = max(worst, abs(body.kinetic_energy / start - 1))
        yield most(integrator, worst, 1e-10)


@case(THEME, "Free bodies of any shape, spin and step: angular momentum")
def free_momentum():
    """The same boxes: change of the angular momentum in space."""
    for scheme in SCHEMES:
        worst = 0.0
        for sim, body in any_boxes(6, scheme=scheme):
            start = angular_momentum(body)
            sim.advance(300)
            worst = max(worst, np.linalg.norm(angular_momentum(body) - start) / np.linalg.norm(start))
        yield most(scheme, worst, 1e-10)


@case(THEME, "A million steps", slow=True)
def million_steps():
    """Rods, plates and bodies near their intermediate axis, 10^6 steps: greatest change of kinetic energy, relative."""
    for integrator in INTEGRATORS:
        for size, spin, step in (((2, 0.02, 0.02), (1e-3, 1e-3, 50), 1e-3), ((0.3, 0.2, 0.05), (1e-3, 10, 1e-3), 1e-2), ((1, 1, 0.01), (30, 2, 40), 5e-3)):
            sim, body = spinning(size, spin, step, integrator=integrator)
            start, worst = body.kinetic_energy, 0.0
            for _ in range(100):
                sim.advance(10000)
                worst = max(worst, abs(body.kinetic_energy / start - 1))
            yield most(f"{integrator}, box {size}", worst, 1e-6)


def _k(m):
    """Complete elliptic integral of the first kind by the arithmetic-geometric mean, parameter 1 - m given as m' = `m`."""
    a, b = 1.0, math.sqrt(m)
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (a + b)


def half_period(moments, spin):
    """Time between two reversals of the component about the intermediate axis (moments I1 > I2 > I3), s."""
    I1, I2, I3 = moments
    M = np.multiply(moments, spin)
    square, energy2 = M @ M, M @ np.asarray(spin)
    if square > energy2 * I2:
        rate = math.sqrt((I1 - I2) * (square - energy2 * I3) / (I1 * I2 * I3))
        rest = (I1 - I3) * (square - energy2 * I2) / ((I1 - I2) * (square - energy2 * I3))
    else:
        rate = math.sqrt((I2 - I3) * (energy2 * I1 - square) / (I1 * I2 * I3))
        rest = (I1 - I3) * (energy2 * I2 - square) / ((I2 - I3) * (energy2 * I1 - square))
    return 2 * _k(abs(rest)) / rate


@case(THEME, "Flips about the intermediate axis")
def flips():
    """A plate let go within 1e-4 of its intermediate axis: time between flips 2 K(k) / lambda of Jacobi's functions, mean of the first three."""
    for integrator in INTEGRATORS:
        for step, spin in ((2e-3, (1e-3, 10, 1e-3)), (1e-2, (2e-4, 10, 5e-3))):
            sim, body = spinning((0.3, 0.2, 0.05), spin, step, integrator=integrator)
            moments = np.diag(body.inertia)
            falling = np.argsort(-moments)
            expected = half_period(moments[falling], np.array(spin)[falling])
            last, times = 10.0, []
            while len(times) < 4 and sim.time < 60:
                sim.advance()
                now = (body.rotation.T @ body.angular_velocity)[1]
                if now * last < 0:
                    times.append(sim.time - step * now / (now - last))
                last = now
            yield relative(f"{integrator}, h {step:g}, s", expected, (times[-1] - times[0]) / (len(times) - 1), 1e-4)


@case(THEME, "Heavy top in steady precession", "2.6")
def top():
    """A spheroid on a point, spin 250 rad/s, tilted by 30 degrees: the precession solves I1 Om^2 cos - I3 w Om + m g l = 0; over half a turn."""
    tilt, arm, radii, density, spin = math.radians(30), 0.1, (0.05, 0.05, 0.02), 2000.0, 250.0
    mass = density * 4 / 3 * math.pi * np.prod(radii)
    I3, I1 = mass / 5 * 2 * radii[0] ** 2, mass / 5 * (radii[0] ** 2 + radii[2] ** 2) + mass * arm**2
    rate = (I3 * spin - math.sqrt((I3 * spin) ** 2 - 4 * I1 * math.cos(tilt) * mass * G * arm)) / (2 * I1 * math.cos(tilt))
    axis = np.array([math.sin(tilt), 0, math.cos(tilt)])
    frame = np.array([[math.cos(tilt), 0, math.sin(tilt)], [0, 1, 0], [-math.sin(tilt), 0, math.cos(tilt)]])
    omega = np.array([0, 0, rate]) + (spin - rate * math.cos(tilt)) * axis
    for integrator in INTEGRATORS:
        sim = simulation(2e-4, integrator=integrator, tolerance=1e-12)
        body = sim.rigid(shapes.ellipsoid(tuple(arm * axis), radii, axes=frame), density=density, velocity=tuple(np.cross(omega, arm * axis)), angular_velocity=tuple(omega))
        sim.fix_point(body, (0, 0, 0))
        sim.advance(round(math.pi / rate / 2e-4))
        x, y, z = body.position
        yield relative(f"{integrator}, rad/s", rate, math.atan2(y, x) % (2 * math.pi) / sim.time, 1e-3)
        yield near(f"{integrator}, tilt, degrees", 30, math.degrees(math.acos(z / np.linalg.norm(body.position))), 0.1)


@case(THEME, "Body on a fixed point, order", "2.6")
def on_a_point():
    """An unsymmetric box on a point, let go with a spin: error of its place after 0.3 s against a step 16 times smaller."""
    def place(integrator, scheme, step):
        sim = simulation(step, integrator=integrator, tolerance=1e-12)
        body = sim.rigid(shapes.box(center=(0.1, 0.05, 0.2), size=(0.1, 0.2, 0.3)), scheme=scheme)
        omega = np.array([1.0, 2.0, 10.0])
        body.velocity, body.angular_velocity = np.cross(omega, body.position), omega
        sim.fix_point(body, (0, 0, 0))
        sim.advance(round(0.3 / step))
        return body.position
    for integrator in INTEGRATORS:
        for scheme in SCHEMES:
            steps, exact = (4e-3, 2e-3, 1e-3), place(integrator, scheme, 6.25e-5)
            yield order(f"{integrator}, {scheme}, slope", steps, [np.linalg.norm(place(integrator, scheme, h) - exact) for h in steps])


@case(THEME, "Slender bodies dropped at an angle")
def slender_drops():
    """Needles and plates 10 to 60 times longer than thick fall on a floor at random angles with a step far too long for their spin: the greatest energy on the
    way over that of the start."""
    for integrator in INTEGRATORS:
        rng, most_energy, deepest = np.random.default_rng(8), 0.0, 0.0
        for k in range(12):
            size = np.array((0.1, 0.1 / rng.uniform(10, 60), 0.1 / rng.uniform(10, 60))) if k % 2 else np.array((0.1, 0.08, 0.1 / rng.uniform(10, 60)))
            sim = simulation(5e-3, integrator=integrator, friction=0.3)
            floor(sim)
            body = sim.rigid(shapes.box((0, 0, 0), size), density=7800)
            body.rotation, body.position = random_rotation(rng), (0, 0, 0.3)
            energy = lambda: body.kinetic_energy + body.mass * G * body.position[2]  # noqa: B023, E731
            start = energy()
            for _ in range(200):
                sim.advance()
                most_energy = max(most_energy, energy() / start)
            deepest = max(deepest, -body.position[2] / size.min())
        # a leapfrog's velocities are half a step old: m g v h / 2 of 0.3 m
        yield most(f"{integrator}, energy", most_energy, 1.0 + 1e-9 if integrator == "MOREAU" else 1.05, 1.0)
        yield most(f"{integrator}, centre below the floor, of the thickness", max(deepest, 0), 0.05)


@case(THEME, "A spin too fast for the step is named")
def spin_warning():
    """The warning tells body, spin and the step that would do; slower ones give none."""
    import warnings
    for spin, expected in ((1500.0, 1), (50.0, 0)):
        sim, body = spinning((0.1, 0.02, 0.03), (0, 0, spin), 1e-3)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sim.advance(3)
        said = [str(w.message) for w in caught if f"body {body.id} turns" in str(w.message) and "would do" in str(w.message)]
        yield exactly(f"{spin:g} rad/s at 1e-3 s, warnings", expected, len(said))
