"""Routines that later scripts use beyond the manual: each with a number that physics or geometry knows."""
import math
import shutil

import numpy as np
import pytest

import scree
from scree.solfec import *
from solids import CUBE


@pytest.fixture
def bulk(solfec):
    return BULK_MATERIAL(solfec, density=1000)


def bar(length=10, cells=20):
    return HEX([0, 0, 0, length, 0, 0, length, 1, 0, 0, 1, 0, 0, 0, 1, length, 0, 1, length, 1, 1, 0, 1, 1], cells, 1, 2, 1, [1, 2, 3, 4, 5, 6])


def volume(shape):
    return shape._shape.volume


# --- springs and limits -----------------------------------------------------------------------------------------

def test_a_spring_swings_with_its_own_period(solfec, bulk):
    body = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.1, 1, 1), bulk)
    stiffness = body.mass * (2 * math.pi) ** 2  # period 1 s
    PUT_SPRING(body, (0, 0, 0), None, (0, 0, 1), lambda stroke, velocity: -stiffness * stroke, None)
    INITIAL_VELOCITY(body, (0, 0, 1), (0, 0, 0))
    RUN(solfec, None, 1.0)
    # leap-frog with omega h = 6.3e-3: the phase errs by (omega h)^2 / 24 of the angle, amplitude stays
    assert body.conf[11] == pytest.approx(0, abs=1e-4) and body.velo[5] == pytest.approx(1, abs=1e-5)


def test_a_spring_between_two_bodies_keeps_momentum_and_a_dashpot_takes_energy(solfec, bulk):
    one, two = (BODY(solfec, "RIGID", SPHERE((2 * k, 0, 0), 0.2, 1, 1), bulk) for k in range(2))
    seen = []

    def law(stroke, velocity):
        seen.append((stroke, velocity))
        return -500 * stroke - 20 * velocity

    spring = PUT_SPRING(one, (0, 0, 0.1), two, (2, 0, 0.1), law, None)
    INITIAL_VELOCITY(two, (1, 0, 0), (0, 0, 0))
    start = 0.5 * two.mass
    RUN(solfec, None, 0.5)
    assert one.velo[3] + two.velo[3] == pytest.approx(1, abs=1e-12)
    assert ENERGY(solfec)[0] < start and spring.axis == pytest.approx((1, 0, 0), abs=0.05)
    # angular momentum about the origin: the couple of the two forces along one line is nothing
    momentum = sum(np.cross(b.conf[9:], np.multiply(b.mass, b.velo[3:])) + np.reshape(b.conf[:9], (3, 3)).T @ (np.reshape(b.tensor, (3, 3)) @ b.velo[:3])
                   for b in (one, two))
    assert momentum == pytest.approx(np.zeros(3), abs=1e-3 * start)
    assert seen[0] == pytest.approx((0.5e-3, 1.0))  # the middle of the first step


def test_limits_stop_the_stroke(solfec, bulk):
    GRAVITY(solfec, (0, 0, -1), 10)
    rope, guided = (BODY(solfec, "RIGID", SPHERE((3 * k, 0, 0), 0.1, 1, 1), bulk) for k in range(2))
    PUT_SPRING(rope, (0, 0, 0), None, (0, 0, 1), lambda stroke, velocity: 0.0, (-math.inf, 0.25))
    PUT_SPRING(guided, (3, 0, 0), None, (3, 0, 1), lambda stroke, velocity: 0.0, (0, 0.5), (0, 0, 1), "FIXED")
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-12, 1000), 0.6)
    # both have fallen as far as they may and hang there
    assert rope.conf[11] == pytest.approx(-0.25, abs=1e-6) and guided.conf[11] == pytest.approx(-0.5, abs=1e-6)
    pulls = [c.R[2] for c in solfec.constraints if c.kind == "LIMIT"]
    assert sorted(pulls) == pytest.approx([0, rope.mass * 10, guided.mass * 10], rel=1e-6, abs=1e-9)
    with pytest.raises(ValueError, match="PUT_SPRING.*limits"):
        PUT_SPRING(rope, (0, 0, 0), None, (0, 0, 1), lambda s, v: 0.0, (0.1, 0.2))


