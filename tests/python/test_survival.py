"""Runs that survive: no crash, nothing lost, nothing false said."""
import json
import os
import pathlib
import random
import signal
import subprocess
import time

import numpy as np
import pytest

import scree
from conftest import ROOT
from scree import memory

BALL = """
import scree, sys
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.3)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
sim.rigid(scree.sphere((0, 0, 0.4), 0.1), density=1000)
sim.run(DURATION, output=0.001, checkpoint=60)
print("final", sim.hash())
"""


def ball(duration):
    return BALL.replace("DURATION", str(duration))


def wait_for(path, process, seconds=60):
    limit = time.monotonic() + seconds
    while not pathlib.Path(path).exists():
        assert process.poll() is None and time.monotonic() < limit
        time.sleep(0.02)


@pytest.mark.parametrize("load", ["FORCE (a, 'SPATIAL', (0, 0, 0), (1, 0, 0), drag)", "PUT_SPRING (a, (0, 0, 0), b, (0, 0, 5), spring, (-1, 1))"])
def test_a_body_with_a_function_may_leave_the_extents(script, command, load):
    done = command("run", script(f"""
sol = SOLFEC ('DYNAMIC', 1E-3, 'out')
bulk = BULK_MATERIAL (sol, density = 1e3)
a = BODY (sol, 'RIGID', SPHERE ((0, 0, 0), 0.1, 1, 1), bulk)
b = BODY (sol, 'RIGID', SPHERE ((0, 0, 5), 0.1, 1, 1), bulk)
INITIAL_VELOCITY (a, (0, 0, -10), (0, 0, 0))
EXTENTS (sol, (-1, -1, -0.1, 1, 1, 6))
def drag (q, u, time, step): return (0, 0, 0, 0, 0, 0, 0, 0, 0)
def spring (stroke, velocity): return 0.0
{load}
RUN (sol, None, 0.05)
print ('survived')
"""))
    assert done.status == 0 and "survived" in done.out, done.err


