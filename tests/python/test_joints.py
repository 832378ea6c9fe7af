"""Joints that are more than needed, and contacts that joints contradict: whatever the sizes, masses, order and integrator, nothing is driven fast."""
import warnings

import numpy as np
import pytest

import scree

INTEGRATORS = ("MOREAU", "SHAKE", "RATTLE")


def bar(sim, start, end, width, density):
    """A box of square section between two points."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = np.linalg.norm(end - start)
    along = (end - start) / length
    shape, axis = scree.box(center=(0, 0, 0), size=(length, width, width)), np.cross((1, 0, 0), along)
    if np.linalg.norm(axis) > 1e-12:
        shape = scree.rotate(shape, tuple(axis), np.arctan2(np.linalg.norm(axis), along[0]))
    return sim.rigid(scree.translate(shape, tuple((start + end) / 2)), density=density)


class Linkage:
    """Bars joined by balls; the joints that are more than needed may be left out, their order turned around."""

    def __init__(self, random, integrator, touch=False):
        self.size, ratio = 10 ** random.uniform(-3, 3), 10 ** random.uniform(-3, 3)
        self.gravity = 9.81 * self.size
        self.sim = scree.Simulation(step=10 ** random.uniform(-3.3, -2.3), integrator=integrator, gravity=(0, 0, -self.gravity), threads=1)
        self.sim.surface_material(friction=0.3)
        self.density = lambda k: 1000 * (ratio if k % 2 else 1)
        self.bars, self.joints, self.touch = [], [], touch

    def add(self, start, end, width=0.1):
        self.bars.append(bar(self.sim, self.size * np.asarray(start), self.size * np.asarray(end), self.size * width, self.density(len(self.bars))))

    def join(self, first, second, points):
        self.joints += [(first, second, tuple(self.size * np.asarray(p))) for p in points]

    def close(self, order=1):
        for first, second, p in self.joints[::order]:
            self.sim.rigid_link(self.bars[first], None if second is None else self.bars[second], p, p)
        if not self.touch:
            for k, one in enumerate(self.bars):
                for other in self.bars[:k]:
                    self.sim.exclude(bodies=(one, other))
        return self

    def drift(self):
        """Largest distance between points that belong together, in sizes."""
        places = [(self.bars[a].point(p), np.array(p) if b is None else self.bars[b].point(p)) for a, b, p in self.joints]
        return max(np.linalg.norm(np.subtract(*pair)) for pair in places) / self.size

    def energy(self):
        """J in units of what falling by the size gives."""
        energies = self.sim.energies
        return (energies["kinetic"] + energies["potential"]) / (sum(b.mass for b in self.bars) * self.gravity * self.size)

    def advance(self, steps):
        """The most energy gained since the start, and the largest drift."""
        first, gain, drift = self.energy(), 0.0, 0.0
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for _ in range(steps):
                self.sim.advance(1)
                gain, drift = max(gain, self.energy() - first), max(drift, self.drift())
        self.told = [str(w.message) for w in told]
        return gain, drift


def four_bars(seed, integrator, joints, touch=False, order=1):
    """A plane loop whose fourth bar is held in space; `joints` balls a hinge along its axis."""
    random = np.random.default_rng(seed)
    linkage = Linkage(random, integrator, touch)
    corners = np.array([(0, 0, 0), (0.2, 0, 1), (1.4, 0, 1.2), (1, 0, 0)]) + np.column_stack([random.uniform(-0.1, 0.1, 4), np.zeros(4), random.uniform(-0.1, 0.1, 4)])
    for k in range(4):
        linkage.add(corners[k], corners[(k + 1) % 4])
    offsets = np.linspace(-0.05, 0.05, joints) if joints > 1 else (0.0,)
    linkage.join(3, None, [corners[0], corners[3], corners[0] + (0, 0.1, 0)])
    for k in range(4):
        linkage.join(k, (k + 1) % 4, [corners[(k + 1) % 4] + (0, y, 0) for y in offsets])
    return linkage.close(order)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(3))
def test_joints_that_are_more_than_needed_change_nothing(seed, integrator):
    """A plane four-bar loop moves the same with one ball a hinge and with two or three, and in either order."""
    runs = [four_bars(seed, integrator, joints, order=order) for joints, order in ((1, 1), (2, 1), (3, -1))]
    for run in runs:
        gain, drift = run.advance(60)
        assert gain < 1e-4 and drift < 1e-3
    places = [np.array([b.position for b in run.bars]) / run.size for run in runs]
    assert places[1] == pytest.approx(places[0], abs=1e-8) and places[2] == pytest.approx(places[0], abs=1e-8)


def momenta(bodies):
    """Linear momentum, angular momentum about the origin and kinetic energy."""
    linear, angular = np.zeros(3), np.zeros(3)
    for b in bodies:
        p, turn = b.mass * np.asarray(b.velocity), np.asarray(b.rotation)
        linear += p
        angular += np.cross(b.position, p) + turn @ np.asarray(b.inertia) @ turn.T @ np.asarray(b.angular_velocity)
    return linear, angular, sum(b.kinetic_energy for b in bodies)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("joints", [1, 2, 3, 6])
def test_redundant_joints_do_not_brake(joints, integrator):
    """Two free bodies spin together: balls that have drifted, and are more than needed, take neither angular momentum nor energy."""
    for seed in range(3):
        random = np.random.default_rng(seed)
        sim = scree.Simulation(step=2e-3, integrator=integrator, gravity=(0, 0, 0), threads=1)
        sim.surface_material(friction=0.0)
        bodies = [sim.rigid(scree.box(center=(0, 0, 0), size=(1, 0.3, 0.2)), density=1000),
                  sim.rigid(scree.box(center=(1.2, 0.1, 0), size=(0.8, 0.2, 0.3)), density=1000 * 10 ** random.uniform(-2, 2))]
        sim.exclude(bodies=bodies)
        for p in (0.6, 0, 0) + 0.2 * random.normal(size=(joints, 3)):
            sim.rigid_link(*bodies, tuple(p), tuple(p))
        spin, centre = 3 * random.normal(size=3), np.average([b.position for b in bodies], axis=0, weights=[b.mass for b in bodies])
        for b in bodies:
            b.angular_velocity, b.velocity = tuple(spin), tuple(np.cross(spin, np.asarray(b.position) - centre))
        first = momenta(bodies)
        sim.advance(200)
        last = momenta(bodies)
        # leapfrogs report velocities of the middle of the step with places of its end
        share = 1e-11 if integrator == "MOREAU" else 4e-3
        assert np.linalg.norm(last[1] - first[1]) < share * np.linalg.norm(first[1])
        assert last[2] == pytest.approx(first[2], rel=1e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_loops_with_redundant_hinges_go_on_moving(integrator):
    """A free plane loop tumbles while its hinges turn: drift tilts their axes, which must not stop the loop, whether hinges have two balls or three."""
    corners, rates = np.array([(0, 0, 0), (0.2, 1, 0), (1.4, 1.2, 0), (1, 0, 0)]), []
    for joints in (2, 3):
        random = np.random.default_rng(0)
        sim = scree.Simulation(step=2e-3, integrator=integrator, gravity=(0, 0, 0), threads=1)
        sim.surface_material(friction=0.0)
        bars = [bar(sim, corners[k], corners[(k + 1) % 4], 0.1, 1000 * 10 ** random.uniform(-1, 1)) for k in range(4)]
        for k in range(4):
            for p in corners[(k + 1) % 4] + np.outer(np.linspace(-0.05, 0.05, joints), (0, 0, 1)):
                sim.rigid_link(bars[k], bars[(k + 1) % 4], tuple(p), tuple(p))
            for other in bars[:k]:
                sim.exclude(bodies=(bars[k], other))
        spin = 2 * random.normal(size=3)
        for b in bars:
            b.angular_velocity, b.velocity = tuple(spin), tuple(np.cross(spin, b.position))
        bars[0].angular_velocity = tuple(spin + (0, 0, 2))
        sim.advance(2)
        first = sim.energies["kinetic"]
        sim.advance(600)
        assert sim.energies["kinetic"] == pytest.approx(first, rel=1e-4)
        rates.append([np.subtract(bars[k].angular_velocity, bars[k - 1].angular_velocity) for k in range(4)])
    assert np.array(rates[1]) == pytest.approx(np.array(rates[0]), abs=1e-5)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(4))
def test_two_bodies_tied_many_times_are_one(seed, integrator):
    """Thrown and spinning, with up to six balls anywhere: one body, whose energy and joints stay."""
    random = np.random.default_rng(100 + seed)
    linkage = Linkage(random, integrator)
    linkage.add((0, 0, 0), (1, 0, 0)), linkage.add((1.1, 0, 0), (2, 0.3, 0.2))
    linkage.join(0, 1, random.normal(size=(random.integers(3, 7), 3)))
    linkage.close()
    spin, masses = random.normal(size=3), [b.mass for b in linkage.bars]
    centre = np.average([b.position for b in linkage.bars], axis=0, weights=masses)
    for b in linkage.bars:
        b.angular_velocity, b.velocity = tuple(spin), tuple(np.cross(spin, np.asarray(b.position) - centre))
    gain, drift = linkage.advance(60)
    assert gain < 1e-4 and drift < 1e-4
    assert linkage.bars[1].angular_velocity == pytest.approx(linkage.bars[0].angular_velocity, abs=linkage.sim.step * spin @ spin)


@pytest.mark.parametrize("joints", [1, 2])
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(2))
def test_overlaps_that_joints_hold_are_left(seed, integrator, joints):
    """Bars that overlap at their hinges: contacts want to part what joints hold together. They are left with a warning, and bars turn as if nothing touched."""
    linkage, free = (four_bars(seed, integrator, joints, touch=touch) for touch in (True, False))
    gain, drift = linkage.advance(60)
    assert gain < 1e-4 and drift < 1e-3
    assert any("leave no room" in text for text in linkage.told)
    free.advance(60)
    assert np.array([b.position for b in linkage.bars]) / linkage.size == pytest.approx(np.array([b.position for b in free.bars]) / free.size, abs=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_stops_of_hinges_hold(integrator):
    """Two plates on a hinge fold until they meet: a contact that was open when first seen acts, though a ball joins its bodies."""
    sim = scree.Simulation(step=1e-3, integrator=integrator, gravity=(0, 0, -9.81), threads=1)
    sim.surface_material(friction=0.0)
    table = sim.obstacle(scree.box(center=(0.5, 0, -0.05), size=(1, 0.4, 0.1)))
    lid = sim.rigid(scree.rotate(scree.box(center=(0.5, 0, 0.02), size=(0.9, 0.3, 0.02)), (0, 1, 0), -0.5), density=500)
    for y in (-0.1, 0.1):
        sim.rigid_link(lid, table, (0, y, 0), (0, y, 0))
    sim.advance(1000)
    assert lid.kinetic_energy < 1e-3
    # its far lower edge, 0.95 m from the axis and 0.01 m above it, lies on the table
    turned = -0.9 * np.sin(np.arctan(0.01 / 0.95))
    assert sim.contacts["gap"].min() > -1e-6 and lid.point((0.9 * np.cos(0.5), 0, 0.9 * np.sin(0.5)))[2] == pytest.approx(turned, abs=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(3))
def test_loops_that_cannot_move_stay(seed, integrator):
    """Four bars in space, hinges along random axes: more joints than motions, overlapping at the ends, with and without contact."""
    for touch in (False, True):
        random = np.random.default_rng(200 + seed)
        linkage = Linkage(random, integrator, touch)
        corners, axes = random.normal(size=(4, 3)), random.normal(size=(4, 3))
        for k in range(4):
            linkage.add(corners[k], corners[(k + 1) % 4])
        linkage.join(3, None, [corners[0], corners[3], corners[0] + (0.1, 0.1, 0.2)])
        for k in range(4):
            axis = axes[k] / np.linalg.norm(axes[k])
            linkage.join(k, (k + 1) % 4, [corners[(k + 1) % 4] + y * axis for y in (-0.05, 0.05)])
        gain, drift = linkage.close().advance(20)
        assert gain < 1e-6 and drift < 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_directions_prescribed_more_than_once_miss_no_step(seed):
    """Fingers press a box, some points of each one above the other and held along that line: such rows differ by a tilt of 1e-8 that contacts make, and were left as an error of that size."""
    random = np.random.RandomState(seed)
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, -9.81))
    sim.surface_material(friction=random.uniform(0.3, 1.0))
    sim.solver("AUTO", tolerance=1e-8)
    sim.obstacle(scree.box(low=(-1, -1, -0.1), high=(1, 1, 0)))
    size = random.uniform(0.06, 0.14)
    sim.rigid(scree.box((0, 0, size / 2), (size, size, size)), density=500)
    for side in (-1, 1):
        finger = sim.rigid(scree.box((side * (size / 2 + 0.02 + random.uniform(0, 0.003)), 0, 0.15), (0.03, 0.08, 0.24)), density=2000)
        c = finger.center
        above = [[c + (0, 0, z) for z in random.uniform(-0.1, 0.1, random.randint(1, 3))] for _ in range(2)]
        for p in (c, c + (0, 0.03, 0), *above[0]):
            sim.set_displacement(finger, p, (0, 0, 1), scree.TimeSeries([0, 0, 9, 0]))
        for p in (c, c + (0.01, 0, 0), *above[1]):
            sim.fix_direction(finger, p, (0, 1, 0))
        finger.apply_force(c, (-side, 0, 0), random.uniform(10, 60))
    rows = sim.advance(150)
    assert (rows["status"] == 0).all() and rows["residual"].max() <= 1e-8
