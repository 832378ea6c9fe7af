"""Facts of Solfec's last version that scripts rely on without saying so: what counts as touching, where springs and forces of the script's own act, what
constraints and histories tell, and defaults."""
import math
import warnings

import numpy as np
import pytest

from scree.solfec import *
from solids import CUBE


@pytest.fixture
def bulk(solfec):
    return BULK_MATERIAL(solfec, young=1e7, poisson=0.25, density=1000)


def analysis(folder, young=1e7, density=1000):
    """A quiet analysis in a folder, and a material."""
    solfec = SOLFEC("DYNAMIC", 1e-3, str(folder))
    solfec.verbose = "OFF"
    return solfec, BULK_MATERIAL(solfec, young=young, poisson=0.25, density=density)


def ball(solfec, bulk, x, **more):
    return BODY(solfec, "RIGID", SPHERE((x, 0, 0), 0.1, 1, 1), bulk, **more)


def bar(cells=(4, 1, 1)):
    return SCALE(HEX(CUBE, *cells, 1, [1, 2, 3, 4, 5, 6]), (4, 1, 1))


def clamped(solfec, bulk):
    body = BODY(solfec, "FINITE_ELEMENT", bar(), bulk, form="BC")
    for n in body.mesh.nodes_on_surface(2):
        FIX_POINT(body, body.mesh.node(n))
    return body


# --- motion that stays bounded --------------------------------------------------------------------------------------

@pytest.mark.parametrize("form", ["TL", "BC", "BC-MODAL"])
def test_a_free_box_keeps_its_kinetic_energy(tmp_path, form):
    """0.5 x 0.5 x 0.45 m of 2700 kg/m^3, one turn a second, 5 ms: the energy of a rigid box, 226.1 J, for ten turns of a step five times as long as its waves need."""
    solfec = SOLFEC("DYNAMIC", 5e-3, str(tmp_path / "out"))
    solfec.verbose = "OFF"
    bulk = BULK_MATERIAL(solfec, young=1e10, poisson=0.25, density=2700)
    body = BODY(solfec, "FINITE_ELEMENT", SCALE(HEX(CUBE, 3, 3, 3, 1, [1] * 6), (0.5, 0.5, 0.45)), bulk, form=form, base=None)
    body.scheme = "DEF_LIM"
    INITIAL_VELOCITY(body, (0, 0, 0), (2 * math.pi, 0, 0))
    seen = []
    CALLBACK(solfec, 5e-3, None, lambda _: seen.append(ENERGY(solfec)[0]) or 1)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-3, 100), 2.0)
    assert seen == pytest.approx([body.mass * (0.5**2 + 0.45**2) / 24 * (2 * math.pi) ** 2] * 400, rel=1e-4) and 226 < min(seen) and max(seen) < 292


@pytest.mark.parametrize("solver", [lambda: GAUSS_SEIDEL_SOLVER(1e-3, 100), lambda: GAUSS_SEIDEL_SOLVER(1e-3, 10), lambda: NEWTON_SOLVER(), lambda: None])
def test_a_clamped_plate_swings_and_no_more(tmp_path, solver):
    """A steel plate let go under its weight: it never has more kinetic and internal energy than gravity gave, however few sweeps are allowed."""
    solfec, bulk = analysis(tmp_path / "out", 2e11, 7800)
    body = BODY(solfec, "FINITE_ELEMENT", SCALE(HEX(CUBE, 6, 6, 1, 1, [1, 2, 3, 4, 5, 6]), (1, 1, 0.02)), bulk, form="BC")
    body.scheme = "DEF_LIM"
    for n in body.mesh.nodes_on_surface(2):
        FIX_POINT(body, body.mesh.node(n))
    GRAVITY(solfec, (0, 0, -10))
    seen = []
    CALLBACK(solfec, 1e-3, None, lambda _: seen.append(ENERGY(solfec)[:3]) or 1)
    RUN(solfec, solver(), 0.2)
    kinetic, internal, external = np.array(seen).T
    assert np.abs(kinetic + internal - external).max() < 1e-3 * external.max() and external.max() < 1.0
    assert abs(DISPLACEMENT(body, (0, 0, 0))[2]) < 1e-7


# --- shapes and joints ------------------------------------------------------------------------------------------------

