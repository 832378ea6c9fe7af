"""What Solfec's scripts need in order to run as they are: members, options and routines of its last version."""
import json
import math
import os
import random

import numpy as np
import pytest

from scree.solfec import *
from solids import CUBE

IDENTITY = (1, 0, 0, 0, 1, 0, 0, 0, 1)


@pytest.fixture
def bulk(solfec):
    return BULK_MATERIAL(solfec, young=1e7, poisson=0.25, density=1000)


def box(size, cells=(1, 1, 1), ids=(1, 2, 3, 4, 5, 6), at=(0, 0, 0), volid=1):
    return TRANSLATE(SCALE(HEX(CUBE, *cells, volid, list(ids)), size), at)


# --- SOLFEC -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("verbose, shown", [("%", True), ("%\n", True), ("OFF", False)])
def test_progress_in_per_cent(solfec, bulk, capsys, verbose, shown):
    BODY(solfec, "RIGID", SPHERE((0, 0, 0), 1, 1, 1), bulk)
    solfec.verbose = verbose
    assert solfec.verbose == verbose
    RUN(solfec, None, 0.02)
    out = capsys.readouterr().out
    assert ("100%" in out) == shown and ("contacts" in out) is False


def test_members_of_solfec(solfec):
    solfec.cleanup = "ON"
    assert solfec.cleanup == "ON" and solfec.compatible == "ON"
    with pytest.raises(ValueError, match="verbose"):
        solfec.verbose = "LOUD"


def test_springs_are_read_with_the_frame(command, script):
    """A mass falls on a spring that turns with a second body: its values in READ mode are those of the frame."""
    path = script("""
sol = SOLFEC ('DYNAMIC', 1E-3, 'out/spring')
sol.verbose = 'OFF'
bulk = BULK_MATERIAL (sol, density = 1000)
one = BODY (sol, 'RIGID', SPHERE ((0, 0, 0), 0.1, 1, 1), bulk)
two = BODY (sol, 'RIGID', SPHERE ((1, 0, 0), 0.1, 1, 1), bulk)
INITIAL_VELOCITY (two, (0, 0, 0.5), (0, 3, 0))
springs = [PUT_SPRING (one, (0, 0, 0), two, (1, 0, 0.1), lambda s, v: -50 * s - v, None, axis, update)
           for axis, update in ((None, None), ((1, 0, 0), 'FIXED'), ((0, 0, 1), 'CONV2'))]
OUTPUT (sol, 0.01)
RUN (sol, GAUSS_SEIDEL_SOLVER (1E-3, 10), 0.2)
if sol.mode == 'READ': SEEK (sol, 0.2)
print ([round (value, 3) for spring in springs for value in (spring.stroke, spring.velocity, spring.force) + spring.R])
""")
    written, read = (json.loads(command("run", path).out) for _ in range(2))
    assert max(map(abs, written)) > 0.05 and np.allclose(written, read, atol=0.02 * max(map(abs, written)))


def test_reopening_results_in_one_process(command, script):
    """With --out, too, the same path is the same folder: the second SOLFEC object reads what the first wrote."""
    path = script("""
def model ():
  sol = SOLFEC ('DYNAMIC', 1E-3, 'out/here')
  sol.verbose = 'OFF'
  bulk = BULK_MATERIAL (sol)
  return sol, BODY (sol, 'RIGID', SPHERE ((0, 0, 0), 1, 1, 1), bulk)

sol, body = model ()
print (sol.mode)
GRAVITY (sol, (0, 0, -10))
OUTPUT (sol, 0.01)
RUN (sol, GAUSS_SEIDEL_SOLVER (1E-3, 10), 0.1)
sol, body = model ()
print (sol.mode, DURATION (sol)[1])
SEEK (sol, 0.1)
print (round (DISPLACEMENT (body, (0, 0, 0))[2], 6))
""")
    for extra in ([], ["--out", "elsewhere"]):
        done = command("run", path, *extra)
        assert done.status == 0 and done.out.split() == ["WRITE", "READ", "0.1", "-0.05"], done.err
        again = command("run", path, *extra)
        assert again.out.split() == ["READ", "READ", "0.1", "-0.05"], again.err


def test_arguments_after_two_dashes(command, script):
    path = script("argv = NON_SOLFEC_ARGV ()\nprint (argv)\n")
    assert command("run", path, "--", "-n", "3").out == "['-n', '3']\n" and command("run", path).out == "None\n"


def test_a_module_named_solfec(command, script):
    script("from solfec import *\nimport solfec\nball = SPHERE ((0, 0, 0), 2, 1, 1)\nassert solfec.HEX is HEX\n", "parts.py")
    path = script("from solfec import *\nfrom parts import ball\nprint (ball.radius)\n")
    done = command("run", path)
    assert done.status == 0 and done.out == "2.0\n", done.err


# --- MESH -------------------------------------------------------------------------------------------------------

def test_members_of_mesh():
    mesh = box((2, 1, 1), (2, 1, 1))
    assert mesh.nodes_on_surface(2) == [n for n in range(mesh.nnod) if mesh.node(n)[0] == 0] and mesh.nodes_on_surface(99) is None
    again = MESH(*mesh.get_data())
    assert again.get_data() == mesh.get_data() and again.nnod == 12
    assert mesh.set_volid(7) == 7 and mesh.get_data()[1][9::10] == [7, 7]
    assert mesh.node(11, z=1.5) == (2.0, 1.0, 1.5) == mesh.node(11)
    with pytest.raises(ValueError, match="node"):
        mesh.node(12)


