"""What happens during a step: functions and threads that would change the model, and signals."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

import scree
from conftest import ROOT
from falling_ball import ball, wait_for


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


#: A function of the script is asked to stop while it changes the model: in short work and, where LONG says so, in work that does not end.
INSERTS = """
import os, signal
import scree

sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.4)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))

def insert(sim, made):
    if "STOP" in os.environ and len(made) == 2: os.kill(os.getpid(), signal.SIGTERM)
    made.append(sim.rigid(scree.box(center=(0.3 * len(made), 0, 0.6), size=(0.2, 0.15, 0.1)), density=1000).label)
    made.append(sim.rigid(scree.sphere((0.3 * len(made), 1, 0.6), 0.1), density=1000).label)
    while LONG and "STOP" in os.environ and len(made) > 2: scree.box(size=(1, 1, 1)), scree.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])

sim.callback(0.01, insert, [])
sim.run(0.05, output=0.01)
print("final", sim.hash())
"""


def test_a_signal_leaves_no_function_half_done(tmp_path, script, command):
    path = script(INSERTS.replace("LONG", "False"))
    whole = command("run", path, "--out", "whole", "--quiet")
    stopped = command("run", path, "--out", "out", "--quiet", env={"STOP": "1"})
    assert stopped.status == 1 and "stopped by SIGTERM at t = 0.01 s" in stopped.err and "Traceback" not in stopped.err, stopped.err
    resumed = command("run", path, "--out", "out", "--quiet", "--resume")
    assert resumed.status == 0 and resumed.out == whole.out, resumed.err


def test_a_signal_leaves_a_function_that_does_not_end(tmp_path, script, command):
    path = script(INSERTS.replace("LONG", "True"))
    stopped = command("run", path, "--out", "out", "--quiet", env={"STOP": "1"})
    assert stopped.status == 1 and "RuntimeError" not in stopped.err, stopped.err
    resumed = command("run", path, "--out", "out", "--quiet", "--resume")
    assert resumed.status == 0 and resumed.out == command("run", path, "--out", "whole", "--quiet").out, resumed.err


def test_a_signal_is_not_lost_in_an_error(tmp_path, script, command):
    """A script that catches what a function of its own throws does not go on after it was asked to stop."""
    text = ball(1).replace("sim.run(1,", """
import os, signal
def fails(sim):
    os.kill(os.getpid(), signal.SIGTERM)
    raise ValueError("of the script")
sim.callback(0.005, fails)
for attempt in range(3):
    try:
        sim.run(1, checkpoint=60, output=0.001)
    except ValueError:
        print("again")
sim.run(1,""")
    done = command("run", script(text), "--out", "out", "--quiet")
    assert done.status == 1 and done.out == "" and "stopped by SIGTERM and by ValueError: of the script at t = 0.001 s" in done.err and "--resume" in done.err, done.out + done.err


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
