"""Every example runs in its short mode and its physics is right."""
import math
import pathlib
import re

import numpy as np
import pytest

import scree

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def place(results, label, frame=-1):
    """Mass centre of a labelled body, m."""
    wanted = next(b["id"] for b in results.bodies if b["label"] == label)
    shown = results[frame]
    return shown.positions[np.flatnonzero(shown.ids == wanted)[0]]


def moving(results, frame=-1):
    """Mass centres of the rigid bodies of a frame."""
    rigid = [b["id"] for b in results.bodies if b["kind"] == "rigid"]
    shown = results[frame]
    return shown.positions[np.isin(shown.ids, rigid)]


def drift(results):
    """Largest displacement of a rigid body between the first and the last frame, m."""
    return float(np.abs(moving(results) - moving(results, 0)).max())


def first_number(text, before):
    return float(re.search(re.escape(before) + r"\s*([-+.\deE]+)", text).group(1))


def check_drum(results, out):
    grains = moving(results)
    assert len(grains) == 60
    # all inside the pipe and between the discs
    assert np.hypot(grains[:, 0], grains[:, 2]).max() < 1.0 and grains[:, 1].min() > 0 and grains[:, 1].max() < 0.5
    # free fall from rest until the first impact: work of gravity is kinetic energy
    early = np.flatnonzero((results.times > 0.03) & (results.times < 0.1))
    assert results.energies["kinetic"][early] == pytest.approx(results.energies["external"][early], rel=1e-6)


def check_boxes(results, out):
    pyramid = np.delete(moving(results) - moving(results, 0), -1, axis=0)
    assert np.abs(pyramid).max() < 1e-5
    assert place(results, "last")[2] == pytest.approx(0.9, abs=1e-4)


def check_dominoes(results, out):
    # standing, a centre is at 0.1 m; fallen against its neighbour, well below
    heights = [place(results, f"domino {i}")[2] for i in range(8)]
    assert max(heights[:5]) < 0.095 and heights[0] < 0.08


def check_arch(results, out):
    assert results.energies["kinetic"][-1] < 1e-8 and drift(results) < 1e-6


def check_cradle(results, out):
    first, last = place(results, "ball 0", 0), place(results, "ball 4")
    assert last[2] == pytest.approx(first[2], rel=0.02)
    for i in range(1, 4):
        assert place(results, f"ball {i}")[2] < 0.05 * first[2]


def check_card_house(results, out):
    assert drift(results) < 1e-7


def check_hopper(results, out):
    grains = moving(results)
    assert len(grains) == 32 and grains[:, 2].min() > 0.02
    assert 0 < (grains[:, 2] < 0.4).sum() < 32


def check_wall_impact(results, out):
    # the ball lost speed, the bricks gained it: momentum along y stays but for friction on the floor
    mass = {b["id"]: b["mass"] for b in results.bodies if b["kind"] == "rigid"}
    def momentum(frame):
        return sum(mass[i] * v[1] for i, v in zip(frame.ids, frame.velocities) if i in mass)
    assert first_number(out, "velocity of the ball:") < 5.0
    assert 0.8 * momentum(results[0]) < momentum(results[-1]) <= momentum(results[0]) * (1 + 1e-6)
    assert results.energies["kinetic"][-1] < results.energies["kinetic"][0] + results.energies["external"][-1]


def check_pendulum(results, out):
    # lowest point after a quarter of the period (a step of 1 ms late at most: 4.4 mm); m g l of energy exchanged
    x = place(results, "bob")
    assert x[2] == pytest.approx(-1, abs=1e-4) and abs(x[0]) < 5e-3
    assert abs(first_number(out, "energy")) < 1e-3 * math.pi**2
    # at the bottom the thread carries weight and centripetal force: 3 m g
    assert first_number(out, "pull of the thread") == pytest.approx(3 * math.pi**2, rel=1e-3)


def check_top(results, out):
    assert first_number(out, "H =") == pytest.approx(1269.97500521, abs=1e-4)


def check_incline(results, out):
    acceleration = 9.81 * (math.sin(math.radians(20)) - 0.2 * math.cos(math.radians(20)))
    assert place(results, "slides")[0] - place(results, "slides", 0)[0] == pytest.approx(0.5 * acceleration * 0.2**2, rel=1e-6)
    assert abs(place(results, "stays")[0] - place(results, "stays", 0)[0]) < 1e-9