def test_integration_points_integrate():
    """Gauss points with equal weights integrate linear functions, and quadratic ones of boxes."""
    mesh = box((2, 3, 4), (2, 2, 2))
    points = np.array(mesh.volume_integration_points())
    assert len(points) == 64 and points.mean(axis=0) == pytest.approx((1, 1.5, 2)) and (points**2).mean(axis=0) == pytest.approx((4 / 3, 3, 16 / 3))
    assert mesh.volume_integration_points(99) == [] and len(mesh.volume_integration_points(1)) == 64
    top = np.array(mesh.surface_integration_points(6))
    assert len(top) == 16 and (top[:, 2] == 4).all() and (top[:, :2] ** 2).mean(axis=0) == pytest.approx((4 / 3, 3))
    assert len(mesh.surface_integration_points()) == 6 * 16
    tetrahedron = MESH([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], [4, 0, 1, 2, 3, 1], 1)
    assert tetrahedron.volume_integration_points() == [pytest.approx((0.25, 0.25, 0.25))] and len(tetrahedron.surface_integration_points()) == 4


def test_faces_between_elements():
    mesh = box((3, 1, 1), (3, 1, 1))
    assert len(mesh.inter_element_faces()) == 2
    [face] = mesh.inter_element_faces_on_plane((1, 0, 0), (1, 0, 0))
    assert {mesh.node(n)[0] for n in face} == {1.0}
    assert mesh.inter_element_faces_on_plane((1.1, 0, 0), (1, 0, 0)) == [] and len(mesh.inter_element_faces_on_plane((1.1, 0, 0), (1, 0, 0), True, 0.2)) == 1


def test_nodes_of_no_element_take_no_part(solfec, bulk):
    nodes = CUBE[:12] + [9, 9, 9] + CUBE[12:]
    mesh = MESH(nodes, [8, 0, 1, 2, 3, 5, 6, 7, 8, 1], [1, 4, 5, 6, 7, 8, 2])
    assert mesh.nnod == 9 and mesh.node(8) == (0.0, 1.0, 1.0) and mesh.nodes_on_surface(2) == [5, 6, 7, 8]
    assert mesh.node(4) == (9, 9, 9)
    with pytest.raises(ValueError, match="no element"):
        mesh.node(4, x=1)
    body = BODY(solfec, "FINITE_ELEMENT", mesh, bulk)
    assert len(body.conf) == 27 and body.conf[12:15] == (9, 9, 9) and body.volume == pytest.approx(1) and body.mesh.nodes_on_surface(2) == [5, 6, 7, 8]


def test_a_hex_listed_inside_out_is_turned_round():
    turned = CUBE[12:] + CUBE[:12]
    mesh, twin = HEX(turned, 2, 2, 3, 1, [10, 11, 12, 13, 14, 15], dz=[1, 2, 3]), HEX(CUBE, 2, 2, 3, 1, [15, 11, 12, 13, 14, 10], dz=[3, 2, 1])
    assert mesh._shape.volume == pytest.approx(1)
    # nodes are numbered from the first face listed; ids follow the local axes
    assert mesh.node(0) == (0, 0, 1) and mesh.node(mesh.nnod - 1) == (1, 1, 0)
    for surface in range(10, 16):
        places = [sorted(m.node(n) for n in m.nodes_on_surface(surface)) for m in (mesh, twin)]
        assert places[0] == pytest.approx(places[1])


@pytest.mark.parametrize("factors", [(-1, 1, 1), (1, -2, 1), (-1, -1, -1)])
def test_scaling_mirrors(solfec, bulk, factors):
    shapes = [box((1, 2, 3), (2, 1, 1)), HULL(CUBE, 1, 1), SPHERE((1, 2, 3), 0.5, 1, 1), ELLIP((1, 2, 3), (1, 2, 3), 1, 1)]
    for shape in shapes:
        before, volume = MASS_CENTER(shape), shape._shape.volume
        SCALE(shape, factors)
        assert MASS_CENTER(shape) == pytest.approx(np.multiply(before, factors)) and shape._shape.volume == pytest.approx(volume * abs(np.prod(factors)))
    assert BODY(solfec, "FINITE_ELEMENT", shapes[0], bulk).mass > 0


# --- cutting ----------------------------------------------------------------------------------------------------

def test_splitting_with_a_pair_of_surfaces():
    below, above = SPLIT(HULL(CUBE, 1, 1), (0, 0, 0.5), (0, 0, 1), (7, 8))
    assert 7 in below._shape.pieces[0]["surface_ids"] and 8 not in below._shape.pieces[0]["surface_ids"] and 8 in above._shape.pieces[0]["surface_ids"]
    one, two = SPLIT(box((4, 1, 1), (4, 1, 1)), (1, 0, 0), (1, 0, 0), (7, 8))
    assert (one.nnod, two.nnod) == (8, 16) and {one.node(n)[0] for n in one.nodes_on_surface(7)} == {1.0} == {two.node(n)[0] for n in two.nodes_on_surface(8)}
    assert one.nodes_on_surface(2) and two.nodes_on_surface(4) and one.nodes_on_surface(8) is None
    with pytest.raises(ValueError, match="SPLIT.*remesh"):
        SPLIT(box((4, 1, 1), (4, 1, 1)), (1.5, 0, 0), (1, 0, 0), remesh="OFF")
    with pytest.raises(ValueError, match="SPLIT.*topoadj"):
        SPLIT(HULL(CUBE, 1, 1), (0, 0, 0.5), (0, 0, 1), topoadj="ON")


