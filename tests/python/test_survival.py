"""Runs that survive: no crash, nothing lost, nothing false said."""
import json
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

import scree
from conftest import ROOT
from falling_ball import ball, wait_for
from scree import memory, plain_values
from scree.cli.info import summarise


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
    text = plain_values.dump(sim, data)
    back = plain_values.load(sim, text)
    assert json.loads(text) and back["body"] == body and back["sim"] is sim and back["f"] == np.float32(0.1) and type(back["f"]) is np.float32
    assert np.array_equal(back.pop("a"), data.pop("a")) and back == data
    with pytest.raises(TypeError, match="function"):
        plain_values.dump(sim, [lambda: 0])
    loop = []
    loop.append(loop)
    with pytest.raises(TypeError, match="holds itself"):
        plain_values.dump(sim, loop)


def test_random_generators_go_on_where_they_were():
    sim = scree.Simulation()
    for make, draw in ((lambda: random.Random(4), lambda g: g.random()), (lambda: np.random.default_rng(4), lambda g: g.random())):
        first, second = make(), make()
        draw(first)
        kept = plain_values.restore(second, plain_values.load(sim, plain_values.dump(sim, first)))
        assert kept is second and draw(second) == draw(first)


@pytest.mark.parametrize("text", ['["object", "os.system", ["dict"]]', '["object", "pytest.main", ["dict"]]', '["object", "pytest.Session", ["dict"]]', '["array", "O", [1], ""]', '["nothing"]', '["handle", "gone"]', '[]'])
def test_foreign_data_in_a_checkpoint_is_refused(text):
    with pytest.raises(ValueError):
        plain_values.load(scree.Simulation(), text)


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


def test_no_solver_of_rigid_bodies_computes_with_the_blas():
    """Newton's, ADMM's and interior points' factorisations of a packing that is large enough for dense blocks: the same bits with every kernel."""
    code = """
import hashlib, scree
p = scree.Problem.packing(6, 6, seed=102, shear=1.0)
for name in sorted(s["name"] for s in scree._scree.list_solvers() if s["name"] != "EXPLICIT"):
    s = p.solve(name, tolerance=1e-8, max_iterations=12)
    print(name, s.iterations, hashlib.sha256(s.R.tobytes()).hexdigest())
print(scree._scree.blas_kernel()["used"])
"""
    found = []
    for kernels in ("Prescott", "Haswell", "SkylakeX"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "OPENBLAS_CORETYPE": kernels, "OMP_NUM_THREADS": "1"}
        found.append(subprocess.run([sys.executable, "-c", code], check=True, env=environment, capture_output=True, text=True).stdout.splitlines())
    assert found[0] == found[1] == found[2] and len(found[0]) > 15 and found[0][-1] == "False"


def test_info_names_the_kernels_that_were_used(tmp_path):
    named, _ = kernels_and_hash(ELEMENTS, tmp_path, "Prescott")
    assert named is not None and (named.endswith("Prescott") or "OpenBLAS" not in named)


def test_torture_in_short():
    """One case of each quick kind; tools/torture.py alone does more."""
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "torture.py"), "--short", "--seed", "3"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
