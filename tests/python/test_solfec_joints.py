"""Constraints between two bodies, springs of contacts that are not linear, and bodies reduced by a base of the script's own."""
import math

import numpy as np
import pytest

from scree.solfec import *
from solids import CUBE


def two_boxes(solfec, seed):
    """Two boxes in flight with random velocities, two metres apart."""
    random = np.random.default_rng(seed)
    bulk = BULK_MATERIAL(solfec, density=1000)
    made = [BODY(solfec, "RIGID", TRANSLATE(SCALE(HULL(CUBE, 1, 1), tuple(random.uniform(0.5, 1.5, 3))), (2.0 * k, 0, 0)), bulk) for k in range(2)]
    for body in made:
        INITIAL_VELOCITY(body, tuple(random.normal(size=3)), tuple(random.normal(size=3)))
    CONTACT_EXCLUDE_BODIES(*made)
    return made, random


def momenta(bodies):
    linear, angular = np.zeros(3), np.zeros(3)
    for body in bodies:
        rotation, place = np.reshape(body.conf[:9], (3, 3)).T, np.array(body.conf[9:])
        p = body.mass * np.array(body.velo[3:])
        linear += p
        angular += np.cross(place, p) + rotation @ np.reshape(body.tensor, (3, 3)).T @ np.array(body.velo[:3])
    return linear, angular


def lead(first, second, point1, point2, direction):
    """How far a point of the second body is ahead of one of the first, along a direction that turns with the first."""
    carried = np.reshape(first.conf[:9], (3, 3)).T @ (np.array(direction) / np.linalg.norm(direction))
    return carried @ (np.add(point2, DISPLACEMENT(second, point2)) - np.add(point1, DISPLACEMENT(first, point1)))


# --- FIX_DIRECTION of two bodies --------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(3))
def test_a_point_slides_in_a_plane_of_the_other_body(solfec, seed):
    """Whatever the points and the direction: the lead stays, and so do momentum and angular momentum, which forces apart from each other would change."""
    (one, two), random = two_boxes(solfec, seed)
    point1, point2, direction = (tuple(random.uniform(0, 1, 3)), tuple(random.uniform(0, 1, 3) + (2, 0, 0)), tuple(random.normal(size=3)))
    made = FIX_DIRECTION(one, point1, direction, two, point2)
    assert made.kind == "FIXDIR" and made.adjbod == (one, two) and two in (made.adjbod) and one.ncon == two.ncon == 1
    before, linear, angular = lead(one, two, point1, point2, direction), *momenta((one, two))
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-10, 1000), 0.2)
    assert abs(made.R[2]) > 0 and made.R[:2] == (0, 0)
    # the plane is that of mid-step: its drift of a step, spin squared h^2 times the distance, is taken back in the next
    assert lead(one, two, point1, point2, direction) == pytest.approx(before, abs=2e-4)
    after = momenta((one, two))
    assert after[0] == pytest.approx(linear, rel=1e-9, abs=1e-9 * np.linalg.norm(linear)) and after[1] == pytest.approx(angular, abs=1e-7 * np.linalg.norm(angular))


def test_what_the_plane_leaves_free(solfec):
    """A table that falls carries a ball above it: the ball is held along the normal alone, and keeps its slip."""
    bulk = BULK_MATERIAL(solfec, density=1000)
    table = BODY(solfec, "RIGID", HULL(CUBE, 1, 1), bulk)
    ball = BODY(solfec, "RIGID", SPHERE((0.5, 0.5, 3), 0.1, 1, 1), bulk)
    FIX_DIRECTION(table, table.center, (0, 0, 1), ball, ball.center)
    INITIAL_VELOCITY(ball, (0.5, 0.25, -1), (0, 0, 0))
    table.disable_rotation = "ON"
    RUN(solfec, None, 0.1)
    assert ball.velo[3:5] == pytest.approx((0.5, 0.25), rel=1e-9)
    common = -ball.mass / (ball.mass + table.mass)
    assert ball.velo[5] == pytest.approx(common, rel=1e-6) and table.velo[5] == pytest.approx(common, rel=1e-6)


