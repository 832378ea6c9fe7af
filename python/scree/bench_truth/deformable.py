"""Elastic bodies: spinning, damped, bent, in contact."""
import math

import numpy as np

from .. import bench_elastic, shapes
from .case import case, most, near, order, relative
from .scenes import simulation

THEME = "deformable"
FORMS = {"pseudo-rigid": None, "TL": ("TL", 1), "TL order 2": ("TL", 2), "BC": ("BC", 1), "BC-IM": ("BC-IM", 1), "BC-MODAL": ("BC-MODAL", 1)}
SURFACES = [1, 2, 3, 4, 5, 6]  #: z0, y0, x1, y1, x0, z1 of a block


def block(size, cells, at=(0, 0, 0)):
    """A box of hexahedra with surface ids 1 at z0, 6 at z1 and others at the sides."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], float)
    return shapes.hex(corners * size + at, cells=cells, surface=SURFACES)


def bar(sim, kind, size, cells, young, poisson=0.3, density=1000.0, **more):
    material = sim.bulk_material(density=density, young=young, poisson=poisson)
    if FORMS[kind] is None:
        return sim.pseudo_rigid(shapes.box(np.multiply(size, 0.5), size), material=material, **more)
    form, degree = FORMS[kind]
    if form == "BC-MODAL":
        more["modes"] = 8
    return sim.finite_element(block(size, cells), material=material, form=form, order=degree, **more)


def energy(body):
    return body.kinetic_energy + body.internal_energy


@case(THEME, "Free spinning bodies keep their energy")
def spinning():
    """Bars and cubes that spin about an axis of theirs, h omega to 0.1, E from 1e8 to 2e11 Pa, 300 steps: greatest change of kinetic and stored energy, relative."""
    for kind in FORMS:
        worst = 0.0
        for size, cells, young, rate, step in (((1, 0.1, 0.05), (6, 1, 1), 1e8, 20.0, 5e-3), ((0.2, 0.2, 0.2), (2, 2, 2), 1e10, 50.0, 2e-3), ((1, 0.1, 0.1), (6, 1, 1), 2e11, 5.0, 1e-3)):
            sim = simulation(step, (0, 0, 0))
            body = bar(sim, kind, size, cells, young, angular_velocity=(0, rate, 0))
            start = energy(body)
            for _ in range(6):
                sim.advance(50)
                worst = max(worst, abs(energy(body) / start - 1))
        yield most(kind, worst, 1e-3)


@case(THEME, "Free spinning bodies over 10^4 steps", slow=True)
def spinning_long():
    """The bar at h omega = 0.1 for 10^4 steps: change of kinetic and stored energy, relative."""
    for kind in FORMS:
        sim = simulation(5e-3, (0, 0, 0))
        body = bar(sim, kind, (1, 0.1, 0.05), (6, 1, 1), 1e10, angular_velocity=(1.0, 20.0, 0))
        start, worst = energy(body), 0.0
        for _ in range(50):
            sim.advance(200)
            worst = max(worst, abs(energy(body) / start - 1))
        yield most(kind, worst, 1e-3)


@case(THEME, "Viscosity does not brake rotation")
def viscosity():
    """A cube that spins at 20 rad/s with stiffness_damping = h = 5e-4 s, 0.3 s: change of the angular velocity, relative (damping acts on strain rates alone)."""
    for kind in FORMS:
        if kind == "BC-MODAL":
            continue
        for scheme in ("DEF_LIM", "DEF_IMP"):
            sim = simulation(5e-4, (0, 0, 0))
            body = bar(sim, kind, (0.1, 0.1, 0.1), (2, 2, 2), 1e9, angular_velocity=(0, 20, 0), stiffness_damping=5e-4, scheme=scheme)
            sim.advance(600)
            # the body's centrifugal growth slows it by rho omega^2 a^2 / E = 4e-9
            yield near(f"{kind}, {scheme}, rad/s", 20.0, body.angular_velocity[1], 1e-4)


@case(THEME, "Bar in tension", "5.1")
def tension():
    """A free bar pulled at both ends, static: strain p / E, any form that is linear at small strain."""
    for kind in ("TL", "TL order 2", "BC", "BC-IM"):
        sim = simulation(0.1, (0, 0, 0), tolerance=1e-10)
        sim.quasi_static = True
        body = bar(sim, kind, (2, 0.5, 0.4), (4, 1, 1), 1e9, poisson=0.0)
        sim.fix_surface(body, _surface(body, 0, 0.0), (1, 0, 0))
        for p, d in (((0, 0, 0), (0, 1, 0)), ((0, 0, 0), (0, 0, 1)), ((0, 0.5, 0), (0, 0, 1))):
            sim.fix_direction(body, p, d)
        body.apply_load(_surface(body, 0, 2.0), (1, 0, 0), 1e4)
        sim.advance(20)
        yield relative(f"{kind}, m", 1e4 * 2 / 1e9, body.point((2, 0.2, 0.2))[0] - 2, 1e-4)


def _surface(body, axis, value):
    """The surface id whose nodes lie at a coordinate."""
    for surface in SURFACES:
        points, _ = body.surface(surface)
        if len(points) and np.allclose(np.asarray(points)[:, axis], value):
            return surface
    raise ValueError("no such face")


def cantilever(kind, cells, length=20.0, force=1000.0, young=1e10, steps=20):
    """Tip of a beam 1 x 1 under an end force over Timoshenko's."""
    sim = simulation(10.0, (0, 0, 0))
    sim.quasi_static = True
    body = bar(sim, kind, (length, 1, 1), cells, young, poisson=0.0)
    sim.fix_surface(body, _surface(body, 0, 0.0))
    body.apply_load(_surface(body, 0, length), (0, 0, -1), force)
    sim.advance(steps)
    exact = force * length**3 / (3 * young / 12) + force * length / (5 / 6 * young / 2)
    return -(body.point((length, 0.5, 0.5))[2] - 0.5) / exact


