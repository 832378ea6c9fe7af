"""Find and load the compiled engine.

Installed, it lies beside this file. In a working copy it lies in the build folder: `build/release`, or the
folder named by the environment variable SCREE_BUILD.
"""
import atexit
import contextlib
import importlib
import os
import pathlib
import signal
import time

_ROOT = pathlib.Path(__file__).resolve().parents[2]


def build_folder():
    """Folder of the build in a working copy (it may not exist)."""
    named = pathlib.Path(os.environ.get("SCREE_BUILD") or _ROOT / "build" / "release")
    return named.resolve() if named.exists() else (_ROOT / named).resolve()


def _wait_politely():
    """Threads that wait for each other sleep after a few microseconds instead of spinning for milliseconds: on a machine that
    others use too, spinning makes two threads many times slower than one. OpenMP reads this when the engine is loaded."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "2000")


@contextlib.contextmanager
def _undisturbed():
    """Ctrl-C waits: while compiled modules are loaded it would be lost or come out as another error."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def load(package_path):
    """Import scree._scree, looking into the build folder when the package itself has none."""
    here = pathlib.Path(__file__).parent
    if "SCREE_BUILD" in os.environ or not list(here.glob("_scree.*.so")):
        folder = build_folder() / "python"
        if not list(folder.glob("_scree.*.so")):
            raise ImportError(f"the engine is not built: no _scree module in {folder}; run `make` in {_ROOT}, "
                              "or set SCREE_BUILD to the build folder")
        package_path.insert(0, str(folder))
    _wait_politely()
    with _undisturbed():
        importlib.import_module("numpy")
        engine = importlib.import_module("scree._scree")
    atexit.register(_let_work_end, engine)
    return engine


def _let_work_end(engine):
    """Work that was abandoned uses libraries which must not be taken apart before it has ended."""
    while engine.abandoned_work():
        time.sleep(0.02)
