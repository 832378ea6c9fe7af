"""SOLFEC, the object that holds one analysis, and its materials."""
import contextlib
import math
import os
import types

from .. import _check, _scree, memory, notebook, plain_values, ranks, results, session
from ..handles import Body
from ..simulation import ANY_SURFACE, Simulation
from ._arguments import Strict, data_names, flag, routine, text

__all__ = ["SOLFEC", "SURFACE_MATERIAL", "BULK_MATERIAL", "FIELD"]

#: Present in an output folder from the start of a RUN to its end: results with this file beside them are not finished.
UNFINISHED = "unfinished"


class SOLFEC(Strict):
    """obj = SOLFEC (analysis, step, output): one analysis.

    analysis: 'DYNAMIC' or 'QUASI_STATIC' (every step starts from rest). step: time step, s. output: folder for results (`scree run --out` takes precedence). When the folder
    holds the results of a finished run the object is in 'READ' mode: RUN does nothing, results can be read."""

    @routine
    def __init__(self, analysis, step, output):
        _check.choice("analysis", analysis, ("DYNAMIC", "QUASI_STATIC"))
        step, output = _check.positive("step", step), text("output", output)
        self._analysis = analysis
        self._sim = Simulation(step=step, gravity=None, out=output)
        self._sim.quasi_static = analysis == "QUASI_STATIC"
        self._sim._solfec = self
        self._engine = self._sim._engine
        self._bodies, self._constraints = {}, {}
        self._surface_materials, self._bulk_materials = [], []
        self._interval, self._compress = 0.0, False
        self._stored_model, self._placed, self._made = None, {}, {}
        self._fields, self._gravity = [], None
        self._samplers, self._bases = [], {}  #: of COROTATED_DISPLACEMENTS, REGISTER_BASE
        self._verbose, self._compatible, self._cleanup = "ON", "ON", "OFF"
        self._solver = None  #: of the last RUN
        self._reader, self._frame_index, self._frame_cache = None, 0, None
        if not session.current().resume and ranks.first("SOLFEC", lambda: _finished(self._sim.out)):
            self._reader = results.read(self._sim.out)

    # --- the frame shown in READ mode -------------------------------------------------------------------------

    @property
    def _frame(self):
        """The frame at which a SOLFEC in READ mode stands; None in WRITE mode."""
        if self._reader is None:
            return None
        if self._frame_cache is None:
            self._frame_cache = self._reader.frame(self._frame_index)
        return self._frame_cache

    def _show(self, index):
        self._frame_index = min(max(index, 0), len(self._reader) - 1)
        self._frame_cache = None

    def _results(self):
        """The results on disk: of an earlier run, or of this one once it has begun."""
        if self._reader is not None:
            return self._reader
        if not os.path.exists(os.path.join(self._sim.out, "results.h5")) or self._sim._runs == 0:
            raise ValueError("there are no results yet; call RUN first")
        return results.read(self._sim.out)

    @property
    def _model(self):
        """The engine that knows the model: this one, or, in READ mode of a folder whose script did not run, the checkpoint's (None: there is none)."""
        if self._reader is None or self._engine.body_count():
            return self._engine
        if self._stored_model is None:
            engine = _scree.Engine(1.0)
            try:
                engine.read_checkpoint(os.path.join(self._sim.out, "checkpoint.h5"))
                self._stored_model = (engine,)
            except (OSError, ValueError, RuntimeError):
                self._stored_model = (None,)  # force functions are in the script alone
        return self._stored_model[0]

    def _mechanics(self, id):
        """The model's engine, when it has the body of this id."""
        model = self._model
        if model is None or not model.has_body(id):
            raise ValueError(f"body {id}: the state of a deformable body needs its mechanics: run the script that made it, or keep checkpoint.h5 beside the results")
        return model

    def _deformed(self, id, index):
        """A deformable body in the state it has in a stored frame (READ mode), or as the script has made it where the frame does not have it."""
        model = self._mechanics(id)
        if self._placed.get(id) != index:
            made = self._made.setdefault(id, (model.configuration(id), model.rates(id)))
            state = self._reader.state(index, id) if id in self._reader._rows else None
            if state is None and not self._engine.has_body(id):
                raise ValueError(f"body {id} is not in the results at t = {self._reader.times[index]:g} s")
            model.set_state(id, *(made if state is None else state))
            self._placed[id] = index
        return Body(types.SimpleNamespace(_engine=model), id)

    @contextlib.contextmanager
    def _borrowed(self, id):
        """A function place (results, frame index) that puts the model's body into stored states (None where there is none); at the end it
        is where it was."""
        model = self._mechanics(id)
        before = model.configuration(id), model.rates(id)
        handle = Body(types.SimpleNamespace(_engine=model), id)

        def place(stored, index):
            state = stored.state(index, id)
            if state is None:
                return None
            model.set_state(id, *state)
            return handle

        try:
            yield place
        finally:
            model.set_state(id, *before)

    def _surface_law(self, index):
        """Figures of a surface material by number; those of the built-in law where there is none."""
        model = self._model
        if model is None or not 0 <= index < model.surface_material_count():
            return {"label": None, "model": "SIGNORINI_COULOMB", "friction": 0.0, "restitution": 0.0}
        return model.surface_material_info(index)

    def _surface_label(self, index):
        return self._surface_law(index)["label"]

    def _stored_constraint(self, id):
        """What the model knows of a prescribed constraint, or None."""
        model = self._model
        return model.constraint(id) if model is not None and model.has_constraint(id) else None

    # --- members ----------------------------------------------------------------------------------------------

    @property
    def analysis(self):
        """Kind of analysis."""
        return self._analysis

    @property
    def mode(self):
        """'READ' or 'WRITE'."""
        return "WRITE" if self._reader is None else "READ"

    @property
    def simulation(self):
        """The same analysis in the modern interface, a scree.Simulation: contact settings, arrays of all bodies, reports of steps."""
        return self._sim

    @property
    def outpath(self):
        """Folder of the results."""
        return self._sim.out

    @property
    def time(self):
        """Current time, s; in READ mode that of the frame shown."""
        return self._sim.time if self._reader is None else float(self._frame.time)

    @property
    def step(self):
        """Time step, s. Assign to change it."""
        return self._sim.step

    @step.setter
    def step(self, value):
        self._sim.step = _check.positive("SOLFEC: step", value)

    @property
    def verbose(self):
        """'ON', 'OFF' or '%': progress of a RUN; '%' (and '%\\n', which ends the line) prints per cent alone on standard output."""
        return self._verbose

    @verbose.setter
    def verbose(self, value):
        self._verbose = _check.choice("SOLFEC: verbose", value, ("ON", "OFF", "%", "%\n"))

    @property
    def compatible(self):
        """'ON' (default): what the last version of Solfec does. 'OFF': what the manual says and Scree prefers: a positive PRESSURE pushes
        inwards, and body.damping is mass-proportional (1/s)."""
        return self._compatible

    @compatible.setter
    def compatible(self, value):
        self._compatible = flag("SOLFEC: compatible", value)

    @property
    def cleanup(self):
        """'ON' or 'OFF': whether a folder without results is removed. Here one is made by the first RUN alone, so there is none to remove."""
        return self._cleanup

    @cleanup.setter
    def cleanup(self, value):
        self._cleanup = flag("SOLFEC: cleanup", value)

    @property
    def bodies(self):
        """List of all BODY objects."""
        from .bodies import BODY
        ids = self._sim.bodies.ids if self._reader is None else self._frame.ids
        return [BODY._named(self, int(i)) for i in ids]

    @property
    def nbod(self):
        """Number of bodies."""
        return len(self._sim.bodies) if self._reader is None else len(self._frame.ids)

    @property
    def constraints(self):
        """List of CONSTRAINT objects: those prescribed, then the contacts that touch or carry a force."""
        from .constraints import all_constraints
        return all_constraints(self)

    @property
    def ncon(self):
        """Number of constraints."""
        return len(self.constraints)

    def _checkpoint_key(self):
        return ("solfec",)

    def _repr_html_(self):
        return notebook.table(f"SOLFEC {self._analysis}, '{self.mode}' mode", [
            ("time", f"{self.time:g} s, step {self.step:g} s"), ("bodies", notebook.kinds(b.kind for b in self.bodies)), ("constraints", self.ncon),
            ("results", self.outpath)])

    def __repr__(self):
        return f"<SOLFEC {self._analysis}, {self.mode} mode, t = {self.time:g} s, {self.nbod} bodies, results in {self.outpath}>"


