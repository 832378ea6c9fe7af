"""The Solfec language: every routine with the manual's argument order, every member with a checked number."""
import math

import numpy as np
import pytest

from scree import solfec as language
from scree.solfec import *
from solids import CUBE

FACES = [4, 0, 3, 2, 1, 5, 4, 1, 2, 6, 5, 5, 4, 2, 3, 7, 6, 5, 4, 3, 0, 4, 7, 5, 4, 0, 1, 5, 4, 5, 4, 4, 5, 6, 7, 5]


@pytest.fixture
def bulk(solfec):
    return BULK_MATERIAL(solfec, "KIRCHHOFF", "stone", 1e9, 0.25, 2000)


def cube(x=0.0, y=0.0, z=0.0, size=1.0):
    return TRANSLATE(SCALE(HULL(CUBE, 1, 1), (size, size, size)), (x, y, z))


def floor(solfec, bulk):
    return BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (10, 10, 1)), (-5, -5, -1)), bulk, "floor")


# --- geometry -------------------------------------------------------------------------------------------------

def test_convex_has_vertices_and_collects():
    one = CONVEX(CUBE, FACES, 3)
    assert one.nver == 8 and one.vertex(6) == (1.0, 1.0, 1.0)
    both = HULL([v + 4 for v in CUBE], 3, 5, one)
    assert both.nver == 16
    assert MASS_CENTER(both) == pytest.approx((2.5, 2.5, 2.5))
    with pytest.raises(ValueError, match="CONVEX.*took"):
        one.nver


def test_mesh_hex_rough_hex_and_pipe():
    mesh = MESH(CUBE, [8, 0, 1, 2, 3, 4, 5, 6, 7, 1], [1, 4, 0, 1, 2, 3, 7])
    assert mesh.nnod == 8 and mesh.node(2) == (1.0, 1.0, 0.0)
    assert MESH(CUBE, [8, 0, 1, 2, 3, 4, 5, 6, 7, 1], 4).nnod == 8
    block = HEX(CUBE, 2, 3, 1, 1, [1, 2, 3, 4, 5, 6], dy=[1, 2, 1])
    assert block.nnod == 3 * 4 * 2
    assert sorted({round(block.node(n)[1], 12) for n in range(block.nnod)}) == [0.0, 0.25, 0.75, 1.0]
    rough = ROUGH_HEX([CONVEX(CUBE, FACES, 1), HULL([v + 2 for v in CUBE], 1, 1)], 1, 2, 1)
    assert rough.nnod == 12
    pipe = PIPE((0, 0, 0), (0, 0, 2), 1.0, 0.5, 2, 16, 1, 1, [1, 2, 3, 4])
    assert pipe.nnod == 3 * 16 * 2 and MASS_CENTER(pipe) == pytest.approx((0, 0, 1), abs=1e-12)


def test_sphere_and_ellipsoid():
    ball = SPHERE((1, 2, 3), 0.5, 1, 1)
    assert ball.center == (1.0, 2.0, 3.0) and ball.radius == 0.5
    egg = ELLIP((0, 0, 1), (1, 2, 3), 1, 1)
    assert egg.center == (0.0, 0.0, 1.0) and egg.radii == (1.0, 2.0, 3.0)
    pair = SPHERE((3, 2, 3), 0.5, 1, 1, ball)
    assert MASS_CENTER(pair) == pytest.approx((2, 2, 3))


def test_transforms_change_objects_in_place_and_map_points():
    shape = [CONVEX(CUBE, FACES, 1), SPHERE((0, 0, 0), 1, 1, 1)]
    assert SCALE(shape, (2, 2, 2)) is shape and shape[1].radius == 2.0
    assert TRANSLATE(shape, (1, 0, 0)) is shape and shape[1].center == (1.0, 0.0, 0.0)
    assert ROTATE(shape, (0, 0, 0), (0, 0, 1), 90) is shape
    assert shape[1].center == pytest.approx((0, 1, 0), abs=1e-15)
    assert SCALE((1, 2, 3), (2, 3, 4)) == (2.0, 6.0, 12.0)
    assert TRANSLATE((1, 2, 3), (1, 1, 1)) == (2.0, 3.0, 4.0)
    assert ROTATE((2, 0, 0), (1, 0, 0), (0, 0, 1), 180) == pytest.approx((0, 0, 0), abs=1e-15)


