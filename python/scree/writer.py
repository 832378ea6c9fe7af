"""Writing results during a run."""
import os

from . import _scree, session


class Writer:
    """results.h5 of a run: every step's report, frames of all bodies and contacts."""

    def __init__(self, sim, native, last_frame):
        self._sim, self._native = sim, native
        self._last_frame = last_frame  # simulated time of the last frame, s

    @classmethod
    def create(cls, sim, path, compress):
        """A new file; an old one is replaced. compress: store it smaller, without loss."""
        script = session.current().script
        title = os.path.basename(script) if script else "simulation"
        return cls(sim, _scree.ResultsWriter.create(path, title, len(sim.bodies), compress), None)

    @classmethod
    def resume(cls, sim, path):
        """Go on with a file: what is later than the simulation's time is dropped."""
        native = _scree.ResultsWriter.resume(path, sim.time)
        return cls(sim, native, native.last_time())

    def steps(self, table):
        """Add rows of the step table."""
        self._native.add_steps(table)

    def frame(self):
        """Add the present state, once an instant."""
        if self._last_frame != self._sim.time:
            self._native.add_frame(self._sim._engine)
            self._last_frame = self._sim.time

    def flush(self):
        """Everything so far is in the file when this returns."""
        self._native.flush()

    def close(self):
        """Complete the file."""
        self._native.close()
