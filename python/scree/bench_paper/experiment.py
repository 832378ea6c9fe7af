"""What an experiment of a paper is, and the rows and figures it gives."""
import dataclasses
import time
import typing

from .. import _scree
from ..problem import Problem

MANY = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to run: `full` is the paper's size, `scale` multiplies the number of grains (or the time of a process)."""

    full: bool = False
    scale: float = 1.0
    say: typing.Callable = lambda text: None

    def grains(self, count, least=20):
        """A number of grains at this scale."""
        return max(least, int(round(count * self.scale)))


@dataclasses.dataclass
class Outcome:
    """Rows of the table, and figures: (file name without ending, caption, function of matplotlib axes' figure)."""

    rows: list = dataclasses.field(default_factory=list)
    figures: list = dataclasses.field(default_factory=list)

    def add(self, problem, contacts, method, quantity, ours, theirs=None, note=""):
        """A row: what was measured beside the paper's value; None: there is none."""
        self.rows.append({"problem": problem, "contacts": contacts, "method": method, "quantity": quantity, "ours": ours, "paper_value": theirs, "note": note})


@dataclasses.dataclass(frozen=True)
class Experiment:
    """One experiment: a name such as 'krylov.lid', what it is, what its forms are, and what differs from the paper and why."""

    name: str
    title: str
    items: str
    short: str
    full: str
    differs: str
    run: typing.Callable

    @property
    def paper(self):
        """The text it belongs to."""
        return self.name.split(".")[0]


def pile(**options):
    """The contact problem of grains settled in a vessel; keywords as in solvers/grain_pile.hpp, lengths in m."""
    return Problem(_scree.Problem.grain_pile(**options))


def timed(problem, *args, **options):
    """Problem.solve on one thread with its CPU seconds in place of those of the clock: machines are shared."""
    begun = time.process_time()
    solution = problem.solve(*args, threads=1, **options)
    solution.seconds = time.process_time() - begun
    return solution


def cell(value):
    """A number of a table as text."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:d}" if isinstance(value, int) else f"{value:.3g}"


def axes_of(figure, *names, share=False):
    """A row of axes with titles."""
    row = figure.subplots(1, len(names), sharey=share, squeeze=False)[0]
    for axes, name in zip(row, names):
        axes.set_title(name, fontsize=9)
        axes.grid(alpha=0.3)
        axes.tick_params(labelsize=8)
    return row
