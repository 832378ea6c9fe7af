"""Tests run against the working copy: the package in python/, the engine in $SCREE_BUILD or build/release."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
if str(ROOT / "python") not in sys.path:
    sys.path.insert(0, str(ROOT / "python"))


class Result:
    """What a finished command left."""

    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr


@pytest.fixture
def command(tmp_path):
    """Run ./scree with arguments in an empty folder."""
    def run(*args, timeout=120, env=None):
        done = subprocess.run([str(ROOT / "scree"), *map(str, args)], cwd=tmp_path, capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **(env or {})})
        return Result(done)
    return run


@pytest.fixture
def script(tmp_path):
    """Write a script into the test's folder and return its path."""
    def write(text, name="script.py"):
        path = tmp_path / name
        path.write_text(text)
        return path
    return write


@pytest.fixture
def solfec(tmp_path):
    """A quiet SOLFEC object that writes into the test's folder."""
    from scree.solfec import SOLFEC
    made = SOLFEC("DYNAMIC", 1e-3, str(tmp_path / "out"))
    made.verbose = "OFF"
    return made
