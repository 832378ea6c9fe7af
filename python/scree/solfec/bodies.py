"""BODY, and the routines that change bodies."""
import numpy as np

from .. import _check, _scree, plain_values
from .. import shapes as modern
from ..handles import Body
from . import _settings
from ._arguments import Emptied, flag, floats, routine, text
from .domain import SOLFEC, bulk_material, domain
from .mesh import listed_faces, mesh_of
from .shapes import as_one, objects

__all__ = ["BODY", "BODY_CHARS", "INITIAL_VELOCITY", "MATERIAL", "APPLY_BULKMAT"]

FORMS = ("TL", "BC", "BC-IM", "BC-MODAL", "BC-RO", "RO")
_UNTURNABLE = 1e12  #: a body with this many times its inertia does not turn
_KINDS = ("RIGID", "PSEUDO_RIGID", "FINITE_ELEMENT", "OBSTACLE")


class BODY(Emptied):
    """obj = BODY (solfec, kind, shape, material | label, formulation, mesh, form, base): a body in the place its shape has.

    kind: 'RIGID', 'PSEUDO_RIGID', 'FINITE_ELEMENT' or 'OBSTACLE' (nothing pushes it). shape: an object or a list (emptied). material: a
    BULK_MATERIAL or its label. label: a name. formulation: of finite elements, 'FEM_O1' or 'FEM_O2' (second order). mesh: a MESH (emptied) around a
    shape of CONVEX objects, which then carries their motion; without it the shape is a single MESH. form: 'TL' (total Lagrangian), 'BC'
    (co-rotational, small strain), 'BC-IM' (the same with incompatible modes, for hexahedra that bend), 'BC-MODAL' (with elastic modes) or 'BC-RO'
    (reduced: rigid motion and the deformations that the vectors of its base span); later scripts give it in the place of formulation. base: of
    'BC-MODAL', what MODAL_ANALYSIS returned or the number of modes (default 12); of 'BC-RO', (values, vectors) in the same layout; or the label of a
    REGISTER_BASE. modal is an older name of base. Other kinds do not use these arguments."""

    @routine
    def __init__(self, solfec, kind, shape, material, label=None, formulation="FEM_O1", mesh=None, form="TL", base=None, modal=None):
        domain("solfec", solfec)
        _check.choice("kind", kind, _KINDS)
        if formulation in FORMS:  # (..., label, form, mesh, base) of the last version
            formulation, form, base = "FEM_O1", formulation, form if base is None and form != "TL" else base
        _check.choice("formulation", formulation, ("FEM_O1", "FEM_O2"))
        form, base = {"RO": "BC-RO"}.get(_check.choice("form", form, FORMS), form), _base(solfec, modal if base is None else base)
        material = bulk_material("material", solfec, material)
        members = objects("shape", shape)
        sim, more = solfec._sim, {}
        if kind == "FINITE_ELEMENT":
            carriers = [] if mesh is None else objects("mesh", mesh)
            shapes = _deformations(base, carriers or members) if form == "BC-RO" else None
            form = "BC-MODAL" if form == "BC-RO" else form
            more = {"mesh": as_one(carriers) if carriers else None, "order": 2 if formulation == "FEM_O2" else 1, "form": text("form", form),
                    "modes": _modes(form, base) if shapes is None else 0, "shapes": shapes}
            members_taken = members + carriers
        else:
            members_taken = members
        make = {"RIGID": sim.rigid, "PSEUDO_RIGID": sim.pseudo_rigid, "FINITE_ELEMENT": sim.finite_element, "OBSTACLE": sim.obstacle}[kind]
        handle = make(as_one(members), material=material._handle, label=None if label is None else text("label", label), **more)
        for member in members_taken:
            member._take("BODY")
        self._bind(solfec, handle.id)
        meshes = members_taken[len(members):] or members
        self._numbering = meshes[0]._numbering if len(meshes) == 1 else None
        self._carrier, self._formed = more.get("mesh"), {k: v for k, v in more.items() if k != "mesh"}

    _numbering = None  #: numbers of the nodes of its mesh in the script, where they are not those of the engine
    _carrier = None  #: shape of the mesh that carries an embedded shape
    _formed = {}     #: order, form and modes of a finite element body

    def _bind(self, solfec, id):
        self._solfec, self._id = solfec, id
        self._scheme, self._selfcontact, self._fracturecheck = "DEFAULT", "OFF", "OFF"
        self._display_points, self._turning = [], None
        solfec._bodies[id] = self

    @classmethod
    def _named(cls, solfec, id):
        """The one object for a body of this id."""
        if id not in solfec._bodies:
            cls.__new__(cls)._bind(solfec, id)
        return solfec._bodies[id]

    _remedy = "make a new one"

    @property
    def display_points(self):
        """Referential points remembered by DISPLAY_POINT, as (label, point)."""
        return self._display_points

    # --- where the state comes from ---------------------------------------------------------------------------

    @property
    def _handle(self):
        """The body in the engine."""
        self._check_there()
        handle = Body(self._solfec._sim, self._id)
        if not handle.exists:
            raise ValueError(f"body {self._id} is no longer in the simulation: it was deleted or it left the EXTENTS"
                             if self._solfec._reader is None else f"body {self._id} was made during the run; only its stored state can be read")
        return handle

    @property
    def _row(self):
        """What the results say about a body that the script did not make (READ mode); None when the engine has it."""
        self._check_there()
        if self._solfec._reader is None or self._solfec._engine.has_body(self._id):
            return None
        return self._solfec._reader.bodies[self._solfec._reader.row(self._id)]

    def _state(self):
        """(rotation, mass centre, velocity, spatial angular velocity, referential mass centre) now, or at the frame shown."""
        at = self._place()
        if at is None:
            handle = self._handle
            return handle.rotation, handle.position, handle.velocity, handle.angular_velocity, handle.center
        frame = self._solfec._frame
        return frame.rotations[at], frame.positions[at], frame.velocities[at], frame.angular_velocities[at], np.array(self.center)

    def _deformed(self):
        """The body in the state shown, as an engine has it, for deformable kinds; None for others."""
        if self._solfec._frame is None:
            return self._handle if self._handle.deforms else None
        self._check_there()
        stored = self._solfec._reader
        deforms = self._handle.deforms if self._solfec._engine.has_body(self._id) else stored.bodies[stored.row(self._id)]["unknowns"]
        return self._solfec._deformed(self._id, self._solfec._frame_index) if deforms else None

    def _place(self):
        """Row of the body in the frame shown; None in 'WRITE' mode, and for one that the script has made while the frame does not have it (yet): it is as it was made."""
        frame = self._solfec._frame
        self._check_there()
        if frame is None:
            return None
        at = np.flatnonzero(frame.ids == self._id)
        if not at.size and not self._solfec._engine.has_body(self._id):
            raise ValueError(f"body {self._id} is not in the results at t = {frame.time:g} s")
        return at[0] if at.size else None

    def _by_node(self, values, place=False):
        """Numbers of the nodes of finite elements in the script's order; nodes of no element have 0, or their places."""
        numbering = self._numbering if self.kind == "FINITE_ELEMENT" else None
        return values if numbering is None else numbering.spread(values, numbering.loose if place else 0.0).ravel()

    def _by_unknown(self, values):
        """The reverse."""
        return values if self._numbering is None or self.kind != "FINITE_ELEMENT" else self._numbering.gathered(values).ravel()

    # --- members ----------------------------------------------------------------------------------------------

    @property
    def kind(self):
        """'RIGID', 'PSEUDO_RIGID', 'FINITE_ELEMENT' or 'OBSTACLE'."""
        row = self._row
        return (self._handle.kind if row is None else row["kind"]).upper()

    @property
    def label(self):
        """Label; '' when none was given."""
        row = self._row
        return self._handle.label if row is None else row["label"]

    @property
    def id(self):
        """Number of the body, unique within its SOLFEC object."""
        return self._id

    @property
    def conf(self):
        """Configuration: rotation matrix (pseudo-rigid: deformation gradient) column by column, then the mass centre (12 numbers); of finite
        elements the coordinates of the nodes. Assign as many numbers to place the body."""
        deformed = self._deformed()
        if deformed is not None:
            return floats(self._by_node(deformed.conf, place=True))
        rotation, position = self._state()[:2]
        return floats(np.concatenate([rotation.T.ravel(), position]))

    @conf.setter
    def conf(self, value):
        handle, values = self._handle, _numbers("conf", value, len(self.conf))
        if handle.deforms:
            self._solfec._engine.set_state(handle.id, self._by_unknown(values), handle.velo)
        else:
            self._solfec._engine.set_placement(handle.id, values[:9].reshape(3, 3).T, values[9:])

    @property
    def velo(self):
        """Velocity: referential angular velocity (rad/s; pseudo-rigid: rate of the deformation gradient), then that of the mass centre
        (m/s); of finite elements the velocities of the nodes. Assign as many numbers to change it."""
        deformed = self._deformed()
        if deformed is not None:
            return floats(self._by_node(deformed.velo))
        rotation, _, velocity, angular, _ = self._state()
        return floats(np.concatenate([rotation.T @ angular, velocity]))

    @velo.setter
    def velo(self, value):
        handle, values = self._handle, _numbers("velo", value, len(self.velo))
        if handle.deforms:
            self._solfec._engine.set_state(handle.id, handle.conf, self._by_unknown(values))
        else:
            self._solfec._engine.set_velocity(handle.id, values[3:], handle.rotation @ values[:3])

    @property
    def material(self):
        """The BULK_MATERIAL the body was made with."""
        return self._solfec._bulk_materials[self._solfec._engine.body_material(self._handle.id)]

    @property
    def mesh(self):
        """The MESH of a finite element body, as it was undeformed and with node () as it is now; of other kinds the MESH or list of MESH objects
        in their shape, None when there is none."""
        handle = self._handle
        sources = handle.shape.meshes if self._carrier is None else self._carrier.meshes
        made = [mesh_of(m["nodes"], m["elements"], m["volume_ids"], m["surface_id"], listed_faces(m)) for m in sources]
        if handle.kind == "finite_element" and made:
            made[0]._current = np.asarray(self._deformed().conf).reshape(-1, 3)[:len(made[0]._nodes)]
        for mesh in made:
            mesh._body, mesh._numbering = self, self._numbering
        return None if not made else made[0] if len(made) == 1 else made

    @property
    def mass(self):
        """kg."""
        row = self._row
        return float(self._handle.mass if row is None else row["mass"])

    @property
    def volume(self):
        """m^3."""
        row = self._row
        return float(self._handle.volume if row is None else row["volume"])

    @property
    def center(self):
        """Referential mass centre (x, y, z), m."""
        row = self._row
        return floats(self._handle.center if row is None else row["center"])

    @property
    def tensor(self):
        """Referential tensor about the mass centre, nine numbers column by column, kg m^2: of inertia for rigid bodies and obstacles, Euler's (the
        integral of density times X X^T) for deformable ones."""
        row = self._row
        inertia = (self._handle.inertia if self._turning is None else self._turning) if row is None else row["tensor"]
        return floats((inertia if self.kind in ("RIGID", "OBSTACLE") else _euler(inertia)).T)

    @property
    def constraints(self):
        """List of the constraints that act on this body."""
        from .constraints import all_constraints
        return all_constraints(self._solfec, self._id)

    @property
    def ncon(self):
        """Number of constraints that act on this body."""
        return len(self.constraints)

    @property
    def selfcontact(self):
        """'ON' or 'OFF': contact between parts of a deformable body that are not neighbours. Pieces of a rigid body never move against each
        other, so it changes nothing there."""
        return self._selfcontact

    @selfcontact.setter
    def selfcontact(self, value):
        value = flag("BODY: selfcontact", value)
        if self._handle.deforms:
            self._handle.selfcontact = value == "ON"
        self._selfcontact = value

    @property
    def scheme(self):
        """Time integrator: 'DEFAULT' (RIG_EXACT; DEF_LIM for deformable bodies), 'RIG_EXACT', 'RIG_POS', 'RIG_NEG' or 'RIG_IMP'; 'DEF_EXP', 'DEF_LIM' or
        'DEF_IMP' for deformable bodies."""
        return self._scheme

    @scheme.setter
    def scheme(self, value):
        _check.choice("BODY: scheme", value, ("DEFAULT", "RIG_EXACT", "RIG_POS", "RIG_NEG", "RIG_IMP", "DEF_EXP", "DEF_LIM", "DEF_IMP"))
        default = "DEF_LIM" if self._handle.deforms else "RIG_EXACT"
        self._handle.scheme = default if value == "DEFAULT" else value
        self._scheme = value

    @property
    def damping(self):
        """Stiffness-proportional damping, s, as in the last version of Solfec; rigid bodies keep the number and do not use it. With
        solfec.compatible 'OFF' it is mass_damping, as in the manual of 2010."""
        if self._solfec._compatible == "OFF":
            return self.mass_damping
        return self.stiffness_damping if self._handle.deforms else getattr(self, "_unused_damping", 0.0)

    @damping.setter
    def damping(self, value):
        value = _check.number("BODY: damping", value, 0.0)
        if self._solfec._compatible == "OFF":
            self.mass_damping = value
        elif self._handle.deforms:
            self.stiffness_damping = value
        else:
            self._unused_damping = value

    @property
    def mass_damping(self):
        """Mass-proportional damping, 1/s."""
        return float(self._handle.damping)

    @mass_damping.setter
    def mass_damping(self, value):
        self._handle.damping = _check.number("BODY: mass_damping", value, 0.0)

    @property
    def disable_rotation(self):
        """'ON' or 'OFF': a rigid body that is moved but never turned."""
        return "OFF" if self._turning is None else "ON"

    @disable_rotation.setter
    def disable_rotation(self, value):
        on, handle = flag("BODY: disable_rotation", value) == "ON", self._handle
        if handle.kind != "rigid":
            raise ValueError(f"BODY: disable_rotation: body {self._id} is '{self.kind}'; only 'RIGID' bodies can be kept from turning")
        if on and self._turning is None:
            self._turning = np.array(handle.inertia)
            handle.set_characteristics(inertia=_UNTURNABLE * self._turning)
            self._solfec._engine.set_velocity(handle.id, handle.velocity, np.zeros(3))
        elif not on and self._turning is not None:
            handle.set_characteristics(inertia=self._turning)
            self._turning = None

    @property
    def fracturecheck(self):
        """'OFF': fracture criteria of finite element bodies are not checked here; 'ON' is refused."""
        return self._fracturecheck

    @fracturecheck.setter
    def fracturecheck(self, value):
        if flag("BODY: fracturecheck", value) == "ON":
            raise ValueError("BODY: fracturecheck = 'ON': fracture is not modelled; read STRESS in a CALLBACK and cut with RT_SPLIT")

    @property
    def stiffness_damping(self):
        """Stiffness-proportional damping of a deformable body, s; 0 for others."""
        return float(self._handle.stiffness_damping) if self._handle.deforms else 0.0

    @stiffness_damping.setter
    def stiffness_damping(self, value):
        value = _check.number("BODY: stiffness_damping", value, 0.0)
        if self._handle.deforms or value:
            self._handle.stiffness_damping = value

    def _checkpoint_key(self):
        return ("solfec_body", self._id)

    def __repr__(self):
        if self._taken_by:
            return f"<BODY {self._id}: emptied by {self._taken_by}>"
        there = self._row is not None or self._solfec._engine.has_body(self._id)
        return f"<BODY {self._id} {self.kind}{f' {self.label!r}' if self.label else ''}>" if there else f"<BODY {self._id}: gone>"


