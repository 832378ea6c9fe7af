"""Deformable bodies in the language: the manual's tutorial 4.1, what results keep of them, modes and matrices."""
import math
import os
import random

import numpy as np
import pytest

from scree.solfec import *

BEAM = [0, 0, 0, 4, 0, 0, 4, 1, 0, 0, 1, 0, 0, 0, 1, 4, 0, 1, 4, 1, 1, 0, 1, 1]

TUTORIAL = """
w, l, h = 8, 8, 1
floor = HULL ([-w/2, -l/2, -h, w/2, -l/2, -h, w/2, l/2, -h, -w/2, l/2, -h, -w/2, -l/2, 0, w/2, -l/2, 0, w/2, l/2, 0, -w/2, l/2, 0], 1, 1)

step = 1E-3
solfec = SOLFEC ('DYNAMIC', step, 'out/tutorial/three-basic-geometric-objects')
bulk = BULK_MATERIAL (solfec, model = 'KIRCHHOFF', young = 15E9, poisson = 0.3, density = 2E3)
BODY (solfec, 'OBSTACLE', floor, bulk)

a, b, c, brick_vid, brick_sid = 2, 2, 2, 2, 2
brick = CONVEX ([0, 0, 0, a/2, 0, 0, a/2, b/2, 0, 0, b/2, 0, 0, 0, c/2, a/2, 0, c/2, a/2, b/2, c/2, 0, b/2, c/2],
                [4, 0, 3, 2, 1, brick_sid, 4, 1, 2, 6, 5, brick_sid, 4, 2, 3, 7, 6, brick_sid,
                 4, 3, 0, 4, 7, brick_sid, 4, 0, 1, 5, 4, brick_sid, 4, 4, 5, 6, 7, brick_sid], brick_vid)
b1 = COPY (brick)
b2 = TRANSLATE (COPY (brick), (a, 0, 0))
b3 = TRANSLATE (COPY (brick), (0, b, 0))
b4 = TRANSLATE (COPY (brick), (a, b, 0))
shape = [b1, b2, b3, b4]
TRANSLATE (shape, (-a, -b, 0))
four = BODY (solfec, 'RIGID', shape, bulk, label = 'four')

a, b, c = 4, 4, 1
mesh = HEX ([-a/2, -b/2, 0, a/2, -b/2, 0, a/2, b/2, 0, -a/2, b/2, 0,
             -a/2, -b/2, c, a/2, -b/2, c, a/2, b/2, 1.5 * c, -a/2, b/2, 1.5 * c], 2, 4, 1, 3, [3] * 6, dy = [1, 2, 2, 1])
TRANSLATE (mesh, (-0.5, -0.5, 1))
soft = BODY (solfec, 'PSEUDO_RIGID', mesh, bulk, label = 'soft')

sphere = SPHERE ((0, 0, 5), 1, 1, 1)
ball = BODY (solfec, 'RIGID', sphere, bulk, label = 'ball')
INITIAL_VELOCITY (ball, (0, 0, -10), (0, 0, 0))
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.5, restitution = 0.0)
GRAVITY (solfec, (0, 0, -1), 10)
gs = GAUSS_SEIDEL_SOLVER (1E-3, 1000)
OUTPUT (solfec, 0.01)
RUN (solfec, gs, 1.0)
"""


def test_manual_tutorial_three_basic_geometric_objects(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {name: globals()[name] for name in __import__("scree.solfec", fromlist=["x"]).__all__}
    exec(TUTORIAL.replace("RUN (", "solfec.verbose = 'OFF'\nRUN ("), space)
    solfec, four, soft, ball = (space[n] for n in ("solfec", "four", "soft", "ball"))
    assert solfec.time == pytest.approx(1.0) and (four.kind, soft.kind, ball.kind) == ("RIGID", "PSEUDO_RIGID", "RIGID")
    # four bricks of a cubic metre; the plate is 16 m2 by 1.25 m on average; the ball 4/3 pi
    assert four.mass == pytest.approx(8000) and soft.mass == pytest.approx(2000 * 16 * 1.25) and ball.mass == pytest.approx(2000 * 4 / 3 * math.pi)
    # free fall at -10 m/s until the ball meets the plate's upper face, whose height is 2 + 0.5 (y + 2.5) / 4 at y, below its centre or nearly so
    times, z, speed = HISTORY(solfec, [(ball, (0, 0, 5), "CZ"), (ball, (0, 0, 5), "VZ")], 0, 1)
    free = [k for k, t in enumerate(times) if t < 0.14]
    assert [z[k] for k in free] == pytest.approx([5 - 10 * times[k] - 5 * times[k] ** 2 for k in free], abs=1e-9)
    first = next(t for t, v in zip(times, speed) if v > -9)
    assert 0.14 < first < 0.19  # it has 1.69 m to fall: 10 t + 5 t^2 gives 0.157 s
    # nothing went through anything: the plate stays above the bricks, the ball above the plate or beside it
    assert four.conf[11] == pytest.approx(0.5, abs=0.02) and soft.conf[11] > 1.3 and ball.conf[11] > 0.9
    # a stiff plate: the gradient is a rotation but for strains of the order of stress / Young = 1e-4
    F = np.reshape(soft.conf[:9], (3, 3)).T
    assert F.T @ F == pytest.approx(np.eye(3), abs=2e-3)
    # the ledger closes to what the schemes dissipate, and energy never comes from nowhere
    kinetic, internal, external, contact, friction = ENERGY(solfec)
    start = 0.5 * ball.mass * 100
    assert kinetic + internal - start - external - contact - friction < 0.01 * start and contact < -0.3 * start


@pytest.fixture
def beam(tmp_path):
    """A soft beam, one end fixed, pulled down by gravity, and a pseudo-rigid egg spinning beside it."""
    solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / "out"))
    solfec.verbose = "OFF"
    bulk = BULK_MATERIAL(solfec, young=1e7, poisson=0.25, density=1000)
    GRAVITY(solfec, (0, 0, -1), 10)
    body = BODY(solfec, "FINITE_ELEMENT", HEX(BEAM, 4, 1, 1, 1, [1, 2, 3, 4, 5, 6]), bulk, "beam")
    for y in (0, 1):
        for z in (0, 1):
            FIX_POINT(solfec, body, (0, y, z))
    egg = BODY(solfec, "PSEUDO_RIGID", ELLIP((0, 5, 0), (1, 0.5, 0.7), 1, 1), bulk, "egg")
    INITIAL_VELOCITY(egg, (0, 0, 5), (3, 0, 0))
    OUTPUT(solfec, 5e-3)
    RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-10, 1000), 0.05)
    return solfec, body, egg


