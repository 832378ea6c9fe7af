"""What `scree run` asked for: where results go, how many threads, whether to resume. Without it, nothing."""
import hashlib
import os
import shlex

from . import _scree

#: Threads where nobody asked for a number: OpenMP's choice, or that of scree.set_threads().
default_threads = _scree.threads()


class Session:
    """Settings of one run of a script; they take precedence over the script's own."""

    def __init__(self, out=None, threads=None, quiet=None, resume=False, script=None, view=False, overwrite=False, args=(), options=(), changed=False):
        self.out, self.threads, self.quiet, self.resume, self.script = out, threads, quiet, resume, script
        self.overwrite = overwrite  #: replace results of another script
        self.args = list(args)  #: of the script
        self.options = list(options)  #: of the command beside these, to be given again on a restart
        self.changed = changed  #: resume although the script builds another model
        self.digest = _digest(script)  #: of the script's text
        self.missed = 0  #: steps of all runs that missed the solver's tolerance
        self.view = view  #: show the first simulation's results in the browser as soon as there are some
        self.simulations = 0
        self._folders = {}  #: folder of the results by the path the script gave

    def command(self):
        """The whole command that continues a run."""
        return shlex.join(["scree", "run", self.script, *(["--out", self.out] if self.out is not None else []), *self.options, "--resume", *(["--", *self.args] if self.args else [])])

    def identity(self):
        """What a checkpoint keeps of the command."""
        return {"args": self.args, "script": self.digest}

    def check_identity(self, state, note):
        """ValueError when the script of a checkpoint had other arguments; `note` hears of one whose text changed."""
        if self.script is None or state["script"] is None:
            return
        if state["args"] != self.args:
            raise ValueError(f"the script's arguments are {shlex.join(self.args) or 'none'} and were {shlex.join(state['args']) or 'none'}")
        if state["script"] != self.digest:
            note(f"{os.path.basename(self.script)} was edited since its run began; what it builds is compared, what its functions do is not")

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


def _digest(script):
    if script is None or not os.path.isfile(script):
        return None
    with open(script, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


_current = Session()


def current():
    """The session in force."""
    return _current


def begin(session):
    """Put a session into force; returns the one before."""
    global _current
    before, _current = _current, session
    return before
