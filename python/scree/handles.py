"""Bodies, constraints and materials as Python sees them: handles that name something inside a simulation."""
import numpy as np

from . import _check, _scree, series
from .shapes import Shape


def _force_value(answer, body_id):
    """(force, torque, referential torque, forces on points) from what a user's function returned."""
    zero, name = np.zeros(3), f"force function of body {body_id}"
    if isinstance(answer, np.ndarray) and answer.shape == (3,) or isinstance(answer, (tuple, list)) and len(answer) == 3 and all(np.ndim(a) == 0 for a in answer):
        parts, at = (answer, zero, zero), ()
    elif isinstance(answer, (tuple, list, np.ndarray)) and 1 <= len(answer) <= 4:
        parts, at = (*answer, zero, zero)[:3], answer[3] if len(answer) == 4 else ()
    else:
        raise ValueError(f"{name}: returned {answer!r}: a force, (force, torque) or (force, torque, referential torque) is expected, three numbers each")
    return *(_check.vector(f"{name}: returned", part) for part in parts), [tuple(_check.vector(f"{name}: returned", v) for v in pair) for pair in at]


class _Handle:
    """Something of a simulation, named by an id that stays valid until it is deleted."""

    __slots__ = ("_sim", "id", "__weakref__")

    def __init__(self, sim, id):
        self._sim = sim
        self.id = id

    def __setattr__(self, name, value):
        _check.member(self, name)
        object.__setattr__(self, name, value)

    @property
    def _engine(self):
        return self._sim._engine

    def __eq__(self, other):
        return type(other) is type(self) and other._sim is self._sim and other.id == self.id

    def __hash__(self):
        return hash((type(self).__name__, id(self._sim), self.id))


