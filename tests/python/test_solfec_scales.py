"""A scene in other units of length and mass gives the same answer: powers of four scale numbers without rounding, so equal means equal bits."""
import pytest

from scree.solfec import *
from solids import CUBE

STEP = 1 / 1024
SOLVERS = {"NEWTON": lambda: NEWTON_SOLVER(), "DIAG": lambda: NEWTON_SOLVER(linver="DIAG"), "GAUSS_SEIDEL": lambda: GAUSS_SEIDEL_SOLVER(1e-4, 1000),
           "merit": lambda: GAUSS_SEIDEL_SOLVER(1, 1000, 1e-8), "TEST": lambda: TEST_SOLVER(), "SICONOS": lambda: SICONOS_SOLVER(), "AUTO": lambda: SOLVER(),
           "PENALTY": lambda: PENALTY_SOLVER()}
UNITS = ((1.0, 4.0**-5), (4.0**-5, 4.0**-15), (4.0**5, 4.0**15))


def scene(folder, make, length, mass):
    """A spinning ball, a pushed stack of three plates with a link and a soft block, on a floor: (places in lengths, iterations, errors)."""
    solfec = SOLFEC("DYNAMIC", STEP, str(folder))
    solfec.verbose = "OFF"
    SURFACE_MATERIAL(solfec, friction=0.3, spring=1e5 * mass, dashpot=1e3 * mass)
    bulk = BULK_MATERIAL(solfec, young=1e7 * mass / length, poisson=0.25, density=1000 * mass / length**3)
    GRAVITY(solfec, (0, 0, -10 * length))

    def hull(size, at):
        return TRANSLATE(SCALE(HULL(CUBE, 1, 1), tuple(length * x for x in size)), tuple(length * x for x in at))

    BODY(solfec, "OBSTACLE", hull((8, 8, 1), (-4, -4, -1)), bulk)
    bodies = [BODY(solfec, "RIGID", SPHERE((0, 0, 0.5 * length), 0.5 * length, 1, 1), bulk)]
    INITIAL_VELOCITY(bodies[0], (0.3 * length, 0, 0), (0, -3, 0))
    for k in range(3):
        bodies.append(BODY(solfec, "RIGID", hull((1, 1, 0.5), (1.5 + 0.1 * k, 0.05 * k, 0.5 * k)), bulk))
        INITIAL_VELOCITY(bodies[-1], ((0.5 - 0.2 * k) * length, 0.2 * length, 0), (0, 0, 0.5 * k))
    bodies.append(BODY(solfec, "PSEUDO_RIGID", hull((0.5, 0.5, 0.5), (-2, -2, 0)), bulk))
    INITIAL_VELOCITY(bodies[-1], (length, 0, 0), (0, 0, 0))
    PUT_RIGID_LINK(bodies[3], None, bodies[3].center, tuple(c + length for c in bodies[3].center))
    solver, seen = make(), []
    CALLBACK(solfec, STEP, solver, lambda solver: seen.append((solver.iters, getattr(solver, "error", None))))
    RUN(solfec, solver, 24 * STEP)
    assert len(seen) == 24
    places = [tuple(x / length for x in DISPLACEMENT(body, body.center)) for body in bodies]
    return places, seen


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_gives_the_scaled_answer(tmp_path, name):
    expected = scene(tmp_path / "si", SOLVERS[name], 1.0, 1.0)
    assert max(abs(x) for place in expected[0] for x in place) > 1e-3
    for k, (length, mass) in enumerate(UNITS):
        assert scene(tmp_path / str(k), SOLVERS[name], length, mass) == expected, (length, mass)


@pytest.mark.parametrize("name", ["NEWTON", "merit", "TEST"])
@pytest.mark.parametrize("radius", [0.002, 0.01, 0.2])
def test_friction_stops_a_small_ball_and_no_more(tmp_path, name, radius):
    """A ball that cannot turn is stopped by friction, mu g t = v, and stays where it is."""
    solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path))
    solfec.verbose = "OFF"
    SURFACE_MATERIAL(solfec, friction=0.5)
    bulk = BULK_MATERIAL(solfec, density=2500)
    GRAVITY(solfec, (0, 0, -9.81))
    BODY(solfec, "OBSTACLE", TRANSLATE(HULL(CUBE, 1, 1), (-0.5, -0.5, -1)), bulk)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, radius), radius, 1, 1), bulk)
    ball.disable_rotation = "ON"
    INITIAL_VELOCITY(ball, (0.1, 0, 0), (0, 0, 0))
    solver = SOLVERS[name]()
    RUN(solfec, solver, 0.04)
    assert min(HISTORY(solfec, (ball, ball.center, "VX"), 0, 0.04)[1]) > -1e-6
    assert solver.error == "OK"
    # The step in which it stops is not exact: v h / 2 at the most.
    assert DISPLACEMENT(ball, ball.center)[0] == pytest.approx(0.1**2 / (2 * 0.5 * 9.81), abs=0.5e-4)
    assert abs(VELOCITY(ball, ball.center)[0]) < 1e-6


@pytest.mark.parametrize("name", ["NEWTON", "merit", "TEST"])
def test_small_bodies_beside_a_heavy_one(tmp_path, name):
    """A block of 2.5 t slides, with a cube of 1 cm on it and a stack of 4 mm beside it: neither is less exact for that."""
    solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path))
    solfec.verbose = "OFF"
    SURFACE_MATERIAL(solfec, friction=0.5)
    bulk = BULK_MATERIAL(solfec, density=2500)
    GRAVITY(solfec, (0, 0, -9.81))

    def box(size, at):
        return TRANSLATE(SCALE(HULL(CUBE, 1, 1), size), at)

    BODY(solfec, "OBSTACLE", box((9, 9, 1), (-4, -4, -1)), bulk)
    block, carried = BODY(solfec, "RIGID", box((1, 1, 1), (1, 1, 0)), bulk), BODY(solfec, "RIGID", box((0.01, 0.01, 0.01), (1.5, 1.5, 1)), bulk)
    for body in (block, carried):
        INITIAL_VELOCITY(body, (2, 0, 0), (0, 0, 0))
    stack = [BODY(solfec, "RIGID", box((0.004, 0.004, 0.002), (-0.1, 0, 0.002 * k)), bulk) for k in range(4)]
    INITIAL_VELOCITY(stack[3], (0.05, 0, 0), (0, 0, 0))
    solver = SOLVERS[name]()
    RUN(solfec, solver, 0.05)
    assert solver.error == "OK"
    for k, body in enumerate(stack):  # the upper one slides until friction stops it
        assert DISPLACEMENT(body, body.center) == pytest.approx((0.05**2 / (2 * 0.5 * 9.81) if k == 3 else 0, 0, 0), abs=2e-6)
    # the residual of 1e-3 lets the one on the block be slower by 1e-3 g h a step in the mean
    relative = [a - b for a, b in zip(DISPLACEMENT(carried, carried.center), DISPLACEMENT(block, block.center))]
    assert relative == pytest.approx((0, 0, 0), abs=1e-5)
