"""Nodes as a script numbers them, meshes of bodies, loads at points, and obstacles moved by constraints at any of their points."""
import math

import numpy as np
import pytest

from scree.solfec import *
from solids import CUBE


@pytest.fixture
def solfec(tmp_path):
    made = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / "out"))
    made.verbose = "OFF"
    return made


@pytest.fixture
def bulk(solfec):
    return BULK_MATERIAL(solfec, young=1e7, poisson=0.25, density=1000)


# --- nodes of no element -------------------------------------------------------------------------------------------

def scattered(seed):
    """Nodes, elements and surface ids of a box of 2 x 1 x 1 hexahedra whose nodes have random numbers among 20, the rest of no element."""
    random = np.random.default_rng(seed)
    nodes, elements, surfids = HEX(CUBE, 2, 1, 1, 3, [1, 2, 3, 4, 5, 6]).get_data()
    nodes = np.reshape(nodes, (-1, 3))
    numbers = random.choice(20, len(nodes), replace=False)
    places = random.uniform(5, 6, (20, 3))
    places[numbers] = nodes

    def renamed(packed, at):
        packed = list(packed)
        while at < len(packed):
            packed[at + 1:at + 1 + packed[at]] = [int(numbers[n]) for n in packed[at + 1:at + 1 + packed[at]]]
            at += packed[at] + 2
        return packed

    return places, renamed(elements, 0), renamed(surfids, 1), numbers


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["FINITE_ELEMENT", "RIGID"])
def test_numbers_of_nodes_stay_in_the_body(solfec, bulk, kind, seed):
    places, elements, surfids, numbers = scattered(seed)
    mesh = MESH(places.ravel().tolist(), elements, surfids)
    for step in (lambda m: TRANSLATE(m, (1, 2, 3)), lambda m: SCALE(m, (2, 1, 1)), lambda m: ROTATE(m, (0, 0, 0), (0, 0, 1), 90)):
        step(mesh)
    expected = (places + (1, 2, 3)) * (2, 1, 1) @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    copied = COPY(mesh)
    body = BODY(solfec, kind, mesh, bulk)
    for m in (copied, body.mesh):
        assert m.nnod == 20
        assert np.array([m.node(n) for n in range(20)]) == pytest.approx(expected)
        top = m.nodes_on_surface(6)
        assert len(top) == 6 and all(m.node(n)[2] == pytest.approx(4) for n in top)
        (face,) = m.inter_element_faces()
        assert all(m.node(n)[1] == pytest.approx(3) for n in face)
        again = MESH(*m.get_data())
        assert [again.node(n) for n in range(20)] == [m.node(n) for n in range(20)] and again.nodes_on_surface(6) == top
        assert len(MESH_SPLIT(m, nodeset=list(range(20)))) == 2 and len(MESH_SPLIT(m, faceset=[face])) == 2
        outside = next(n for n in range(20) if n not in numbers)
        with pytest.raises(ValueError, match=f"{outside}.*belongs to no element"):
            MESH_SPLIT(m, faceset=[[outside, *face[1:]]])


