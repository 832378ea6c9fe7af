"""Constraints: those prescribed by the script and contacts, seen through the same kind of object."""
import math

import numpy as np

from .. import _check, plain_values
from ..handles import Constraint
from ..series import TimeSeries
from . import _settings
from ._arguments import Emptied, floats
from .bodies import BODY, body_of, inside, with_domain
from .domain import domain, number_or_series
from .driven import drive, rate_of

__all__ = ["FIX_POINT", "FIX_DIRECTION", "FIX_SURFACE", "SET_DISPLACEMENT", "SET_VELOCITY", "SET_ACCELERATION", "PUT_RIGID_LINK"]

_KINDS = {"fixed_point": "FIXPNT", "fixed_direction": "FIXDIR", "velocity": "VELODIR", "displacement": "VELODIR", "acceleration": "VELODIR",
          "link": "RIGLNK", "at_least": "LIMIT", "at_most": "LIMIT", "above": "LIMIT", "below": "LIMIT", "ahead": "FIXDIR"}


class CONSTRAINT(Emptied):
    """A constraint. Local vectors are (tangent 1, tangent 2, normal) in the spatial base `base`, (x, y, z) for 'FIXPNT'; SI units."""

    _remedy = "make a new one"

    def __init__(self, solfec, id=None, row=None):
        self._solfec, self._id, self._contact = solfec, id, row
        self._release = None  #: of a constraint that moves an obstacle: takes it back
        if id is not None:
            solfec._constraints[id] = self

    @classmethod
    def _named(cls, solfec, id):
        """The one object for a prescribed constraint of this id."""
        return solfec._constraints.get(id) or cls(solfec, id)

    @property
    def _row(self):
        """Values: kind, bodies, points, frame (rows normal, tangents), local_force, gap, area, local_velocity, material, surfaces."""
        self._check_there()
        if self._contact is not None:
            return self._contact
        handle = Constraint(self._solfec._sim, self._id)
        if not handle.exists:
            raise ValueError(f"constraint {self._id} is no longer in the simulation: it or its body was deleted")
        row = dict(handle._info)
        row.update(_stored_row(self._solfec, self._id))
        return row

    @property
    def kind(self):
        """'CONTACT', 'FIXPNT', 'FIXDIR', 'VELODIR', 'RIGLNK', or 'LIMIT' (of a spring's stroke)."""
        row = self._row
        return "FIXPNT" if row["kind"] == "link" and row["length"] == 0.0 else _KINDS.get(row["kind"], row["kind"])

    @property
    def R(self):
        """Average reaction over the last step, (RT1, RT2, RN), N."""
        row = self._row
        return self._shown(row, row["local_force"])

    def _shown(self, row, values):
        """(T1, T2, N) from the engine's (N, T1, T2). A fixed point has no normal: its base are the axes x, y, z."""
        return floats(np.asarray(row["frame"]).T @ np.asarray(values)) if self.kind == "FIXPNT" else _local(values)

    @property
    def U(self):
        """Relative velocity at the end of the last step, (UT1, UT2, UN), m/s: of a contact, or of the first point against the second (or the air)."""
        row = self._row
        if "local_velocity" in row:
            return _local(row["local_velocity"])
        if "referential_points" not in row:
            return 0.0, 0.0, 0.0
        ends = [speed(self._solfec, body, X) for body, X in zip(row["bodies"], row["referential_points"])]
        return self._shown(row, np.asarray(row["frame"]) @ (ends[0] - (ends[1] if len(ends) > 1 else 0.0)))

    @property
    def V(self):
        """Relative velocity of a contact at the start of the last step, (VT1, VT2, VN), m/s; zero for other kinds, None in 'READ' mode."""
        if self._solfec._frame is not None:
            return None
        return _local(self._row.get("local_velocity_before", np.zeros(3)))

    @property
    def merit(self):
        """How far a contact is from its law, between 0 (exact) and about 1: |R - P(R - rho Uhat)| / max(|R|, rho |Uhat|), with P the projection
        on the friction cone and rho the mass the contact feels. U is the velocity at the end of the step, while friction is solved for the slip that the turn of both
        bodies leads to half a step later (theory, 3.17): where a contact slips on a body that turns, the two differ, and it shows some 1E-4, less with the square of
        the step, however exactly it was solved. 0 for other kinds, which are linear, and for springs."""
        row = self._row
        material = row.get("material", -1)
        law = self._solfec._surface_law(material)
        if row["kind"] != "CONTACT" or law["model"] == "SPRING_DASHPOT":
            return 0.0
        return _violation(self, row, law)

    @property
    def base(self):
        """Spatial base: (eT1x, eT2x, eNx, eT1y, eT2y, eNy, eT1z, eT2z, eNz); the axes x, y, z for 'FIXPNT'."""
        if self.kind == "FIXPNT":
            return floats(np.eye(3))
        normal, tangent1, tangent2 = np.asarray(self._row["frame"])
        return floats(np.column_stack([tangent1, tangent2, normal]))

    @property
    def point(self):
        """Where the force acts, (x, y, z), m; both ends (x1, y1, z1, x2, y2, z2) for 'RIGLNK' and 'LIMIT'."""
        row = self._row
        return floats(row["points"] if self.kind in ("RIGLNK", "LIMIT") else row["points"][0])

    @property
    def adjbod(self):
        """(body1, body2) for 'CONTACT', 'RIGLNK' and 'LIMIT' (None: fixed in the air) and 'FIXDIR' and 'FIXPNT' between two bodies, the one BODY
        otherwise."""
        kind = self.kind
        bodies = tuple(None if b < 0 else BODY._named(self._solfec, int(b)) for b in self._row["bodies"])
        return bodies if kind in ("CONTACT", "RIGLNK", "LIMIT") or (len(bodies) > 1 and bodies[1] is not None) else bodies[0]

    @property
    def matlab(self):
        """Label of a contact's surface material, None for other kinds and where no material was defined."""
        return self._solfec._surface_label(self._row.get("material", -1))

    @property
    def gap(self):
        """Gap of a contact, m; negative where bodies overlap. 0 for other kinds."""
        return float(self._row.get("gap", 0.0))

    @property
    def area(self):
        """Area of a contact, m^2. 0 for other kinds."""
        return float(self._row.get("area", 0.0))

    @property
    def spair(self):
        """Surface ids of a contact, None for other kinds."""
        surfaces = self._row.get("surfaces")
        return None if surfaces is None else (int(surfaces[0]), int(surfaces[1]))

    def _checkpoint_key(self):
        return None if self._id is None else ("solfec_constraint", self._id)

    def __repr__(self):
        return f"<CONSTRAINT: emptied by {self._taken_by}>" if self._taken_by else f"<CONSTRAINT {self.kind} R = {self.R}>"


