"""The run loop: steps in batches between events (callbacks, frames, checkpoints), and what happens when it is stopped."""
import math
import numbers
import os
import re
import signal
import threading
import time
import weakref

import numpy as np

from . import _check, _scree, memory, ranks, session
from .progress import Silent
from .simulation import BATCH_SECONDS

#: Who has written results in this process: {folder: a weak reference to the simulation}.
_writers = {}
#: Share of a step by which an event may lie ahead and still count as reached: rounding of sums of steps.
_SLACK = 1e-6


class _Signals:
    """Ctrl-C, SIGTERM and SIGHUP (and SIGUSR1 on several ranks) abandon the step at hand and end the loop. The second one ends `scree run` at once; elsewhere a second Ctrl-C
    raises KeyboardInterrupt. Signals that are ignored stay so, as under nohup."""

    def __init__(self):
        self.stop = None
        self._old = {}
        self._watch = None

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, *((signal.SIGUSR1,) if ranks.size > 1 else ())):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._old[number] = signal.signal(number, self._handle)
            self._watch = _scree.SignalWatch(session.current().script is not None)
        return self

    def __exit__(self, *_):
        self._watch = None
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def _handle(self, number, frame):
        if self.stop is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.stop = number


def _here():
    """The working directory; None where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _absolute(path):
    return os.path.normpath(os.path.join(_here() or "", path))


def _mark(path):
    """What changes when somebody writes a file; None where it is gone."""
    if not os.path.exists(path):
        return None
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _kernels(before):
    """What the last bits depend on beside script and program: the dense kernels of the BLAS that this process and those `before` it have used; None where none has."""
    blas, names = _scree.blas_kernel(), before.split(", ") if before else []
    now = f"{blas['library'] or 'BLAS'} {blas['name']}".strip()
    return ", ".join(names + [now] * (blas["used"] and now not in names)) or None


def _first(values):
    """The first that is not None."""
    return next((value for value in values if value is not None), None)


def _stopped():
    """The exception of a run that a signal has ended and that has said so."""
    stopped = KeyboardInterrupt()
    stopped.said = True
    return stopped


class Missed:
    """Steps that missed the solver's tolerance: how many, and the worst."""

    def __init__(self):
        self.steps = self.of = 0
        self.worst = self.when = 0.0
        self.bounds("residual")

    def bounds(self, bounded):
        """What the tolerance bounds: "residual", "merit" or "change" (of reactions in the last sweep)."""
        self.figure = "merit" if bounded == "merit" else "residual"  #: column of the step table that tells how far off a step is
        self.of_what = " of the change of reactions" if bounded == "change" else ""

    def add(self, table):
        """Count rows of the step table."""
        self.of += len(table)
        late = table[table["status"] != 0]
        self.steps += len(late)
        if len(late) and late[self.figure].max() > self.worst:
            k = late[self.figure].argmax()
            self.worst, self.when = float(late[self.figure][k]), float(late["time"][k])

    def text(self, solver, tolerance):
        """What a user should know of them."""
        return (f"{self.steps} of {self.of} steps missed the tolerance {tolerance:g}{self.of_what}; the worst {self.figure} is {self.worst:.1e} at t = {self.when:.6g} s. Forces of those steps "
                f"are less exact than asked for: allow {solver} more iterations, take a smaller step, or accept them by a looser tolerance")


