"""Walls under prescribed force: equilibrium, Newton's law, and boxes of them."""
import numpy as np
import pytest

import scree
from scree import measure


def spheres(sim, n, radius, spread=0.0, density=2500.0, seed=1):
    """n x n x n spheres of a lattice of unit 2 radius, a little smaller and shifted by up to `spread` of a radius."""
    rng = np.random.default_rng(seed)
    for i in np.ndindex(n, n, n):
        place = (np.array(i) + 0.5) * 2 * radius
        r = radius * (1 - 0.5 * spread * rng.random()) * (1 - spread)
        sim.rigid(scree.sphere(place + rng.uniform(-1, 1, 3) * 0.4 * spread * radius, r), density=density)


def test_a_free_wall_moves_by_newtons_law_and_feels_no_weight():
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, -9.81))
    wall = sim.servo_wall(scree.box(center=(0, 0, 0), size=(1, 1, 0.1)), direction=(0, 0, 2), force=scree.TimeSeries([(0, 6.0), (0.05, 6.0), (0.1, 12.0)]), mass=3.0)
    sim.advance(50)
    # A constant force: the midpoint scheme is exact.
    assert wall.displacement == pytest.approx(0.5 * 2.0 * 0.05**2, rel=1e-9) and wall.force == pytest.approx(6.0)
    assert wall.body.velocity == pytest.approx([0, 0, 0.1], abs=1e-12) and np.abs(wall.body.rotation - np.eye(3)).max() == 0
    assert wall.reaction == 0.0


def test_a_wall_with_friction_pushed_aside_stays_upright_and_on_its_line():
    """A ball dragged along a pressed plate: friction neither turns nor shifts it."""
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, 0))
    sim.solver(tolerance=1e-10)
    sim.surface_material(friction=0.5)
    sim.obstacle(scree.box(low=(-2, -2, -1), high=(2, 2, 0)), velocity=(1.0, 0.3, 0))
    sim.rigid(scree.sphere((0.2, 0.1, 0.1), 0.1), density=1000)
    wall = sim.servo_wall(scree.box(low=(-1, -1, 0.2), high=(1, 1, 0.3)), direction=(0, 0, -1), pressure=25.0, area=4.0, mass=5.0)
    sim.advance(100)
    assert wall.reaction == pytest.approx(100.0, rel=1e-6)
    # Turned by torque h / inertia, 1e-18 of what a plate would: nothing. Across it is held to the solver's tolerance.
    assert np.abs(wall.body.rotation - np.eye(3)).max() < 1e-15
    assert np.abs(wall.body.position - wall.body.center)[:2].max() < 1e-9


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_packing_carries_the_pressure_of_its_box(friction):
    p, radius, n = 2e4, 0.01, 4
    sim = scree.Simulation(step=5e-4, gravity=(0, 0, 0))
    sim.solver(tolerance=1e-7)
    sim.surface_material(friction=friction)
    spheres(sim, n, radius, spread=0.1)
    grains = list(sim.bodies)
    for grain in grains:
        grain.damping = 30.0
    cell = sim.triaxial((0, 0, 0), (2 * radius * n,) * 3, pressure=p)
    before = cell.volume
    # Grains have no loads of their own, and still steps are solved: they are measured against what presses on the packing. Which of 600 steps
    # is a hard one depends on rounding; a bound on all of them would be one on luck.
    residual = sim.advance(600)["residual"]
    assert np.mean(residual > 1e-7) < 0.01 and residual.max() < 1e-5
    assert cell.pressure == pytest.approx(np.full(3, p), rel=2e-3)
    # The same from inside. At rest the mean stress is the first moment of what the walls do, friction along them included; without it, -p on the diagonal.
    sigma = measure.stress(sim, cell.box, bodies=grains)
    contacts, walls = sim.contacts, [wall.id for wall in cell.walls]
    outside = np.zeros((3, 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        on_grains = np.isin(contacts["bodies"][:, side], walls)
        outside += sign * contacts["point"][on_grains].T @ contacts["force"][on_grains]
    assert sigma == pytest.approx(outside / cell.volume, abs=1e-2 * p)
    if friction == 0.0:
        assert np.diag(sigma) == pytest.approx(np.full(3, -p), rel=2e-3)
    assert cell.volume < before and np.all(cell.strain < 0) and cell.strain.sum() == pytest.approx(np.log(cell.volume / before), abs=1e-12)
    assert 0.3 < measure.porosity(sim, cell.box, bodies=grains) < 0.5


def test_one_direction_by_velocity():
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, 0))
    sim.surface_material(friction=0.2)
    spheres(sim, 3, 0.01, spread=0.05)
    cell = sim.triaxial((0, 0, 0), (0.06, 0.06, 0.06), pressure=(1e4, 1e4, None), velocity=(None, None, -0.02))
    sim.advance(100)
    assert cell.size[2] == pytest.approx(0.06 - 0.02 * 0.1, abs=1e-12) and cell.strain[2] == pytest.approx(np.log(0.058 / 0.06))
    assert "0.058" in repr(cell) and len(cell.walls) == 6


def test_wrong_walls_are_refused():
    sim = scree.Simulation()
    plate = scree.box(size=(1, 1, 0.1))
    with pytest.raises(ValueError, match="either force"):
        sim.servo_wall(plate, (0, 0, 1))
    with pytest.raises(ValueError, match="belong together"):
        sim.servo_wall(plate, (0, 0, 1), pressure=1e3)
    with pytest.raises(ValueError, match="axis z: give either"):
        sim.triaxial((0, 0, 0), (1, 1, 1), pressure=(1, 1, None))
    with pytest.raises(ValueError, match="must exceed"):
        sim.triaxial((0, 0, 0), (1, 1, 0), pressure=1)
    with pytest.raises(ValueError, match="did you mean 'pressure'"):
        sim.triaxial((0, 0, 0), (1, 1, 1), presure=1)
    assert len(sim.bodies) == 0
