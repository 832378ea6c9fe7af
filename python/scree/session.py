"""What `scree run` asked for: where results go, how many threads, whether to resume. Without it, nothing."""
import os

from . import _scree

#: Threads where nobody asked for a number: OpenMP's choice, or that of scree.set_threads().
default_threads = _scree.threads()


class Session:
    """Settings of one run of a script; they take precedence over the script's own."""

    def __init__(self, out=None, threads=None, quiet=None, resume=False, script=None, view=False, overwrite=False, args=()):
        self.out, self.threads, self.quiet, self.resume, self.script = out, threads, quiet, resume, script
        self.overwrite = overwrite  #: replace results of another script
        self.args = list(args)  #: of the script
        self.missed = 0  #: steps of all runs that missed the solver's tolerance
        self.view = view  #: show the first simulation's results in the browser as soon as there are some
        self.simulations = 0
        self._folders = {}  #: folder of the results by the path the script gave

    def opened(self, path):
        """A simulation has begun to write results."""
        if self.view:
            self.view = False
            from . import view
            view.follow(path)

    def adopt(self, sim):
        """Give a new simulation its output folder: the session's, with a number appended for a second one; a path that the script names again
        is the same folder again."""
        if self.script is None:
            return
        given = None if sim.out is None else os.path.abspath(sim.out)
        if given in self._folders:
            sim.out = self._folders[given]
            return
        self.simulations += 1
        if self.out is not None:
            sim.out = self.out if self.simulations == 1 else f"{self.out}_{self.simulations}"
            if given is not None:
                self._folders[given] = sim.out
        elif sim.out is None:
            name = os.path.splitext(os.path.basename(self.script))[0]
            sim.out = os.path.join("out", name if self.simulations == 1 else f"{name}_{self.simulations}")


_current = Session()


def current():
    """The session in force."""
    return _current


def begin(session):
    """Put a session into force; returns the one before."""
    global _current
    before, _current = _current, session
    return before
