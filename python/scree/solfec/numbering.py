"""Numbers of nodes as a script knows them: nodes of no element are not part of a mesh in the engine, and keep their numbers and places in the script."""
import numpy as np


class Numbering:
    """`places`: place in the engine's mesh of each node given, -1 for one of no element. `loose`: where these stand, in order, m."""

    def __init__(self, places, loose):
        self.places, self.loose = places, np.asarray(loose, dtype=float).reshape(-1, 3)
        self._used, self._unused = np.flatnonzero(places >= 0), np.flatnonzero(places < 0)

    def moved(self, point_map):
        """The same with the loose nodes mapped."""
        return Numbering(self.places, [point_map(x) for x in self.loose])

    def given(self, nodes):
        """Script's numbers of nodes of the mesh."""
        return [int(self._used[n]) for n in nodes]

    def spread(self, rows, loose=0.0):
        """A row a node as given from rows of the mesh's nodes; those beyond its nodes (middles of edges) follow."""
        rows, count = np.asarray(rows, dtype=float).reshape(-1, 3), len(self._used)
        made = np.empty((len(self.places), 3))
        made[self._used], made[self._unused] = rows[:count], loose
        return np.concatenate([made, rows[count:]])

    def gathered(self, rows):
        """The reverse; rows of loose nodes are dropped."""
        rows = np.asarray(rows, dtype=float).reshape(-1, 3)
        return np.concatenate([rows[self._used], rows[len(self.places):]])


def without_orphans(points, packed):
    """The Numbering of a mesh of these nodes and elements; None when all nodes are used or the list of elements is not sound."""
    used, at = np.zeros(len(points), dtype=bool), 0
    while at < len(packed):
        members = packed[at + 1:at + 1 + packed[at]]
        if packed[at] < 1 or any(not 0 <= n < len(points) for n in members):
            return None  # make_mesh says what is wrong
        used[members] = True
        at += packed[at] + 2
    return None if used.all() else Numbering(np.where(used, np.cumsum(used) - 1, -1), points[~used])


def renumbered(packed, numbers, at):
    """A packed list from place `at` on with other node numbers; a face of a node of no element is refused by make_mesh."""
    result = list(packed)
    while at < len(result):
        for k in range(at + 1, min(at + 1 + result[at], len(result))):
            if 0 <= result[k] < len(numbers):
                result[k] = int(numbers[result[k]])
        at += result[at] + 2
    return result