plain_values.RESOLVERS["solfec_constraint"] = lambda sim, id: CONSTRAINT._named(sim._solfec, id)


def _violation(contact, row, law):
    """Relative distance of a contact's impulse and velocity from the law of Signorini and Coulomb."""
    step = contact._solfec.step
    mu, restitution = law["friction"], law["restitution"]
    R, U, V = np.asarray(row["local_force"]) * step, np.array(row["local_velocity"]), contact.V
    rho = 1.0 / sum(_mobility(body, row["points"][0]) for body in contact.adjbod)

    def distance(added):
        shifted = U + (added + mu * np.hypot(U[1], U[2]), 0.0, 0.0)
        scale = max(np.linalg.norm(R), rho * np.linalg.norm(shifted))
        return float(np.linalg.norm(R - _on_cone(R - rho * shifted, mu)) / scale) if scale > 0 else 0.0

    # What the law adds to the normal velocity: the gap that is still open or, of a contact that closed fast enough to bounce, its rebound.
    resting = distance(max(row["gap"], 0.0) / step)
    return resting if restitution == 0 or not V else min(resting, distance(restitution * min(0.0, V[2])))


def _mobility(body, point):
    """A third of the trace of the inverse mass of a body at a point, 1/kg."""
    if body is None or body.kind == "OBSTACLE":
        return 0.0
    rotation, position = body._state()[:2]
    arm = rotation.T @ (np.asarray(point) - position)
    skew = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    return (3 / body.mass + np.trace(skew @ np.linalg.solve(np.reshape(body.tensor, (3, 3)), skew.T))) / 3


