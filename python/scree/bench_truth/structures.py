"""Structures that must stand, and some that must fall; chains; grains."""
import math

import numpy as np

from .. import shapes
from .case import case, exactly, least, most, near, relative
from .scenes import G, floor, simulation

THEME = "structures"


def arch(thickness, blocks=27, steps=500, friction=0.5):
    """Semicircular arch of voussoirs between fixed abutments, centre line of radius 10 m: kinetic energy after, J a kg/m^3."""
    sim = simulation(1e-3, friction=friction, tolerance=1e-8)
    inner, outer = 10 * (1 - thickness / 2), 10 * (1 + thickness / 2)
    for k in range(-1, blocks + 1):
        points = [(-r * math.cos(a), y, r * math.sin(a)) for a in (math.pi * k / blocks, math.pi * (k + 1) / blocks) for r in (inner, outer) for y in (-2.5, 2.5)]
        if k in (-1, blocks):
            sim.obstacle(shapes.hull(points))
        else:
            sim.rigid(shapes.hull(points), density=1.0)
    sim.advance(steps)
    return sim.energies["kinetic"]


@case(THEME, "Semicircular arch", slow=True)
def arches():
    """Couplet's arch needs a thickness of 0.1075 of its radius (Heyman, Milankovitch); 27 blocks. Kinetic energy after 0.5 s, J."""
    yield most("thickness 0.110, stands", arch(0.110), 1e-4)
    yield least("thickness 0.104, falls", arch(0.104), 1e-3)


@case(THEME, "Harmonic overhang")
def overhang():
    """Six bricks over the edge of a table, the k-th from the top by L / 2k: stands 2 % short of that, falls 2 % beyond."""
    for share in (0.98, 1.02):
        sim = simulation(2e-3, friction=0.7)
        sim.obstacle(shapes.box(low=(-5, -2, -1), high=(0, 2, 0)))
        right, bricks = 0.0, []
        for k in range(6):
            right += share / (2 * (6 - k))
            bricks.append(sim.rigid(shapes.box((right - 0.5, 0, 0.05 + 0.1 * k), (1, 0.5, 0.1))))
        sim.advance(400)
        moved = max(abs(b.position[2] - 0.05 - 0.1 * k) for k, b in enumerate(bricks))
        yield most("2 % short, m", moved, 1e-6) if share < 1 else least("2 % beyond, m", moved, 1e-3)


@case(THEME, "Toppling or sliding")
def topple():
    """A block b wide and H high on a slope topples when tan > b / H and friction holds: angle turned after 0.5 s, rad."""
    for tilt, expected in ((0.45, False), (0.55, True)):
        c = 1 / math.hypot(1, tilt)
        sim = simulation(1e-3, (G * tilt * c, 0, -G * c), friction=1.0)
        floor(sim)
        body = sim.rigid(shapes.box((0, 0, 0.5), (0.5, 0.5, 1.0)))
        sim.advance(500)
        turned = math.acos(min(1.0, body.rotation[2, 2]))
        yield least(f"tan {tilt:g} over b / H = 0.5: topples", turned, 1e-2) if expected else most(f"tan {tilt:g} under b / H = 0.5: stands", turned, 1e-9)


@case(THEME, "Rocking block")
def rocking():
    """Housner: a slender block let go from theta0 reaches the upright after acosh(1 / (1 - theta0 / alpha)) / p, p^2 = 3 g / 4 R (small angles; its own angle alpha = 0.1); without
    restitution the impact leaves ((1 - 3/2 sin^2 alpha)) of the rate."""
    alpha, R, theta0 = 0.1, 1.0, 0.05
    b, height = 2 * R * math.sin(alpha), 2 * R * math.cos(alpha)
    sim = simulation(2e-4, friction=10.0, tolerance=1e-10)
    floor(sim)
    shape = shapes.translate(shapes.box((0, 0, height / 2), (b, 0.5, height)), (b / 2, 0, 0))  # on its left lower edge
    body = sim.rigid(shapes.rotate(shape, (0, 1, 0), -theta0))
    low = min(p[2] for p in body.shape.pieces[0]["vertices"])
    body.position = body.position - (0, 0, low)
    rates = [0.0]
    while len(rates) < 5000 and (rates[-1] >= rates[-2] if len(rates) > 1 else True):
        sim.advance()
        rates.append(abs(body.angular_velocity[1]))
    upright = sim.time
    sim.advance(2)  # the impact may fall into two steps
    p = math.sqrt(3 * G / (4 * R))
    yield relative("quarter period, s", math.acosh(1 / (1 - theta0 / alpha)) / p, upright, 2e-2)
    yield near("rate after the impact over before", 1 - 1.5 * math.sin(alpha) ** 2, abs(body.angular_velocity[1]) / max(rates), 5e-3)


@case(THEME, "Dominoes")
def dominoes():
    """Eight dominoes fall one after another: order of their falls."""
    sim = simulation(1e-3, friction=0.4)
    floor(sim)
    stones = [sim.rigid(shapes.box((0.3 * k + 0.05, 0, 0.5), (0.1, 0.5, 1.0))) for k in range(8)]
    stones[0].angular_velocity = (0, 1.5, 0)
    fall = [math.inf] * 8
    for _ in range(250):
        sim.advance(10)
        for k, stone in enumerate(stones):
            if stone.rotation[2, 2] < math.cos(0.35):
                fall[k] = min(fall[k], sim.time)
    yield exactly("all fall, in order", True, bool(np.all(np.isfinite(fall)) and np.all(np.diff(fall) > 0)))


