"""Results in other formats."""
import csv
import os

import numpy as np

from . import _check, _scree
from .results import Results, results_file


def _chosen(results, frame):
    """Indices of the frames to export: one, or all."""
    return range(len(results)) if frame is None else [results.frame(frame) and frame % len(results)]


def to_csv(path, folder, frame=None):
    """bodies.csv, contacts.csv and steps.csv; returns their paths."""
    results = Results(path)
    os.makedirs(folder, exist_ok=True)
    body_columns = (["frame", "time", "id", "x", "y", "z"] + [f"R{i}{j}" for i in "123" for j in "123"] + ["vx", "vy", "vz", "wx", "wy", "wz"])
    contact_columns = ["frame", "time", "kind", "body1", "body2", "x", "y", "z", "nx", "ny", "nz", "gap", "area", "fx", "fy", "fz", "ux", "uy", "uz"]
    files = [os.path.join(folder, name) for name in ("bodies.csv", "contacts.csv", "steps.csv")]
    with open(files[0], "w", newline="") as bodies, open(files[1], "w", newline="") as contacts:
        body_rows, contact_rows = csv.writer(bodies), csv.writer(contacts)
        body_rows.writerow(body_columns)
        contact_rows.writerow(contact_columns)
        for k in _chosen(results, frame):
            f = results.frame(k)
            table = np.hstack([f.positions, f.rotations.reshape(-1, 9), f.velocities, f.angular_velocities])
            body_rows.writerows([k, repr(f.time), int(i), *map(repr, row.tolist())] for i, row in zip(f.ids, table))
            c = f.contacts
            table = np.hstack([c["point"], c["normal"], c["gap"][:, None], c["area"][:, None], c["force"], c["velocity"]])
            contact_rows.writerows([k, repr(f.time), int(kind), *map(int, pair), *map(repr, row.tolist())]
                                   for kind, pair, row in zip(c["kind"], c["bodies"], table))
    with open(files[2], "w", newline="") as file:
        steps = results.steps
        rows = csv.writer(file)
        rows.writerow(list(steps))
        rows.writerows(zip(*(values.tolist() for values in steps.values())))
    return files


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


def to_xdmf(path, target, every=1, spheres=False):
    """Surfaces, centres and contacts for ParaView: an .xdmf file with its numbers beside it."""
    _scree.ResultsReader(results_file(path)).export_xdmf(os.fspath(target), spheres, every)
    return [target]


def to_vtu(path, folder, every=1, spheres=False):
    """One .vtu file a frame and .pvd files that list them."""
    _scree.ResultsReader(results_file(path)).export_vtu(os.fspath(folder), spheres, every)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".pvd"))


FORMATS = ("xdmf", "vtu", "csv", "fclib")


def export(path, format, target=None, frame=None, every=None, spheres=False):
    """Write results in another format; returns the paths to open. csv and fclib take `frame`; xdmf and vtu take `every` (k-th frame) and
    `spheres` (draw spheres and ellipsoids as polygons, too)."""
    _check.choice("format", format, FORMATS)
    folder = os.path.dirname(results_file(path))
    names = {"csv": "csv", "fclib": "problem.hdf5", "xdmf": "export.xdmf", "vtu": "vtu"}
    target = target or os.path.join(folder, names[format])
    if format in ("csv", "fclib"):
        if every is not None or spheres:
            raise ValueError(f"format {format} takes neither every nor spheres")
        return {"csv": to_csv, "fclib": to_fclib}[format](path, target, frame)
    if frame is not None:
        raise ValueError(f"format {format} holds frames in time; choose them with every")
    every = 1 if every is None else _check.integer("every", every, 1)
    return {"xdmf": to_xdmf, "vtu": to_vtu}[format](path, target, every, bool(spheres))
