"""Tests run against the working copy: the package in python/, the engine in $SCREE_BUILD or build/release."""
import json
import os
import pathlib
import select
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
if str(ROOT / "python") not in sys.path:
    sys.path.insert(0, str(ROOT / "python"))


def pytest_configure(config):
    config.addinivalue_line("markers", "long: a longer form of another test, left to `make test-long`")


def pytest_collection_modifyitems(config, items):
    if "SCREE_LONG" not in os.environ:
        longer = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=longer)
        items[:] = [item for item in items if item not in longer]


class Result:
    """What a finished command left."""

    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr


class Forks:
    """Commands that are run by children of one process; see forks.py."""

    def __init__(self):
        self._parent = subprocess.Popen([sys.executable, str(ROOT / "tests" / "python" / "forks.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        env={**os.environ, "PYTHONPATH": str(ROOT / "python")})

    def run(self, arguments, folder, timeout, variables):
        out, err = (folder.parent / f"{folder.name}.{name}" for name in ("out", "err"))
        for path in (out, err):
            path.write_text("")
        print(json.dumps([arguments, str(folder), str(out), str(err), variables]), file=self._parent.stdin)
        child = int(self._parent.stdout.readline())
        if not select.select([self._parent.stdout], [], [], timeout)[0]:
            os.kill(child, signal.SIGKILL)
            self._parent.stdout.readline()
            raise subprocess.TimeoutExpired(["scree", *arguments], timeout)
        return subprocess.CompletedProcess(arguments, int(self._parent.stdout.readline()), out.read_text(), err.read_text())

    def end(self):
        self._parent.stdin.close()
        self._parent.wait(timeout=20)


@pytest.fixture(scope="session")
def forks():
    made = Forks()
    yield made
    made.end()


@pytest.fixture
def command(tmp_path, forks):
    """Run scree with arguments in an empty folder; by ./scree where variables change how Python or the engine start."""
    def run(*args, timeout=120, env=None):
        arguments, env = [str(word) for word in args], env or {}
        if not any(name.startswith(("PYTHON", "OMP_", "OPENBLAS_", "SCREE_BUILD")) for name in env):
            return Result(forks.run(arguments, tmp_path, timeout, env))
        return Result(subprocess.run([str(ROOT / "scree"), *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=timeout, env={**os.environ, **env}))
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