def test_objects_that_touch_overlap():
    """Nearer than GEOMETRIC_EPSILON counts, on whichever side rounding puts the two: Solfec's rule, without which a lattice of balls between walls
    would keep or lose its outer layer by the last bit."""
    box = HULL(CUBE, 1, 1)
    gaps = [-1e-3, -1e-9, -1e-16, 0.0, 1e-16, 1e-9, 9e-7, 1.1e-6, 1e-3]
    balls = [SPHERE((0.5, 0.5, 1.3 + gap), 0.3, 1, 1) for gap in gaps]
    assert [round(b.center[2] - 1.3, 9) for b in OVERLAPPING(COPY(box), [COPY(b) for b in balls])] == [round(g, 9) for g in gaps[:7]]
    assert len(OVERLAPPING(COPY(box), [COPY(b) for b in balls], "NOT")) == 2 and len(OVERLAPPING(COPY(box), balls, gap=-1e-4)) == 1
    # 8 x 8 balls of a lattice that fits between four walls: the 28 at the walls touch
    walls = [TRANSLATE(SCALE(HULL(CUBE, 1, 1), (1 if k % 2 else 3, 3 if k % 2 else 1, 1)), at) for k, at in enumerate(((-1, -1, 0), (-1, -1, 0), (-1, 0.8, 0), (0.8, -1, 0)))]
    lattice = [SPHERE((0.05 + 0.1 * i, 0.05 + 0.1 * j, 0.5), 0.05, 1, 1) for i in range(8) for j in range(8)]
    assert len(OVERLAPPING(walls, lattice, "NOT")) == 36


def test_an_ellipsoid_knows_how_it_lies():
    shape = ELLIP((0, 0, 0), (1, 2, 3), 1, 1)
    assert shape.rot == (1, 0, 0, 0, 1, 0, 0, 0, 1)
    ROTATE(shape, (0, 0, 0), (0, 0, 1), 90)
    assert shape.rot == pytest.approx((0, 1, 0, -1, 0, 0, 0, 0, 1), abs=1e-15) and shape.radii == (1, 2, 3)


@pytest.mark.parametrize("apart", [0.0, 5e-7])
def test_a_link_without_length_holds_points_together(solfec, bulk, apart):
    GRAVITY(solfec, (0, 0, -10))
    one, two = ball(solfec, bulk, 0), ball(solfec, bulk, 1)
    FIX_POINT(one, (0, 0, 0))
    made = PUT_RIGID_LINK(one, two, (0.5, 0, 0), (0.5, 0, apart))
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-8, 100), 0.2)
    gap = np.subtract(DISPLACEMENT(one, (0.5, 0, 0)), DISPLACEMENT(two, (0.5, 0, 0)))
    assert made.kind == "FIXPNT" and made.adjbod == (one, two) and np.abs(gap).max() < 1e-4 and DISPLACEMENT(two, (1, 0, 0))[2] < -0.1


def chain(folder, solver, ends, count=24):
    """A chain of links in the shape of its own equilibrium, a parabola, held at one end or both: mean dz of its balls, and the worst relative change of length."""
    solfec, bulk = analysis(folder)
    GRAVITY(solfec, (0, 0, -10))
    balls = [BODY(solfec, "RIGID", SPHERE((0.5 * k, 0, 0.02 * k * (k - count + 1) / count), 0.1, 1, 1), bulk) for k in range(count)]
    SURFACE_MATERIAL(solfec, friction=0.0)
    for body in (balls[0], balls[-1])[:ends]:
        FIX_POINT(body, body.center)
    for one, two in zip(balls, balls[1:]):
        PUT_RIGID_LINK(one, two, one.center, two.center)
    RUN(solfec, solver, 0.15)
    lengths = [np.linalg.norm(np.subtract(two.conf[9:], one.conf[9:])) / np.linalg.norm(np.subtract(two.center, one.center)) - 1 for one, two in zip(balls, balls[1:])]
    return np.mean([DISPLACEMENT(b, b.center)[2] for b in balls]), np.abs(lengths).max()


def test_links_are_as_long_with_few_sweeps(tmp_path):
    """Held at both ends the chain hangs still. Let go at one it swings, and where to does not depend on how many sweeps its solver may make."""
    exact, stretched = chain(tmp_path / "exact", SOLVER("AUTO", 1e-10), 1)
    assert exact < -0.05 and stretched < 1e-4
    for sweeps in (100, 10):
        mean, longer = chain(tmp_path / f"one{sweeps}", GAUSS_SEIDEL_SOLVER(1e-3, sweeps), 1)
        assert mean == pytest.approx(exact, rel=1e-4) and longer < 1e-4
        still, longer = chain(tmp_path / f"two{sweeps}", GAUSS_SEIDEL_SOLVER(1e-3, sweeps), 2)
        assert abs(still) < 1e-9 and longer < 1e-9