def test_a_cut_that_spreads_from_its_point():
    """A fork of two prongs on a base: the plane meets both, and the cut takes the prong of the point alone."""
    nodes, elements, surfids = box((3, 1, 3), (3, 1, 3)).get_data()

    def middle(e):
        return np.mean([nodes[3 * n:3 * n + 3] for n in e], axis=0)

    flat = list(elements)
    cells = [flat[k + 1:k + 9] for k in range(0, len(flat), 10)]
    kept = [c for c in cells if not (1 < middle(c)[0] < 2 and middle(c)[2] > 1)]
    used = sorted({n for c in kept for n in c})
    fork = MESH([x for n in used for x in nodes[3 * n:3 * n + 3]], [x for c in kept for x in (8, *(used.index(n) for n in c), 1)], 5)
    both = SPLIT(COPY(fork), (0.5, 0.5, 2), (0, 0, 1), (7, 8))
    assert both[1]._shape.volume == pytest.approx(2)
    below, above = SPLIT(COPY(fork), (0.5, 0.5, 2), (0, 0, 1), (7, 8), topoadj="ON")
    assert (below._shape.volume, above._shape.volume) == (pytest.approx(6), pytest.approx(1))
    assert {below.node(n)[2] for n in below.nodes_on_surface(7)} == {2.0} == {above.node(n)[2] for n in above.nodes_on_surface(8)} and below.nodes_on_surface(8) is None
    # along x = 1 the base alone is cut: below, one part with a prong; a cut of one prong from the side does not part the ring
    left, right = SPLIT(COPY(fork), (1, 0.5, 0.5), (1, 0, 0), topoadj="ON")
    assert (left._shape.volume, right._shape.volume) == (pytest.approx(3), pytest.approx(4))
    with pytest.raises(ValueError, match="SPLIT.*on no face"):
        SPLIT(COPY(fork), (1.5, 0.5, 2), (0, 0, 1), topoadj="ON")


def test_a_slit_doubles_nodes():
    mesh = box((2, 1, 2), (2, 1, 2))
    face = [f for f in mesh.inter_element_faces_on_plane((1, 0, 0), (1, 0, 0)) if min(mesh.node(n)[2] for n in f) == 1.0]
    [slit] = MESH_SPLIT(mesh, None, face, 7, 8)
    assert slit.nnod == mesh.nnod + 2  # those at the open edge; the tip holds
    assert len(slit.nodes_on_surface(7)) == 4 == len(slit.nodes_on_surface(8)) and slit._shape.volume == pytest.approx(4)


@pytest.mark.parametrize("kind", ["RIGID", "FINITE_ELEMENT"])
def test_a_body_comes_apart_in_flight(solfec, bulk, kind):
    """Momentum, angular momentum and energy of the whole are those of the parts."""
    body = BODY(solfec, kind, box((4, 1, 1), (4, 1, 1)), bulk, "whole")
    INITIAL_VELOCITY(body, (1, 2, 3), (0, 0, 2))
    RUN(solfec, None, 0.01)

    def momenta(bodies):
        momentum = sum(np.multiply(b.mass, b._state()[2]) for b in bodies)
        return np.append(momentum, sum(ENERGY(b)[0] for b in bodies))

    before, number = momenta([body]), body.id
    faces = body.mesh.inter_element_faces_on_plane((1, 0, 0), (1, 0, 0))
    other, list1, list2 = RT_SPLIT(body, faces, 7, 8, "left", "right")
    small, large = sorted((body, other), key=lambda b: b.mass)
    assert (body.label, other.label) == ("left", "right") and body.id != number and solfec.nbod == 2
    assert large.mass == pytest.approx(3 * small.mass) and momenta([body, other]) == pytest.approx(before, rel=1e-9)
    assert sorted(n for n in list1 if n >= 0) == list(range(body.mesh.nnod)) and sum(n >= 0 for n in list1 + list2) == 24
    RUN(solfec, None, 0.01)
    with pytest.raises(ValueError, match="RT_SPLIT.*body1"):
        RT_SPLIT(BODY(solfec, "RIGID", SPHERE((0, 0, 9), 1, 1, 1), bulk), [[0, 1, 2]])


# --- BODY -------------------------------------------------------------------------------------------------------

def test_configurations_and_velocities_can_be_written(solfec, bulk):
    rigid = BODY(solfec, "RIGID", HULL(CUBE, 1, 1), bulk)
    soft = BODY(solfec, "PSEUDO_RIGID", TRANSLATE(HULL(CUBE, 1, 1), (5, 0, 0)), bulk)
    mesh = BODY(solfec, "FINITE_ELEMENT", box((1, 1, 1), at=(9, 0, 0)), bulk)
    wall = BODY(solfec, "OBSTACLE", TRANSLATE(HULL(CUBE, 1, 1), (20, 0, 0)), bulk)
    turn = (0, 1, 0, -1, 0, 0, 0, 0, 1)
    rigid.conf, rigid.velo = (*turn, 1, 2, 3), (0.1, 0.2, 0.3, 4, 5, 6)
    assert rigid.conf == (*turn, 1, 2, 3) and rigid.velo == pytest.approx((0.1, 0.2, 0.3, 4, 5, 6))
    assert VELOCITY(rigid, rigid.center) == (4, 5, 6)
    for body in (soft, mesh):
        q, u = np.array(body.conf) * 1.01, np.linspace(0, 1, len(body.velo))
        body.conf, body.velo = q, tuple(u)
        assert body.conf == pytest.approx(tuple(q)) and body.velo == pytest.approx(tuple(u))
    assert len(wall.conf) == 12 and wall.velo == (0.0,) * 6
    with pytest.raises(ValueError, match="conf.*12"):
        rigid.conf = (1, 2, 3)


