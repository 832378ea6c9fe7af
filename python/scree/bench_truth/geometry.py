"""Gaps, normals and contact points against an oracle that tries every axis, and contacts in corners and on flush pieces."""
import numpy as np

from .. import shapes
from .case import case, exactly, least, most, near
from .scenes import random_rotation, simulation, unit

THEME = "contact geometry"


class Solid:
    """Vertices, face normals and edges of a convex polyhedron in place, by qhull's triangles merged where they are flat."""

    def __init__(self, piece, rotation=None, place=(0, 0, 0)):
        self.vertices = np.asarray(piece["vertices"]) @ (np.eye(3) if rotation is None else rotation).T + place
        normals, edges = [], set()
        for face in piece["faces"]:
            x = self.vertices[list(face)]
            n = np.sum(np.cross(x - x[0], np.roll(x, -1, axis=0) - x[0]), axis=0)
            normals.append(n / np.linalg.norm(n))
            edges |= {(min(a, b), max(a, b)) for a, b in zip(face, np.roll(face, -1))}
        self.normals = np.array(normals)
        self.edges = np.array(sorted(edges))

    def directions(self):
        return self.vertices[self.edges[:, 1]] - self.vertices[self.edges[:, 0]]


def separations(axes, a, b):
    """min over b of n.x - max over a, for unit axes."""
    return (axes @ b.vertices.T).min(axis=1) - (axes @ a.vertices.T).max(axis=1)


def exact_gap(a, b):
    """Largest separation over all face normals, cross products of edges and, apart, directions between vertices and edges (any direction is a lower bound)."""
    cross = np.cross(a.directions()[:, None], b.directions()[None]).reshape(-1, 3)
    length = np.linalg.norm(cross, axis=1)
    scale = np.linalg.norm(a.directions(), axis=1)[:, None] * np.linalg.norm(b.directions(), axis=1)
    good = length > 1e-13 * scale.ravel()
    cross = cross[good] / length[good, None]
    best = max(separations(axes, a, b).max() for axes in (a.normals, -b.normals, cross, -cross))
    if best <= 0:
        return best
    for p, q, sign in ((a, b, 1.0), (b, a, -1.0)):
        u, d = q.vertices[q.edges[:, 0]], q.directions()
        for x in p.vertices:
            t = np.clip(np.einsum("ij,ij->i", x - u, d) / np.einsum("ij,ij->i", d, d), 0, 1)
            n = u + t[:, None] * d - x
            size = np.linalg.norm(n, axis=1)
            n = n[size > 0] / size[size > 0, None]
            best = max(best, separations(sign * n, a, b).max())
    return best


def random_hull(rng):
    """4 to 60 points on a ball or in a cube, sometimes flattened to 1e-3."""
    count = rng.integers(4, 12) if rng.random() < 0.7 else rng.integers(4, 61)
    points = rng.uniform(-1, 1, (count, 3))
    if rng.random() < 0.4:
        points = rng.normal(size=(count, 3))
        points /= np.linalg.norm(points, axis=1)[:, None]
    if rng.random() < 0.3:
        points *= (1, 10 ** rng.uniform(-3, 0), 10 ** rng.uniform(-3, 0))
    return shapes.hull(points)


def reported(first, second, size):
    """Least gap Scree reports for two bodies as they are placed, and its normal; a step so short that nothing moves."""
    sim = simulation(1e-12, (0, 0, 0))
    sim.contact_settings(margin=4 * size, recovery=0.0)
    sim.obstacle(first)
    sim.rigid(second)
    sim.advance()
    contacts = sim.contacts
    if not len(contacts["gap"]):
        return np.inf, np.array((0, 0, 1.0))
    k = np.argmin(contacts["gap"])
    return contacts["gap"][k], contacts["normal"][k] * (1 if contacts["bodies"][k][0] == 0 else -1)


