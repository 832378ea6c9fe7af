"""Runs that survive: no crash, nothing lost, nothing false said."""
import base64
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib

import numpy as np
import pytest

import scree
from conftest import ROOT
from scree import memory
from scree.cli.info import summarise

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


def test_both_checkpoints_damaged_is_said_with_what_to_do(tmp_path):
    def run(**options):
        sim = scree.Simulation(out=str(tmp_path))
        sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
        sim.run(0.002, quiet=True, **options)

    run()
    for name in ("checkpoint.h5", "checkpoint.1.h5"):
        (tmp_path / name).write_bytes(b"nothing")
    with pytest.raises(OSError, match="no other checkpoint to go on from.*--overwrite"):
        run(resume=True)
    run()


def test_checkpoints_are_two_files_whenever_the_run_is_killed(tmp_path, monkeypatch):
    """Killed before any of the renames of a checkpoint: a damaged newest file leaves one to go on from."""
    class Killed(BaseException):
        pass

    def make():
        sim = scree.Simulation(out=str(tmp_path))
        sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
        return sim

    newest, older = tmp_path / "checkpoint.h5", tmp_path / "checkpoint.1.h5"
    replace = os.replace
    for last in range(1, 6):
        renames = []

        def rename(a, b):
            renames.append(b)
            if len(renames) == last:
                raise Killed
            replace(a, b)

        monkeypatch.setattr(os, "replace", rename)
        with pytest.raises(Killed):
            make().run(0.004, quiet=True, output=0.001, checkpoint=1e-9)
        monkeypatch.setattr(os, "replace", replace)
        if last == 1:
            assert not newest.exists()
            continue
        if newest.exists() and older.exists():
            newest.write_bytes(b"damaged")
        again = make()
        again.run(0.004, quiet=True, output=0.001, resume=True)
        assert again.steps == 4 and not list(tmp_path.glob("*.part*"))


def test_info_names_the_solver_that_ran(tmp_path):
    sim = scree.Simulation(out=str(tmp_path))
    sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000).apply_function(lambda *_: (0, 0, 0))
    sim.solver("GAUSS_SEIDEL")
    sim.run(0.002, quiet=True)
    assert summarise(str(tmp_path))["solver"] == "GAUSS_SEIDEL"


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


def test_foreign_counters_in_a_checkpoint_are_refused(tmp_path):
    sim = scree.Simulation(out=str(tmp_path))
    sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
    sim.run(0.002, quiet=True)
    checkpoint = str(tmp_path / "checkpoint.h5")
    state = memory.read(checkpoint)
    changes = [("run", "1"), ("start", None), ("args", [1]), ("script", {}), ("callbacks", [{}]), ("time", [])]
    for text in ("[]", "{", "[" * 100000, *(json.dumps({**state, name: value}) for name, value in changes)):
        sim._engine.write_checkpoint(checkpoint, {"python": text})
        with pytest.raises(OSError, match="data that Scree did not write"):
            memory.read(checkpoint)
        assert "did not write" in summarise(str(tmp_path))["checkpoint_damage"]


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


# --- steps and those who would change them -------------------------------------------------------------------------------

CHANGES = {"Body.delete": lambda sim, body: body.delete(), "Simulation.rigid": lambda sim, body: sim.rigid(scree.sphere((3, 0, 0), 0.1), density=1000),
           "Body.apply_function": lambda sim, body: body.apply_function(lambda *_: (0, 0, 0)), "Simulation.gravity": lambda sim, body: setattr(sim, "gravity", (0, 0, 0)),
           "Body.velocity": lambda sim, body: setattr(body, "velocity", (0, 0, 1)), "Simulation.advance": lambda sim, body: sim.advance(1),
           "Simulation.solver": lambda sim, body: sim.solver("AUTO")}


@pytest.mark.parametrize("routine", CHANGES)
def test_a_force_function_reads_and_does_not_change(routine):
    sim = scree.Simulation(step=1e-3)
    ball, answers = sim.rigid(scree.sphere((0, 0, 1), 0.1), density=1000), []

    def force(state, time, step):
        answers.append((ball.position, sim.time, len(sim.bodies)))
        if sim.steps == 2:
            CHANGES[routine](sim, ball)
        return (0, 0, 0)

    ball.apply_function(force)
    with pytest.raises(RuntimeError, match=f"^{routine}: a step is being made.*the force function of body {ball.id}.*between steps"):
        sim.advance(5)
    assert sim.steps == 2 and len(sim.bodies) == 1 and answers
    sim.gravity = (0, 0, -1)  # between steps everything goes


