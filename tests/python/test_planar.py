"""Bodies with held motions: disks in a plane, spheres that do not turn, wheels on axles, against closed forms."""
import math

import numpy as np
import pytest

import scree

G = 9.81


def floor(sim, axis, friction):
    """A floor across 'up' in the plane normal to an axis; up is z, or y where the axis is z. Returns (along, up)."""
    sim.surface_material(friction=friction)
    along, up = {"x": (1, 2), "y": (0, 2), "z": (0, 1)}[axis]
    size, center = np.full(3, 1.0), np.zeros(3)
    size[along], center[up] = 40.0, -0.5
    sim.obstacle(scree.box(center=center, size=size))
    return np.eye(3)[along], np.eye(3)[up]


@pytest.mark.parametrize("axis", ("x", "y", "z"))
@pytest.mark.parametrize("integrator", ("MOREAU", "SHAKE", "RATTLE"))
def test_a_disk_rolls_down_an_incline(axis, integrator):
    sim = scree.Simulation(step=1e-3, integrator=integrator)
    along, up = floor(sim, axis, 1.0)
    sim.gravity = G * (math.sin(0.3) * along - math.cos(0.3) * up)
    sim.solver("AUTO", tolerance=1e-12)
    disk = sim.disk(0.1 * up, 0.1, density=700.0, axis=axis, thickness=0.5)
    assert disk.mass == pytest.approx(700.0 * math.pi * 0.01 * 0.5, rel=1e-14)
    assert disk.held == (axis, "xyz".replace(axis, ""))
    sim.advance(500)
    # a = 2/3 g sin(0.3), exact for constant forces; the velocity of SHAKE is that of half a step before
    t = 0.5 - (0.5e-3 if integrator == "SHAKE" else 0.0)
    speed = 2 / 3 * G * math.sin(0.3) * t
    assert disk.velocity @ along == pytest.approx(speed, rel=1e-9)
    turn = np.cross(up, along) @ disk.angular_velocity
    assert turn == pytest.approx(speed / 0.1, rel=1e-9)
    # what is held stays to the bit
    k = "xyz".index(axis)
    assert disk.velocity[k] == 0.0 and disk.position[k] == 0.0
    assert np.count_nonzero(disk.angular_velocity) == 1 and disk.rotation[k, k] == 1.0


def test_a_sliding_disk_ends_rolling_at_two_thirds():
    sim = scree.Simulation(step=1e-4)
    along, up = floor(sim, "y", 0.2)
    sim.solver("AUTO", tolerance=1e-12)
    disk = sim.disk(0.1 * up, 0.1, velocity=3.0 * along)
    # slides until v0/(3 mu g); half way there its speed is v0 - mu g t
    half = int(0.5 * 3.0 / (3 * 0.2 * G) / sim.step)
    sim.advance(half)
    assert disk.velocity @ along == pytest.approx(3.0 - 0.2 * G * half * sim.step, rel=1e-9)
    sim.advance(3 * half)
    assert disk.velocity @ along == pytest.approx(2.0, rel=1e-6)
    assert disk.angular_velocity[1] == pytest.approx(2.0 / 0.1, rel=1e-6)


@pytest.mark.parametrize("scheme", ("RIG_EXACT", "RIG_POS", "RIG_NEG", "RIG_IMP"))
def test_products_of_inertia_do_not_enter(scheme):
    """A box that lies askew in its frame turns about one axis alone: J_kk omega' = T, and uniformly without torque."""
    sim = scree.Simulation(step=1e-2, gravity=(0, 0, 0))
    box = scree.rotate(scree.box((0, 0, 0), (0.3, 0.2, 0.05)), (1, 1, 0), 0.7)
    body = sim.rigid(box, density=1000, scheme=scheme)
    moment = body.inertia[1, 1]
    assert abs(body.inertia[1, 0]) > 0.1 * moment
    body.hold(motion="xyz", rotation="xz")
    body.angular_velocity = (0.0, 4.0, 0.0)
    body.apply_torque((0, 1, 0), 0.5)
    body.apply_torque((1, 0, 1), 3.0)     # taken by what holds
    sim.advance(50)
    assert body.angular_velocity[1] == pytest.approx(4.0 + 0.5 / moment * 0.5, rel=1e-12)
    assert body.angular_velocity[0] == body.angular_velocity[2] == 0.0
    angle = 4.0 * 0.5 + 0.5 * 0.5 / moment * 0.25
    assert math.atan2(body.rotation[0, 2], body.rotation[0, 0]) == pytest.approx(math.remainder(angle, 2 * math.pi), abs=1e-10)


