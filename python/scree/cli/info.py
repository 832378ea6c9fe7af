"""scree info: what is in results."""
import json
import os

import numpy as np

from . import common


def add(commands):
    parser = commands.add_parser("info", help="summarise results")
    parser.add_argument("results", metavar="RESULTS", help="folder or file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(function=execute)


def execute(args):
    """Print the summary."""
    summary = summarise(args.results)
    if args.json:
        common.write_json(summary)
    else:
        print(text(summary))


def checkpoint_state(results_path):
    """Run counters of the checkpoint beside a results file, or {}."""
    from .. import _scree
    path = os.path.join(os.path.dirname(results_path), "checkpoint.h5")
    return json.loads(_scree.Engine.peek_checkpoint(path, "python")) if os.path.exists(path) else {}


def summarise(path):
    """Figures of results as a dictionary."""
    from .. import _scree, read
    results = read(path)
    steps, times, energies = results.steps, results.times, results.energies
    state = checkpoint_state(results.path)
    made = len(steps["time"])
    kinds = [b["kind"] for b in results.bodies]
    figures = {
        "path": results.path, "title": results.title, "version": results.version, "bytes": os.path.getsize(results.path),
        "frames": len(results), "time_start": _at(times, 0), "time_end": _at(times, -1), "steps": made,
        "bodies": len(kinds), "bodies_by_kind": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "contacts_mean": _mean(steps["contacts"]), "contacts_last": _at(steps["contacts"], -1),
        "iterations_mean": _mean(steps["iterations"]), "residual_max": _max(steps["residual"]), "residual_last": _at(steps["residual"], -1),
        "failed_steps": int((steps["status"] != 0).sum()),
        "status": {name: int((steps["status"] == k).sum()) for k, name in enumerate(_scree.status_names)},
        "penetration_max": _max(steps["penetration_max"]), "penetration_mean": _mean(steps["penetration_mean"]),
        "seconds": {stage: float(steps[stage].sum()) for stage in results.stages},
        "energies": {name: _at(values, -1) for name, values in energies.items()},
        "hash": state.get("hash"), "checkpoint_time": state.get("time"),
    }
    return figures


def _at(values, index):
    return values[index].item() if len(values) else None


def _mean(values):
    return float(np.mean(values)) if len(values) else None


def _max(values):
    return float(np.max(values)) if len(values) else None


def text(f):
    """The figures on one screen."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in f["bodies_by_kind"].items())
    lines = [f"{f['path']}   ({f['title']}, scree {f['version']}, {f['bytes'] / 1e6:.1f} MB)",
             f"  frames       {f['frames']}" + (f", t {f['time_start']:g} to {f['time_end']:g} s" if f["frames"] else ""),
             f"  bodies       {f['bodies']}: {kinds}"]
    if f["steps"]:
        total = sum(f["seconds"].values())
        shares = ", ".join(f"{stage} {100 * s / total:.0f} %" for stage, s in f["seconds"].items()) if total > 0 else ""
        lines += [f"  steps        {f['steps']} in {total:.3g} s of computing" + (f" ({shares})" if shares else ""),
                  f"  contacts     {f['contacts_mean']:.1f} a step, {f['contacts_last']} at the end",
                  f"  iterations   {f['iterations_mean']:.2f} a step",
                  f"  residual     {f['residual_max']:.2e} at most, {f['residual_last']:.2e} at the end; {f['failed_steps']} steps missed the tolerance",
                  f"  penetration  {f['penetration_max']:.3g} m at most, {f['penetration_mean']:.3g} m on average"]
    if f["frames"]:
        lines.append("  energies J   " + ", ".join(f"{name} {value:.4g}" for name, value in f["energies"].items() if value))
    if f["hash"]:
        lines.append(f"  checkpoint   t {f['checkpoint_time']:g} s, state hash {f['hash']}")
    return "\n".join(lines)