def test_split_copy_and_overlap():
    block = HULL(CUBE, 1, 1)
    copy = COPY(block)
    below, above = SPLIT(block, (0, 0, 0.25), (0, 0, 1))
    assert MASS_CENTER(below) == pytest.approx((0.5, 0.5, 0.125)) and MASS_CENTER(above) == pytest.approx((0.5, 0.5, 0.625))
    with pytest.raises(ValueError, match="SPLIT took"):
        COPY(block)
    assert SPLIT(COPY(copy), (0, 0, 2), (0, 0, 1))[1] is None
    assert COPY([copy, COPY(copy)]).nver == 16
    assert isinstance(COPY([copy, SPHERE((0, 0, 0), 1, 1, 1)]), list)
    near, far = SPHERE((0.5, 0.5, 1.2), 0.5, 1, 1), SPHERE((9, 9, 9), 0.5, 1, 1)
    kept = OVERLAPPING(copy, [near, far])
    assert len(kept) == 1 and kept[0].center == (0.5, 0.5, 1.2)
    with pytest.raises(ValueError, match="OVERLAPPING took"):
        far.center


# --- model ----------------------------------------------------------------------------------------------------

def test_solfec_members(solfec, bulk):
    assert (solfec.analysis, solfec.mode, solfec.time, solfec.step, solfec.verbose) == ("DYNAMIC", "WRITE", 0.0, 1e-3, "OFF")
    body = BODY(solfec, "RIGID", cube(), bulk)
    assert solfec.bodies == [body] and solfec.nbod == 1 and solfec.constraints == [] and solfec.ncon == 0
    solfec.step = 2e-3
    RUN(solfec, None, 0.01)
    assert solfec.time == pytest.approx(0.01) and DURATION(solfec) == solfec.time


def test_materials(solfec):
    surface = SURFACE_MATERIAL(solfec, 1, 2, "SPRING_DASHPOT", "contact", 0.1, 0.2, 0.3, 4.0, 5.0)
    assert (surface.surf1, surface.surf2, surface.label) == (1, 2, "contact")
    assert (surface.model, surface.friction, surface.cohesion, surface.restitution, surface.spring, surface.dashpot) == \
        ("SPRING_DASHPOT", 0.1, 0.2, 0.3, 4.0, 5.0)
    surface.friction = 0.7
    assert surface.friction == 0.7
    plain = SURFACE_MATERIAL(solfec)
    assert (plain.model, plain.friction, plain.label) == ("SIGNORINI_COULOMB", 0.0, "SURFACE_MATERIAL_1")
    bulk = BULK_MATERIAL(solfec)
    assert (bulk.model, bulk.label, bulk.young, bulk.poisson, bulk.density) == ("KIRCHHOFF", "BULK_MATERIAL_0", 1e9, 0.25, 1e3)
    bulk.density = 5.0
    assert BYLABEL(solfec, "BULK_MATERIAL", "BULK_MATERIAL_0") is bulk and bulk.density == 5.0
    assert BYLABEL(solfec, "SURFACE_MATERIAL", "contact") is surface and BYLABEL(solfec, "SURFACE_MATERIAL", "nothing") is None
    with pytest.raises(AttributeError, match="surf1"):
        surface.surf1 = 3
    with pytest.raises(AttributeError, match="did you mean 'friction'"):
        surface.frictoin = 1


def test_body_members(solfec, bulk):
    body = BODY(solfec, "RIGID", cube(1, 2, 3, 2.0), "stone", label="block")
    assert (body.kind, body.label, body.mass, body.volume) == ("RIGID", "block", pytest.approx(16000), pytest.approx(8))
    assert body.center == pytest.approx((2, 3, 4))
    inertia = 16000 * 4 / 6
    assert body.tensor == pytest.approx((inertia, 0, 0, 0, inertia, 0, 0, 0, inertia), abs=1e-9 * inertia)
    assert body.conf == pytest.approx((1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4))
    INITIAL_VELOCITY(body, (1, 2, 3), (4, 5, 6))
    assert body.velo == pytest.approx((4, 5, 6, 1, 2, 3))
    assert VELOCITY(body, (2, 3, 5)) == pytest.approx((1 + 5, 2 - 4, 3)) and DISPLACEMENT(body, (9, 9, 9)) == pytest.approx((0, 0, 0))
    assert (body.selfcontact, body.scheme, body.damping) == ("OFF", "DEFAULT", 0.0)
    body.selfcontact, body.scheme, body.damping = "ON", "RIG_IMP", 0.5
    assert (body.selfcontact, body.scheme, body.damping) == ("ON", "RIG_IMP", 0.5)
    wall = BODY(solfec, "OBSTACLE", SPHERE((9, 9, 9), 1, 1, 1), bulk)
    assert wall.kind == "OBSTACLE" and wall.velo == (0.0,) * 6 and len(wall.conf) == 12
    assert BYLABEL(solfec, "BODY", "block") is body and MASS_CENTER(body) == body.center


