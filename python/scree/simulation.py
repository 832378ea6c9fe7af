"""A simulation: bodies, materials, loads, constraints, and the run."""
import math
import os
import warnings

import numpy as np

from . import _check, _scree, notebook, ranks, series
from .handles import Bodies, Body, BulkMaterial, Constraint, SurfaceMaterial
from .problem import FORMS, Problem
from .progress import Progress
from .shapes import _shape

ANY_SURFACE = -2**31  #: in place of a second surface id: any other
#: Longest wall-clock time the engine runs before Python looks at signals and progress, s.
BATCH_SECONDS = 0.1


class Callback:
    """A function called every `interval` seconds of simulated time."""

    def __init__(self, interval, function, data, start):
        self.interval, self.function, self.data, self.start = interval, function, data, start
        self.calls = 0

    @property
    def due(self):
        """Time of the next call, s."""
        return self.start + self.calls * self.interval


def asked(name, tolerance, goal, yardstick):
    """What steps must meet and what AUTO works towards (0: the same), where some of it is not said."""
    usual = _scree.Engine.usual_accuracy() if name == "AUTO" and yardstick == "residual" else (1e-8, 0.0)
    if tolerance is None and goal is None:
        return usual
    must = _check.positive("tolerance", usual[0] if tolerance is None else tolerance)
    if goal is None:
        return must, 0.0
    if name != "AUTO" or not _check.positive("goal", goal) <= must:
        raise ValueError(f"goal = {float(goal):g} of {name}: only AUTO has a goal, at most its tolerance, {must:g}")
    return must, goal