def test_states_and_forces_are_by_the_numbers_of_the_script(solfec, bulk):
    """A body of scattered nodes against the same one without other nodes: same motion under the same forces, number by number."""
    places, elements, surfids, numbers = scattered(7)
    plain = BODY(solfec, "FINITE_ELEMENT", HEX(CUBE, 2, 1, 1, 3, [1, 2, 3, 4, 5, 6]), bulk)
    loose = BODY(solfec, "FINITE_ELEMENT", MESH(places.ravel().tolist(), elements, surfids), bulk)
    CONTACT_EXCLUDE_BODIES(plain, loose)
    others = [n for n in range(20) if n not in numbers]
    assert np.reshape(loose.conf, (20, 3)) == pytest.approx(places)
    assert np.reshape(loose.conf, (20, 3))[numbers] == pytest.approx(np.reshape(plain.conf, (-1, 3)))

    def force(q, u, time, step):
        made = np.zeros((len(q) // 3, 3))
        made[0 if len(q) == 36 else numbers[0]] = 10, 0, 5
        return made.ravel().tolist()

    for body in (plain, loose):
        FORCE(body, "SPATIAL", (0, 0, 0), (0, 0, 1), force)
    velocity = np.random.default_rng(1).normal(size=(12, 3))
    plain.velo = velocity.ravel().tolist()
    values = np.full((20, 3), 7.0)
    values[numbers] = velocity
    loose.velo = values.ravel().tolist()
    RUN(solfec, None, 0.02)
    for member, rest in (("conf", places), ("velo", np.zeros((20, 3)))):
        table = np.reshape(getattr(loose, member), (20, 3))
        assert table[numbers] == pytest.approx(np.reshape(getattr(plain, member), (-1, 3)), rel=1e-9, abs=1e-9)
        assert table[others] == pytest.approx(rest[others])
    assert loose.mesh.node(int(numbers[4])) == pytest.approx(plain.mesh.node(4)) and loose.mesh.node(others[0]) == pytest.approx(places[others[0]])
    vals, vecs = MODAL_ANALYSIS(loose, 8)
    assert vals == pytest.approx(MODAL_ANALYSIS(plain, 8)[0], rel=1e-6) and np.reshape(vecs, (8, 20, 3))[:, others].any() == False  # noqa: E712
    assert np.reshape(RIGID_DISPLACEMENTS(loose), (6, 20, 3))[:, numbers] == pytest.approx(np.reshape(RIGID_DISPLACEMENTS(plain), (6, 12, 3)))
    reduced = BODY(solfec, "FINITE_ELEMENT", MESH(places.ravel().tolist(), elements, surfids), bulk, form="BC-RO", base=(vals, vecs))
    assert len(reduced.conf) == 60


# --- the mesh of a body --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", ["FINITE_ELEMENT", "RIGID", "OBSTACLE"])
def test_the_mesh_of_a_body_is_not_changed_in_place(solfec, bulk, kind):
    body = BODY(solfec, kind, HEX(CUBE, 1, 1, 1, 1, [1] * 6), bulk)
    for name, change in {"ROTATE": lambda m: ROTATE(m, (0, 0, 0), (0, 0, 1), 90), "TRANSLATE": lambda m: TRANSLATE([m], (1, 0, 0)), "SCALE": lambda m: SCALE(m, (2, 2, 2)),
                         "BEND": lambda m: BEND(m, (-1, 0, 0), (0, 0, 1), 10), "set_volid": lambda m: m.set_volid(3), "node": lambda m: m.node(0, x=-0.1)}.items():
        with pytest.raises(ValueError, match=f"{name}.*mesh of body {body.id}.*COPY"):
            change(body.mesh)
        change(COPY(body.mesh))
    assert body.mesh.node(7) == (1, 1, 1)


# --- loads ---------------------------------------------------------------------------------------------------------

def test_a_force_outside_a_mesh_is_refused(solfec, bulk):
    body = BODY(solfec, "FINITE_ELEMENT", HEX(CUBE, 1, 1, 1, 1, [1] * 6), bulk)
    for point in ((0.5, 0.5, 1.01), (-0.3, 0, 0), (9, 9, 9)):
        with pytest.raises(ValueError, match="outside of the mesh"):
            FORCE(body, "SPATIAL", point, (0, 0, 1), 10)
    FORCE(body, "CONVECTED", (1, 1, 1), (0, 0, 1), 10)
    for other in ("RIGID", "PSEUDO_RIGID"):  # a lever
        FORCE(BODY(solfec, other, TRANSLATE(HULL(CUBE, 1, 1), (5, 0, 0)), bulk), "SPATIAL", (9, 9, 9), (0, 0, 1), 10)


# --- obstacles -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(4))
def test_an_obstacle_moved_at_any_point_is_shifted(solfec, bulk, seed):
    """One to three points anywhere, along directions of their own, at rates that a shift can have: nothing turns."""
    random = np.random.default_rng(seed)
    wall = BODY(solfec, "OBSTACLE", SCALE(HULL(CUBE, 1, 1), tuple(random.uniform(0.1, 3, 3))), bulk)
    velocity = random.normal(size=3)
    directions = np.linalg.qr(random.normal(size=(3, 3)))[0][:1 + seed % 3]
    asked = sum((velocity @ d) * d for d in directions)
    for d in directions:
        SET_VELOCITY(wall, tuple(random.uniform(-2, 2, 3)), tuple(d), float(velocity @ d))
    SET_VELOCITY(wall, tuple(random.uniform(-2, 2, 3)), tuple(directions[0]), float(velocity @ directions[0]))  # once more, elsewhere
    RUN(solfec, None, 0.05)
    for X in ((0, 0, 0), (1, 2, 3)):
        assert DISPLACEMENT(wall, X) == pytest.approx(tuple(0.05 * asked), abs=1e-12)
        assert VELOCITY(wall, X) == pytest.approx(tuple(asked), abs=1e-12)


def test_a_turning_obstacle_shows_the_velocity_of_now(solfec, bulk):
    """A door whose edge is pushed along y at 2 t + 0.3: sin(angle) of the edge's place is known, and velocities fit the places of the frames."""
    door = BODY(solfec, "OBSTACLE", SCALE(HULL(CUBE, 1, 1), (2, 0.1, 1)), bulk)
    FIX_POINT(door, (0, 0, 0)), FIX_POINT(door, (0, 0, 1))
    SET_VELOCITY(door, (2, 0, 0), (0, 1, 0), TIME_SERIES([0, 0.3, 1, 2.3]))
    edge, shown = (2, 0, 0), []
    CALLBACK(solfec, 1e-3, door, lambda d: shown.append((solfec.time, *VELOCITY(d, edge)[:2])))
    RUN(solfec, None, 0.5)
    t, y, vx, vy = (np.array(v) for v in HISTORY(solfec, [(door, edge, "DY"), (door, edge, "VX"), (door, edge, "VY")], 0, 1))
    assert len(t) == 501 and vy == pytest.approx(0.3 + 2 * t, abs=1e-5) and y == pytest.approx(0.3 * t + t * t, abs=1e-5)
    assert vx == pytest.approx(-vy * y / np.sqrt(4 - y * y), abs=1e-5)
    assert np.array(shown)[:, 0] == pytest.approx(t[1:]) and np.array(shown)[:, 2] == pytest.approx(vy[1:], abs=1e-12) and np.array(shown)[:, 1] == pytest.approx(vx[1:], abs=1e-12)
    assert np.linalg.norm(DISPLACEMENT(door, (0, 0, 1))) < 1e-9 and math.hypot(2 + DISPLACEMENT(door, edge)[0], DISPLACEMENT(door, edge)[1]) == pytest.approx(2)


def test_points_of_one_obstacle_with_rates_of_their_own_turn_it(solfec, bulk):
    """Two ends of a beam go up at different rates: it turns by their difference, and nothing else."""
    beam = BODY(solfec, "OBSTACLE", SCALE(HULL(CUBE, 1, 1), (4, 0.2, 0.2)), bulk)
    SET_VELOCITY(beam, (0, 0.1, 0.1), (0, 0, 1), 0.1), SET_VELOCITY(beam, (4, 0.1, 0.1), (0, 0, 1), 0.5)
    RUN(solfec, None, 0.1)
    assert VELOCITY(beam, (0, 0.1, 0.1))[2] == pytest.approx(0.1) and VELOCITY(beam, (4, 0.1, 0.1))[2] == pytest.approx(0.5)
    assert beam.velo[:3] == pytest.approx((0, -0.1, 0), abs=1e-4) and VELOCITY(beam, beam.center)[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("points", [37, 50, 400])
def test_a_displacement_moves_obstacles_and_bodies_alike(solfec, bulk, points):
    """Also between points of the series that are no steps, and from a series that does not begin with 0."""
    t = np.linspace(0, 0.4, points)
    series = TIME_SERIES(np.column_stack([t, 0.3 + 0.01 * np.sin(12 * t)]))
    moved = [BODY(solfec, kind, SPHERE((3 * k, 0, 0), 1, 1, 1), bulk) for k, kind in enumerate(("OBSTACLE", "RIGID"))]
    for body in moved:
        SET_DISPLACEMENT(body, body.center, (0, 0, 1), series)
    for time in (0.05, 0.21, 0.333):
        RUN(solfec, None, time - solfec.time)
        shown = [(DISPLACEMENT(body, body.center)[2], VELOCITY(body, body.center)[2]) for body in moved]
        assert shown[0] == pytest.approx(shown[1], abs=1e-10)
        # kinks of the series are rounded off over a step: 1/8 of h times the change of slope of all that are within one
        assert shown[0][0] == pytest.approx(series(time) - 0.3, abs=1e-3 / 8 * 0.01 * 144 * (0.4 / (points - 1) + 1e-3))
        assert shown[0][1] == pytest.approx(0.12 * math.cos(12 * time), abs=0.01 * 144 * 0.4 / (points - 1))