def test_constraints_reach_obstacles(solfec):
    """A pendulum hangs on an obstacle that moves, and a limit holds against one."""
    GRAVITY(solfec, (0, 0, -10))
    bulk = BULK_MATERIAL(solfec, density=1000)
    hook = BODY(solfec, "OBSTACLE", SPHERE((0, 0, 1), 0.05, 1, 1), bulk)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    SET_VELOCITY3(hook, (0, 0, 1), (1, 0, 0, 0, 1, 0, 0, 0, 1), (0.0, 0.0, 0.3))
    link = PUT_RIGID_LINK(hook, ball, (0, 0, 1), (0, 0, 0))
    RUN(solfec, None, 0.1)
    assert DISPLACEMENT(hook, (0, 0, 1)) == pytest.approx((0, 0, 0.03), abs=1e-9) and DISPLACEMENT(ball, (0, 0, 0))[2] == pytest.approx(0.03, abs=5e-4)
    assert abs(link.R[2]) == pytest.approx(10 * ball.mass, rel=1e-6)


@pytest.mark.parametrize("update", ["CONV1", "CONV2"])
def test_limits_along_a_carried_direction(solfec, update):
    """A bead on a spring along an arm that turns cannot go farther than its limit."""
    bulk = BULK_MATERIAL(solfec, density=1000)
    arm = BODY(solfec, "RIGID", SCALE(HULL(CUBE, 1, 1), (0.2, 0.2, 0.2)), bulk)
    bead = BODY(solfec, "RIGID", SPHERE((1, 0.1, 0.1), 0.05, 1, 1), bulk)
    CONTACT_EXCLUDE_BODIES(arm, bead)
    if update == "CONV1":
        PUT_SPRING(arm, (0.1, 0.1, 0.1), bead, (1, 0.1, 0.1), lambda stroke, speed: 0.0, (-0.05, 0.05), (1, 0, 0), update)
    else:
        PUT_SPRING(bead, (1, 0.1, 0.1), arm, (0.1, 0.1, 0.1), lambda stroke, speed: 0.0, (-0.05, 0.05), (-1, 0, 0), update)
    INITIAL_VELOCITY(arm, (0, 0, 0), (0, 0, 1)), INITIAL_VELOCITY(bead, (1, 0, 0), (0, 0, 0))
    leads = []

    def look(_):
        leads.append(lead(arm, bead, (0.1, 0.1, 0.1), (1, 0.1, 0.1), (1, 0, 0)))
        return 1

    CALLBACK(solfec, solfec.step, None, look)
    RUN(solfec, None, 0.3)
    assert max(leads) == pytest.approx(0.95, abs=2e-3) and min(leads) >= 0.85 - 2e-3


# --- hpow -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_springs_with_a_power(tmp_path, power):
    """An impact without damping: rebound at the same speed after the time of the closed form, int dx / sqrt (v^2 - 2 k x^(p+1) / (p + 1) m)."""
    speed, stiffness, radius = 2.0, 1e6, 0.5
    solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / "out"))
    solfec.verbose = "OFF"
    OUTPUT(solfec, 10)
    material = SURFACE_MATERIAL(solfec, model="SPRING_DASHPOT", spring=stiffness, dashpot=0.0, hpow=power)
    assert material.hpow == power
    bulk = BULK_MATERIAL(solfec, density=1000)
    BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (4, 4, 1)), (-2, -2, -1)), bulk)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, radius), radius, 1, 1), bulk)
    INITIAL_VELOCITY(ball, (0, 0, -speed), (0, 0, 0))
    deepest = ((power + 1) * ball.mass * speed**2 / (2 * stiffness)) ** (1 / (power + 1))
    duration = 2 * deepest / speed * math.sqrt(math.pi) * math.gamma(1 + 1 / (power + 1)) / math.gamma(0.5 + 1 / (power + 1))
    solfec.step = duration / 400
    touching, low = [], []

    def look(_):
        low.append(DISPLACEMENT(ball, (0, 0, radius))[2])
        touching.append(low[-1] < 0)
        return 1

    CALLBACK(solfec, solfec.step, None, look)
    RUN(solfec, PENALTY_SOLVER(), 1.3 * duration)
    assert ball.velo[5] == pytest.approx(speed, rel=2e-3) and -min(low) == pytest.approx(deepest, rel=2e-3)
    assert sum(touching) * solfec.step == pytest.approx(duration, rel=1e-2)