@case(THEME, "Cantilever", "5.3")
def cantilevers():
    """Tip deflection of a beam 20 times longer than thick over Timoshenko's."""
    yield near("TL order 2, 10 elements", 1.0, cantilever("TL order 2", (10, 1, 1)), 2e-3)
    yield near("BC-IM, 20 elements", 1.0, cantilever("BC-IM", (20, 1, 2)), 2e-3)


@case(THEME, "Cantilever of first-order elements converges with the square of the element", "5.3")
def cantilever_slope():
    """Error of the tip against the element's length; hexahedra of first order lock in bending."""
    cells = (10, 20, 40)
    errors = [abs(1 - cantilever("BC", (n, 1, 1), 10.0)) for n in cells]
    # the error is that of e / (1 + e): compare the stiffness ratio, which is 1 + c l^2
    yield order("slope of the stiffness", [1 / n for n in cells], [1 / (1 - e) - 1 for e in errors], 1.7, 0.3)


@case(THEME, "Elastica", "6.5")
def elastica():
    """A cantilever under an end force P L^2 / E I = 1, 3 and 10 in 20 quasi-static increments: tip over the length (Bisshopp and Drucker 0.3017, 0.6033, 0.8106)."""
    from ..series import TimeSeries
    for load, expected in ((1.0, 0.3017), (3.0, 0.6033), (10.0, 0.8106)):
        length, young = 10.0, 1e8
        sim = simulation(10.0, (0, 0, 0))
        sim.quasi_static = True
        body = bar(sim, "TL order 2", (length, 0.5, 0.5), (10, 1, 1), young, poisson=0.0)
        sim.fix_surface(body, _surface(body, 0, 0.0))
        force = load * young * 0.5**4 / 12 / length**2
        body.apply_load(_surface(body, 0, length), (0, 0, -1), TimeSeries([0, 0, 200, force / 0.25]))
        sim.advance(21)
        yield near(f"P L^2 / E I = {load:g}", expected, -(body.point((length, 0.25, 0.25))[2] - 0.25) / length, 5e-3)


@case(THEME, "Cook's membrane converges", "6.5")
def cook():
    """Tip of Cook's membrane in plane stress, nu = 1/3: 23.96 on fine meshes; elements of second order, and of first order with incompatible modes."""
    errors = [abs(bench_elastic.cook(n) / 23.96 - 1) for n in (2, 4, 8)]
    yield most("TL order 2, 8 x 8, error", errors[2], 6e-3)
    yield most("TL order 2, error of 8 x 8 over that of 4 x 4", errors[2] / errors[1], 0.5)
    yield near("BC-IM, 16 x 16", 23.96, bench_elastic.cook(16, order=1, form="BC-IM"), 0.015 * 23.96)


@case(THEME, "Lame's cylinder converges", "6.5")
def lame():
    """Inner wall of a thick cylinder in plane strain over the closed form; edges are chords, so that the error is of second order in their number."""
    errors = [1 - bench_elastic.thick_cylinder(n) for n in (1, 2)]
    yield order("slope", [1, 0.5], errors, 2.0, 0.3)
    yield near("extrapolated", 1.0, 1 - (4 * errors[1] - errors[0]) / 3, 1e-3)


