"""One contact problem on many ranks: solved by teams of threads, which count what ranks would send each other, and priced by a model of a machine.

    t = max contacts x t_c x work + rounds x (L + 2 o neighbours) + bytes of the busiest rank / bandwidth + reductions x 2 L log2 P

`work` is the number of products and sweeps. Iterations, rounds, bytes and reductions are true counts; times are modelled.
"""
import math

from . import _scree, bench_packings, scenes
from .bench_scene import _run_steps
from .problem import Problem

#: The machine, as options of the command name it: seconds a contact and product or sweep, latency, overhead a message, bytes a second and rank, share of t_c that threads inside a rank save.
MACHINE = {"contact": 30e-9, "latency": 1.3e-6, "overhead": 0.3e-6, "bandwidth": 1e9, "thread_efficiency": 0.8}
#: Solvers of the tables and their options.
SOLVERS = {"NEWTON": {}, "GAUSS_SEIDEL": {"variant": "BOUNDARY_JACOBI", "acceleration": "nesterov"}}


def problem_of(name, across=None, up=None, particles=None, warmup=None):
    """(problem, places of its bodies) of `static` (a generated packing, across x across x up spheres) or of a scene after its warm-up and a step without impulses.
    particles: of a drum. warmup: steps instead of the scene's own."""
    if name == "static":
        default = bench_packings.SIZES["8k"][0]
        across, up = across or default[0], up or default[1]
        return Problem.packing(across, up), _scree.packing_places(across, up, 0.5, 0.0, 0.06, False, 1)
    scene = scenes.make(name, particles=particles)
    sim = scene.sim
    warmup = scene.warmup if warmup is None else warmup
    if warmup:
        sim.solver("GAUSS_SEIDEL", tolerance=1e-4, max_iterations=50)
        _run_steps(sim, warmup)
    sim.solver("AUTO", tolerance=1e-4, max_iterations=1000)
    _run_steps(sim, 3)
    sim._engine.set_solver("GAUSS_SEIDEL", _scree.StopRule(max_iterations=0), {}, "continue", None)  # the problem alone
    _run_steps(sim, 1)
    return sim.problem(), _scree.problem_places(sim._engine)


def modelled(row, machine, threads=1):
    """Seconds of a solve on a machine, by parts."""
    speed = 1.0 if threads == 1 else machine["thread_efficiency"] * threads
    alone = row["ranks"] == 1
    parts = {"compute": row["most_blocks"] * machine["contact"] * max(row["products"], row["iterations"]) / speed,
             "rounds": 0.0 if alone else row["rounds"] * (machine["latency"] + 2 * machine["overhead"] * row["most_neighbours"]),
             "bytes": row["most_bytes"] / machine["bandwidth"],
             "reductions": row["reductions"] * 2 * machine["latency"] * math.log2(row["ranks"])}
    return {**parts, "seconds": sum(parts.values())}


def bench(name, ranks, solvers=tuple(SOLVERS), tolerance=1e-4, yardstick="residual", max_iterations=100000, threads=(1,), machine=None, across=None, up=None, variant=None,
          particles=None, warmup=None, say=lambda text: None):
    """Rows of every solver and number of ranks. threads: threads inside a rank of the modelled machine."""
    machine = {**MACHINE, **(machine or {})}
    problem, places = problem_of(name, across, up, particles, warmup)
    rows = []
    for solver in solvers:
        options = dict(SOLVERS.get(solver, {}))
        if variant and solver == "GAUSS_SEIDEL":
            options["variant"] = variant
        for count in ranks:
            row = _scree.solve_on_ranks(problem._native, places, count, solver, tolerance, yardstick, max_iterations, options)
            row.pop("history", None)
            row.update(scene=name, solver=solver, tolerance=tolerance, contacts=problem.contacts, bodies=len(places),
                       imbalance=row["most_blocks"] * count / row["blocks"], product_bytes_per_contact=row["product_bytes"] / row["blocks"],
                       modelled={str(n): modelled(row, machine, n) for n in threads})
            rows.append(row)
            say(line(row))
    return {"scene": name, "machine": machine, "threads": list(threads), "rows": rows}


def line(row):
    """One row of counts."""
    return (f"{row['solver']:<13}{row['ranks']:>5}{row['imbalance']:>10.2f}{row['most_neighbours']:>11}{row['iterations']:>11}{row['products']:>10}{row['rounds']:>8}{row['reductions']:>11}"
            f"{row['product_bytes_per_contact']:>11.2f}  {row['status']} {row['residual']:.1e}")


def table(figures):
    """Counts, then modelled seconds and efficiency."""
    rows, machine = figures["rows"], figures["machine"]
    lines = [f"{figures['scene']}: {rows[0]['bodies']} bodies, {rows[0]['contacts']} contacts, tolerance {rows[0]['tolerance']:.0e}", "counted, ranks as threads of this machine:",
             f"{'solver':<13}{'ranks':>5}{'max/mean':>10}{'neighbours':>11}{'iterations':>11}{'products':>10}{'rounds':>8}{'reductions':>11}{'B/contact':>11}"]
    lines += [line(row) for row in rows]
    lines += ["", "modelled with t_c = {contact:.3g} s a contact and product, L = {latency:.3g} s, o = {overhead:.3g} s, {bandwidth:.3g} bytes/s a rank, threads {thread_efficiency:.0%} efficient:".format(**machine),
              f"{'solver':<13}{'ranks':>5}{'threads':>8}{'compute s':>11}{'rounds s':>10}{'bytes s':>10}{'reduct. s':>10}{'total s':>10}{'speed-up':>9}{'efficiency':>11}"]
    for row in rows:
        alone = modelled(next(r for r in rows if r["solver"] == row["solver"]), machine)
        first = next(r for r in rows if r["solver"] == row["solver"])["ranks"]
        for threads, m in row["modelled"].items():
            gain = alone["seconds"] / m["seconds"]
            lines.append(f"{row['solver']:<13}{row['ranks']:>5}{threads:>8}{m['compute']:>11.3g}{m['rounds']:>10.2g}{m['bytes']:>10.2g}{m['reductions']:>10.2g}{m['seconds']:>10.3g}"
                         f"{gain:>9.1f}{gain * first / (row['ranks'] * int(threads)):>11.0%}")
    return "\n".join(lines)