plain_values.RESOLVERS["solfec_body"] = lambda sim, id: BODY._named(sim._solfec, id)


def _numbers(member, value, count):
    """As many finite numbers as a member has."""
    values = np.ravel(np.asarray(value, dtype=float))
    if values.size != count or not np.isfinite(values).all():
        raise ValueError(f"BODY: {member}: {count} finite numbers are expected, as in body.{member}")
    return values


def _euler(inertia):
    """Euler's tensor from that of inertia."""
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia


def _base(solfec, base):
    """A base itself or by the label of its REGISTER_BASE."""
    if not isinstance(base, str):
        return base
    if base not in solfec._bases:
        raise ValueError(f"base = '{base}': no base is registered under this label{_check.nearest(base, list(solfec._bases))}")
    return solfec._bases[base]


def _modes(form, base):
    """Number of elastic modes of the modal formulation: of those MODAL_ANALYSIS gave, or as many as are asked for."""
    if form != "BC-MODAL":
        return 0
    if base is None:
        return 12
    if isinstance(base, (tuple, list)) and len(base) == 2:
        values = np.asarray(base[0], dtype=float)
        return int((values > 1e-6 * max(values.max(initial=0.0), 0.0)).sum())
    return _check.integer("base", base, 1)


def _deformations(base, meshes):
    """The vectors of a reduced base as rows. Rigid motions among them are not needed, and those that depend on others are left out by the engine."""
    if not isinstance(base, (tuple, list)) or len(base) != 2:
        raise ValueError("base: form 'BC-RO' needs a pair (values, vectors), the vectors one after the other, three numbers a node")
    size, numbering = 3 * meshes[0].nnod, meshes[0]._numbering
    vectors = np.ravel(np.asarray(base[1], dtype=float))
    if not vectors.size or vectors.size % size:
        raise ValueError(f"base: {vectors.size} numbers are not a whole number of vectors of {size} each, three a node of the mesh")
    vectors = vectors.reshape(-1, size)
    return vectors if numbering is None else np.array([numbering.gathered(v).ravel() for v in vectors])


