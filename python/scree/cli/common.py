"""Argument types and output shared by the commands."""
import argparse
import json
import math
import sys


def positive_float(text):
    """A finite number above zero."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (value > 0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return value


def positive_int(text):
    """An integer above zero."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive integer")
    return value


def count(text):
    """An integer, zero or more."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return value


def floats(text):
    """Positive numbers separated by commas."""
    return [positive_float(part) for part in text.split(",")]


def names(text):
    """Words separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def add_plugin(parser):
    """--plugin FILE.py, which may be repeated: scripts that call scree.add_solver()."""
    parser.add_argument("--plugin", action="append", default=[], metavar="FILE.py", help="run this script first; it may add solvers (scree.add_solver)")


def run_plugins(args):
    """Run the scripts named by --plugin."""
    import os
    import runpy
    for path in args.plugin:
        if not os.path.isfile(path):
            raise FileNotFoundError(f"--plugin {path}: there is no such file")
        runpy.run_path(path, run_name="scree_plugin")


def finite(value):
    """The same structure with numbers JSON cannot hold replaced by None."""
    if isinstance(value, dict):
        return {key: finite(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_json(value, target="-"):
    """One JSON object, to a file or to standard output ('-')."""
    text = json.dumps(finite(value), indent=1, allow_nan=False)
    if target == "-":
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    else:
        with open(target, "w", encoding="utf-8") as file:
            file.write(text + "\n")


def set_threads(args):
    """Apply --threads when given; returns the number in use."""
    import scree
    if args.threads is not None:
        scree.set_threads(args.threads)
    return scree.threads()