POINTS = {"beam": (3.9, 0.4, 0.6), "egg": (0.3, 5.2, 0.1)}
ENTITIES = ("DZ", "VZ", "CX", "SX", "SXZ", "MISES")


def told(body, point):
    """Everything the language says of a point of a body."""
    return np.concatenate([DISPLACEMENT(body, point), VELOCITY(body, point), STRESS(body, point), body.conf, body.velo, ENERGY(body)])


@pytest.mark.parametrize("way", ["script", "folder"])
def test_results_keep_the_states_of_deformable_bodies(beam, way, tmp_path):
    solfec, body, egg = beam
    live = {b.label: told(b, POINTS[b.label]) for b in (body, egg)}
    # Euler's tensor of a block of 4 x 1 x 1 m
    assert np.reshape(body.tensor, (3, 3)) == pytest.approx(np.diag([body.mass * 16 / 12, body.mass / 12, body.mass / 12]), abs=1e-6)
    assert all(abs(x).max() > 0 for x in live.values()) and STRESS(body, POINTS["beam"])[6] > 0
    curves = {b.label: HISTORY(solfec, [(b, POINTS[b.label], e) for e in ENTITIES], 0, 1) for b in (body, egg)}
    again = {b.label: told(b, POINTS[b.label]) for b in (body, egg)}
    assert all((live[n] == again[n]).all() for n in live)  # asking for histories changes nothing
    read = SOLFEC("DYNAMIC", 1e-3, solfec.outpath)
    if way == "script":
        material = BULK_MATERIAL(read, young=1e7, poisson=0.25, density=1000)
        BODY(read, "FINITE_ELEMENT", HEX(BEAM, 4, 1, 1, 1, [1, 2, 3, 4, 5, 6]), material, "beam")
        BODY(read, "PSEUDO_RIGID", ELLIP((0, 5, 0), (1, 0.5, 0.7), 1, 1), material, "egg")
    assert read.mode == "READ"
    SEEK(read, 1.0)
    for name, values in live.items():
        stored = BYLABEL(read, "BODY", name)
        assert told(stored, POINTS[name]) == pytest.approx(values, rel=1e-12, abs=1e-9)
        times, *columns = HISTORY(read, [(stored, POINTS[name], e) for e in ENTITIES], 0, 1)
        assert len(times) == 11 and np.array(columns) == pytest.approx(np.array(curves[name][1:]), rel=1e-12, abs=1e-9)
        assert columns[0][-1] == pytest.approx(values[2]) and columns[1][-1] == pytest.approx(values[5]) and columns[5][-1] == pytest.approx(values[12])
    SEEK(read, 0.0)
    assert DISPLACEMENT(BYLABEL(read, "BODY", "beam"), POINTS["beam"]) == pytest.approx((0, 0, 0), abs=1e-12)


def test_states_of_deformable_bodies_go_over(beam, tmp_path):
    solfec, body, egg = beam
    other = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / "other"))
    material = BULK_MATERIAL(other, young=1e7, poisson=0.25, density=1000)
    copy = BODY(other, "FINITE_ELEMENT", HEX(BEAM, 4, 1, 1, 1, [1] * 6), material, "beam")
    twin = BODY(other, "PSEUDO_RIGID", ELLIP((0, 5, 0), (1, 0.5, 0.7), 1, 1), material, "egg")
    INITIALIZE_STATE(other, solfec.outpath, 0.05)
    assert copy.conf == body.conf and copy.velo == body.velo and twin.conf == egg.conf and twin.velo == egg.velo
    # the egg's mean motion alone, undeformed
    RIGID_TO_FEM(solfec.outpath, 0.05, other, twin)
    F = np.reshape(twin.conf[:9], (3, 3))
    assert F @ F.T == pytest.approx(np.eye(3), abs=1e-9) and twin.conf[9:] == pytest.approx(egg.conf[9:])