def test_the_mesh_of_a_body(solfec, bulk):
    body = BODY(solfec, "FINITE_ELEMENT", box((2, 1, 1), (2, 1, 1)), bulk)
    inner = BODY(solfec, "FINITE_ELEMENT", TRANSLATE(HULL(CUBE, 1, 1), (5.5, 0.5, 0.5)), bulk, mesh=box((2, 2, 2), at=(5, 0, 0)))
    stone = BODY(solfec, "RIGID", box((1, 1, 1), at=(9, 0, 0)), bulk)
    assert BODY(solfec, "RIGID", HULL([x + 20 for x in CUBE], 1, 1), bulk).mesh is None
    assert (body.mesh.nnod, inner.mesh.nnod, stone.mesh.nnod) == (12, 8, 8) and body.material is bulk
    INITIAL_VELOCITY(body, (0, 0, 1), (0, 0, 0))
    RUN(solfec, None, 0.1)
    assert body.mesh.node(0)[2] == pytest.approx(0.1) and body.mesh.nodes_on_surface(2)


def test_rotation_can_be_disabled(solfec, bulk):
    free, held = (BODY(solfec, "RIGID", TRANSLATE(HULL(CUBE, 1, 1), (3 * k, 0, 0)), bulk) for k in range(2))
    tensor = held.tensor
    held.disable_rotation = "ON"
    assert held.disable_rotation == "ON" and free.disable_rotation == "OFF" and held.tensor == tensor
    for body in (free, held):
        FORCE(body, "SPATIAL", tuple(np.add(body.center, (0.5, 0, 0))), (0, 0, 1), 1000)
    RUN(solfec, None, 0.1)
    assert abs(free.velo[1]) > 0.1 and np.abs(held.velo[:3]).max() < 1e-9 and held.velo[5] == pytest.approx(0.1)
    held.disable_rotation = "OFF"
    assert held.tensor == tensor and held.disable_rotation == "OFF"


def test_bodies_of_the_last_versions_arguments(solfec, bulk):
    """BODY (solfec, kind, shape, material | label, form, mesh, base)."""
    body = BODY(solfec, "FINITE_ELEMENT", box((4, 1, 1), (4, 1, 1)), bulk, "one", "BC")
    values, vectors = MODAL_ANALYSIS(body, 12, os.path.join(solfec.outpath, "deep", "modes"))
    assert os.path.exists(os.path.join(solfec.outpath, "deep", "modes.npz"))
    reduced = BODY(solfec, "FINITE_ELEMENT", box((4, 1, 1), (4, 1, 1), at=(9, 0, 0)), bulk, "two", "BC-MODAL", None, (values, vectors))
    REGISTER_BASE(solfec, (values, vectors), "base")
    labelled = BODY(solfec, "FINITE_ELEMENT", box((4, 1, 1), (4, 1, 1), at=(18, 0, 0)), bulk, form="BC-MODAL", base="base")
    older = BODY(solfec, "FINITE_ELEMENT", box((4, 1, 1), (4, 1, 1), at=(27, 0, 0)), bulk, form="BC-MODAL", modal=(values, vectors))
    assert {len(b.conf) for b in (reduced, labelled, older)} == {60}
    with pytest.raises(ValueError, match="BODY.*base.*label"):
        BODY(solfec, "FINITE_ELEMENT", box((1, 1, 1)), bulk, form="BC-MODAL", base="bass")


def test_modes_come_rigid_ones_first(solfec, bulk):
    body = BODY(solfec, "FINITE_ELEMENT", box((8, 1, 1), (8, 2, 2)), bulk)
    values, vectors = MODAL_ANALYSIS(body, 9, os.path.join(solfec.outpath, "modes"))
    shapes = np.reshape(vectors, (9, -1))
    assert values[:6] == [0.0] * 6 and (np.diff(values[6:]) > -1e-6 * values[6]).all() and values[6] > 1
    BODY_MM_EXPORT(body, os.path.join(solfec.outpath, "a", "M.mtx"), os.path.join(solfec.outpath, "b", "K.mtx"))
    matrices = [np.loadtxt(os.path.join(solfec.outpath, name), skiprows=3) for name in ("a/M.mtx", "b/K.mtx")]

    def product(table):
        full = np.zeros((shapes.shape[1],) * 2)
        i, j = table[:, 0].astype(int) - 1, table[:, 1].astype(int) - 1
        full[i, j] = full[j, i] = table[:, 2]
        return shapes @ full @ shapes.T

    assert product(matrices[0]) == pytest.approx(np.eye(9), abs=1e-8) and product(matrices[1]) == pytest.approx(np.diag(values), abs=1e-6 * values[8])
    again = MODAL_ANALYSIS(body, 9, os.path.join(solfec.outpath, "modes"))
    assert again[0] == values and len(MODAL_ANALYSIS(body, 4, os.path.join(solfec.outpath, "modes"))[0]) == 4


