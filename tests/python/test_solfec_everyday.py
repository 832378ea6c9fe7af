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
        height = HISTORY(solfec, [("ball 0", (0, 0, 1), "CZ"), ("ball 0", (0, 0, 1.1), "DX")], 0, 0.05)[1]
        assert np.isnan([height[0], height[-1]]).all() and np.nanmax(height) == pytest.approx(1, abs=1e-3)


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


def test_points_a_little_outside_move_as_the_mesh_beside_them(tmp_path):
    """Within GEOMETRIC_EPSILON: their distance from the mesh is no displacement, of a body that rests and of one that has moved."""
    solfec, bulk = domain(tmp_path)
    cube = BODY(solfec, "FINITE_ELEMENT", HEX(CUBE, 2, 2, 2, 1, [1] * 6), bulk)
    INITIAL_VELOCITY(cube, (1, 0, 0), (0, 0, 0))
    OUTPUT(solfec, 1e-3)
    GEOMETRIC_EPSILON(0.3)
    try:
        assert DISPLACEMENT(cube, (0.5, 0.5, 1.2)) == (0, 0, 0)
        RUN(solfec, NEWTON_SOLVER(), 0.01)
        out, beside = DISPLACEMENT(cube, (0.5, 0.5, 1.2)), DISPLACEMENT(cube, (0.5, 0.5, 1.0))
        assert np.allclose(out, beside, atol=1e-15) and out[0] == pytest.approx(0.01)
        for curve in HISTORY(solfec, [(cube, (1.2, 0.5, 0.5), "DX"), (cube, (1.2, 0.5, 0.5), "VX")], 0, 0.01)[1:]:
            assert curve[-1] == pytest.approx(0.01 if curve[0] == 0 else 1.0, rel=1e-9)
    finally:
        GEOMETRIC_EPSILON(1e-6)


def test_bodies_made_between_runs_are_as_made_before_they_are_in_the_results(tmp_path):
    """A script that goes on building after its first RUN is read again to its end; what is not in the frame shown is as the script has made it."""
    for mode in ("WRITE", "READ"):
        solfec, bulk = domain(tmp_path)
        BODY(solfec, "OBSTACLE", box((4, 4, 1), (-2, -2, -1)), bulk)
        first = BODY(solfec, "RIGID", box((1, 1, 1), (0, 0, 0)), bulk)
        OUTPUT(solfec, 1e-3)
        RUN(solfec, NEWTON_SOLVER(), 5e-3)
        assert solfec.mode == mode
        ball = BODY(solfec, "RIGID", SPHERE((0, 0, 3), 0.1, 1, 1), bulk, label="ball")
        cube = BODY(solfec, "FINITE_ELEMENT", HEX([x + 5 for x in CUBE], 1, 1, 1, 1, [1] * 6), bulk, label="cube")
        INITIAL_VELOCITY(ball, (0, 0, 1), (0, 0, 0)), INITIAL_VELOCITY(cube, (0, 0, 1), (0, 0, 0))
        spring = PUT_SPRING(first, first.center, ball, ball.center, lambda s, v: -s, (-1, 1))
        pin = FIX_DIRECTION(cube, (5, 5, 5), (1, 0, 0))
        for body in (ball, cube):
            assert DISPLACEMENT(body, body.center) == pytest.approx((0, 0, 0), abs=1e-14) and VELOCITY(body, body.center) == pytest.approx((0, 0, 1)) and ENERGY(body)[0] == pytest.approx(body.mass / 2)
        assert spring.stroke == 0 and pin.R == (0, 0, 0)
        RUN(solfec, NEWTON_SOLVER(), 5e-3)
        if mode == "READ":
            SEEK(solfec, 1e-2)
            moved = DISPLACEMENT(cube, cube.center)
            SEEK(solfec, 1e-3)
            assert DISPLACEMENT(cube, cube.center) == pytest.approx((0, 0, 0), abs=1e-14)
        else:
            moved = DISPLACEMENT(cube, cube.center)
        assert moved[2] == pytest.approx(5e-3 - 10 * 5e-3**2 / 2, rel=1e-3)


def test_a_problem_that_is_not_there_does_not_stop_a_script(tmp_path):
    """LOCDYN_DUMP after a step in free flight, and when the script is run again: a warning, and no file; of a step with contacts it is written."""
    for mode, height, said in (("WRITE", 1.0, "the last step had no contacts"), ("READ", 1.0, "results do not keep"), ("WRITE", 0.0, None)):
        solfec, bulk = domain(tmp_path / str(height))
        BODY(solfec, "OBSTACLE", box((4, 4, 1), (-2, -2, -1)), bulk)
        BODY(solfec, "RIGID", box((1, 1, 1), (0, 0, height)), bulk)
        RUN(solfec, NEWTON_SOLVER(), 2e-3)
        assert solfec.mode == mode
        file = tmp_path / f"{mode} {height}.hdf5"
        if said is None:
            LOCDYN_DUMP(solfec, str(file))
        else:
            with pytest.warns(UserWarning, match=f"LOCDYN_DUMP: .*: {said}"):
                LOCDYN_DUMP(solfec, str(file))
        assert file.exists() == (said is None)


