"""Do solvers that converge find the same velocities?

Impulses are not unique where W is singular; velocities are under the convex laws, and mostly under Coulomb's. Differences are measured
like the residual: |X| = sqrt(sum rho_a |X_a|^2) with rho_a = 3 / tr W_aa, relative to |B|.
"""
import numpy as np

#: Answers further apart than so many tolerances are polished, so many at most, with this solver to this residual.
_APART, _MOST, _POLISH, _POLISHED = 10.0, 8, "SEMISMOOTH_NEWTON", 1e-12
#: Polished answers this far apart are different solutions: what polishing leaves of the residual is amplified to 1e-7 at most.
_DIFFERENT = 1e-6


def _rows(problem, velocities):
    """Velocities scaled so that their Euclidean distance is the measure, one row each."""
    trace = np.trace(problem.diagonal(), axis1=1, axis2=2)
    weight = np.sqrt(np.where(trace > 0.0, 3.0 / np.where(trace > 0.0, trace, 1.0), 1.0))[:, None]
    size = np.linalg.norm(weight * problem.B)
    return np.array([(weight * U).ravel() for U in velocities]) / (size if size > 0.0 else 1.0)


def _furthest(rows):
    """(largest distance, its two rows)."""
    best = (0.0, 0, 0)
    for i in range(len(rows)):
        distances = np.linalg.norm(rows[:i] - rows[i], axis=1)
        if i and distances.max() > best[0]:
            best = (float(distances.max()), int(distances.argmax()), i)
    return best


def compare(label, problem, tolerance, answers, polish=True):
    """Largest difference of velocities between answers ({solver: Solution}), and what becomes of those apart when they are polished.

    'several' in the record: some stay apart although their residuals fall a thousandfold or more, so that the problem has several Coulomb
    solutions; 'groups' then says who ended nearest to which of the two furthest."""
    names = list(answers)
    record = {"problem": label, "contacts": problem.contacts, "tolerance": tolerance, "solvers": len(names), "difference": 0.0, "between": [],
              "polished": 0, "polished_residual": None, "polished_difference": None, "several": False, "groups": []}
    if len(names) < 2:
        return record
    rows = _rows(problem, [answers[name].U for name in names])
    record["difference"], i, j = _furthest(rows)
    record["between"] = [names[i], names[j]] if record["difference"] > 0.0 else []
    if polish and record["difference"] > _APART * tolerance:
        _polish(problem, tolerance, [answers[name] for name in names], names, rows, record)
    return record


def _polish(problem, tolerance, solutions, names, rows, record):
    chosen = []
    for k in range(len(rows)):
        if len(chosen) < _MOST and all(np.linalg.norm(rows[k] - rows[c]) > _APART * tolerance for c in chosen):
            chosen.append(k)
    ends = [problem.solve(_POLISH, _POLISHED, guess=solutions[k].R, max_seconds=5.0) for k in chosen]
    ends = [end for end in ends if end.residual <= 1e-3 * tolerance]
    record["polished"] = len(ends)
    if len(ends) < 2:
        return
    polished = _rows(problem, [end.U for end in ends])
    record["polished_residual"] = max(end.residual for end in ends)
    record["polished_difference"], i, j = _furthest(polished)
    record["several"] = bool(record["polished_difference"] > _DIFFERENT)
    if record["several"]:
        nearer = np.linalg.norm(rows - polished[i], axis=1) <= np.linalg.norm(rows - polished[j], axis=1)
        record["groups"] = [[n for n, near in zip(names, nearer) if near], [n for n, near in zip(names, nearer) if not near]]


def table(records):
    """One line a problem and tolerance, the largest differences first."""
    lines = ["largest difference of velocities between converged solvers, relative to B"]
    for r in sorted(records, key=lambda r: (-r["tolerance"], -r["difference"])):
        if r["solvers"] < 2:
            continue
        text = f"{r['problem']:<34.34} {r['contacts']:>6} {r['tolerance']:>8.0e} {r['solvers']:>3} solvers {r['difference']:9.1e}  {' - '.join(r['between'])}"
        if r["polished_difference"] is not None:
            text += f"; {r['polished']} polished to {r['polished_residual']:.0e}: {r['polished_difference']:.1e}"
        if r["several"]:
            text += "; several Coulomb solutions: " + " | ".join(", ".join(group) for group in r["groups"])
        lines.append(text)
    for tolerance in sorted({r["tolerance"] for r in records}, reverse=True):
        compared = [r for r in records if r["tolerance"] == tolerance and r["solvers"] > 1]
        if compared:
            within = sum(r["difference"] <= _APART * tolerance for r in compared)
            largest = max((r["difference"] for r in compared if not r["several"]), default=0.0)
            lines.append(f"at {tolerance:g}: {within} of {len(compared)} problems agree to {_APART * tolerance:g}; largest difference where the solution "
                         f"is one {largest:.1e}; several solutions: {', '.join(r['problem'] for r in compared if r['several']) or 'none'}")
    return "\n".join(lines)
