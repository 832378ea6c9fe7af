"""What pip calls to build Scree (PEP 517 and 660): CMake builds and installs into a folder, this packs the folder into a wheel.

The version is that of project() in CMakeLists.txt, the rest of the metadata stands in pyproject.toml. Nothing is fetched: compilers and libraries are
those of the system (tools/install_deps.sh). A setting `--config-settings=NAME=VALUE` is passed to CMake as -DNAME=VALUE. With the environment variable
SCREE_BUILD, the build folder it names (one that `make` made) is packed as it is.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / f"wheel-{sys.version_info[0]}.{sys.version_info[1]}"


def project():
    """The table [project] of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def version():
    """The version in CMakeLists.txt."""
    return re.search(r"project\(scree VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def metadata():
    """Text of the file METADATA."""
    facts = project()
    lines = ["Metadata-Version: 2.1", f"Name: {facts['name']}", f"Version: {version()}", f"Summary: {facts['description']}",
             f"License: {facts['license']['text']}", f"Requires-Python: {facts['requires-python']}", "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {name}" for name in facts["dependencies"]]
    for extra, names in facts["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in names)]
    return "\n".join(lines) + "\n\n" + (ROOT / facts["readme"]).read_text()


def _run(*command):
    """Run a tool; what it says goes to pip, and its failure ends the build."""
    if shutil.which(command[0]) is None:
        sys.exit(f"{command[0]} is missing: run tools/install_deps.sh, which installs what Scree is built with")
    done = subprocess.run([str(word) for word in command], cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed with status {done.returncode}: the lines above say why")


def _build(folder, defines, *targets):
    """Configure and build in a folder."""
    defines = {"CMAKE_BUILD_TYPE": "Release", "Python3_EXECUTABLE": sys.executable, **defines}
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    _run("cmake", "-S", ROOT, "-B", folder, *generator, *(f"-D{name}={value}" for name, value in defines.items()))
    parallel = ["--parallel", len(os.sched_getaffinity(0))]
    _run("cmake", "--build", folder, *parallel, *(["--target", *targets] if targets else []))


def _tag():
    """Tag of this interpreter and platform."""
    interpreter = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{interpreter}-{interpreter}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _pack(folder, files):
    """Write a wheel of {name: bytes}; returns its name."""
    information = f"scree-{version()}.dist-info"
    scripts = "".join(f"{name} = {target}\n" for name, target in project()["scripts"].items())
    files = {**files, f"{information}/METADATA": metadata().encode(), f"{information}/LICENSE": (ROOT / "LICENSE").read_bytes(),
             f"{information}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
             f"{information}/WHEEL": f"Wheel-Version: 1.0\nGenerator: scree\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()}
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in files.items()) + f"{information}/RECORD,,\n"
    wheel = f"scree-{version()}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**files, f"{information}/RECORD": record.encode()}.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build everything but the tests and pack the package with its engine and, where node is there, the viewer's page."""
    made = os.environ.get("SCREE_BUILD")
    if not made:
        _build(BUILD, {"SCREE_TESTS": "OFF", **(config_settings or {})})
    with tempfile.TemporaryDirectory() as folder:
        for component in ("scree", "ranks"):
            _run("cmake", "--install", made or BUILD, "--component", component, "--prefix", folder, "--strip")
        package = next(pathlib.Path(folder).rglob("scree/__init__.py")).parent
        files = {str(path.relative_to(package.parent)): path.read_bytes() for path in sorted(package.rglob("*")) if path.is_file()}
    return _pack(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Build in build/release and pack a pointer to the working copy."""
    _build(ROOT / "build" / "release", config_settings or {}, "scree_python")
    return _pack(wheel_directory, {"scree.pth": f"{ROOT / 'python'}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """Pack the files under version control."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    name = f"scree-{version()}"
    with tempfile.TemporaryDirectory() as folder, tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        information = pathlib.Path(folder) / "PKG-INFO"
        information.write_text(metadata())
        archive.add(information, f"{name}/PKG-INFO")
        for path in filter(None, listed):
            archive.add(ROOT / path, f"{name}/{path}")
    return f"{name}.tar.gz"


def _nothing_more(config_settings=None):
    """No Python packages are needed to build."""
    return []


get_requires_for_build_wheel = get_requires_for_build_editable = get_requires_for_build_sdist = _nothing_more
