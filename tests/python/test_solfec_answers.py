"""What Solfec's last version answers, where another answer would be plausible and silent."""
import math

import numpy as np
import pytest

from scree.solfec import *
from solids import CUBE


@pytest.fixture
def bulk(solfec):
    return BULK_MATERIAL(solfec, young=1e9, poisson=0.0, density=1000)


def bar(length, cells, ids=(1, 2, 3, 4, 5, 6), across=1):
    return HEX([0, 0, 0, length, 0, 0, length, 1, 0, 0, 1, 0, 0, 0, 1, length, 0, 1, length, 1, 1, 0, 1, 1], cells, across, across, 1, list(ids))


# --- prescribed motion beside limits of springs -----------------------------------------------------------------

@pytest.mark.parametrize("kind", ["velocity", "acceleration"])
@pytest.mark.parametrize("solver", ["gauss_seidel", "gauss_seidel_merit", "newton", "auto"])
def test_prescribed_motion_beside_an_open_limit(solfec, kind, solver):
    """A limit far from its end must not make the solvers blind: the merit's reference leaves its gap / h out."""
    bulk = BULK_MATERIAL(solfec)
    one, two = (BODY(solfec, "RIGID", SPHERE((k, 0, 0), 0.1, 1, 1), bulk) for k in range(2))
    PUT_SPRING(one, (0, 0, 0), two, (1, 0, 0), lambda stroke, velocity: -10 * stroke, (-0.5, 0.5))
    FIX_POINT(two, (1, 0, 0))
    if kind == "velocity":
        SET_VELOCITY(one, (0, 0, 0), (1, 0, 0), 0.1)
        way = 0.1 * 0.1
    else:
        SET_ACCELERATION(one, (0, 0, 0), (1, 0, 0), TIME_SERIES([0, 1, 10, 1]))
        way = 0.5 * 0.1**2
    solver = {"gauss_seidel": GAUSS_SEIDEL_SOLVER(1e-3, 1000), "gauss_seidel_merit": GAUSS_SEIDEL_SOLVER(1e-3, 1000, meritval=1e-8), "newton": NEWTON_SOLVER(),
              "auto": None}[solver]
    RUN(solfec, solver, 0.1)
    # the velocity at the end of a step is prescribed: half a step's change more or less
    assert DISPLACEMENT(one, (0, 0, 0))[0] == pytest.approx(way, abs=1e-4) and VELOCITY(one, (0, 0, 0))[0] == pytest.approx(0.1, rel=1e-4)


def test_a_merit_bound_does_not_loosen_epsilon(solfec):
    """Both must hold at the end of a Gauss-Seidel solve."""
    GRAVITY(solfec, (0, 0, -10))
    SURFACE_MATERIAL(solfec, friction=0.5)
    bulk = BULK_MATERIAL(solfec)
    BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (20, 20, 1)), (-10, -10, -1)), bulk)
    for k in range(6):
        BODY(solfec, "RIGID", TRANSLATE(HULL(CUBE, 1, 1), (0.1 * k, 0, k)), bulk)
    counts = []
    for epsilon, merit in ((1e-9, 0.5), (1e-9, None), (1.0, 1e-3)):
        solver = GAUSS_SEIDEL_SOLVER(epsilon, 2000) if merit is None else GAUSS_SEIDEL_SOLVER(epsilon, 2000, merit)
        RUN(solfec, solver, solfec.step)
        counts.append(solver.iters)
    assert counts[0] >= 0.5 * counts[1] > 2 * counts[2]


def test_blocks_are_solved_exactly_unless_a_solver_is_named(tmp_path):
    """Left out, the engine's exact solve is used, bit for bit; the member reads as Solfec's default either way."""
    hashes = {}
    for name, make in (("left out", lambda: GAUSS_SEIDEL_SOLVER(1e-6, 500)), ("named", lambda: GAUSS_SEIDEL_SOLVER(1e-6, 500, diagsolver="SEMISMOOTH_NEWTON")),
                       ("exact", lambda: SOLVER("GAUSS_SEIDEL", 1e-6, maxiter=500, options={"criterion": "relative_change"}))):
        solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / name))
        solfec.verbose = "OFF"
        GRAVITY(solfec, (0, 0, -10))
        SURFACE_MATERIAL(solfec, friction=0.4)
        bulk = BULK_MATERIAL(solfec)
        BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (20, 20, 1)), (-10, -10, -1)), bulk)
        for k in range(3):
            INITIAL_VELOCITY(BODY(solfec, "RIGID", TRANSLATE(HULL(CUBE, 1, 1), (0.15 * k, 0, k)), bulk), (1, 0.5 * k, 0), (0, 0, 1))
        solver = make()
        RUN(solfec, solver, 0.01)
        hashes[name] = solfec.simulation.hash()
        assert name == "exact" or solver.diagsolver == "SEMISMOOTH_NEWTON"
    assert hashes["left out"] == hashes["exact"] != hashes["named"]