def test_displacements_without_rigid_motion(solfec, bulk):
    body = BODY(solfec, "FINITE_ELEMENT", box((2, 1, 1), (2, 1, 1)), bulk, "bar(0)")
    INITIAL_VELOCITY(body, (5, 0, 0), (0, 0, 3))
    OUTPUT(solfec, 0.01)
    samples, timed = COROTATED_DISPLACEMENTS(solfec, "bar(0)"), COROTATED_DISPLACEMENTS(solfec, [body], [0.02, 0.05])
    rigid = np.array(RIGID_DISPLACEMENTS(body))
    RUN(solfec, None, 0.1)
    samples = np.array(samples)
    assert samples.shape == (10, 36) and len(timed) == 2
    # it flies half a metre and turns 0.3; what is left is the strain of the spin
    assert np.linalg.norm(DISPLACEMENT(body, body.center)) > 0.4 and np.abs(samples).max() < 1e-2
    assert rigid.shape == (6, 36) and np.linalg.norm(rigid, axis=1) == pytest.approx(np.ones(6)) and rigid @ rigid.T == pytest.approx(np.eye(6), abs=1e-12)
    read = SOLFEC("DYNAMIC", 1e-3, solfec.outpath)
    stored = COROTATED_DISPLACEMENTS(read, BODY(read, "FINITE_ELEMENT", box((2, 1, 1), (2, 1, 1)), BULK_MATERIAL(read, young=1e7)))
    FORWARD(read, 4, "TRUE")
    assert len(stored) == 4 and np.array(stored) == pytest.approx(samples[:4], abs=1e-9)


# --- constraints ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("routine, series, speed", [(SET_VELOCITY, 0.5, lambda t: 0.5), (SET_VELOCITY, TIME_SERIES([0, 0, 1, 2]), lambda t: 2 * t),
                                                    (SET_DISPLACEMENT, TIME_SERIES([0, 0, 1, 3]), lambda t: 3.0),
                                                    (SET_ACCELERATION, TIME_SERIES([0, 0, 1, 6]), lambda t: 3 * t * t)])
def test_constraints_move_an_obstacle(solfec, bulk, routine, series, speed):
    wall = BODY(solfec, "OBSTACLE", HULL(CUBE, 1, 1), bulk)
    made = routine(wall, wall.center, (0, 2, 0), series)
    RUN(solfec, None, 0.2)
    assert made.kind == "VELODIR" and made.R == (0, 0, 0) and made.adjbod is wall
    assert VELOCITY(wall, (0, 0, 0)) == pytest.approx((0, speed(0.2), 0), abs=1e-3)
    way = sum(speed((k + 0.5) * 1e-3) for k in range(200)) * 1e-3
    assert DISPLACEMENT(wall, (0, 0, 0)) == pytest.approx((0, way, 0), abs=5e-4)
    DELETE(solfec, made)
    RUN(solfec, None, 0.1)
    assert VELOCITY(wall, (0, 0, 0)) == (0, 0, 0)


def test_a_long_accelerogram_moves_obstacles_and_bodies_alike(solfec, bulk):
    """20,000 points, as recorded ones have; after its end the last acceleration goes on."""
    t = np.linspace(0, 0.1, 20000)
    record = TIME_SERIES(np.column_stack([t, 3 * np.sin(40 * t) + 2 * t]))
    moved = [BODY(solfec, kind, SPHERE((3 * k, 0, 0), 1, 1, 1), bulk) for k, kind in enumerate(("OBSTACLE", "RIGID"))]
    for body in moved:
        SET_ACCELERATION(body, body.center, (1, 0, 0), record)
    RUN(solfec, None, 0.15)
    T, late = 0.1, 0.05
    speed, last = 3 / 40 * (1 - math.cos(40 * T)) + T * T, 3 * math.sin(40 * T) + 2 * T
    way = 3 / 40 * (T - math.sin(40 * T) / 40) + T**3 / 3 + speed * late + 0.5 * last * late**2
    for body in moved:
        assert VELOCITY(body, body.center)[0] == pytest.approx(speed + last * late, rel=1e-5) and DISPLACEMENT(body, body.center)[0] == pytest.approx(way, rel=1e-4)


def test_an_obstacle_on_a_hinge_turns(solfec, bulk):
    """Two fixed points make an axis; a third one off it is driven around."""
    door = BODY(solfec, "OBSTACLE", SCALE(HULL(CUBE, 1, 1), (2, 0.1, 1)), bulk)
    FIX_POINT(door, (0, 0, 0)), FIX_POINT(door, (0, 0, 1))
    SET_VELOCITY(door, (2, 0, 0), (0, 1, 0), 0.2)
    RUN(solfec, None, 0.1)
    # omega = 0.2 / 2 about z
    assert door.velo[:3] == pytest.approx((0, 0, 0.1), abs=1e-4) and np.linalg.norm(DISPLACEMENT(door, (0, 0, 0.5))) < 1e-6
    assert DISPLACEMENT(door, (2, 0, 0))[1] == pytest.approx(0.02, rel=1e-3)


def test_constraints_break_beyond_their_strength(solfec, bulk):
    GRAVITY(solfec, (0, 0, -10))
    bodies = [BODY(solfec, "RIGID", SPHERE((3 * k, 0, 0), 0.5, 1, 1), bulk) for k in range(4)]
    weight = 10 * bodies[0].mass
    FIX_POINT(bodies[0], bodies[0].center, 1.1 * weight), FIX_POINT(bodies[1], bodies[1].center, 0.9 * weight)
    for body, strength in ((bodies[2], 1.1 * weight), (bodies[3], 0.9 * weight)):
        x, y, z = body.center
        PUT_RIGID_LINK(body, None, body.center, (x, y, z + 1), strength)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-10, 100), 0.1)
    assert [DISPLACEMENT(b, b.center)[2] < -0.01 for b in bodies] == [False, True, False, True] and len(solfec.constraints) == 2