def test_body_chars_and_material(solfec, bulk):
    shape = SPHERE((4, 0, 0), 1, 2, 1, SPHERE((0, 0, 0), 1, 1, 1))
    body = BODY(solfec, "RIGID", shape, bulk)
    heavy = BULK_MATERIAL(solfec, label="lead", density=6000)
    MATERIAL(solfec, body, 2, "lead")
    ball = 4 / 3 * math.pi
    assert body.mass == pytest.approx(8000 * ball) and body.center == pytest.approx((3, 0, 0))
    assert body.conf[9:] == pytest.approx((3, 0, 0))
    MATERIAL(solfec, body, 1, heavy)
    assert body.mass == pytest.approx(12000 * ball) and body.center == pytest.approx((2, 0, 0))
    BODY_CHARS(body, 5.0, 2.0, (1, 0, 0), (3, 0.1, 0, 0.1, 3, 0, 0, 0, 2))
    assert (body.mass, body.volume, body.center) == (5.0, 2.0, (1.0, 0.0, 0.0)) and body.tensor == (3, 0.1, 0, 0.1, 3, 0, 0, 0, 2)


def test_bodies_are_emptied_and_deleted(solfec, bulk):
    shape = cube()
    body = BODY(solfec, "RIGID", shape, bulk)
    with pytest.raises(ValueError, match="CONVEX is empty: BODY took"):
        BODY(solfec, "RIGID", shape, bulk)
    assert solfec.nbod == 1 and HERE(solfec, body)
    DELETE(solfec, body)
    assert solfec.nbod == 0 and not HERE(solfec, body)
    with pytest.raises(ValueError, match="DELETE took"):
        body.mass
    with pytest.raises(ValueError, match="FIX_POINT.*DELETE took"):
        FIX_POINT(solfec, body, (0, 0, 0))


# --- constraints and loads ------------------------------------------------------------------------------------

def test_contact_members(solfec, bulk):
    GRAVITY(solfec, (0, 0, -1), 10)
    SURFACE_MATERIAL(solfec, friction=0.5, label="rough")
    ground = floor(solfec, bulk)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 0.5), 0.5, 1, 7), bulk)
    FORCE(ball, "SPATIAL", (0, 0, 0.5), (1, 0, 0), 0.1 * ball.mass * 10)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-10, 1000), 0.005)
    (contact,) = solfec.constraints
    assert contact.kind == "CONTACT" and contact.matlab == "rough" and set(contact.adjbod) == {ground, ball} and solfec.ncon == 1
    assert ball.constraints[0].point == contact.point and ball.ncon == 1
    base = np.reshape(contact.base, (3, 3))
    assert base.T @ base == pytest.approx(np.eye(3), abs=1e-12)
    force = base @ contact.R
    sign = 1 if contact.adjbod[1] is ball else -1
    weight = ball.mass * 10
    # a ball pushed at its centre with F rolls: friction is F (1 - 1 / (1 + 2/5)) = 2 F / 7
    assert sign * force[2] == pytest.approx(weight, rel=1e-6) and sign * force[0] == pytest.approx(-0.1 * weight * 2 / 7, rel=1e-3)
    assert contact.R[2] == pytest.approx(weight, rel=1e-6)
    assert contact.point == pytest.approx((0, 0, 0), abs=1e-3) and abs(contact.gap) < 1e-6 and contact.area >= 0
    assert abs(contact.U[2]) < 1e-9 and set(contact.spair) == {1, 7}


def test_prescribed_constraints(solfec, bulk):
    GRAVITY(solfec, (0, 0, -1), 10)
    held, guided, lifted, driven, pushed = (BODY(solfec, "RIGID", SPHERE((3 * k, 0, 0), 1, 1, 1), bulk) for k in range(5))
    point = FIX_POINT(solfec, held, (0, 0, 0))
    direction = FIX_DIRECTION(guided, (3, 0, 0), (0, 0, 1))
    series = TIME_SERIES([0, 0, 1, 2])
    displaced = SET_DISPLACEMENT(solfec, lifted, (6, 0, 0), (0, 0, 1), series)
    velocity = SET_VELOCITY(solfec, driven, (9, 0, 0), (0, 0, 1), 0.5)
    acceleration = SET_ACCELERATION(solfec, pushed, (12, 0, 0), (0, 0, 1), TIME_SERIES([0, 3, 1, 3]))
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-12, 1000), 0.1)
    assert [c.kind for c in (point, direction, displaced, velocity, acceleration)] == ["FIXPNT", "FIXDIR", "VELODIR", "VELODIR", "VELODIR"]
    weight = held.mass * 10
    assert np.reshape(point.base, (3, 3)) @ point.R == pytest.approx((0, 0, weight), abs=1e-6 * weight)
    assert direction.R == pytest.approx((0, 0, weight), rel=1e-9, abs=1e-6) and direction.base[2::3] == pytest.approx((0, 0, 1))
    assert point.adjbod is held and point.point == pytest.approx((0, 0, 0), abs=1e-12) and point.matlab is None
    assert DISPLACEMENT(lifted, (6, 0, 0))[2] == pytest.approx(0.2, abs=1e-9)
    assert VELOCITY(driven, (9, 0, 0))[2] == pytest.approx(0.5) and VELOCITY(pushed, (12, 0, 0))[2] == pytest.approx(0.3, rel=1e-6)
    DELETE(solfec, point)
    RUN(solfec, None, 0.1)
    assert VELOCITY(held, (0, 0, 0))[2] == pytest.approx(-1.0, rel=1e-9)
    with pytest.raises(ValueError, match="DELETE took"):
        point.R


