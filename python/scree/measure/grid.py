"""Boxes and grids of boxes, and what of bodies and segments lies in their cells: exact, in closed form."""
import math

import numpy as np

from .. import _check

#: Corners of the faces of a box whose corner number is 4 x + 2 y + z, counter-clockwise from outside.
_FACES = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])


#: Cells of a grid: what is measured takes a few hundred bytes of each.
_MOST_CELLS = 10**8


class Grid:
    """A box from corner `low` to corner `high` (m), divided into `cells` = (nx, ny, nz) equal cells."""

    def __init__(self, low, high, cells=(1, 1, 1)):
        self.low, self.high = _check.vector("grid: low", low), _check.vector("grid: high", high)
        self.cells = tuple(_check.integer("grid: cells", n, 1) for n in _check.several("grid: cells", cells))
        if len(self.cells) != 3:
            raise ValueError(f"grid: cells = {cells!r}: three numbers are expected")
        if math.prod(self.cells) > _MOST_CELLS:
            raise ValueError(f"grid: cells = {self.cells}: {math.prod(self.cells):.3g} cells are more than {_MOST_CELLS:.0e}; take fewer along each edge")
        if not np.all(self.high > self.low):
            raise ValueError(f"grid: low = {tuple(self.low)}, high = {tuple(self.high)}: every coordinate of high must exceed that of low")

    @property
    def size(self):
        """Edges of a cell, m."""
        return (self.high - self.low) / self.cells

    @property
    def cell_volume(self):
        """m^3."""
        return float(np.prod(self.size))

    @property
    def centers(self):
        """Of the cells, (nx, ny, nz, 3), m."""
        return np.stack(np.meshgrid(*(self.low[k] + self.size[k] * (0.5 + np.arange(self.cells[k])) for k in range(3)), indexing="ij"), axis=-1)

    def planes(self, axis):
        """Coordinates of the planes between cells, ends included, m."""
        return np.linspace(self.low[axis], self.high[axis], self.cells[axis] + 1)

    def add(self, totals, index, values):
        """Add values to the cells they belong to; index (n, 3), those outside are dropped."""
        inside = np.all((index >= 0) & (index < self.cells), axis=1)
        np.add.at(totals, tuple(index[inside].T), values[inside])

    def index(self, points):
        """Cell of every point, (n, 3); outside ones have an index outside."""
        return np.floor((points - self.low) / self.size).astype(int)

    def __repr__(self):
        return f"Grid({tuple(self.low.tolist())}, {tuple(self.high.tolist())}, {self.cells})"


def spread_segments(grid, begin, end, values):
    """Sum of `values` (n, ...) over segments, each cell getting the share of the segment's length in it; array (*cells, ...)."""
    totals = np.zeros((*grid.cells, *values.shape[1:]))
    first, last = (begin - grid.low) / grid.size, (end - grid.low) / grid.size
    step = last - first
    cuts = [np.zeros((len(first), 1)), np.ones((len(first), 1))]
    for k in range(3):
        lower, upper = np.minimum(first[:, k], last[:, k]), np.maximum(first[:, k], last[:, k])
        planes = np.floor(lower)[:, None] + 1 + np.arange(max(0, int(np.max(np.floor(upper) - np.floor(lower), initial=0))))
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (planes - first[:, k:k + 1]) / step[:, k:k + 1]
        cuts.append(np.where(planes < upper[:, None], share, 1.0))
    cuts = np.sort(np.concatenate(cuts, axis=1), axis=1)
    for a, b in zip(cuts.T[:-1], cuts.T[1:]):
        length = b - a
        middle = first + 0.5 * (a + b)[:, None] * step
        grid.add(totals, np.floor(middle).astype(int), values * length.reshape(-1, *[1] * (values.ndim - 1)))
    return totals


# --- volumes -----------------------------------------------------------------------------------------------------

def _cone(h, a, s):
    """Volume of the unit ball in the tetrahedron 0, p, m, m + s: p at distance h >= 0 from the centre, m at distance a >= 0 from p across,
    then s along, all at right angles; odd in s (theory eq. 7.3).

    In the plane of p at angle f the triangle reaches a / cos f. Within rho = sqrt(1 - h^2) the ball covers the cone over it, h/3 of
    its area; beyond, a third of the solid angle."""
    angle = np.arctan2(np.abs(s), a)
    rho = np.sqrt(np.maximum(0.0, 1.0 - h * h))
    inner = np.minimum(angle, np.arccos(np.minimum(1.0, np.divide(a, rho, out=np.ones_like(a), where=rho > a))))
    reach = np.hypot(h, a)
    tilt = np.divide(h, reach, out=np.zeros_like(h), where=reach > 0)
    flat = h * a * a * np.tan(inner) / 6.0
    beyond = angle - inner
    outer = h * rho * rho * beyond / 6.0 + (np.minimum(h, 1.0) * beyond - np.arcsin(np.minimum(1.0, tilt * np.sin(angle))) + np.arcsin(np.minimum(1.0, tilt * np.sin(inner)))) / 3.0
    return np.sign(s) * (flat + outer)


