"""The modern interface: building, running, reading back."""
import math

import numpy as np
import pytest

import scree


def ground(sim):
    return sim.obstacle(scree.box(center=(0, 0, -0.5), size=(10, 10, 1)), label="ground")


def test_projectile_is_exact():
    # The midpoint rule integrates constant acceleration exactly.
    sim = scree.Simulation(step=1e-2, gravity=(0, 0, -10))
    ball = sim.rigid(scree.sphere(radius=0.1), density=1000, velocity=(1, 0, 5))
    sim.run(1.0, quiet=True)
    assert np.allclose(ball.position, (1, 0, 0), atol=1e-13)
    assert np.allclose(ball.velocity, (1, 0, -5), atol=1e-13)
    assert sim.time == pytest.approx(1.0, rel=1e-14) and sim.steps == 100


def test_block_rests_on_the_ground():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.5)
    floor = ground(sim)
    block = sim.rigid(scree.box(center=(0, 0, 0.5)), density=1000)
    sim.run(0.1, quiet=True)
    assert abs(block.position[2] - 0.5) < 1e-9
    contacts = sim.contacts
    assert set(contacts["bodies"].ravel()) == {floor.id, block.id}
    # The floor carries the weight; the force acts on the second body.
    assert contacts["force"][:, 2].sum() == pytest.approx(block.mass * 9.81, rel=1e-6)
    assert sim.report["status"] == "converged" and sim.report["residual"] <= 1e-8


def test_sliding_block_slows_down_by_friction():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.25)
    ground(sim)
    block = sim.rigid(scree.box(center=(0, 0, 0.05), size=(0.2, 0.2, 0.1)), density=1000, velocity=(1, 0, 0))
    sim.run(0.2, quiet=True)
    assert block.velocity[0] == pytest.approx(1 - 0.25 * 9.81 * 0.2, abs=1e-6)
    energies = sim.energies
    assert energies["friction"] < 0
    assert energies["kinetic"] == pytest.approx(block.kinetic_energy, rel=1e-12)


def test_body_handle_reads_and_writes():
    sim = scree.Simulation(gravity=None)
    body = sim.rigid(scree.box(size=(1, 2, 3)), density=10, label="brick", angular_velocity=(0, 0, 2), scheme="RIG_IMP", damping=0.1)
    assert sim.bodies["brick"] == body and "brick" in sim.bodies and len(sim.bodies) == 1
    assert body.mass == pytest.approx(60) and body.volume == pytest.approx(6) and body.scheme == "RIG_IMP" and body.damping == 0.1
    assert np.allclose(body.point_velocity((1, 0, 0)), (0, 2, 0))
    assert body.conf.shape == (12,) and body.velo.shape == (6,)
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    body.rotation, body.position = turn, (1, 1, 1)
    assert np.allclose(body.point((1, 0, 0)), (1, 2, 1))
    assert np.allclose(body.conf[:9].reshape(3, 3).T, turn) and np.allclose(body.conf[9:], 1)
    body.velocity = (1, 2, 3)
    assert np.allclose(body.velocity, (1, 2, 3)) and np.allclose(body.angular_velocity, (0, 0, 2))
    body.set_characteristics(mass=5)
    assert body.mass == 5 and body.volume == pytest.approx(6)
    body.delete()
    assert not body.exists and len(sim.bodies) == 0 and "deleted" in repr(body)


def test_body_arrays_are_in_order():
    sim = scree.Simulation()
    for k in range(4):
        sim.rigid(scree.sphere((k, 0, 0), 0.25), density=1000 * (k + 1), velocity=(0, k, 0))
    assert np.allclose(sim.bodies.positions[:, 0], range(4)) and np.allclose(sim.bodies.velocities[:, 1], range(4))
    assert sim.bodies.rotations.shape == (4, 3, 3) and sim.bodies.moving.all()
    assert np.allclose(sim.bodies.masses / sim.bodies.masses[0], (1, 2, 3, 4))