plain_values.RESOLVERS["solfec"] = lambda sim: sim._solfec


def _finished(folder):
    """True when a folder holds frames of a run that came to its end."""
    checkpoint = os.path.join(folder, "checkpoint.h5")
    if not os.path.exists(os.path.join(folder, "results.h5")) or not os.path.exists(checkpoint) or os.path.exists(os.path.join(folder, UNFINISHED)):
        return False
    try:
        state = memory.read(checkpoint)
        return (state["finished"] or state["stopped"]) and len(results.read(folder)) > 0
    except (OSError, ValueError, RuntimeError):
        return False


def domain(what, value):
    """A SOLFEC object."""
    if not isinstance(value, SOLFEC):
        raise ValueError(f"{what} = {value!r}: a SOLFEC object is expected")
    return value


class _Material:
    """A material of the language: members of the engine's material under the manual's names."""

    _renamed = {}
    _readable = ()
    _writable = ()

    def __getattr__(self, name):
        if name in self._readable or name in self._writable:
            value = getattr(self._handle, self._renamed.get(name, name))
            return None if name == "surf2" and value == ANY_SURFACE else value
        known = self._readable + self._writable
        raise _check.UnknownMember(f"{type(self).__name__} has no member '{name}'{_check.nearest(name, known)}")

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in self._writable:
            setattr(self._handle, self._renamed.get(name, name), value)
        else:
            raise _check.UnknownMember(f"{type(self).__name__}: '{name}' cannot be set{_check.nearest(name, self._writable)}")

    def _checkpoint_key(self):
        return ("solfec_material", type(self).__name__, self._handle.id)

    def __repr__(self):
        return repr(self._handle)