def test_limits_beyond_the_length_of_a_spring(solfec, bulk):
    body = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    PUT_SPRING(body, (0, 0, 0), None, (0, 0, 1), lambda stroke, velocity: 0.0, (-1000, 1000))
    INITIAL_VELOCITY(body, (0, 0, -1), (0, 0, 0))
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-6, 100), 0.1)
    assert body.velo[5] == pytest.approx(-1)


# --- materials and loads ----------------------------------------------------------------------------------------

def test_a_negative_dashpot_is_critical(solfec):
    """A ball pressed on a spring comes to rest without passing its place, and sooner than with a weaker dashpot."""
    GRAVITY(solfec, (0, 0, -10))
    bulk = BULK_MATERIAL(solfec)
    SURFACE_MATERIAL(solfec, 1, 1, "SPRING_DASHPOT", spring=1e6, dashpot=-1.0)
    BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (20, 20, 1)), (-10, -10, -1)), bulk)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 0.5), 0.5, 1, 1), bulk)
    seen = []
    CALLBACK(solfec, 1e-3, ball, lambda body: seen.append(body.conf[11] - 0.5) or 1)
    RUN(solfec, PENALTY_SOLVER(), 0.3)
    rest, omega = -ball.mass * 10 / 1e6, math.sqrt(1e6 / ball.mass)
    exact = [rest * (1 - (1 + omega * t) * math.exp(-omega * t)) for t in np.arange(1, len(seen) + 1) * 1e-3]
    assert seen == pytest.approx(exact, abs=0.05 * abs(rest)) and seen[-1] == pytest.approx(rest, rel=1e-3)


def test_a_material_of_one_surface_with_any_other(solfec):
    bulk = BULK_MATERIAL(solfec, poisson=0.5)  # a rigid body does not mind
    SURFACE_MATERIAL(solfec, friction=0.0), SURFACE_MATERIAL(solfec, 1, 3, friction=0.9)
    rough = SURFACE_MATERIAL(solfec, 2, friction=0.5)
    assert (rough.surf1, rough.surf2) == (2, None)
    GRAVITY(solfec, (0, 0, -10))
    BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (60, 20, 1)), (-10, -10, -1)), bulk)
    blocks = [BODY(solfec, "RIGID", TRANSLATE(HULL(CUBE, 1, s), (3 * s, 0, 0)), bulk) for s in (2, 3, 4)]
    for block in blocks:
        INITIAL_VELOCITY(block, (2, 0, 0), (0, 0, 0))
    RUN(solfec, NEWTON_SOLVER(), 0.1)
    assert [block.velo[3] for block in blocks] == pytest.approx([1.5, 1.1, 2.0], abs=1e-3)
    with pytest.raises(ValueError, match="poisson"):
        BODY(solfec, "FINITE_ELEMENT", box((1, 1, 1), at=(0, 5, 5)), bulk)


def test_gravity_of_three_series(solfec, bulk):
    GRAVITY(solfec, (TIME_SERIES([0, 0, 1, 6]), 2.0, TIME_SERIES([0, -10, 1, -10])))
    body = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 1, 1, 1), bulk)
    RUN(solfec, None, 0.5)
    assert body.velo[3:] == pytest.approx((3 * 0.25, 1.0, -5.0), rel=1e-6)
    GRAVITY(solfec, (0, 0, 1), 3.0)
    RUN(solfec, None, 0.1)
    assert body.velo[3:] == pytest.approx((3 * 0.25, 1.0, -4.7), rel=1e-6)


def test_fields_and_fracture_of_materials(solfec):
    field = FIELD(solfec, lambda scale, x, y, z, t: scale * x, "heat", (2.0,))
    assert BYLABEL(solfec, "FIELD", "heat") is field and field(3, 0, 0, 0) == 6.0
    bulk = BULK_MATERIAL(solfec, "KIRCHHOFF", "stone", 1e9, 0.2, 2000, 1e5, [field], 10.0)
    body = BODY(solfec, "FINITE_ELEMENT", box((1, 1, 1)), bulk)
    body.fracturecheck = "OFF"
    with pytest.raises(ValueError, match="fracturecheck.*RT_SPLIT"):
        body.fracturecheck = "ON"


# --- solvers ----------------------------------------------------------------------------------------------------

def pile(solfec, bulk):
    GRAVITY(solfec, (0, 0, -10))
    SURFACE_MATERIAL(solfec, friction=0.5)
    BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (20, 20, 1)), (-10, -10, -1)), bulk)
    return [BODY(solfec, "RIGID", TRANSLATE(HULL(CUBE, 1, 1), (0.1 * k, 0, k)), bulk) for k in range(3)]


