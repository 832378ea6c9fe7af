"""Runs that write results: frames, step table, restart to the same bits, kills, Ctrl-C, full disks."""
import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest

import scree
from conftest import ROOT
from scree import scenes

SCRIPT = """
import scree

sim = scree.Simulation(step=1e-3, out="results")
sim.surface_material(friction=0.4)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)), label="ground")
log = {"made": []}

def insert(sim, data):
    k = len(data["made"])
    if k > 3:
        data["made"].pop(0).delete()
    x = 0.05 * (k % 3)
    shape = scree.sphere((x, 0, 0.6), 0.1) if k % 2 else scree.box(center=(x, 0, 0.6), size=(0.2, 0.15, 0.1))
    data["made"].append(sim.rigid(shape, density=1000))

sim.callback(0.05, insert, log)
sim.run(DURATION, output=0.01, checkpoint=CHECKPOINT)
print("final", sim.hash(), len(log["made"]))
"""


def looping(duration, checkpoint):
    return SCRIPT.replace("DURATION", str(duration)).replace("CHECKPOINT", str(checkpoint))


def final(text):
    return [line for line in text.splitlines() if line.startswith("final")]


def pile(out, duration=0.1, **options):
    scene = scenes.make("pile")
    scene.sim.out = str(out)
    scene.sim.run(duration, quiet=True, **options)
    return scene.sim


def test_results_hold_frames_and_steps(tmp_path):
    sim = pile(tmp_path / "out", output=0.02)
    results = scree.read(tmp_path / "out")
    assert np.allclose(results.times, np.arange(6) * 0.02, atol=1e-12)
    steps = results.steps
    assert np.array_equal(steps["step"], np.arange(1, 101)) and np.allclose(steps["time"], np.arange(1, 101) * 1e-3)
    assert (steps["residual"] <= 1e-8).all() and (steps["status"] == 0).all()
    last = results[-1]
    assert np.array_equal(last.positions, sim.bodies.positions) and np.array_equal(last.rotations, sim.bodies.rotations)
    assert np.array_equal(last.ids, sim.bodies.ids) and np.array_equal(last.velocities, sim.bodies.velocities)
    contacts = sim.contacts
    assert np.allclose(last.contacts["force"], contacts["force"], rtol=1e-12, atol=1e-9)
    assert np.array_equal(last.contacts["bodies"], contacts["bodies"])
    assert last.energies["kinetic"] == sim.energies["kinetic"] == results.energies["kinetic"][-1]
    assert len(results.bodies) == 61 and results.bodies[0]["label"] == "ground" and results.bodies[0]["kind"] == "obstacle"
    times, values = results.history("ground")
    assert len(times) == 6 and np.ptp(values) == pytest.approx(np.ptp(values[0]))
    assert "6 frames" in repr(results) and "bodies" in repr(last)


def test_bodies_come_and_go_in_results(tmp_path, script, command):
    done = command("run", script(looping(0.4, 60)), "--quiet")
    assert done.status == 0, done.err
    results = scree.read(tmp_path / "results")
    counts = [len(f.ids) for f in results]
    assert counts[0] == 1 and max(counts) == 5 and counts[-1] == 5
    assert sum(b["last_frame"] >= 0 for b in results.bodies) == 5


def test_two_runs_append(tmp_path):
    sim = scenes.make("dominoes").sim
    sim.out = str(tmp_path / "out")
    sim.run(0.02, output=0.01, quiet=True)
    sim.run(0.02, output=0.01, quiet=True)
    assert np.allclose(scree.read(sim.out).times, [0, 0.01, 0.02, 0.03, 0.04])