def hull_errors(rng, count):
    """Errors of gap and of the separation along the normal, of the smaller body's size."""
    for _ in range(count):
        a, b = random_hull(rng), random_hull(rng)
        turn = random_rotation(rng)
        kind = rng.integers(4)
        if kind == 3:  # nearly parallel copies
            b, turn = a, np.eye(3) + 10 ** rng.uniform(-12, -2) * np.cross(np.eye(3), unit(rng))
            turn = np.linalg.qr(turn)[0] * np.sign(np.diag(np.linalg.qr(turn)[1]))
        solid = Solid(a.pieces[0])
        other = np.asarray(b.pieces[0]["vertices"]) @ turn.T
        place = rng.uniform(0, 1.3) * unit(rng)
        b = shapes.hull(other + place)
        moved = Solid(b.pieces[0])
        if kind > 0:  # touching, or apart and deep by any order of magnitude
            gap = exact_gap(solid, moved)
            wanted = 0.0 if kind == 1 else rng.choice((-1, 1)) * 10 ** rng.uniform(-12, -0.5)
            # along the axis that parts them: from the centres, good enough to come near
            axis = (moved.vertices.mean(0) - solid.vertices.mean(0)) + 1e-9
            axis /= np.linalg.norm(axis)
            b = shapes.hull(other + place + (wanted - gap) * axis)
            moved = Solid(b.pieces[0])
        size = min(np.ptp(s.vertices, axis=0).max() for s in (solid, moved))
        gap, normal = reported(a, b, max(np.ptp(s.vertices, axis=0).max() for s in (solid, moved)))
        exact = exact_gap(solid, moved)
        along = separations(normal[None], solid, moved)[0]
        yield max(abs(gap - exact), abs(along - exact)) / size


@case(THEME, "Polyhedra against an oracle, random pairs")
def hulls():
    """60 pairs of hulls of 4 to 60 vertices, touching, deep, flat and nearly parallel: greatest error of gap and normal, of the size. (10^6 pairs:
    SCREE_PAIRS=1000000 test_collision --gtest_filter='exact_gap.*'.)"""
    yield most("greatest error", max(hull_errors(np.random.default_rng(77), 60)), 1e-9)


@case(THEME, "Polyhedra against an oracle, 2,000 pairs", slow=True)
def many_hulls():
    """The same with another seed and 2,000 pairs."""
    yield most("greatest error", max(hull_errors(np.random.default_rng(78), 2000)), 1e-9)


@case(THEME, "The face of least depth need not hold the deepest vertex")
def deepest_vertex():
    """Tetrahedra whose deepest point is behind another face: gap against the oracle, m, over 60 pairs that overlap."""
    rng, worst, count = np.random.default_rng(5), 0.0, 0
    while count < 60:
        a, b = (shapes.hull(rng.uniform(-0.5, 0.5, (4, 3))) for _ in range(2))
        exact = exact_gap(Solid(a.pieces[0]), Solid(b.pieces[0]))
        if exact > -0.02:
            continue
        count += 1
        worst = max(worst, abs(reported(a, b, 1.0)[0] - exact))
    yield most("greatest error, m", worst, 1e-10)


@case(THEME, "Spheres and polyhedra")
def spheres():
    """A sphere against a hull: the distance of its centre less its radius, 150 pairs, of the size."""
    rng, worst = np.random.default_rng(9), 0.0

    class Point:
        def __init__(self, x):
            self.vertices, self.normals, self.edges = np.array([x]), np.zeros((0, 3)), np.zeros((0, 2), int)

        def directions(self):
            return np.zeros((0, 3))

    def point_gap(x, solid):
        inside = separations(-solid.normals, Point(x), solid)
        if inside.max() <= 0:
            return inside.max()
        best = inside.max()
        u, d = solid.vertices[solid.edges[:, 0]], solid.directions()
        t = np.clip(np.einsum("ij,ij->i", x - u, d) / np.einsum("ij,ij->i", d, d), 0, 1)
        n = u + t[:, None] * d - x
        n /= np.linalg.norm(n, axis=1)[:, None]
        return max(best, separations(n, Point(x), solid).max())

    for _ in range(150):
        hull = random_hull(rng)
        solid = Solid(hull.pieces[0])
        x, radius = rng.uniform(0, 1.8) * unit(rng), 10 ** rng.uniform(-1.5, 0)
        gap, _ = reported(hull, shapes.sphere(x, radius), 4.0)
        worst = max(worst, abs(gap - (point_gap(x, solid) - radius)) / min(2 * radius, np.ptp(solid.vertices, axis=0).max()))
    yield most("greatest error", worst, 1e-9)