# --- surface ids ------------------------------------------------------------------------------------------------

def middle_of(mesh, surface):
    return np.mean([mesh.node(n) for n in mesh.nodes_on_surface(surface)], axis=0)


def test_hex_surfaces_are_in_solfecs_order():
    mesh = HEX(CUBE, 2, 2, 2, 1, [10, 11, 12, 13, 14, 15])
    expected = {10: (0.5, 0.5, 0), 11: (0, 0.5, 0.5), 12: (0.5, 1, 0.5), 13: (1, 0.5, 0.5), 14: (0.5, 0, 0.5), 15: (0.5, 0.5, 1)}
    for surface, middle in expected.items():
        assert middle_of(mesh, surface) == pytest.approx(middle)


def test_pipe_surfaces_are_in_solfecs_order():
    mesh = PIPE((0, 0, 0), (0, 0, 3), 1.0, 0.5, 3, 12, 2, 1, [1, 2, 3, 4])
    nodes = {s: np.array([mesh.node(n) for n in mesh.nodes_on_surface(s)]) for s in (1, 2, 3, 4)}
    assert np.ptp(nodes[1][:, 2]) == 0 == nodes[1][0, 2] and (nodes[2][:, 2] == 3).all()
    assert np.hypot(*nodes[3][:, :2].T) == pytest.approx(1.0) and np.hypot(*nodes[4][:, :2].T) == pytest.approx(1.5)
    six = PIPE((0, 0, 0), (0, 0, 3), 1.0, 0.5, 1, 12, 1, 1, [1, 2, 3, 4, 5, 6])
    assert six.nodes_on_surface(5) is None
    with pytest.raises(ValueError, match="PIPE.*surfids"):
        PIPE((0, 0, 0), (0, 0, 3), 1.0, 0.5, 1, 12, 1, 1, [1, 2, 3])


# --- loads, stress, damping -------------------------------------------------------------------------------------

def stretched(solfec, bulk, load):
    """A bar on rollers at x = 0 with a load on x = 4; displacement of its end."""
    body = BODY(solfec, "FINITE_ELEMENT", bar(4, 4), bulk)
    body.scheme = "DEF_IMP"
    FIX_SURFACE(solfec, body, 2, "NORMAL")
    FIX_POINT(body, (0, 0, 0)), FIX_DIRECTION(body, (0, 1, 0), (0, 0, 1))
    load(body)
    return body


@pytest.mark.parametrize("compatible", ["ON", "OFF"])
def test_a_positive_pressure_pulls(tmp_path, compatible):
    solfec = SOLFEC("QUASI_STATIC", 1e-2, str(tmp_path / "out"))
    solfec.verbose, solfec.compatible = "OFF", compatible
    bulk = BULK_MATERIAL(solfec, young=1e9, poisson=0.0, density=1000)
    body = stretched(solfec, bulk, lambda b: PRESSURE(b, 4, 1e6))
    RUN(solfec, None, 0.1)
    # sigma L / E, to the order of the strain 1e-3
    sign = 1 if compatible == "ON" else -1
    assert DISPLACEMENT(body, (4, 0.5, 0.5))[0] == pytest.approx(sign * 4e-3, rel=5e-3)