def resumed_equals_undisturbed(out, stop_at, build, total=0.1):
    """Run to `stop_at` steps, build anew, resume to the end; compare with a run of one piece."""
    reference = build()
    reference.out = str(out / "whole")
    reference.run(total, output=0.01, quiet=True)
    first = build()
    first.out = str(out / "parts")
    first.callback(0.0, lambda sim, n: os.kill(os.getpid(), signal.SIGINT) if sim.steps == n else None, stop_at)
    with pytest.raises(KeyboardInterrupt):
        first.run(total, output=0.01, quiet=True)
    second = build()
    second.out = first.out
    second.callback(0.0, lambda sim, n: None, stop_at)
    second.run(total, output=0.01, quiet=True, resume=True)
    assert second.steps == reference.steps and second.hash() == reference.hash()
    a, b = scree.read(reference.out), scree.read(second.out)
    assert np.array_equal(a.times, b.times) and np.array_equal(a.steps["residual"], b.steps["residual"])
    assert np.array_equal(a[-1].contacts["local_force"], b[-1].contacts["local_force"])


@pytest.mark.parametrize("stop_at", [7, 55])
@pytest.mark.parametrize("name", ["pile", "dominoes"])
def test_interrupted_run_resumes_to_the_same_bits(tmp_path, name, stop_at, capsys):
    resumed_equals_undisturbed(tmp_path, stop_at, lambda: scenes.make(name).sim)
    assert "continue with" in capsys.readouterr().err


def test_resume_keeps_everything_the_model_has(tmp_path):
    def build():
        sim = scree.Simulation(step=1e-3)
        sim.surface_material(friction=0.3, restitution=0.2, cohesion=10.0)
        sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)), velocity=(scree.TimeSeries([(0, 0), (1, 1)]), 0, 0))
        a = sim.rigid(scree.hull(np.random.RandomState(3).uniform(-0.1, 0.1, (12, 3)) + (0, 0, 0.12)), density=500, scheme="RIG_IMP", damping=0.5)
        b = sim.rigid(scree.ellipsoid((0.3, 0, 0.11), (0.2, 0.1, 0.1)), density=500, angular_velocity=(0, 0, 3))
        sim.rigid_link(a, b, (0, 0, 0.12), (0.3, 0, 0.11))
        b.apply_torque((0, 0, 1), 0.1)
        a.apply_function(lambda state, time, step: (5.0 * np.sin(50 * time), 0, 0))
        a.apply_function(lambda state, time, step: (0, -0.5 * state.velocity[1] + 1.0, 0))
        sim.fix_direction(b, (0.3, 0, 0.11), (0, 1, 0))
        return sim

    resumed_equals_undisturbed(tmp_path, 42, build)


def test_callback_data_is_restored_in_place(tmp_path):
    class Counter:
        def __init__(self):
            self.calls = 0

    def build():
        sim = scenes.make("dominoes").sim
        sim.out = str(tmp_path / "out")
        counter, log = Counter.__new__(Counter), {"times": [], "array": np.zeros(3)}
        counter.calls = 0

        def count(sim, data):
            data["times"].append(sim.time)
            data["array"] += 1
            data["last"] = sim.bodies[3]

        sim.callback(0.01, count, log)
        return sim, log

    sim, log = build()
    sim.run(0.05, quiet=True)
    again, log2 = build()
    times, array = log2["times"], log2["array"]
    again.run(0.1, quiet=True, resume=True)
    assert times is log2["times"] and array is log2["array"] and len(times) == 11 and array[0] == 11
    assert times[:6] == log["times"] and log2["last"] == again.bodies[3]


