"""What Scree finds on this machine, what each part is good for, and how to get what is missing."""
import importlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import webbrowser

from . import _scree, ranks


def _entry(name, detail, good_for, get):
    """One part of the machine: detail is None when it is not there."""
    return {"name": name, "found": detail is not None, "detail": detail, "good_for": good_for, "get": get}


def _package(name, module, good_for, get):
    """A Python package, by its version."""
    if importlib.util.find_spec(module) is None:
        return _entry(name, None, good_for, get)
    try:
        version = str(getattr(importlib.import_module(module), "__version__", "installed"))
    except Exception as error:
        return _entry(name, None, good_for, f"repair it: importing it fails with {type(error).__name__}: {error}")
    return _entry(name, version, good_for, get)


def _program(name, programs, version_option, good_for, get):
    """The first of some programs that is on the path, by its version."""
    path = next((found for found in map(shutil.which, programs) if found), None)
    if path is None:
        return _entry(name, None, good_for, get)
    return _entry(name, f"{path} {_version(path, version_option)}".rstrip(), good_for, get)


def _version(path, option):
    """The first number like 1.2 in what a program says of itself; empty when it says none."""
    if option is None:
        return ""
    try:
        done = subprocess.run([path, option], capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"\d+\.[\w.~+-]*\d", done.stdout + done.stderr)
    return found.group() if found else ""


def _engine():
    detail = f"scree {_scree.version}, Python {platform.python_version()}, {os.path.dirname(os.path.abspath(_scree.__file__))}"
    return _entry("engine", detail, "everything", "make")


def _blas():
    kernel = _scree.blas_kernel()
    good_for = "factors of deformable bodies and Newton solvers: dense products"
    if not kernel["library"]:
        return _entry("BLAS", None, good_for, "apt-get install libopenblas0-pthread (the BLAS in use is another one; it works, and may be slow)")
    if kernel["by_user"]:
        chosen = "set by OPENBLAS_CORETYPE"
    elif kernel["instead"]:
        chosen = f"chosen by the processor's features: OpenBLAS does not know this processor and had taken {kernel['instead']}"
    else:
        chosen = "chosen by OpenBLAS"
    return _entry("BLAS", f"{kernel['library']}, kernels {kernel['name']}, {chosen}", good_for, "apt-get install libopenblas0-pthread")


def _threads():
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return _entry("threads", f"{_scree.threads()} in use of {cores} processors", "speed; answers do not depend on it", "--threads N or OMP_NUM_THREADS")


def _page():
    from . import view
    good_for = "scree view: results in the browser"
    get = "apt-get install nodejs npm, then build again"
    try:
        return _entry("viewer's page", view.page_folder(), good_for, get)
    except OSError:
        return _entry("viewer's page", None, good_for, get)


def _browser():
    good_for, get = "scree view", "apt-get install chromium or firefox-esr; or scree view --no-browser, and open the address elsewhere"
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return _program("browser", ("chromium", "google-chrome", "firefox"), None, good_for, get)
    return _entry("browser", getattr(found, "name", type(found).__name__), good_for, get)


def examine():
    """List of dictionaries, one a part: name, found, detail (None when missing), good_for, get (how to install it)."""
    return [
        _engine(), _blas(), _threads(),
        _package("NumPy", "numpy", "arrays in and out", "apt-get install python3-numpy, or pip install numpy"),
        _package("h5py", "h5py", "reading results.h5 in programs of your own", "apt-get install python3-h5py, or pip install h5py"),
        _package("matplotlib", "matplotlib", "scree plot", "apt-get install python3-matplotlib, or pip install matplotlib"),
        _package("Pillow", "PIL", "text in pictures, GIF and WebP movies", "apt-get install python3-pil, or pip install pillow"),
        _program("ffmpeg", ("ffmpeg",), "-version", "mp4 movies: scree render --out movie.mp4", "apt-get install ffmpeg"),
        _page(), _browser(),
        _program("mesher", ("tetgen", "gmsh"), None, "filling closed surfaces (.stl, .obj, .ply) with tetrahedra", "apt-get install tetgen or gmsh"),
        _package("meshio", "meshio", "mesh files beyond .msh, .vtu, .inp and .stl", "apt-get install python3-meshio, or pip install meshio"),
        _program("MPI", ("mpirun", "mpiexec"), "--version", "runs on several ranks: scree run --ranks P, mpirun -n P scree run", "apt-get install openmpi-bin"),
        _entry("module for ranks", "scree._scree_mpi" if ranks.available() else None, "the same", "apt-get install ./scree-ranks_*.deb beside Scree's Debian package; where you build it, tools/install_deps.sh ranks (MPI and Zoltan), then build again"),
        _program("node", ("node",), "--version", "building the viewer's page", "apt-get install nodejs npm"),
        _package("argcomplete", "argcomplete", "completion of commands in the shell", "apt-get install python3-argcomplete, then eval \"$(scree completion)\""),
        _program("ParaView", ("paraview",), None, "another look at results (scree export)", "apt-get install paraview"),
    ]


def text(entries):
    """The parts as lines: what is there first, then what is missing and how to get it."""
    width = max(len(entry["name"]) for entry in entries)
    lines = [f"{e['name']:<{width}}  {e['detail']}\n{'':<{width}}    for {e['good_for']}" for e in entries if e["found"]]
    missing = [f"{e['name']:<{width}}  not found\n{'':<{width}}    for {e['good_for']}\n{'':<{width}}    get it: {e['get']}" for e in entries if not e["found"]]
    return "\n".join(lines + ([""] + missing if missing else []))
