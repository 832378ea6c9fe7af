"""What is known in closed form, or by an oracle of its own, beside what Scree computes: `scree bench truth`.

A module a theme; each case is a small function that yields rows  label, expected, got, bound. docs/validation.md is made from them by
tools/validation.py.
"""
import fnmatch
import time
import warnings

from . import deformable, friction, geometry, impacts, rotation, smooth, structures, tunnelling  # noqa: F401 (each registers its cases)
from .case import CASES, THEMES


def names(slow=True):
    """Names of all cases, in the order of the table."""
    return [case.name for case in CASES if slow or not case.slow]


def chosen(only=None, slow=False):
    """Cases whose name or theme matches a pattern (any part of it, or with * and ?); ValueError when none does. A pattern finds slow ones too."""
    if only is None:
        return [case for case in CASES if slow or not case.slow]
    pattern = only.lower() if "*" in only or "?" in only else f"*{only.lower()}*"
    found = [case for case in CASES if fnmatch.fnmatch(case.name.lower(), pattern) or fnmatch.fnmatch(case.theme.lower(), pattern)]
    if not found:
        raise ValueError(f"--only {only!r}: no case has such a name; themes are {', '.join(THEMES)}")
    return found


def run(case):
    """Rows of one case, dictionaries; a case that raises is a row that fails."""
    start = time.process_time()
    rows = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for check in case.function():
                rows.append(check.row(case))
    except Exception as error:  # noqa: BLE001 (a table of truths has a row for whatever goes wrong)
        rows.append({"theme": case.theme, "case": case.name, "what": "runs", "expected": "no error", "got": f"{type(error).__name__}: {error}",
                     "bound": None, "pass": False, "theory": case.theory, "slow": case.slow})
    seconds = time.process_time() - start
    for row in rows:
        row["seconds"] = round(seconds, 3)
    return rows


def bench(only=None, slow=False, say=None):
    """All rows of the chosen cases. `say` is called with a line a case."""
    rows = []
    for case in chosen(only, slow):
        mine = run(case)
        rows += mine
        if say:
            bad = sum(not row["pass"] for row in mine)
            say(f"{case.name}: {len(mine)} rows, {f'{bad} FAIL' if bad else 'pass'}, {mine[0]['seconds'] if mine else 0:.2f} s")
    return rows


def _number(value):
    return value if isinstance(value, str) else "" if value is None else f"{value:.6g}"


def columns(row):
    """A row as text: case, expected, got, bound, pass."""
    return [f"{row['case']}: {row['what']}" if row["what"] else row["case"], _number(row["expected"]), _number(row["got"]), _number(row["bound"]),
            "pass" if row["pass"] else "FAIL"]


def table(rows):
    """The rows as text in columns, and their count."""
    lines = [["case", "expected", "got", "bound", ""]] + [columns(row) for row in rows]
    widths = [max(len(line[k]) for line in lines) for k in range(5)]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    bad = sum(not row["pass"] for row in rows)
    return "\n".join([*text, "", f"{len(rows)} rows, {len(rows) - bad} pass, {bad} fail"])