def start(script_path, folder, *args):
    return subprocess.Popen([str(ROOT / "scree"), "run", str(script_path), *args], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


def test_kill_at_random_times(tmp_path, script, command):
    path = script(looping(0.6, 0.05))
    whole = command("run", path, "--out", "whole", "--quiet")
    assert whole.status == 0, whole.err
    random = np.random.RandomState(5)
    for _ in range(3):
        process = start(path, tmp_path, "--out", "killed", "--quiet", "--resume")
        time.sleep(random.uniform(0.4, 1.2))
        process.kill()
        process.communicate()
        file = tmp_path / "killed" / "results.h5"
        if file.exists():
            try:
                results = scree.read(file)
            except OSError as error:
                assert "no frames" in str(error) or "empty" in str(error) or "incomplete" in str(error), error
                continue
            for frame in results:
                assert np.isfinite(frame.positions).all()
    done = command("run", path, "--out", "killed", "--quiet", "--resume")
    assert done.status == 0, done.err
    assert final(done.out) == final(whole.out)
    assert np.array_equal(scree.read(tmp_path / "killed").times, scree.read(tmp_path / "whole").times)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_run_cleanly(tmp_path, script, command, number):
    path = script(looping(30, 60))
    process = start(path, tmp_path, "--out", "out")
    for _ in range(1200):
        time.sleep(0.05)
        if (tmp_path / "out" / "results.h5").exists():
            break
    time.sleep(0.5)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "--resume" in err and "Traceback" not in err and "final" not in out
    info = json.loads(command("info", "out", "--json").out)
    assert info["checkpoint_time"] > 0 and info["steps"] == round(info["checkpoint_time"] / 1e-3)
    assert os.path.exists(tmp_path / "out" / "checkpoint.h5")


def test_failed_write_stops_the_run_with_a_message(tmp_path):
    # Files may not grow beyond the limit: what a full disk looks like.
    code = f"""
import resource, signal, sys
sys.path.insert(0, {str(ROOT / "python")!r})
from scree import scenes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
scene = scenes.make("pile")
scene.sim.out = {str(tmp_path / "out")!r}
try:
    scene.sim.run(2.0, output=0.001, quiet=True)
except OSError as error:
    print("OSError", error)
"""
    done = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("OSError"), done.stderr
    assert "results.h5" in done.stdout or "checkpoint.h5" in done.stdout
    results = scree.read(tmp_path / "out")
    assert len(results) > 3 and all(np.isfinite(f.positions).all() for f in results)


def test_progress_is_plain_lines_without_a_terminal(capsys):
    scene = scenes.make("dominoes")
    scene.sim.run(0.02)
    err = capsys.readouterr().err
    assert "100%" in err and "contacts" in err and "residual" in err and "\r" not in err


def test_progress_line_says_what_is_left():
    from scree.progress import Progress, duration_text
    progress = Progress()
    progress.begin(0.0, 10.0, 0.0)
    progress._mark(progress._begun + 30.0, 2.5)
    line = progress.line(2.5, {"contacts": 7, "iterations": 3, "residual": 1e-9}, 30.0)
    assert "t 2.5 / 10 s" in line and "contacts 7" in line and "left 1:30" in line
    assert duration_text(3725) == "1:02:05"


def test_time_left_follows_the_recent_speed():
    """A run that slows down tenfold half way: what is left is judged by the slow part, not by the mean since the start."""
    from scree.progress import Progress
    progress = Progress()
    progress.begin(0.0, 10.0, 0.0)
    for k in range(1, 51):
        progress._mark(progress._begun + k, 0.1 * k)
    clock = progress._begun + 50.0
    for k in range(1, 51):
        progress._mark(clock + k, 5.0 + 0.01 * k)
    assert progress._left(5.5) == pytest.approx(450.0, rel=0.05)


def test_a_frame_has_every_field_that_is_stored_of_bodies(tmp_path):
    sim = scree.Simulation(step=1e-3, out=str(tmp_path / "out"))
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    steel = sim.bulk_material(density=1000, young=1e6, poisson=0.3)
    sim.pseudo_rigid(scree.box(center=(0, 0, 0.1), size=(0.2, 0.2, 0.2)), material=steel)
    sim.run(0.02, output=0.01, quiet=True)
    frame = scree.read(sim.out)[-1]
    assert {name: values.shape for name, values in frame.fields.items()} == {
        "rows": (2,), "position": (2, 3), "velocity": (2, 3), "angular_velocity": (2, 3), "rotation": (2, 3, 3), "energy": (2, 6), "mises": (2,)}
    assert frame.fields["mises"][0] == 0 and frame.fields["mises"][1] > 0
    assert frame.positions is frame.fields["position"]
