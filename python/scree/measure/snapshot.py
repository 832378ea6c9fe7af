"""One instant of a simulation or of results, as the measures read it."""
import numpy as np

from .. import _check
from ..handles import Body
from ..results import Results
from ..simulation import Simulation

#: Pieces of stored shapes that are balls; the others are closed surfaces.
_SPHERE, _ELLIPSOID = 0, 1


class Solid:
    """A shape relative to its body's mass centre: balls (centre + map s, |s| <= 1) and the triangles of closed surfaces."""

    def __init__(self, centers, maps, triangles):
        self.centers = np.array(centers, dtype=float).reshape(-1, 3)
        self.maps = np.array(maps, dtype=float).reshape(-1, 3, 3)
        self.triangles = np.concatenate([np.zeros((0, 3, 3)), *triangles])


def _fan(points, faces):
    """Triangles of polygons over points, orientation kept."""
    return points[np.array([(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)], dtype=int).reshape(-1, 3)]


def _solid_of_pieces(pieces, center):
    """From the pieces of a Shape in referential coordinates."""
    centers, maps, triangles = [], [], []
    for piece in pieces:
        if piece["kind"] == "polyhedron":
            triangles.append(_fan(np.asarray(piece["vertices"]) - center, piece["faces"]))
            continue
        centers.append(np.asarray(piece["center"]) - center)
        maps.append(piece["radius"] * np.eye(3) if piece["kind"] == "sphere" else np.asarray(piece["axes"]) * np.asarray(piece["radii"]))
    return Solid(centers, maps, triangles)


def _solid_of_stored(pieces):
    """From a shape of a results file: (kind, reals, triangles of its boundary)."""
    centers, maps, triangles = [], [], []
    for kind, reals, corners in pieces:
        if kind == _SPHERE:
            centers.append(reals[:3])
            maps.append(reals[3] * np.eye(3))
        elif kind == _ELLIPSOID:
            centers.append(reals[:3])
            maps.append(reals[6:15].reshape(3, 3) * reals[3:6])
        else:
            triangles.append(reals.reshape(-1, 3)[corners])
    return Solid(centers, maps, triangles)


class Snapshot:
    """Bodies and contacts of one instant.

    time (s); ids, moving, masses (kg), volumes (m^3), positions (m), rotations, velocities (m/s): arrays over bodies. contacts: dictionary of
    arrays (bodies, point, normal, force, local_force), user's constraints left out; `pairs` are its bodies as places in the arrays above.

    Finite element bodies have the shape they were made with, moved by their mean motion."""

    def __init__(self, time, ids, moving, masses, volumes, motion, contacts, solids, names):
        self.time, self.ids, self.moving, self.masses, self.volumes = time, np.asarray(ids), np.asarray(moving), np.asarray(masses), np.asarray(volumes)
        self.positions, self.rotations, self.velocities = motion
        self.contacts = contacts
        self._solids, self._names = solids, names
        self._place = {int(i): k for k, i in enumerate(self.ids)}
        self.pairs = np.array([[self._place.get(int(i), -1) for i in pair] for pair in contacts["bodies"]], dtype=int).reshape(-1, 2)

    def select(self, bodies):
        """Mask over bodies: all that move, or those of a list of ids, labels or bodies."""
        if bodies is None:
            return self.moving.copy()
        mask = np.zeros(len(self.ids), dtype=bool)
        for body in bodies:
            mask[self._index(body)] = True
        return mask

    def _index(self, body):
        key = body.id if isinstance(body, Body) else body
        if isinstance(key, str):
            if key not in self._names:
                raise ValueError(f"bodies: {key!r} is not there{_check.nearest(key, [n for n in self._names if n])}")
            return self._names.index(key)
        if key not in self._place:
            raise ValueError(f"bodies: there is no body {key!r} at t = {self.time:g} s")
        return self._place[key]

    def solid(self, k):
        """Shape of the k-th body about its mass centre."""
        return self._solids(k)

    def balls(self, mask):
        """(body, centre, map) of every sphere and ellipsoid of the chosen bodies in place: |s| <= 1 -> centre + map s."""
        return self._placed(mask, lambda s: (s.centers, s.maps), lambda R, x, c, A: (c @ R.T + x, np.einsum("ij,njk->nik", R, A)), ((0, 3), (0, 3, 3)))

    def surfaces(self, mask):
        """(body, corners (n, 3, 3)) of the triangles of closed surfaces of the chosen bodies in place, outward."""
        return self._placed(mask, lambda s: (s.triangles,), lambda R, x, T: (T @ R.T + x,), ((0, 3, 3),))

    def _placed(self, mask, parts, move, empty):
        body, moved = [np.zeros(0, dtype=int)], [tuple(np.zeros(shape) for shape in empty)]
        for k in np.flatnonzero(mask):
            of_shape = parts(self._solids(k))
            if len(of_shape[0]):
                body.append(np.full(len(of_shape[0]), k))
                moved.append(move(self.rotations[k], self.positions[k], *of_shape))
        return np.concatenate(body), *(np.concatenate(column) for column in zip(*moved))

    def bounds(self, mask):
        """(low, high) corners of the box around the chosen bodies, m."""
        _, centers, maps = self.balls(mask)
        reach = np.linalg.norm(maps, axis=2)
        points = np.concatenate([centers - reach, centers + reach, self.surfaces(mask)[1].reshape(-1, 3)])
        if not len(points):
            raise ValueError(f"there is no body to measure at t = {self.time:g} s")
        return points.min(axis=0), points.max(axis=0)


def _of_simulation(sim):
    bodies, contacts = sim.bodies, sim.contacts
    ids, found = bodies.ids, {}

    def solid(k):
        if k not in found:
            body = bodies[int(k)]
            found[k] = _solid_of_pieces(body.shape.pieces, body.center)
        return found[k]
    volumes = [sim._engine.volume(int(i)) for i in ids]
    return Snapshot(sim.time, ids, bodies.moving, bodies.masses, volumes, (bodies.positions, bodies.rotations, bodies.velocities), contacts, solid, bodies.labels)


def _of_frame(results, index):
    frame = results.frame(index)
    table = [results.bodies[row] for row in frame.rows]
    contacts = {name: values[frame.contacts["kind"] == 0] for name, values in frame.contacts.items()}
    found = {}

    def solid(k):
        shape = table[k]["shape"]
        if shape not in found:
            found[shape] = _solid_of_stored(results._native.shape(shape) if shape >= 0 else [])
        return found[shape]
    return Snapshot(frame.time, frame.ids, [b["kind"] != "obstacle" for b in table], [b["mass"] for b in table], [b["volume"] for b in table],
                    (frame.positions, frame.rotations, frame.velocities), contacts, solid, [b["label"] for b in table])


def snapshot(source, frame=-1):
    """The state of a Simulation now, or of results (a folder, a file, or what scree.read() gives) at a frame."""
    if isinstance(source, Snapshot):
        return source
    if isinstance(source, Simulation):
        return _of_simulation(source)
    return _of_frame(source if isinstance(source, Results) else Results(source), frame)