def test_histories_of_solvers(solfec, bulk):
    pile(solfec, bulk)
    newton, sweeps = NEWTON_SOLVER(1e-10), GAUSS_SEIDEL_SOLVER(1.0, 1000, 1e-6)
    newton.itershist, sweeps.history = "ON", "ON"
    RUN(solfec, newton, solfec.step)
    assert newton.merhist[-1] <= 1e-10 < newton.merhist[0] and newton.mvhist[0] > 0 and newton.itershist == [newton.iters] and newton.iters > 0
    RUN(solfec, newton, 0.01)
    assert len(newton.itershist) == 11 and newton.iters == newton.itershist[-1] and newton.failure == "CONTINUE"
    for body in solfec.bodies[1:]:
        INITIAL_VELOCITY(body, (1, 0, 0), (0, 0, 0))
    RUN(solfec, sweeps, solfec.step)
    assert sweeps.merhist[-1] <= 1e-6 and sweeps.rerhist == [] and sweeps.itershist is None
    sweeps.innerloops = 2
    curves = HISTORY(solfec, ["GSINIT", "GSRUN", "GSITERS", "NTITERS", "MERIT", "GSCOLORS", "NEWBODS", "DELBODS"], 0, 1)
    assert len(curves) == 9 and set(curves[1]) == {0.0} and TIMING(solfec, "GSINIT") == 0.0


@pytest.mark.parametrize("solver", [lambda: TEST_SOLVER(1e-8, 100), lambda: SICONOS_SOLVER(1e-8, 1000, "OFF"), lambda: GAUSS_SEIDEL_SOLVER(1e-8, 1000, diagsolver="PROJECTED_NEWTON"),
                                    lambda: GAUSS_SEIDEL_SOLVER(1e-8, 1000, diagsolver="DE_SAXCE_FENG"), lambda: NEWTON_SOLVER(reldelta="avgWii", delta=1e-3)])
def test_other_solvers_of_the_last_version(solfec, bulk, solver):
    bodies = pile(solfec, bulk)
    RUN(solfec, solver(), 0.05)
    assert np.abs([b.velo[5] for b in bodies]).max() < 1e-3


def test_newton_sweeps_more_where_its_steps_gain_little(tmp_path):
    """A cube cut into polyhedra that stand as they were cut: far fewer steps than with as many sweeps after each."""
    counts = {}
    for name, options in (("its own", {}), ("the same", {"sweeps": 40})):
        solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / name))
        solfec.verbose = "OFF"
        bulk, numbers, pieces = BULK_MATERIAL(solfec), random.Random(1), [HULL(CUBE, 1, 1)]
        GRAVITY(solfec, (0, 0, -10)), SURFACE_MATERIAL(solfec, friction=0.5)
        BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (9, 9, 1)), (-4, -4, -1)), bulk)
        for _ in range(6):
            point, normal = [numbers.uniform(0.2, 0.8) for _ in range(3)], [numbers.gauss(0, 1) for _ in range(3)]
            pieces = [part for piece in pieces for part in SPLIT(piece, tuple(point), tuple(normal)) if part is not None]
        for piece in pieces:
            BODY(solfec, "RIGID", piece, bulk)
        solver = SOLVER("NEWTON", 1e-8, "scaled_merit", options=options)
        solver.itershist = "ON"
        RUN(solfec, solver, 0.006)
        counts[name] = sum(solver.itershist)
    assert 0 < counts["its own"] < 0.7 * counts["the same"]


def test_refused_routines_say_what_to_use(solfec):
    for call, words in ((lambda: HYBRID_SOLVER("parmec.py", 1e-4, {}, NEWTON_SOLVER()), ["HYBRID_SOLVER", "Parmec", "PUT_SPRING"]),
                        (lambda: SIMPLIFIED_CRACK(None, (0, 0, 0), (1, 0, 0), 1, "TENSILE", ft=1e3), ["SIMPLIFIED_CRACK", "RT_SPLIT"])):
        with pytest.raises(ValueError) as caught:
            call()
        assert all(word in str(caught.value) for word in words)


# --- results ----------------------------------------------------------------------------------------------------

def test_histories_of_constraints(solfec, bulk):
    """'R' is the resultant along a direction or the normals, 'GAP' the least gap, 'CR' of contacts alone."""
    bodies = pile(solfec, bulk)
    FIX_DIRECTION(bodies[0], bodies[0].center, (1, 0, 0))
    OUTPUT(solfec, 0.01)
    RUN(solfec, NEWTON_SOLVER(1e-16), 0.05)  # a squared error: forces to 1e-8
    weight, last = sum(10 * b.mass for b in bodies), bodies[2]
    times, floor, top, normal, gap, everything = HISTORY(solfec, [((solfec.bodies[0], bodies[0]), (0, 0, 1), None, "CR"), (last, (0, 0, 1), (1, 1), "CR"),
                                                                  (last, None, None, "CR"), (solfec, "GAP"), (bodies[0], None, None, "R")], 0.01, 0.05)
    assert np.abs(floor) == pytest.approx(np.full(5, weight), rel=1e-6) and np.abs(top) == pytest.approx(np.full(5, weight / 3), rel=1e-6)
    assert normal == pytest.approx(np.abs(top), rel=1e-6) and max(gap) <= 0 and len(everything) == 5
    named = HISTORY(solfec, [("last", (0, 0, 0), "CZ")], 0, 1) if last.label else None
    assert named is None
    with pytest.raises(ValueError, match="HISTORY.*label"):
        HISTORY(solfec, [("nobody", (0, 0, 0), "CZ")], 0, 1)


