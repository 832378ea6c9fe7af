"""One script on several ranks: the bits, files and exit status of one process, and an answer to every failure. Times are never judged, only that nothing hangs."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import scree
from scree import ranks

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRUN = ["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
needs_ranks = pytest.mark.skipif(shutil.which("mpirun") is None or not ranks.available(),
                                 reason="mpirun or the module for several ranks is missing: tools/install_deps.sh ranks, then build again")
#: A heap of spheres and boxes, one of them pulled by a force function, that is saved in frames. Owners change at every step where there are several.
HEAP = """
import os
import numpy as np
import scree

sim = scree.Simulation(step=1e-3)
sim.solver(os.environ.get("SOLVER", "AUTO"))
sim.surface_material(friction=0.4, cohesion=50.0)
sim.obstacle(scree.box(low=(-2, -2, -1), high=(2, 2, 0)))
random = np.random.RandomState(4)
for k in range(24):
    place = np.array([0.3 * (k % 3), 0.3 * (k // 3 % 3), 0.15 + 0.3 * (k // 9)]) + random.uniform(-0.02, 0.02, 3)
    shape = scree.sphere(center=place, radius=0.12) if k % 2 else scree.box(center=place, size=(0.2, 0.2, 0.2))
    body = sim.rigid(shape, density=1000)
body.apply_function(lambda state, t, h: (1.0, 0.0, 0.0))
if NCPU() > 1:
    sim._engine.set_division(least_bodies=1, migrate_always=MIGRATE)
calls = []
def tick(sim, data):
    data.append(sim.time)
    return sim.time < float(os.environ.get("STOP", "inf"))
sim.callback(0.01, tick, calls)
sim.run(DURATION, output=0.01)
if RANK() == 0:
    print("hash", sim.hash(), len(calls), NCPU())
"""


def mpirun(count, *arguments, cwd, timeout=240, **more):
    """Run scree on ranks; what it said. A hang fails the test."""
    return subprocess.run([*MPIRUN, "-n", str(count), str(ROOT / "scree"), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=timeout, **more)


def heap(migrate=False, duration=0.03):
    return HEAP.replace("MIGRATE", str(migrate)).replace("DURATION", str(duration))


def halting(text):
    """The script, stopped at the time HALT."""
    return text.replace("calls = []", "import signal\ndef halt(sim):\n    if sim.time > float(os.environ['HALT']) - 1e-9: os.kill(os.getpid(), signal.SIGTERM)\nsim.callback(0.001, halt)\ncalls = []")


def hash_of(text):
    return re.search(r"^hash (\w+)", text, re.MULTILINE)[1]


def test_one_process_loads_no_mpi(command, script):
    path = script("import sys\nimport scree\nscree.Simulation()\nprint(NCPU(), RANK(), 'scree._scree_mpi' in sys.modules, 'libmpi' in open('/proc/self/maps').read())\nBARRIER()\n")
    assert command("run", path).out.split() == ["1", "0", "False", "False"]
    linked = subprocess.run(["ldd", scree._scree.__file__], capture_output=True, text=True).stdout
    assert "libmpi" not in linked and "zoltan" not in linked and "libc.so" in linked


@needs_ranks
@pytest.mark.parametrize("counts", [((2, False), (3, True)), pytest.param(((1, False), (4, False)), marks=pytest.mark.long)], ids=["two and three", "one and four"])
def test_any_number_of_ranks_gives_the_bits_and_files_of_one(command, script, tmp_path, counts):
    alone = command("run", script(heap()), "--out", "alone")
    assert alone.status == 0, alone.err
    whole = scree.read(str(tmp_path / "alone"))
    for count, migrate in counts:
        out = tmp_path / f"ranks_{count}"
        done = mpirun(count, "run", script(heap(migrate)), "--gathered", "--out", out, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert hash_of(done.stdout) == hash_of(alone.out)
        assert f" 4 {count}\n" in done.stdout and done.stdout.count("hash") == 1  # callbacks were called, rank 0 alone prints
        assert done.stderr.count("state hash") == 1
        stored = scree.read(str(out))
        assert list(stored.times) == list(whole.times) and len(stored.times) == 4
        assert (stored.frame(3).positions == whole.frame(3).positions).all()
        assert sorted(os.listdir(out)) == sorted(os.listdir(tmp_path / "alone"))


@needs_ranks
def test_a_run_goes_on_with_any_number_of_ranks(command, script, tmp_path):
    whole = command("run", script(heap(duration=0.06)), "--out", "whole")
    stopping = halting(heap(duration=0.06))
    first = mpirun(2, "run", script(stopping), "--gathered", "--out", "parts", cwd=tmp_path, env={**os.environ, "HALT": "0.02"})
    assert first.returncode == 1 and "stopped by SIGTERM" in first.stderr, first.stderr
    second = mpirun(3, "run", script(stopping), "--gathered", "--out", "parts", "--resume", cwd=tmp_path, env={**os.environ, "HALT": "0.04"})
    assert second.returncode == 1 and "stopped by SIGTERM" in second.stderr, second.stderr
    last = command("run", script(stopping), "--out", "parts", "--resume", env={"HALT": "9"})
    assert last.status == 0 and hash_of(last.out) == hash_of(whole.out)
    times = scree.read(str(tmp_path / "parts")).times
    assert len(times) == 7 and all(b > a for a, b in zip(times, times[1:]))


@needs_ranks
def test_the_same_ranks_give_the_same_bits_and_tell_what_they_sent(command, script, tmp_path):
    path = script(halting(heap(duration=0.03)))
    whole = mpirun(3, "run", path, "--threads", "1", "--out", "whole", cwd=tmp_path, env={**os.environ, "HALT": "9"})
    assert whole.returncode == 0, whole.stderr
    first = mpirun(3, "run", path, "--threads", "2", "--out", "parts", cwd=tmp_path, env={**os.environ, "HALT": "0.02"})
    assert first.returncode == 1, first.stderr
    last = mpirun(3, "run", path, "--threads", "2", "--out", "parts", "--resume", cwd=tmp_path, env={**os.environ, "HALT": "9"})
    assert last.returncode == 0 and hash_of(last.stdout) == hash_of(whole.stdout), last.stderr
    assert "  balance " in whole.stderr
    figures = [json.loads(command("info", folder, "--json").out)["ranks"] for folder in ("whole", "parts")]
    for name in ("ranks", "steps", "reductions"):
        assert figures[0][name] == figures[1][name], name
    assert figures[0]["ranks"] == 3 and figures[0]["steps"] == 30 and figures[0]["bytes"] > 0
    assert re.search(r"ranks +3: a step [\d.]+ rounds", command("info", "whole").out)


@needs_ranks
@pytest.mark.parametrize("steps", ["8", pytest.param("30", marks=pytest.mark.long)])
def test_scenes_and_their_operator_are_those_of_one_process(steps):
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "rank_checks.py"), "gathered", "operator", "--ranks", "3", "--steps", steps, "--scenes", "cohesive_wall,drum_pseudo_rigid"],
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = done.stdout.splitlines()
    assert rows.pop() == "0 bad" and len(rows) == 8 and all(row.startswith("good  ") for row in rows), done.stdout
    assert "724 contacts" in rows[0] and "220 blocks" in rows[4]


@needs_ranks
def test_solfec_scripts_know_their_rank(script, tmp_path):
    path = script("""
solfec = SOLFEC('DYNAMIC', 1E-3, 'out/ranks')
SURFACE_MATERIAL(solfec, model='SIGNORINI_COULOMB', friction=0.3)
bulk = BULK_MATERIAL(solfec, density=1000)
ground = BODY(solfec, 'OBSTACLE', HULL([0, 0, -1, 4, 0, -1, 4, 1, -1, 0, 1, -1, 0, 0, 0, 4, 0, 0, 4, 1, 0, 0, 1, 0], 1, 1), bulk)
bodies = [BODY(solfec, 'RIGID', SPHERE((0.5 + k, 0.5, 0.2), 0.2, 1, 1), bulk) for k in range(4)]
GRAVITY(solfec, (0, 0, -10))
IMBALANCE_TOLERANCE(solfec, 1.5)
if NCPU(solfec) > 1: solfec.simulation._engine.set_division(least_bodies=1)
BARRIER()
RUN(solfec, GAUSS_SEIDEL_SOLVER(1E-6, 100), 0.01)
here = [HERE(solfec, body) for body in bodies]
print('RANK', RANK(), NCPU(solfec), HERE(solfec, ground), here)
for _ in range(200): print('row', 'of', 'pieces')
""")
    done = mpirun(2, "run", path, "--print-all", cwd=tmp_path, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\nrow of pieces") == 400, "lines of ranks were mixed: " + done.stdout
    rows = sorted(re.findall(r"RANK (\d) 2 True \[(.*)\]", done.stdout))
    owners = [[word == "True" for word in row[1].split(", ")] for row in rows]
    assert [row[0] for row in rows] == ["0", "1"] and all(a != b for a, b in zip(*owners)) and any(owners[0]) and any(owners[1])
    again = mpirun(2, "run", path, cwd=tmp_path)
    assert again.returncode == 0 and again.stderr.count("'READ' mode") == 1, again.stderr


#: What goes wrong, what is said of it, the exit status.
BAD = {
    "different models": ("sim.rigid(scree.sphere(center=(0, 0, 1 + 1e-9 * RANK()), radius=0.1), density=1000)\nsim.run(0.01)", "built different models", 1),
    "run on one rank alone": ("if RANK() == 0: sim.run(0.01)", r"script\.py:5\); rank 1 is at the end of the script\. Calls", 1),
    "different calls": ("if RANK() == 1:\n    BARRIER()\nelse:\n    sim.run(0.01)", r"rank 1 is at BARRIER \(script\.py:6\)", 1),
    "exception in one rank's callback": ("def bad(sim):\n    if RANK() == 1: raise ValueError('the table is empty')\nsim.callback(0.002, bad)\nsim.run(0.01)",
                                         r"on rank 1 of 2:\n(.*\n)*.*line 6(.*\n)*ValueError: the table is empty", 1),
    "exception in one rank's force": ("def force(state, t, h):\n    if RANK() == 1 and t > 0.003: raise ValueError('no force')\n    return (0, 0, 0)\n"
                                      "ball.apply_function(force)\nsim.run(0.01)", r"on rank 1 of 2:\n(.*\n)*ValueError: no force", 1),
    "exception on all ranks": ("sim.run(0.002)\nraise KeyError('everybody')", r"KeyError: 'everybody'", 1),
    "states changed on one rank": ("def push(sim):\n    if RANK() == 0: ball.velocity = (1, 0, 0)\nsim.callback(0.002, push)\nsim.run(0.01)", "hold different states", 1),
    "a material changed on one rank": ("def polish(sim):\n    if RANK() == 1: sim.surface_material(friction=0.2)\nsim.callback(0.002, polish)\nsim.run(0.01)",
                                       "hold different materials", 1),
    "gravity changed on one rank": ("sim.advance(2)\nif RANK() == 1: sim.gravity = (0, 0, -1)\nsim.advance(2)", "hold different materials, settings", 1),
    "forces that differ": ("ball.apply_function(lambda state, t, h: (RANK(), 0, 0))\nsim.run(0.01)", "different forces on the ranks", 1),
    "a rank that waits while another computes for ever": ("import time\nif RANK() == 0:\n    time.sleep(100)\nraise ValueError('early')", "do not come to hear of it:\n(.*\n)*ValueError: early", 1),
    "refused input": ("sim.rigid(scree.sphere(center=(0, 0, 0), radius=-1), density=1)", "radius = -1", 2),
}

#: Further ways into what the cases beside them show: the same digest, the same meeting.
LONGER = ("gravity changed on one rank", "different calls")


@needs_ranks
@pytest.mark.parametrize("case", [pytest.param(case, marks=pytest.mark.long) if case in LONGER else case for case in BAD])
def test_what_goes_wrong_gets_one_answer(case, script, tmp_path):
    body, said, status = BAD[case]
    path = script("import scree\nsim = scree.Simulation(step=1e-3)\nsim.surface_material(friction=0.1)\nball = sim.rigid(scree.sphere(center=(0, 0, 0.5), radius=0.1), density=1000)\n" + body)
    done = mpirun(2, "run", path, "--out", tmp_path / "out", cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert len(re.findall(said, done.stderr)) == 1, done.stderr
    assert done.stderr.count("Traceback") <= 1, done.stderr


@needs_ranks
def test_a_killed_rank_ends_the_run_and_leaves_what_was_finished(script, tmp_path):
    path = script(heap(duration=20.0).replace("calls = []", "calls = []\nopen(f'rank_{RANK()}', 'w').write(str(__import__('os').getpid()))"))
    run = subprocess.Popen([*MPIRUN, "-n", "3", str(ROOT / "scree"), "run", str(path), "--out", str(tmp_path / "out")], cwd=tmp_path, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    _wait(lambda: (tmp_path / "out" / "checkpoint.h5").exists() and (tmp_path / "rank_1").exists())
    time.sleep(0.5)
    os.kill(int((tmp_path / "rank_1").read_text()), signal.SIGKILL)
    run.communicate(timeout=30)
    assert run.returncode != 0
    stored = scree.read(str(tmp_path / "out"))
    assert len(stored.times) >= 1 and stored.frame(len(stored.times) - 1).positions.shape == (25, 3)
    _wait(lambda: not any(_alive(int((tmp_path / f"rank_{r}").read_text())) for r in range(3)))
    # On two ranks it goes on from the last checkpoint, up to the next callback.
    done = mpirun(2, "run", path, "--out", tmp_path / "out", "--resume", cwd=tmp_path, env={**os.environ, "STOP": "0"})
    assert done.returncode == 0 and "hash" in done.stdout, done.stderr


@needs_ranks
def test_one_rank_tells_what_was_converted(command, script):
    done = command("run", script("if RANK () == 0: print 'of', NCPU ()\n"), "--ranks", "2")
    assert done.out == "of 2\n" and done.err.count("is Python 2") == 1, done.err


@needs_ranks
def test_the_launcher_passes_on_what_it_is_asked(command, script, tmp_path):
    # Gathered, NEWTON has the bits of one process as well.
    newton = {"SOLVER": "NEWTON"}
    alone = command("run", script(heap()), "--quiet", "--out", "alone", env=newton)
    done = command("run", script(heap()), "--ranks", "2", "--gathered", "--quiet", "--out", "out", "--", "word", env=newton)
    assert done.status == 0 and " 4 2\n" in done.out, done.err
    assert hash_of(done.out) == hash_of(alone.out)
    # Ctrl-C: a checkpoint, the same as for one process.
    run = subprocess.Popen([str(ROOT / "scree"), "run", str(script(heap(duration=50.0))), "--ranks", "2", "--out", "stopped"], cwd=tmp_path,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _wait(lambda: (tmp_path / "stopped" / "checkpoint.h5").exists())
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=30)
    assert run.returncode == 1 and "stopped by SIGUSR1" in said and "--resume" in said, said
    state = json.loads(scree._scree.Engine.peek_checkpoint(str(tmp_path / "stopped" / "checkpoint.h5"), "python"))
    assert 0.0 < state["time"] < 50.0 and not state["finished"]


def test_ranks_that_cannot_be_had_are_refused_with_what_to_install(command, script, tmp_path):
    done = subprocess.run([sys.executable, "-m", "scree", "run", str(script("print('ran')")), "--ranks", "2"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PATH": str(tmp_path)})
    assert done.returncode == 2 and "mpirun is not installed" in done.stderr and not done.stdout


def _alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().split(")")[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _wait(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