def check_chain(results, out):
    beads = [np.zeros(3)] + [place(results, f"bead {i}") for i in range(8)]
    lengths = np.linalg.norm(np.diff(beads, axis=0), axis=1)
    assert lengths == pytest.approx(np.full(8, 0.1), rel=1e-3)
    assert beads[-1][2] < -0.2


def check_heavy_on_light(results, out):
    assert drift(results) < 1e-9


def check_splitting(results, out):
    pieces = [b for b in results.bodies if b["kind"] == "rigid"]
    assert len(pieces) >= 6 and sum(b["volume"] for b in pieces) == pytest.approx(0.6**3, rel=1e-12)
    assert moving(results)[:, 2].min() > 0


def check_rocking(results, out):
    total = results.energies["kinetic"] + results.energies["potential"]
    # rising and falling about an edge keeps energy to the scheme's order; the impact in between loses some
    assert total[-1] < total[0] - 0.1 * results.energies["kinetic"][0] and (np.diff(total) < 1e-3 * results.energies["kinetic"][0]).all()
    assert place(results, "block")[2] > 0.45


def check_pipe_ball(results, out):
    balls = moving(results)
    assert len(balls) == 3
    # the wall is a prism of 64 sides between radii 0.5 cos(pi/64) and 0.5
    assert np.hypot(balls[:, 0], balls[:, 2]).max() < 0.5 - 0.08 + 1e-4
    assert (balls[:, 1] > moving(results, 0)[:, 1]).all()


def check_conveyor(results, out):
    # m a = mu m g until the speeds agree: the lag is v^2 / (2 mu g), met to the half step in which slip ends
    assert first_number(out, "speed") == pytest.approx(1, abs=1e-9) and first_number(out, "lag") == pytest.approx(1 / (2 * 0.3 * 9.81), abs=5e-4)


def check_projectile(results, out):
    # published: 1.97599 s and 86.138 in
    assert first_number(out, "lands after") == pytest.approx(1.97599, abs=1.5e-3)
    assert first_number(out, "s at") == pytest.approx(first_number(out, "closed form"), abs=1e-4)


def check_seesaw(results, out):
    assert first_number(out, "balanced: tilt") < 1e-9
    # torque (8 - 2) 10 N m on plank (with its own inertia) and weights: below the speed of a free fall of the heavier one, 10 t / 1 m
    speed = abs(first_number(out, "speed"))
    plank = 500 * 2.4 * 0.3 * 0.04
    inertia = plank * (2.4**2 + 0.04**2) / 12 + (8 * (1 + 0.12**2) + 4 * (0.25 + 0.12**2)) + 12 * 0.04 / 6
    assert speed == pytest.approx(60 / inertia * 0.2, rel=0.08)  # the torque falls by a few per cent as it tilts


def check_bowling(results, out):
    assert first_number(out, "before the pins") == pytest.approx(first_number(out, "expected"), abs=1e-3)
    assert first_number(out, "pins down:") >= 1


def check_billiards(results, out):
    assert first_number(out, "momentum") == pytest.approx(first_number(out, "of"), rel=1e-9)
    assert results.energies["kinetic"] == pytest.approx(np.full(len(results), results.energies["kinetic"][0]), rel=1e-6)
    assert first_number(out, "moving:") > 10


def check_jenga(results, out):
    assert first_number(out, "drawn by") == pytest.approx(0.04, abs=1e-4) and first_number(out, "moved by") < 3e-3
    standing = [b["label"] for b in results.bodies if b["kind"] == "rigid" and b["label"] != "block 1 0"]
    assert all(abs(place(results, label)[2] - place(results, label, 0)[2]) < 1e-4 for label in standing)


def check_silo(results, out):
    floor, wall = first_number(out, "floor"), first_number(out, "wall")
    # How much the wall bears depends on how the grains came to rest (over seeds: -0.13 to 0.24 of so short a column); friction bounds it.
    contacts = results[-1].contacts
    pressed = sum(np.linalg.norm(f[:2]) for f, pair in zip(contacts["force"], contacts["bodies"]) if 1 in pair)
    weight = np.linalg.norm(contacts["force"][[0 in pair for pair in contacts["bodies"]]].sum(axis=0)) / floor
    assert floor + wall == pytest.approx(1, abs=0.02) and abs(wall) * weight < 0.5 * pressed