def test_forces_and_torques():
    # A constant force gives a constant acceleration; a torque about a principal axis a constant angular one.
    sim = scree.Simulation(step=1e-3, gravity=None)
    a = sim.rigid(scree.box(), density=2)
    a.apply_force(a.center, (1, 0, 0), 4.0)
    a.apply_torque((0, 0, 1), scree.TimeSeries([(0, 0), (1, 1)]))
    b = sim.rigid(scree.box(center=(0, 5, 0)), density=2)
    b.apply_force(b.center, (0, 1, 0), lambda state, time, step: -3.0 * state.velocity[1] + 6.0)
    c = sim.rigid(scree.box(center=(0, 9, 0)), density=2)
    c.apply_function(lambda state, time, step: ((0, 0, 2.0), (0, 0, 0)))
    sim.run(1.0, quiet=True)
    assert a.velocity[0] == pytest.approx(2.0, rel=1e-12)
    # Inertia of a 2 kg unit cube is 1/3; the integral of t over a second is 1/2.
    assert a.angular_velocity[2] == pytest.approx(1.5, rel=1e-9)
    # v' = 3 - 1.5 v: mid-step velocities make the error second order, (1.5 h)^2 / 12 relative.
    assert b.velocity[1] == pytest.approx(2 * (1 - math.exp(-1.5)), rel=1e-6)
    assert c.velocity[2] == pytest.approx(1.0, rel=1e-12)


def test_force_function_must_return_finite_numbers():
    sim = scree.Simulation(gravity=None)
    body = sim.rigid(scree.sphere())
    body.apply_function(lambda state, time, step: (math.nan, 0, 0))
    with pytest.raises(ValueError, match="force function of body"):
        sim.run(0.01, quiet=True)


def test_force_function_may_raise():
    sim = scree.Simulation(gravity=None)
    body = sim.rigid(scree.sphere())
    body.apply_function(lambda state, time, step: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sim.run(0.01, quiet=True)


def test_pendulum_on_a_rigid_link():
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, -math.pi**2))
    bob = sim.rigid(scree.sphere((1, 0, 0), 0.1), density=1000)
    link = sim.rigid_link(bob, None, (1, 0, 0), (0, 0, 0))
    assert link.kind == "link" and link.length == pytest.approx(1)
    sim.run(2.36068 / 4, quiet=True)
    # A quarter of the period from the horizontal: the lowest point.
    assert bob.position[2] == pytest.approx(-1, abs=1e-3)
    # A step follows the tangent: the length is off by at most (v h)^2 / 2 with v^2 = 2 pi^2.
    assert np.linalg.norm(link.points[0] - link.points[1]) == pytest.approx(1, abs=1.01e-6 * math.pi**2)
    assert link.force[2] > 0


def test_constraints_hold_and_report_forces():
    sim = scree.Simulation(step=1e-3)
    body = sim.rigid(scree.box(), density=1000)
    fixed = sim.fix_point(body, (0, 0, 0))
    sim.run(0.01, quiet=True)
    assert np.allclose(body.position, 0, atol=1e-12)
    assert np.allclose(fixed.force, (0, 0, 9810), rtol=1e-9, atol=1e-6)
    assert [c.id for c in sim.constraints] == [fixed.id]
    fixed.delete()
    assert not fixed.exists
    lifted = sim.set_velocity(body, (0, 0, 0), (0, 0, 1), scree.TimeSeries([(0, 0.5), (1, 0.5)]))
    sim.run(0.01, quiet=True)
    assert body.velocity[2] == pytest.approx(0.5, rel=1e-9) and lifted.kind == "velocity"


def test_moving_obstacle_follows_its_series():
    sim = scree.Simulation(step=1e-3, gravity=None)
    wall = sim.obstacle(scree.box(), velocity=(scree.TimeSeries([(0, 0), (1, 2)]), 0, 0))
    sim.run(1.0, quiet=True)
    assert wall.position[0] == pytest.approx(1.0, rel=1e-9)
    drum = sim.obstacle(scree.box(center=(5, 0, 0)), angular_velocity=(0, 0, math.pi), pivot=(4, 0, 0))
    sim.run(0.5, quiet=True)
    assert np.allclose(drum.position, (4, 1, 0), atol=1e-9)


def test_extents_delete_what_leaves():
    sim = scree.Simulation(step=1e-3)
    sim.extents = (-1, -1, -1), (1, 1, 1)
    ball = sim.rigid(scree.sphere(radius=0.1))
    sim.run(0.6, quiet=True)
    assert not ball.exists and len(sim.bodies) == 0


def test_exclusion_lets_bodies_pass():
    sim = scree.Simulation(step=1e-3)
    floor = ground(sim)
    ball = sim.rigid(scree.sphere((0, 0, 0.1), 0.1))
    sim.exclude(bodies=(floor, ball))
    sim.run(0.3, quiet=True)
    assert ball.position[2] < -0.2


def test_callbacks_are_called_and_can_stop():
    sim = scree.Simulation(step=1e-3, gravity=None)
    times = []
    sim.callback(0.1, lambda s: times.append(s.time))
    sim.run(0.5, quiet=True)
    assert np.allclose(times, [0.001, 0.1, 0.2, 0.3, 0.4, 0.5], atol=1e-9)
    sim.callback(0.0, lambda s, data: data["calls"] < 3 and data.update(calls=data["calls"] + 1) is None, {"calls": 0})
    sim.run(1.0, quiet=True)
    assert sim.time == pytest.approx(0.504)