def test_rigid_links(solfec, bulk):
    GRAVITY(solfec, (0, 0, -10))
    one, two = BODY(solfec, "RIGID", SPHERE((0, 0, -2), 0.5, 1, 1), bulk), BODY(solfec, "RIGID", SPHERE((0, 0, -4), 0.5, 1, 1), bulk)
    upper = PUT_RIGID_LINK(solfec, None, one, (0, 0, 0), (0, 0, -2))
    lower = PUT_RIGID_LINK(one, two, (0, 0, -2), (0, 0, -4))
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-13, 10000), 0.01)
    weight = one.mass * 10
    assert upper.kind == "RIGLNK" and abs(upper.R[2]) == pytest.approx(2 * weight, rel=1e-6) and abs(lower.R[2]) == pytest.approx(weight, rel=1e-6)
    assert lower.adjbod == (one, two) and lower.point == pytest.approx((0, 0, -2, 0, 0, -4), abs=1e-9)
    assert set(upper.adjbod) == {None, one}
    assert VELOCITY(two, (0, 0, -4)) == pytest.approx((0, 0, 0), abs=1e-9)
    with pytest.raises(ValueError, match="PUT_RIGID_LINK.*at least one body"):
        PUT_RIGID_LINK(solfec, None, None, (0, 0, 0), (0, 0, 1))


def test_forces_torques_and_series(solfec, bulk, tmp_path):
    bodies = [BODY(solfec, "RIGID", SPHERE((3 * k, 0, 0), 1, 1, 1), bulk) for k in range(5)]
    mass, inertia = bodies[0].mass, bodies[0].tensor[0]
    FORCE(bodies[0], "SPATIAL", (0, 0, 0), (0, 0, 2), 3 * mass)
    path = tmp_path / "ramp.txt"
    path.write_text("0 0\n1 1\n")
    ramp = TIME_SERIES(str(path))
    assert list(ramp.times) == [0, 1] and list(ramp.values) == [0, 1] and ramp.derivative(0.5) == 1 and ramp.integral.values[-1] == 0.5
    FORCE(bodies[1], "CONVECTED", (3, 0, 0), (1, 0, 0), TIME_SERIES([0, 0, 1, 2 * mass]))
    TORQUE(bodies[2], "SPATIAL", (0, 1, 0), 5 * inertia)
    seen = []

    def drag(k, name, q, u, time, step):
        seen.append((k, name, len(q), len(u), time, step))
        return (-k * u[3], 0, 0, 0, 0, 0, 0, 0, 2 * inertia)

    FORCE(bodies[3], "SPATIAL", (0, 0, 0), (0, 0, 0), drag, (mass, "air"))
    FORCE(bodies[4], "SPATIAL", (0, 0, 0), (0, 0, 0), lambda q, u, time, step: (0, mass, 0))
    INITIAL_VELOCITY(bodies[3], (1, 0, 0), (0, 0, 0))
    RUN(solfec, None, 0.5)
    assert bodies[0].velo[5] == pytest.approx(1.5) and bodies[1].velo[3] == pytest.approx(0.25, rel=1e-6)
    assert bodies[2].velo[1] == pytest.approx(2.5) and bodies[3].velo[2] == pytest.approx(1.0)
    # drag of coefficient 1/s: second order in the step where velocity is taken at mid-step
    assert bodies[3].velo[3] == pytest.approx(math.exp(-0.5), rel=1e-3) and bodies[4].velo[4] == pytest.approx(0.5)
    assert seen[0][:4] == (mass, "air", 12, 6) and seen[0][5] == 1e-3