class Body(_Handle):
    """A body of a simulation. SI units; angular velocities are spatial unless said otherwise."""

    __slots__ = ()

    @property
    def exists(self):
        """False once the body was deleted or left the extents."""
        return self._engine.has_body(self.id)

    @property
    def kind(self):
        """'rigid', 'pseudo_rigid', 'finite_element' or 'obstacle'."""
        return self._engine.body_kind(self.id)

    @property
    def label(self):
        return self._engine.label(self.id)

    @property
    def shape(self):
        """Shape in referential coordinates."""
        return Shape(self._engine.shape(self.id))

    @property
    def mass(self):
        """kg."""
        return self._engine.mass(self.id)

    @property
    def volume(self):
        """m^3."""
        return self._engine.volume(self.id)

    @property
    def center(self):
        """Referential mass centre, m."""
        return self._engine.center(self.id)

    @property
    def inertia(self):
        """Referential inertia tensor about the mass centre, kg m^2."""
        return self._engine.inertia(self.id)

    @property
    def position(self):
        """Mass centre, m. Assign to move the body."""
        return self._engine.position(self.id)

    @position.setter
    def position(self, value):
        self._engine.set_placement(self.id, self.rotation, _check.vector("position", value))

    @property
    def rotation(self):
        """Rotation matrix from referential to spatial vectors; deformation gradient of a pseudo-rigid body, mean rotation of a finite
        element body. Assign a rotation to turn the body about its mass centre (a deformable one loses its deformation)."""
        return self._engine.rotation(self.id)

    @rotation.setter
    def rotation(self, value):
        self._engine.set_placement(self.id, _check.matrix("rotation", value), self.position)

    @property
    def velocity(self):
        """Velocity of the mass centre, m/s. Assign to change it."""
        return self._engine.velocity(self.id)

    @velocity.setter
    def velocity(self, value):
        self._engine.set_velocity(self.id, _check.vector("velocity", value), self.angular_velocity)

    @property
    def angular_velocity(self):
        """Spatial angular velocity, rad/s. Assign to change it."""
        return self._engine.angular_velocity(self.id)

    @angular_velocity.setter
    def angular_velocity(self, value):
        self._engine.set_velocity(self.id, self.velocity, _check.vector("angular_velocity", value))

    @property
    def conf(self):
        """Configuration: the nine entries of the rotation (pseudo-rigid: deformation gradient) column by column, then the mass centre
        (12 numbers); of finite elements the places of the nodes."""
        if self.deforms:
            return self._engine.configuration(self.id)
        return np.concatenate([self.rotation.T.ravel(), self.position])

    @property
    def velo(self):
        """Velocity: referential angular velocity, then that of the mass centre (6 numbers); of deformable bodies the rate of conf."""
        if self.deforms:
            return self._engine.rates(self.id)
        return np.concatenate([self._engine.referential_angular(self.id), self.velocity])

    @property
    def kinetic_energy(self):
        """J."""
        return self._engine.kinetic_energy(self.id)

    @property
    def deforms(self):
        """True for pseudo-rigid and finite element bodies."""
        return self._engine.deforms(self.id)

    @property
    def internal_energy(self):
        """Stored in the deformation, J."""
        return self._engine.internal_energy(self.id)

    @property
    def nodes(self):
        """Current places of the nodes of a finite element body, (n, 3), m."""
        if self.kind != "finite_element":
            raise ValueError(f"body {self.id} is {self.kind}: only finite element bodies have nodes")
        return self._engine.configuration(self.id).reshape(-1, 3)

    def apply_load(self, surface, direction, value, convected=False):
        """Load the faces of a surface id of a finite element body.

        direction: 'NORMAL' (outward), 'TANGENT1' (steepest descent; x on horizontal faces), 'TANGENT2', or a vector. value: Pa, a number or a
        TimeSeries. convected: the load follows the faces and acts on their current area; otherwise it keeps direction and size."""
        named = direction if isinstance(direction, str) else ""
        vector = np.zeros(3) if named else _check.direction("load: direction", direction)
        vector = vector if named else vector / np.linalg.norm(vector)
        self._engine.add_surface_load(self.id, _check.flag("load: convected", convected), _check.integer("load: surface", surface), named, vector,
                                      series.native("load: value", value))

    def apply_pressure(self, surface, value):
        """Press on the faces of a surface id: Pa, a number or a TimeSeries; follows the faces."""
        negative = series.TimeSeries(np.stack([value.times, -value.values], axis=1)) if isinstance(value, series.TimeSeries) else -_check.number("pressure", value)
        self.apply_load(surface, "NORMAL", negative, convected=True)

    def surface(self, surface):
        """(points, outward normals) of the nodes on the faces of a surface id, referential, two (n, 3) arrays."""
        points, normals = self._engine.surface(self.id, _check.integer("surface", surface))
        if not len(points):
            raise ValueError(f"surface = {surface}: body {self.id} has no faces of this surface id")
        return points, normals

    def stress(self, X):
        """Cauchy stress at a referential point of a deformable body: xx, yy, zz, xy, xz, yz and von Mises, Pa."""
        return self._engine.stress(self.id, _check.vector("point", X))

    @property
    def critical_step(self):
        """Largest stable step of 'DEF_EXP', s."""
        return self._engine.critical_step(self.id)

    @property
    def work(self):
        """Work done on the body since the start, J: external, contact, friction, damping."""
        return dict(zip(("external", "contact", "friction", "damping"), self._engine.work(self.id)))

    @property
    def scheme(self):
        """Integrator: 'RIG_EXACT' (default), 'RIG_POS', 'RIG_NEG' or 'RIG_IMP'; of deformable bodies 'DEF_EXP', 'DEF_LIM' (default) or 'DEF_IMP'."""
        return self._engine.scheme(self.id)

    @scheme.setter
    def scheme(self, value):
        self._engine.set_scheme(self.id, _check.text("scheme", value))

    @property
    def damping(self):
        """Mass-proportional damping, 1/s."""
        return self._engine.damping(self.id)

    @damping.setter
    def damping(self, value):
        self._engine.set_damping(self.id, _check.number("damping", value))

    @property
    def stiffness_damping(self):
        """Stiffness-proportional damping of a deformable body, s."""
        return self._engine.stiffness_damping(self.id)

    @stiffness_damping.setter
    def stiffness_damping(self, value):
        self._engine.set_stiffness_damping(self.id, _check.number("stiffness_damping", value))

    @property
    def round_spheres(self):
        """Spheres of a pseudo-rigid body keep their shape; False: they become ellipsoids."""
        return self._engine.round_spheres(self.id)

    @round_spheres.setter
    def round_spheres(self, value):
        self._engine.set_round_spheres(self.id, _check.flag("round_spheres", value))

    @property
    def selfcontact(self):
        """Contact between parts of a deformable body that are not neighbours."""
        return self._engine.selfcontact(self.id)

    @selfcontact.setter
    def selfcontact(self, value):
        self._engine.set_selfcontact(self.id, _check.flag("selfcontact", value))

    def point(self, X):
        """Current place of a referential point, m."""
        return self._engine.point(self.id, _check.vector("point", X))

    def point_velocity(self, X):
        """Velocity of a referential point, m/s."""
        return self._engine.point_velocity(self.id, _check.vector("point", X))

    def apply_force(self, point, direction, value, convected=False):
        """Apply a force on a referential point (m) along a direction.

        value: newtons as a number or a TimeSeries, or a function f(state, time, step) -> newtons, where `state` has
        rotation, position, velocity and angular_velocity at mid-step. convected: the direction turns with the body."""
        point, direction, convected = _check.vector("force: point", point), _check.direction("force: direction", direction), _check.flag("force: convected", convected)
        if not callable(value) or isinstance(value, series.TimeSeries):
            self._engine.add_force(self.id, convected, point, direction, series.native("force: value", value))
            return
        unit, center = direction / np.linalg.norm(direction), self.center

        def force(state, time, step):
            along = state.rotation @ unit if convected else unit
            newtons = _check.number(f"force function of body {self.id}: returned", value(state, time, step)) * along
            return self._pushed(point, newtons, state.rotation @ (point - center))

        self.apply_function(force)

    def _pushed(self, point, force, arm):
        """What a force function returns for a force (N) on a referential point (m), whose arm from the mass centre is given for rigid bodies."""
        return (np.zeros(3), np.zeros(3), np.zeros(3), [(point, force)]) if self.deforms else (force, np.cross(arm, force))

    def apply_torque(self, direction, value, convected=False):
        """Apply a torque: newton metres (a number or a TimeSeries) about a direction."""
        self._engine.add_torque(self.id, _check.flag("torque: convected", convected), _check.direction("torque: direction", direction),
                                series.native("torque: value", value))

    def apply_function(self, function):
        """Apply what f(state, time, step) returns: a spatial force at the mass centre (N), or (force, torque), or
        (force, spatial torque, referential torque) with torques in N m. A fourth entry lists (point, force): forces (N) on referential points (m) of
        a deformable body, which deform it there; the others act on it as a whole."""
        _check.function("function", function, "state", "time", "step")
        body = self.id
        self._engine.add_user_force(body, lambda state, time, step: _force_value(function(state, time, step), body))

    def set_characteristics(self, mass=None, volume=None, center=None, inertia=None):
        """Override mass (kg), volume (m^3), referential centre (m) and inertia tensor (kg m^2); None keeps a value."""
        mass = self.mass if mass is None else _check.positive("mass", mass)
        volume = self.volume if volume is None else _check.positive("volume", volume)
        center = self.center if center is None else _check.vector("center", center)
        inertia = self.inertia if inertia is None else _check.matrix("inertia", inertia)
        self._engine.set_characteristics(self.id, mass, volume, center, inertia)

    def move(self, velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0), pivot=None, acceleration=None):
        """Prescribe the motion of an obstacle: velocity (m/s) and angular velocity (rad/s) about the spatial point
        `pivot` (default: its mass centre). Components may be numbers or TimeSeries.

        acceleration: three components (m/s^2), numbers or TimeSeries such as an accelerogram; then `velocity`, three numbers, is that of now."""
        def three(what, value):
            try:
                parts = list(value)
            except TypeError:
                parts = []
            if len(parts) != 3:
                raise ValueError(f"{what} = {value!r}: three numbers or TimeSeries are expected")
            return [series.native(f"{what}[{k}]", part) for k, part in enumerate(parts)]

        pivot = self.position if pivot is None else _check.vector("pivot", pivot)
        if acceleration is not None:
            start = _check.vector("velocity (at the start of an acceleration history)", velocity)
            parts = three("acceleration", acceleration)
            velocity = [series.integrated(part, self._sim.time, v, self._sim.step) for part, v in zip(parts, start)]
        self._engine.set_motion(self.id, three("velocity", velocity), three("angular_velocity", angular_velocity), pivot)

    def hold(self, motion="", rotation=""):
        """Hold motions of a rigid body for good: `motion` of its mass centre along, and `rotation` about, the axes named, such as 'y' or 'xz'.

        Rotation about none, two or all three axes may be held; 'y' and 'xz' make it a body in the plane y = const. It must not be moving that way."""
        bits = 0
        for what, axes, shift in (("motion", motion, 0), ("rotation", rotation, 3)):
            for axis in _check.text(what, axes):
                bits |= 1 << (shift + "xyz".index(_check.choice(f"{what}: axis", axis, ("x", "y", "z"))))
        self._engine.hold(self.id, bits)

    @property
    def held(self):
        """Axes (motion, rotation) held by hold()."""
        bits = self._engine.held(self.id)
        return tuple("".join(axis for k, axis in enumerate("xyz") if bits >> (shift + k) & 1) for shift in (0, 3))

    def delete(self):
        """Take the body out of the simulation with all that refers to it."""
        self._engine.remove_body(self.id)

    def _checkpoint_key(self):
        return ("body", self.id)

    def __repr__(self):
        name = f"Body {self.id}" + (f" '{self.label}'" if self.exists and self.label else "")
        if not self.exists:
            return f"<{name}: deleted>"
        x = ", ".join(f"{c:.4g}" for c in self.position)
        return f"<{name}: {self.kind}, {self.mass:.4g} kg at ({x}) m>"