def test_modes_of_a_free_bar(tmp_path, beam):
    solfec, body, _ = beam
    path = str(tmp_path / "modes.npz")
    vals, vecs = MODAL_ANALYSIS(body, 8, path)
    vecs = np.reshape(vecs, (8, -1))
    assert len(vals) == 8 and (np.diff(vals) >= 0).all() and vals[:6] == [0.0] * 6 and vals[6] > 0 and vecs.shape == (8, len(body.conf))
    assert MODAL_ANALYSIS(body, 8, path)[0] == vals
    sound, chance = (tmp_path / "modes.npz").read_bytes(), random.Random(1)
    for _ in range(100):
        harmed = bytearray(sound)[:chance.choice([len(sound), chance.randrange(len(sound))])]
        for _ in range(chance.randrange(3)):
            harmed[chance.randrange(len(harmed))] ^= 1 << chance.randrange(8)
        (tmp_path / "modes.npz").write_bytes(harmed)
        try:
            assert len(MODAL_ANALYSIS(body, 8, path)[0]) == 8
        except OSError as error:
            assert "modes.npz: it holds no modes that MODAL_ANALYSIS stored" in str(error)
    assert os.listdir(tmp_path).count("modes.npz") == 1 and not list(tmp_path.glob("*.part*"))
    pathM, pathK = str(tmp_path / "M.mtx"), str(tmp_path / "K.mtx")
    BODY_MM_EXPORT(body, pathM, pathK)
    M, K = read_matrix(pathM), read_matrix(pathK)
    # total mass in each direction, no force in a translation, and the modes are those of these matrices
    one = np.tile([1.0, 0, 0], len(M) // 3)
    assert one @ M @ one == pytest.approx(body.mass) and np.abs(K @ one).max() < 1e-6 * np.abs(K).max()
    assert vecs @ M @ vecs.T == pytest.approx(np.eye(8), abs=1e-7)
    assert np.diag(vecs @ K @ vecs.T) == pytest.approx(vals, rel=1e-6, abs=1e-9 * vals[7])
    BODY_MM_EXPORT(body, pathM, pathK, "OFF", "OFF")
    assert read_matrix(pathK) == pytest.approx(K)
    with pytest.raises(ValueError, match="MODAL_ANALYSIS.*body"):
        MODAL_ANALYSIS()


@pytest.mark.parametrize("form, base", [("BC", None), ("BC-MODAL", 6), ("BC-MODAL", "modes")])
def test_formulations_bend_alike(tmp_path, form, base):
    """A beam that sags by a ten-thousandth of its length: small strain is all there is."""
    sags = {}
    for name in ("TL", form):
        solfec = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / name))
        solfec.verbose = "OFF"
        bulk = BULK_MATERIAL(solfec, young=1e8, poisson=0.25, density=1000)
        given = base
        if base == "modes":
            given = MODAL_ANALYSIS(BODY(solfec, "FINITE_ELEMENT", TRANSLATE(HEX(BEAM, 4, 1, 1, 1, [1] * 6), (0, 9, 0)), bulk), 30)
        body = BODY(solfec, "FINITE_ELEMENT", HEX(BEAM, 4, 1, 1, 1, [1] * 6), bulk, "beam", "FEM_O1", None, name, given if name == "BC-MODAL" else None)
        FORCE(body, "SPATIAL", (4, 0.5, 0.5), (0, 0, -1), 1e3)
        FORCE(body, "SPATIAL", (0, 0.5, 0.5), (0, 0, -1), 1e3)
        FORCE(body, "SPATIAL", (2, 0.5, 0.5), (0, 0, 1), 2e3)
        RUN(solfec, GAUSS_SEIDEL_SOLVER(1e-10, 1000), 0.02)
        sags[name] = DISPLACEMENT(body, (4, 0.5, 0.5))[2] - DISPLACEMENT(body, (2, 0.5, 0.5))[2]
    assert sags["TL"] < -1e-6 and sags[form] == pytest.approx(sags["TL"], rel=0.01 if form == "BC" else 0.25)


def read_matrix(path):
    with open(path) as file:
        lines = [line for line in file if not line.startswith("%") or line.startswith("%%")]
    symmetric, (size, _, count) = "symmetric" in lines[0], map(int, lines[1].split())
    matrix = np.zeros((size, size))
    assert len(lines) == 2 + count
    for line in lines[2:]:
        i, j, value = line.split()
        matrix[int(i) - 1, int(j) - 1] = float(value)
        if symmetric:
            matrix[int(j) - 1, int(i) - 1] = float(value)
    return matrix