def test_exporting_a_box_and_before_a_run(solfec, bulk, tmp_path):
    bodies = [BODY(solfec, "RIGID", SPHERE((3 * k, 0, 0), 0.5, 1, 1), bulk, f"ball({k})") for k in range(4)]
    XDMF_EXPORT(solfec, (0, 1), str(tmp_path / "deep" / "start"))
    assert (tmp_path / "deep" / "start.xdmf").exists()
    OUTPUT(solfec, 0.01)
    RUN(solfec, None, 0.02)
    from scree.solfec.state import chosen
    assert chosen(solfec, (2, -1, -1, 7, 1, 1)) == bodies[1:3] and chosen(solfec, [(2, -1, -1, 4, 1, 1), bodies[0], bodies[3].id]) == [bodies[1], bodies[0], bodies[3]]
    assert chosen(solfec, "ball(2)") == [bodies[2]] and chosen(solfec, "^ball") == bodies and chosen(solfec, "[13]") == [bodies[1], bodies[3]]
    XDMF_EXPORT(solfec, [0.0, 0.02], str(tmp_path / "part"), (2, -1, -1, 4, 1, 1), ["DISP"])
    assert (tmp_path / "part.xdmf").exists()
    MBFCP_EXPORT(solfec, str(tmp_path / "far" / "away" / "problem.txt"))
    assert "BODIES 4" in (tmp_path / "far" / "away" / "problem.txt").read_text()


def test_registered_callbacks_are_not_called(solfec, bulk):
    """Solfec's serial version ignores them; CALLBACK calls."""
    BODY(solfec, "RIGID", SPHERE((0, 0, 0), 1, 1, 1), bulk)
    calls = []
    REGISTER_CALLBACK(lambda data: calls.append(data) or 1, 7)
    RUN(solfec, None, 0.01)
    assert calls == []
    IMBALANCE_TOLERANCE(solfec, 1.1, 0.5, 20), IMBALANCE_TOLERANCE(solfec, 1.1, updatefreq=20)


# --- meshers ----------------------------------------------------------------------------------------------------

_STL = "solid box\n{}endsolid box\n"


def test_tetrahedra_from_files(tmp_path, solfec, bulk):
    """A cube as .stl and as .poly with markers."""
    corners = np.reshape(CUBE, (8, 3))
    quads = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    facets = "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex {} {} {}\n".format(*corners[n]) for n in triangle) + "endloop\nendfacet\n"
                     for a, b, c, d in quads for triangle in ((a, b, c), (a, c, d)))
    (tmp_path / "box.stl").write_text(_STL.format(facets))
    (tmp_path / "box.poly").write_text("8 3 0 0\n" + "".join(f"{k} {x} {y} {z}\n" for k, (x, y, z) in enumerate(corners)) + "6 1\n"
                                       + "".join(f"1 0 {10 + k}\n4 {' '.join(map(str, q))}\n" for k, q in enumerate(quads)) + "0\n0\n")
    for name in ("box.stl", "box.poly"):
        mesh = TETRAHEDRALIZE(str(tmp_path / name), str(tmp_path / "kept" / (name + ".txt")), 0.05, 1.5, 3, 4 if name == "box.stl" else None)
        assert mesh._shape.volume == pytest.approx(1) and mesh.nnod > 8
        if name == "box.poly":
            assert {mesh.node(n)[2] for n in mesh.nodes_on_surface(11)} == {1.0}
        else:
            assert len(mesh.nodes_on_surface(4)) >= 8
        assert BODY(solfec, "FINITE_ELEMENT", mesh, bulk).mass == pytest.approx(1000)
    with pytest.raises(ValueError, match="TETRAHEDRALIZE.*no such file"):
        TETRAHEDRALIZE(str(tmp_path / "none.stl"), str(tmp_path / "x.txt"))


def test_a_reduced_base_moves_like_the_full_body(tmp_path):
    """A base of samples of the motion, and one of modes, carry nearly the same motion."""
    ends = {}
    samples, base = None, None
    for name in ("BC", "BC-RO", "modes"):
        solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / name))
        solfec.verbose = "OFF"
        bulk = BULK_MATERIAL(solfec, young=1e7, poisson=0.25, density=1000)
        form = {"BC": "BC", "modes": "RO"}.get(name, "BC-RO")
        body = BODY(solfec, "FINITE_ELEMENT", box((4, 1, 1), (4, 1, 1)), bulk, "bar", form=form, base=base)
        body.scheme = "DEF_LIM"
        FORCE(body, "SPATIAL", (4, 0.5, 0.5), (0, 0, 1), 1e4), FORCE(body, "SPATIAL", (0, 0.5, 0.5), (0, 0, -1), 1e4)
        OUTPUT(solfec, 5e-3)
        if name == "BC":
            samples, rigid = COROTATED_DISPLACEMENTS(solfec, body), RIGID_DISPLACEMENTS(body)
        RUN(solfec, None, 0.1)
        ends[name] = np.array([DISPLACEMENT(body, p) for p in ((4, 0.5, 0.5), (0, 0, 0), (2, 1, 1))])
        vectors = np.linalg.svd(np.array(rigid + samples), full_matrices=False)[2][:14]
        base = ([1.0] * 14, vectors.ravel().tolist()) if name == "BC" else MODAL_ANALYSIS(body, 50)
    size = np.abs(ends["BC"]).max()
    assert size > 0.05 and np.abs(ends["BC-RO"] - ends["BC"]).max() < 0.1 * size and np.abs(ends["modes"] - ends["BC"]).max() < 0.02 * size
    with pytest.raises(ValueError, match="BODY.*base"):
        BODY(solfec, "FINITE_ELEMENT", box((1, 1, 1), at=(9, 9, 9)), bulk, form="BC-RO")