def body_of(what, value, solfec=None):
    """A BODY object that is still there (and of this SOLFEC when one is given)."""
    if not isinstance(value, BODY):
        raise ValueError(f"{what} = {value!r}: a BODY object is expected")
    if solfec is not None and value._solfec is not solfec:
        raise ValueError(f"{what} = {value!r}: it belongs to another SOLFEC object")
    value._check_there()
    return value


def inside(body, deformed, point, what="point"):
    """A referential point of a deformable body: of one that is a little outside of its mesh, the mesh's nearest; ValueError for one farther outside."""
    X = _check.vector(what, point)
    if deformed is not None:
        nearest = np.asarray(deformed._engine.nearest_of_mesh(deformed.id, X))
        off = np.linalg.norm(nearest - X)
        if off > max(_settings.geometric_epsilon, 1e-6 * deformed.shape.size):
            raise ValueError(f"{what} = {tuple(X.tolist())}: it is {off:g} m outside of the mesh of body {body.id}; GEOMETRIC_EPSILON sets how near counts as inside")
        if off > 1e-12 * deformed.shape.size:  # beyond rounding
            return nearest
    return X


def with_domain(function):
    """Let a routine whose first argument is a SOLFEC be called without it, as later scripts do: a BODY tells which."""
    import functools
    checked = routine(function)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if "solfec" not in kwargs and not (args and isinstance(args[0], SOLFEC)):
            bodies = [a for a in (*args, *kwargs.values()) if isinstance(a, BODY)]
            if bodies:
                args = (bodies[0]._solfec, *args)
        return checked(*args, **kwargs)

    return wrapper


