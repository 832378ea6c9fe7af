"""The ranks that run one script together: processes of `mpirun -n P scree run SCRIPT.py` or `scree run --ranks P SCRIPT.py`. Without a launcher there
is one.

Every rank runs the whole script and holds all bodies; a step's work is divided among them. Calls that concern all ranks (runs, steps, BARRIER) must be
made by all, in the same order; where one does something else, or fails, all of them hear of it.
"""
import importlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import traceback
import warnings

from . import _scree

rank, size = 0, 1  #: number of this process, from 0, and how many there are
gathered = False  #: rank 0 solves contact problems, whatever the solver

#: Variables by which launchers tell a process how many there are.
_LAUNCHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
#: Seconds that a rank which has failed waits for the others to hear of it before it ends them; the first of several that wait does.
_PATIENCE = 5.0
_PATIENCE_OF_NEXT = 0.5
_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_module = None
_spoke = False  #: this rank has told of the error that ends the run


def launched():
    """How many processes a launcher has started; 0: there is none."""
    return max((int(os.environ.get(name, 0)) for name in _LAUNCHERS), default=0)


def available():
    """True when this build has the module for several ranks."""
    return importlib.util.find_spec("scree._scree_mpi") is not None


def begin(everybody_prints=False, solve_gathered=False):
    """Join the launcher's other processes, where there are some. Rank 0 alone prints what all would print."""
    global rank, size, gathered, _module
    if not launched():
        return
    try:
        _module = importlib.import_module("scree._scree_mpi")
    except ImportError as error:
        if launched() == 1:
            return
        raise ValueError(f"{launched()} ranks were started, but this build has no module for them ({error}): install libopenmpi-dev and libtrilinos-zoltan-dev "
                         "(tools/install_deps.sh ranks) and build again") from None
    _scree.join_team(_module.join())
    rank, size, gathered = _scree.team_rank(), _scree.team_size(), solve_gathered
    signal.signal(signal.SIGUSR1, signal.default_int_handler)
    _share_cores()
    if everybody_prints:
        _print_whole_lines()
    if rank > 0:
        warnings.simplefilter("ignore")
        if not everybody_prints:
            sys.stdout = open(os.devnull, "w", encoding="utf-8")


def _print_whole_lines():
    """A line leaves in one piece, also where Python was asked not to buffer (PYTHONUNBUFFERED): pieces of ranks would mix."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True, write_through=False)


def _share_cores():
    """As many threads a rank as it has cores, where nobody has asked for another number."""
    from . import session
    if "OMP_NUM_THREADS" not in os.environ:
        here = int(os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE", size))
        session.default_threads = max(1, (os.cpu_count() or 1) // here)
        _scree.set_threads(session.default_threads)


# --- calls that concern all ranks -----------------------------------------------------------------------------

def _place():
    """The line of the script at hand, 'script.py:12'."""
    frame = sys._getframe(1)
    while frame is not None and (frame.f_code.co_filename.startswith("<") or os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE)):
        frame = frame.f_back
    return "" if frame is None else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


def meet(what, value=None):
    """Values of all ranks, in rank order; plain data. RankFailure (a RuntimeError) on all of them when they are not all here."""
    if size == 1:
        return [value]
    return [json.loads(text) for text in _scree.team_meet(what, _place(), json.dumps(value))]


def barrier():
    """Wait for all ranks."""
    meet("BARRIER")


def first(what, function):
    """What function() returns on rank 0, plain data, on every rank; where it fails, all fail."""
    if size == 1:
        return function()
    value = None
    if rank == 0:
        try:
            value = function()
        except Exception as error:
            _scree.team_fail(f"{type(error).__name__}: {error}")
            raise
    return meet(what, value)[0]


def same(what, value, complaint):
    """Check that a value is the same on all ranks; RuntimeError with the complaint on all of them."""
    values = meet(what, value)
    if any(other != values[0] for other in values):
        raise RuntimeError(complaint)


class Ledger:
    """What ranks sent each other in the steps of a run, and how evenly contacts lay."""

    #: What is summed over steps.
    SUMS = ("steps", "rounds", "messages", "bytes", "reductions", "balance_sum")

    def __init__(self, engine, before=None):
        """before: figures() of the part of the run that a checkpoint holds."""
        self._engine = engine
        self._start = engine.division() if size > 1 else None
        self._before = before if before is not None and before["ranks"] == size else None

    def figures(self):
        """Sums over the steps as plain data; None of one process."""
        if size == 1:
            return None
        now, before = self._engine.division(), self._before or {}
        sums = {name: now[name] - self._start[name] + before.get(name, 0) for name in self.SUMS}
        return {"ranks": size, **sums, "balance_max": max(now["balance_max"], before.get("balance_max", 0.0))}


# --- the end --------------------------------------------------------------------------------------------------

def speaks(error):
    """True when it is up to this rank to tell the user of an error that ends its script: of those that failed by themselves, the first. The others
    hear of it here."""
    global _spoke
    if size == 1:
        return True
    if isinstance(error, _scree.RankFailure) and " failed: " in str(error):
        return False  # the rank that failed speaks
    words = "".join(traceback.format_exception(error))
    _scree.team_patience(_PATIENCE + min(rank, 6) * _PATIENCE_OF_NEXT, f"scree: rank {rank} of {size} failed, and the others do not come to hear of it:\n{words}")
    failed = _scree.team_fail(f"{type(error).__name__}: {error}")
    _spoke = rank == min(failed)
    if _spoke and len(failed) < size:
        print(f"scree: on rank {rank} of {size}:", file=sys.stderr)
    return _spoke


def end(status):
    """The end of the script on this rank; returns the exit status of all, when all have come to theirs."""
    if _module is None:
        return status
    if size > 1:
        while True:
            try:
                ends = meet("the end of the script", [status, _spoke])
                break
            except _scree.RankFailure:
                status = status or 1
        status = next((value for value, spoke in ends if spoke), max(value for value, _ in ends))
    sys.stdout.flush()
    sys.stderr.flush()
    _module.finalize()
    return status


# --- the launcher ---------------------------------------------------------------------------------------------

def launch(count, arguments):
    """Run `scree ARGUMENTS` on so many ranks of this machine; returns the exit status. Ctrl-C and SIGTERM let them stop after the step at hand."""
    mpirun = shutil.which("mpirun") or shutil.which("mpiexec")
    if mpirun is None or not available():
        missing = "mpirun is not installed (openmpi-bin)" if mpirun is None else "this build has no module for ranks (libopenmpi-dev, libtrilinos-zoltan-dev; tools/install_deps.sh ranks)"
        raise ValueError(f"--ranks {count}: {missing}")
    command = [mpirun, "-n", str(count), "-q", "--bind-to", "none"]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    if count > (os.cpu_count() or 1):
        command.append("--oversubscribe")
    path = os.pathsep.join([os.path.dirname(_PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen([*command, sys.executable, "-m", "scree", *arguments], env={**os.environ, "PYTHONPATH": path}, start_new_session=True)
    asked = []

    def stop(number, frame):
        # The first request reaches the ranks as SIGUSR1, which mpirun passes on; a second ends them.
        process.send_signal(signal.SIGTERM if asked else signal.SIGUSR1)
        asked.append(number)

    old = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        return process.wait()
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