def test_a_sphere_that_does_not_turn_slides_as_a_point():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.25)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(20, 20, 1)))
    ball = sim.rigid(scree.sphere((0, 0, 0.1), 0.1), velocity=(1.0, 1.0, 0))
    ball.hold(rotation="xyz")
    sim.advance(200)
    # |v| = v0 - mu g t, in the first direction
    speed = math.sqrt(2.0) - 0.25 * G * 0.2
    assert ball.velocity[:2] == pytest.approx([speed / math.sqrt(2.0)] * 2, rel=1e-8)
    assert not ball.angular_velocity.any()
    sim.advance(800)
    assert np.linalg.norm(ball.velocity) < 1e-9


def test_problems_of_disks_are_planar():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.4)
    for center, size in (((0, 0, -0.5), (4, 1, 1)), ((-0.55, 0, 1), (0.1, 1, 3)), ((0.55, 0, 1), (0.1, 1, 3))):
        sim.obstacle(scree.box(center=center, size=size))
    rng = np.random.default_rng(1)
    disks = [sim.disk((-0.4 + 0.2 * (k % 5) + 0.01 * rng.uniform(), 0, 0.1 + 0.2 * (k // 5)), rng.uniform(0.07, 0.09), density=1000) for k in range(30)]
    sim.advance(500)
    problem = sim.problem()
    assert problem.contacts > 40
    # the tangent across the plane: no velocity, no mobility, exactly
    assert not problem.B[:, 2].any() and not problem.diagonal()[:, 2, :].any()
    assert problem.solve("PCPG", 1e-6, max_iterations=100000).stage == "planar"
    assert all(d.position[1] == 0.0 for d in disks)


def test_what_nothing_can_follow_is_idle():
    """A disk that slides between two plates which it overlaps across its plane feels neither."""
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, -G))
    sim.surface_material(friction=1.0)
    for y in (-0.14, 0.14):
        sim.obstacle(scree.box(center=(0, y, 0), size=(4, 0.1, 4)))
    disk = sim.disk((0, 0, 0), 0.1)
    sim.advance(100)
    assert disk.velocity[2] == pytest.approx(-G * 0.1, rel=1e-12)


def _heap(out=None, threads=1):
    sim = scree.Simulation(step=2e-3, out=out, threads=threads)
    floor(sim, "y", 0.5)
    for k in range(12):
        sim.disk((0.15 * (k % 4) + 0.02 * (k // 4), 0, 0.1 + 0.2 * (k // 4)), 0.08)
    return sim


def test_the_same_bits_for_any_threads_and_after_a_restart(tmp_path):
    hashes = []
    for threads in (1, 2):
        sim = _heap(threads=threads)
        sim.advance(60)
        hashes.append(sim.hash())
    sim = _heap(str(tmp_path / "out"))
    sim.run(0.06, output=0.02, quiet=True)
    again = _heap(str(tmp_path / "out"))
    again.run(0.12, output=0.02, quiet=True, resume=True)
    assert again.bodies[1].held == ("y", "xz")
    assert hashes[0] == hashes[1] == again.hash()


def test_wrong_holds_are_refused():
    sim = scree.Simulation()
    block = sim.obstacle(scree.box(size=(1, 1, 1)))
    ball = sim.rigid(scree.sphere((0, 0, 3), 0.1), velocity=(0, 1, 0))
    with pytest.raises(ValueError, match="body 0: only motions of a rigid body"):
        block.hold(motion="x")
    with pytest.raises(ValueError, match="one axis alone cannot be held"):
        ball.hold(rotation="y")
    with pytest.raises(ValueError, match=r"velocity\[1\] = 1 m/s, but its motion along y is held"):
        ball.hold(motion="y")
    assert ball.held == ("", "")
    with pytest.raises(ValueError, match="motion: axis = 'w'"):
        ball.hold(motion="w")
    disk = sim.disk((0, 0, 5), 0.1)
    with pytest.raises(ValueError, match=r"angular_velocity\[0\]"):
        disk.angular_velocity = (1, 0, 0)
    with pytest.raises(ValueError, match="turns about y alone"):
        disk.rotation = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    with pytest.raises(ValueError, match="disk: radius"):
        sim.disk((0, 0, 0), -1.0)
    with pytest.raises(ValueError, match=r"velocity\[1\]"):
        sim.disk((0, 0, 7), 0.1, velocity=(0, 1, 0))
    assert len(sim.bodies) == 3