@case(THEME, "Ellipsoids")
def ellipsoids():
    """Ellipsoid on a plane: height of the centre less sqrt(n E n); ellipsoids apart: the gap is what its normal parts them by, and none of 2000 directions parts
    them farther."""
    rng, plane, pair, beaten = np.random.default_rng(21), 0.0, 0.0, 0.0
    directions = np.array([unit(rng) for _ in range(2000)])
    for _ in range(60):
        radii, turn, height = 10 ** rng.uniform(-1, 0, 3), random_rotation(rng), rng.uniform(-0.05, 1.5)
        support = lambda n, r=radii, q=turn: np.linalg.norm((n @ q) * r, axis=-1)  # noqa: E731
        expected = height - support(np.array((0, 0, 1.0)))
        if expected > -0.1 * radii.min():
            gap, _ = reported(shapes.box(low=(-5, -5, -1), high=(5, 5, 0)), shapes.ellipsoid((0, 0, height), radii, axes=turn), 4.0)
            plane = max(plane, abs(gap - expected) / (2 * radii.min()))
        other, second, place = 10 ** rng.uniform(-1, 0, 3), random_rotation(rng), rng.uniform(0.3, 2.2) * unit(rng)
        gap, normal = reported(shapes.ellipsoid((0, 0, 0), radii, axes=turn), shapes.ellipsoid(place, other, axes=second), 4.0)
        part = lambda n: n @ place - support(n) - np.linalg.norm((n @ second) * other, axis=-1)  # noqa: B023, E731
        pair = max(pair, abs(gap - part(normal)))
        beaten = max(beaten, part(directions).max() - gap)
    yield most("on a plane, error of the size", plane, 1e-9)
    yield most("pairs, gap beside its normal's, m", pair, 1e-9)
    yield most("pairs, how much another direction parts them farther, m", beaten, 1e-9)


@case(THEME, "Corners of obstacles", "8.3")
def corners():
    """Prisms, boxes and hulls without friction pushed into a corner of a floor and one or two walls for 0.3 s: how far they sink into any of the three, of their size,
    at mid-step."""
    rng = np.random.default_rng(33)
    for walls in (1, 2):
        worst = 0.0
        for k in range(12):
            sim = simulation(1e-3, (9.81, 4.0 if walls == 2 else 0.0, -9.81))
            sim.obstacle(shapes.box(low=(-1, -1, -0.5), high=(1, 1, 0)))
            sim.obstacle(shapes.box(low=(0, -1, 0), high=(1, 1, 1)))
            if walls == 2:
                sim.obstacle(shapes.box(low=(-1, 0.0, 0), high=(0, 1, 1)))
            if k == 0:
                points = np.array([(x, y, z) for y in (-0.2, 0) for x, z in ((0, 0), (0, 0.12), (-0.12, 0.06))])
            elif k % 3 == 0:
                points = np.array([(x, y, z) for x in (-0.15, 0) for y in (-0.1, 0) for z in (0, 0.08)])
            else:
                points = rng.normal(size=(12, 3))
                points *= 0.06 / np.linalg.norm(points, axis=1)[:, None]
                points += (-points[:, 0].max(), -points[:, 1].max(), -points[:, 2].min())
            body = sim.rigid(shapes.hull(points))
            for _ in range(6):
                sim.advance(50)
                x = np.array([body.point(p) for p in points])
                worst = max(worst, -x[:, 2].min(), x[:, 0].max(), x[:, 1].max() if walls == 2 else 0.0)
        # what is left alone is 1e-2 of the radius
        yield most(f"floor and {walls} wall{'s' if walls == 2 else ''}, m", worst, 2e-3)


@case(THEME, "Flush pieces are one surface", "8.3")
def flush():
    """Boxes and balls slide over a floor of flush plates without friction: change of their velocity, and of their height."""
    rng = np.random.default_rng(4)
    for name in ("box", "ball", "hull"):
        turn = rise = 0.0
        for k in range(4):
            sim = simulation(1e-3)
            for i in range(8):
                for j in range(3):
                    sim.obstacle(shapes.box(low=(0.3 * i - 0.5, 0.3 * j - 0.45, -0.1), high=(0.3 * i - 0.2, 0.3 * j - 0.15, 0)))
            points = rng.normal(size=(10, 3)) * 0.05
            points[:4] = (-0.05, -0.05, 0), (0.05, -0.05, 0), (0.05, 0.05, 0), (-0.05, 0.05, 0)
            points[4:, 2] = np.abs(points[4:, 2]) + 0.02
            points[4:, :2] *= 0.3
            shape = {"box": shapes.box((0, 0, 0.05), (0.1, 0.12, 0.1)), "ball": shapes.sphere((0, 0, 0.05), 0.05), "hull": shapes.hull(points)}[name]
            velocity = (1.3, 0.1 * k, 0)
            body = sim.rigid(shape, velocity=velocity)
            start = body.position[2]
            sim.advance(800)
            turn, rise = max(turn, np.linalg.norm(body.velocity - velocity)), max(rise, abs(body.position[2] - start))
        yield most(f"{name}, velocity, m/s", turn, 1e-6)
        yield most(f"{name}, height, m", rise, 1e-6)