def test_stress_at_a_node_is_the_mean_of_the_elements_around_it(solfec):
    """Two halves of different stiffness, stretched: the elements at the middle disagree across the bar's sides, and the node has their mean."""
    soft = BULK_MATERIAL(solfec, young=1e9, poisson=0.3, density=1000)
    hard = BULK_MATERIAL(solfec, young=4e9, poisson=0.3, density=1000)
    mesh = bar(2, 2)
    nodes, elements, surfids = mesh.get_data()
    elements[-1] = 9
    body = BODY(solfec, "FINITE_ELEMENT", MESH(nodes, elements, surfids), soft)
    APPLY_BULKMAT(solfec, body, 9, hard)
    q = np.reshape(body.conf, (-1, 3)).copy()
    q[:, 0] *= 1.001
    body.conf = q.ravel()
    inside = [np.array(STRESS(body, (x, 0.5, 0.5))) for x in (0.9999, 1.0001)]
    assert abs(inside[0][0] - inside[1][0]) > 1e6
    assert STRESS(body, (1, 0, 0))[:6] == pytest.approx(0.5 * (inside[0] + inside[1])[:6], rel=1e-6, abs=1.0)
    assert STRESS(body, (0, 0, 0))[:6] == pytest.approx(inside[0][:6], rel=1e-6, abs=1.0)
    for between in ((1, 0.3, 0.6), (1, 0, 0.7), (1, 1, 1)):  # on a face, an edge, at a node
        assert STRESS(body, between)[:6] == pytest.approx(0.5 * (inside[0] + inside[1])[:6], rel=1e-6, abs=1.0)


@pytest.mark.parametrize("form", ["TL", "BC", "BC-IM", None])
def test_stress_is_cauchys(solfec, form):
    """Of Saint Venant's law, F S F^T / det F, in every form and for pseudo-rigid bodies, in a body that is stretched and turned."""
    E, nu = 1e9, 0.3
    bulk = BULK_MATERIAL(solfec, young=E, poisson=nu, density=1000)
    F = np.array([[0.1, -1.02, 0.03], [0.97, 0.08, 0.1], [-0.05, 0.02, 1.04]])
    strain = 0.5 * (F.T @ F - np.eye(3))
    S = E * nu / ((1 + nu) * (1 - 2 * nu)) * np.trace(strain) * np.eye(3) + E / (1 + nu) * strain
    cauchy = F @ S @ F.T / np.linalg.det(F)
    if form is None:
        body = BODY(solfec, "PSEUDO_RIGID", HULL(CUBE, 1, 1), bulk)
        body.conf = (*F.T.ravel(), 0.5, 0.5, 0.5)
    else:
        body = BODY(solfec, "FINITE_ELEMENT", HEX(CUBE, 2, 2, 2, 1, [1] * 6), bulk, form=form)
        body.conf = (np.reshape(body.conf, (-1, 3)) @ F.T).ravel()
    mises = math.sqrt(1.5) * np.linalg.norm(cauchy - np.trace(cauchy) / 3 * np.eye(3))
    assert STRESS(body, (0.5, 0.4, 0.7)) == pytest.approx((*np.diag(cauchy), cauchy[0, 1], cauchy[0, 2], cauchy[1, 2], mises), rel=1e-9)


def test_damping_is_stiffness_proportional(solfec, bulk):
    body = BODY(solfec, "FINITE_ELEMENT", bar(2, 2), bulk)
    stone = BODY(solfec, "RIGID", TRANSLATE(HULL(CUBE, 1, 1), (9, 0, 0)), bulk)
    body.damping, stone.damping = 1e-3, 5.0
    assert (body.damping, body.stiffness_damping, body.mass_damping) == (1e-3, 1e-3, 0.0)
    assert (stone.damping, stone.stiffness_damping, stone.mass_damping) == (5.0, 0.0, 0.0)
    INITIAL_VELOCITY(stone, (1, 0, 0), (0, 0, 0))
    RUN(solfec, None, 0.01)
    assert stone.velo[3] == 1.0  # rigid bodies ignore it
    solfec.compatible = "OFF"
    body.damping = 2.0
    assert (body.damping, body.stiffness_damping, body.mass_damping) == (2.0, 1e-3, 2.0)