def swept_chain(sweeps, ends, warm=True, count=24, steps=150, h=1e-3):
    """The same chain as points on links: each step as theory 2.1 has it, its links swept so many times from the last impulses (or from zero), or met at once
    (None). Mean dz."""
    q = np.array([(0.5 * k, 0.02 * k * (k - count + 1) / count) for k in range(count)])
    start, v, R = q.copy(), np.zeros_like(q), np.zeros(count - 1)
    free = np.ones(count)
    free[[0, -1][:ends]] = 0.0  # inverse masses
    for _ in range(steps):
        q = q + 0.5 * h * v
        d = np.diff(q, axis=0)
        d /= np.linalg.norm(d, axis=1)[:, None]
        u = v + h * np.outer(free, (0.0, -10.0))
        B = np.einsum("ij,ij->i", d, np.diff(u, axis=0))
        across = -free[1:-1] * np.einsum("ij,ij->i", d[1:], d[:-1])
        W = np.diag(free[:-1] + free[1:]) + np.diag(across, 1) + np.diag(across, -1)
        met = -np.linalg.solve(W, B)
        # a sweep in order takes the error R - met to M (R - met)
        M = -np.linalg.solve(np.tril(W), np.triu(W, 1))
        R = met if sweeps is None else met + np.linalg.matrix_power(M, sweeps) @ (R * warm - met)
        push = d * R[:, None]
        u[:-1] -= free[:-1, None] * push
        u[1:] += free[1:, None] * push
        q, v = q + 0.5 * h * u, u
    return np.mean((q - start)[:, 1])


def test_a_chain_and_its_links_swept(tmp_path):
    """How far a chain that hangs still seems to fall is a matter of how its links are swept: less with more sweeps, more without the last impulses. Met at once
    they hold it, and let it swing as far as the points do."""
    falls = [swept_chain(sweeps, 2) for sweeps in (10, 100, 1000)]
    assert falls == pytest.approx([-0.05891, -0.00360, -0.00100], abs=1e-5) and swept_chain(100, 2, warm=False) == pytest.approx(-0.0845, abs=1e-4)
    assert abs(swept_chain(None, 2)) < 1e-12
    assert chain(tmp_path, GAUSS_SEIDEL_SOLVER(1e-3, 10), 1)[0] == pytest.approx(swept_chain(None, 1), rel=1e-3)


# --- forces of the script's own -----------------------------------------------------------------------------------------

def test_a_spring_acts_where_it_is_fastened(tmp_path):
    """A law without stiffness is a force: a cantilever bends under it as under FORCE at the same point, and the other end feels the opposite."""
    places = []
    for how in ("spring", "force"):
        solfec, bulk = analysis(tmp_path / how)
        body, weight = clamped(solfec, bulk), BODY(solfec, "RIGID", SPHERE((4, 0.5, 5), 0.5, 1, 1), bulk)
        if how == "spring":
            made = PUT_SPRING(body, (4, 0.5, 1), weight, (4, 0.5, 5), lambda stroke, velocity: -1e3, None, (0, 0, 1), "FIXED")
        else:
            FORCE(body, "SPATIAL", (4, 0.5, 1), (0, 0, 1), 1e3), FORCE(weight, "SPATIAL", weight.center, (0, 0, -1), 1e3)
        RUN(solfec, None, 0.05)
        places.append([DISPLACEMENT(body, p)[2] for p in ((4, 0.5, 1), (2, 0.5, 1))] + [DISPLACEMENT(weight, weight.center)[2]])
    assert places[0] == pytest.approx(places[1], rel=1e-9) and places[0][0] > 1e-3
    assert made.kind == "SPRING" and made.R == (0, 0, -1e3) and made.adjbod[0].kind == "FINITE_ELEMENT" and made.gap == made.stroke and made.point[2] > 1
    assert np.reshape(made.base, (3, 3))[:, 2] == pytest.approx((0, 0, -1)) and made.U[2] == made.velocity