@pytest.mark.parametrize("more, said", [(["fast"], "unrecognized arguments: fast; arguments of the script come after --"), (["-v"], "instead of Solfec's -v, results are viewed by `scree view FOLDER`")])
def test_arguments_of_scripts_and_of_solfec_are_told_where_to_go(command, script, more, said):
    done = command("run", script("print (NON_SOLFEC_ARGV ())\n"), *more)
    assert done.status == 2 and said in done.err


@pytest.mark.parametrize("call, said", [
    (lambda s, b: CALLBACK(s, 1e-3, (1, 2), lambda a, b, c: 1), r"CALLBACK: callback = .*: it is called with \(data\), or with \(data\[0\], data\[1\]\), and takes \(a, b, c\)"),
    (lambda s, b: FORCE(b, "SPATIAL", b.center, (1, 0, 0), lambda q: (0,) * 9), r"FORCE: value = .*: it is called with \(q, u, time, step\): too many positional arguments"),
    (lambda s, b: FORCE(b, "SPATIAL", b.center, (1, 0, 0), lambda q, u, t, h: (0,) * 9, (1, 2)), r"FORCE: value = .*: it is called with \(data\[0\], data\[1\], q, u, time, step\)"),
    (lambda s, b: PUT_SPRING(b, b.center, None, (0, 0, 1), lambda stroke: 0, None), r"PUT_SPRING: function = .*: it is called with \(stroke, velocity\)"),
    (lambda s, b: FIELD(s, lambda x, y: 0), r"FIELD: field_callback = .*: it is called with \(x, y, z, t\)"),
    (lambda s, b: GAUSS_SEIDEL_SOLVER(1e-3, 10, failure="CALLBACK", callback=lambda: 1), r"GAUSS_SEIDEL_SOLVER: callback = .*: it is called with \(solver, data\), and takes \(\)")])
def test_functions_that_take_other_arguments_are_refused_where_they_are_given(tmp_path, call, said):
    solfec, bulk = domain(tmp_path)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    with pytest.raises(ValueError, match=said):
        call(solfec, ball)


def test_functions_may_take_their_data_as_they_like(tmp_path):
    solfec, bulk = domain(tmp_path)
    ball, seen = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk), []
    for data, function in (((1, 2), lambda a, b: seen.append(a + b)), ((1, 2), lambda pair: seen.append(sum(pair))), (None, lambda: seen.append(3)), (None, lambda none: seen.append(3)),
                           (3, lambda *all: seen.append(sum(all))), ([1, 2], lambda pair: seen.append(sum(pair)))):
        CALLBACK(solfec, 1e-3, data, function)
    FORCE(ball, "SPATIAL", ball.center, (1, 0, 0), lambda one, two, *state: (one + two, 0, 0), (1, 2))
    RUN(solfec, NEWTON_SOLVER(), 1e-3)
    assert seen == [3] * 6


def test_constraints_of_a_body_are_those_that_name_it(tmp_path):
    """While it runs and when it is read; found without looking at those of all others."""
    for mode in ("WRITE", "READ"):
        solfec, bulk = domain(tmp_path)
        BODY(solfec, "OBSTACLE", box((9, 9, 1), (-2, -2, -1)), bulk)
        blocks = [BODY(solfec, "RIGID", box((0.5, 0.5, 0.5), (k, 0, 0.5 * level)), bulk) for k in range(4) for level in range(2)]
        FIX_POINT(blocks[1], (0, 0, 1)), PUT_RIGID_LINK(solfec, blocks[3], blocks[5], (1, 0, 1), (2, 0, 1)), FIX_DIRECTION(solfec, blocks[0], (0, 0, 0), (1, 0, 0), blocks[2], (1, 0, 0))
        OUTPUT(solfec, 1e-3)
        RUN(solfec, NEWTON_SOLVER(1e-10), 5e-3)
        if mode == "READ":
            SEEK(solfec, 5e-3)
        for body in solfec.bodies:
            mine = [c for c in solfec.constraints if (body in c.adjbod if isinstance(c.adjbod, tuple) else c.adjbod is body)]
            assert [(c.kind, c.R) for c in body.constraints] == [(c.kind, c.R) for c in mine] and body.ncon == len(mine) > 0