def _on_cone(r, mu):
    """Projection of (normal, tangent 1, tangent 2) on the friction cone."""
    slip = np.hypot(r[1], r[2])
    if slip <= mu * r[0]:
        return r
    if mu * slip <= -r[0]:
        return np.zeros(3)
    normal = (r[0] + mu * slip) / (1 + mu * mu)
    return np.array([normal, *(mu * normal / slip * r[1:])]) if slip > 0 else np.array([max(r[0], 0.0), 0.0, 0.0])


def _local(values):
    """(tangent 1, tangent 2, normal) from (normal, tangent 1, tangent 2)."""
    return float(values[1]), float(values[2]), float(values[0])


def _contact_row(table, k, frame):
    before = {"local_velocity_before": table["local_velocity_before"][k]} if "local_velocity_before" in table else {}
    return {**before, "kind": "CONTACT", "bodies": table["bodies"][k], "points": [table["point"][k]], "frame": frame, "local_force": table["local_force"][k],
            "local_velocity": table["local_velocity"][k], "gap": table["gap"][k], "area": table["area"][k], "material": int(table["material"][k]),
            "surfaces": table["surfaces"][k]}


def _stored_row(solfec, id):
    """In READ mode: force and place of a prescribed constraint in the frame shown."""
    frame = solfec._frame
    if frame is None:
        return {}
    table = frame.contacts
    at = np.flatnonzero(table["constraint"] == id)
    if not at.size:
        return {}  # made by the script, and not in the frame (yet)
    k = at[0]
    info = Constraint(solfec._sim, id)._info
    points = [placed(solfec, b, X) for b, X in zip(info["bodies"], info["referential_points"])]
    return {"frame": table["frame"][k], "local_force": table["local_force"][k], "points": points}


#: Kinds of constraints as results store them.
_STORED = {1: "FIXPNT", 2: "FIXDIR", 3: "VELODIR", 4: "RIGLNK", 5: "LIMIT"}


def _held_row(solfec, table, k):
    """Values of a prescribed constraint that only the results and the checkpoint know."""
    kind, bodies, points = _STORED.get(int(table["kind"][k]), "FIXPNT"), table["bodies"][k], [table["point"][k]]
    if kind in ("RIGLNK", "LIMIT"):
        info = solfec._stored_constraint(int(table["constraint"][k]))
        points.append(np.full(3, np.nan) if info is None else placed(solfec, info["bodies"][1], info["referential_points"][1]))
    else:
        bodies = bodies[::-1]
    return {"kind": kind, "bodies": bodies, "points": points, "frame": table["frame"][k], "local_force": table["local_force"][k]}


def placed(solfec, body, X):
    """Place of a referential point of a body in the state shown, m; of one in the air, itself."""
    if body < 0:
        return X
    body = BODY._named(solfec, int(body))
    deformed = body._deformed()
    if deformed is not None:
        return np.asarray(deformed.point(X))
    rotation, position, _, _, center = body._state()
    return rotation @ (X - center) + position


def speed(solfec, body, X):
    """Velocity of a referential point of a body in the state shown, m/s; 0 in the air."""
    if body < 0:
        return np.zeros(3)
    body = BODY._named(solfec, int(body))
    deformed = body._deformed()
    if deformed is not None:
        return np.asarray(deformed.point_velocity(X))
    rotation, _, velocity, angular, center = body._state()
    return velocity + np.cross(angular, rotation @ (np.asarray(X) - center))