def test_a_spring_can_be_deleted(solfec, bulk):
    one, two = ball(solfec, bulk, 0), ball(solfec, bulk, 1)
    spring = PUT_SPRING(one, (0, 0, 0), two, (1, 0, 0), lambda stroke, velocity: 10.0, (-0.1, 0.1))
    RUN(solfec, None, 0.01)
    fast = two.velo[3]
    assert fast == pytest.approx(10 * 0.01 / two.mass) and solfec.ncon == 2
    DELETE(solfec, spring)
    RUN(solfec, None, 0.01)
    assert two.velo[3] == pytest.approx(fast) and solfec.ncon == 0
    with pytest.raises(ValueError, match="empty"):
        DELETE(solfec, spring)


def test_a_generalised_force_on_nodes(tmp_path):
    """A callback that gives every node its share of a weight is gravity; one that pulls a node is FORCE there."""
    ends = []
    for how in ("callback", "loads"):
        solfec, bulk = analysis(tmp_path / how)
        body = BODY(solfec, "FINITE_ELEMENT", bar(), bulk, form="BC")
        nodes = np.reshape(body.conf, (-1, 3))
        corner = int(np.argmax(nodes @ (1, 1, 1)))

        def pull(size, q, u, time, step):
            assert len(q) == len(u) == nodes.size
            force = np.zeros(nodes.shape)
            force[corner] = (0, 0, size)
            return tuple(force.ravel())

        if how == "callback":
            FORCE(body, "SPATIAL", (0, 0, 0), (1, 0, 0), pull, 500.0)
        else:
            FORCE(body, "SPATIAL", tuple(nodes[corner]), (0, 0, 1), 500.0)
        RUN(solfec, None, 0.02)
        ends.append(np.array(body.conf))
    assert ends[0] == pytest.approx(ends[1], abs=1e-12) and np.abs(ends[0] - nodes.ravel()).max() > 1e-5


def test_a_generalised_force_on_a_pseudo_rigid_body(solfec, bulk):
    """Nine numbers conjugate to the rate of F and three to the velocity: they push with the Euler tensor's and the mass' inertia."""
    body = BODY(solfec, "PSEUDO_RIGID", HULL(CUBE, 1, 1), bulk)
    FORCE(body, "SPATIAL", (0, 0, 0), (1, 0, 0), lambda q, u, time, step: [5.0, 0, 0, 0, 0, 0, 0, 0, 0, 3.0, 0, 0])
    RUN(solfec, None, solfec.step)
    assert body.velo[9:] == pytest.approx((3.0 * 1e-3 / body.mass, 0, 0), abs=1e-15)
    # an implicit step: the stiffness V (lambda + 2 mu) of the stretch is felt within it
    stiff = 1e7 * 0.75 / (1.25 * 0.5)
    assert body.velo[0] == pytest.approx(5.0 * 1e-3 / (body.tensor[0] + 0.25e-6 * stiff), rel=1e-2)
    wrong = BODY(solfec, "PSEUDO_RIGID", TRANSLATE(HULL(CUBE, 1, 1), (5, 0, 0)), bulk)
    FORCE(wrong, "SPATIAL", (5, 0, 0), (1, 0, 0), lambda q, u, time, step: (1, 2, 3))
    with pytest.raises(ValueError, match="FORCE.*3 numbers; 12 are expected"):
        RUN(solfec, None, solfec.step)


# --- what constraints and histories tell ----------------------------------------------------------------------------------

def test_velocities_of_constraints(solfec, bulk):
    GRAVITY(solfec, (0, 0, -10))
    driven, held, hung = (ball(solfec, bulk, 2 * k) for k in range(3))
    made = SET_VELOCITY(driven, driven.center, (0, 0, 1), 0.5), FIX_DIRECTION(held, held.center, (1, 0, 0)), PUT_RIGID_LINK(hung, None, hung.center, (4, 0, 1))
    OUTPUT(solfec, 1e-3)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-10, 100), 0.01)
    assert made[0].U == pytest.approx((0, 0, 0.5), abs=1e-9)
    speed = np.reshape(made[1].base, (3, 3)) @ made[1].U
    assert speed == pytest.approx((0, 0, -0.1), abs=1e-6) and made[2].U == pytest.approx((0, 0, 0), abs=1e-6)
    times, constraints, bodies = HISTORY(solfec, ["CONS", "BODS"], 0, 1)
    assert set(constraints) == {3} and set(bodies) == {3} and solfec.ncon == 3
    read = SOLFEC("DYNAMIC", 1e-3, solfec.outpath)
    copies = [ball(read, BULK_MATERIAL(read), 2 * k) for k in range(3)]
    again = SET_VELOCITY(copies[0], copies[0].center, (0, 0, 1), 0.5)
    FIX_DIRECTION(copies[1], copies[1].center, (1, 0, 0)), PUT_RIGID_LINK(copies[2], None, copies[2].center, (4, 0, 1))
    SEEK(read, 0.01)
    assert again.U == pytest.approx((0, 0, 0.5), abs=1e-9)


