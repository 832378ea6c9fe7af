"""Solvers x problems x tolerances at one yardstick: times, failures, performance profiles."""
import math
import os
import time

import numpy as np

from . import _scree, bench_agreement
from .problem import Problem, solvers as list_solvers

#: Iterations are not what ends a solve here; the time limit is.
_MANY = 2**31 - 1


def problem_files(paths):
    """Files named, and those ending in .hdf5 or .h5 in folders named, in order."""
    files = []
    for path in paths:
        if os.path.isdir(path):
            found = sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith((".hdf5", ".h5")))
            if not found:
                raise ValueError(f"folder '{path}' holds no .hdf5 files")
            files += found
        else:
            files.append(path)
    return files


def solver_names(names):
    """Checked names; None: all."""
    return [entry["name"] for entry in list_solvers() if entry["problems"]] if names is None else [_known(name) for name in names]


def _known(name):
    added = [entry["name"] for entry in list_solvers() if entry["problems"]]
    return name if name in added else _scree.find_solver(name)


def bench(paths, names=None, tolerances=(1e-4, 1e-8), cap=10.0, repeat=5, say=lambda text: None, agreements=None):
    """Run everything; returns a list of records. A tolerance is skipped once a looser one failed. `agreements`, a list, receives
    what bench_agreement.compare() says of every problem and tolerance."""
    names, files = solver_names(names), problem_files(paths)
    records = []
    for label, problem in zip(labels(files), [Problem(path) for path in files]):
        answers = {tolerance: {} for tolerance in tolerances}
        for name in names:
            for tolerance in sorted(tolerances, reverse=True):
                record, solution = _solve(label, problem, name, tolerance, cap, repeat)
                records.append(record)
                say(line(record))
                if not record["solved"]:
                    break
                answers[tolerance][name] = solution
        if agreements is not None:
            agreements += [bench_agreement.compare(label, problem, tolerance, found, polish=tolerance == min(tolerances))
                           for tolerance, found in answers.items()]
    return records


def labels(files):
    """File names without their ending; with their folder where two are the same."""
    names = [os.path.splitext(os.path.basename(path))[0] for path in files]
    return [os.path.basename(os.path.dirname(os.path.abspath(path))) + "/" + name if names.count(name) > 1 else name for path, name in zip(files, names)]


def busy_seconds(clock, processor):
    """What a solve on one thread took: on a busy machine processor time is nearer to it than the clock, once it is long enough for
    the system's accounting (a few ticks)."""
    return min(clock, processor) if clock > 0.05 and processor > 0.02 else clock


def _solve(label, problem, name, tolerance, cap, repeat):
    """Record with the best time of up to `repeat` solves (fewer when they take long) from zero, and its Solution."""
    best, spent, runs = None, 0.0, 0
    while runs < repeat and (runs == 0 or spent < 0.2):
        begun = time.process_time()
        solution = problem.solve(name, tolerance, max_iterations=_MANY, max_seconds=cap)
        solution.seconds = busy_seconds(solution.seconds, time.process_time() - begun)
        runs, spent = runs + 1, spent + solution.seconds
        if best is None or solution.seconds < best.seconds:
            best = solution
    return {"problem": label, "contacts": problem.contacts, "solver": name, "tolerance": tolerance, "status": best.status,
            "solved": bool(best.residual <= tolerance), "seconds": best.seconds, "iterations": best.iterations, "products": best.products,
            "residual": best.residual, "merit": best.merit, "siconos": best.siconos, "stage": best.stage}, best


def line(record):
    """One record as a line."""
    return (f"{record['problem']:<40.40} {record['contacts']:>6}  {record['solver']:<20} {record['tolerance']:.0e}  "
            f"{'solved' if record['solved'] else record['status']:<15} {record['seconds']:9.3g} s  {record['iterations']:>8} it  residual {record['residual']:.1e}")