def test_a_rope_of_the_modern_interface():
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, -10))
    one, two = sim.rigid(scree.sphere((0, 0, 0), 0.1)), sim.rigid(scree.sphere((1, 0, 0), 0.1))
    sim.fix_point(one, (0, 0, 0))
    rope = sim.distance_limit(one, two, (0, 0, 0), (1, 0, 0), "at_most", 1.0)
    sim.run(1.2)
    # a pendulum: length kept to the drift correction, energy to first order of the step
    assert np.linalg.norm(two.position) == pytest.approx(1, abs=1e-4)
    assert 0.5 * two.velocity @ two.velocity + 10 * two.position[2] == pytest.approx(0, abs=0.05)
    assert rope.kind == "at_most" and rope.length == 1.0 and np.linalg.norm(rope.force) > 0
    with pytest.raises(ValueError, match="kind"):
        sim.distance_limit(one, two, (0, 0, 0), (1, 0, 0), "exactly", 1.0)


def test_three_axes_at_once(solfec, bulk):
    GRAVITY(solfec, (0, 0, -1), 10)
    body = BODY(solfec, "RIGID", SPHERE((0, 0, 0), 0.5, 1, 1), bulk)
    made = SET_VELOCITY3(body, (0, 0, 0), (0, 0, 1, 1, 0, 0, 0, 1, 0), (0.1, 0.2, 0.3))
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-12, 1000), 0.01)
    # axes: T1 = y, T2 = z, N = x
    assert body.velo[3:] == pytest.approx((0.3, 0.1, 0.2)) and [c.kind for c in made] == ["VELODIR"] * 3


# --- shapes -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("error", [0.5, 0.1, 0.03])
def test_ellipsoid_meshes_keep_the_asked_volume(error):
    mesh = ELLIP_MESH((1, 2, 3), (1, 2, 3), error, 4, 5)
    exact = 4 / 3 * math.pi * 6
    assert 0 < exact - volume(mesh) <= error * exact
    assert MASS_CENTER(mesh) == pytest.approx((1, 2, 3)) and {s for p in mesh._shape.pieces for s, n in zip(p["surface_ids"], p["neighbours"]) if n < 0} == {5}


def test_bending_turns_the_end():
    mesh = bar()
    assert BEND(mesh, (2, 0, 6), (0, -1, 0), 45) is mesh
    # the inner radius 5 keeps its length 5 pi / 4; the middle of the wrapped part is longer by 5.5 / 5. Chords of 0.5 / 5 lose a share of their square / 6
    assert volume(mesh) == pytest.approx(10 + 0.5 * math.pi / 4, rel=2e-3)
    nodes = np.array([mesh.node(n) for n in range(mesh.nnod)])
    end = nodes[np.argsort(nodes @ (1, 0, 1))[-6:]]
    # the far end face now looks along (1, 0, 1)
    spread = np.ptp(end @ (np.array([1, 0, 1]) / math.sqrt(2)))
    assert spread == pytest.approx(0, abs=1e-9) and np.ptp(end @ (np.array([1, 0, -1]) / math.sqrt(2))) == pytest.approx(1)
    with pytest.raises(ValueError, match="BEND.*beside"):
        BEND(bar(), (5, 0, 0.5), (0, 1, 0), 45)