def test_powers_below_one_are_refused(solfec):
    with pytest.raises(ValueError, match="power.*1.5 Hertz"):
        SURFACE_MATERIAL(solfec, model="SPRING_DASHPOT", spring=1e6, hpow=0.5)


# --- 'BC-RO' ----------------------------------------------------------------------------------------------------

def bar(solfec, form, base=None):
    bulk = BULK_MATERIAL(solfec, young=1e7, poisson=0.0, density=1000)
    mesh = SCALE(HEX(CUBE, 4, 1, 1, 1, [1, 2, 3, 4, 5, 6]), (4, 1, 1))
    return BODY(solfec, "FINITE_ELEMENT", mesh, bulk, "bar", form, None, base)


def test_a_reduced_body_moves_by_its_base(tmp_path):
    """A base of one stretch along the bar: pulled, it is as long as the exact bar; bent, it stays straight."""
    solfec = SOLFEC("QUASI_STATIC", 1.0, str(tmp_path / "out"))
    solfec.verbose = "OFF"
    full = bar(solfec, "BC")
    nodes = np.reshape(full.conf, (-1, 3))
    stretch = np.zeros_like(nodes)
    stretch[:, 0] = nodes[:, 0]
    rigid = np.ravel(RIGID_DISPLACEMENTS(full))
    DELETE(solfec, full)
    pulled, bent = (bar(solfec, "BC-RO", ([1.0] * 7, rigid.tolist() + stretch.ravel().tolist())) for _ in range(2))
    CONTACT_EXCLUDE_BODIES(pulled, bent)
    for x, sign in ((0, -1), (4, 1)):
        FORCE(pulled, "SPATIAL", (x, 0.5, 0.5), (sign, 0, 0), 1e4)
    for x, share in ((0, 0.5), (2, -1), (4, 0.5)):
        FORCE(bent, "SPATIAL", (x, 0.5, 0.5), (0, 0, 1), 1e4 * share)
    RUN(solfec, None, 10.0)
    assert DISPLACEMENT(pulled, (4, 0.5, 0.5))[0] - DISPLACEMENT(pulled, (0, 0.5, 0.5))[0] == pytest.approx(1e4 * 4 / 1e7, rel=1e-3)
    sag = [DISPLACEMENT(bent, (x, 0.5, 0.5))[2] for x in (0, 2, 4)]
    assert max(np.abs(sag)) < 1e-9


def test_a_base_of_modes_is_the_modal_form(tmp_path):
    """The same modes by number and by vectors, and twice the same vectors among them."""
    places = []
    for form in ("BC-MODAL", "BC-RO"):
        solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / form))
        solfec.verbose = "OFF"
        trial = bar(solfec, "BC")
        values, vectors = MODAL_ANALYSIS(trial, 10, None)
        DELETE(solfec, trial)
        size = len(vectors) // 10
        body = bar(solfec, form, 4) if form == "BC-MODAL" else bar(solfec, form, (values + [1.0], vectors + vectors[-size:]))
        FORCE(body, "SPATIAL", (4, 1, 1), (0, 0, 1), 1e3)
        RUN(solfec, None, 0.05)
        places.append(np.array(body.conf))
    assert places[1] == pytest.approx(places[0], abs=1e-9) and np.abs(places[0] - places[0].round()).max() > 1e-6