def all_constraints(solfec, body=None):
    """Prescribed constraints, then the contacts that touch or carry a force; of one body (its id) alone where it is given."""
    frame = solfec._frame
    if frame is not None:
        table = frame.contacts
        axes = table["frame"]
        chosen = table["kind"] == 0
        held = [CONSTRAINT._named(solfec, int(table["constraint"][k])) if solfec._engine.has_constraint(int(table["constraint"][k]))
                else CONSTRAINT(solfec, row=_held_row(solfec, table, k)) for k in np.flatnonzero(~chosen)]
    else:
        held = [CONSTRAINT._named(solfec, int(i)) for i in solfec._engine.constraint_ids()]
        table = solfec._sim.contacts
        axes = np.stack([table["normal"], table["tangent1"], table["tangent2"]], axis=1)
        chosen = np.ones(len(table["gap"]), dtype=bool)
    chosen &= (table["gap"] <= 0) | np.any(table["local_force"] != 0, axis=1)
    if body is not None:
        held = [c for c in held if body in c._row["bodies"]]
        chosen &= (table["bodies"] == body).any(axis=1)
    return held + [CONSTRAINT(solfec, row=_contact_row(table, k, axes[k])) for k in np.flatnonzero(chosen)]


def _driven(solfec, body, kind, point, directions, value=0.0):
    """A constraint that moves an obstacle; `kind` names it as the engine does."""
    X = _check.vector("point", point)
    axes = [_check.direction("direction", d) for d in directions]
    rate = rate_of(kind, value, solfec.time, solfec.step) if kind in ("velocity", "displacement", "acceleration") else 0.0
    row = {"kind": kind, "bodies": (body.id, -1), "points": [body._handle.point(X)], "frame": frame_of(axes[0]), "local_force": np.zeros(3)}
    made = CONSTRAINT(solfec, row=row)
    made._release = drive(body).add([(axis, X, rate) for axis in axes])
    return made


def frame_of(axis):
    """Rows: the direction and two across it."""
    normal = axis / np.linalg.norm(axis)
    across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    across /= np.linalg.norm(across)
    return np.stack([normal, across, np.cross(normal, across)])


def held(solfec, body, kind, point, direction, value):
    """A constraint along a direction on a body that moves, or on an obstacle that it moves."""
    handle = point_of("point", body_of("body", body, solfec), point)
    if body.kind == "OBSTACLE":
        return _driven(solfec, body, kind, point, [direction], value)
    if kind == "displacement":
        value = _since(value, solfec.time)
    make = {"velocity": solfec._sim.set_velocity, "displacement": solfec._sim.set_displacement, "acceleration": solfec._sim.set_acceleration}[kind]
    return CONSTRAINT(solfec, make(handle, point, direction, value).id)


def _since(value, now):
    """A displacement counted from what it is now: bodies go on from where they are."""
    if not isinstance(value, TimeSeries):
        return 0.0
    return TimeSeries(np.column_stack([value.times, np.asarray(value.values) - value(now)]))


def point_of(what, body, point):
    """The handle of a body after a check that a point is of it (finite elements; rigid bodies hold points outside, too)."""
    handle = body._handle
    inside(body, handle if handle.deforms else None, point, what)
    return handle


def _breaks(made, strength, force):
    """Let a constraint go once force (its local force) exceeds a strength, N."""
    if strength is None or strength == math.inf:
        return made
    strength, solfec = _check.positive("strength", strength), made._solfec

    def watch(sim):
        if sim._engine.has_constraint(made._id) and force(Constraint(sim, made._id).local_force) > strength:
            sim._engine.remove_constraint(made._id)

    solfec._sim.callback(0.0, watch)
    return made


@with_domain
def FIX_POINT(solfec, body, point, strength=None):
    """obj = FIX_POINT (solfec, body, point | strength): hold a referential point (m) of a body in its place. strength: size of the
    reaction, N, beyond which the constraint is deleted. On an OBSTACLE it takes part in what moves it, see
    SET_VELOCITY."""
    domain("solfec", solfec)
    handle = point_of("point", body_of("body", body, solfec), point)
    if body.kind == "OBSTACLE":
        return _driven(solfec, body, "fixed_point", point, np.eye(3))
    return _breaks(CONSTRAINT(solfec, solfec._sim.fix_point(handle, point).id), strength, np.linalg.norm)