@pytest.mark.parametrize("damping", [0.0, 1e-4, 1e-2])
def test_damping_lowers_the_step_of_explicit_bodies(solfec, bulk, damping):
    """A bar struck at its end keeps bounded, whatever step was asked for: undamped its energy swings (steps are near the critical one), with damping it loses some."""
    body = BODY(solfec, "FINITE_ELEMENT", bar(4, 4), bulk)
    body.scheme, body.damping = "DEF_EXP", damping
    speeds = np.zeros((body.mesh.nnod, 3))
    speeds[np.reshape(body.conf, (-1, 3))[:, 0] == 4, 0] = 1.0
    body.velo = speeds.ravel()
    start = sum(ENERGY(body)[:2])
    RUN(solfec, None, 0.01)
    end = sum(ENERGY(body)[:2])
    rigid = 0.5 * np.sum(np.reshape(body.velo, (-1, 3)).mean(axis=0) ** 2) * body.mass
    assert 0.01 <= solfec.time < 0.011 and np.abs(body.conf).max() < 5
    assert 0.9 * rigid < end < (2.0 if damping == 0 else 0.9) * start


def test_points_outside_a_mesh_are_refused(solfec, bulk):
    body = BODY(solfec, "FINITE_ELEMENT", bar(2, 2), bulk)
    for call in (lambda: DISPLACEMENT(body, (5, 0, 0)), lambda: VELOCITY(body, (0.5, 0.5, 1.1)), lambda: STRESS(body, (-1, 0, 0)),
                 lambda: FIX_POINT(body, (2.1, 0, 0)), lambda: SET_VELOCITY(body, (9, 0, 0), (1, 0, 0), 1.0)):
        with pytest.raises(ValueError, match="outside of the mesh of body"):
            call()
    assert DISPLACEMENT(body, (2, 1, 1)) == pytest.approx((0, 0, 0)) and DISPLACEMENT(body, (2 + 1e-7, 1, 1)) == pytest.approx((0, 0, 0), abs=1.1e-7)
    RUN(solfec, None, 0.002)
    with pytest.raises(ValueError, match="HISTORY.*outside of the mesh"):
        HISTORY(solfec, [(body, (5, 0, 0), "DX")], 0, 1)


# --- shapes -----------------------------------------------------------------------------------------------------

def test_bending_keeps_the_fibre_nearest_to_the_axis():
    """A bar as long as a quarter of the inner circle becomes a quarter ring of the full volume."""
    inner, cells = 2.0, 60
    length = inner * math.pi / 2
    mesh = HEX([0, 0, 0, length, 0, 0, length, 1, 0, 0, 1, 0, 0, 0, 1, length, 0, 1, length, 1, 1, 0, 1, 1], cells, 1, 1, 1, [1] * 6)
    BEND(mesh, (0, 0, 1 + inner), (0, -1, 0), 90)
    ring = math.pi / 4 * (3**2 - 2**2)
    # chords instead of arcs lose (d phi)^2 / 6 of the area
    assert mesh._shape.volume == pytest.approx(ring, rel=(math.pi / 2 / cells) ** 2 / 6 * 1.01)
    nodes = np.array([mesh.node(n) for n in range(mesh.nnod)])
    radii = np.hypot(nodes[:, 0], nodes[:, 2] - 3)
    assert radii.min() == pytest.approx(2) and radii.max() == pytest.approx(3)


def test_overlapping_keeps_what_overlaps():
    """A box against a grid of balls that do not touch each other: exactly those nearer than their radius."""
    box = HULL([x * 0.37 for x in CUBE], 1, 1)
    centers = [(0.1 * i, 0.1 * j, 0.1 * k) for i in range(-2, 7) for j in range(-2, 7) for k in range(-2, 7)]
    balls = [SPHERE(c, 0.049, 1, 1) for c in centers]
    away = np.linalg.norm([np.maximum(np.maximum(-np.array(c), np.array(c) - 0.37), 0) for c in centers], axis=1)
    assert len(OVERLAPPING(COPY(box), [COPY(b) for b in balls])) == int((away < 0.049).sum())
    assert len(OVERLAPPING(COPY(box), [COPY(b) for b in balls], "NOT")) == int((away >= 0.049).sum())
    # a negative gap asks for depth: what overlaps by less does not count
    shallow = [SPHERE((0.1, 0.1, 0.37 + 0.049 - depth), 0.049, 1, 1) for depth in (0.005, 0.015, 0.02)]
    assert len(OVERLAPPING(COPY(box), [COPY(b) for b in shallow], gap=-0.01)) == 2 and len(OVERLAPPING(box, shallow, "NOT", -0.01)) == 1
    with pytest.raises(ValueError, match="OVERLAPPING.*gap"):
        OVERLAPPING(HULL(CUBE, 1, 1), SPHERE((0, 0, 0), 1, 1, 1), "NOT", 0.1)
