"""scree info: what a run was."""
import os

import numpy as np

from . import common

WORKS = ("external", "contact", "friction", "damping")


def add(commands):
    parser = commands.add_parser("info", help="summarise results", description="What a run was: bodies, contacts, steps, solver figures (mean and worst), energy "
                                 "balance, wall time by stage, file, versions.")
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


def _checkpoint(results_path):
    """(run counters, engine or None) of the checkpoint beside a results file; ({}, None) when there is none or it cannot be read."""
    from .. import _scree, memory
    paths = [os.path.join(os.path.dirname(results_path), name) for name in ("checkpoint.h5", "checkpoint.1.h5")]
    path = next(filter(os.path.exists, paths), None)
    if path is None:
        return {}, None
    try:
        state = memory.read(path)
    except OSError as error:
        return {"damaged": str(error)}, None
    engine = _scree.Engine(1.0)
    try:
        engine.read_checkpoint(path)
    except (ValueError, OSError, RuntimeError):
        return state, None  # force functions live in the script alone
    return state, engine


def summarise(path):
    """Figures of results as a dictionary."""
    from .. import read
    results = read(path)
    state, engine = _checkpoint(results.path)
    kinds = [b["kind"] for b in results.bodies]
    times = results.times
    figures = {
        "path": results.path, "title": results.title, "version": results.version, "frames": len(results), "time_start": _at(times, 0),
        "time_end": _at(times, -1), "bodies": len(kinds), "bodies_by_kind": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "mass": float(sum(b["mass"] for b in results.bodies if b["kind"] != "obstacle")),
        **_file_figures(results), **_step_figures(results), **_energy_figures(results),
        "finished": bool(state.get("finished") or state.get("stopped")) if "time" in state else None, "ranks": state.get("ranks"), "hash": state.get("hash"), "solver": state.get("solver"),
        "hash_kernels": state.get("kernels"), "checkpoint_time": state.get("time"), "checkpoint_damage": state.get("damaged"),
    }
    if engine is not None:
        figures.update(_model_figures(engine))
    return figures


def _file_figures(results):
    """Size of the file, and what a body costs in a frame (its contacts included)."""
    size = os.path.getsize(results.path)
    rows = results.body_frames
    return {"bytes": size, "bytes_per_body_and_frame": size / rows if rows else None}


def _step_figures(results):
    from .. import _scree
    steps = results.steps
    made = len(steps["time"])
    worst = int(np.argmax(steps["residual"])) if made else None
    return {
        "steps": made, "step_min": _min(steps["h"]), "step_max": _max(steps["h"]),
        "contacts_mean": _mean(steps["contacts"]), "contacts_max": _int(_max(steps["contacts"])), "contacts_last": _at(steps["contacts"], -1),
        "iterations_mean": _mean(steps["iterations"]), "iterations_max": _int(_max(steps["iterations"])),
        "residual_mean": _mean(steps["residual"]), "residual_max": _max(steps["residual"]), "residual_last": _at(steps["residual"], -1),
        "residual_max_time": None if worst is None else float(steps["time"][worst]),
        "failed_steps": int((steps["status"] != 0).sum()),
        "status": {name: int((steps["status"] == k).sum()) for k, name in enumerate(_scree.status_names)},
        "penetration_max": _max(steps["penetration_max"]), "penetration_mean": _mean(steps["penetration_mean"]),
        "seconds": {stage: float(steps[stage].sum()) for stage in results.stages},
        "seconds_per_step_max": float(sum(steps[s] for s in results.stages).max()) if made else None,
    }


def _energy_figures(results):
    """Energies at the end, and how well they close: kinetic + internal - start - all works, beside the largest of them."""
    energies = results.energies
    if not len(results):
        return {"energies": {name: None for name in energies}, "energy_error": None, "energy_scale": None}
    stored = energies["kinetic"] + energies["internal"]
    error = stored[-1] - stored[0] - sum(energies[w][-1] - energies[w][0] for w in WORKS)
    scale = max(float(np.abs(energies[name]).max()) for name in ("kinetic", "internal", *WORKS))
    return {"energies": {name: _at(values, -1) for name, values in energies.items()}, "energy_error": float(error), "energy_scale": scale}


def _model_figures(engine):
    """What the checkpoint says of the model."""
    surfaces = [engine.surface_material_info(i) for i in range(engine.surface_material_count())]
    return {"tolerance": engine.tolerance(), "goal": engine.goal(), "step": engine.step(), "gravity": [float(x) for x in engine.gravity()],
            "constraints": len(engine.constraint_ids()), "surface_materials": [{k: s[k] for k in ("label", "model", "friction", "restitution")} for s in surfaces],
            "bulk_materials": [engine.bulk_material_info(i)["label"] for i in range(engine.bulk_material_count())]}