def test_meshes_are_cut_along_faces():
    mesh = bar(4, 4)
    cut = [n for n in range(mesh.nnod) if mesh.node(n)[0] in (1.0, 3.0)]
    parts = MESH_SPLIT(mesh, cut, None, 7, 8)
    assert sorted(volume(p) for p in parts) == pytest.approx([1, 1, 2]) and mesh.nnod == 30  # the mesh itself stays
    faces = [s for p in parts for s in p._shape.meshes[0]["surface_ids"] if s in (7, 8)]
    assert sorted(faces) == [7] * 8  # two cuts of two faces each; a set of nodes has no sides
    named = MESH_SPLIT(mesh, None, mesh.inter_element_faces_on_plane((1, 0, 0), (1, 0, 0)), 7, 8)
    assert sorted(s for p in named for s in p._shape.meshes[0]["surface_ids"] if s in (7, 8)) == [7, 7, 8, 8]
    assert MESH_SPLIT(mesh, [0, 1], None, 7) is None  # nothing to cut
    one = bar(2, 2)
    face = [n for n in range(one.nnod) if one.node(n)[0] == 1.0 and one.node(n)[2] <= 0.5]
    order = [face[0], face[1], face[3], face[2]]
    assert len(MESH_SPLIT(one, None, [order], 7, 8)) == 1  # a slit does not part it
    with pytest.raises(ValueError, match="MESH_SPLIT.*no such face"):
        MESH_SPLIT(bar(2, 2), None, [[0, 1, 2, 3]])


def test_elements_become_convex_objects():
    mesh = bar(4, 4)
    collection = MESH2CONVEX(mesh)
    assert collection.nver == 8 * 8 and volume(collection) == pytest.approx(4)
    assert not collection._shape.meshes
    below, above = SPLIT(collection, (1.5, 0, 0), (1, 0, 0))
    assert volume(below) == pytest.approx(1.5) and volume(above) == pytest.approx(2.5)


def test_tetrahedra_fill_a_shape(tmp_path):
    path = str(tmp_path / "mesh.txt")
    if shutil.which("tetgen") is None:
        with pytest.raises(ValueError, match="TETRAHEDRALIZE.*apt-get install tetgen"):
            TETRAHEDRALIZE(HULL(CUBE, 3, 4), path)
        return
    mesh = TETRAHEDRALIZE(HULL(CUBE, 3, 4), path, 0.02, 1.6, None, None)
    data = mesh._shape.meshes[0]
    assert volume(mesh) == pytest.approx(1) and {len(e) for e in data["elements"]} == {4}
    assert set(data["volume_ids"]) == {3} and data["surface_id"] == 4
    assert volume(TETRAHEDRALIZE(bar(4, 4), str(tmp_path / "bar.txt"), 0.1)) == pytest.approx(4)
    assert TETRAHEDRALIZE(HULL(CUBE, 3, 4), path).nnod == mesh.nnod  # read, not made again
    (tmp_path / "bad.txt").write_text("scree-tetrahedra 4 1 0\n0 0 0\n")
    with pytest.raises(ValueError, match="TETRAHEDRALIZE.*remove it"):
        TETRAHEDRALIZE(HULL(CUBE, 3, 4), str(tmp_path / "bad.txt"))


# --- states -----------------------------------------------------------------------------------------------------

def test_states_go_from_one_model_to_another(tmp_path, solfec, bulk):
    GRAVITY(solfec, (0, 0, -1), 10)
    ball = BODY(solfec, "RIGID", SPHERE((0, 0, 5), 0.5, 1, 1), bulk, "ball")
    INITIAL_VELOCITY(ball, (1, 0, 0), (0, 0, 2))
    OUTPUT(solfec, 0.01)
    RUN(solfec, None, 0.1)
    other = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / "other"))
    material = BULK_MATERIAL(other)
    BODY(other, "RIGID", SPHERE((9, 0, 5), 0.5, 1, 1), material, "bystander")
    copy = BODY(other, "RIGID", SPHERE((0, 0, 5), 0.5, 1, 1), material, "ball")
    with pytest.raises(ValueError, match="INITIALIZE_STATE.*no body 'bystander'"):
        INITIALIZE_STATE(other, solfec.outpath, 0.1)
    assert copy.velo == (0,) * 6
    INITIALIZE_STATE(other, solfec.outpath, 0.1, "ball")
    # the engine squares rotations up to rounding
    assert copy.conf == pytest.approx(ball.conf, rel=1e-14, abs=1e-14) and copy.velo == pytest.approx(ball.velo, rel=1e-12)
    RIGID_TO_FEM(solfec.outpath, 0.05, other, copy)
    assert copy.velo[3:] == pytest.approx((1, 0, -0.5)) and copy.conf[9:] == pytest.approx((0.05, 0, 5 - 5 * 0.05**2))
    with pytest.raises(ValueError, match="did you mean 'ball'"):
        INITIALIZE_STATE(other, solfec.outpath, 0.1, "bell")