@routine
def BODY_CHARS(body, mass, volume, center, tensor):
    """BODY_CHARS (body, mass, volume, center, tensor): override mass (kg), volume (m^3), mass centre (m) and the tensor (as in
    body.tensor: inertia, or Euler's of deformable bodies) of a body."""
    handle = body_of("body", body)._handle
    values = np.ravel(np.asarray(tensor, dtype=float))
    if values.size != 9:
        raise ValueError(f"tensor = {tensor!r}: nine numbers are expected")
    given = values.reshape(3, 3).T
    inertia = np.trace(given) * np.eye(3) - given if handle.deforms else given
    handle.set_characteristics(_check.positive("mass", mass), _check.positive("volume", volume), _check.vector("center", center), inertia)


@routine
def INITIAL_VELOCITY(body, linear, angular):
    """INITIAL_VELOCITY (body, linear, angular): velocity of the mass centre (m/s) and angular velocity (rad/s). An obstacle keeps
    them for ever: so a drum is turned."""
    handle = body_of("body", body)._handle
    body._solfec._engine.set_velocity(handle.id, _check.vector("linear", linear), _check.vector("angular", angular))


@routine
def MATERIAL(solfec, body, volid, material):
    """MATERIAL (solfec, body, volid, material): give the pieces of a body with this volume id another material (or its label)."""
    domain("solfec", solfec)
    handle, material = body_of("body", body, solfec)._handle, bulk_material("material", solfec, material)
    body.__dict__.setdefault("_materials", {})[volid] = material
    volumes = {piece["volume_id"] for piece in handle.shape.pieces}
    if _check.integer("volid", volid) not in volumes:
        raise ValueError(f"volid = {volid}: the body has pieces of the volume ids {sorted(volumes)}")
    if handle.deforms:
        solfec._engine.set_material(handle.id, volid, material._handle.id)
        return
    densities = body.__dict__.setdefault("_densities", {})
    base = solfec._engine.body_material(handle.id)
    density = solfec._bulk_materials[base].density
    weighed = _weigh(handle.shape, density, {**densities, volid: material.density})
    handle.set_characteristics(*weighed)
    densities[volid] = material.density


@routine
def APPLY_BULKMAT(solfec, body, volid, material):
    """APPLY_BULKMAT (solfec, body, volid, material): the name of MATERIAL in the last version of Solfec."""
    MATERIAL(solfec, body, volid, material)


def _weigh(shape, density, densities):
    """(mass, volume, centre, inertia) of a shape with densities by volume id."""
    engine = _scree.Engine(1.0)
    id = engine.add_body(True, modern._shape(shape)._native, -1, density, densities, "")
    return engine.mass(id), engine.volume(id), engine.center(id), engine.inertia(id)
