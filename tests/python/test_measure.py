"""scree.measure against closed forms."""
import base64
import math
import re

import numpy as np
import pytest

import scree
from scree import measure
from scree.measure.grid import _FACES, add_balls, add_surfaces, ball_volume, spread_segments

CORNERS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
# Sums of a few hundred terms of order one in closed form.
ROUNDING = 1e-13


def block(low, high):
    """Corners (1, 8, 3) of a box."""
    return (np.array(low) + CORNERS * (np.array(high) - np.array(low)))[None]


def turned(rng):
    """A random rotation."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


def triangles(corners):
    """Surface of a box with corners (8, 3)."""
    return np.array([corners[list(t)] for f in _FACES for t in ((f[0], f[1], f[2]), (f[0], f[2], f[3]))])


# --- exact volumes -----------------------------------------------------------------------------------------------

def test_a_ball_cut_by_planes_has_its_known_volumes():
    far = 3.0
    for h in (-1.5, -0.7, 0.0, 0.3, 0.9, 1.0, 1.4):
        cap = math.pi * (1 - h) ** 2 * (2 + h) / 3 if abs(h) < 1 else (4 * math.pi / 3 if h <= -1 else 0.0)
        assert ball_volume(block((h, -far, -far), (far, far, far)))[0] == pytest.approx(cap, abs=ROUNDING)
    assert ball_volume(block((0, 0, 0), (far, far, far)))[0] == pytest.approx(math.pi / 6, abs=ROUNDING)
    assert ball_volume(block((-0.2, 0.1, 0.3), (0.1, 0.2, 0.4)))[0] == pytest.approx(0.3 * 0.1 * 0.1, abs=ROUNDING)
    # A square rod through the middle: the part of a long prism |x|, |y| <= a within the ball, integrated over x in closed form for a = 1/2.
    x = np.polynomial.legendre.leggauss(60)
    a, nodes, weights = 0.5, *x
    u = a * nodes
    half = math.sqrt(0.5)
    assert half < 1
    inner = a * np.sqrt(1 - u**2 - a**2) + (1 - u**2) * np.arcsin(a / np.sqrt(1 - u**2))
    assert ball_volume(block((-a, -a, -far), (a, a, far)))[0] == pytest.approx(2 * a * (weights @ inner), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_volumes_in_cells_add_up_whatever_the_grid_and_its_bodies(seed):
    rng = np.random.default_rng(seed)
    grid = measure.Grid((-1, -1.1, -0.9), (1.2, 1, 1.1), rng.integers(1, 7, 3))
    n = 12
    maps = np.array([turned(rng) @ np.diag(rng.uniform(0.02, 0.3, 3)) * rng.choice((-1, 1)) for _ in range(n)])
    centers, weights = rng.uniform(-0.5, 0.5, (n, 3)), rng.uniform(0, 2, (n, 1))
    total = np.zeros((*grid.cells, 1))
    add_balls(grid, total, centers, maps, weights)
    assert total.sum() == pytest.approx(4 * math.pi / 3 * (np.abs(np.linalg.det(maps)) @ weights[:, 0]), rel=1e-12) and total.min() >= 0
    total[:] = 0
    edges = rng.uniform(0.1, 0.5, (n, 3))
    surface = np.concatenate([triangles((CORNERS - 0.5) * e @ turned(rng).T + c) for e, c in zip(edges, centers)])
    add_surfaces(grid, total, surface, np.repeat(weights, 12, axis=0))
    assert total.sum() == pytest.approx(edges.prod(axis=1) @ weights[:, 0], rel=1e-12) and total.min() > -ROUNDING


@pytest.mark.parametrize("seed", range(3))
def test_turned_and_stretched_bodies_in_a_grid_are_what_finer_grids_say(seed):
    """A cell holds what its eight octants hold: the same ball or box, cut at other places."""
    rng = np.random.default_rng(100 + seed)
    coarse, fine = (measure.Grid((-1, -1, -1), (1, 1, 1), (n, n, n)) for n in (3, 6))
    map_, center = (turned(rng) @ np.diag(rng.uniform(0.3, 0.9, 3)))[None], rng.uniform(-0.3, 0.3, (1, 3))
    surface = triangles((CORNERS - 0.5) * rng.uniform(0.3, 1.5, 3) @ turned(rng).T + center)
    for fill in (lambda g, t: add_balls(g, t, center, map_, np.ones((1, 1))), lambda g, t: add_surfaces(g, t, surface, np.ones((12, 1)))):
        held = [np.zeros((*g.cells, 1)) for g in (coarse, fine)]
        fill(coarse, held[0])
        fill(fine, held[1])
        assert held[0][..., 0] == pytest.approx(held[1][..., 0].reshape(3, 2, 3, 2, 3, 2).sum(axis=(1, 3, 5)), abs=1e-12)


def test_boxes_overlap_exactly():
    grid = measure.Grid((0, 0, 0), (1, 1, 1), (2, 2, 2))
    total = np.zeros((2, 2, 2, 1))
    add_surfaces(grid, total, triangles(block((-0.5, 0.25, 0.1), (0.75, 2, 0.6))[0]), np.ones((12, 1)))
    expected = np.einsum("i,j,k->ijk", [0.5, 0.25], [0.25, 0.5], [0.4, 0.1])
    assert total[..., 0] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_segments_are_shared_by_length(seed):
    rng = np.random.default_rng(seed)
    grid = measure.Grid((0, 0, 0), (1, 2, 3), (4, 3, 5))
    begin, end = (rng.uniform(0, 1, (40, 3)) * (1, 2, 3) for _ in range(2))
    end[:5] = begin[:5] + (0, 0, 0.1)
    values = rng.normal(size=(40, 2))
    shared = spread_segments(grid, begin, end, values)
    assert shared.sum(axis=(0, 1, 2)) == pytest.approx(values.sum(axis=0), abs=1e-12)
    sampled = np.zeros((*grid.cells, 2))
    for t in (np.arange(4000) + 0.5) / 4000:
        grid.add(sampled, grid.index(begin + t * (end - begin)), values / 4000)
    # A cell is entered and left within half a sample each.
    assert np.abs(shared - sampled).max() < 40 * np.abs(values).max() / 4000


# --- packings ----------------------------------------------------------------------------------------------------

def lattice(points, radius, density=1000.0):
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, 0))
    for p in points:
        sim.rigid(scree.sphere(p, radius), density=density)
    return sim


def test_porosity_of_lattices():
    # Simple cubic: 1 - pi/6 in every cell and in the whole.
    points = np.stack(np.meshgrid(*[np.arange(3) + 0.5] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    sim = lattice(points, 0.5)
    assert measure.porosity(sim) == pytest.approx(1 - math.pi / 6, abs=ROUNDING)
    cells = measure.porosity(sim, measure.Grid((0, 0, 0), (3, 3, 3), (6, 2, 3)))
    assert cells.shape == (6, 2, 3) and cells[:, 0] == pytest.approx(np.full((6, 3), 1 - math.pi / 6), abs=ROUNDING)
    # Face-centred cubic: spheres cut by the faces of a box; 1 - pi / (3 sqrt 2).
    base = np.array([(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)])
    shift = np.stack(np.meshgrid(*[np.arange(-1, 3)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    sim = lattice((base + shift).reshape(-1, 3), math.sqrt(2) / 4)
    boxes = [((0, 0, 0), (1, 1, 1)), ((0.13, 0.2, 0.31), (1.13, 1.2, 1.31))]
    assert measure.porosity(sim, boxes) == pytest.approx(np.full(2, 1 - math.pi / (3 * math.sqrt(2))), abs=1e-12)


def test_a_pile_of_cubes_carries_its_weight(tmp_path):
    """Mean stress of the k-th cube from the top is -rho g L (k + 1/2); without friction nothing acts across."""
    L, rho, g, n = 0.2, 2000.0, 10.0, 4
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, -g), out=tmp_path)
    sim.solver(tolerance=1e-12)
    sim.surface_material(friction=0.0)
    sim.obstacle(scree.box(low=(-1, -1, -1), high=(1, 1, 0)))
    for k in range(n):
        sim.rigid(scree.box(low=(0, 0, k * L), high=(L, L, (k + 1) * L)), density=rho, label=f"cube {k}")
    sim.run(0.02, output=0.01, quiet=True)
    expected = -rho * g * L * (np.arange(n)[::-1] + 0.5)
    grid = measure.Grid((0, 0, 0), (L, L, n * L), (1, 1, n))
    results = scree.read(tmp_path)
    for source in (sim, results, tmp_path):
        # Places moved by less than the solver's slack, 1e-6 of a cube.
        sigma = measure.stress(source, grid)[0, 0]
        assert sigma[:, 2, 2] == pytest.approx(expected, rel=1e-5)
        assert np.abs(sigma[:, :2, :2]).max() < 1e-9 * rho * g * L * n
        assert measure.stress(source)[2, 2] == pytest.approx(expected.mean(), rel=1e-5)
        ids, own = measure.body_stress(source)
        assert own[:, 2, 2] == pytest.approx(expected, rel=1e-5) and len(ids) == n
    assert measure.pressure(measure.stress(sim)) == pytest.approx(-np.trace(measure.stress(sim)) / 3)
    assert measure.fabric(results) == pytest.approx(np.diag([0, 0, 1.0]), abs=1e-12)
    assert measure.coordination(results).numbers.tolist() == [2, 2, 2, 1] and measure.coordination(sim, walls=False).numbers.tolist() == [1, 2, 2, 1]
    z = measure.coordination(sim, bodies=["cube 1", sim.bodies["cube 3"]])
    assert z.mean == 1.5 and z.mechanical == 2.0 and z.distribution == pytest.approx([0, 0.5, 0.5])
    forces = measure.force_distribution(results, frames=-1)
    assert forces.normal.sum() == pytest.approx(rho * g * L**3 * (n * (n + 1) / 2), rel=1e-6) and forces.mean == pytest.approx(forces.normal.mean())
    assert forces.density @ np.diff(forces.edges) == pytest.approx(1.0)


def test_spheres_between_plates_carry_the_force_on_them():
    """Nine spheres between a floor and a plate pressed by a force: sigma_zz = -F / A, and nothing across."""
    force, radius = 450.0, 0.1
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, 0))
    sim.solver(tolerance=1e-12)
    sim.surface_material(friction=0.0)
    sim.obstacle(scree.box(low=(-1, -1, -0.1), high=(2, 2, 0)))
    grains = [sim.rigid(scree.sphere((radius * (2 * i + 1), radius * (2 * j + 1), radius), radius)) for i in range(3) for j in range(3)]
    plate = sim.rigid(scree.box(low=(0, 0, 2 * radius), high=(0.6, 0.6, 0.3)), label="plate")
    plate.apply_force(plate.center, (0, 0, -1), force)
    sim.advance(3)
    sigma = measure.stress(sim, bodies=grains)
    assert sigma[2, 2] == pytest.approx(-force / 0.36, rel=1e-6) and np.abs(sigma - np.diag(np.diag(sigma))).max() < 1e-6 * force / 0.36
    assert measure.deviator(sigma) == pytest.approx(force / 0.36, rel=1e-6)
    ids, own = measure.body_stress(sim, bodies=grains)
    assert own[:, 2, 2].sum() * 4 / 3 * math.pi * radius**3 == pytest.approx(-force * 2 * radius, rel=1e-6)


def test_moving_bodies_have_kinetic_stress():
    sim = lattice([(0.25, 0.5, 0.5), (0.75, 0.5, 0.5)], 0.1)
    for body, v in zip(sim.bodies, (3.0, -1.0)):
        body.velocity = (v, 0, 0)
    m = sim.bodies.masses[0]
    sigma = measure.stress(sim, ((0, 0, 0), (1, 1, 1)), kinetic=True)
    assert sigma[0, 0] == pytest.approx(-2 * m * 4.0) and np.abs(sigma).sum() == pytest.approx(8 * m)


# --- flows and heaps ---------------------------------------------------------------------------------------------

def test_flow_counts_what_passes(tmp_path):
    sim = scree.Simulation(step=1e-2, gravity=(0, 0, 0), out=tmp_path)
    for k in range(10):
        sim.rigid(scree.sphere((0.5 if k == 3 else 0, 0, 0.05 + 0.1 * k), 0.04), density=1000, velocity=(0, 0, -1))
    back = sim.rigid(scree.sphere((1, 0, -0.25), 0.04), density=1000, velocity=(0, 0, 1))
    sim.run(0.6, output=0.1, quiet=True)
    m = back.mass
    flow = measure.flow_rate(tmp_path, point=(0, 0, 0), normal=(0, 0, -2))
    assert flow.bodies.tolist() == [0, 1, 2, 2, 3, 4, 5] and flow.mass == pytest.approx(m * flow.bodies)
    assert flow.rate == pytest.approx(m * np.array([0, 1, 1, 0, 1, 1, 1]) / 0.1) and flow.mean == pytest.approx(5 * m / 0.6)
    near = measure.flow_rate(tmp_path, point=(0, 0, 0), normal=(0, 0, -1), radius=0.4)
    assert near.bodies.tolist() == [0, 1, 2, 3, 3, 4, 5]


@pytest.mark.parametrize("degrees", [15.0, 24.0, 33.0])
def test_the_slope_of_a_cone(degrees):
    """A heap of spheres below a cone, on a fine lattice: its highest spheres lie within half a layer of it."""
    a, radius, R = math.radians(degrees), 0.02, 1.0
    points = np.stack(np.meshgrid(np.arange(-R, R, 2 * radius), np.arange(-R, R, 2 * radius), np.arange(0, R, 0.5 * radius), indexing="ij"), -1).reshape(-1, 3)
    r = np.hypot(points[:, 0], points[:, 1])
    near = points[:, 2] - (R - r) * math.tan(a)
    sim = lattice(points[(near <= 0) & (near > -0.6 * radius) & (r < R)] + (3, -2, 1), radius)
    slope = measure.angle_of_repose(sim, center=(3, -2, 0))
    # Heights are known to half a layer, radius / 2, over a rise of 0.8 R tan a.
    assert slope.degrees == pytest.approx(degrees, abs=math.degrees(radius / (0.8 * R * math.tan(a))) * math.cos(a) ** 2 * math.tan(a))
    assert slope.residual < radius


def test_the_slope_of_a_plane():
    a = math.radians(27)
    x = np.linspace(0, 1, 60)
    sim = lattice([(u, v, -u * math.tan(a)) for u in x for v in (0, 0.1)], 0.005)
    slope = measure.angle_of_repose(sim, direction=(1, 0, 0))
    assert slope.angle == pytest.approx(-a, abs=1e-9) and slope.degrees == pytest.approx(-27)
    with pytest.raises(ValueError, match="no surface"):
        measure.angle_of_repose(sim, bodies=[int(sim.bodies.ids[0])])


# --- files and messages ------------------------------------------------------------------------------------------

def _arrays(path):
    """Numbers of the DataArrays of a VTK file."""
    found = {}
    for name, count, text in re.findall(r'Name="(\w+)" NumberOfComponents="(\d+)" format="binary">([^<]*)<', path.read_text()):
        raw = base64.b64decode(text)
        assert int(np.frombuffer(raw[:8], "<u8")[0]) == len(raw) - 8
        found[name] = np.frombuffer(raw[8:], "<f8").reshape(-1, int(count))
    return found


def test_fields_for_paraview(tmp_path, command):
    sim = scree.Simulation(step=1e-3, out=tmp_path / "out")
    sim.obstacle(scree.box(low=(-1, -1, -1), high=(2, 2, 0)))
    for k in range(4):
        sim.rigid(scree.sphere((0.3 * (k % 2), 0.1 * k, 0.1 + 0.25 * (k // 2)), 0.1), density=2000)
    sim.run(0.3, output=0.1, quiet=True)
    done = command("export", "out", "--format", "fields", "--cells", "3,2,4", "--every", "3")
    assert done.status == 0, done.err
    assert [p.split("/")[-1] for p in done.out.split()] == ["fields.pvd", "grains.pvd"]
    folder = tmp_path / "out" / "fields"
    assert "fields_000003.vti" in (folder / "fields.pvd").read_text()
    results = scree.read(tmp_path / "out")
    text = (folder / "fields_000003.vti").read_text()
    low, spacing = (np.array(re.search(rf'{name}="([^"]*)"', text)[1].split(), dtype=float) for name in ("Origin", "Spacing"))
    grid = measure.Grid(low, low + spacing * (3, 2, 4), (3, 2, 4))
    stored, fields = _arrays(folder / "fields_000003.vti"), measure.grid_fields(results, grid)
    for name, values in fields.items():
        # x runs fastest in the file.
        assert stored[name].reshape(4, 2, 3, -1) == pytest.approx(np.swapaxes(values, 0, 2).reshape(4, 2, 3, -1), abs=1e-9 * max(1.0, np.abs(values).max())), name
    grains, own = _arrays(folder / "grains_000003.vtp"), measure.body_fields(results)
    assert grains["coordination"][:, 0].tolist() == own["coordination"].tolist() and np.array_equal(grains["stress"].reshape(-1, 3, 3), own["stress"])
    # Mass of all cells is that of the bodies, wherever cells cut them.
    assert fields["density"].sum() * grid.cell_volume == pytest.approx(sum(b.mass for b in sim.bodies if b.kind == "rigid"), rel=1e-9)


def test_bad_questions_are_answered():
    sim = lattice([(0, 0, 0)], 0.5)
    with pytest.raises(ValueError, match="high must exceed"):
        measure.Grid((0, 0, 0), (1, 0, 1))
    with pytest.raises(ValueError, match="shape"):
        measure.porosity(sim, where=(1, 2, 3))
    with pytest.raises(ValueError, match="no body 7"):
        measure.coordination(sim, bodies=[7])
    with pytest.raises(ValueError, match="did you mean 'frame'"):
        measure.stress(sim, fram=3)
    with pytest.raises(ValueError, match="no contact presses"):
        measure.force_distribution(sim)
