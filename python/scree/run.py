"""The run loop: steps in batches between events (callbacks, frames, checkpoints), and what happens when it is stopped."""
import json
import math
import os
import signal
import threading
import time

from . import _check, _scree, memory, session
from .progress import Progress

#: Longest wall-clock time the engine runs before Python looks at signals and progress, s.
_BATCH_SECONDS = 0.1
#: Share of a step by which an event may lie ahead and still count as reached: rounding of sums of steps.
_SLACK = 1e-6


class _Signals:
    """Ctrl-C and SIGTERM ask the loop to stop after the step at hand; a second Ctrl-C interrupts at once."""

    def __init__(self):
        self.stop = None
        self._old = {}

    def __enter__(self):
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._old[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_):
        for number, handler in self._old.items():
            signal.signal(number, handler)

    def _handle(self, number, frame):
        if self.stop is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.stop = number


class Run:
    """One call of Simulation.run()."""

    def __init__(self, sim, duration, output, checkpoint, quiet, resume, compress):
        asked = session.current()
        self.sim = sim
        self.duration = _check.number("duration", duration, 0.0)
        self.output = self.duration / 100 if output is None else _check.number("output", output, 0.0)
        self.checkpoint_seconds = math.inf if checkpoint is None else _check.positive("checkpoint", checkpoint)
        self.quiet = bool(asked.quiet if quiet is None else quiet)
        self.resume = bool(asked.resume if resume is None else resume)
        self.compress = bool(compress)
        self.start = sim.time
        self.frames = 0
        self.stopped = False
        self.writer = None
        self.write_seconds = 0.0  #: wall clock spent on results, s
        self.sink = None  #: called with the table of every batch of steps
        self._warned = set()

    # --- paths ------------------------------------------------------------------------------------------------

    @property
    def results_path(self):
        return os.path.join(self.sim.out, "results.h5")

    @property
    def checkpoint_path(self):
        return os.path.join(self.sim.out, "checkpoint.h5")

    # --- the loop ---------------------------------------------------------------------------------------------

    def execute(self):
        """Run to the end; returns the simulation's last report."""
        sim = self.sim
        sim._runs += 1
        resumed = self.resume and sim.out is not None and self._resume()
        if resumed is None:
            return None
        sim._use_threads()
        self.end = self.start + self.duration
        self.progress = Progress(self.start, self.end, self.quiet)
        self.progress.resume_at(sim.time)
        self._open(resumed)
        self._saved = time.monotonic()
        with _Signals() as signals:
            try:
                self._loop(signals)
            except BaseException as error:
                self._end_early(error)
                raise
        self._end(signals.stop)
        return sim.report if sim.steps else None

    def _loop(self, signals):
        while not self.stopped and signals.stop is None and self._ahead(self.end):
            table, error = self.sim._engine.advance(self._steps_to_event(), _BATCH_SECONDS)
            if len(table):
                if self.writer is not None:
                    self._written(self.writer.steps, table)
                if self.sink is not None:
                    self.sink(table)
                self.progress.update(self.sim.time, table[-1])
            if error is not None:
                if self.writer is not None:
                    self._checkpoint()
                error()
            self._events()

    def _ahead(self, when):
        """True while simulated time has not reached `when`."""
        return self.sim.time < when - _SLACK * self.sim.step

    def _next_frame(self):
        return self.start + self.frames * self.output if self.output > 0 else self.sim.time

    def _steps_to_event(self):
        """Steps until the first of: a callback, a frame, the end. At least one."""
        due = [self.end] + [c.due for c in self.sim._callbacks]
        if self.writer is not None:
            due.append(self._next_frame())
        ahead = (min(due) - self.sim.time) / self.sim.step
        return max(1, min(10**9, math.ceil(ahead - _SLACK)))

    def _events(self):
        """Callbacks, then the frame, then the checkpoint that are due now."""
        for callback in list(self.sim._callbacks):
            if not self._ahead(callback.due):
                self._call(callback)
        if self.writer is not None:
            if not self._ahead(self._next_frame()):
                self._frame()
            if time.monotonic() - self._saved >= self.checkpoint_seconds:
                self._checkpoint()

    def _call(self, callback):
        callback.calls += 1
        if callback.interval > 0:
            callback.calls = max(callback.calls, math.floor((self.sim.time - callback.start) / callback.interval + _SLACK) + 1)
        answer = callback.function(self.sim) if callback.data is None else callback.function(self.sim, callback.data)
        if answer is not None and not answer:
            self.stopped = True

    # --- results and checkpoints ------------------------------------------------------------------------------

    def _open(self, resumed):
        if self.sim.out is None:
            return
        from .writer import Writer
        if resumed:
            self.writer = Writer.resume(self.sim, self.results_path)
            session.current().opened(self.results_path)
            return
        os.makedirs(self.sim.out, exist_ok=True)
        if self.sim._runs == 1:
            if os.path.exists(self.checkpoint_path):
                os.remove(self.checkpoint_path)
            self.writer = Writer.create(self.sim, self.results_path, self.compress)
        else:
            self.writer = Writer.resume(self.sim, self.results_path)
        self._frame()
        session.current().opened(self.results_path)

    def _frame(self):
        """Write a frame unless this instant has one already."""
        self._written(self.writer.frame)
        if self.output > 0:
            self.frames = math.floor((self.sim.time - self.start) / self.output + _SLACK) + 1

    def _written(self, action, *args):
        """Do something with the results file and count its time."""
        begun = time.perf_counter()
        action(*args)
        self.write_seconds += time.perf_counter() - begun

    def _checkpoint(self):
        self._written(self.writer.flush)
        state = {"run": self.sim._runs, "start": self.start, "frames": self.frames, "stopped": self.stopped, "hash": self.sim.hash(),
                 "time": self.sim.time, "finished": not self._ahead(self.end)}
        self.sim._engine.write_checkpoint(self.checkpoint_path, {"python": memory.pack(self.sim, state, self._warn)})
        self._saved = time.monotonic()

    def _warn(self, text):
        if text not in self._warned:
            self._warned.add(text)
            self.progress.note(f"scree: {text}")

    def _resume(self):
        """Load the checkpoint when it belongs to this call of run(): True. False when there is none or it belongs to an
        earlier call, None when it belongs to a later one: this call is done already."""
        if not os.path.exists(self.checkpoint_path):
            return False
        text = _scree.Engine.peek_checkpoint(self.checkpoint_path, "python")
        state = json.loads(text)
        if state["run"] > self.sim._runs:
            return None
        if state["run"] < self.sim._runs:
            return False
        self.sim._engine.read_checkpoint(self.checkpoint_path)
        memory.unpack(self.sim, text)
        self.start, self.frames, self.stopped = state["start"], state["frames"], state["stopped"]
        return True

    # --- endings ----------------------------------------------------------------------------------------------

    def _end(self, stop):
        if self.writer is not None:
            if stop is None:
                self._frame()
            self._checkpoint()
            self._written(self.writer.close)
        if self.sim.steps:
            self.progress.update(self.sim.time, self.sim._engine.report()[0], force=True)
        self.progress.finish()
        if self.writer is not None and not self.quiet:
            self.progress.note(f"results: {self.results_path}   state hash {self.sim.hash()}")
        if stop is not None:
            self._say_stopped("stopped by " + signal.Signals(stop).name)
            raise KeyboardInterrupt

    def _end_early(self, error):
        """Close the results; the last checkpoint stays what it is."""
        if self.writer is not None:
            try:
                self.writer.close()
            except OSError:
                pass
        self.progress.finish()
        if isinstance(error, OSError):
            self.progress.note(f"scree: writing failed at t = {self.sim.time:.6g} s; frames written before stay readable")

    def _say_stopped(self, why):
        text = f"scree: {why} at t = {self.sim.time:.6g} s"
        if self.writer is not None:
            script = session.current().script
            how = f"scree run {script} --out {self.sim.out} --resume" if script else "run(..., resume=True)"
            text += f"; results in {self.results_path}; continue with: {how}"
        self.progress.note(text)
