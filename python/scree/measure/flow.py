"""Flow through a plane and the slope of a heap."""
import dataclasses

import numpy as np

from .. import _check
from ..results import Results
from .snapshot import snapshot


@dataclasses.dataclass
class FlowRate:
    """What has passed a plane. times: of the frames, s. mass (kg) and bodies: passed since the first frame, backwards counted negative. rate:
    kg/s between a frame and the one before, 0 at the first."""

    times: np.ndarray
    mass: np.ndarray
    bodies: np.ndarray
    rate: np.ndarray

    @property
    def mean(self):
        """kg/s over all frames."""
        span = self.times[-1] - self.times[0]
        return float(self.mass[-1] / span) if span > 0 else 0.0


@_check.keywords
def flow_rate(results, point, normal, radius=None, bodies=None, frames=None):
    """Mass that passes a plane through `point` (m) along `normal`, from the mass centres of consecutive frames.

    radius: count only what passes within this distance of the point, m. bodies: default all that move. frames: default all. A body that is
    deleted between the two frames in which it would pass is not counted: write frames often enough."""
    results = results if isinstance(results, Results) else Results(results)
    point, normal = _check.vector("flow_rate: point", point), _check.direction("flow_rate: normal", normal)
    normal = normal / np.linalg.norm(normal)
    names = [b["id"] for b in results.bodies if b["kind"] != "obstacle"] if bodies is None else list(bodies)
    frames = np.arange(len(results)) if frames is None else np.array([results._place(frame) for frame in _check.several("flow_rate: frames", frames)], dtype=int)
    if len(frames) < 2 or not names:
        raise ValueError(f"flow_rate: {len(frames)} frames and {len(names)} bodies; two frames and a body are needed")
    mass = np.array([results.bodies[results.row(b)]["mass"] for b in names])
    arm = results.histories("positions", names, frames) - point
    height = arm @ normal
    passes = np.where(np.isnan(height[1:] + height[:-1]), 0, (height[1:] >= 0).astype(int) - (height[:-1] >= 0))
    if radius is not None:
        limit = _check.positive("flow_rate: radius", radius)
        share = np.divide(height[:-1], height[:-1] - height[1:], out=np.zeros_like(height[1:]), where=passes != 0)
        there = arm[:-1] + share[..., None] * (arm[1:] - arm[:-1])
        distance = np.linalg.norm(there - (there @ normal)[..., None] * normal, axis=-1)
        passes = np.where(distance <= limit, passes, 0)
    times = results.times[frames]
    step = np.concatenate([[0.0], passes @ mass])
    rate = np.concatenate([[0.0], step[1:] / np.diff(times)])
    return FlowRate(times, np.cumsum(step), np.concatenate([[0], np.cumsum(passes.sum(axis=1))]), rate)


@dataclasses.dataclass
class Slope:
    """Slope of a free surface. angle: rad. distances (m, across the heap) and heights (m) are the points the line was fitted to; residual: root
    mean square distance from it, m."""

    angle: float
    distances: np.ndarray
    heights: np.ndarray
    residual: float

    @property
    def degrees(self):
        return float(np.degrees(self.angle))


_HEAP_SHARE = 0.95  # of the bodies, by distance from the axis, that make up a heap


@_check.keywords
def angle_of_repose(source, frame=-1, bodies=None, up=(0.0, 0.0, 1.0), center=None, direction=None, rings=12, band=(0.1, 0.9)):
    """Angle between the free surface of a heap and the horizontal.

    A conical heap around `center` (a point of its axis; default: its mass centre): the highest body of every ring and octant is on the
    surface, and a line through the octants' mean heights against distance gives the angle. With `direction` (a horizontal vector) the heap is
    taken as a slope along it, as in a drum. up: against gravity. rings: number of rings or strips. band: part of the surface's height that
    counts, so that toe and summit do not."""
    now = snapshot(source, frame)
    mask = now.select(bodies)
    up = _check.direction("up", up) / np.linalg.norm(up)
    x, m = now.positions[mask], now.masses[mask]
    if len(x) < 4:
        raise ValueError(f"angle_of_repose: a heap of {len(x)} bodies has no surface")
    middle = m @ x / m.sum() if center is None else _check.vector("center", center)
    arm = x - middle
    height = x @ up
    flat = arm - (arm @ up)[:, None] * up
    if direction is None:
        e = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
        e /= np.linalg.norm(e)
        f = np.cross(up, e)
        distance = np.linalg.norm(flat, axis=1)
        sector = np.floor(4 + 4 * np.arctan2(flat @ f, flat @ e) / np.pi).astype(int) % 8
    else:
        along = _check.direction("direction", direction)
        along = along - along @ up * up
        distance, sector = flat @ (along / np.linalg.norm(along)), np.zeros(len(x), dtype=int)
    if direction is None:  # what rolled away from the heap is not its surface
        near = distance <= np.quantile(distance, _HEAP_SHARE)
        distance, sector, height = distance[near], sector[near], height[near]
    ring = np.minimum(((distance - distance.min()) / max(np.ptp(distance), 1e-300) * _check.integer("rings", rings, 3)).astype(int), rings - 1)
    d, z = _tops(ring, sector, distance, height)
    return _fit(d, z, band, direction is not None)


def _tops(ring, sector, distance, height):
    """Means over sectors of the highest body of every ring: distances, heights."""
    order = np.lexsort((height, sector, ring))
    key = ring[order] * 8 + sector[order]
    last = order[np.append(key[1:] != key[:-1], True)]
    rings = np.unique(ring[last])
    return (np.array([values[last][ring[last] == r].mean() for r in rings]) for values in (distance, height))


def _fit(d, z, band, signed):
    low, high = (z.min() + share * np.ptp(z) for share in band)
    inside = (z >= low) & (z <= high)
    if inside.sum() < 2:
        raise ValueError(f"angle_of_repose: {int(inside.sum())} rings of the surface lie between {band[0]:g} and {band[1]:g} of its height; give more bodies or a wider band")
    slope, offset = np.polyfit(d[inside], z[inside], 1)
    off = (z[inside] - slope * d[inside] - offset) / np.hypot(1.0, slope)
    return Slope(float(np.arctan(abs(slope) if not signed else slope)), d[inside], z[inside], float(np.sqrt(np.mean(off**2))))