class Bodies:
    """All bodies of a simulation: iterate, look up by label, or read their state as arrays in the order of `ids`."""

    def __init__(self, sim):
        self._sim = sim

    def __len__(self):
        return self._sim._engine.body_count()

    def __iter__(self):
        return (Body(self._sim, int(i)) for i in self.ids)

    def __getitem__(self, key):
        if isinstance(key, str):
            labels = self._sim._engine.labels()
            if key not in labels:
                raise KeyError(f"no body is labelled '{key}'{_check.nearest(key, [label for label in labels if label])}")
            return Body(self._sim, int(self.ids[labels.index(key)]))
        ids = self.ids
        if isinstance(key, slice):
            return [Body(self._sim, int(i)) for i in ids[key]]
        if not -len(ids) <= (place := _check.integer("bodies[...]", key)) < len(ids):
            raise IndexError(f"bodies[{place}]: there are {len(ids)} bodies, numbered from 0; bodies['label'] finds one by its name")
        return Body(self._sim, int(ids[place]))

    def __contains__(self, key):
        if isinstance(key, Body):
            return key._sim is self._sim and key.exists
        return key in self._sim._engine.labels()

    @property
    def ids(self):
        return self._sim._engine.ids()

    @property
    def labels(self):
        return self._sim._engine.labels()

    @property
    def moving(self):
        """False for obstacles."""
        return self._sim._engine.moving()

    @property
    def masses(self):
        """kg."""
        return self._sim._engine.masses()

    @property
    def positions(self):
        """Mass centres, (n, 3), m."""
        return self._sim._engine.positions()

    @property
    def rotations(self):
        """Rotation matrices, (n, 3, 3)."""
        return self._sim._engine.rotations()

    @property
    def velocities(self):
        """Of the mass centres, (n, 3), m/s."""
        return self._sim._engine.velocities()

    @property
    def angular_velocities(self):
        """Spatial, (n, 3), rad/s."""
        return self._sim._engine.angular_velocities()

    def __repr__(self):
        moving = int(self.moving.sum())
        return f"<{len(self)} bodies: {moving} moving, {len(self) - moving} obstacles>"