def geometric_mean(values):
    """exp(mean(log)); nan for none."""
    return math.exp(np.mean(np.log(np.maximum(values, 1e-9)))) if len(values) else math.nan


def summary(records):
    """A row a solver and tolerance: problems tried, solved, geometric mean of the times of those solved."""
    rows = []
    problems = {r["problem"] for r in records}
    for tolerance in sorted({r["tolerance"] for r in records}, reverse=True):
        for name in dict.fromkeys(r["solver"] for r in records):
            solved = [r for r in records if r["solver"] == name and r["tolerance"] == tolerance and r["solved"]]
            missed = sorted({r["problem"] for r in records if r["solver"] == name and r["tolerance"] >= tolerance and not r["solved"]})
            rows.append({"solver": name, "tolerance": tolerance, "problems": len(problems), "solved": len(solved),
                         "seconds_geometric_mean": geometric_mean([r["seconds"] for r in solved]) if solved else None,
                         "iterations_geometric_mean": geometric_mean([max(1, r["iterations"]) for r in solved]) if solved else None, "missed": missed})
    return rows


def table(records):
    """Problems down, solvers across, milliseconds; '-' where it failed."""
    names = list(dict.fromkeys(r["solver"] for r in records))
    width = {name: max(9, len(name)) for name in names}
    lines = []
    for tolerance in sorted({r["tolerance"] for r in records}, reverse=True):
        lines.append(f"milliseconds to {tolerance:g}")
        lines.append(f"{'problem':<34} {'nc':>6} " + " ".join(f"{name:>{width[name]}}" for name in names))
        for problem in dict.fromkeys(r["problem"] for r in records):
            cells, contacts = [], ""
            for name in names:
                found = [r for r in records if r["problem"] == problem and r["solver"] == name and r["tolerance"] == tolerance]
                contacts = found[0]["contacts"] if found else contacts
                solved = found and found[0]["solved"]
                cells.append(f"{1e3 * found[0]['seconds']:{width[name]}.4g}" if solved else f"{'-':>{width[name]}}")
            lines.append(f"{problem:<34.34} {contacts:>6} " + " ".join(cells))
        lines.append("")
    lines.append(f"{'solver':<24} {'tolerance':>10} {'solved':>10} {'mean ms':>10} {'mean it':>9}  missed")
    for row in summary(records):
        mean = f"{1e3 * row['seconds_geometric_mean']:10.4g}" if row["solved"] else f"{'-':>10}"
        iterations = f"{row['iterations_geometric_mean']:9.3g}" if row["solved"] else f"{'-':>9}"
        missed = ", ".join(row["missed"][:4]) + (" ..." if len(row["missed"]) > 4 else "")
        lines.append(f"{row['solver']:<24} {row['tolerance']:>10.0e} {row['solved']:>4} of {row['problems']:<3} {mean} {iterations}  {missed}".rstrip())
    for row in comparison(records):
        lines.append(f"{row['solver']} at {row['tolerance']:g}, {row['problems']} problems of {_LARGE} contacts or more: "
                     f"{row['over_best_single']:.3g} x faster than {row['best_single']}, {row['over_best_of_all']:.3g} x faster than the best of all "
                     f"chosen per problem; slower on {len(row['slower_on'])} of all problems" + "".join(f", {p}" for p in row["slower_on"]))
    return "\n".join(lines)


#: Problems with fewer contacts are left out of means over a peer: calls take microseconds there.
_LARGE = 20