def test_a_second_run_into_a_folder_in_use_takes_nothing(tmp_path, script, command):
    path = script(ball(200))
    first = subprocess.Popen([str(ROOT / "scree"), "run", str(path), "--out", "out", "--quiet"], cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        wait_for(tmp_path / "out" / "checkpoint.h5", first)
        second = command("run", path, "--out", "out", "--quiet")
        assert second.status == 2 and "results.h5" in second.err and f"process {first.pid} is writing it" in second.err, second.err
        assert (tmp_path / "out" / "checkpoint.h5").exists()
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert len(scree.read(tmp_path / "out")) >= 1


def test_resume_without_a_checkpoint_keeps_the_frames(tmp_path, script, command):
    path = script(ball(0.02))
    assert command("run", path, "--out", "out", "--quiet").status == 0
    os.remove(tmp_path / "out" / "checkpoint.h5")
    os.remove(tmp_path / "out" / "checkpoint.1.h5")
    frames = len(scree.read(tmp_path / "out"))
    refused = command("run", path, "--out", "out", "--quiet", "--resume")
    assert refused.status == 2 and f"{frames} frames" in refused.err and "--overwrite" in refused.err
    assert len(scree.read(tmp_path / "out")) == frames
    assert command("run", path, "--out", "out", "--quiet", "--resume", "--overwrite").status == 0


def test_results_of_another_script_are_replaced_only_when_asked(script, command):
    assert command("run", script(ball(0.01), "one.py"), "--out", "out", "--quiet").status == 0
    other = script(ball(0.01), "two.py")
    refused = command("run", other, "--out", "out", "--quiet")
    assert refused.status == 2 and "'one.py'" in refused.err and "--overwrite" in refused.err
    assert command("run", other, "--out", "out", "--quiet", "--overwrite").status == 0
    assert command("run", other, "--out", "out", "--quiet").status == 0


def test_the_command_that_continues_is_whole(tmp_path, script):
    path = script(ball(200))
    process = subprocess.Popen([str(ROOT / "scree"), "run", str(path), "--out", "out", "--quiet", "--", "a b", "3"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_for(tmp_path / "out" / "checkpoint.h5", process)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "SIGHUP" in err and "--resume -- 'a b' 3" in err


def test_a_damaged_checkpoint_harms_neither_info_nor_resume(tmp_path, script, command):
    path = script(ball(0.02))
    assert command("run", path, "--out", "out", "--quiet").status == 0
    newest = tmp_path / "out" / "checkpoint.h5"
    newest.write_bytes(newest.read_bytes()[:1000])
    info = command("info", "out")
    assert info.status == 0 and "cannot be read" in info.out
    again = command("run", path, "--out", "out", "--quiet", "--resume")
    assert again.status == 0 and "the checkpoint before it" in again.err, again.err


def test_missed_tolerances_are_announced(script, command):
    text = """
import scree
from scree import scenes
sim = scenes.make("wall").sim
sim.out = "out"
sim.solver("JACOBI", tolerance=1e-10, max_iterations=2)
sim.run(0.02)
"""
    done = command("run", script(text))
    assert done.status == 0 and "of 20 steps missed the tolerance 1e-10" in done.err and "worst residual" in done.err
    assert "missed" in done.err.splitlines()[0]
    assert command("run", script(text), "--strict", "--quiet").status == 1


def test_leftovers_of_killed_runs_are_removed(tmp_path, script, command):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "checkpoint.h5.part123").write_bytes(b"half")
    assert command("run", script(ball(0.01)), "--out", "out", "--quiet").status == 0
    assert not list((tmp_path / "out").glob("*.part*"))


class Counter:
    """Data of a script: attributes and nothing else."""

    def __init__(self):
        self.seen, self.parts = 0, []


def test_checkpoints_hold_values_and_no_code():
    sim = scree.Simulation()
    body = sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
    data = {"n": 3, (1, 2): [1.5, float("inf"), None, True], "a": np.arange(6.0).reshape(2, 3), "s": {1, 2}, "b": b"x", "body": body, "sim": sim, "big": 2**80,
            "f": np.float32(0.1), "c": 1 + 2j}
    text = memory.dump(sim, data)
    back = memory.load(sim, text)
    assert json.loads(text) and back["body"] == body and back["sim"] is sim and back["f"] == np.float32(0.1) and type(back["f"]) is np.float32
    assert np.array_equal(back.pop("a"), data.pop("a")) and back == data
    with pytest.raises(TypeError, match="function"):
        memory.dump(sim, [lambda: 0])
    loop = []
    loop.append(loop)
    with pytest.raises(TypeError, match="holds itself"):
        memory.dump(sim, loop)


def test_random_generators_go_on_where_they_were():
    sim = scree.Simulation()
    for make, draw in ((lambda: random.Random(4), lambda g: g.random()), (lambda: np.random.default_rng(4), lambda g: g.random())):
        first, second = make(), make()
        draw(first)
        kept = memory.restore(second, memory.load(sim, memory.dump(sim, first)))
        assert kept is second and draw(second) == draw(first)


@pytest.mark.parametrize("text", ['["object", "os.system", ["dict"]]', '["object", "pytest.main", ["dict"]]', '["array", "O", [1], ""]', '["nothing"]', '["handle", "gone"]', '[]'])
def test_foreign_data_in_a_checkpoint_is_refused(text):
    with pytest.raises(ValueError):
        memory.load(scree.Simulation(), text)


def test_objects_of_the_script_come_back(tmp_path, script, command):
    text = """
import scree
class Log:
    def __init__(self): self.times, self.child = [], None
log = Log()
sim = scree.Simulation(step=1e-3, out="out")
sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
def note(sim, log):
    log.times.append(sim.time)
    log.child = Log()
    if STOP and len(log.times) == 5: return False
sim.callback(0.002, note, log)
sim.run(0.02, quiet=True, output=0.01)
print("times", len(log.times), type(log.child).__name__)
"""
    assert "times 5 Log" in command("run", script(text.replace("STOP", "True")), "--quiet").out
    state = json.loads(scree._scree.Engine.peek_checkpoint(str(tmp_path / "out" / "checkpoint.h5"), "python"))
    assert "pickle" not in json.dumps(state) and state["callbacks"][0]["data"].startswith('["object", "Log"')


def test_misspelt_members_are_refused():
    sim = scree.Simulation()
    with pytest.raises(AttributeError, match="Simulation has no member 'gravty'; did you mean 'gravity'"):
        sim.gravty = (0, 0, -1)
    body = sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
    with pytest.raises(AttributeError, match="Body has no member 'velocty'; did you mean 'velocity'"):
        body.velocty = (0, 0, 1)
    sim.out, body.velocity = None, (0, 0, 1)


def test_what_may_not_have_been_meant_is_said_once():
    sim = scree.Simulation()
    with pytest.warns(UserWarning, match="1000 kg") as told:
        sim.rigid(scree.sphere((0, 0, 0), 0.1), label="a")
        sim.rigid(scree.sphere((1, 0, 0), 0.1))
    assert len(told) == 1 and told[0].filename == __file__
    with pytest.warns(UserWarning, match="two bodies are labelled 'a'"):
        sim.rigid(scree.sphere((2, 0, 0), 0.1), density=1000, label="a")
    with pytest.warns(UserWarning, match="no surface material"):
        sim.advance(1)


@pytest.mark.parametrize("room", [2000, 6000, 12000, 40000, 100000])
def test_files_that_do_not_fit_end_in_words(tmp_path, room):
    """A limit on the size of files stands for a full disk, at several places of a file."""
    code = f"""
import resource, signal, scree
from scree import scenes
sim = scenes.make("wall").sim
sim.advance(2)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
for write in (lambda: sim.export_problem("p.hdf5"), lambda: sim._engine.write_checkpoint("c.h5", {{"python": "x"}})):
    try:
        write()
    except OSError as error:
        print("OSError", error)
"""
    done = subprocess.run(["/usr/bin/python3", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.returncode == 0 and done.stdout.count("OSError") == 2, done.stderr
    assert not list(tmp_path.iterdir())
