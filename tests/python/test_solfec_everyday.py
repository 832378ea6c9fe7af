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


def test_a_failure_callback_sees_the_solve_that_failed(tmp_path):
    """In the first step, too, where no step has been made before: error, sweeps and history are those of the solve in question."""
    solfec, bulk = domain(tmp_path)
    BODY(solfec, "OBSTACLE", box((4, 4, 1), (-2, -2, -1)), bulk)
    for k in range(4):
        BODY(solfec, "RIGID", box((0.2, 0.2, 0.2), (0.01 * k, 0, 0.2 * k)), bulk)
    seen = []
    solver = GAUSS_SEIDEL_SOLVER(1e-12, 2, failure="CALLBACK", callback=lambda gs, _: seen.append((gs.error, gs.iters, len(gs.rerhist))) or 1)
    solver.history = "ON"
    RUN(solfec, solver, 5e-3)
    assert seen == [("DIVERGED", 2, 2)] * 5 and (solver.error, solver.iters) == ("DIVERGED", 2)


@pytest.mark.parametrize("make, bound", [(lambda: GAUSS_SEIDEL_SOLVER(1e-3, 2, 1e-12), "missed the tolerance 1e-12; the worst merit is"), (lambda: GAUSS_SEIDEL_SOLVER(
    1e-12, 2), "missed the tolerance 1e-12 of the change of reactions; the worst residual is")], ids=["merit", "change"])
def test_missed_steps_are_told_by_what_was_bounded(tmp_path, capsys, make, bound):
    solfec, bulk = domain(tmp_path)
    BODY(solfec, "OBSTACLE", box((4, 4, 1), (-2, -2, -1)), bulk)
    for k in range(4):
        BODY(solfec, "RIGID", box((0.2, 0.2, 0.2), (0.01 * k, 0, 0.2 * k)), bulk)
    OUTPUT(solfec, 1e-3)
    RUN(solfec, make(), 5e-3)
    said = capsys.readouterr().err
    assert f"5 of 5 steps {bound}" in said
    if "merit" in bound:
        assert f"the worst merit is {max(HISTORY(solfec, ['MERIT'], 0, 1)[1]):.1e}" in said


@pytest.mark.parametrize("call, said", [
    (lambda s, b: SET_DISPLACEMENT(b, b.center, (1, 0, 0), 0.1), "SET_DISPLACEMENT: tms = 0.1: a TIME_SERIES of displacements, m, is expected; a constant one moves nothing"),
    (lambda s, b: TIME_SERIES([0, 1, 2]), "TIME_SERIES: points: 3 numbers in an array"),
    (lambda s, b: GAUSS_SEIDEL_SOLVER(1e-3), "the arguments are (epsilon, maxiter, meritval, failure,"),
    (lambda s, b: BODY(s, "FINITE_ELEMENT", HEX(CUBE, 1, 1, 1, 1, [1] * 6), b.material, form="XX"), "BODY: form = 'XX' is unknown; known: TL, BC, BC-IM, BC-MODAL, BC-RO, RO")])
def test_what_is_wrong_is_said(tmp_path, call, said):
    solfec, bulk = domain(tmp_path)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    with pytest.raises(ValueError) as refused:
        call(solfec, ball)
    assert said in str(refused.value)


def test_modes_are_those_of_the_formulation(tmp_path):
    """A thin beam of one layer: with incompatible modes its modes and its exported stiffness bend as a beam does, without them they lock."""
    solfec, bulk = domain(tmp_path)
    steel = BULK_MATERIAL(solfec, young=2e11, poisson=0.0, density=7800)
    bend = 4.730040745**2 * np.sqrt(2e11 * 0.04**2 / 12 / 7800)  # rad/s, length 1 m, 0.04 m high: stiffer by shear and rotary inertia by under 1 %
    found = {}
    for form in ("BC", "BC-IM"):
        beam = BODY(solfec, "FINITE_ELEMENT", HEX([x * s for x, s in zip(CUBE, (1, 0.06, 0.04) * 8)], 20, 1, 1, 1, [1] * 6), steel, form=form)
        values, vectors = MODAL_ANALYSIS(beam, 7, None)
        BODY_MM_EXPORT(beam, str(tmp_path / "M"), str(tmp_path / "K"), "OFF", "OFF")
        K = np.loadtxt(tmp_path / "K", skiprows=3)
        mode = np.reshape(vectors, (7, -1))[6]
        strain = mode[K[:, 0].astype(int) - 1] @ (K[:, 2] * mode[K[:, 1].astype(int) - 1])
        assert strain == pytest.approx(values[6], rel=1e-6)
        found[form] = np.sqrt(values[6])
    assert found["BC-IM"] == pytest.approx(bend, rel=0.015) and found["BC"] > 1.2 * bend


def test_results_of_another_analysis_are_refused(tmp_path):
    """Bodies of two SOLFEC objects have the same numbers: asked of the wrong one they would answer with a stranger's values."""
    made = []
    for k in range(2):
        solfec, bulk = domain(tmp_path / str(k))
        ball = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
        OUTPUT(solfec, 1e-3)
        RUN(solfec, NEWTON_SOLVER(), 2e-3 * (k + 1))
        made.append((solfec, ball))
    (one, own), (other, strange) = made
    assert len(HISTORY(one, [(own, own.center, "DZ"), (one, "KINETIC"), ([own], "KINETIC"), (own, None, None, "R")], 0, 1)) == 5 and ENERGY(one, own)
    for request in ((strange, strange.center, "DZ"), (strange, "KINETIC"), (other, "KINETIC"), ([own, strange], "EXTERNAL"), (strange, None, None, "R"), ((own, strange), "GAP")):
        with pytest.raises(ValueError, match="HISTORY: list: object = .*: it is not of the SOLFEC object given first, whose results are in"):
            HISTORY(one, [request], 0, 1)
    for call in (lambda: ENERGY(one, strange), lambda: ENERGY(one, [own, strange]), lambda: ENERGY(one, other)):
        with pytest.raises(ValueError, match="ENERGY: object = .*: it is not of the SOLFEC object given first"):
            call()


def test_attributes_of_exports_are_known(tmp_path):
    solfec, bulk = domain(tmp_path)
    BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    XDMF_EXPORT(solfec, 0, str(tmp_path / "all"), None, ["DISP", "VELO", "STRESS", "REAC", "RELV", "GAP"])
    with pytest.raises(ValueError, match="XDMF_EXPORT: attributes = 'FORCE' is unknown; known: DISP, VELO, STRESS, REAC, RELV, GAP"):
        XDMF_EXPORT(solfec, 0, str(tmp_path / "some"), None, ["DISP", "FORCE"])
