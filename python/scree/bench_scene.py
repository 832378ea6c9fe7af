"""Timing of a scene: milliseconds a step by stage, contacts, sweeps, accuracy, and the state's hash."""
import math
import os
import resource
import tempfile
import time

import numpy as np

from . import _scree, peers, results, scenes
from .peers import solfec as solfec_peer
from .run import Run

STAGES = tuple(_scree.stage_names)


def _run_steps(sim, steps, frames=None):
    """Make steps with the scene's callbacks; returns the step table and the run."""
    tables = []
    run = Run(sim, steps * sim.step, None if frames is None else steps * sim.step / frames, None, quiet=True, resume=False, compress=False)
    run.sink = tables.append
    run.execute()
    return (np.concatenate(tables) if tables else sim._engine.report()[:0]), run


def _run_with_results(sim, steps, frames):
    """Make steps that write so many frames into a folder of their own; (table, figures of the writing)."""
    with tempfile.TemporaryDirectory() as folder:
        sim.out, sim._runs = folder, 0
        table, run = _run_steps(sim, steps, frames)
        stored = results.read(folder)
        size = os.path.getsize(stored.path)
        return table, {"frames": len(stored), "write_seconds": run.write_seconds, "bytes_per_body_and_frame": size / stored.body_frames}


def bench(name, steps=None, threads=None, solver="AUTO", tolerance=None, yardstick="residual", max_iterations=None, warmup=None, state=None, frames=None, against=False, solfec=None):
    """Warm up, then time; returns the figures as a dictionary. frames: write so many frames of results meanwhile.
    against: run the engine that has a driver for this scene from the same state, too.
    solfec: path of Solfec's program, which makes the same steps with its own solver to the same tolerance, of merit."""
    if solfec is not None and (warmup or against):
        raise ValueError("--solfec: Solfec begins where the scene does, alone; leave out --warmup and --against")
    scene = scenes.make(name, state)
    sim = scene.sim
    if threads is not None:
        sim._threads = threads
    warm = scene.warmup if warmup is None else warmup
    if warm:
        sim.solver("GAUSS_SEIDEL", tolerance=1e-4, max_iterations=50)
        _run_steps(sim, warm)
    limits = {} if max_iterations is None else {"max_iterations": max_iterations}
    sim.solver(solver, tolerance=tolerance, yardstick=yardstick, **limits)
    steps, written = scene.steps if steps is None else steps, {}
    peer = _run_peer(scene, steps) if against else {}
    if solfec is not None:
        peer = {"peer": solfec_peer.run(solfec, name, steps, solver, tolerance or sim._engine.goal())}
    begun, busy = time.perf_counter(), time.process_time()
    if frames is None:
        table, _ = _run_steps(sim, steps)
    else:
        table, written = _run_with_results(sim, steps, frames)
    elapsed, busy = time.perf_counter() - begun, time.process_time() - busy
    if written:
        written["write_share"] = written["write_seconds"] / elapsed
    return {**_figures(scene, table, elapsed, busy, warm, solver), **written, **peer}


def _run_peer(scene, steps):
    if scene.peer is None:
        raise ValueError(f"--against: no other engine has a driver for scene '{scene.name}'; the columns (ODE) and hulls_30 to hulls_240 (Bullet) have one")
    driver, write = scene.peer
    return {"peer": peers.run(driver, write(), steps)}


def _figures(scene, table, elapsed, busy, warm, solver):
    count = max(1, len(table))
    touching = table["penetration_mean"][table["penetration_mean"] > 0]
    figures = {
        "scene": scene.name, "steps": len(table), "warmup": warm, "bodies": len(scene.sim.bodies), "threads": _scree.threads(),
        "solver": solver, "tolerance": scene.sim._engine.tolerance(), "goal": scene.sim._engine.goal(),
        "contacts_mean": float(table["contacts"].mean()), "candidates_mean": float(table["candidates"].mean()),
        "ms_per_step": 1e3 * elapsed / count, "cpu_ms_per_step": 1e3 * busy / count,
        "stages": {stage: 1e3 * float(table[stage].sum()) / count for stage in STAGES},
        "sweeps_mean": float(table["iterations"].mean()), "iterations_mean": float(table["iterations"].mean()),
        "failed_steps": int((table["status"] != 0).sum()),
        "residual_max": float(table["residual"].max()),
        "penetration_max": float(table["penetration_max"].max()),
        "penetration_mean": float(touching.mean()) if touching.size else 0.0,
        "kinetic_energy": float(table["kinetic"][-1]), "time": scene.sim.time, "hash": scene.sim.hash(),
    }
    work = figures["contacts_mean"] * figures["sweeps_mean"]
    figures["ns_per_contact_and_sweep"] = 1e6 * figures["stages"]["solve"] / work if work > 0 else math.nan
    if math.isnan(figures["ns_per_contact_and_sweep"]):
        figures["ns_per_contact_and_sweep"] = None
    if scene.still:
        figures.update(scene.drift())
    factorisations, seconds = scene.sim._engine.factor_cost()
    if factorisations:
        figures.update(factorisations=factorisations, factorisation_ms=1e3 * seconds / factorisations,
                       peak_memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return figures


def text(figures):
    """The figures as a few lines to read."""
    stages = "  ".join(f"{name} {ms:.3g}" for name, ms in figures["stages"].items())
    lines = [
        f"{figures['scene']}: {figures['bodies']} bodies, {figures['steps']} steps after {figures['warmup']}, {figures['threads']} threads, "
        f"{figures['solver']} to {figures['tolerance']:g}" + (f", goal {figures['goal']:g}" if figures["goal"] < figures["tolerance"] else ""),
        f"  {figures['ms_per_step']:.4g} ms a step  ({stages}); {figures['cpu_ms_per_step']:.4g} ms of processor time",
        f"  contacts {figures['contacts_mean']:.0f}   iterations {figures['iterations_mean']:.1f}   residual at most {figures['residual_max']:.2e}"
        f"   steps over tolerance {figures['failed_steps']}",
        f"  penetration at most {figures['penetration_max']:.3g} m, mean {figures['penetration_mean']:.3g} m   kinetic energy {figures['kinetic_energy']:.4g} J",
    ]
    if "write_share" in figures:
        lines.append(f"  results: {figures['frames']} frames in {figures['write_seconds']:.3g} s, {100 * figures['write_share']:.2g} % of the time; "
                     f"{figures['bytes_per_body_and_frame']:.0f} bytes a body and frame with its contacts")
    if "factorisations" in figures:
        lines.append(f"  {figures['factorisations']} factorisations of A, {figures['factorisation_ms']:.4g} ms each on average: a step costs "
                     f"{figures['ms_per_step'] / figures['factorisation_ms']:.2f} of them; peak memory {figures['peak_memory_mb']:.0f} MB")
    if "peer" in figures:
        peer = figures["peer"]
        lines.append(f"  {peer['name']} from the same start: {peer['cpu_ms']:.4g} ms of processor time, {peer['contacts']} contacts; ours over it "
                     f"{figures['cpu_ms_per_step'] / peer['cpu_ms']:.2f}")
    if "drift_max" in figures:
        lines.append(f"  drift at most {figures['drift_max']:.3g} m, tilt at most {figures['tilt_max']:.3g} rad")
    return "\n".join(lines + [f"  hash {figures['hash']}"])