def test_on_failure_may_not_change_the_model():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.5)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    for k in range(3):
        sim.rigid(scree.box(center=(0, 0, 0.1 + 0.2 * k), size=(0.3, 0.3, 0.2)), density=1000)
    sim.solver("JACOBI", tolerance=1e-14, max_iterations=1, failure="callback", on_failure=lambda report: sim.bodies[1].delete())
    with pytest.raises(RuntimeError, match="^Body.delete: .*came from on_failure"):
        sim.advance(3)
    assert len(sim.bodies) == 4


def test_the_language_names_its_routine(script, command):
    done = command("run", script("""
sol = SOLFEC ('DYNAMIC', 1E-3, 'out')
bulk = BULK_MATERIAL (sol, density = 1e3)
a = BODY (sol, 'RIGID', SPHERE ((0, 0, 0), 0.1, 1, 1), bulk)
def push (q, u, time, step):
  if time > 0.005: DELETE (sol, a)
  return (0, 0, 0, 0, 0, 0, 0, 0, 0)
FORCE (a, 'SPATIAL', (0, 0, 0), (1, 0, 0), push)
RUN (sol, None, 0.02)
"""))
    assert done.status == 1 and "DELETE: a step is being made" in done.err and "the force function of body" in done.err, done.err


def test_other_threads_wait_for_the_step():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(40, 40, 1)))
    sim.rigid(scree.sphere((0, 0, 0.1), 0.1), density=1000)
    seen = []

    def meddle():
        for k in range(30):
            body = sim.rigid(scree.sphere((1 + 0.3 * k, 0, 0.2), 0.1), density=1000)
            seen.append((sim.time, len(sim.contacts["gap"]), sim.hash()))
            if k % 2:
                body.delete()

    threads = [threading.Thread(target=meddle) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        sim.advance(20)
    assert len(seen) == 60 and len(sim.bodies) == 32


# --- signals -------------------------------------------------------------------------------------------------------------

#: One step that would take for ever: sweeps need as many rounds as the load is heavier than what bears it.
ENDLESS = """
import scree
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.5)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
for k in range(8):
    sim.rigid(scree.box(center=(0, 0, 0.1 + 0.2 * k), size=(0.3, 0.3, 0.2)), density=1000 if k < 7 else 1e15)
sim.solver("JACOBI", tolerance=1e-300, max_iterations=2**31 - 1)
sim.run(1.0)
"""


def computed(pid):
    """CPU seconds of a process: unlike the clock they do not count the work of others."""
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_abandons_the_step(tmp_path, script, command, number):
    process = subprocess.Popen([str(ROOT / "scree"), "run", str(script(ENDLESS)), "--out", "out", "--quiet"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_for(tmp_path / "out" / "checkpoint.h5", process)
    time.sleep(0.3)
    before = computed(process.pid)
    process.send_signal(number)
    err = process.stderr.readline()
    assert computed(process.pid) - before < 0.2
    err += process.communicate(timeout=20)[1]
    assert process.returncode == 1 and f"stopped by {signal.Signals(number).name} at t = 0 s" in err and "--resume" in err, err
    assert (tmp_path / "out" / "checkpoint.1.h5").exists() and command("info", "out").status == 0


def test_the_second_signal_ends_at_once(tmp_path, script):
    text = ball(5).replace("sim.run", "import time\nsim.callback(0.002, lambda sim: print('in', flush=True) or time.sleep(60))\nsim.run")
    process = subprocess.Popen([str(ROOT / "scree"), "run", str(script(text)), "--out", "out", "--quiet"], cwd=tmp_path, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"in\n"
    process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGTERM


WORK = {"solve": ("problem = scree.Problem.packing(6, 6)", "problem.solve('JACOBI', tolerance=1e-300, max_iterations=2**31 - 1)"),
        "advance": ("", "sim.advance(2000000)"),
        "hull": ("points = np.random.RandomState(1).normal(size=(60000, 3)); points /= np.linalg.norm(points, axis=1)[:, None]", "scree.hull(points)"),
        "elements": ("mesh = scree.hex([(x, y, z) for z in (1, 2) for x, y in ((1, 1), (2, 1), (2, 2), (1, 2))], (32, 32, 32))", "sim.finite_element(mesh)")}


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_reaches_the_engine(name):
    prepare, work = WORK[name]
    code = f"""
import numpy as np
import scree, sys, time, warnings
warnings.simplefilter("ignore")
sim = scree.Simulation(step=1e-3)
sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
{prepare}
print("begin", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print(open("/proc/self/schedstat").read().split()[0], flush=True)
    sim.advance(1)
    print("goes on", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert process.stdout.readline() == "begin\n"
    begun = computed(process.pid)
    while computed(process.pid) < begun + 0.3:
        time.sleep(0.01)
    before = computed(process.pid)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    interrupted, after = out.split("\n", 1)
    assert int(interrupted) / 1e9 - before < 0.2 and after == "goes on\n" and process.returncode == 0


def test_ctrl_c_waits_while_the_engine_is_loaded():
    code = """
import importlib, os, signal, sys
load = importlib.import_module
def disturbed(name, *rest):
    if name == "scree._scree":
        os.kill(os.getpid(), signal.SIGINT)
    return load(name, *rest)
importlib.import_module = disturbed
try:
    import scree
except KeyboardInterrupt:
    print("loaded" if "scree._scree" in sys.modules else "lost")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.stdout == "loaded\n", done.stderr


def test_ctrl_c_outside_a_run_is_told(script, command):
    done = command("run", script("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(10): pass\n"))
    assert done.status == 1 and done.err == "scree: interrupted outside a run\n"


def test_an_interrupted_step_leaves_no_trace():
    """Redone, the steps give the bits of a run that nobody disturbed."""
    def make():
        sim = scree.Simulation(step=1e-3)
        sim.surface_material(friction=0.5)
        stone = sim.bulk_material(density=2000, young=1e7)
        sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
        corners = [(0, 0, 0.0), (0.3, 0, 0), (0.3, 0.3, 0), (0, 0.3, 0), (0, 0, 0.2), (0.3, 0, 0.2), (0.3, 0.3, 0.2), (0, 0.3, 0.2)]
        sim.finite_element(scree.hex(corners, (6, 6, 3)), material=stone, velocity=(0, 0, -1))
        return sim

    plain, disturbed = make(), make()
    plain.advance(8)
    for k in range(6):
        timer = threading.Timer(0.004 * k, lambda: os.kill(os.getpid(), signal.SIGINT))
        try:
            timer.start()
            disturbed.advance(8 - disturbed.steps)
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            pass
    disturbed.advance(8 - disturbed.steps)
    assert disturbed.hash() == plain.hash()


# --- what writing costs --------------------------------------------------------------------------------------------------


def test_frames_cost_the_same_late_and_early(tmp_path):
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(9, 9, 1)))
    for k in range(8):
        sim.rigid(scree.sphere((0.3 * k, 0, 0.1), 0.1), density=1000)
    sim.advance(1)
    writer = scree._scree.ResultsWriter.create(str(tmp_path / "results.h5"), "test", 9, False)

    def written():
        with open("/proc/self/io") as table:
            return int(next(line for line in table if line.startswith("wchar")).split()[1])

    def held():
        with open("/proc/self/statm") as table:
            return 4096 * int(table.read().split()[1])

    marks = []
    for frame in range(1, 2401):
        sim._engine.set_time(frame * 1e-3)
        writer.add_frame(sim._engine)
        if frame % 600 == 0:
            marks.append((written(), held()))
    early, late = marks[1][0] - marks[0][0], marks[3][0] - marks[2][0]
    assert late < 1.1 * early
    assert marks[3][1] - marks[1][1] < 2e6
    writer.close()
    # What changes goes to the journal and to the file, with the lines around it: a few times a frame's size.
    assert late / 600 < 5 * (tmp_path / "results.h5").stat().st_size / 2400
    assert [entry.name for entry in tmp_path.iterdir()] == ["results.h5"]


# --- what the bits depend on ---------------------------------------------------------------------------------------------

KERNELS = """
import sys, scree
from scree import scenes
sim = scenes.make("wall").sim
sim.out = sys.argv[1]
sim.run(0.005, quiet=True)
"""
ELEMENTS = """
import sys, scree
sim = scree.Simulation(step=1e-3, out=sys.argv[1])
stone = sim.bulk_material(density=2000, young=1e7)
corners = [(0, 0, 0.0), (0.3, 0, 0), (0.3, 0.3, 0), (0, 0.3, 0), (0, 0, 0.2), (0.3, 0, 0.2), (0.3, 0.3, 0.2), (0, 0.3, 0.2)]
sim.finite_element(scree.hex(corners, (4, 4, 3)), material=stone, velocity=(0, 0, -1))
sim.run(0.002, quiet=True)
"""


def kernels_and_hash(code, folder, kernels):
    """What `scree info` says of a run with the given kernels of OpenBLAS."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "OPENBLAS_CORETYPE": kernels}
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(folder)], check=True, env=environment)
    figures = summarise(str(folder))
    return figures["hash_kernels"], figures["hash"]


def test_the_hash_of_rigid_bodies_does_not_depend_on_the_kernels(tmp_path):
    found = [kernels_and_hash(KERNELS, tmp_path / name, name)[1] for name in ("Prescott", "Haswell", "SkylakeX")]
    assert found[0] == found[1] == found[2]


def test_info_names_the_kernels_that_were_used(tmp_path):
    named, _ = kernels_and_hash(ELEMENTS, tmp_path, "Prescott")
    assert named is not None and (named.endswith("Prescott") or "OpenBLAS" not in named)


# --- files made to harm --------------------------------------------------------------------------------------------------


def test_arrays_of_a_mesh_that_share_a_block_do_not_fill_the_memory(tmp_path):
    block = zlib.compress(bytes(4 << 20), 9)
    packed = base64.b64encode(struct.pack("<4I", 1, 4 << 20, 0, len(block))).decode() + base64.b64encode(block).decode()
    array = '<DataArray type="{}" Name="{}" format="appended" offset="0"/>'
    piece = ('<Piece NumberOfPoints="8" NumberOfCells="1"><Points>' + array.format("Float64", "Points") + "</Points><Cells>" + array.format("Int8", "connectivity") +
             array.format("Int8", "offsets") + array.format("Int8", "types") + "</Cells></Piece>")
    path = tmp_path / "bomb.vtu"
    path.write_text('<?xml version="1.0"?><VTKFile type="UnstructuredGrid" byte_order="LittleEndian" compressor="vtkZLibDataCompressor"><UnstructuredGrid>' + 40 * piece +
                    f'</UnstructuredGrid><AppendedData encoding="base64">_{packed}</AppendedData></VTKFile>')
    code = f"import resource, scree; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)); scree.read_mesh({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1"})
    assert "OSError" in done.stderr and "bomb.vtu: " in done.stderr and "MemoryError" not in done.stderr, done.stderr


# --- words instead of what is inside -------------------------------------------------------------------------------------


def raw_calls():
    sim = scree.Simulation()
    ball = sim.rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    from scree import solfec
    return [
        (lambda: scree.set_threads("x"), "threads = 'x': an integer is expected"),
        (lambda: scree.set_threads(2**40), "threads = 1099511627776: it must be from 1 to 4096"),
        (lambda: sim.solver("SPG", memory=2**40), "option 'memory' = 1099511627776: an integer from"),
        (lambda: sim.solver("SPG", max_iterations=2**40), "max_iterations = 1099511627776: it must be from 1 to 2147483647"),
        (lambda: sim.solver(max_seconds="x"), "max_seconds = 'x': a number is expected"),
        (lambda: sim.contact_settings(restitution=3), "restitution = 3 is unknown"),
        (lambda: sim.contact_settings(one_point_per_overlap="x"), "one_point_per_overlap = 'x': True or False is expected"),
        (lambda: scree.hex(corners, (2, 2, 2), dx=0.5), "hex: dx = 0.5: a list of relative sizes is expected"),
        (lambda: solfec.HEX(sum(corners, ()), 2, 2, 2, 0, [0] * 6, dx=0.5), "HEX: dx = 0.5: a list of 2 relative sizes is expected"),
        (lambda: scree.Simulation(out=3), "out = 3: the name of a file or folder is expected"),
        (lambda: sim.export_problem(3), "path = 3: the name of a file or folder is expected"),
        (lambda: sim.exclude(bodies=3), "exclude: bodies = 3: two are expected"),
        (lambda: sim.exclude(surfaces=5), "exclude: surfaces = 5: two are expected"),
        (lambda: scree.Problem(3), "the name of an FCLIB file is expected"),
        (lambda: scree.Problem.from_arrays("x", [1, 2, 3], [0.1]), "Problem: W = 'x': a matrix is expected"),
        (lambda: scree.Problem.packing(1000, 1000), "packing: 1000 x 1000 x 1000 bodies are more than"),
        (lambda: scree.read(3), "path = 3: the name of a file or folder is expected"),
        (lambda: scree.read_mesh(3), "read_mesh: path = 3: the name of a file or folder is expected"),
        (lambda: sim.rigid(scree.sphere((0, 0, 5), 0.1), density=1, label="\ud800"), "characters that are no text"),
        (lambda: sim._engine.has_body("x"), "'x': an integer is expected"),
        (lambda: sim._engine.has_body(2**40), "1099511627776: an integer from -2147483648 to 2147483647 is expected"),
        (lambda: sim.solver(max_iterations=0), "max_iterations = 0: it must be 1 or more"),
        (lambda: sim.rigid(scree.sphere(), density={1: 3}), "density = {1: 3.0}: the shape has no volume 1; its volume ids are 0"),
        (lambda: sim.rigid(scree.sphere() + scree.sphere(volume=2), density={2: 3}), "density = {2: 3.0}: volume 0 of the shape has none"),
        (lambda: scree.join(), "join: one shape at least is expected"),
        (lambda: setattr(ball, "rotation", np.diag((1.0, 1.0, 2.0))), "rotation = [[1, 0, 0], [0, 1, 0], [0, 0, 2]]: an orthonormal matrix"),
        (lambda: setattr(ball, "rotation", np.eye(2)), "rotation = array([[1., 0.],"),
        (lambda: scree.ellipsoid(radii=(1, 0, 1)), "ellipsoid: radius y is 0"),
        (lambda: scree.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "hull: all 4 points lie in a plane"),
        (lambda: scree.box(low=(0, 0, 0), high=(1, 1, 0)), "box: extent along z is 0"),
        (lambda: scree.mesh(corners, [[0, 1, 2, 9]]), "mesh: element 0 names node 9"),
        (lambda: ball.apply_function(lambda *_: None) or sim.advance(1), "force function of body 0: returned None: a force"),
    ]


@pytest.mark.parametrize("number", range(32))
def test_wrong_types_are_answered_in_words(number):
    call, words = raw_calls()[number]
    with pytest.raises(ValueError) as refused:
        call()
    assert words in str(refused.value)


def test_a_body_that_is_not_there_is_answered_in_words():
    sim = scree.Simulation()
    sim.rigid(scree.sphere(), density=1000)
    with pytest.raises(IndexError, match=r"bodies\[99\]: there are 1 bodies, numbered from 0"):
        sim.bodies[99]
    assert sim.bodies[-1].id == sim.bodies[0].id == sim.bodies[0:1][0].id


def test_files_that_cannot_be_written_have_the_name_they_were_given(tmp_path):
    sim = scree.Simulation()
    sim.fix_point(sim.rigid(scree.sphere(), density=1000), (0, 0, 0))
    sim.advance(1)
    with pytest.raises(OSError) as refused:
        sim.export_problem(tmp_path / "nowhere" / "problem.hdf5")
    assert str(refused.value) == f"{tmp_path}/nowhere/problem.hdf5: cannot write there: No such file or directory"


def test_a_run_shorter_than_a_step_is_told(capsys):
    sim = scree.Simulation(step=1e-3)
    sim.rigid(scree.sphere(), density=1000)
    sim.run(1e-9, quiet=True)
    sim.run(1e-4, quiet=True)
    assert capsys.readouterr().err == ("scree: duration = 1e-09 s is less than a step: no step was made\n"
                                       "scree: duration = 0.0001 s is less than a step: one step of 0.001 s was made\n") and sim.steps == 1


def test_a_body_that_deforms_wants_a_modulus():
    sim = scree.Simulation()
    with pytest.warns(UserWarning, match="no Young's modulus: 1e6 Pa"):
        sim.pseudo_rigid(scree.sphere((0, 0, 0), 0.1), density=1000)
    sim = scree.Simulation()
    soft = sim.bulk_material(density=1000)
    soft.young = 1e7
    sim.pseudo_rigid(scree.sphere((0, 0, 0), 0.1), material=soft)


def test_bodies_in_one_place_are_told():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0)
    for _ in range(2):
        sim.rigid(scree.sphere((0, 0, 1), 0.1), density=1000)
    with pytest.warns(UserWarning, match="overlap at the start"):
        sim.advance(1)


def test_torture_in_short():
    """One case of each quick kind; tools/torture.py alone does more."""
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "torture.py"), "--short", "--seed", "3"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