def sliding(solfec, bulk):
    """A cube sliding on a floor, friction 0.3, and its floor."""
    SURFACE_MATERIAL(solfec, friction=0.3, label="dry")
    GRAVITY(solfec, (0, 0, -1), 10)
    floor = BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (20, 20, 1)), (-10, -10, -1)), bulk, "floor")
    block = BODY(solfec, "RIGID", HULL(CUBE, 1, 1), bulk, "block")
    INITIAL_VELOCITY(block, (2, 0, 0), (0, 0, 0))
    OUTPUT(solfec, 0.01)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-12, 1000), 0.1)
    return floor, block


def test_contact_members_and_histories(solfec, bulk):
    floor, block = sliding(solfec, bulk)
    weight, contacts = 10 * block.mass, solfec.constraints
    for contact in contacts:
        assert contact.merit < 1e-6
        base = np.reshape(contact.base, (3, 3))
        sign = 1 if contact.adjbod[1] is block else -1
        # friction takes 3 m/s^2, so a millisecond ago the block was 3 mm/s faster
        assert sign * (base @ contact.V)[0] == pytest.approx(1.703, abs=1e-6) and sign * (base @ contact.U)[0] == pytest.approx(1.7, abs=1e-6)
    times, drag, mean, load, slip, pair, other, gap, total = HISTORY(
        solfec, [(block, (1, 0, 0), None, "CR"), (block, (1, 0, 0), None, "R"), (block, (0, 0, 1), (1, 1), "CR"), (block, (1, 0, 0), None, "U"),
                 ((floor, block), (0, 0, 1), None, "CR"), (block, None, (5, 6), "CR"), (solfec, "GAP"), (block, "FRICTION")], 0.01, 0.1)
    assert np.abs(drag) == pytest.approx(np.full(10, 0.3 * weight), rel=1e-6) and np.abs(load) == pytest.approx(np.full(10, weight), rel=1e-6)
    assert mean == drag and np.abs(slip) == pytest.approx([2 - 3 * t for t in times], abs=1e-6)
    assert pair == load and other == [0.0] * 10 and np.abs(gap).max() < 1e-6
    # heat: friction force times path
    assert total == pytest.approx([-0.3 * weight * (2 * t - 1.5 * t * t) for t in times], rel=1e-3)


def test_histories_of_many_bodies_are_read_together(tmp_path, solfec, bulk, monkeypatch):
    GRAVITY(solfec, (0, 0, -1), 10)
    balls = [BODY(solfec, "RIGID", SPHERE((3 * k, 0, 0), 0.5, 1, 1), bulk) for k in range(30)]
    for k, ball in enumerate(balls):
        INITIAL_VELOCITY(ball, (0, 0, k), (0, 0, 1))
    OUTPUT(solfec, 0.01)
    RUN(solfec, None, 0.1)
    reads = []
    original = scree.Results.histories
    monkeypatch.setattr(scree.Results, "histories", lambda self, quantity, bodies, frames=None: reads.append(len(bodies)) or original(self, quantity, bodies, frames))
    times, *places = HISTORY(solfec, [(b, b.center, "CZ") for b in balls], 0, 1)
    assert reads == [30] and isinstance(times, list) and isinstance(places[0].array, np.ndarray)
    t = times.array
    for k, z in enumerate(places):
        assert np.asarray(z) == pytest.approx(k * t - 5 * t * t, abs=1e-9)