def test_gravity_forms(solfec, bulk):
    body = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 1, 1, 1), bulk)
    GRAVITY(solfec, (0, 2, 0), 4)
    RUN(solfec, None, 0.1)
    assert body.velo[3:] == pytest.approx((0, 0.4, 0))
    GRAVITY(solfec, (0, 0, TIME_SERIES([0, 0, 0.1, 0, 0.1001, -2])))
    RUN(solfec, None, 0.1)
    assert body.velo[3:] == pytest.approx((0, 0.4, -0.2), rel=1e-2)
    with pytest.raises(ValueError, match="GRAVITY"):
        GRAVITY(solfec, (0, 0, 0), 4)


# --- solvers and running --------------------------------------------------------------------------------------

def stack(solfec, bulk, count=3):
    SURFACE_MATERIAL(solfec, friction=0.5)
    GRAVITY(solfec, (0, 0, -1), 10)
    floor(solfec, bulk)
    return [BODY(solfec, "RIGID", cube(0, 0, k), bulk) for k in range(count)]


def test_gauss_seidel_members(solfec, bulk):
    gs = GAUSS_SEIDEL_SOLVER(1e-6, 500, "CONTINUE", 1e-9, 50, "PROJECTED_GRADIENT", None, None)
    assert (gs.epsilon, gs.maxiter, gs.failure, gs.diagepsilon, gs.diagmaxiter, gs.diagsolver) == (1e-6, 500, "CONTINUE", 1e-9, 50, "PROJECTED_GRADIENT")
    gs = GAUSS_SEIDEL_SOLVER(1e-6, 50000)
    assert (gs.diagepsilon, gs.diagmaxiter, gs.diagsolver, gs.failure) == (pytest.approx(1e-8), 500, "SEMISMOOTH_NEWTON", "CONTINUE")
    assert (gs.history, gs.reverse, gs.variant, gs.error, gs.iters, gs.rerhist, gs.data, gs.callback) == ("OFF", "OFF", "FULL", "OK", 0, None, None, None)
    gs.history, gs.reverse, gs.variant = "ON", "ON", "MIDDLE_JACOBI"
    stack(solfec, bulk)
    RUN(solfec, gs, 0.002)
    assert gs.error == "OK" and gs.iters >= 0 and isinstance(gs.rerhist, list)
    gs.maxiter, gs.epsilon, gs.diagsolver = 1, 1e-15, "DE_SAXE_AND_FENG"
    assert (gs.maxiter, gs.epsilon, gs.diagsolver) == (1, 1e-15, "DE_SAXE_AND_FENG")


@pytest.mark.parametrize("diagsolver", ["SEMISMOOTH_NEWTON", "PROJECTED_GRADIENT", "DE_SAXE_AND_FENG"])
def test_diagonal_solvers_agree(solfec, bulk, diagsolver):
    bodies = stack(solfec, bulk)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-10, 5000, diagsolver=diagsolver), 0.01)
    load = sum(c.R[2] for c in solfec.constraints if solfec.bodies[0] in c.adjbod)
    assert load == pytest.approx(3 * bodies[0].mass * 10, rel=1e-4)


def test_gauss_seidel_later_order():
    gs = GAUSS_SEIDEL_SOLVER(1e-6, 500, 1e-8, "EXIT", 1e-9)
    assert (gs.meritval, gs.failure, gs.diagepsilon) == (1e-8, "EXIT", 1e-9)
    assert GAUSS_SEIDEL_SOLVER(1e-6, 500, meritval=1e-5).meritval == 1e-5


def test_failure_actions(solfec, bulk):
    stack(solfec, bulk, 4)
    calls = []
    gs = GAUSS_SEIDEL_SOLVER(1e-15, 1, "CALLBACK", data=("a", 2), callback=lambda obj, a, b: calls.append((obj, obj.iters, a, b)) or len(calls) < 3)
    RUN(solfec, gs, 0.01)
    assert [c[2:] for c in calls] == [("a", 2)] * 3 and calls[0][0] is gs
    assert solfec.time == pytest.approx(0.002)  # two steps went on, the third ended the run
    with pytest.raises(RuntimeError):
        RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-15, 1, "EXIT"), 0.01)
    with pytest.raises(RuntimeError):
        RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-15, 1, "CALLBACK"), 0.01)
    gs = GAUSS_SEIDEL_SOLVER(1e-15, 1, diagepsilon=1e-6)
    RUN(solfec, gs, 0.003)
    assert gs.error == "DIVERGED" and gs.iters == 1