def test_points_of_constraints_follow_deformed_bodies(solfec, bulk):
    """A cantilever bent by a point at its end that is moved: the constraint is where the point is, in stored frames, too."""
    body = clamped(solfec, bulk)
    tip = SET_VELOCITY(body, (4, 0, 0), (0, 0, 1), 5.0)
    RUN(solfec, None, 0.02)
    read = SOLFEC("DYNAMIC", 1e-3, solfec.outpath)
    again = SET_VELOCITY(clamped(read, BULK_MATERIAL(read, young=1e7, poisson=0.25, density=1000)), (4, 0, 0), (0, 0, 1), 5.0)
    SEEK(read, 0.02)
    place = np.add((4, 0, 0), DISPLACEMENT(body, (4, 0, 0)))
    assert tip.point == pytest.approx(place, abs=5e-3) and again.point == pytest.approx(place, abs=1e-9) and place[2] == pytest.approx(0.1, abs=3e-3)


def test_series_are_lists():
    series = TIME_SERIES([[0, 1], [1, 3]])
    assert series.times + series.values == [0.0, 1.0, 1.0, 3.0] and series.integral.values == [0.0, 2.0] and series.derivative.values == [2.0, 2.0]


def test_states_are_left_alone_in_read_mode(tmp_path, solfec, bulk):
    ball(solfec, bulk, 0, label="ball")
    RUN(solfec, None, 0.002)
    read = SOLFEC("DYNAMIC", 1e-3, solfec.outpath)
    INITIALIZE_STATE(read, str(tmp_path / "nowhere"), 0.1), RIGID_TO_FEM(str(tmp_path / "nowhere"), 0.1, read)
    SOLFEC_EXPORT(read, (0, 1), str(tmp_path / "part"), "ball")
    assert read.mode == "READ" and (tmp_path / "part.xdmf").exists()


# --- settings -----------------------------------------------------------------------------------------------------------

def test_defaults_of_the_last_version(solfec):
    assert BULK_MATERIAL(solfec).young == 1e9


def test_warnings_are_shown_or_not():
    with warnings.catch_warnings(record=True) as seen:
        WARNINGS("OFF")
        warnings.warn("of Scree")
        WARNINGS("ON")
        warnings.warn("of Scree, too")
    assert [str(w.message) for w in seen] == ["of Scree, too"]


def stacked(solfec, bulk, *sparsify):
    """Contacts of two slabs, of 3 x 1 and 3 x 1 elements, of which the last is narrow."""
    CONTACT_SPARSIFY(solfec, *sparsify)
    SURFACE_MATERIAL(solfec, friction=0.5)
    GRAVITY(solfec, (0, 0, -10))
    BODY(solfec, "OBSTACLE", TRANSLATE(HULL([x * 10 for x in CUBE], 1, 1), (-5, -5, -10)), bulk)
    BODY(solfec, "RIGID", SCALE(HEX(CUBE, 3, 1, 1, 1, [1] * 6, [1, 1, 0.1], [1], [1]), (2.1, 1, 1)), bulk)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-8, 1000), solfec.step)
    return sorted({round(c.point[0], 6) for c in solfec.constraints})


def test_small_and_near_contacts_are_dropped(tmp_path):
    """minarea: the narrow element, 0.1 m^2, goes; mindist: corners of two elements in one place are one."""
    found = {}
    for name, arguments in (("all", (0.0, 0.0, 0.0)), ("large", (0.0, 0.2, 0.0)), ("near", (0.0, 0.0, 0.15))):
        solfec, bulk = analysis(tmp_path / name)
        found[name] = stacked(solfec, bulk, *arguments), solfec.ncon
    assert max(found["all"][0]) == pytest.approx(2.1) and max(found["large"][0]) == pytest.approx(2.0)
    assert found["near"][1] < found["all"][1]