def test_bodies_can_be_added_and_deleted_while_running():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    ground(sim)
    made = []

    def change(s):
        if made:
            made.pop().delete()
        made.append(s.rigid(scree.sphere((0, 0, 0.1), 0.1)))

    sim.callback(0.02, change)
    sim.run(0.1, quiet=True)
    assert len(sim.bodies) == 2


def test_solver_settings_and_failure_policies():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.5)
    ground(sim)
    for k in range(5):
        sim.rigid(scree.box(center=(0, 0, 0.5 + k)), density=1000 * 4**k)
    sim.solver("GAUSS_SEIDEL", tolerance=1e-14, max_iterations=1, failure="raise")
    before = sim.hash()
    with pytest.raises(RuntimeError):
        sim.run(0.01, quiet=True)
    assert sim.hash() == before
    seen = []
    sim.solver("GAUSS_SEIDEL", tolerance=1e-14, max_iterations=1, failure="callback", on_failure=lambda report: seen.append(report["residual"]))
    sim.run(0.002, quiet=True)
    assert len(seen) == 2 and seen[0] > 1e-14
    sim.solver("GAUSS_SEIDEL", tolerance=1e-14, max_iterations=1)
    sim.run(0.002, quiet=True)
    assert sim.report["status"] == "max_iterations"


def test_materials_can_be_read_and_changed():
    sim = scree.Simulation()
    surface = sim.surface_material(1, 2, friction=0.3, label="ice")
    surface.friction = 0.1
    assert surface.friction == 0.1 and surface.label == "ice" and "ice" in repr(surface)
    bulk = sim.bulk_material(density=2500)
    assert sim.rigid(scree.box(), material=bulk).mass == pytest.approx(2500)
    bulk.density = 100
    assert bulk.density == 100
    with pytest.raises(AttributeError, match="friction"):
        surface.frction = 1


def test_density_by_volume():
    sim = scree.Simulation()
    pair = scree.box(volume=1) + scree.box(center=(1, 0, 0), volume=2)
    body = sim.rigid(pair, density={1: 1000, 2: 3000})
    assert body.mass == pytest.approx(4000) and body.center[0] == pytest.approx(0.75)


def test_time_series(tmp_path):
    ramp = scree.TimeSeries([0, 0, 2, 4])
    assert ramp(1) == 2 and ramp.derivative(1) == 2 and ramp.integral(2) == 4 and ramp(9) == 4
    assert np.allclose(ramp(np.array([0.0, 0.5])), (0, 1))
    path = tmp_path / "series.txt"
    path.write_text("# time value\n0 1\n1 3\n")
    assert scree.TimeSeries(path)(0.5) == 2
    assert "2 points" in repr(ramp)


def test_with_statement_and_repr():
    with scree.Simulation() as sim:
        sim.rigid(scree.sphere())
        assert "1 moving" in repr(sim.bodies) and "Simulation" in repr(sim)


def test_thread_count_does_not_change_a_bit():
    from scree import scenes
    hashes = set()
    for threads in (1, 2):
        scene = scenes.make("pile")
        scene.sim._threads = threads
        scene.sim.run(0.2, quiet=True)
        hashes.add(scene.sim.hash())
    assert len(hashes) == 1


def test_integrators():
    with pytest.raises(ValueError, match="MOREAU, SHAKE or RATTLE.*RATTLE"):
        scree.Simulation(integrator="RATLE")
    heaviest = {}
    for name in ("MOREAU", "SHAKE", "RATTLE"):
        sim = scree.Simulation(step=1e-3, gravity=None, integrator=name)
        assert sim.integrator == name
        sim.obstacle(scree.box(center=(0, 0, -0.5), size=(2, 2, 1)))
        ball = sim.rigid(scree.sphere(center=(0, 0, 0.1203), radius=0.1), velocity=(0, 0, -2))
        impulses = []
        for _ in range(20):
            sim.advance()
            impulses.append(sum(force[0] for force in sim.contacts["local_force"]) * sim.step)
        heaviest[name] = max(impulses) / (2 * ball.mass)
        assert sum(impulses) == pytest.approx(2 * ball.mass, rel=1e-9)
        assert ball.position[2] == pytest.approx(0.1, abs=1e-3 if name == "MOREAU" else 1e-12)
    # RATTLE alone puts the whole impact into one step; 20.3 mm at 2 mm a step leave SHAKE 0.15 or 0.85 of it.
    assert heaviest["RATTLE"] == pytest.approx(1, rel=1e-9) and heaviest["SHAKE"] == pytest.approx(0.85, rel=1e-6)
    sim = scree.Simulation(integrator="SHAKE")
    sim.pseudo_rigid(scree.box(center=(0, 0, 0), size=(1, 1, 1)))
    with pytest.raises(ValueError, match="SHAKE: body 0 deforms.*MOREAU"):
        sim.advance()


