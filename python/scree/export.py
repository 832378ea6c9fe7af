"""Results in other formats."""
import os

from . import _check, _scree
from .results import Results, results_file

FORMATS = ("xdmf", "vtu", "csv", "fclib")


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


def to_fclib(path, target, frame=None):
    """The contact problem of the step that follows a frame (default: the checkpoint's state), with its solution.

    The model comes from the checkpoint beside the results. Loads that depend on time are taken at the checkpoint's time;
    force functions of a script cannot be stored, use Simulation.export_problem in a callback there."""
    file = results_file(path)
    checkpoint = os.path.join(os.path.dirname(file), "checkpoint.h5")
    if not os.path.exists(checkpoint):
        raise ValueError(f"{checkpoint}: a contact problem needs the run's checkpoint, and there is none")
    engine = _scree.Engine(1.0)
    engine.read_checkpoint(checkpoint)
    if frame is not None:
        _place(engine, Results(file).frame(frame))
    error = engine.advance(1, 1e9)[1]
    if error is not None:
        error()
    engine.write_problem(os.fspath(target))
    return [target]


def _place(engine, frame):
    """Put the bodies where a frame has them; those it does not have are taken out."""
    known = set(engine.ids().tolist())
    missing = [int(i) for i in frame.ids if int(i) not in known]
    if missing:
        raise ValueError(f"frame at t = {frame.time:g} s: body {missing[0]} was deleted before the checkpoint; its problem cannot be rebuilt")
    for i in known - set(frame.ids.tolist()):
        engine.remove_body(i)
    for i, x, R, v, w in zip(frame.ids, frame.positions, frame.rotations, frame.velocities, frame.angular_velocities):
        engine.set_placement(int(i), R, x)
        if engine.body_kind(int(i)) == "rigid":
            engine.set_velocity(int(i), v, w)


def _opened(path):
    return path if isinstance(path, Results) else Results(path)


@_check.keywords
def export(path, format, target=None, frame=None, every=None, times=None, bodies=None, spheres=False):
    """Write results in another format ('xdmf', 'vtu', 'csv', 'fclib'); returns the paths to open.

    frame: one frame (negative: from the end); every: each k-th; times: (t0, t1), s. bodies: list of ids or labels; contacts that touch one of
    them come along. spheres (xdmf, vtu): draw spheres and ellipsoids as polygons, too. fclib takes `frame` alone: the contact problem of
    the step that follows it."""
    _check.choice("format", format, FORMATS)
    folder = os.path.dirname(results_file(path))
    names = {"csv": "csv", "fclib": "problem.hdf5", "xdmf": "export.xdmf", "vtu": "vtu"}
    target = os.fspath(target or os.path.join(folder, names[format]))
    if format == "fclib":
        if every is not None or times is not None or bodies is not None or spheres:
            raise ValueError("format fclib is one contact problem: it takes frame, not every, times, bodies or spheres")
        return to_fclib(path, target, frame)
    if format == "csv" and spheres:
        raise ValueError("format csv has no shapes: it does not take spheres")
    results = _opened(path)
    frames = frames_of(results, frame, every, times)
    if format == "csv":
        return to_csv(results, target, frames, bodies)
    return {"xdmf": to_xdmf, "vtu": to_vtu}[format](results, target, frames, bodies, bool(spheres))