def test_newton_and_penalty_solvers(solfec, bulk):
    newton = NEWTON_SOLVER(1e-9, 200, "ON", "PQN", 20)
    assert (newton.meritval, newton.maxiter, newton.locdyn, newton.linver, newton.linmaxiter, newton.gsflag) == (1e-9, 200, "ON", "PQN", 20, "ON")
    bodies = stack(solfec, bulk)
    RUN(solfec, newton, 0.01)
    assert newton.error == "OK" and abs(bodies[2].velo[5]) < 1e-6
    assert PENALTY_SOLVER().variant == PENALTY_SOLVER("IMPLICIT").variant == "IMPLICIT"
    with pytest.raises(ValueError, match="PENALTY_SOLVER.*EXPLICIT.*IMPLICIT"):
        PENALTY_SOLVER("EXPLICIT")
    with pytest.raises(ValueError, match="EXPLICIT_SOLVER"):
        EXPLICIT_SOLVER(1)


def test_any_solver_of_scree(solfec, bulk):
    solver = SOLVER("NEWTON", 1e-9, maxiter=500)
    bodies = stack(solfec, bulk)
    RUN(solfec, solver, 0.01)
    assert solver.name == "NEWTON" and solver.error == "OK" and solver.iters >= 0 and abs(bodies[2].velo[5]) < 1e-6
    INITIAL_VELOCITY(bodies[2], (0.1, 0, -0.1), (0, 0, 1))
    with pytest.raises(RuntimeError):
        RUN(solfec, SOLVER("GAUSS_SEIDEL", 1e-14, maxiter=1, failure="EXIT"), 0.01)
    with pytest.raises(ValueError, match="SOLVER.*NEWTN"):
        SOLVER("NEWTN")


def test_callbacks_stop_the_run_and_get_their_data(solfec, bulk):
    body = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 1, 1, 1), bulk)
    one, two = [], []
    CALLBACK(solfec, 0.01, one, lambda data: data.append(solfec.time) or 1)
    CALLBACK(solfec, 0.02, (two, body), lambda data, b: data.append(b) or (0 if len(data) == 3 else 1))
    RUN(solfec, None, 1.0)
    assert two == [body] * 3 and solfec.time == pytest.approx(0.04, abs=2e-3)
    assert len(one) == 5


def test_bodies_inserted_and_leaving(solfec, bulk):
    GRAVITY(solfec, (0, 0, -1), 10)
    EXTENTS(solfec, (-5, -5, -1, 5, 5, 5))
    first = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    made = []
    CALLBACK(solfec, 0.3, made, lambda made: made.append(BODY(solfec, "RIGID", SPHERE((2, 0, 0), 0.1, 1, 1), bulk)) or 1)
    OUTPUT(solfec, 0.1, "FASTLZ")
    RUN(solfec, None, 0.55)
    assert not HERE(solfec, first) and len(made) == 2 and solfec.bodies[-1] is made[-1]
    with pytest.raises(ValueError, match="EXTENTS"):
        first.conf


def test_unphysical_penetration_and_filters(solfec, bulk):
    ground = floor(solfec, bulk)
    deep = BODY(solfec, "RIGID", SPHERE((0, 0, 0.4), 0.5, 1, 2), bulk)
    UNPHYSICAL_PENETRATION(solfec, 0.05)
    CONTACT_SPARSIFY(solfec, 0.02)
    with pytest.raises(RuntimeError, match="penetration"):
        RUN(solfec, None, 0.01)
    CONTACT_EXCLUDE_BODIES(ground, deep)
    RUN(solfec, None, 0.01)
    other = BODY(solfec, "RIGID", SPHERE((2, 0, 0.4), 0.5, 1, 3), bulk)
    CONTACT_EXCLUDE_OBJECTS(solfec, ground, (1, 1, -0.5), other, (2, 0, 0.4))
    third = BODY(solfec, "RIGID", SPHERE((-2, 0, 0.4), 0.5, 1, 4), bulk)
    CONTACT_EXCLUDE_SURFACES(solfec, 1, 4)
    RUN(solfec, None, 0.01)
    assert solfec.ncon == 0 and third.ncon == 0


def test_parallel_and_machine_routines(solfec, monkeypatch):
    IMBALANCE_TOLERANCE(solfec, 1.2)
    assert (NCPU(), NCPU(solfec), RANK(), BARRIER(), VIEWER(), SUBDIR()) == (1, 1, 0, None, False, None)
    GEOMETRIC_EPSILON(1e-6)
    CONTACT_SPARSIFY(solfec, 0.01, 1e-6)
    monkeypatch.setattr("sys.argv", ["script.py"])
    assert NON_SOLFEC_ARGV() is None
    monkeypatch.setattr("sys.argv", ["script.py", "-n", "3"])
    assert NON_SOLFEC_ARGV() == ["-n", "3"]