def test_csv_with_a_header_is_a_time_series(tmp_path):
    path = tmp_path / "record.csv"
    for text in ("time (s),acceleration (m/s2)\n0,1\n0.5,3\n1,2\n", "\n# El Centro\nt;a\n0;1\n0.5;3\n1;2\n", "t a\n0 1 0.5 3\n1 2", "0,1\n0.5,3\n1,2\n"):
        path.write_text(text)
        series = scree.TimeSeries(path)
        assert series.times.tolist() == [0, 0.5, 1] and series.values.tolist() == [1, 3, 2], text
    path.write_text("t,x,y\n0,1,2\n")
    with pytest.raises(OSError, match="names 3 columns"):
        scree.TimeSeries(path)
    path.write_text("t,x\nunit,unit\n0,1\n")
    with pytest.raises(OSError, match="line 2.*not a number"):
        scree.TimeSeries(path)


def test_an_obstacle_follows_an_acceleration_history():
    """Places and speeds of an accelerogram integrated twice: exact velocities at mid-step, so that places are right to h^2."""
    rng = np.random.default_rng(4)
    times, values = np.linspace(0, 1, 26), rng.normal(size=26)
    record = scree.TimeSeries(np.stack([times, values], axis=1))
    error = []
    for step in (4e-3, 2e-3):
        sim = scree.Simulation(step=step, gravity=(0, 0, 0))
        ground = sim.obstacle(scree.box(), acceleration=(record, 0.0, 2.0), velocity=(0.5, 0, 0))
        sim.advance(round(1.5 / step))
        # Twice integrated: v = v0 + integral of a, x by a fine sum of v (trapezium, 1e-5 s).
        t = np.linspace(0, 1.5, 150001)
        a = record(t)
        v = 0.5 + np.concatenate([[0], np.cumsum(0.5 * (a[1:] + a[:-1]) * np.diff(t))])
        x = np.sum(0.5 * (v[1:] + v[:-1]) * np.diff(t))
        assert ground.velocity[0] == pytest.approx(v[-1], abs=3 * step * np.abs(values).max())
        assert ground.position[2] == pytest.approx(0.5 * 2.0 * 1.5**2, rel=1e-9)
        error.append(abs(ground.position[0] - x))
    assert error[0] < 1e-4 and error[1] < 0.35 * error[0] + 1e-8


def test_an_acceleration_history_needs_a_speed_to_begin_with():
    sim = scree.Simulation()
    with pytest.raises(ValueError, match="velocity"):
        sim.obstacle(scree.box(), acceleration=(1, 0, 0), velocity=(scree.TimeSeries([(0, 0), (1, 1)]), 0, 0))
    with pytest.raises(ValueError, match="acceleration"):
        sim.obstacle(scree.box(), acceleration=3.0)
    assert len(sim.bodies) == 0


def test_a_body_without_room_is_no_solved_step():
    """Between an obstacle and one that comes down on it no impulse helps: the step is missed, however large impulses grow."""
    for integrator in ("MOREAU", "RATTLE"):
        sim = scree.Simulation(step=1e-3, integrator=integrator)
        sim.surface_material(friction=0.3)
        sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
        sim.obstacle(scree.box(center=(0, 0, 1.5), size=(4, 4, 1)), velocity=(0, 0, -0.1))
        sim.rigid(scree.box(center=(0, 0, 0.5), size=(1, 1, 1)), density=1000)
        assert (sim.advance(20)["status"] != 0).sum() >= 19


def test_springs_need_a_stiffness():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    sim.rigid(scree.box(center=(0, 0, 0.499), size=(1, 1, 1)), density=1000)
    sim.solver("EXPLICIT")
    with pytest.raises(ValueError, match="neither spring nor dashpot"):
        sim.advance(5)


def test_friction_may_be_without_bound():
    sim = scree.Simulation(step=1e-3, gravity=(9.81, 0, -9.81))
    sim.surface_material(friction=float("inf"))
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(40, 4, 1)))
    box = sim.rigid(scree.box(center=(0, 0, 0.25), size=(1, 1, 0.5)), density=1000)
    sim.advance(50)
    assert abs(box.position[0]) < 1e-9
