"""Structure and stress of packings: coordination, fabric, stress, porosity, contact forces."""
import dataclasses

import numpy as np

from .. import _check
from ..results import Results
from .grid import Grid, add_balls, add_surfaces, spread_segments
from .snapshot import snapshot


def _regions(where, now, mask):
    """(list of grids, shape of the answer before its own dimensions) of where to measure."""
    if where is None:
        return [Grid(*now.bounds(mask))], ()
    if isinstance(where, Grid):
        return [where], where.cells
    boxes = _check._array("where", where, "a box (low, high), a list of boxes or a measure.Grid is")
    if boxes.shape == (2, 3):
        return [Grid(*boxes)], ()
    if boxes.ndim == 3 and boxes.shape[1:] == (2, 3):
        return [Grid(*box) for box in boxes], (len(boxes),)
    raise ValueError(f"where: a box (low, high), a list of boxes or a measure.Grid is expected, not an array of shape {boxes.shape}")


def _over(where, now, mask, measured):
    """Measure every region: measured(grid) -> (*cells, ...)."""
    grids, shape = _regions(where, now, mask)
    values = np.stack([measured(grid) for grid in grids])
    return values.reshape((*shape, *values.shape[4:]))[()]


def _pressing(now, mask):
    """Contacts that press on a chosen body."""
    known = np.append(mask, False)
    return (now.contacts["local_force"][:, 0] > 0) & known[now.pairs].any(axis=1)


# --- coordination ------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class Coordination:
    """How many bodies each body touches.

    ids and numbers: of the bodies. mean: over all of them. mechanical: over those that touch at least two, contacts of others not counted
    (Thornton 2000); NaN where there are none. distribution: share of the bodies with 0, 1, 2, ... partners."""

    ids: np.ndarray
    numbers: np.ndarray
    mean: float
    mechanical: float
    distribution: np.ndarray


@_check.keywords
def coordination(source, frame=-1, bodies=None, walls=True):
    """Coordination number: partners that press on a body, each counted once however many points they share.

    source: a Simulation, results or their folder. bodies: ids, labels or bodies (default: all that move). walls: obstacles count as partners."""
    now = snapshot(source, frame)
    mask = now.select(bodies)
    pairs = now.pairs[_pressing(now, mask)]
    pairs = np.unique(np.sort(pairs, axis=1), axis=0) if len(pairs) else pairs
    if not walls:
        pairs = pairs[now.moving[pairs].all(axis=1)]
    numbers = np.bincount(pairs.ravel(), minlength=len(now.ids))[mask]
    firm, single = int((numbers >= 2).sum()), int((numbers == 1).sum())
    share = np.bincount(numbers) / max(1, len(numbers))
    return Coordination(now.ids[mask], numbers, float(numbers.mean()) if len(numbers) else 0.0, (numbers.sum() - single) / firm if firm else float("nan"), share)


# --- tensors -----------------------------------------------------------------------------------------------------

@_check.keywords
def fabric(source, where=None, frame=-1, bodies=None, weight="contacts"):
    """Fabric tensor (theory eq. 7.5), the mean of n n^T over contacts that press; its trace is 1, and 1/3 on the diagonal means no preferred direction.

    where: a box (low, high), a list of boxes or a Grid (default: everything); a contact belongs where its point is. weight: 'contacts', or
    'force' to weigh normals by normal forces. NaN where there is no contact. Array (..., 3, 3)."""
    _check.choice("weight", weight, ("contacts", "force"))
    now = snapshot(source, frame)
    mask = now.select(bodies)
    chosen = _pressing(now, mask)
    point, n = now.contacts["point"][chosen], now.contacts["normal"][chosen]
    w = now.contacts["local_force"][chosen, 0] if weight == "force" else np.ones(len(n))

    def measured(grid):
        total, count = np.zeros((*grid.cells, 3, 3)), np.zeros(grid.cells)
        index = np.zeros((len(n), 3), dtype=int) if where is None else grid.index(point)
        grid.add(total, index, w[:, None, None] * n[:, :, None] * n[:, None, :])
        grid.add(count, index, w)
        with np.errstate(invalid="ignore"):
            return total / count[..., None, None]
    return _over(where, now, mask, measured)


@_check.keywords
def stress(source, where=None, frame=-1, bodies=None, kinetic=False):
    """Mean stress from contact forces, Pa, tension positive as everywhere in Scree (-trace/3 is the pressure).

    Every force on a body acts along the line from its mass centre to the contact point; a region gets the part of the line it holds:
    sigma = (1/V) sum (x_c - x_b) f^T (theory eq. 7.2), so that cells of a grid add up to the whole, and a packing at rest between walls carries their forces
    divided by their areas. where: a box (low, high), a list of boxes or a Grid (default: the box around the bodies). bodies: those whose stress
    is asked for (default: all that move). kinetic: add -(1/V) sum m v' v'^T, v' relative to the mean of the region. Array (..., 3, 3)."""
    now = snapshot(source, frame)
    mask = now.select(bodies)
    begin, end, moments = _moments(now, mask)

    def measured(grid):
        total = spread_segments(grid, begin, end, moments)
        if kinetic:
            total = total - _fluctuation(now, mask, grid)
        return total / grid.cell_volume
    return _over(where, now, mask, measured)