class SURFACE_MATERIAL(_Material):
    """obj = SURFACE_MATERIAL (solfec | surf1, surf2, model, label, friction, cohesion, restitution, spring, dashpot, hpow).

    The law between two surfaces; with surf1 alone that of this surface with any other, with neither the default one. model: 'SIGNORINI_COULOMB'
    (friction, cohesion in Pa, restitution) or 'SPRING_DASHPOT' (spring in N/m, dashpot in N s/m, friction, cohesion). A negative dashpot stands for
    critical damping of each contact. hpow: power of the overlap in the spring's force,
    1 or more (Hertz: 1.5; spring is then in N/m^hpow)."""

    _renamed = {"surf1": "surface1", "surf2": "surface2", "hpow": "power"}
    _readable = ("surf1", "surf2", "label")
    _writable = ("model", "friction", "cohesion", "restitution", "spring", "dashpot", "hpow")
    _documented = {"surf1": "First surface id.", "surf2": "Second surface id; None for any other.", "label": "Label.", "model": "Name of the law.",
                   "friction": "Coulomb's coefficient.", "cohesion": "Pa.", "restitution": "Of velocity, 0 to 1.", "spring": "N/m.",
                   "dashpot": "N s/m.", "hpow": "Power of the overlap in the spring's force."}

    @routine
    def __init__(self, solfec, surf1=None, surf2=None, model="SIGNORINI_COULOMB", label=None, friction=0.0, cohesion=0.0, restitution=0.0,
                 spring=0.0, dashpot=0.0, hpow=1.0):
        domain("solfec", solfec)
        self._handle = solfec._sim.surface_material(surf1, surf2, model=text("model", model), friction=friction, cohesion=cohesion,
                                                    restitution=restitution, spring=spring, dashpot=dashpot, power=hpow,
                                                    label=label if label is None else text("label", label))
        solfec._surface_materials.append(self)