@case(THEME, "Euler's column", "6.5")
def column():
    """Load at which a clamped column buckles, from deflections below it, over pi^2 E I / 4 L^2 (1.0019 by this estimate)."""
    yield near("load", 1.0019, bench_elastic.euler_buckling(), 5e-3)


def shortened(pressure, young):
    """Strain of a Saint Venant-Kirchhoff bar, Poisson's ratio 0: P = E (f^3 - f) / 2."""
    f = 1.0
    for _ in range(50):
        f -= (young * (f**3 - f) / 2 + pressure) / (young * (3 * f * f - 1) / 2)
    return 1 - f


@case(THEME, "Contact patch test", "5.9")
def patch():
    """A block pressed on a rigid floor by a uniform pressure: it shortens by p H / E (with finite strain: P = E (f^3 - f) / 2) and the stress is p everywhere; O1 and O2, one and more elements."""
    for degree in (1, 2):
        for cells in ((1, 1, 1), (3, 2, 2)):
            sim = simulation(0.1, (0, 0, 0))
            sim.quasi_static = True
            sim.obstacle(shapes.box((0.5, 0.5, -0.5), (4, 4, 1)))
            material = sim.bulk_material(density=1000, young=1e7, poisson=0.0)
            body = sim.finite_element(block((1, 1, 0.5), cells), material=material, order=degree)
            body.apply_load(_surface(body, 2, 0.5), (0, 0, -1), 1e4)
            sim.advance(40)
            sink = (0.5 - body.point((0.5, 0.5, 0.5))[2]) / (0.5 * shortened(1e4, 1e7))
            yield near(f"order {degree}, {cells}, shortening", 1.0, sink, 5e-5)
            stress = [-body.stress((x, y, z))[2] / 1e4 for x in (0.2, 0.5, 0.8) for y in (0.2, 0.7) for z in (0.1, 0.4)]
            yield near(f"order {degree}, {cells}, least stress", 1.0, min(stress), 1e-5)
            yield near(f"order {degree}, {cells}, greatest stress", 1.0, max(stress), 1e-5)


@case(THEME, "Contact patch test of two blocks that do not match", "5.9")
def patch_pair():
    """Two blocks on each other with different meshes under a uniform pressure: shortening over p H / E, and the spread of the stress."""
    for degree in (1, 2):
        for first, second in (((3, 3, 2), (4, 4, 2)), ((2, 2, 1), (3, 3, 1))):
            sim = simulation(0.1, (0, 0, 0))
            sim.quasi_static = True
            material = sim.bulk_material(density=1000, young=1e7, poisson=0.0)
            low = sim.finite_element(block((1, 1, 0.5), first), material=material, order=degree)
            high = sim.finite_element(block((1, 1, 0.5), second, (0, 0, 0.5)), material=material, order=degree)
            sim.fix_surface(low, _surface(low, 2, 0.0), (0, 0, 1))
            for p, d in (((0, 0, 0), (1, 0, 0)), ((0, 0, 0), (0, 1, 0)), ((1, 0, 0), (0, 1, 0))):
                sim.fix_direction(low, p, d)
                sim.fix_direction(high, np.add(p, (0, 0, 1)), d)
            high.apply_load(_surface(high, 2, 1.0), (0, 0, -1), 1e4)
            sim.advance(40)
            yield near(f"order {degree}, {first[:2]} under {second[:2]}, shortening", 1.0, (1 - high.point((0.5, 0.5, 1))[2]) / shortened(1e4, 1e7), 1e-4)
            stress = [-b.stress((x, y, z + dz))[2] / 1e4 for b, dz in ((low, 0), (high, 0.5)) for x in (0.2, 0.6) for y in (0.3, 0.8) for z in (0.1, 0.4)]
            yield most(f"order {degree}, {first[:2]} under {second[:2]}, stress beside p", max(abs(s - 1) for s in stress), 1e-4)


@case(THEME, "Soft blocks of second order thrown on a floor", "6.7")
def soft_blocks():
    """Blocks of 0.3 x 0.2 x 0.1 m, E = 1e6, at 5 m/s: depth of the lowest node, of the height, and greatest gain of kinetic, stored and potential energy in a step, relative."""
    for cells in ((2, 2, 2), (4, 3, 2)):
        sim = simulation(1e-3, friction=0.3)
        sim.obstacle(shapes.box(low=(-2, -2, -1), high=(2, 2, 0)))
        soft = sim.bulk_material(density=1000, young=1e6, poisson=0.3)
        body = sim.finite_element(block((0.3, 0.2, 0.1), cells, (0, 0, 0.01)), material=soft, order=2, velocity=(0, 0, -5))
        deepest, total = 0.0, [energy(body) + sim.energies["potential"]]
        for _ in range(40):
            sim.advance(1)
            total.append(energy(body) + sim.energies["potential"])
            deepest = max(deepest, -body.nodes[:, 2].min())
        yield most(f"{cells}, depth", deepest / 0.1, 0.04)
        yield most(f"{cells}, gain", np.diff(total).max() / total[0], 1e-6)