def comparison(records):
    """Our solvers against a peer's: geometric means of time ratios. A solve that failed counts with the time it was given, so that
    ratios over a failing peer are lower bounds; our own failures leave the problem out."""
    peers = list(dict.fromkeys(r["solver"] for r in records if ":" in r["solver"]))
    rows = []
    for tolerance in sorted({r["tolerance"] for r in records}, reverse=True) if peers else []:
        times = {(r["problem"], r["solver"]): r for r in records if r["tolerance"] == tolerance}
        large = {r["problem"] for r in records if r["contacts"] >= _LARGE}
        caps = {}
        for r in records:
            if r["solver"] in peers and not r["solved"]:
                caps[r["problem"], r["solver"]] = r["seconds"]
        for name in dict.fromkeys(r["solver"] for r in records if ":" not in r["solver"]):
            ours = {p: r["seconds"] for (p, s), r in times.items() if s == name and r["solved"]}
            ratios = {}
            for peer in peers:
                for p in ours:
                    r = times.get((p, peer))
                    theirs = r["seconds"] if r and r["solved"] else caps.get((p, peer))
                    if theirs is not None:
                        ratios[p, peer] = theirs / max(ours[p], 1e-9)
            if not ratios:
                continue
            solved = {(p, s) for (p, s), r in times.items() if r["solved"]}
            means = {peer: geometric_mean([v for (p, q), v in ratios.items() if q == peer and p in large]) for peer in peers}
            best = {p: min([v for (q, s), v in ratios.items() if q == p and (q, s) in solved] or [v for (q, s), v in ratios.items() if q == p]) for p in ours}
            single = min(means, key=means.get)
            rows.append({"solver": name, "tolerance": tolerance, "problems": len(large & set(ours)), "best_single": single, "over_best_single": means[single],
                         "over_best_of_all": geometric_mean([v for p, v in best.items() if p in large]), "slower_on": sorted(p for p, v in best.items() if v < 1.0)})
    return rows


def profile(records, tolerance):
    """Dolan-More profile: {solver: (ratios, share of problems solved within that ratio of the best time)}."""
    problems = list(dict.fromkeys(r["problem"] for r in records))
    times = {(r["problem"], r["solver"]): max(r["seconds"], 1e-7) for r in records if r["tolerance"] == tolerance and r["solved"]}
    best = {p: min((t for (q, _), t in times.items() if q == p), default=math.inf) for p in problems}
    curves = {}
    for name in dict.fromkeys(r["solver"] for r in records):
        ratios = sorted(times[p, name] / best[p] for p in problems if (p, name) in times)
        curves[name] = (np.array(ratios), np.arange(1, len(ratios) + 1) / len(problems))
    return curves


def _figure(columns):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    return plt.subplots(1, columns, figsize=(6.5 * columns, 5), squeeze=False)


def plot_profile(records, path):
    """Performance profile, one panel a tolerance."""
    tolerances = sorted({r["tolerance"] for r in records}, reverse=True)
    figure, axes = _figure(len(tolerances))
    for axis, tolerance in zip(axes[0], tolerances):
        curves = profile(records, tolerance)
        longest = max((c[0][-1] for c in curves.values() if len(c[0])), default=1.0) * 2
        for k, (name, (ratios, share)) in enumerate(curves.items()):
            axis.step(np.concatenate([[1.0], ratios, [longest]]), np.concatenate([[0.0], share, share[-1:] if len(share) else [0.0]]),
                      where="post", label=name, linestyle=("-", "--", ":", "-.")[k // 10 % 4])
        axis.set(xscale="log", xlim=(1, longest), ylim=(0, 1.02), xlabel="time relative to the fastest solver", ylabel="share of problems solved",
                 title=f"residual {tolerance:g}, {len({r['problem'] for r in records})} problems")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def plot_histories(paths, names, tolerance, cap, path):
    """Residual against iterations of every solver, one panel a problem (at most six)."""
    problems = [Problem(file) for file in problem_files(paths)[:6]]
    figure, axes = _figure(len(problems))
    for axis, problem in zip(axes[0], problems):
        for name in solver_names(names):
            history = problem.solve(name, tolerance, max_iterations=_MANY, max_seconds=cap, history=True).history
            if history:
                axis.loglog(np.arange(1, len(history) + 1), np.maximum(history, 1e-16), label=name)
        axis.set(xlabel="iterations measured", ylabel="residual", title=f"{problem.name}, {problem.contacts} contacts")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