class Simulation:
    """Many bodies in contact with friction.

    step: time step, s. gravity: acceleration vector, m/s^2. out: folder for results.h5 and checkpoint.h5 (None:
    nothing is written; `scree run` chooses a folder). threads: number of threads (None: all cores); the answer does
    not depend on it. integrator: 'MOREAU' (midpoint scheme, any body), 'SHAKE' or 'RATTLE' (rigid bodies; see `integrator`).

    >>> sim = scree.Simulation(step=1e-3)
    >>> sim.surface_material(friction=0.3)
    >>> sim.obstacle(scree.box(center=(0, 0, -0.5), size=(2, 2, 1)))
    >>> ball = sim.rigid(scree.sphere(center=(0, 0, 0.2), radius=0.1), density=2500)
    >>> sim.run(0.5)
    >>> ball.position
    """

    def __setattr__(self, name, value):
        _check.member(self, name)
        object.__setattr__(self, name, value)

    @_check.keywords
    def __init__(self, step=1e-3, gravity=(0.0, 0.0, -9.81), out=None, threads=None, integrator="MOREAU"):
        self._engine = _scree.Engine(_check.positive("step", step))
        if ranks.size > 1:
            self._engine.divide()
            self._engine.set_division(gathered=ranks.gathered)
        self.integrator = integrator
        self._threads = None if threads is None else _check.integer("threads", threads, 1, 4096)
        self._callbacks = []
        self._runs = 0
        self._last = None  #: (steps, report, contacts) of a run that a restart found at its end
        self._running = False  #: a call of run() has not ended
        self._results = None  #: folder of the last run, and how it left the results there
        self._compared = False  #: with the models of other ranks
        self._told = set()
        self._soft = {-1}  #: numbers of bulk materials nobody gave a Young's modulus; -1 is none at all
        self._progress = Progress  #: how a run shows its progress
        self.out = out
        self.gravity = gravity
        from . import session
        session.current().adopt(self)

    # --- settings ---------------------------------------------------------------------------------------------

    @property
    def step(self):
        """Time step, s. Assign to change it."""
        return self._engine.step()

    @step.setter
    def step(self, value):
        self._engine.set_step(_check.positive("step", value))

    @property
    def out(self):
        """Folder for results; None: nothing is written. Assign to change it."""
        return self._out

    @out.setter
    def out(self, value):
        self._out = None if value is None else _check.path("out", value)

    @property
    def time(self):
        """Simulated time, s."""
        return self._engine.time()

    @property
    def steps(self):
        """Steps made so far."""
        return self._engine.steps()

    @property
    def quasi_static(self):
        """True: every step starts from rest, so that the run follows a sequence of equilibria. Assign to change it."""
        return self._engine.quasi_static()

    @quasi_static.setter
    def quasi_static(self, value):
        self._engine.set_quasi_static(_check.flag("quasi_static", value))

    @property
    def integrator(self):
        """How a step advances positions and velocities. Assign to change it.

        'MOREAU': midpoint scheme, for all bodies. 'SHAKE': contacts and constraints hold where the step ends, so that bodies that did not
        overlap do not begin to; impacts are inelastic and take two steps. 'RATTLE': the same with a second problem for velocities, so that
        the impulse of an impact falls into one step and converges with it; restitution. Both take rigid bodies and Signorini-Coulomb contacts
        without cohesion; their velocities are those of the middle of the last step."""
        return self._engine.integrator()

    @integrator.setter
    def integrator(self, value):
        self._engine.set_integrator(_check.text("integrator", value))

    @property
    def threads(self):
        """Number of threads; None: all cores."""
        return self._threads

    @property
    def gravity(self):
        """Acceleration of gravity now, m/s^2. Assign a vector; see set_gravity for one that changes."""
        return self._engine.gravity()

    @gravity.setter
    def gravity(self, value):
        vector = np.zeros(3) if value is None else _check.vector("gravity", value)
        size = float(np.linalg.norm(vector))
        self._engine.set_gravity(vector if size > 0 else np.array([0.0, 0.0, -1.0]), series.native("gravity", size))

    def set_gravity(self, direction, value):
        """Gravity along a direction with a value (m/s^2) that may be a TimeSeries."""
        self._engine.set_gravity(_check.direction("gravity: direction", direction), series.native("gravity: value", value))

    def solver(self, name="AUTO", tolerance=None, yardstick="residual", max_iterations=10000, max_seconds=math.inf,
               failure="continue", on_failure=None, goal=None, **options):
        """Choose the contact solver (`scree solvers` lists them with their options).

        tolerance: bound of the yardstick that every step must meet; a step that does not is counted as missed and announced. goal (AUTO): what it
        works towards with the work it has for that (10,000 sweeps at the start, 300 more a step, less what was done), at most the tolerance; a tolerance
        alone is one number. Without either AUTO takes tolerance 1e-3 and goal 1e-8: velocities of contacts obey the law within 1e-8 of what loads
        change in a step (g h) where the work of 300 sweeps a step does in the mean, and within 1e-3 always, impulses within the same share of a body's weight,
        in the mean over contacts that have something to stop. Other solvers and yardsticks: 1e-8. failure: what to do when the tolerance is missed: 'continue',
        'raise' (RuntimeError) or 'callback': on_failure(report) returns False to stop the run."""
        name, yardstick = _check.text("solver: name", name), _check.text("yardstick", yardstick)
        must, aim = asked(name, tolerance, goal, yardstick)
        stop = _scree.StopRule(tolerance=must, yardstick=yardstick,
                               max_iterations=_check.integer("max_iterations", max_iterations, 1),
                               max_seconds=min(1e30, _check.unbounded("max_seconds", max_seconds, _check.positive)))
        if on_failure is not None:
            _check.function("on_failure", on_failure, "report")
        self._engine.set_solver(name, stop, options, _check.text("failure", failure), on_failure, aim)

    def contact_settings(self, **settings):
        """Read or change contact settings: margin (m), recovery (0..1), recovery_speed (m/s, at most; None: by size and loads) and slack (of overlaps), restitution
        ('CONSISTENT': no impact adds energy, or 'NEWTON'), manifold_points, sparsify (0..1), min_area (m^2) and min_distance (m) of
        contacts of pieces, one_point_per_overlap, unphysical_penetration (m, depth that stops the run)."""
        old = self._engine.contact_settings()
        for name in settings:
            if name not in old:
                raise _check.UnknownKeyword(f"contact_settings(): unknown keyword '{name}'{_check.nearest(name, old)}")
        try:
            for name, value in settings.items():
                if name == "restitution":
                    _check.choice(name, value, ("CONSISTENT", "NEWTON"))
                elif name == "one_point_per_overlap":
                    value = _check.flag(name, value)
                elif name == "recovery_speed" and value is None:
                    pass
                elif name in ("unphysical_penetration", "recovery_speed"):
                    _check.unbounded(name, value, _check.number)
                else:
                    _check.number(name, value)
                self._engine.set_contact(name, value)
        except ValueError:
            for name in settings:
                self._engine.set_contact(name, old[name])
            raise
        return self._engine.contact_settings()

    @property
    def extents(self):
        """Box (low, high) outside which bodies are deleted, m; None: no such box. Assign a pair of corners."""
        return self._engine.extents()

    @extents.setter
    def extents(self, value):
        if value is None:
            self._engine.set_extents(None, None)
            return
        flat = _check._array("extents", value, "two corners (low, high) are").ravel()
        if flat.size != 6:
            raise ValueError(f"extents = {value!r:.80}: two corners (low, high) are expected")
        self._engine.set_extents(_check.vector("extents: low", flat[:3]), _check.vector("extents: high", flat[3:]))

    # --- materials --------------------------------------------------------------------------------------------

    @_check.keywords
    def surface_material(self, surface1=None, surface2=None, model="SIGNORINI_COULOMB", friction=0.0, cohesion=0.0,
                         restitution=0.0, spring=0.0, dashpot=0.0, label=None, power=1.0):
        """Law between two surface ids; with surface1 alone, of this surface with any other; without ids, the default for pairs that have none of
        their own.

        friction: Coulomb coefficient; above 1000 it counts as 1000, inf too: no slip under pressure. cohesion: Pa. restitution: 0..1. spring: N/m, dashpot: N s/m (model 'SPRING_DASHPOT'); power:
        of the overlap in the spring's force, 1 or more (Hertz: 1.5; spring is then in N/m^power)."""
        given = [_check.integer(what, id) for what, id in (("surface1", surface1), ("surface2", surface2)) if id is not None]
        default = not given
        s1, s2 = (*given, ANY_SURFACE)[:2] if given else (0, 0)
        label = _check.label("surface material: label", label, f"SURFACE_MATERIAL_{self._engine.surface_material_count()}")
        numbers = [_check.unbounded(f"surface material '{label}': {n}", v, _check.number) if n == "friction" else _check.number(f"surface material '{label}': {n}", v) for n, v in
                   (("friction", friction), ("cohesion", cohesion), ("restitution", restitution), ("spring", spring), ("dashpot", dashpot),
                    ("power", power))]
        return SurfaceMaterial(self, self._engine.add_surface_material(s1, s2, default, _check.text("surface material: model", model), label, *numbers))

    @_check.keywords
    def bulk_material(self, density=1e3, young=None, poisson=0.25, model="KIRCHHOFF", label=None):
        """Material of volumes: density kg/m^3, Young's modulus Pa (1e6 where none is given), Poisson's ratio."""
        label = _check.label("bulk material: label", label, f"BULK_MATERIAL_{self._engine.bulk_material_count()}")
        if young is None:
            self._soft.add(self._engine.bulk_material_count())
            young = 1e6
        numbers = [_check.number(f"bulk material '{label}': {n}", v) for n, v in (("young", young), ("poisson", poisson), ("density", density))]
        return BulkMaterial(self, self._engine.add_bulk_material(_check.text("bulk material: model", model), label, *numbers))

    # --- bodies -----------------------------------------------------------------------------------------------

    def _index(self, material, what="material"):
        """Number of a bulk material of this simulation, -1 for none."""
        if material is not None and not (isinstance(material, BulkMaterial) and material._sim is self):
            raise ValueError(f"{what} = {material!r}: a bulk material of this simulation is expected")
        return -1 if material is None else material.id

    def _warn_once(self, about, text):
        """Warn about something a user may not have meant, once a simulation."""
        if about not in self._told:
            self._told.add(about)
            warnings.warn(text, stacklevel=_check.outside())

    def _elasticity(self, *materials):
        """A body that deforms should have been given how much."""
        if any(m in self._soft for m in materials):
            self._warn_once("young", "a body that deforms has no Young's modulus: 1e6 Pa, soft rubber, is taken; give it a bulk_material(young=...)")

    def _label(self, label):
        """The label as text; one that is taken is worth a word, since bodies are found by it."""
        label = "" if label is None else _check.text("label", label)
        if label and label in self._engine.labels():
            self._warn_once("label", f"two bodies are labelled '{label}': looking it up finds the first")
        return label

    def _densities(self, shape, density, material, label):
        """(density, {volume id: density}), kg/m^3."""
        densities = {}
        if density is None and material is None:
            self._warn_once("density", "a body has neither density nor material: 1000 kg/m^3 is taken")
        if isinstance(density, dict):
            densities = {_check.integer("density: volume id", v): _check.number(f"density of volume {v}", d) for v, d in density.items()}
            self._check_volumes(shape, densities, material)
            density = None
        if density is None:
            density = material.density if material is not None else 1e3
        return _check.number(f"body '{label}': density" if label else "density", density), densities

    @staticmethod
    def _check_volumes(shape, densities, material):
        """ValueError when a density belongs to no volume of the shape, or a volume has none."""
        volumes = sorted(shape._native.volume_ids())
        for id in densities:
            if id not in volumes:
                raise ValueError(f"density = {densities}: the shape has no volume {id}; its volume ids are {', '.join(map(str, volumes))}")
        missing = [v for v in volumes if v not in densities]
        if missing and material is None:
            raise ValueError(f"density = {densities}: volume {missing[0]} of the shape has none; give it one, or the body a material")

    def _add(self, rigid, shape, density, material, label):
        label = self._label(label)
        index = self._index(material)
        shape = _shape(shape)
        densities = self._densities(shape, density, material, label) if rigid else (1e3, {})
        return Body(self, self._engine.add_body(rigid, shape._native, index, *densities, label))

    def _start(self, body, velocity, angular_velocity, **members):
        """Set velocities and members of a new body; take it out again when one of them is refused."""
        try:
            v = np.zeros(3) if velocity is None else _check.vector("velocity", velocity)
            w = np.zeros(3) if angular_velocity is None else _check.vector("angular_velocity", angular_velocity)
            if v.any() or w.any():
                self._engine.set_velocity(body.id, v, w)
            for name, value in members.items():
                if value is not None:
                    setattr(body, name, value)
        except Exception:
            body.delete()
            raise
        return body

    @_check.keywords
    def rigid(self, shape, density=None, material=None, label=None, velocity=None, angular_velocity=None, scheme=None, damping=None):
        """Add a rigid body in the place its shape has.

        density: kg/m^3, or {volume id: kg/m^3} (default: the material's, or 1000). velocity of the mass centre (m/s)
        and spatial angular_velocity (rad/s) at the start. scheme: 'RIG_EXACT' (default), 'RIG_POS', 'RIG_NEG', 'RIG_IMP'.
        damping: mass-proportional, 1/s."""
        return self._start(self._add(True, shape, density, material, label), velocity, angular_velocity, scheme=scheme, damping=damping)

    @_check.keywords
    def disk(self, center, radius, density=None, axis="y", thickness=1.0, material=None, surface=0, label=None, velocity=None, angular_velocity=None, damping=None):
        """Add a disk that moves in the plane normal to `axis` ('x', 'y' or 'z') through its centre (m) and turns about that axis alone.

        It touches as a ball of its radius (m) does, so disks and whatever they meet must share the plane; mass and inertia are those of a
        disk `thickness` m thick. density: kg/m^3 (default: the material's, or 1000). See Body.hold for other bodies in a plane."""
        from .shapes import sphere
        axis = _check.choice("disk: axis", axis, ("x", "y", "z"))
        radius, thickness = _check.positive("disk: radius", radius), _check.positive("disk: thickness", thickness)
        body = self._add(True, sphere(center, radius, surface=surface), density, material, label)
        try:
            volume = math.pi * radius**2 * thickness
            mass = body.mass / body.volume * volume
            across = mass * (radius**2 / 4 + thickness**2 / 12)
            body.set_characteristics(mass=mass, volume=volume, inertia=np.diag([mass * radius**2 / 2 if k == axis else across for k in "xyz"]))
            body.hold(axis, "xyz".replace(axis, ""))
        except ValueError:
            body.delete()
            raise
        return self._start(body, velocity, angular_velocity, damping=damping)

    @_check.keywords
    def pseudo_rigid(self, shape, material=None, density=None, label=None, velocity=None, angular_velocity=None, scheme=None, damping=None,
                     stiffness_damping=None, round_spheres=None):
        """Add a body that deforms by one constant gradient (12 degrees of freedom) in the place its shape has.

        material: its elasticity and, unless `density` (kg/m^3) says otherwise, its density. scheme: 'DEF_EXP' (explicit; the step is
        lowered to what it allows), 'DEF_LIM' (linearly implicit, default) or 'DEF_IMP' (implicit, keeps energy). damping:
        mass-proportional, 1/s; stiffness_damping: s. round_spheres: spheres keep their shape (default) or become ellipsoids."""
        label = self._label(label)
        index = self._index(material)
        self._elasticity(index)
        shape = _shape(shape)
        body = Body(self, self._engine.add_deformable("pseudo_rigid", shape._native, index, *self._densities(shape, density, material, label), label,
                                                      {}, None, 1, "TL", 0, []))
        return self._start(body, velocity, angular_velocity, scheme=scheme, damping=damping, stiffness_damping=stiffness_damping,
                           round_spheres=round_spheres)

    @_check.keywords
    def finite_element(self, shape, material=None, mesh=None, order=1, form="TL", modes=0, materials=None, label=None, velocity=None,
                       angular_velocity=None, scheme=None, damping=None, stiffness_damping=None, selfcontact=None, shapes=None):
        """Add an elastic body of finite elements in the place its shape has.

        shape: a mesh, or convex pieces within `mesh`, which then carries their motion. material: bulk material, and {volume id: material} in
        `materials` where it differs. order: 1 or 2 (nodes in the middle of edges; free of locking in bending). form: 'TL' (total
        Lagrangian), 'BC' (co-rotational: small strain, factorised once), 'BC-IM' (the same with incompatible modes, so that hexahedra of
        order 1 bend without locking) or 'BC-MODAL' (with `modes` elastic modes, or with the deformations that the
        displacements in `shapes` span, one row each, three numbers a node of the mesh).
        Schemes and dampings as in pseudo_rigid(); DEF_EXP is DEF_LIM for 'BC-MODAL'. selfcontact: parts of the body that are not neighbours touch each other."""
        label = self._label(label)
        chosen = {_check.integer("materials: volume id", v): self._index(m, f"materials[{v!r}]") for v, m in _check.mapping("materials", materials, "{volume id: material}").items()}
        native = None if mesh is None else _shape(mesh, "mesh")._native
        if material is not None or not chosen:
            self._elasticity(self._index(material))
        self._elasticity(*chosen.values())
        body = Body(self, self._engine.add_deformable("finite_element", _shape(shape)._native, self._index(material), 1.0, {}, label, chosen, native,
                                                      _check.integer("order", order), _check.text("form", form), _check.integer("modes", modes, 0),
                                                      [] if shapes is None else np.ravel(_check._array("shapes", shapes, "displacements of the nodes, a row a shape, are")).tolist()))
        return self._start(body, velocity, angular_velocity, scheme=scheme, damping=damping, stiffness_damping=stiffness_damping,
                           selfcontact=selfcontact)

    @_check.keywords
    def obstacle(self, shape, label=None, velocity=None, angular_velocity=None, pivot=None, material=None, acceleration=None):
        """Add a body that nothing can push: fixed, or moving with velocity (m/s) and angular_velocity (rad/s) about the
        spatial point `pivot` (default: its centre). Components may be TimeSeries. acceleration: three components (m/s^2), numbers or
        TimeSeries such as an accelerogram; `velocity` is then that of the start."""
        if pivot is not None:
            _check.vector("pivot", pivot)
        body = self._add(False, shape, None, material, label)
        if velocity is not None or angular_velocity is not None or acceleration is not None:
            try:
                body.move((0, 0, 0) if velocity is None else velocity, (0, 0, 0) if angular_velocity is None else angular_velocity, pivot, acceleration)
            except ValueError:
                body.delete()
                raise
        return body

    @_check.keywords
    def servo_wall(self, shape, direction, force=None, pressure=None, area=None, mass=None, label=None):
        """Add a wall that moves along `direction` alone, pushed by a prescribed force (N, number or TimeSeries), or by a pressure (Pa) on an area
        (m^2, a number or a function of no argument). It feels neither rotation nor weight; its contacts see a body of `mass` kg (default: that of
        all moving bodies so far). Returns a ServoWall with body, force, reaction and displacement."""
        from .servo import ServoWall
        return ServoWall(self, shape, direction, force, pressure, area, mass, label)

    @_check.keywords
    def triaxial(self, low, high, pressure=None, velocity=None, surface=0, mass=None):
        """Add a box of six walls around low..high (m) whose upper three walls follow a pressure (Pa) or a velocity (m/s along
        the axis): one value for all, or three, with None where the other one is given. Values may be TimeSeries. Pressures act on the areas of the
        box as it is. surface: id of the walls; mass: of each driven wall, kg. Returns a Triaxial with size, strain, pressure and box.

        >>> cell = sim.triaxial((0, 0, 0), (0.1, 0.1, 0.1), pressure=1e4)"""
        from .servo import Triaxial
        return Triaxial(self, low, high, pressure, velocity, surface, mass)

    @property
    def bodies(self):
        """All bodies; see Bodies."""
        return Bodies(self)

    def _body_id(self, what, body):
        if not isinstance(body, Body) or body._sim is not self:
            raise ValueError(f"{what} = {body!r}: a body of this simulation is expected")
        return body.id

    @_check.keywords
    def exclude(self, bodies=None, points=None, surfaces=None):
        """Switch off contact between two bodies; between the pieces of two bodies that contain the referential `points`;
        or between two surface ids."""
        if surfaces is not None:
            s1, s2 = _check.pair("exclude: surfaces", surfaces)
            self._engine.exclude_surfaces(_check.integer("surfaces[0]", s1), _check.integer("surfaces[1]", s2))
        if bodies is None:
            if points is not None or surfaces is None:
                raise ValueError("exclude: give two bodies, two bodies and two points, or two surfaces")
            return
        a, b = (self._body_id("exclude: bodies", body) for body in _check.pair("exclude: bodies", bodies))
        if points is None:
            self._engine.exclude_bodies(a, b)
        else:
            pa, pb = (_check.vector("exclude: points", p) for p in _check.pair("exclude: points", points))
            self._engine.exclude_pieces(a, pa, b, pb)

    # --- constraints ------------------------------------------------------------------------------------------

    def _constrain(self, kind, body, point, direction=(0.0, 0.0, 1.0), value=0.0, body2=-1, point2=(0.0, 0.0, 0.0), length=0.0, carrier=-1):
        return Constraint(self, self._engine.add_constraint(kind, [self._body_id("body", body), body2], _check.vector("point", point), _check.vector("point2", point2),
                                                            _check.direction("direction", direction), series.native("value", value), float(length), carrier))

    def fix_point(self, body, point):
        """Fix a referential point (m) of a body in space."""
        return self._constrain("fixed_point", body, point)

    def fix_direction(self, body, point, direction, body2=None, point2=None):
        """Forbid a point to move along a spatial direction. With body2, a point of it (point2, default point) may not move along a direction that
        turns with `body`: it stays in a plane of that body."""
        if body2 is None:
            if point2 is not None:
                raise ValueError(f"fix_direction: point2 = {point2!r}: it is a point of body2, which is not given")
            return self._constrain("fixed_direction", body, point, direction)
        return self._constrain("ahead", body, point, direction, body2=self._body_id("body2", body2), point2=point if point2 is None else point2, carrier=0)

    def fix_surface(self, body, surface, direction=None):
        """Hold the nodes of a surface id of a finite element body: in space, along a spatial direction, or along each node's 'NORMAL',
        'TANGENT1' or 'TANGENT2'. Returns the list of constraints."""
        self._body_id("fix_surface: body", body)
        points, normals = body.surface(surface)
        if direction is None:
            return [self.fix_point(body, p) for p in points]
        if not isinstance(direction, str):
            return [self.fix_direction(body, p, direction) for p in points]
        column = {"TANGENT1": 0, "TANGENT2": 1, "NORMAL": 2}[_check.choice("direction", direction, ("NORMAL", "TANGENT1", "TANGENT2"))]
        return [self.fix_direction(body, p, _scree.face_frame(n)[:, column]) for p, n in zip(points, normals)]

    def set_velocity(self, body, point, direction, value):
        """Prescribe the velocity (m/s, number or TimeSeries) of a point along a direction."""
        return self._constrain("velocity", body, point, direction, value)

    def set_displacement(self, body, point, direction, value):
        """Prescribe the displacement (m, number or TimeSeries) of a point along a direction."""
        return self._constrain("displacement", body, point, direction, value)

    def set_acceleration(self, body, point, direction, value):
        """Prescribe the acceleration (m/s^2, number or TimeSeries) of a point along a direction."""
        return self._constrain("acceleration", body, point, direction, value)

    def rigid_link(self, body1, body2, point1, point2):
        """Keep the distance between two referential points. One body may be None: its point is then fixed in the air."""
        self._check_ends(body1, body2, point1, point2)
        if body1 is None:
            body1, body2, point1, point2 = body2, body1, point2, point1
        other = -1 if body2 is None else self._body_id("body2", body2)
        return self._constrain("link", body1, point1, body2=other, point2=point2)

    def _check_ends(self, body1, body2, point1, point2):
        """ValueError unless these are two ends of a link, of which one may be in the air."""
        if body1 is None and body2 is None:
            raise ValueError("body1 = body2 = None: one body at least is expected")
        for what, body in (("body1", body1), ("body2", body2)):
            if body is not None:
                self._body_id(what, body)
        _check.vector("point1", point1), _check.vector("point2", point2)

    def distance_limit(self, body1, body2, point1, point2, kind, length, direction=None, carrier=None):
        """Keep two referential points 'at_least' or 'at_most' `length` metres apart: along the line through them, or, with a spatial
        direction, by how far the second is ahead of the first along it. One body may be None: its point is then fixed in the air. A rope is
        distance_limit(a, b, p, q, 'at_most', length). carrier: 1 or 2, the body with which the direction turns."""
        _check.choice("kind", kind, ("at_least", "at_most"))
        carrier = -1 if carrier is None else _check.integer("carrier", carrier, 1, 2) - 1
        length = _check.number("length", length, 0.0 if direction is None else -math.inf)
        self._check_ends(body1, body2, point1, point2)
        if body1 is None:
            body1, body2, point1, point2 = body2, body1, point2, point1
            direction = None if direction is None else -_check.direction("direction", direction)
            carrier = carrier if carrier < 0 else 1 - carrier
        other = -1 if body2 is None else self._body_id("body2", body2)
        name = kind if direction is None else {"at_least": "above", "at_most": "below"}[kind]
        return self._constrain(name, body1, point1, direction=(0.0, 0.0, 1.0) if direction is None else direction, body2=other, point2=point2,
                               length=length, carrier=carrier)

    @property
    def constraints(self):
        """List of the constraints prescribed by the user."""
        return [Constraint(self, int(i)) for i in self._engine.constraint_ids()]

    # --- what happened ----------------------------------------------------------------------------------------

    def _restored(self):
        """(report, contacts) of the last step, where a checkpoint holds them and no step was made since; None otherwise."""
        return self._last[1:] if self._last is not None and self._last[0] == self.steps else None

    def _row(self):
        """The last step's row of the step table."""
        restored = self._restored()
        return (self._engine.report() if restored is None else restored[0])[0]

    @property
    def contacts(self):
        """Contacts of the last step: dictionary of arrays. bodies (n, 2) ids, point, normal (from the first to the second
        body), gap (m, < 0 is overlap), area (m^2), force (N, spatial, on the second body), local_force (normal, tangent 1,
        tangent 2), velocity (m/s, of the second relative to the first), surfaces, material, feature."""
        restored = self._restored()
        return self._engine.contacts() if restored is None else {name: column.copy() for name, column in restored[1].items()}

    @property
    def energies(self):
        """J: kinetic, internal, potential, works external, contact, friction, damping, and the integrators' drift."""
        return self._engine.energies()

    @property
    def report(self):
        """The last step's row of the step table, as a dictionary; status is a name."""
        row = self._row()
        report = {name: row[name].item() for name in row.dtype.names}
        report["status"] = _scree.status_names[report["status"]]
        return report

    @property
    def solve_report(self):
        """What the solver said about the last step: status, iterations, products, residual, seconds, stage, advice."""
        return self._engine.solve_report()

    def hash(self):
        """Sixteen hexadecimal digits naming the exact bits of time and of all places and velocities."""
        return self._engine.hash()

    # --- running ----------------------------------------------------------------------------------------------

    def callback(self, interval, function, data=None):
        """Call function(sim), or function(sim, data) when data is given, after every `interval` seconds of simulated
        time (first after the first step). Returning False ends the run. What the function changes from call to call
        belongs into `data`: a checkpoint stores it."""
        given = ("sim",) if data is None else ("sim", "data")
        self._callbacks.append(Callback(_check.number("interval", interval, 0.0), _check.function("function", function, *given), data, self.time))

    def advance(self, steps=1):
        """Make steps without output or callbacks; returns the step table (one row a step). Ctrl-C abandons the step at hand and raises
        KeyboardInterrupt; the steps made before stand."""
        left = _check.integer("steps", steps, 0)
        self._use_threads()
        self._meet_ranks(f"advance({left})")
        tables = []
        while left or not tables:
            table, error = self._engine.advance(left, BATCH_SECONDS if ranks.size == 1 else math.inf)
            if error is not None:
                error()
            if len(table) < left and _scree.stop_requested():
                raise KeyboardInterrupt  # the run around this call was asked to stop
            tables.append(table)
            left -= len(table)
        return tables[0] if len(tables) == 1 else np.concatenate(tables)

    @_check.keywords
    def run(self, duration, output=None, checkpoint=60.0, quiet=None, resume=None, compress=False):
        """Simulate `duration` seconds.

        output: simulated seconds between frames of results.h5 (default: a hundredth of the duration; every step is in the
        step table anyway). checkpoint: seconds of wall clock between checkpoints (None: only at the end). quiet: no
        progress. resume: continue from the checkpoint in `out` to the same bits; a model or settings built otherwise than those of its run are
        refused by the name of the first difference ('changed': bodies, materials and loads are the checkpoint's, settings these). compress: store
        results smaller without loss (decided by the first run into a file). Results are written when `out` is set.

        Raises RuntimeError when the policy of solver() says so, OSError when results cannot be written. Ctrl-C, SIGTERM and SIGHUP
        abandon the step at hand, end the run with a checkpoint and raise KeyboardInterrupt."""
        from .run import Run
        return Run(self, duration, output, checkpoint, quiet, resume, compress).execute()

    def _use_threads(self):
        from . import session
        if self._engine.surface_material_count() == 0 and len(self.bodies) > 1:
            self._warn_once("surface", "there is no surface material: contacts have no friction; say so with surface_material(friction=0), or give them some")
        _scree.set_threads(self._threads or session.current().threads or session.default_threads)

    def _meet_ranks(self, what, model=False):
        """Wait for the other ranks before steps; RuntimeError when they hold another model or state."""
        if ranks.size == 1:
            return
        if model or not self._compared:
            ranks.same(f"{what}: comparing models", self._engine.fingerprint(), "the ranks have built different models: give random numbers the same seed on all of "
                       "them, and leave out conditions on RANK() where bodies, materials and loads are made")
            self._compared = True
        self._check_standings(ranks.meet(what, self._standing()))

    def _standing(self):
        """What must be the same on all ranks before steps."""
        return [self.hash(), self._engine.rules()]

    def _check_standings(self, standings):
        """RuntimeError where ranks differ."""
        for kind, values in zip(("states", "materials, settings, loads or constraints"), zip(*standings)):
            if len(set(values)) > 1:
                raise RuntimeError(f"the ranks hold different {kind} at t = {self.time:.6g} s: what callbacks and scripts change must be the same on all of them")

    def problem(self):
        """The last step's contact problem in body form, with the impulses found as its solution: a `scree.Problem` of its own."""
        return Problem(_scree.step_problem(self._engine))

    def export_problem(self, path, form="local"):
        """Write the last step's contact problem as an FCLIB file, with its solution and the guess the solver began with; use it in a
        callback for any step. form: 'local' (W) or 'global' (M, H, f: masses and velocities of rigid bodies as they are, in world axes;
        deformable bodies in mass-scaled changes of velocity)."""
        path, form = _check.path("path", path), _check.choice("form", form, FORMS)
        if ranks.rank == 0:
            self._engine.write_problem(path, form == "global")

    def export_problems(self, folder, interval=0.0, form="local"):
        """Write such a file after every `interval` seconds of simulated time of coming runs (0: every step), `folder`/step_000123.hdf5. Steps without
        contacts and constraints are left out."""
        folder, form = _check.path("folder", folder), _check.choice("form", form, FORMS)

        def write(sim):
            if sim._engine.problem_blocks():
                os.makedirs(folder, exist_ok=True)
                sim.export_problem(os.path.join(folder, f"step_{sim.steps:06d}.hdf5"), form)
        self.callback(interval, write)

    def close(self):
        """End of use; results are complete after every run, so nothing is left to do."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _repr_html_(self):
        rows = [("time", f"{self.time:g} s after {self.steps} steps of {self.step:g} s"), ("bodies", notebook.kinds(b.kind for b in self.bodies)),
                ("constraints", len(self._engine.constraint_ids())), ("gravity", notebook.vector(self.gravity) + " m/s2"), ("solver", self._engine.solver_name())]
        if self.steps:
            rows += [("contacts", self.report["contacts"]), ("residual", f"{self.report['residual']:.2e}")]
        return notebook.table("Simulation", rows)

    def __repr__(self):
        return (f"<Simulation at t = {self.time:g} s, step {self.step:g} s: {self.bodies!r:.60}, "
                f"{len(self._engine.constraint_ids())} constraints, solver {self._engine.solver_name()}>")
