"""What scripts of everyday use read and ask for: reactions of fixed points, the solver's merit, stacks of very different sizes."""
import numpy as np
import pytest

from scree.solfec import *
from solids import CUBE


def box(size, at):
    return TRANSLATE(SCALE(HULL(CUBE, 1, 1), size), at)


def domain(folder, step=1e-3, friction=0.3):
    solfec = SOLFEC("DYNAMIC", step, str(folder))
    solfec.verbose = "OFF"
    SURFACE_MATERIAL(solfec, friction=friction)
    GRAVITY(solfec, (0, 0, -10))
    return solfec, BULK_MATERIAL(solfec, density=1000)


def test_reactions_of_fixed_points_are_along_the_axes(tmp_path):
    """A beam on two points under its weight and a force: (RT1, RT2, RN) of 'FIXPNT' are (Rx, Ry, Rz), while it runs and when it is read."""
    for mode in ("WRITE", "READ"):
        solfec, bulk = domain(tmp_path)
        assert solfec.mode == mode
        beam = BODY(solfec, "RIGID", box((1, 0.1, 0.1), (0, 0, 0)), bulk)
        FIX_POINT(beam, (0, 0, 0)), FIX_POINT(beam, (1, 0, 0)), FIX_POINT(beam, (0, 0.1, 0))
        FORCE(beam, "SPATIAL", beam.center, (3, 4, 0), 10.0)
        OUTPUT(solfec, 1e-3)
        RUN(solfec, NEWTON_SOLVER(1e-14), 5e-3)
        if mode == "READ":
            SEEK(solfec, 5e-3)
        fixed = [c for c in solfec.constraints if c.kind == "FIXPNT"]
        assert len(fixed) == 3 and np.allclose(np.sum([c.R for c in fixed], axis=0), (-6, -8, 100), atol=1e-6)
        assert all(c.base == (1, 0, 0, 0, 1, 0, 0, 0, 1) for c in fixed)
        if mode == "WRITE":
            assert np.abs([c.U for c in fixed]).max() < 1e-9


def test_springs_refuse_a_series(tmp_path):
    solfec, bulk = domain(tmp_path)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    with pytest.raises(ValueError, match="PUT_SPRING: function: a TIME_SERIES is a function of time; one of \\(stroke, velocity\\)"):
        PUT_SPRING(ball, ball.center, None, (0, 0, 1), TIME_SERIES([-1, -1e3, 1, 1e3]), (-1, 1))


@pytest.mark.parametrize("make", [lambda: NEWTON_SOLVER(1e-10), lambda: GAUSS_SEIDEL_SOLVER(1, 1000, 1e-10)], ids=["NEWTON", "GAUSS_SEIDEL"])
def test_histories_have_the_merit_that_the_solver_bounds(tmp_path, make):
    solfec, bulk = domain(tmp_path)
    BODY(solfec, "OBSTACLE", box((4, 4, 1), (-2, -2, -1)), bulk)
    for k in range(4):
        BODY(solfec, "RIGID", box((0.2, 0.2, 0.2), (0.01 * k, 0, 0.2 * k)), bulk)
    OUTPUT(solfec, 1e-3)
    solver, last = make(), []
    if isinstance(solver, GAUSS_SEIDEL_SOLVER):
        solver.history = "ON"
    CALLBACK(solfec, 1e-3, 0, lambda _: last.append(solver.merhist[-1] if solver.merhist else None) or 1)
    RUN(solfec, solver, 0.02)
    merit = HISTORY(solfec, ["MERIT"], 0, 0.02)[1][1:]
    assert len(merit) == 20 and max(merit) <= 1e-10 and max(merit) > 0
    assert sum(value == pytest.approx(seen, rel=1e-6) for value, seen in zip(merit, last) if seen is not None) >= 10


@pytest.mark.parametrize("towers", [1, 5])
def test_a_small_stack_beside_heavy_ones_is_solved_as_alone(tmp_path, towers):
    """Eight cubes of 8 g beside towers of 24 t, by a change of reactions of 1e-4 alone: they sink as little as without the towers."""
    def sink(heavy):
        solfec, bulk = domain(tmp_path / str(heavy))
        BODY(solfec, "OBSTACLE", box((40, 40, 1), (-20, -20, -1)), bulk)
        small = [BODY(solfec, "RIGID", box((0.02, 0.02, 0.02), (1e-3 * k, 0, 0.02 * k)), bulk) for k in range(8)]
        for tower in range(heavy):
            for k in range(3):
                BODY(solfec, "RIGID", box((2, 2, 2), (5 + 0.01 * k, 3 * tower - 5, 2 * k)), bulk)
        RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-4, 1000), 0.1)
        return -DISPLACEMENT(small[-1], small[-1].center)[2]

    assert sink(towers) < 4 * sink(0) + 1e-6


