"""Deformable bodies from Python: both interfaces and results."""
import numpy as np
import pytest

import scree
from scree.solfec import *  # noqa: F401,F403
from solids import CUBE


def beam(cells=(4, 1, 1), size=(1.0, 0.2, 0.2), surfaces=(1, 2, 3, 4, 5, 6)):
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]) * np.array(size)
    return scree.hex(corners, cells=cells, surface=list(surfaces))


def test_pseudo_rigid_members():
    sim = scree.Simulation(step=1e-3, gravity=None)
    soft = sim.bulk_material(young=1e6, poisson=0.3, density=500.0)
    body = sim.pseudo_rigid(scree.box(), material=soft, velocity=(1, 0, 0), angular_velocity=(0, 0, 2), scheme="DEF_IMP", stiffness_damping=1e-3)
    assert body.kind == "pseudo_rigid" and body.deforms and body.mass == pytest.approx(500) and body.scheme == "DEF_IMP"
    assert len(body.conf) == 12 and len(body.velo) == 12 and body.velocity == pytest.approx([1, 0, 0]) and body.angular_velocity == pytest.approx([0, 0, 2])
    sim.advance(50)
    assert body.internal_energy > 0 and sim.energies["internal"] == pytest.approx(body.internal_energy)
    assert body.stress((0, 0, 0))[6] > 0
    with pytest.raises(ValueError, match="DEF_"):
        body.scheme = "RIG_NEG"
    with pytest.raises(ValueError, match="RIG_"):
        sim.rigid(scree.sphere((5, 0, 0)), scheme="DEF_LIM")
    assert len(sim.bodies) == 1, "a refused body is not left behind"
    soft.young = 4e6
    assert body.internal_energy > 0


def test_cantilever_bends_as_theory_says():
    # Second-order elements under an end traction: w = F L^3 / 3EI (1 + shear share).
    sim = scree.Simulation(step=0.5, gravity=None)
    sim.quasi_static = True
    steel = sim.bulk_material(young=1e9, poisson=0.0, density=1000.0)
    bar = sim.finite_element(beam((6, 1, 1), (1.0, 0.1, 0.1)), material=steel, order=2)
    surface = next(s for s in range(1, 7) if np.allclose(bar.surface(s)[0][:, 0], 0.0))
    tip = next(s for s in range(1, 7) if np.allclose(bar.surface(s)[0][:, 0], 1.0))
    sim.fix_surface(bar, surface)
    bar.apply_load(tip, (0, 0, -1), 1e3)
    sim.advance(8)
    force, inertia, area = 10.0, 0.1**4 / 12, 0.01
    expected = force / (3 * 1e9 * inertia) + force / (5.0 / 6.0 * 0.5e9 * area)
    # six elements along the beam are within 1 % of the converged solution; the load is small enough for linear theory
    assert -(bar.point((1, 0.05, 0.05))[2] - 0.05) == pytest.approx(expected, rel=0.01)


def test_pressure_shortens_a_bar_and_results_have_nodes(tmp_path):
    sim = scree.Simulation(step=1.0, gravity=None, out=tmp_path)
    sim.quasi_static = True
    soft = sim.bulk_material(young=1e6, poisson=0.0, density=1000.0)
    bar = sim.finite_element(beam(), material=soft, form="BC", label="bar")
    ends = {s: bar.surface(s)[0][:, 0] for s in range(1, 7)}
    left, right = (next(s for s, x in ends.items() if np.allclose(x, v)) for v in (0.0, 1.0))
    sim.fix_surface(bar, left, "NORMAL")
    sim.fix_point(bar, (0, 0.0, 0.0))
    sim.fix_direction(bar, (0, 0.2, 0.0), (0, 0, 1))
    bar.apply_pressure(right, 1e3)
    sim.run(5.0, output=1.0, quiet=True)
    assert bar.point((1, 0.1, 0.1))[0] - 1.0 == pytest.approx(-1e-3, rel=2e-3)
    assert bar.stress((0.5, 0.1, 0.1))[0] == pytest.approx(-1e3, rel=1e-2)
    import h5py
    with h5py.File(tmp_path / "results.h5") as f:
        assert f["nodes/position"].shape == (6 * 20, 3) and f["bodies/kind"][0] == 2
        assert f["nodes/mises"][-20:] == pytest.approx(1e3, rel=1e-2)
        assert f["nodes/position"][-20:, 0].max() == pytest.approx(0.999, rel=1e-4)


def test_modal_body_vibrates_like_the_full_one():
    def tip(form, modes):
        sim = scree.Simulation(step=1e-4, gravity=None)
        soft = sim.bulk_material(young=1e7, poisson=0.2, density=1000.0)
        bar = sim.finite_element(beam((6, 1, 1)), material=soft, form=form, modes=modes, angular_velocity=(0, 0, 3))
        bar.apply_force((1, 0.1, 0.2), (0, 0, -1), scree.TimeSeries([(0, 200), (0.01, 200), (0.0101, 0)]))
        sim.advance(400)
        return bar.point((1, 0.1, 0.1))
    full, some, every = tip("BC", 0), tip("BC-MODAL", 20), tip("BC-MODAL", 78)
    # 28 nodes have 78 elastic modes, which together are the body; 20 of them leave out the dent under the force
    assert np.linalg.norm(full - every) < 1e-4 and np.linalg.norm(full - some) < 1e-3
    assert np.linalg.norm(full - every) < 0.5 * np.linalg.norm(full - some)