@case(THEME, "Brick wall at rest")
def wall():
    """50 bricks in bond, 300 steps: greatest drift, m, and forces on the floor over the weight."""
    sim = simulation(1e-3, friction=0.3)
    floor(sim)
    bricks = [sim.rigid(shapes.box(((i - 2) * 0.201 + (0.05 if k % 2 else 0), 0, 0.05 + 0.1 * k), (0.2, 0.1, 0.1)), density=2500) for k in range(10) for i in range(5)]
    start = sim.bodies.positions.copy()
    sim.advance(300)
    contacts = sim.contacts
    force = sum(f[2] for f, pair in zip(contacts["force"], contacts["bodies"]) if 0 in pair)
    yield most("drift, m", np.abs(sim.bodies.positions - start).max(), 1e-9)
    yield near("force on the floor over the weight", 1.0, force / (50 * bricks[0].mass * G), 1e-6)


@case(THEME, "Catenary")
def catenary():
    """A chain of 23 balls on 24 links hung between two points 1.6 m apart, 2.4 m of links, let come to rest with damping: depth of a catenary of rigid links (a polygon of
    equal loads at its joints, whose horizontal force H solves the span)."""
    links, length, span = 24, 0.1, 1.6
    sim = simulation(5e-3, tolerance=1e-10)
    # hung up along another curve of the same links: two straight halves
    depth = math.sqrt((links * length / 2) ** 2 - (span / 2) ** 2)
    balls = []
    for t in np.arange(1, links) / links:
        balls.append(sim.rigid(shapes.sphere((-span / 2 + span * t, 0, -depth * (2 * t if t < 0.5 else 2 - 2 * t)), 0.01), density=7800, damping=3.0))

    def polygon(H):
        x, z, points = -span / 2, 0.0, []
        for k in range(links):
            slope = (k + 0.5 - links / 2) / H
            x, z = x + length / math.hypot(1, slope), z + slope * length / math.hypot(1, slope)
            points.append((x, 0, z))
        return points
    low, high = 1e-3, 1e3
    for _ in range(200):
        mid = math.sqrt(low * high)
        low, high = (mid, high) if polygon(mid)[-1][0] < span / 2 else (low, mid)
    exact = polygon(low)
    sim.rigid_link(balls[0], None, balls[0].center, (-span / 2, 0, 0))
    for a, b in zip(balls, balls[1:]):
        sim.rigid_link(a, b, a.center, b.center)
    sim.rigid_link(balls[-1], None, balls[-1].center, (span / 2, 0, 0))
    sim.advance(1600)
    yield near("depth, m", min(p[2] for p in exact), min(b.position[2] for b in balls), 2e-3)


@case(THEME, "Scaled scenes give scaled answers", "3.4")
def scale():
    """Balls and boxes dropped on a floor, lengths times 1e-3 and 1e3, times by the root: greatest deviation of places over the length scale, m."""
    def dropped(scale):
        sim = simulation(2e-3 * math.sqrt(scale), (0, 0, -10), friction=0.4)
        sim.obstacle(shapes.box(low=np.array((-5, -5, -1)) * scale, high=np.array((5, 5, 0)) * scale))
        for k in range(5):
            c = np.array((0.11 * (k % 2), 0.07 * (k % 3), 0.3 + 0.6 * k)) * scale
            sim.rigid(shapes.sphere(c, 0.2 * scale))
            sim.rigid(shapes.box(low=c + np.array((0.5, 0, 0)) * scale, high=c + np.array((0.8, 0.3, 0.3)) * scale))
        sim.advance(200)
        return sim.bodies.positions / scale
    unit_ = dropped(1.0)
    for factor in (1e-3, 1e3):
        yield most(f"scale {factor:g}", np.abs(dropped(factor) - unit_).max(), 1e-4)


@case(THEME, "Janssen's silo", slow=True)
def janssen():
    """Balls poured into a square silo with rough walls, let rest: the floor carries less than the weight, and the share falls with height as (1 - exp(-x)) / x with one x for a
    height and twice x for twice the height (within grains' scatter)."""
    def share(layers, seed=2):
        rng, r, side = np.random.default_rng(seed), 0.02, 5
        sim = simulation(1e-3, friction=0.5, tolerance=1e-4)
        width = 2 * r * side * 1.02
        bottom = sim.obstacle(shapes.box(low=(-1, -1, -1), high=(1, 1, 0)))
        for axis in (0, 1):
            for at in (-0.1 - width / 2, width / 2):
                low, high = [-1, -1, 0], [1, 1, 3]
                low[axis], high[axis] = at, at + 0.1
                sim.obstacle(shapes.box(low=low, high=high))
        for k in range(side * side * layers):
            p = np.array((k % side - (side - 1) / 2, k // side % side - (side - 1) / 2, k // side**2 + 0.6)) * 2 * r * 1.01
            sim.rigid(shapes.sphere(p + rng.uniform(-1, 1, 3) * 2e-4, r * rng.uniform(0.93, 1.0)), density=2500)
        sim.advance(1200)
        contacts = sim.contacts
        force = sum(f[2] for f, pair in zip(contacts["force"], contacts["bodies"]) if bottom.id in pair)
        weight = sum(b.mass for b in sim.bodies if b.kind == "rigid") * G
        return abs(force) / weight
    one, two = share(8), share(16)
    yield most("share of the floor, 8 layers", one, 0.98, "below 1")
    yield most("share of the floor, 16 layers", two, 0.95 * one, "below that of 8")