def _moments(now, mask):
    """Lines from mass centres to contact points of the chosen bodies, and (x_c - x_b) f^T on each, N m."""
    begin, end, moment = [], [], []
    for side, sign in ((0, -1.0), (1, 1.0)):
        body = now.pairs[:, side]
        mine = np.append(mask, False)[body]
        x, point = now.positions[body[mine]], now.contacts["point"][mine]
        begin.append(x)
        end.append(point)
        moment.append(sign * (point - x)[:, :, None] * now.contacts["force"][mine][:, None, :])
    return np.concatenate(begin), np.concatenate(end), np.concatenate(moment)


def _fluctuation(now, mask, grid):
    """Sum of m v' v'^T over bodies with their centres in a cell, v' relative to the cell's mean, J."""
    index, m, v = grid.index(now.positions[mask]), now.masses[mask], now.velocities[mask]
    mass, momentum, flux = np.zeros(grid.cells), np.zeros((*grid.cells, 3)), np.zeros((*grid.cells, 3, 3))
    grid.add(mass, index, m)
    grid.add(momentum, index, m[:, None] * v)
    grid.add(flux, index, m[:, None, None] * v[:, :, None] * v[:, None, :])
    mean = momentum / np.where(mass > 0, mass, 1.0)[..., None]
    return flux - momentum[..., :, None] * mean[..., None, :]


@_check.keywords
def body_stress(source, frame=-1, bodies=None):
    """(ids, mean stress of each body from its contact forces and its own volume, theory eq. 7.1): arrays (n,) and (n, 3, 3), Pa, tension positive."""
    now = snapshot(source, frame)
    mask = now.select(bodies)
    total = np.zeros((len(now.ids), 3, 3))
    for side, sign in ((0, -1.0), (1, 1.0)):
        body = now.pairs[:, side]
        known = body >= 0
        arm = now.contacts["point"][known] - now.positions[body[known]]
        np.add.at(total, body[known], sign * arm[:, :, None] * now.contacts["force"][known][:, None, :])
    return now.ids[mask], total[mask] / now.volumes[mask][:, None, None]


def pressure(tensor):
    """-trace/3 of stress tensors (..., 3, 3)."""
    return -np.trace(tensor, axis1=-2, axis2=-1) / 3.0


def deviator(tensor):
    """sqrt(3/2 s:s) of the deviatoric part s of symmetrised tensors (..., 3, 3); of axial symmetry the difference of principal values."""
    symmetric = 0.5 * (tensor + np.swapaxes(tensor, -1, -2))
    s = symmetric - np.trace(symmetric, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) / 3.0
    return np.sqrt(1.5 * np.sum(s * s, axis=(-2, -1)))


# --- volumes -----------------------------------------------------------------------------------------------------

def weighted_volume(now, mask, grid, weights):
    """Sum over bodies of weights (bodies, m) times their exact volume in each cell: (*cells, m)."""
    totals = np.zeros((*grid.cells, weights.shape[1]))
    body, centers, maps = now.balls(mask)
    add_balls(grid, totals, centers, maps, weights[body])
    body, triangles = now.surfaces(mask)
    add_surfaces(grid, totals, triangles, weights[body])
    return totals


@_check.keywords
def porosity(source, where=None, frame=-1, bodies=None):
    """Share of a region that no body fills: 1 - solid volume / volume, with the exact volume of every sphere, ellipsoid, polyhedron and mesh
    within the region (overlaps count twice).

    where: a box (low, high), a list of boxes or a Grid (default: the box around the bodies). bodies: default all that move."""
    now = snapshot(source, frame)
    mask = now.select(bodies)
    ones = np.ones((len(now.ids), 1))
    return _over(where, now, mask, lambda grid: 1.0 - weighted_volume(now, mask, grid, ones)[..., 0] / grid.cell_volume)


# --- forces ------------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class ForceDistribution:
    """Contact forces of some frames. normal, friction: N, one entry a contact that presses. mean: of the normal forces, N. edges, density:
    histogram of normal force / mean as a probability density."""

    normal: np.ndarray
    friction: np.ndarray
    mean: float
    edges: np.ndarray
    density: np.ndarray


@_check.keywords
def force_distribution(source, frames=None, bodies=None, bins=40, top=12.0):
    """Distribution of contact forces of a Simulation now or of results over frames (default: the last half of them).

    bins: of the histogram, from 0 to the largest force or `top` times the mean. ValueError when no contact presses."""
    if hasattr(source, "contacts") and not isinstance(source, Results):
        moments = [snapshot(source)]
    else:
        source = source if isinstance(source, Results) else Results(source)
        moments = [snapshot(source, k) for k in (range(len(source) // 2, len(source)) if frames is None else _check.several("force_distribution: frames", [frames] if np.ndim(frames) == 0 else frames))]
    local = [now.contacts["local_force"][_pressing(now, now.select(bodies))] for now in moments]
    local = np.concatenate(local) if local else np.zeros((0, 3))
    if not len(local):
        raise ValueError("force_distribution: no contact presses in these frames")
    normal, friction = local[:, 0], np.hypot(local[:, 1], local[:, 2])
    mean = float(normal.mean())
    bins = _check.integer("force_distribution: bins", bins, 2, 10**6)
    density, edges = np.histogram(normal / mean, np.linspace(0, min(float(normal.max()) / mean, top), bins), density=True)
    return ForceDistribution(normal, friction, mean, edges, density)
