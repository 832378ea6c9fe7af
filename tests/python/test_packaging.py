"""Installed like any other program: the wheel that pip makes, the Debian packages, one version for all."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import scree
from scree import _native

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: What a process needs that must know nothing of the working copy.
CLEAN = {**{k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SCREE_BUILD", "PYTHONPYCACHEPREFIX")}, "PYTHONDONTWRITEBYTECODE": "1"}
SCRIPT = """
import scree
sim = scree.Simulation(step=1e-3)
ball = sim.rigid(scree.sphere(center=(0, 0, 1), radius=0.1), density=1000)
sim.run(0.1, output=0.01)
print(round(ball.position[2], 3))
"""

_spec = importlib.util.spec_from_file_location("build_backend", ROOT / "tools" / "packaging" / "build_backend.py")
backend = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(backend)


def run(*command, cwd, env=CLEAN, timeout=300):
    """Output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def falls(program, folder, env=CLEAN):
    """Run a small script with an installed command, draw it, and see that a ball fell 0.049 m."""
    (folder / "ball.py").write_text(SCRIPT)
    assert run(program, "run", "ball.py", "--out", "out", "--quiet", cwd=folder, env=env).split() == ["0.951"]
    run(program, "render", "out", "--out", "ball.png", "--size", "160x90", "--samples", "1", cwd=folder, env=env)
    assert (folder / "ball.png").read_bytes().startswith(b"\x89PNG")


def test_one_version():
    assert backend.version() == scree.__version__
    assert f"\nVersion: {scree.__version__}\n" in backend.metadata()
    assert "version" in backend.project()["dynamic"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A new virtual environment that sees the system's NumPy and its friends, with Scree installed by pip from this build, without a network."""
    folder = tmp_path_factory.mktemp("pip") / "environment"
    run(sys.executable, "-m", "venv", "--system-site-packages", folder, cwd=folder.parent)
    run(folder / "bin" / "pip", "install", "--no-index", "--disable-pip-version-check", ROOT, cwd=folder.parent,
        env={**CLEAN, "SCREE_BUILD": str(_native.build_folder())})
    return folder


def test_pip_installs_command_and_package(environment, tmp_path):
    where = run(environment / "bin" / "python", "-c", "import scree; print(scree.__file__)", cwd=tmp_path)
    assert where.startswith(str(environment))
    assert run(environment / "bin" / "scree", "--version", cwd=tmp_path) == f"scree {scree.__version__}\n"
    falls(environment / "bin" / "scree", tmp_path)


def test_pip_brings_the_page_where_it_was_built(environment):
    built = (_native.build_folder() / "page" / "index.html").exists()
    assert bool(list(environment.rglob("scree/page/index.html"))) == built


def test_pip_removes_everything(environment, tmp_path):
    copy = tmp_path / "environment"
    shutil.copytree(environment, copy, symlinks=True)
    run(copy / "bin" / "python", "-m", "pip", "uninstall", "-y", "scree", cwd=tmp_path)
    assert not (copy / "bin" / "scree").exists()
    assert not list(copy.glob("lib/python*/site-packages/scree*"))


def test_source_package_holds_what_is_under_version_control(tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("not a working copy")
    name = backend.build_sdist(tmp_path)
    listed = run("tar", "tzf", tmp_path / name, cwd=tmp_path).split()
    top = f"scree-{scree.__version__}"
    assert {f"{top}/{path}" for path in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "src/core/vec.hpp")} <= set(listed)
    assert not [path for path in listed if "/build/" in path]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """The .deb files of this build: {name: path}."""
    if not shutil.which("cpack") or not shutil.which("dpkg-shlibdeps"):
        pytest.skip("cpack or dpkg-dev is missing")
    folder = tmp_path_factory.mktemp("deb")
    # As `make deb` does, but for the compression, which takes most of its time.
    run("cpack", "--config", _native.build_folder() / "CPackConfig.cmake", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-B", folder, cwd=folder, timeout=550)
    return {path.name.split("_")[0]: path for path in folder.glob("*.deb")}


def test_debian_packages_say_what_they_need(packages):
    def field(name, what):
        return run("dpkg-deb", "-f", packages[name], what, cwd=ROOT).strip()
    assert field("scree", "Version") == scree.__version__ == field("scree-dev", "Version")
    for needed in ("python3-numpy", "python3-matplotlib", "python3-pil", "libhdf5", "libcholmod", "libfmt", "libqhull", f"python3 (>= 3.{sys.version_info[1]}"):
        assert needed in field("scree", "Depends"), needed
    for needed in ("libeigen3-dev", "libsuitesparse-dev", "libpugixml-dev"):
        assert needed in field("scree-dev", "Depends"), needed


def test_debian_package_runs_where_it_is_unpacked(packages, tmp_path):
    root = tmp_path / "root"
    run("dpkg-deb", "-x", packages["scree"], root, cwd=tmp_path)
    package = root / "usr" / "lib" / "python3" / "dist-packages" / "scree"
    assert list(package.glob("_scree.*.so")) and (root / "usr/share/scree/examples/drum.py").exists()
    assert not list(root.rglob("__pycache__")) and not list(root.rglob("*.a"))
    env = {**CLEAN, "PYTHONPATH": str(package.parent)}
    assert run(sys.executable, "-c", "import scree; print(scree.__file__)", cwd=tmp_path, env=env).startswith(str(root))
    falls(root / "usr" / "bin" / "scree", tmp_path, env)


def test_the_debian_package_for_programs_holds_what_make_install_does(packages, tmp_path):
    """With what is installed tests/install/run.sh builds a program."""
    run("dpkg-deb", "-x", packages["scree-dev"], tmp_path / "root", cwd=tmp_path)
    run("cmake", "--install", _native.build_folder(), "--component", "dev", "--prefix", tmp_path / "installed", cwd=tmp_path)
    def files(folder):
        return {path.relative_to(folder): path.read_bytes() if path.suffix in (".hpp", ".cmake") else None for path in folder.rglob("*") if path.is_file() and "share/doc" not in str(path)}
    held = files(tmp_path / "root" / "usr")
    assert held == files(tmp_path / "installed") and pathlib.Path("lib/libscree_core.a") in held and pathlib.Path("lib/cmake/scree/scree-config.cmake") in held


@pytest.mark.long
def test_programs_build_against_the_debian_package(packages, tmp_path):
    run("dpkg-deb", "-x", packages["scree-dev"], tmp_path / "root", cwd=tmp_path)
    run("cmake", "-S", ROOT / "tests" / "install", "-B", tmp_path / "build", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={tmp_path / 'root' / 'usr'}", cwd=tmp_path)
    run("cmake", "--build", tmp_path / "build", cwd=tmp_path)
    assert "the ball lies at" in run(tmp_path / "build" / "drop", cwd=tmp_path) and (tmp_path / "drop.h5").exists()