def test_results_read_from_a_folder_know_everything(tmp_path, solfec, bulk):
    floor, block = sliding(solfec, bulk)
    live = ENERGY(block), block.tensor, block.conf, sorted(c.R for c in solfec.constraints)
    again = SOLFEC("DYNAMIC", 1e-3, solfec.outpath)
    SEEK(again, 1.0)
    same = BYLABEL(again, "BODY", "block")
    assert again.mode == "READ" and (same.kind, same.mass, same.volume) == ("RIGID", block.mass, block.volume)
    assert (ENERGY(same), same.tensor, same.conf) == live[:3] and sorted(c.R for c in again.constraints) == live[3]
    assert ENERGY(again, [same]) == pytest.approx(ENERGY(solfec, [block]))
    assert HISTORY(again, (same, "FRICTION"), 0, 1)[1][-1] == ENERGY(block)[4]


def test_constraints_read_from_a_folder(tmp_path, solfec, bulk):
    GRAVITY(solfec, (0, 0, -1), 10)
    SURFACE_MATERIAL(solfec, friction=0.3, label="dry")
    BODY(solfec, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (30, 30, 1)), (-15, -15, -1)), bulk)
    resting, held, guided, driven, hung = (BODY(solfec, "RIGID", SPHERE((4 * k, 0, 1), 0.5 if k else 1.0, 1, 1), bulk) for k in range(5))
    made = [FIX_POINT(solfec, held, held.center), FIX_DIRECTION(solfec, guided, guided.center, (0, 0, 1)),
            SET_VELOCITY(solfec, driven, driven.center, (0, 0, 1), 0.5), PUT_RIGID_LINK(solfec, hung, None, hung.center, (16, 0, 3))]
    OUTPUT(solfec, 0.01)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-12, 1000), 0.05)
    live = {c.kind: (c.R, c.point, c.base) for c in made}
    again = SOLFEC("DYNAMIC", 1e-3, solfec.outpath)
    SEEK(again, 1.0)
    stored = {c.kind: c for c in again.constraints}
    assert set(stored) == {"FIXPNT", "FIXDIR", "VELODIR", "RIGLNK", "CONTACT"}
    for kind, (R, point, base) in live.items():
        assert stored[kind].R == pytest.approx(R) and stored[kind].base == pytest.approx(base)
        # forces are those of the last step's middle, places in a frame those of its end
        assert stored[kind].point == pytest.approx(point, abs=1e-3)
    assert stored["CONTACT"].matlab == "dry" and stored["CONTACT"].merit < 1e-6
    assert stored["FIXPNT"].adjbod.id == held.id and stored["RIGLNK"].adjbod[0].id == hung.id and stored["RIGLNK"].adjbod[1] is None


def test_exports_take_frames_and_bodies(tmp_path, solfec, bulk):
    sliding(solfec, bulk)
    XDMF_EXPORT(solfec, (0.02, 0.05), str(tmp_path / "some"), "block")
    text = (tmp_path / "some.xdmf").read_text()
    assert text.count('<Grid Name="surfaces" GridType="Uniform">') == 4
    LOCDYN_DUMP(solfec, str(tmp_path / "problem.hdf5"))
    assert scree.Problem(tmp_path / "problem.hdf5").contacts == solfec.ncon
    MBFCP_EXPORT(solfec, str(tmp_path / "state.txt"))
    lines = (tmp_path / "state.txt").read_text().splitlines()
    assert f"CONTACTS {solfec.ncon}" in lines and sum(line.startswith("CONTACT ") for line in lines) == solfec.ncon
    assert RENDER(solfec, BYLABEL(solfec, "BODY", "block")).endswith("render.png") and RENDER(solfec, None)