def check_links(results, out):
    assert first_number(out, "the hook carries") == pytest.approx(1, abs=0.15)
    heights = [place(results, f"link {i}")[2] for i in range(5)]
    assert (np.diff(heights) < -0.1).all() and (np.diff(heights) > -0.2).all()


def check_torrent(results, out):
    rocks = moving(results)
    bed = np.array([math.sin(math.radians(35)), 0, math.cos(math.radians(35))])
    assert len(rocks) == first_number(out, "in,") and (rocks @ bed > 0).all() and np.abs(rocks[:, 1]).max() < 0.6
    last = results.energies
    assert 0 < last["kinetic"][-1] and last["friction"][-1] < 0 and last["contact"][-1] < 0


def check_tubes(results, out):
    # prisms of 24 sides: their faces lie R (1 - cos (pi / 24)) = 0.9 % of R nearer than a circle, at five contacts from floor to top, and as
    # much again sideways, where the posts leave room for round tubes
    top, start = first_number(out, "top tube at"), first_number(out, "m,")
    assert 0 < start - top < 2 * 5 * 0.2 * (1 - math.cos(math.pi / 24)) and first_number(out, "speed") < 1e-3


def check_springs(results, out):
    assert abs(first_number(out, "back at")) < 1e-4
    assert first_number(out, "hangs at") == pytest.approx(-first_number(out, "m g / k ="), rel=1e-3)
    assert first_number(out, "never left") == pytest.approx(0.03, abs=1e-5)


def check_elbow(results, out):
    # a turn in n facets keeps cos(90 deg / n) of the speed at each; no more than friction-free sliding can
    assert 2.5 < first_number(out, "velocity out:") <= 3.0


def check_shaken_column(results, out):
    assert first_number(out, "ground") == pytest.approx(first_number(out, "expected"), abs=1e-4)
    assert abs(first_number(out, "against the ground:")) < 0.05


def check_cubes(results, out):
    cubes = moving(results)
    assert len(cubes) == 8
    wall = place(results, "wall")  # the first wall, at low x: nobody went through it
    assert (cubes[:, 0] > wall[0] + 0.05 + 0.05 - 1e-4).all() and np.ptp(cubes[:, 0]) < 0.12


def check_elastic_impact(results, out):
    kinds = [b["kind"] for b in results.bodies]
    assert kinds.count("finite_element") == 1 and kinds.count("pseudo_rigid") == 2
    assert results.energies["internal"][-1] > 0
    assert 0.0 < first_number(out, "sags by") < 100.0


def check_brick_wall(results, out):
    # the ball (4.2 kg/litre of steel) gives momentum to the wall and stores energy in it
    assert 0.0 < first_number(out, "velocity of the ball:") < 8.0
    assert results.energies["internal"].max() > 1e-3 * results.energies["kinetic"][0]


def check_cantilever(results, out):
    assert first_number(out, "tip:") == pytest.approx(first_number(out, "theory:"), rel=0.02)


def check_tweezers(results, out):
    # The base turns a little under the prongs, so that they close at a force a few per cent below that of beams clamped in rock.
    assert first_number(out, "slit:") == pytest.approx(0, abs=4e-3)
    assert 1.0 < first_number(out, "tips:") / first_number(out, "theory:") < 1.05


CHECKS = {name[6:]: check for name, check in list(globals().items()) if name.startswith("check_")}


def test_every_example_is_checked_and_short():
    scripts = {path.stem: path for path in EXAMPLES.glob("*.py")}
    assert set(scripts) == set(CHECKS)
    for path in scripts.values():
        assert len(path.read_text().splitlines()) < 60, path


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_example(command, tmp_path, name):
    done = command("run", EXAMPLES / f"{name}.py", "--out", tmp_path / name, "--quiet", env={"SCREE_SHORT": "1"})
    assert done.status == 0, done.err
    results = scree.read(tmp_path / name)
    # Every step meets what the default asks for; examples that ask for more may miss that.
    assert np.isin(results.steps["status"], [0, 1]).all() and results.steps["residual"].max() <= 1e-3
    CHECKS[name](results, done.out)
