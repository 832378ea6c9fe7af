"""Bodies that come apart during a run."""
import numpy as np

from .. import _check
from ._arguments import routine, text
from .bodies import MATERIAL, body_of
from .cutting import cut_faces, places_of, split_along
from .mesh import one_mesh

__all__ = ["RT_SPLIT", "SIMPLIFIED_CRACK"]


@routine
def RT_SPLIT(body1, surf, sid1=0, sid2=0, label1=None, label2=None):
    """(body2, lst1, lst2) = RT_SPLIT (body1, surf | sid1, sid2, label1, label2): part a body made of one MESH along faces between its elements, also
    from a CALLBACK.

    surf: [[n1, n2, n3, ...], ...], the faces to cut; body2 is on the side from which their nodes run counter-clockwise. sid1, sid2: surface ids of
    the new faces of body1 and body2. label1, label2: labels. body2 is None when the cut is a slit that does not part the body. lst1, lst2: new numbers
    of the old nodes in body1 and body2, -1 for those that are not there (lst2 is None for a slit). Places, velocities, scheme and dampings stay.
    body1 gets a new number; its constraints and loads are gone, as in Solfec. A cut into more than two parts is an error."""
    handle = body_of("body1", body1)._handle
    if handle.kind not in ("rigid", "finite_element") or body1._carrier is not None or body1._formed.get("order", 1) != 1 or body1.mesh is None:
        raise ValueError(f"body1 = {body1!r}: a 'RIGID' or 'FINITE_ELEMENT' body made of one MESH, of first order, is expected")
    mesh = body1.mesh
    data, surf = one_mesh("body1", mesh), places_of(mesh, None, surf)[1]
    cut = cut_faces(data, None, surf, _check.integer("sid1", sid1), _check.integer("sid2", sid2))
    parts = split_along(data, cut)
    if len(parts) > 2:
        raise ValueError(f"surf: the cut makes {len(parts)} parts; one or two are expected")
    parts = _in_order(parts, data, surf)
    names = [None if label is None else text("label", label) for label in (label1, label2)]
    if len(parts) == 1 and label1 is None:
        names[0] = body1.label or None
    state, count = _State(body1), len(data["nodes"])
    made = [_make(body1, mesh, label) for (mesh, _, _), label in zip(parts, names)]
    for new, (_, origin, _) in zip(made, parts):
        state.give(new, origin)
    second = _adopt(body1, made)
    maps = [_numbers(origin, count) for _, origin, _ in parts]
    if mesh._numbering is not None:
        maps = [[-1 if n < 0 else numbers[n] for n in mesh._numbering.places] for numbers in maps]
        body1._numbering = None
    return second, maps[0], maps[1] if len(parts) == 2 else None


def _in_order(parts, data, surf):
    """The part behind the faces first, the one in front of them second."""
    if len(parts) == 1:
        return parts
    ids = cut_faces(data, None, surf, 0, 1)
    front = {e for sides in ids.values() for e, side in sides.items() if side == 1}
    fronts = [len(front & set(members)) for _, _, members in parts]
    return parts if fronts[0] <= fronts[1] else parts[::-1]


def _numbers(origin, count):
    numbers = [-1] * count
    for new, old in enumerate(origin):
        if numbers[old] < 0:
            numbers[old] = new
    return numbers


class _State:
    """The motion of a body, to be handed on to its parts."""

    def __init__(self, body):
        handle = self._handle = body._handle
        self._engine, self._deforms = handle._engine, handle.deforms
        self._rotation, self._velocity, self._angular = handle.rotation, handle.velocity, handle.angular_velocity
        self._q, self._u = (np.array(v).reshape(-1, 3) for v in (handle.conf, handle.velo)) if self._deforms else (None, None)

    def give(self, new, origin):
        """Put a part, whose nodes had these numbers, where it was."""
        if self._deforms:
            self._engine.set_state(new.id, self._q[origin].ravel(), self._u[origin].ravel())
            return
        place, speed = self._handle.point(new.center), self._handle.point_velocity(new.center)
        self._engine.set_placement(new.id, self._rotation, place)
        self._engine.set_velocity(new.id, speed, self._angular)


def _make(body, mesh, label):
    """A body like another one, of a part of its mesh; returns its handle."""
    old, sim = body._handle, body._solfec._sim
    material = body.material._handle
    if old.deforms:
        new = sim.finite_element(mesh._shape, material=material, label=label, **body._formed)
        new.stiffness_damping, new.selfcontact = old.stiffness_damping, old.selfcontact
    else:
        new = sim.rigid(mesh._shape, material=material, label=label)
    new.scheme, new.damping = old.scheme, old.damping
    return new


def _adopt(body, made):
    """Let the first of the new bodies be `body` and return the second as a BODY (None: there is none)."""
    solfec, materials = body._solfec, body.__dict__.get("_materials", {})
    others = [type(body)._named(solfec, handle.id) for handle in made[1:]]
    for other in others:
        other._scheme, other._selfcontact, other._formed = body._scheme, body._selfcontact, body._formed
    solfec._bodies.pop(body.id, None)
    body._handle.delete()
    body._id = made[0].id
    solfec._bodies[body.id] = body
    for part in (body, *others):
        volumes = {piece["volume_id"] for piece in part._handle.shape.pieces}
        for volid, material in materials.items():
            if volid in volumes:
                MATERIAL(solfec, part, volid, material)
    return others[0] if others else None


def SIMPLIFIED_CRACK(*args, **kwargs):
    """SIMPLIFIED_CRACK (body, point, normal, surfid, criterion | ft, Gf, topoadj): refused. Solfec's last version has it no more. Read STRESS in a
    CALLBACK and cut with RT_SPLIT, along the faces that body.mesh.inter_element_faces_on_plane (point, normal) names."""
    raise ValueError("SIMPLIFIED_CRACK: cracks that open by a criterion are not modelled (Solfec's last version has dropped them, too); read STRESS in a "
                     "CALLBACK and cut with RT_SPLIT (body, body.mesh.inter_element_faces_on_plane (point, normal))")