def ball_volume(corners):
    """Volume of the unit ball about 0 within parallelepipeds with corners (n, 8, 3), number 4 x + 2 y + z."""
    total = np.zeros(len(corners))
    for face in _FACES:
        quad = corners[:, face]
        normal = np.cross(quad[:, 1] - quad[:, 0], quad[:, 3] - quad[:, 0])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        height = np.einsum("ni,ni->n", normal, quad[:, 0])
        foot = height[:, None] * normal
        for k in range(4):
            v, w = quad[:, k] - foot, quad[:, (k + 1) % 4] - foot
            along = (w - v) / np.linalg.norm(w - v, axis=1, keepdims=True)
            across = np.einsum("ni,ni->n", v, np.cross(along, normal))
            h, a = np.abs(height), np.abs(across)
            piece = _cone(h, a, np.einsum("ni,ni->n", w, along)) - _cone(h, a, np.einsum("ni,ni->n", v, along))
            total += np.sign(height) * np.sign(across) * piece
    return total


def _pairs(grid, low, high):
    """(item, cell index (n, 3)) of all cells that boxes touch."""
    first = np.maximum(0, np.floor((low - grid.low) / grid.size).astype(int))
    last = np.minimum(np.array(grid.cells) - 1, np.floor((high - grid.low) / grid.size).astype(int))
    count = np.maximum(0, last - first + 1)
    number = count.prod(axis=1)
    item = np.repeat(np.arange(len(low)), number)
    inner = np.arange(len(item)) - np.repeat(np.cumsum(number) - number, number)
    ny, nz = count[item, 1], count[item, 2]
    cell = np.stack([inner // np.maximum(1, ny * nz), inner // np.maximum(1, nz) % np.maximum(1, ny), inner % np.maximum(1, nz)], axis=1)
    return item, first[item] + cell


def add_balls(grid, totals, centers, maps, weights):
    """Add weights (n, m) times the volume of each ball (centre + map s, |s| <= 1) in each cell to totals (*cells, m)."""
    reach = np.linalg.norm(maps, axis=2)
    item, cell = _pairs(grid, centers - reach, centers + reach)
    corner = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    size = np.abs(np.linalg.det(maps))
    # A map that mirrors would turn faces inside out: the ball is the same without the mirror.
    proper = maps * np.where(np.linalg.det(maps) < 0, -1.0, 1.0)[:, None, None]
    for part in np.array_split(np.arange(len(item)), max(1, len(item) // 20000)):
        k = item[part]
        corners = grid.low + (cell[part, None, :] + corner) * grid.size - centers[k, None, :]
        volume = size[k] * ball_volume(np.einsum("nij,ncj->nci", np.linalg.inv(proper[k]), corners))
        grid.add(totals, cell[part], np.clip(volume, 0.0, None)[:, None] * weights[k])


def _cut(triangles, plane, axis):
    """Parts of crossing triangles below and above a plane each; new corners lie on it exactly."""
    above = triangles[:, :, axis] > plane[:, None]
    lonely_above = above.sum(axis=1) == 1
    apex = np.where(lonely_above, np.argmax(above, axis=1), np.argmin(above, axis=1))
    a, b, c = (triangles[np.arange(len(triangles)), (apex + k) % 3] for k in range(3))
    p, q = (a + ((plane - a[:, axis]) / (other[:, axis] - a[:, axis]))[:, None] * (other - a) for other in (b, c))
    p[:, axis] = q[:, axis] = plane
    tip, base = np.stack([a, p, q], axis=1), (np.stack([p, b, c], axis=1), np.stack([p, c, q], axis=1))
    return tip, base, lonely_above


def _split(triangles, weights, planes, axis):
    """Cut triangles along planes across an axis, so that none crosses one."""
    done, done_weights = [], []
    while len(triangles):
        low, high = triangles[:, :, axis].min(axis=1), triangles[:, :, axis].max(axis=1)
        plane = np.append(planes, np.inf)[np.searchsorted(planes, low, side="right")]
        crosses = plane < high
        done.append(triangles[~crosses])
        done_weights.append(weights[~crosses])
        triangles, weights = triangles[crosses], weights[crosses]
        tip, base, lonely_above = _cut(triangles, plane[crosses], axis)
        below, above = (~lonely_above, lonely_above)
        done += [tip[below], base[0][above], base[1][above]]
        done_weights += [weights[below], weights[above], weights[above]]
        triangles = np.concatenate([tip[above], base[0][below], base[1][below]])
        weights = np.concatenate([weights[above], weights[below], weights[below]])
    return (np.concatenate(done), np.concatenate(done_weights)) if done else (triangles, weights)


def add_surfaces(grid, totals, triangles, weights):
    """Add weights (n, m) times the volume that closed surfaces enclose in each cell to totals (*cells, m).

    V = sum of the integrals of x n_x over the surface (theory eq. 7.4): a triangle between the planes of a cell adds what lies between it and the cell's
    lower face, and whole columns to the cells below."""
    for axis in range(3):
        triangles, weights = _split(triangles, weights, grid.planes(axis), axis)
    if not len(triangles):
        return
    shadow = 0.5 * np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[:, 0]
    middle = triangles.mean(axis=1)
    index = np.stack([np.searchsorted(grid.planes(k), middle[:, k], side="right") - 1 for k in range(3)], axis=1)
    nx = grid.cells[0]
    own = shadow * (middle[:, 0] - grid.planes(0)[np.clip(index[:, 0], 0, nx)])
    grid.add(totals, index, own[:, None] * weights)
    columns = np.zeros((nx + 1, *totals.shape[1:]))
    inside = np.all((index[:, 1:] >= 0) & (index[:, 1:] < grid.cells[1:]), axis=1) & (index[:, 0] > 0)
    np.add.at(columns, (np.minimum(index[inside, 0], nx), index[inside, 1], index[inside, 2]), grid.size[0] * shadow[inside, None] * weights[inside])
    totals += np.cumsum(columns[::-1], axis=0)[::-1][1:]