# --- results --------------------------------------------------------------------------------------------------

def falling(path):
    solfec = SOLFEC("DYNAMIC", 1e-3, path)
    solfec.verbose = "OFF"
    bulk = BULK_MATERIAL(solfec, density=1000)
    GRAVITY(solfec, (0, 0, -1), 10)
    SURFACE_MATERIAL(solfec, friction=0.2, label="plain")
    ground = floor(solfec, bulk)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 1.3), 0.5, 1, 1), bulk, "ball")
    hung = BODY(solfec, "RIGID", SPHERE((3, 0, 3), 0.5, 1, 1), bulk)
    link = PUT_RIGID_LINK(solfec, hung, None, (3, 0, 3), (3, 0, 5))
    OUTPUT(solfec, 0.05)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-12, 1000), 0.6)
    return solfec, ground, ball, hung, link


def check_history(solfec, ball):
    point = (0, 0, 1.3)
    times, fall, speed, place, kinetic, mine, contacts, seconds = HISTORY(
        solfec, [(ball, point, "DZ"), (ball, point, "VZ"), (ball, point, "CZ"), (solfec, "KINETIC"), (ball, "KINETIC"), "CONS", "CONDET"], 0, 0.35)
    assert times == pytest.approx([0.05 * k for k in range(8)])
    # the scheme's first half step of free fall: exact for a constant force
    assert fall == pytest.approx([-5 * t * t for t in times], abs=1e-12) and speed == pytest.approx([-10 * t for t in times], abs=1e-12)
    assert place == pytest.approx([1.3 - 5 * t * t for t in times], abs=1e-12)
    assert kinetic == pytest.approx([0.5 * ball.mass * v * v for v in speed], rel=1e-9, abs=1e-9) and mine == pytest.approx(kinetic, rel=1e-9, abs=1e-9)
    assert contacts == [1] * 8 and all(s >= 0 for s in seconds)  # the link
    assert len(HISTORY(solfec, (solfec, "EXTERNAL"), 0, 0.6, 4)[0]) == 4
    assert HISTORY(solfec, "PARBAL", 0, 0.1)[1] == [0.0] * 3


def test_results_after_the_run_and_read_again(tmp_path):
    path = str(tmp_path / "results")
    solfec, ground, ball, hung, link = falling(path)
    assert solfec.mode == "WRITE"
    check_history(solfec, ball)
    kinetic, internal, external, contact, friction = ENERGY(solfec)
    fall = 10 * ball.mass * 0.8
    # at rest on the floor: gravity's work went into the contact
    assert kinetic == pytest.approx(0, abs=1e-6 * fall) and internal == 0 and external == pytest.approx(fall, rel=1e-3) and contact == pytest.approx(-fall, rel=1e-3)
    assert friction == pytest.approx(0, abs=1e-9 * fall)
    assert ENERGY(solfec, [ball, hung]) == pytest.approx(ENERGY(solfec), rel=1e-9, abs=1e-6) and ENERGY(ball)[3] == pytest.approx(contact)
    assert TIMING(solfec, "CONSOL") > 0 and TIMING(solfec, "PARBAL") == 0
    tension, load = link.R[2], [c for c in solfec.constraints if c.kind == "CONTACT"][0].R[2]
    FORWARD(solfec, 3)
    assert solfec.time == pytest.approx(0.6)

    again, ground, ball, hung, link = falling(path)
    assert again.mode == "READ" and again.time == 0 and DURATION(again) == pytest.approx((0, 0.6))
    check_history(again, ball)
    FORWARD(again, 4)
    assert again.time == pytest.approx(0.2) and VELOCITY(ball, ball.center)[2] == pytest.approx(-2)
    BACKWARD(again, 1)
    assert DISPLACEMENT(ball, (0, 0, 1.3))[2] == pytest.approx(-5 * 0.15**2) and ball.conf[11] == pytest.approx(1.3 - 5 * 0.15**2)
    SEEK(again, 10)
    assert again.time == pytest.approx(0.6) and ENERGY(again)[3] == pytest.approx(contact) and TIMING(again, "CONSOL") > 0
    assert again.nbod == 3 and ball in again.bodies and HERE(again, ball)
    stored = [c for c in again.constraints if c.kind == "CONTACT"]
    assert stored[0].R[2] == pytest.approx(load) and stored[0].matlab == "plain" and link.R[2] == pytest.approx(tension)
    assert link.point == pytest.approx((3, 0, 3, 3, 0, 5), abs=1e-6)


