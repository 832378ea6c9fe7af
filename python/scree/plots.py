"""Curves from results: quantities of the step table and energies against time."""
import os

import numpy as np

from . import _check
from .results import Results

#: Entity -> label of its axis.
ENERGIES = ("kinetic", "potential", "internal", "external", "contact", "friction", "damping")
STEPS = {"contacts": "contacts", "iterations": "iterations", "residual": "residual", "penetration_max": "penetration, m",
         "penetration_mean": "mean penetration, m", "bodies": "bodies", "h": "step, s"}


def entities(results):
    """Names that can be plotted."""
    return ["energies", *ENERGIES, *STEPS, *results.stages, "BODY.x|y|z|vx|vy|vz|speed"]


def curve(results, entity):
    """(times, {label: values}, axis label) of an entity."""
    if entity == "energies":
        energies = results.energies
        return results.times, {name: energies[name] for name in ENERGIES if np.any(energies[name])}, "energy, J"
    if entity in ENERGIES:
        return results.times, {entity: results.energies[entity]}, "energy, J"
    steps = results.steps
    if entity in STEPS:
        return steps["time"], {entity: steps[entity]}, STEPS[entity]
    if entity in results.stages:
        return steps["time"], {entity: 1e3 * steps[entity]}, "ms a step"
    if "." in entity:
        return _body_curve(results, entity)
    raise ValueError(f"entity '{entity}' is unknown{_check.nearest(entity, entities(results))}")


def _body_curve(results, entity):
    body, _, component = entity.rpartition(".")
    _check.choice("component", component, ("x", "y", "z", "vx", "vy", "vz", "speed"))
    body = int(body) if body.lstrip("-").isdigit() else body
    if component in "xyz":
        times, values = results.history(body, "positions")
        return times, {entity: values[:, "xyz".index(component)]}, "position, m"
    times, values = results.history(body, "velocities")
    speed = np.linalg.norm(values, axis=1) if component == "speed" else values[:, "xyz".index(component[1])]
    return times, {entity: speed}, "velocity, m/s"


def plot(path, names, out):
    """Draw entities of results one under the other into a picture file."""
    results = path if isinstance(path, Results) else Results(path)
    curves = [curve(results, name) for name in names]
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(len(curves), 1, figsize=(8, 1.5 + 2.6 * len(curves)), squeeze=False, sharex=True)
    for axis, (times, lines, label) in zip(axes[:, 0], curves):
        for name, values in lines.items():
            axis.plot(times, values, label=name, linewidth=1)
        if label == "residual" and len(times) and np.any(next(iter(lines.values())) > 0):
            axis.set_yscale("log")
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
        if len(lines) > 1:
            axis.legend(fontsize=8)
    axes[-1, 0].set_xlabel("time, s")
    axes[0, 0].set_title(results.title)
    figure.tight_layout()
    figure.savefig(out, dpi=120)
    plt.close(figure)
    return os.path.abspath(out)