class Constraint(_Handle):
    """A constraint the user prescribed."""

    __slots__ = ()

    @property
    def exists(self):
        """False once the constraint or its body was deleted."""
        return self._engine.has_constraint(self.id)

    @property
    def _info(self):
        return self._engine.constraint(self.id)

    @property
    def kind(self):
        """'fixed_point', 'fixed_direction', 'velocity', 'displacement', 'acceleration', 'link', or a limit: 'at_least',
        'at_most', 'above', 'below'."""
        return self._info["kind"]

    @property
    def bodies(self):
        """Tuple of the bodies it acts on."""
        return tuple(Body(self._sim, b) for b in self._info["bodies"] if b >= 0)

    @property
    def points(self):
        """Current places of its points, m: one row, two for links and limits."""
        info = self._info
        return np.array(info["points"][: 2 if info["kind"] in ("link", "at_least", "at_most", "above", "below") else 1])

    @property
    def force(self):
        """Average force of the last step on the first body, spatial, N."""
        return self._info["force"]

    @property
    def local_force(self):
        """The same in the frame: (normal, tangent 1, tangent 2), N."""
        return self._info["local_force"]

    @property
    def frame(self):
        """Rows: normal, tangent 1, tangent 2."""
        return self._info["frame"]

    @property
    def length(self):
        """Length of a link or limit, m."""
        return self._info["length"]

    def delete(self):
        """Release the constraint."""
        self._engine.remove_constraint(self.id)

    def _checkpoint_key(self):
        return ("constraint", self.id)

    def __repr__(self):
        if not self.exists:
            return f"<Constraint {self.id}: deleted>"
        bodies = ", ".join(str(b.id) for b in self.bodies)
        return f"<Constraint {self.id}: {self.kind} on body {bodies}>"


