"""Solvers on large packings in body form: generated ones, at rest and sheared, and physical ones settled by the stepper.

Each is solved cold (from zero) and, where there is a step before, warm (from that step's impulses).
"""
from . import _scree, scenes
from .problem import Problem

#: contacts wanted -> spheres across and layers of the generated packing, spheres across and count of the column
SIZES = {"2k": ((8, 8), (9, 800)), "8k": ((13, 12), (14, 3200)), "30k": ((20, 21), (22, 12000)), "100k": ((30, 31), (33, 40000))}
#: generated kinds and how they differ from Problem.packing's defaults; `loose` has 1.7 contact equations a degree of freedom,
#: the others 2.3; `sheared` moves as fast as gravity makes it in a step, `fast` a hundred times faster
GENERATED = {"static": {}, "loose": {"reach": 0.02}, "sheared": {"shear": 0.01}, "fast": {"shear": 1.0}}
KINDS = (*GENERATED, "physical")
SETTLING = 700            # steps of the columns before their problem is taken


def _physical(width, count):
    """A step of a settling column and the impulses of the step before."""
    sim = scenes.column(count, width)
    sim.solver("GAUSS_SEIDEL", tolerance=1e-4, max_iterations=50)
    sim.advance(SETTLING)
    sim.solver("AUTO", tolerance=1e-4, max_iterations=2000)
    sim.advance(3)
    sim._engine.set_solver("GAUSS_SEIDEL", _scree.StopRule(max_iterations=0), {}, "continue", None)  # the problem alone
    sim.advance(1)
    problem = sim.problem()
    return problem, problem.solution[0]


def problems(size, kinds, seed=1):
    """(kind, problem, warm guess or None) of one size."""
    (across, up), (width, count) = SIZES[size]
    for kind in kinds:
        if kind == "physical":
            yield (kind, *_physical(width, count))
        else:
            yield kind, Problem.packing(across, up, seed=seed, **GENERATED[kind]), None


def bench(sizes, kinds, tolerances, cap, threads, solvers=("AUTO",), seed=1, say=lambda text: None):
    """Records of every solve (`seed` is that of generated packings): size, kind, start, solver, threads, tolerance, status, seconds, iterations, residual."""
    records = []
    for size in sizes:
        for kind, problem, guess in problems(size, kinds, seed):
            for start in ("cold",) if guess is None else ("cold", "warm"):
                for solver in solvers:
                    for count in threads:
                        records += _solves(size, kind, start, problem, guess if start == "warm" else None, solver, count, tolerances, cap, say)
    return records


def _solves(size, kind, start, problem, guess, solver, threads, tolerances, cap, say):
    records = []
    for tolerance in sorted(tolerances, reverse=True):
        answer = problem.solve(solver, tolerance=tolerance, guess=guess, threads=threads, max_seconds=cap, max_iterations=10**9)
        record = {"size": size, "kind": kind, "start": start, "contacts": problem.contacts, "solver": solver, "threads": threads,
                  "tolerance": tolerance, "status": answer.status, "seconds": answer.seconds, "iterations": answer.iterations,
                  "residual": answer.residual, "stage": answer.stage}
        say("{size:>5} {kind:<9} {start:<5}{contacts:>7} {solver} {threads} {tolerance:.0e} {status} {seconds:.3g} s, residual {residual:.1e}".format(**record))
        records.append(record)
        if answer.status != "converged":
            break
    return records


def table(records):
    """Seconds to each tolerance, or the residual reached within the time limit."""
    tolerances = sorted({r["tolerance"] for r in records}, reverse=True)
    lines = [f"{'packing':<16}{'start':<6}{'contacts':>9}  {'solver':<14}{'threads':>7}  " + "".join(f"{t:>12.0e}" for t in tolerances)]
    rows = {}
    for r in records:
        rows.setdefault((r["size"], r["kind"], r["start"], r["contacts"], r["solver"], r["threads"]), {})[r["tolerance"]] = r
    for (size, kind, start, contacts, solver, threads), cells in rows.items():
        text = ""
        for tolerance in tolerances:
            r = cells.get(tolerance)
            text += f"{'-':>12}" if r is None else f"{r['seconds']:>10.3g} s" if r["status"] == "converged" else f"{'(' + format(r['residual'], '.1e') + ')':>12}"
        lines.append(f"{kind + ' ' + size:<16}{start:<6}{contacts:>9}  {solver:<14}{threads:>7}  {text}")
    return "\n".join(lines + ["seconds to the tolerance; in brackets the residual when the time limit came first"])