@case(THEME, "Thin plates lie on hulls", "8.2")
def plates_on_hulls():
    """Plates of 0.15 x 0.1 x 0.02 m dropped on four fixed hulls, 20 of each step: greatest depth while they fall and come to lie, of their thickness."""
    for step in (2e-2, 1e-2, 5e-3):
        worst = 0.0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            sim = simulation(step, friction=0.5)
            for centre in ((-0.08, 0, 0), (0.08, 0.03, 0), (0, -0.1, 0), (0, 0.12, 0)):
                sim.obstacle(shapes.hull(np.array(centre) + 0.1 * np.array([unit(rng) for _ in range(12)])))
            sim.rigid(shapes.translate(shapes.rotate(shapes.box(center=(0, 0, 0), size=(0.15, 0.1, 0.02)), unit(rng), 3.0), (0, 0, 0.22)), density=2000)
            worst = max(worst, sim.advance(round(1.2 / step))["penetration_max"].max() / 0.02)
        yield most(f"h = {step:g}, depth", worst, 0.3)


def open_box(sim, ends, walls, height):
    """A floor from ends[0] to ends[1] both ways, and four walls of 0.1 m that begin at walls[0] and walls[1]."""
    sim.obstacle(shapes.box(low=(ends[0], ends[0], -0.1), high=(ends[1], ends[1], 0)))
    for axis in (0, 1):
        for side in walls:
            low, high = [ends[0], ends[0], 0], [ends[1], ends[1], height]
            low[axis], high[axis] = side, side + 0.1
            sim.obstacle(shapes.box(low=low, high=high))


@case(THEME, "Cubes of elements at rest between walls, undamped", slow=True)
def cubes_at_rest():
    """Eight co-rotational cubes of 2 x 2 x 2 elements on a floor between walls, 60 steps: greatest kinetic energy, of what they would gain by falling a tenth of
    their size, and depth."""
    sim = simulation(1e-3, friction=0.3)
    open_box(sim, (-1, 4), (-0.1, 3.0), 4)
    material = sim.bulk_material(density=1000, young=1e9, poisson=0.25)
    corners_ = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], float)
    for k in range(8):
        at = 1.0 * np.array((k % 2, k // 2 % 2, k // 4))
        sim.finite_element(shapes.hex(corners_ + at, cells=(2, 2, 2)), material=material, form="BC")
    rows = sim.advance(60)
    yield most("kinetic energy", rows["kinetic"].max() / (8 * 1000 * 9.81 * 0.1), 1e-3)
    yield most("depth, m", rows["penetration_max"].max(), 1e-2)


@case(THEME, "Polyhedra poured: no pair sinks unseen", slow=True)
def pour():
    """48 hulls poured into a box, 900 steps: deepest true overlap by the oracle, of the grains' diameter, of all pairs every 100 steps."""
    rng, d, step = np.random.default_rng(3), 0.05, 5e-4
    sim = simulation(step, friction=0.4, tolerance=1e-6)
    open_box(sim, (-0.3, 0.3), (-0.2, 0.1), 2)
    grains = []
    for m in range(48):
        centre = d * np.array((m % 4 - 1.5, m // 4 % 4 - 1.5, m // 16 + 0.5))
        points = np.array([unit(rng) for _ in range(14)]) * d / 2 * rng.uniform(0.8, 0.98)
        shape = shapes.hull(centre + points)
        grains.append((sim.rigid(shape, density=2500), shape.pieces[0]))
    deepest = 0.0
    for _ in range(9):
        sim.advance(100)
        solids = [Solid(piece, body.rotation, body.position - body.rotation @ body.center) for body, piece in grains]
        for i in range(len(solids)):
            for j in range(i):
                if np.linalg.norm(grains[i][0].position - grains[j][0].position) < d:
                    deepest = max(deepest, -exact_gap(solids[i], solids[j]) / d)
    yield most("deepest overlap", deepest, 0.01)