@case(THEME, "Stiff bodies thrown spinning on a floor", "6.4")
def spinning_touch():
    """Bars and cubes, E = 1e10, friction 0.3, with steps far above their periods, no gravity: greatest gain of kinetic and stored energy in a step, relative (contacts add none, theory eq. 6.20), and what is left of it."""
    for kind in ("pseudo-rigid", "TL", "BC"):
        gain, left = 0.0, 0.0
        for size, cells, spin in (((1, 0.1, 0.05), (6, 1, 1), (3, 12, -5)), ((0.5, 0.5, 0.45), (2, 2, 2), (-9, 4, 11))):
            sim = simulation(2e-3, (0, 0, 0), friction=0.3)
            sim.obstacle(shapes.box(low=(-9, -9, -2), high=(9, 9, -0.5)))
            body = bar(sim, kind, size, cells, 1e10, velocity=(0.5, 0.2, -2.0), angular_velocity=spin)
            total = [energy(body)]
            for _ in range(200):
                sim.advance()
                total.append(energy(body))
            gain, left = max(gain, np.diff(total).max() / total[0]), max(left, total[-1] / total[0])
        yield most(f"{kind}, gain in a step", gain, 1e-6)
        yield most(f"{kind}, left after 0.4 s", left, 0.9, "less")


@case(THEME, "Speed of a wave in a bar", "5.4")
def wave():
    """A free bar thrown flat against a wall without restitution touches it for 2 L / c, c = sqrt(E / rho), and leaves with its speed."""
    length, young, density, speed = 1.0, 1e8, 1000.0, 0.5
    c = math.sqrt(young / density)
    sim = simulation(length / c / 150, (0, 0, 0))
    sim.obstacle(shapes.box(low=(-1, -1, -1), high=(0, 1, 1)))
    body = sim.finite_element(block((length, 0.05, 0.05), (60, 1, 1), (1e-6, 0, 0)), material=sim.bulk_material(density=density, young=young, poisson=0.0), velocity=(-speed, 0, 0))
    first = last = None
    for _ in range(420):
        sim.advance()
        if np.any(sim.contacts["force"]):
            first = first or sim.time
            last = sim.time
    yield relative("contact time, s", 2 * length / c, last - first, 0.05)
    yield near("speed after, m/s", speed, body.velocity[0], 0.03 * speed)


@case(THEME, "Thick cylinder under pressure", "5.7")
def cylinder():
    """Lame: inner radius 0.1, outer 0.2 m, inner pressure 60 MPa, free ends: the inner wall moves by 5.9e-5 m. Order 2; slope against the number of facets' square."""
    def wall(cells):
        sim = simulation(10.0, (0, 0, 0))
        sim.quasi_static = True
        shape = shapes.pipe((0, 0, 0), (0, 0, 0.02), 0.1, 0.1, cells=(1, cells, 3), surface=[1, 2, 3, 4])
        body = sim.finite_element(shape, material=sim.bulk_material(density=7800, young=2e11, poisson=0.3), order=2)
        nodes = np.asarray(body.nodes)
        inner = [n for n in nodes if abs(np.hypot(n[0], n[1]) - 0.1) < 1e-9 and abs(n[2]) < 1e-9]
        for angle in (0, math.pi / 2, math.pi):
            p = min(inner, key=lambda n: np.linalg.norm(n[:2] - 0.1 * np.array((math.cos(angle), math.sin(angle)))))
            sim.fix_direction(body, p, (-p[1], p[0], 0)), sim.fix_direction(body, p, (0, 0, 1))
        for surface in (1, 2, 3, 4):
            points, _ = body.surface(surface)
            r = np.hypot(np.asarray(points)[:, 0], np.asarray(points)[:, 1])
            if len(points) and r.max() < 0.11:
                body.apply_pressure(surface, 6e7)
        sim.advance(6)
        p = min(inner, key=lambda n: np.linalg.norm(n[:2] - 0.1 * np.array((math.cos(math.pi / 4), math.sin(math.pi / 4)))))
        return np.linalg.norm(body.point(p)[:2]) - np.linalg.norm(p[:2])
    # flat facets replace the circle: (pi / n)^2 of it
    yield near("24 facets, m", 5.9e-5, wall(24), 5.9e-5 * (math.pi / 24) ** 2)