def _at(values, index):
    return values[index].item() if len(values) else None


def _mean(values):
    return float(np.mean(values)) if len(values) else None


def _max(values):
    return float(np.max(values)) if len(values) else None


def _min(values):
    return float(np.min(values)) if len(values) else None


def _int(value):
    return None if value is None else int(value)


def text(f):
    """The figures on one screen."""
    kinds = ", ".join(f"{n} {kind.replace('_', '-')}" for kind, n in f["bodies_by_kind"].items())
    span = f", t {f['time_start']:g} to {f['time_end']:g} s" if f["frames"] else ""
    each = f", {f['bytes_per_body_and_frame']:.0f} bytes a body and frame with its contacts" if f["bytes_per_body_and_frame"] else ""
    lines = [f"{f['path']}   ({f['title']}, scree {f['version']})",
             f"  frames       {f['frames']}{span}; {f['bytes'] / 1e6:.2f} MB{each}",
             f"  bodies       {f['bodies']}: {kinds}; {f['mass']:.6g} kg move"]
    if "step" in f:
        laws = ", ".join(f"{s['label']} (friction {s['friction']:g}{', restitution %g' % s['restitution'] if s['restitution'] else ''})" for s in f["surface_materials"])
        lines += [f"  model        step {f['step']:g} s, gravity ({', '.join(f'{x:g}' for x in f['gravity'])}) m/s2, {f['constraints']} constraints; {laws or 'no surface material'}"]
    if f["steps"]:
        lines += _step_lines(f)
    if f["ranks"] and f["ranks"]["steps"]:
        lines.append(_rank_line(f["ranks"]))
    if f["frames"]:
        lines += ["  energies J   " + ", ".join(f"{name} {value:.4g}" for name, value in f["energies"].items() if value),
                  f"  balance      kinetic + internal - works = {f['energy_error']:.2e} J, {_share(f['energy_error'], f['energy_scale'])} of the largest"]
    if f["checkpoint_damage"]:
        lines.append(f"  checkpoint   cannot be read: {f['checkpoint_damage']}")
    if f["hash"]:
        lines.append(f"  checkpoint   t {f['checkpoint_time']:g} s, state hash {f['hash']}{'' if f['finished'] else ', not finished'}")
    if f["hash"] and f["hash_kernels"]:
        lines.append(f"               its last bits depend on the dense kernels that factorisations used: {f['hash_kernels']} (OPENBLAS_CORETYPE chooses)")
    return "\n".join(lines)


def _step_lines(f):
    total = sum(f["seconds"].values())
    shares = ", ".join(f"{stage} {s:.3g} s ({100 * s / total:.0f} %)" for stage, s in f["seconds"].items()) if total > 0 else ""
    return [f"  steps        {f['steps']} in {total:.3g} s of computing, {1e3 * total / f['steps']:.3g} ms each, {1e3 * f['seconds_per_step_max']:.3g} ms at most",
            f"  stages       {shares}",
            f"  contacts     {f['contacts_mean']:.1f} a step, {f['contacts_max']} at most, {f['contacts_last']} at the end",
            f"  solver       {f['solver'] or 'unknown'}: {f['iterations_mean']:.2f} iterations a step, {f['iterations_max']} at most; {_accuracy(f)}",
            f"  residual     {f['residual_mean']:.2e} on average, {f['residual_max']:.2e} at most (t {f['residual_max_time']:g} s), {f['residual_last']:.2e} at the end",
            f"  penetration  {f['penetration_max']:.3g} m at most, {f['penetration_mean']:.3g} m on average"]


def _rank_line(r):
    each = {name: r[name] / r["steps"] for name in ("rounds", "messages", "bytes", "reductions", "balance_sum")}
    return (f"  ranks        {r['ranks']}: a step {each['rounds']:.1f} rounds, {each['messages']:.1f} messages of {each['bytes'] / 1e3:.3g} kB together, {each['reductions']:.1f} reductions; "
            f"contacts of the busiest {each['balance_sum']:.2f} times the mean, {r['balance_max']:.2f} at most")


def _accuracy(f):
    """How many steps missed the tolerance, and what they aim at."""
    if "tolerance" not in f:
        return f"{f['failed_steps']} steps missed the tolerance"
    missed = f"{f['failed_steps']} steps missed the tolerance {f['tolerance']:g}"
    return missed if f["goal"] >= f["tolerance"] else missed + f" (goal {f['goal']:g})"


def _share(part, whole):
    return f"{100 * abs(part) / whole:.2g} %" if whole else "nothing"