class _Material(_Handle):
    __slots__ = ()
    _fields = ()

    def __getattr__(self, name):
        if name in self._fields:
            return self._info[name]
        raise AttributeError(f"{type(self).__name__} has no attribute '{name}'{_check.nearest(name, self._fields)}")

    def __setattr__(self, name, value):
        if name in _Handle.__slots__:
            object.__setattr__(self, name, value)
        elif name in self._writable:
            self._update(**{**{k: self._info[k] for k in self._writable}, name: value})
        else:
            raise AttributeError(f"{type(self).__name__}: '{name}' cannot be set{_check.nearest(name, self._writable)}")

    def __repr__(self):
        values = ", ".join(f"{k}={self._info[k]!r}" for k in self._writable)
        return f"<{type(self).__name__} '{self.label}': {values}>"


class SurfaceMaterial(_Material):
    """Law between two surfaces. Readable: surface1, surface2, is_default, label. Writable: model, friction,
    cohesion (Pa), restitution, spring (N/m), dashpot (N s/m), power."""

    __slots__ = ()
    _writable = ("model", "friction", "cohesion", "restitution", "spring", "dashpot", "power")
    _fields = ("surface1", "surface2", "is_default", "label") + _writable

    @property
    def _info(self):
        return self._engine.surface_material_info(self.id)

    def _update(self, model, **values):
        self._engine.update_surface_material(self.id, _check.text("model", model),
                                             *((_check.unbounded(k, values[k], _check.number) if k == "friction" else _check.number(k, values[k])) for k in self._writable[1:]))

    def _checkpoint_key(self):
        return ("surface_material", self.id)


class BulkMaterial(_Material):
    """Material of a volume. Readable: model, label. Writable: young (Pa), poisson, density (kg/m^3)."""

    __slots__ = ()
    _writable = ("young", "poisson", "density")
    _fields = ("model", "label") + _writable

    @property
    def _info(self):
        return self._engine.bulk_material_info(self.id)

    def _update(self, **values):
        given = values["young"] != self._info["young"]
        self._engine.update_bulk_material(self.id, *(_check.number(k, values[k]) for k in self._writable))
        if given:
            self._sim._soft.discard(self.id)

    def _checkpoint_key(self):
        return ("bulk_material", self.id)