# --- errors ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("call, words", [
    (lambda s, b: BODY(s, "FINITE_ELEMENT", cube(), b), ["BODY", "one mesh", "mesh"]),
    (lambda s, b: BODY(s, "RIGD", cube(), b), ["BODY", "RIGD", "did you mean 'RIGID'"]),
    (lambda s, b: BODY(s, "RIGID", cube(), "stnoe"), ["BODY", "stnoe", "did you mean 'stone'"]),
    (lambda s, b: BODY(s, "RIGID", [], b), ["BODY", "shape"]),
    (lambda s, b: BODY(s, "RIGID", cube(), b, lable="x"), ["BODY", "lable", "did you mean 'label'"]),
    (lambda s, b: BODY(s, "RIGID", cube()), ["BODY", "material"]),
    (lambda s, b: BODY(None, "RIGID", cube(), b), ["BODY", "solfec", "SOLFEC object"]),
    (lambda s, b: SURFACE_MATERIAL(s, fricton=0.3), ["SURFACE_MATERIAL", "did you mean 'friction'"]),
    (lambda s, b: SURFACE_MATERIAL(s, friction=-1), ["SURFACE_MATERIAL", "friction", "-1"]),
    (lambda s, b: SURFACE_MATERIAL(s, model="COULOMB"), ["SURFACE_MATERIAL", "COULOMB", "SIGNORINI_COULOMB"]),
    (lambda s, b: BULK_MATERIAL(s, density=0), ["BULK_MATERIAL", "density"]),
    (lambda s, b: SPHERE((0, 0, 0), -1, 1, 1), ["SPHERE", "radius", "-1"]),
    (lambda s, b: CONVEX(CUBE, FACES[:-6] + [4, 4, 5, 6, 9, 5], 1), ["CONVEX", "9"]),
    (lambda s, b: HULL([0, 0, float("nan")] + CUBE, 1, 1), ["HULL", "points[0]"]),
    (lambda s, b: SOLFEC("DYNAMIC", 0, "x"), ["SOLFEC", "step", "0"]),
    (lambda s, b: GAUSS_SEIDEL_SOLVER(1e-3, 100, "STOP"), ["GAUSS_SEIDEL_SOLVER", "failure", "STOP"]),
    (lambda s, b: GAUSS_SEIDEL_SOLVER(1e-3, 0), ["GAUSS_SEIDEL_SOLVER", "maxiter", "0"]),
    (lambda s, b: RUN(s, "NEWTON", 1.0), ["RUN", "solver", "NEWTON_SOLVER"]),
    (lambda s, b: RUN(s, None, -1.0), ["RUN", "duration", "-1"]),
    (lambda s, b: TIME_SERIES([0, 0, 0, 1]), ["TIME_SERIES"]),
    (lambda s, b: EXTENTS(s, (0, 0, 0)), ["EXTENTS", "six numbers"]),
    (lambda s, b: HISTORY(s, (s, "KINETIC"), 0, 1), ["HISTORY", "RUN first"]),
    (lambda s, b: TIMING(s, "SOLVE"), ["TIMING", "SOLVE"]),
    (lambda s, b: CALLBACK(s, 0.1, None, 3), ["CALLBACK", "callback", "function"]),
    (lambda s, b: CONTACT_SPARSIFY(s, 2.0), ["CONTACT_SPARSIFY", "threshold", "2"]),
    (lambda s, b: ROTATE(cube(), (0, 0, 0), (0, 0, 0), 90), ["ROTATE", "vector"]),
    (lambda s, b: HEX(CUBE, 2, 1, 1, 1, [1, 1, 1]), ["HEX", "surfids", "6"]),
    (lambda s, b: HEX(CUBE, 2, 1, 1, 1, [1] * 6, dx=[1, 2, 3]), ["HEX", "dx", "2"]),
])
def test_bad_input_names_the_culprit_and_changes_nothing(solfec, bulk, call, words):
    before = (solfec.nbod, len(solfec._surface_materials), len(solfec._bulk_materials), solfec._engine.hash())
    with pytest.raises(ValueError) as caught:
        call(solfec, bulk)
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert before == (solfec.nbod, len(solfec._surface_materials), len(solfec._bulk_materials), solfec._engine.hash())


def test_a_refused_body_keeps_its_shape(solfec, bulk):
    shape = cube()
    with pytest.raises(ValueError):
        BODY(solfec, "RIGID", [shape, shape], bulk)
    with pytest.raises(ValueError):
        BODY(solfec, "RIGID", shape, bulk, label=3)
    assert BODY(solfec, "RIGID", shape, bulk).mass == pytest.approx(2000)


def test_every_name_is_documented():
    for name in language.__all__:
        assert (getattr(language, name).__doc__ or "").strip(), name