@with_domain
def FIX_SURFACE(solfec, body, surfid, direction):
    """obj = FIX_SURFACE (solfec, body, surfid, direction): hold the nodes on a surface of a finite element body along a direction: a spatial
    vector, 'NORMAL' (outward), 'TANGENT1' (steepest descent; x on horizontal faces) or 'TANGENT2'. Returns the list of constraints."""
    domain("solfec", solfec)
    handle = body_of("body", body, solfec)._handle
    if handle.kind != "finite_element":
        raise ValueError(f"body = {body!r}: surfaces are those of a 'FINITE_ELEMENT' body")
    made = solfec._sim.fix_surface(handle, _check.integer("surfid", surfid), direction if isinstance(direction, str) else _check.direction("direction", direction))
    return [CONSTRAINT(solfec, c.id) for c in made]


@with_domain
def FIX_DIRECTION(solfec, body, point, direction, body2=None, point2=None):
    """obj = FIX_DIRECTION (solfec, body, point, direction | body2, point2): forbid a referential point to move along a spatial direction. With
    body2, a point of it (point2, default point) may not move along a direction that turns with body: it slides in a plane of that body, and the
    force acts between them."""
    domain("solfec", solfec)
    handle = point_of("point", body_of("body", body, solfec), point)
    if body2 is not None:
        second = point if point2 is None else point2
        return CONSTRAINT(solfec, solfec._sim.fix_direction(handle, point, direction, point_of("point2", body_of("body2", body2, solfec), second), second).id)
    if body.kind == "OBSTACLE":
        return _driven(solfec, body, "fixed_direction", point, [direction])
    return CONSTRAINT(solfec, solfec._sim.fix_direction(handle, point, direction).id)


@with_domain
def SET_DISPLACEMENT(solfec, body, point, direction, tms):
    """obj = SET_DISPLACEMENT (solfec, body, point, direction, tms): move a referential point along a direction by a TIME_SERIES, m. What
    counts is how it changes: a point goes on from where it is, whatever the series begins with. An OBSTACLE is moved as in SET_VELOCITY."""
    domain("solfec", solfec)
    if not isinstance(tms, TimeSeries):
        raise ValueError(f"tms = {tms!r}: a TIME_SERIES of displacements, m, is expected; a constant one moves nothing: FIX_DIRECTION holds a point")
    return held(solfec, body, "displacement", point, direction, tms)


@with_domain
def SET_VELOCITY(solfec, body, point, direction, value):
    """obj = SET_VELOCITY (solfec, body, point, direction, value): velocity of a referential point along a direction, m/s: a number
    or a TIME_SERIES. An OBSTACLE is shifted as a whole, wherever the point is; it turns only as far as no shift does what all its constraints ask
    (two points held: a hinge)."""
    domain("solfec", solfec)
    return held(solfec, body, "velocity", point, direction, number_or_series("value", value))


@with_domain
def SET_ACCELERATION(solfec, body, point, direction, tms):
    """obj = SET_ACCELERATION (solfec, body, point, direction, tms): accelerate a referential point along a direction, m/s^2. An OBSTACLE is
    moved as in SET_VELOCITY."""
    domain("solfec", solfec)
    return held(solfec, body, "acceleration", point, direction, number_or_series("tms", tms))


@with_domain
def PUT_RIGID_LINK(solfec, body1, body2, point1, point2, strength=None):
    """obj = PUT_RIGID_LINK (solfec, body1, body2, point1, point2 | strength): keep the distance of two referential points (m); points nearer than
    GEOMETRIC_EPSILON stay together (kind 'FIXPNT'). One body may be None: its point is then fixed in the air. strength: tension, N, beyond which the link is deleted (of points that coincide: size of the
    reaction)."""
    domain("solfec", solfec)
    if body1 is None and body2 is None:
        raise ValueError("body1 = body2 = None: at least one body is needed")
    bodies = [None if b is None else point_of(f"point{k}", body_of(f"body{k}", b, solfec), p)
              for k, b, p in ((1, body1, point1), (2, body2, point2))]
    points = [_check.vector("point1", point1), _check.vector("point2", point2)]
    if np.linalg.norm(points[1] - points[0]) < _settings.geometric_epsilon:
        points[1] = points[0]
    made = CONSTRAINT(solfec, solfec._sim.rigid_link(*bodies, *points).id)
    together = Constraint(solfec._sim, made._id).length == 0.0
    return _breaks(made, strength, np.linalg.norm if together else lambda force: -force[0])