class BULK_MATERIAL(_Material):
    """obj = BULK_MATERIAL (solfec | model, label, young, poisson, density, tensile, fields, fracene): the material of volumes.

    young: Pa (default 1E9, of the last version; 1E6 in the manual of 2010). density: kg/m^3. Rigid bodies use the density alone, at the moment they are made. model: 'KIRCHHOFF' or
    'NEO_HOOKEAN'. tensile, fracene (of fracture checks) and fields (of models that depend on a FIELD) are used by neither, as in Solfec's serial
    KIRCHHOFF without fracturecheck."""

    _readable = ("model", "label")
    _writable = ("young", "poisson", "density")
    _documented = {"model": "Name of the law.", "label": "Label.", "young": "Young's modulus, Pa.", "poisson": "Poisson's ratio.", "density": "kg/m^3."}

    @routine
    def __init__(self, solfec, model="KIRCHHOFF", label=None, young=1e9, poisson=0.25, density=1e3, tensile=math.inf, fields=(), fracene=math.inf):
        domain("solfec", solfec)
        self._handle = solfec._sim.bulk_material(density=density, young=young, poisson=poisson, model=text("model", model),
                                                 label=label if label is None else text("label", label))
        solfec._bulk_materials.append(self)


class FIELD(Strict):
    """obj = FIELD (solfec, field_callback | label, data): a scalar field value = field_callback (data, x, y, z, t), for bulk materials that depend on
    one; none of Solfec's or Scree's does. obj (x, y, z, t) is its value."""

    @routine
    def __init__(self, solfec, field_callback, label=None, data=None):
        domain("solfec", solfec)
        self._function, self._data = _check.function("field_callback", field_callback, *data_names(data), "x", "y", "z", "t"), data
        self._label = f"FIELD_{len(solfec._fields)}" if label is None else text("label", label)
        solfec._fields.append(self)

    @property
    def label(self):
        """Label."""
        return self._label

    def __call__(self, x, y, z, t):
        given = self._data if isinstance(self._data, tuple) else () if self._data is None else (self._data,)
        return self._function(*given, x, y, z, t)

    def __repr__(self):
        return f"<FIELD '{self._label}'>"


plain_values.RESOLVERS["solfec_material"] = lambda sim, kind, id: (
    sim._solfec._surface_materials if kind == "SURFACE_MATERIAL" else sim._solfec._bulk_materials)[id]


def bulk_material(what, solfec, value):
    """A BULK_MATERIAL of this SOLFEC, itself or by label."""
    if isinstance(value, str):
        for material in solfec._bulk_materials:
            if material.label == value:
                return material
        raise ValueError(f"{what} = '{value}': no bulk material has this label{_check.nearest(value, [m.label for m in solfec._bulk_materials])}")
    if not isinstance(value, BULK_MATERIAL) or value._handle._sim is not solfec._sim:
        raise ValueError(f"{what} = {value!r}: a BULK_MATERIAL of this SOLFEC or its label is expected")
    return value


def stage_seconds(row, kind):
    """Seconds of a stage of a step from a row of the step table."""
    stages = {"TIMINT": "integrate", "CONDET": "detect", "LOCDYN": "assemble", "CONSOL": "solve", "CONUPD": None, "PARBAL": None}
    stage = stages[_check.choice("kind", kind, stages)]
    return 0.0 if stage is None else row[stage]


def number_or_series(what, value):
    """A finite number or a time series."""
    from ..series import TimeSeries
    return value if isinstance(value, TimeSeries) else _check.number(what, value, -math.inf)
