"""Results in other formats."""
import os

from . import _check, _scree
from .problem import FORMS
from .results import Results, results_file

FORMATS = ("xdmf", "points", "vtu", "csv", "fclib", "fields")


def frames_of(results, frame=None, every=None, times=None):
    """Indices of the frames to export: one (negative: from the end), every k-th, those between two times (t0, t1) in s, or all."""
    if frame is not None:
        results.frame(frame)
        return [frame % len(results)]
    chosen = range(len(results))
    if times is not None:
        low, high = (_check.number("times", t) for t in times)
        slack = 1e-9 * max(1.0, abs(high))
        chosen = [k for k in chosen if low - slack <= results.times[k] <= high + slack]
        if not chosen:
            raise ValueError(f"times = ({low:g}, {high:g}): the results have no frame there; they reach from {results.times[0]:g} to {results.times[-1]:g} s")
    return list(chosen)[::1 if every is None else _check.integer("every", every, 1)]


def _to(kind, results, target, frames, bodies, spheres):
    rows = [] if bodies is None else [results.row(b) for b in bodies]
    if bodies is not None and not rows:
        raise ValueError("bodies: the list is empty")
    getattr(results._native, "export_" + kind)(target, [int(k) for k in frames], rows, bool(spheres))


def to_xdmf(path, target, frames=None, bodies=None, spheres=False):
    """Surfaces, centres and contacts for ParaView: an .xdmf file with its numbers beside it."""
    results = _opened(path)
    _to("xdmf", results, target, frames_of(results) if frames is None else frames, bodies, spheres)
    return [target]


def to_points(path, target, frames=None, bodies=None, spheres=False):
    """Centres and contacts for ParaView: an .xdmf file that says where they are in results.h5; nothing is copied."""
    results = _opened(path)
    _to("points", results, target, frames_of(results) if frames is None else frames, bodies, spheres)
    return [target]


def to_vtu(path, folder, frames=None, bodies=None, spheres=False):
    """One .vtu file a frame and .pvd files that list them."""
    results = _opened(path)
    _to("vtu", results, folder, frames_of(results) if frames is None else frames, bodies, spheres)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".pvd"))


def to_csv(path, folder, frames=None, bodies=None):
    """bodies.csv, contacts.csv, steps.csv, energy.csv and body_table.csv; returns their paths."""
    results = _opened(path)
    _to("csv", results, folder, frames_of(results) if frames is None else frames, bodies, False)
    return [os.path.join(folder, name) for name in ("bodies.csv", "contacts.csv", "steps.csv", "energy.csv", "body_table.csv")]


def to_fclib(path, target, frames=None, form="local"):
    """The contact problem of the step that follows a frame (default: the checkpoint's state), with its solution and guess. Several frames
    (a list) become files frame_000012.hdf5 in the folder `target`. form: 'local' or 'global', as in Simulation.export_problem.

    The model comes from the checkpoint beside the results; contacts have no memory of impulses there but at the checkpoint itself. Force functions
    of a script cannot be stored: use Simulation.export_problems in a run there, which also gives every step as it was."""
    file = results_file(path)
    checkpoint = os.path.join(os.path.dirname(file), "checkpoint.h5")
    if not os.path.exists(checkpoint):
        raise ValueError(f"{checkpoint}: a contact problem needs the run's checkpoint, and there is none")
    results, several = Results(file), isinstance(frames, list)
    targets = [os.path.join(target, f"frame_{k:06d}.hdf5") for k in frames] if several else [os.fspath(target)]
    if several:
        os.makedirs(target, exist_ok=True)
    for frame, name in zip(frames if several else [frames], targets):
        engine = _scree.Engine(1.0)
        engine.read_checkpoint(checkpoint)
        if frame is not None:
            _place(engine, results, frame)
        error = engine.advance(1, 1e9)[1]
        if error is not None:
            error()
        engine.write_problem(name, form == "global")
    return targets


def _place(engine, results, index):
    """Put time and bodies where a frame has them; bodies it does not have are taken out."""
    frame, known = results.frame(index), set(engine.ids().tolist())
    missing = [int(i) for i in frame.ids if int(i) not in known]
    if missing:
        raise ValueError(f"frame at t = {frame.time:g} s: body {missing[0]} was deleted before the checkpoint; its problem cannot be rebuilt")
    for i in known - set(frame.ids.tolist()):
        engine.remove_body(i)
    for i, x, R, v, w in zip(frame.ids.tolist(), frame.positions, frame.rotations, frame.velocities, frame.angular_velocities):
        kind = engine.body_kind(i)
        if kind in ("pseudo_rigid", "finite_element"):
            state = results.state(index, i)
            if state is None:
                raise ValueError(f"frame at t = {frame.time:g} s: the results have no unknowns of deformable body {i}; its problem cannot be rebuilt")
            engine.set_state(i, *state)
            continue
        engine.set_placement(i, R, x)
        if kind == "rigid":
            engine.set_velocity(i, v, w)
    engine.set_time(frame.time)


def _opened(path):
    return path if isinstance(path, Results) else Results(path)


@_check.keywords
def export(path, format, target=None, frame=None, every=None, times=None, bodies=None, spheres=False, form="local", cells=12):
    """Write results in another format ('xdmf', 'points', 'vtu', 'csv', 'fclib', 'fields'); returns the paths to open.

    frame: one frame (negative: from the end); every: each k-th; times: (t0, t1), s. bodies: list of ids or labels; contacts that touch one of
    them come along. points: centres and contacts alone, described where they are in results.h5. spheres (xdmf, vtu): draw spheres and ellipsoids as polygons, too. fclib: the contact problem of the step that follows
    `frame`, or every frame that `every` and `times` choose (files in a folder), in the 'local' or 'global' form. fields: measures
    of the packing (scree.measure) on a grid of `cells` cells along its longest edge, or (nx, ny, nz), and on bodies."""
    _check.choice("format", format, FORMATS)
    folder = os.path.dirname(results_file(path))
    names = {"csv": "csv", "fclib": "problems" if every is not None or times is not None else "problem.hdf5", "xdmf": "export.xdmf", "points": "results.xdmf", "vtu": "vtu", "fields": "fields"}
    target = os.fspath(target or os.path.join(folder, names[format]))
    if format == "fclib":
        if bodies is not None or spheres:
            raise ValueError("format fclib is a contact problem of all bodies: it does not take bodies or spheres")
        several = every is not None or times is not None
        if frame is not None:
            frame = frames_of(_opened(path), frame)[0]
        return to_fclib(path, target, frames_of(_opened(path), frame, every, times) if several else frame, _check.choice("form", form, FORMS))
    if format in ("csv", "fields") and spheres:
        raise ValueError(f"format {format} has no shapes: it does not take spheres")
    results = _opened(path)
    frames = frames_of(results, frame, every, times)
    if format == "fields":
        from .measure import to_fields
        return to_fields(results, target, frames, cells=cells, bodies=bodies)
    if format == "csv":
        return to_csv(results, target, frames, bodies)
    return {"xdmf": to_xdmf, "points": to_points, "vtu": to_vtu}[format](results, target, frames, bodies, bool(spheres))