class Run:
    """One call of Simulation.run()."""

    def __init__(self, sim, duration, output, checkpoint, quiet, resume, compress):
        asked = session.current()
        self.sim = sim
        self.duration = _check.number("duration", duration, 0.0)
        self.output = self.duration / 100 if output is None else _check.number("output", output, 0.0)
        self.checkpoint_seconds = math.inf if checkpoint is None else _check.positive("checkpoint", checkpoint)
        self.quiet = _check.flag("quiet", bool(asked.quiet) if quiet is None else quiet)
        self.resume = asked.resume if resume is None else self._asks("resume", resume)
        self.changed = asked.changed or isinstance(resume, str)  #: resume although the script builds another model
        self.compress = _check.flag("compress", compress)
        self.start = sim.time
        self.out = sim.out  #: folder of this run, whatever functions of the script do to sim.out or to the working directory
        self._home, self._folder = _here(), None if sim.out is None else _absolute(sim.out)
        self.frames = 0
        self.stopped = False
        self.writing = False  #: results are written, by rank 0
        self.writer = None  #: on the rank that writes
        self.write_seconds = 0.0  #: wall clock spent on results, s
        self.kernels = None  #: dense kernels that the state has been computed with
        self.sink = None  #: called with the table of every batch of steps
        self.missed = Missed()
        self.ledger = ranks.Ledger(sim._engine)
        self._lost = None  #: what kept results or checkpoints from being written
        self._warned = set()
        self._late = False  #: rank 0's clock says that a checkpoint is due
        self._step_seconds = math.inf  #: wall clock that a step takes

    @staticmethod
    def _asks(what, value):
        """True or False; True for 'changed'."""
        return True if isinstance(value, str) and value == "changed" else _check.flag(what, value)

    # --- paths ------------------------------------------------------------------------------------------------

    def _path(self, name):
        return os.path.join(self.out if _here() == self._home else self._folder, name)

    @property
    def results_path(self):
        return self._path("results.h5")

    @property
    def checkpoint_path(self):
        return self._path("checkpoint.h5")

    @property
    def older_checkpoint_path(self):
        """The one before, for the day the newest is damaged."""
        return self._path("checkpoint.1.h5")

    # --- the loop ---------------------------------------------------------------------------------------------

    def execute(self):
        """Run to the end; returns the simulation's last report. RuntimeError while another call has not ended."""
        if self.sim._running:
            raise RuntimeError(f"run({self.duration:g}): a run of this simulation is going on; functions given to callback() make steps with advance(), and end the run by "
                               "returning False")
        self.sim._running = True
        try:
            return self._execute()
        finally:
            self.sim._running = False

    def _execute(self):
        sim = self.sim
        sim._runs += 1
        self.progress = sim._progress(self.quiet) if ranks.rank == 0 else Silent()
        sim._meet_ranks(f"run({self.duration:g})", model=True)
        resumed = self.resume and self.out is not None and self._resume()
        ranks.meet("run: going on from a checkpoint" if resumed else "run: beginning")  # rank 0 may now replace files
        if resumed is None:
            return None
        sim._use_threads()
        self.end = self.start + self.duration
        steps = sim.steps
        self.progress.begin(self.start, self.end, sim.time)
        self.progress.ask(sim._engine.tolerance(), sim._engine.goal(), sim._engine.bounded())
        self.missed.bounds(sim._engine.bounded())
        try:
            self._open(resumed)
        except (ValueError, OSError) as error:
            error.refused = True  # nothing was run, nothing changed
            raise
        self._saved = time.monotonic()
        with _Signals() as signals:
            try:
                if not resumed and self.checkpoint_seconds < math.inf:
                    self._checkpoint()
                self._loop(signals)
            except BaseException as error:
                self._end_early(error)
                if signals.stop is not None and isinstance(error, Exception) and ranks.size == 1:
                    # A script that catches the error must not go on: it was asked to stop.
                    self._say_stopped(f"stopped by {signal.Signals(signals.stop).name} and by {type(error).__name__}: {error}")
                    raise _stopped() from error
                raise
            stop = _first(ranks.meet("run: coming to its end", signals.stop))
            try:
                self._end(stop)
            except BaseException as error:
                self._end_early(error)
                raise
        self._compare_with_step(sim.steps - steps)
        if stop is not None:
            raise _stopped()
        return sim.report if sim.steps else None

    def _compare_with_step(self, steps):
        """Say it where whole steps made another run than the one asked for; explicit bodies may have shortened the step."""
        if 0.0 < self.duration < (1.0 - _SLACK) * self.sim.step:
            made = f"one step of {self.sim.step:g} s was made" if steps else "no step was made"
            self._warn(f"duration = {self.duration:g} s is less than a step: {made}")

    def _loop(self, signals):
        while not self.stopped and self._ahead(self.end):
            steps, stop = self._agree(signals)
            if stop is not None:
                break
            begun = time.perf_counter()
            table, error = self.sim._engine.advance(steps, BATCH_SECONDS if ranks.size == 1 else math.inf)
            if len(table):
                self._step_seconds = (time.perf_counter() - begun) / len(table)
                self.missed.add(table)
                self.progress.missed(self.missed.steps)
                if self.writer is not None:
                    self._written(self.writer.steps, table)
                if self.sink is not None:
                    self.sink(table)
                if ranks.size > 1:
                    self.progress.balance = self.sim._engine.division()["balance"]
                self.progress.update(self.sim.time, table[-1])
            if error is not None:
                self._checkpoint()
                error()
            self._events()

    def _agree(self, signals):
        """Steps to make now, and the signal that asks to stop. On several ranks all learn what none may decide alone: whether somebody was asked to
        stop, and, by rank 0's clock, how many steps to make and whether a checkpoint is due."""
        steps = self._steps_to_event()
        late = self.writing and time.monotonic() - self._saved >= self.checkpoint_seconds
        if ranks.size == 1:
            return steps, signals.stop
        batch = max(1, min(steps, int(BATCH_SECONDS / self._step_seconds)))
        all_ranks = ranks.meet(f"run({self.duration:g})", [self.sim._standing(), signals.stop, late, batch])
        self.sim._check_standings([other[0] for other in all_ranks])
        self._late = all_ranks[0][2]
        return all_ranks[0][3], _first(other[1] for other in all_ranks)

    def _ahead(self, when):
        """True while simulated time has not reached `when`."""
        return self.sim.time < when - _SLACK * self.sim.step

    def _next_frame(self):
        return self.start + self.frames * self.output if self.output > 0 else self.sim.time

    def _steps_to_event(self):
        """Steps until the first of: a callback, a frame, the end. At least one."""
        due = [self.end] + [c.due for c in self.sim._callbacks]
        if self.writing:
            due.append(self._next_frame())
        ahead = (min(due) - self.sim.time) / self.sim.step
        return max(1, min(10**9, math.ceil(ahead - _SLACK)))

    def _events(self):
        """Callbacks, then the frame, then the checkpoint that are due now."""
        held = _scree.hold_stop(True)  # a function of the script is not left half done by a signal, where it is short
        try:
            for callback in list(self.sim._callbacks):
                if not self._ahead(callback.due):
                    self._call(callback)
        finally:
            _scree.hold_stop(held)
        if self.writing:
            if not self._ahead(self._next_frame()):
                self._frame()
            if self._late if ranks.size > 1 else time.monotonic() - self._saved >= self.checkpoint_seconds:
                self._checkpoint()

    def _call(self, callback):
        callback.calls += 1
        if callback.interval > 0:
            callback.calls = max(callback.calls, math.floor((self.sim.time - callback.start) / callback.interval + _SLACK) + 1)
        answer = callback.function(self.sim) if callback.data is None else callback.function(self.sim, callback.data)
        if isinstance(answer, (numbers.Number, np.bool_)) and not answer:
            self.stopped = True

    # --- results and checkpoints ------------------------------------------------------------------------------

    def _open(self, resumed):
        if self.out is None:
            return
        self.writing = True
        if ranks.rank > 0:
            if not resumed:
                self._frame()
            return
        from .writer import Writer
        if resumed:
            self.writer = Writer.resume(self.sim, self.results_path)
            self._remove(self._leftovers())
            session.current().opened(self.results_path)
            return
        self._make_folder()
        if self.sim._runs == 1 or self.sim._results is None or self.sim._results[0] != self._folder:
            self._may_overwrite()
            self._must_be_alone()
            # The file's lock comes first: a run that still writes here keeps its checkpoints.
            self.writer = Writer.create(self.sim, self.results_path, self.compress)
            self._remove([path for path in (self.checkpoint_path, self.older_checkpoint_path) if os.path.exists(path)] + self._leftovers())
        else:
            self._must_be_ours()
            self.writer = Writer.resume(self.sim, self.results_path)
        self._frame()
        session.current().opened(self.results_path)

    def _make_folder(self):
        try:
            os.makedirs(self.out, exist_ok=True)
        except OSError as error:
            why = "there is a file of this name" if isinstance(error, FileExistsError) else error.strerror
            raise OSError(f"out = '{self.out}': this folder cannot be made: {why}") from None

    def _must_be_ours(self):
        """ValueError where the results that earlier runs of this simulation wrote are gone, or were written by somebody else since."""
        mark = _mark(self.results_path)
        if mark is None:
            raise ValueError(f"{self.results_path}: the results of this simulation's runs before are gone; assign another folder to sim.out to go on")
        if mark != self.sim._results[1]:
            raise ValueError(f"{self.results_path}: another simulation has written there since this one's last run; assign another folder to sim.out to go on")

    def _may_overwrite(self):
        """ValueError before results are replaced that nobody asked to replace: another script's, or those a restart was meant to continue."""
        asked = session.current()
        if asked.overwrite or not os.path.exists(self.results_path):
            return
        try:
            reader = _scree.ResultsReader(self.results_path)
            title, frames = reader.title(), reader.frames()
        except (OSError, ValueError):
            return  # nothing that could be read is lost
        if self.resume and frames > 1:
            raise ValueError(f"resume: {self.out} holds {frames} frames but no checkpoint to continue from; --overwrite replaces them, another --out keeps them")
        if asked.script and title != os.path.basename(asked.script):
            raise ValueError(f"{self.out} holds results of '{title}'; choose another --out, or replace them with --overwrite")

    def _must_be_alone(self):
        """Results of this process are not replaced: ValueError in a script that `scree run` executes, and for those that this simulation has written before it wrote elsewhere.
        In a notebook, whose cells are executed again, and under other programs it is said."""
        other = _writers.get(self._folder)
        if other is None or not os.path.exists(self.results_path):
            return
        if session.current().script or other() is self.sim:
            who = "this simulation, before it wrote elsewhere," if other() is self.sim else "another simulation of this script"
            raise ValueError(f"{self.results_path}: {who} has written results there; give each its own folder, as in out='{os.path.basename(self._folder)}_2'")
        self.progress.note(f"scree: {self.results_path}: the results of a simulation that this process has run before are replaced; give each its own folder to keep them")

    @staticmethod
    def _remove(paths):
        for path in paths:
            os.remove(path)

    def _leftovers(self):
        """Unfinished files that a killed run left in the folder, and the description of results that are about to change."""
        return [entry.path for entry in os.scandir(self.out) if re.search(r"\.part\d*(\.journal)?$|^results\.xdmf$", entry.name)]

    def _frame(self):
        """Write a frame unless this instant has one already."""
        if self.writer is not None:
            self._written(self.writer.frame)
        if self.output > 0:
            self.frames = self._frames_due()

    def _frames_due(self):
        """Frames from the start to the present."""
        return math.floor((self.sim.time - self.start) / self.output + _SLACK) + 1

    def _written(self, action, *args):
        """Do something with the results file and count its time."""
        begun = time.perf_counter()
        self._kept(action, *args)
        self.write_seconds += time.perf_counter() - begun

    def _kept(self, action, *args):
        """Do something with files of the run; the error that keeps it from being done is remembered."""
        try:
            action(*args)
        except OSError as error:
            self._lost = error
            raise

    def _close(self):
        """Complete the results, and remember how they are left: the next run goes on with them."""
        try:
            self._written(self.writer.close)
        finally:
            self.sim._results = self._folder, _mark(self.results_path)
            _writers[self._folder] = weakref.ref(self.sim)

    def _checkpoint(self):
        self._saved, self._late = time.monotonic(), False
        if self.writer is None:
            return
        self._written(self.writer.flush)
        self.kernels = _kernels(self.kernels)
        state = {"run": self.sim._runs, "start": self.start, "frames": self.frames, "stopped": self.stopped, "hash": self.sim.hash(),
                 "time": self.sim.time, "finished": not self._ahead(self.end), "output": self.output, "solver": self.sim._engine.solver_name(),
                 "kernels": self.kernels, "ranks": self.ledger.figures(), **session.current().identity()}
        # A restart of a run that is over makes no step which would tell of contacts.
        last = memory.pack_last(self.sim._engine) if state["finished"] or self.stopped else ()
        self._kept(self._put_checkpoint, memory.pack(self.sim, state, self._warn), *last)
        self._saved = time.monotonic()

    def _put_checkpoint(self, text, *last):
        """Two files at any moment: the new one is whole before the one before last goes. OSError where the results that belong to it are gone."""
        if not os.path.exists(self.results_path):
            raise OSError(f"{self.results_path}: somebody has removed the results while the run wrote them; another run starts anew")
        path, older = self.checkpoint_path, self.older_checkpoint_path
        self.sim._engine.write_checkpoint(path + ".part", {"python": text}, *last)
        if os.path.exists(path):
            os.replace(path, older)
        os.replace(path + ".part", path)

    def _warn(self, text):
        if text not in self._warned:
            self._warned.add(text)
            self.progress.note(f"scree: {text}")

    def _resume(self):
        """Load the checkpoint when it belongs to this call of run(): True. False when there is none or it belongs to an
        earlier call, None when it belongs to a later one: this call is done already."""
        for path in (self.checkpoint_path, self.older_checkpoint_path):
            if not os.path.exists(path):
                continue  # of the newest: killed while it was about to take its place
            try:
                return self._load(path)
            except OSError as error:
                if path == self.older_checkpoint_path or not os.path.exists(self.older_checkpoint_path):
                    raise OSError(f"{error}; there is no other checkpoint to go on from: another --out starts anew, --overwrite in place of --resume does so here") from None
                self.progress.note(f"scree: {error}; going on from the checkpoint before it")
        return False

    def _load(self, path):
        """Load one checkpoint; answers as _resume()."""
        state = memory.read(path)
        if state["run"] < self.sim._runs:
            return False
        done = state["run"] > self.sim._runs
        try:
            if not self.changed:
                session.current().check_identity(state, self._warn)
            if done and not self.changed:
                self.sim._engine.check_checkpoint(path)
            if not done:
                self.sim._engine.read_checkpoint(path, self.changed)
        except ValueError as error:
            raise self._refusal(error) from None
        if done:
            self._warn(f"run({self.duration:g}) was over when that checkpoint was written: what the script reads before its next run is the state that run began with")
            return None
        memory.unpack(self.sim, state)
        last = memory.unpack_last(self.sim._engine, path)
        self.sim._last = None if last is None else (self.sim.steps, *last)
        self.kernels = state.get("kernels")
        self.start, self.frames, self.stopped = state["start"], state["frames"], state["stopped"]
        self.ledger = ranks.Ledger(self.sim._engine, state.get("ranks"))
        if self.output != state["output"] and self.output > 0:
            self.frames = self._frames_due()
        return True

    @staticmethod
    def _refusal(error):
        """What to do where a checkpoint does not belong to what the script built, as an error to raise."""
        refused = ValueError(f"resume: {error}. Undo the change to continue that run as it began; --with-changes goes on from its state with the "
                             "script's settings; another --out starts anew" if session.current().script else
                             f"resume: {error}. Undo the change to continue that run as it began; resume='changed' goes on from its state with these settings")
        refused.refused = True
        return refused

    # --- endings ----------------------------------------------------------------------------------------------

    def _end(self, stop):
        if self.writer is not None:
            if stop is None:
                self._frame()
            self._checkpoint()
            self._close()
        if self.sim.steps:
            self.progress.update(self.sim.time, self.sim._row(), force=True)
        self.progress.finish()
        if self.writer is not None and not self.quiet:
            self.progress.note(f"results: {self.results_path}   state hash {self.sim.hash()}")
        self._say_missed()
        ranks.meet("the end of a run")  # the files are whole
        if stop is not None:
            self._say_stopped("stopped by " + signal.Signals(stop).name)

    def _end_early(self, error):
        """Close the results; the last checkpoint stays what it is."""
        lost = error is self._lost  # closing may fail, too
        if self.writer is not None:
            try:
                self._close()
            except OSError:
                pass
        self.progress.finish()
        if lost:
            self.progress.note(f"scree: writing failed at t = {self.sim.time:.6g} s; frames written before stay readable")

    def _say_missed(self):
        if self.missed.steps:
            session.current().missed += self.missed.steps
            self.progress.note(f"scree: {self.missed.text(self.sim._engine.solver_name(), self.sim._engine.tolerance())}")

    def _say_stopped(self, why):
        text = f"scree: {why} at t = {self.sim.time:.6g} s"
        if self.writer is not None:
            asked = session.current()
            how = asked.command() if asked.script else "run(..., resume=True)"
            text += f"; results in {self.results_path}; continue with: {how}"
        self.progress.note(text)
