"""Siconos (Debian packages siconos, python3-siconos) on the same problem files, judged by our yardsticks.

Every solve runs in a child process of its own, limited in CPU time, so that a crash or a hang of the peer costs nothing.
Only the call of its driver is timed, as our own solvers are.
"""
import json
import os
import resource
import select
import signal
import tempfile
import time

import numpy as np

from . import _check, bench_solvers
from .problem import Problem

_MANY = 10**8

#: Name shown -> (solver of the peer, integer parameters by name).
SOLVERS = {
    "NSGS": ("NSGS", {}),
    "NSGS_QUARTIC": ("NSGS", {"inner": "QUARTIC"}),
    "NSN_AC": ("NSN_AC", {}),
    "NSN_AC_HYBRID": ("NSN_AC", {"NSN_HYBRID_STRATEGY": "NSN_HYBRID_STRATEGY_VI_EG_NSN"}),
    "NSN_FB": ("NSN_FB", {}),
    "ADMM": ("ADMM", {}),
    "PROX": ("PROX", {}),
    "TFP": ("TFP", {}),
    "ACLMFP": ("ACLMFP", {}),
    "FPP": ("FPP", {}),
}


def available():
    """The peer's module, or None."""
    try:
        import siconos.numerics
        return siconos.numerics
    except ImportError:
        return None


def require():
    """ValueError unless the peer is installed."""
    if available() is None:
        raise ValueError("--against siconos: its Python binding is not installed; install the Debian packages siconos and python3-siconos")


def _write(problem, path):
    """The peer's text form: dimension, contacts, block-sparse W with column-major blocks, q, mu."""
    start, columns, blocks = problem._native.block_rows()
    n, nb = problem.blocks, len(columns)
    sizes = " ".join(str(3 * (k + 1)) for k in range(n))
    with open(path, "w") as file:
        file.write(f"3\n{n}\n1\n{3 * n}\n{3 * n}\n{nb}\n{n}\n{n}\n{sizes}\n{sizes}\n{n + 1}\n{nb}\n")
        file.write(" ".join(map(str, start)) + "\n" + " ".join(map(str, columns)) + "\n")
        for k, block in enumerate(blocks):
            file.write(f"{k}\n" + "\n".join(f"{v:.17e}" for v in block.T.ravel()) + "\n")
        for values in (problem.B.ravel(), problem.mu):
            file.write(" ".join(f"{v:.17e}" for v in values) + "\n")


def _options(sn, name, tolerance):
    kind, parameters = SOLVERS[name]
    options = sn.SolverOptions(getattr(sn, "SICONOS_FRICTION_3D_" + kind))
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = _MANY
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    for key, value in parameters.items():
        if key == "inner":
            sn.solver_options_update_internal(options, 0, getattr(sn, "SICONOS_FRICTION_3D_ONECONTACT_" + value))
        else:
            options.iparam[getattr(sn, "SICONOS_FRICTION_3D_" + key)] = getattr(sn, "SICONOS_FRICTION_3D_" + value)
    return options


def _child(pipe, path, name, tolerance, cap):
    """Solve, repeat while short, send back (seconds, iterations, reactions)."""
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    import siconos.numerics as sn
    limit = int(time.process_time() + cap + 1.0)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    best, spent, runs = None, 0.0, 0
    while runs == 0 or (runs < 5 and spent < 0.2):
        problem = sn.frictionContact_new_from_filename(path)
        r, u = np.zeros(3 * problem.numberOfContacts), np.zeros(3 * problem.numberOfContacts)
        options = _options(sn, name, tolerance)
        worked, begun = time.process_time(), time.perf_counter()
        sn.fc3d_driver(problem, r, u, options)
        seconds = bench_solvers.busy_seconds(time.perf_counter() - begun, time.process_time() - worked)
        runs, spent = runs + 1, spent + seconds
        if best is None or seconds < best[0]:
            best = (seconds, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), r.tolist())
    with os.fdopen(pipe, "w") as stream:
        json.dump(best, stream)


def _solve(path, name, tolerance, cap):
    """Result of a child, or the word that says why there is none."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(read)
            _child(write, path, name, tolerance, cap)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    data, deadline = b"", time.monotonic() + 3 * cap + 10
    while True:
        ready = select.select([read], [], [], max(0.0, deadline - time.monotonic()))[0]
        chunk = os.read(read, 1 << 16) if ready else None
        if not chunk:
            break
        data += chunk
    os.close(read)
    if chunk is None:
        os.kill(pid, signal.SIGKILL)
    ended = os.waitpid(pid, 0)[1]
    if chunk is None or (os.WIFSIGNALED(ended) and os.WTERMSIG(ended) in (signal.SIGXCPU, signal.SIGKILL)):
        return "max_seconds"
    return json.loads(data) if data else "crashed"


def _record(problem, name, tolerance, result, cap):
    record = {"problem": problem.name, "contacts": problem.contacts, "solver": "siconos:" + name, "tolerance": tolerance, "status": "diverged",
              "solved": False, "seconds": cap, "iterations": 0, "products": 0, "residual": float("nan"), "merit": float("nan"),
              "siconos": float("nan"), "stage": ""}
    if isinstance(result, str):
        record["status"] = result
        return record
    record["seconds"], record["iterations"], r = result
    if np.isfinite(r).all():
        for yardstick in ("residual", "merit", "siconos"):
            record[yardstick] = problem.measure(r, yardstick)
        record["solved"] = bool(record["residual"] <= tolerance)
        record["status"] = "converged" if record["solved"] else "diverged"
    return record


def _tightened(problem, path, name, tolerance, cap):
    """The peer stops on its own error; tighten it until our residual is met (at most four times)."""
    asked = tolerance
    for _ in range(5):
        record = _record(problem, name, tolerance, _solve(path, name, asked, cap), cap)
        if record["solved"] or not record["residual"] < 1e300:
            break
        asked *= min(0.1, 0.5 * tolerance / record["residual"])
        if asked < 1e-15:
            break
    return record


def bench(paths, names=None, tolerances=(1e-4, 1e-8), cap=10.0, say=lambda text: None):
    """Records like those of bench_solvers.bench(). ValueError when the peer is not installed."""
    require()
    names = list(SOLVERS) if names is None else [_check.choice("peer solver", name, SOLVERS) for name in names]
    records = []
    with tempfile.TemporaryDirectory() as folder:
        files = bench_solvers.problem_files(paths)
        for label, file in zip(bench_solvers.labels(files), files):
            problem = Problem(file)
            if problem.contacts != problem.blocks:
                say(f"{problem.name}: has bilateral blocks; the peer is skipped")
                continue
            path = os.path.join(folder, "problem.dat")
            _write(problem, path)
            for name in names:
                for tolerance in sorted(tolerances, reverse=True):
                    record = {**_tightened(problem, path, name, tolerance, cap), "problem": label}
                    records.append(record)
                    say(bench_solvers.line(record))
                    if not record["solved"]:
                        break
    return records