def test_incompatible_modes_bend():
    """The tip of a clamped bar of square section under its own weight sags by rho g A L^4 / 8 E I = 12 rho g L^4 / 8 E t^2."""
    def sag(form, order=1):
        sim = scree.Simulation(step=0.1, gravity=(0, 0, -10))
        sim.quasi_static = True
        wood = sim.bulk_material(young=1e9, poisson=0.0, density=1000.0)
        bar = sim.finite_element(beam((8, 1, 1)), material=wood, form=form, order=order)
        for y in (0, 0.2):
            for z in (0, 0.2):
                sim.fix_point(bar, (0, y, z))
        sim.advance(6)
        return -(bar.point((1, 0.1, 0.1))[2] - 0.1)
    exact = 1000 * 10 * 12 / (8 * 1e9 * 0.2**2)
    # shear adds 2 %; the corners' clamp a little less
    assert sag("BC-IM") == pytest.approx(exact, rel=0.04)
    assert sag("BC") < 0.95 * sag("BC-IM")
    with pytest.raises(ValueError, match="order 2 bend without it"):
        sag("BC-IM", 2)


def test_solfec_language(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solfec = SOLFEC("QUASI_STATIC", 1.0, "out")
    solfec.verbose = "OFF"
    bulk = BULK_MATERIAL(solfec, young=1e6, poisson=0.0, density=1000)
    stiff = BULK_MATERIAL(solfec, model="NEO_HOOKEAN", label="stiff", young=1e8, poisson=0.2, density=2000)
    GRAVITY(solfec, (0, 0, -1), 10)
    column = BODY(solfec, "FINITE_ELEMENT", HEX(CUBE, 1, 1, 8, 7, [1, 2, 3, 4, 5, 6]), bulk, "column", formulation="FEM_O2")
    surfaces = {s: column._handle.surface(s)[0][:, 2] for s in range(1, 7)}
    bottom = next(s for s, z in surfaces.items() if np.allclose(z, 0.0))
    for direction in ((0, 0, 1), "TANGENT1", "TANGENT2"):
        assert len(FIX_SURFACE(solfec, column, bottom, direction)) == 8
    RUN(solfec, SOLVER("AUTO", 1e-8), 6.0)
    # rho g L^2 / 2E to first order; a law linear in E adds 3/2 of the mean strain of half a percent, about 1 %
    assert DISPLACEMENT(column, (0.5, 0.5, 1.0))[2] == pytest.approx(-5e-3, rel=0.02)
    assert STRESS(column, (0.5, 0.5, 0.5))[2] == pytest.approx(-5e3, rel=0.02)
    assert ENERGY(column)[1] > 0 and len(column.conf) == len(column.velo)
    mass = column.mass
    MATERIAL(solfec, column, 7, stiff)
    assert column.mass == pytest.approx(2 * mass)
    with pytest.raises(ValueError, match="LOAD"):
        LOAD(column, "SPATIAL", 99, "NORMAL", 1.0)
    with pytest.raises(ValueError, match="did you mean 'NORMAL'"):
        LOAD(column, "SPATIAL", bottom, "NORML", 1.0)
    with pytest.raises(ValueError, match="base"):
        BODY(solfec, "FINITE_ELEMENT", HEX(CUBE, 1, 1, 1, 1, [1] * 6), bulk, form="BC-MODAL", base=0)


def test_run_resumes_to_the_bit(tmp_path):
    def build():
        sim = scree.Simulation(step=1e-3, out=tmp_path)
        sim.surface_material(friction=0.3)
        sim.obstacle(scree.box(low=(-2, -2, -1), high=(2, 2, 0)))
        soft = sim.bulk_material(young=1e6, poisson=0.2, density=1000.0)
        sim.finite_element(scree.translate(beam((2, 1, 1)), (0, 0, 0.01)), material=soft)
        sim.pseudo_rigid(scree.ellipsoid((0.3, 0.1, 0.4), (0.1, 0.12, 0.15)), material=soft, scheme="DEF_IMP")
        return sim
    sim = build()
    sim.run(0.05, quiet=True)
    sim.advance(50)
    again = build()
    again._engine.read_checkpoint(str(tmp_path / "checkpoint.h5"))
    again.advance(50)
    assert again.hash() == sim.hash()


@pytest.mark.parametrize("scheme", ["DEF_LIM", "DEF_IMP"])
def test_bodies_that_tumble_and_land_gain_no_energy(scheme):
    """Random bars of every form, E from 1e6 to 3e10 Pa, steps of 0.5 to 10 ms, h omega to 0.1, thrown on a rough floor."""
    from scree.bench_truth import deformable
    random = np.random.RandomState(11)
    for kind in list(deformable.FORMS) * 2:
        step, young = 10 ** random.uniform(-3.3, -2), 10 ** random.uniform(6, 10.5)
        spin = random.uniform(-1, 1, 3) * min(30.0, 0.1 / step)
        sim = scree.Simulation(step=step)
        sim.surface_material(friction=0.4)
        bar = deformable.bar(sim, kind, tuple(random.uniform(0.1, 1, 3)), (2, 1, 1), young, angular_velocity=tuple(spin), velocity=(1, 0, -2), scheme=scheme)
        sim.obstacle(scree.box(center=(0, 0, -1), size=(40, 40, 1)))
        start = deformable.energy(bar) + bar.mass * 9.81 * bar.position[2]
        for _ in range(15):
            sim.advance(10)
            # DEF_LIM solves a step to 1e-6 of its velocities
            assert deformable.energy(bar) + bar.mass * 9.81 * bar.position[2] < start + 1e-3 * (abs(start) + 1), (kind, step, young)
