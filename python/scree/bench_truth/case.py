"""A case of the table of truths, and the ways a number is judged."""
import dataclasses
import math
import typing

#: Themes in the order of the table, with the section of docs/theory.md that states what is promised.
THEMES = {"smooth motion": "2.3", "rigid rotation": "2.4", "contact geometry": "8.1", "tunnelling": "3.3", "impacts": "3.8", "friction": "3.2",
          "structures": "3.7", "deformable": "6.3"}

CASES = []


@dataclasses.dataclass(frozen=True)
class Case:
    theme: str
    name: str
    theory: str  #: section of docs/theory.md
    slow: bool
    function: typing.Callable
    about: str  #: what is set up, and where the expected number comes from


def case(theme, name, theory=None, slow=False):
    """Register a function that yields checks. Its docstring says what is set up and where the expected number comes from."""
    def register(function):
        CASES.append(Case(theme, name, theory or THEMES[theme], slow, function, " ".join(function.__doc__.split())))
        return function
    return register


@dataclasses.dataclass(frozen=True)
class Check:
    what: str
    expected: typing.Any
    got: float
    bound: typing.Any
    passed: bool

    def row(self, case):
        return {"theme": case.theme, "case": case.name, "what": self.what, "expected": self.expected, "got": self.got, "bound": self.bound,
                "pass": self.passed, "theory": case.theory, "slow": case.slow}


def near(what, expected, got, bound):
    """got is expected within `bound`, in the same unit."""
    got = float(got)
    return Check(what, float(expected), got, float(bound), bool(abs(got - expected) <= bound))


def relative(what, expected, got, bound):
    """got is expected within the share `bound` of it."""
    got = float(got)
    return Check(what, float(expected), got, f"{bound:g} of it", bool(abs(got - expected) <= bound * abs(expected)))


def most(what, got, bound, expected=0.0):
    """got is at most `bound`; expected is what it would be without error."""
    got = float(got)
    return Check(what, expected, got, float(bound), bool(got <= bound))


def least(what, got, bound):
    """got is at least `bound`."""
    got = float(got)
    return Check(what, f"at least {bound:g}", got, float(bound), bool(got >= bound))


def exactly(what, expected, got):
    """Counts and names."""
    got = got.item() if hasattr(got, "item") else got
    return Check(what, expected, got, "exact", bool(got == expected))


def order(what, steps, errors, expected=2.0, bound=0.25, exact=1e-10):
    """Slope of the error against the step, by least squares over all of them, at least `expected` - `bound`, unless all errors are below `exact`."""
    x, y = [math.log(h) for h in steps], [math.log(max(e, 1e-300)) for e in errors]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
    if max(errors) < exact:
        return Check(what, expected, f"errors to {max(errors):.1e}", f"-{bound:g}", True)
    return Check(what, expected, slope, f"-{bound:g}", bool(slope >= expected - bound))
