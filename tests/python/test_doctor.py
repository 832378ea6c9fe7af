"""scree doctor, shell completion, and the kernels OpenBLAS computes with."""
import json
import os
import subprocess
import sys

import pytest

from scree import _scree, doctor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_doctor_says_what_is_there_and_what_it_is_good_for(command):
    done = command("doctor")
    assert done.status == 0 and done.err == ""
    for word in ("engine", "BLAS", "threads", "browser", "mesher", "MPI", "ffmpeg"):
        assert f"\n{word}" in "\n" + done.out, word
    parts = json.loads(command("doctor", "--json").out)["parts"]
    assert all(set(p) == {"name", "found", "detail", "good_for", "get"} and p["good_for"] and p["get"] for p in parts)
    assert all((p["detail"] is not None) == p["found"] for p in parts)
    assert next(p for p in parts if p["name"] == "engine")["detail"].startswith(f"scree {_scree.version}")


def test_doctor_says_how_to_get_what_is_missing(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    entries = {e["name"]: e for e in doctor.examine()}
    assert not entries["mesher"]["found"] and not entries["ffmpeg"]["found"]
    text = doctor.text(list(entries.values()))
    assert "apt-get install tetgen" in text and "apt-get install ffmpeg" in text
    assert text.index("engine") < text.index("not found")


def test_a_package_that_is_broken_is_named(monkeypatch, tmp_path):
    (tmp_path / "broken_package.py").write_text("raise RuntimeError('half installed')\n")
    monkeypatch.syspath_prepend(tmp_path)
    entry = doctor._package("broken", "broken_package", "tests", "repair it")
    assert not entry["found"] and "half installed" in entry["get"]


# --- kernels ----------------------------------------------------------------------------------------------------

#: A processor OpenBLAS does not know: its oldest kernels are in use when scree is imported, NumPy or not.
FALLEN_BACK = """
import ctypes, sys
import numpy
blas = ctypes.CDLL("libopenblas.so.0")
blas.openblas_get_corename.restype = ctypes.c_char_p
libc = ctypes.CDLL(None)
libc.setenv(b"OPENBLAS_CORETYPE", b"Prescott", 1)
blas.gotoblas_dynamic_quit()
blas.gotoblas_dynamic_init()
libc.unsetenv(b"OPENBLAS_CORETYPE")
assert blas.openblas_get_corename() == b"Prescott"
import scree
kernel = scree._scree.blas_kernel()
a = numpy.arange(90000.0).reshape(300, 300) % 17
assert (a @ a == (a.astype(int) @ a.astype(int))).all()
print(blas.openblas_get_corename().decode(), kernel["name"], kernel["instead"], kernel["by_user"])
"""


def run_python(text, **environment):
    kept = {k: v for k, v in os.environ.items() if k != "OPENBLAS_CORETYPE"}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60,
                          env={**kept, "PYTHONPATH": os.path.join(ROOT, "python"), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def has(*features):
    with open("/proc/cpuinfo") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
    return set(features) <= set(flags)


openblas = pytest.mark.skipif(not _scree.blas_kernel()["library"], reason="the BLAS in use is not OpenBLAS")


@openblas
@pytest.mark.skipif(not has("avx2", "fma"), reason="the oldest kernels are the best this processor can use")
def test_old_kernels_are_replaced_by_what_the_processor_can_do():
    expected = "SkylakeX" if has("avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd") else "Haswell"
    assert run_python(FALLEN_BACK) == [expected, expected, "Prescott", "False"]


@openblas
def test_the_user_s_choice_of_kernels_stands():
    assert run_python("import scree; k = scree._scree.blas_kernel(); print(k['name'], k['instead'] or '-', k['by_user'])",
                      OPENBLAS_CORETYPE="Nehalem") == ["Nehalem", "-", "True"]


# --- completion ---------------------------------------------------------------------------------------------------

argcomplete = pytest.mark.skipif(doctor._package("argcomplete", "argcomplete", "", "")["found"] is False, reason="argcomplete is not installed")


def completions(line, tmp_path):
    """What the shell would offer after a command line."""
    answer = tmp_path / "answer"
    done = subprocess.run([os.path.join(ROOT, "scree")], capture_output=True, timeout=60,
                          env={**os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
                               "_ARGCOMPLETE_STDOUT_FILENAME": str(answer), "ARGCOMPLETE_USE_TEMPFILES": "1"})
    assert done.returncode == 0, done.stderr
    return [word.strip() for word in answer.read_text().split("\n")]


@argcomplete
def test_commands_and_options_complete(tmp_path):
    assert {"run", "render", "doctor"} <= set(completions("scree r", tmp_path) + completions("scree d", tmp_path))
    assert completions("scree render --chai", tmp_path) == ["--chains"]
    assert set(completions("scree completion ", tmp_path)) >= {"bash", "zsh", "fish"}


@argcomplete
def test_completion_prints_lines_for_the_shell(command):
    assert "complete " in command("completion").out and "scree" in command("completion").out
    assert "bashcompinit" in command("completion", "zsh").out
    assert command("completion", "csh").status == 2