def test_render_draws_what_is_there_before_a_run(tmp_path):
    solfec, bulk = domain(tmp_path / "out")
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 1), 0.5, 1, 1), bulk)
    picture = tmp_path / "out" / "render.png"
    assert RENDER(solfec, [ball]) == str(picture) and picture.stat().st_size > 1000
    OUTPUT(solfec, 1e-3)
    RUN(solfec, NEWTON_SOLVER(), 5e-3)
    assert solfec.mode == "WRITE" and solfec.time == pytest.approx(5e-3) and {p.name for p in (tmp_path / "out").glob("*.png")} == {"render.png"}


def test_callbacks_may_have_the_solver_as_their_data(tmp_path, capsys):
    solfec, bulk = domain(tmp_path)
    ball, solver, seen = BODY(solfec, "RIGID", SPHERE((0, 0, 1), 0.5, 1, 1), bulk), NEWTON_SOLVER(), []
    CALLBACK(solfec, 1e-3, (ball, solver), lambda body, with_it: seen.append((body, with_it)) or 1)
    OUTPUT(solfec, 1e-3)
    RUN(solfec, solver, 5e-3)
    assert seen == [(ball, solver)] * 5 and "cannot be stored" not in capsys.readouterr().err


def test_contacts_that_could_bounce_but_rest_obey_their_law(tmp_path):
    """A block that is set down slowly on a floor of restitution 0.5 comes to rest there (theory 3.8); its contacts are as exact as without restitution."""
    solfec, bulk = domain(tmp_path)
    SURFACE_MATERIAL(solfec, 1, 1, friction=0.3, restitution=0.5)
    BODY(solfec, "OBSTACLE", box((4, 4, 1), (-2, -2, -1)), bulk)
    block = BODY(solfec, "RIGID", box((0.2, 0.2, 0.1), (0, 0, 0)), bulk)
    INITIAL_VELOCITY(block, (0, 0, -5e-3), (0, 0, 0))
    merits = []
    CALLBACK(solfec, 1e-3, solfec, lambda solfec: merits.append([c.merit for c in solfec.constraints if c.kind == "CONTACT"]) or 1)
    RUN(solfec, NEWTON_SOLVER(1e-20), 5e-3)
    assert len(merits[0]) == 4 and max(map(max, merits)) < 1e-8 and abs(VELOCITY(block, block.center)[2]) < 1e-9


def test_histories_count_bodies_that_come_and_go(tmp_path):
    """A callback makes a ball every 10 ms and deletes the first one: the numbers of each frame agree, in the run and when it is read."""
    for mode in ("WRITE", "READ"):
        solfec, bulk = domain(tmp_path)
        BODY(solfec, "OBSTACLE", box((40, 4, 1), (-2, -2, -1)), bulk)
        made = []

        def add(solfec):
            made.append(BODY(solfec, "RIGID", SPHERE((len(made), 0, 1), 0.2, 1, 1), bulk, label=f"ball {len(made)}"))
            if len(made) == 3:
                DELETE(solfec, BYLABEL(solfec, "BODY", "ball 0"))
            return 1
        CALLBACK(solfec, 0.01, solfec, add)
        OUTPUT(solfec, 5e-3)
        RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-4, 100), 0.05)
        times, bodies, new, gone = HISTORY(solfec, ["BODS", "NEWBODS", "DELBODS"], 0, 0.05)
        assert solfec.mode == mode and new[-1] == 6 and gone[-1] == 1 and bodies[-1] == 6
        assert all(b == 1 + n - d for b, n, d in zip(bodies, new, gone))


def test_only_bodies_of_one_mesh_are_cut_in_a_run(tmp_path):
    solfec, bulk = domain(tmp_path)
    block = BODY(solfec, "RIGID", box((1, 1, 1), (0, 0, 0)), bulk)
    with pytest.raises(ValueError, match=r"RT_SPLIT: body1 = <BODY 0 RIGID>: a 'RIGID' or 'FINITE_ELEMENT' body made of one MESH, of first order, is expected"):
        RT_SPLIT(block, [[0, 1, 2]], 1, 2)
