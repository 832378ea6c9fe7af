"""The folder of a run: what the script, its children and other simulations do to it while it is written, and what a restart of a finished run tells."""
import os
import shutil

import numpy as np
import pytest

import scree
from scree import memory


def pile(out, blocks=2):
    sim = scree.Simulation(step=1e-3, out=None if out is None else str(out))
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    for k in range(blocks):
        sim.rigid(scree.box(center=(0.02 * k, 0, 0.1 + 0.2 * k), size=(0.2, 0.2, 0.2)), density=1000)
    return sim


def times(out):
    return [round(float(t), 9) for t in scree.read(out).times]


#: What scripts begin with that use this file.
HERE = f"import sys\nsys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})\nimport os\nimport scree\nfrom test_folders import pile\n"

#: A child that lives on until its parent has written everything, and then leaves as Python does, by the ends of all that it holds, or goes on.
CHILD = HERE + """
sim, go, children = pile(None), os.pipe(), []

def fork(sim):
    if sim.steps == 5:
        children.append(os.fork())
        if not children[0]:
            os.read(go[0], 1)
            HOW

sim.callback(0.005, fork)
sim.run(0.2, output=0.001)
os.write(go[1], b"x")
os.wait()
print("frames", len(scree.read(sim.out)))
"""


@pytest.mark.parametrize("how", ["sys.exit(0)", "return"])
def test_a_forked_child_writes_nothing(script, command, how):
    done = command("run", script(CHILD.replace("HOW", how)), "--quiet")
    assert done.status == 0 and "frames 201" in done.out, (done.out, done.err)
    assert ("one made by fork() cannot" in done.err) == (how == "return"), done.err
    assert command("info", "out/script").status == 0


def test_results_that_another_simulation_wrote_are_not_continued(tmp_path):
    first = pile(tmp_path / "out")
    first.run(0.01, quiet=True)
    pile(tmp_path / "out", 1).run(0.02, quiet=True)
    with pytest.raises(ValueError, match="results.h5: another simulation has written there.*another folder"):
        first.run(0.01, quiet=True)
    frames = scree.read(tmp_path / "out")
    assert frames[-1].time == pytest.approx(0.02) and len(frames.bodies) == 2 and first.steps == 10
    first.out = str(tmp_path / "other")
    first.run(0.01, output=0.005, quiet=True)
    assert times(first.out) == [0.01, 0.015, 0.02]


def test_results_that_are_gone_are_told(tmp_path):
    sim = pile(tmp_path / "out")
    sim.run(0.01, quiet=True)
    shutil.rmtree(sim.out)
    with pytest.raises(ValueError, match="results.h5: the results .* are gone"):
        sim.run(0.01, quiet=True)
    sim.out = str(tmp_path / "other")
    sim.callback(0.005, lambda sim: os.path.exists(sim.out + "/results.h5") and os.remove(sim.out + "/results.h5"))
    with pytest.raises(OSError, match="results.h5: somebody has removed the results"):
        sim.run(0.01, quiet=True)


def test_simulations_of_a_process_do_not_share_a_folder(tmp_path):
    sim = pile(tmp_path / "out")
    sim.callback(0.005, lambda _: pile(tmp_path / "out", 1).run(0.01, quiet=True))
    with pytest.raises(OSError, match="another simulation of this process is writing it"):
        sim.run(0.01, quiet=True)


@pytest.mark.parametrize("out", [None, "out"])
def test_a_run_inside_a_run_is_refused(tmp_path, out):
    sim = pile(out and tmp_path / out)
    sim.callback(0.005, lambda sim: sim.run(0.001, quiet=True))
    with pytest.raises(RuntimeError, match=r"^run\(0.001\): a run of this simulation is going on.*advance\(\)"):
        sim.run(0.02, quiet=True)
    sim._callbacks.clear()
    sim.run(0.005, quiet=True)  # the refused call left nothing behind
    assert sim.steps == 6


def test_results_of_this_process_are_not_replaced_in_silence(tmp_path, capfd):
    first = pile(tmp_path / "out")
    first.run(0.01, quiet=True)
    pile(tmp_path / "out", 1).run(0.02, quiet=True)
    assert "out/results.h5: the results of a simulation that this process has run before are replaced" in capfd.readouterr().err
    first.out = str(tmp_path / "away")
    first.run(0.01, quiet=True)
    first.out = str(tmp_path / "again")
    first.run(0.01, quiet=True)
    first.out = str(tmp_path / "away")
    with pytest.raises(ValueError, match="away/results.h5: this simulation, before it wrote elsewhere, has written results there; .*out='away_2'"):
        first.run(0.01, quiet=True)
    assert times(tmp_path / "away")[-1] == 0.02 and first.steps == 30


def test_a_study_in_one_script_keeps_every_run(script, command):
    text = HERE + """
for k in (1, 2):
    pile(FOLDER).run(0.01 * k)
"""
    lost = command("run", script(text.replace("FOLDER", "'study'")), "--quiet")
    assert lost.status == 2 and "another simulation of this script has written results there" in lost.err, lost.err
    assert command("run", script(text.replace("FOLDER", "f'study/{k}'")), "--quiet").status == 0


def test_a_run_keeps_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "away").mkdir()
    sim = pile("out")

    def leave(sim):
        os.chdir(tmp_path / "away")
        sim.out = "elsewhere"
    sim.callback(0.005, leave)
    sim.run(0.02, output=0.005, checkpoint=1e-3, quiet=True)
    assert times(tmp_path / "out") == [0, 0.005, 0.01, 0.015, 0.02]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["checkpoint.1.h5", "checkpoint.h5", "results.h5"]
    assert not list((tmp_path / "away").iterdir()) and sim.out == "elsewhere"


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OSError, match="^out = '.*out': this folder cannot be made: there is a file of this name"):
        pile(tmp_path / "out").run(0.01, quiet=True)


def test_only_lost_results_are_called_so(tmp_path, capfd):
    sim = pile(tmp_path / "out")
    sim.callback(0.005, lambda sim: open(tmp_path / "no" / "such"))
    with pytest.raises(FileNotFoundError, match="such"):
        sim.run(0.01, quiet=True)
    assert "writing failed" not in capfd.readouterr().err
    sim = pile(tmp_path / "lost")
    sim.callback(0.005, lambda sim: shutil.rmtree(sim.out, ignore_errors=True))
    with pytest.raises(OSError):
        sim.run(0.007, quiet=True)
    assert "writing failed at t = 0.007 s" in capfd.readouterr().err
    sim.out = str(tmp_path / "found")  # what was lost holds no lock on anything
    sim._callbacks.clear()
    sim.run(0.01, quiet=True)
    assert times(sim.out)[-1] == pytest.approx(0.017)


#: A script that tells of its last step.
TELLS = HERE + """
from scree import measure
sim = pile(None)
sim.run(0.02)
print({k: v for k, v in sim.report.items()})
print({k: (v.dtype.str, v.tolist()) for k, v in sim.contacts.items()})
print(measure.coordination(sim).mean)
"""


def test_a_finished_run_tells_its_last_step_again(script, command):
    path = script(TELLS)
    first = command("run", path, "--out", "out")
    again = command("run", path, "--out", "out", "--resume")
    assert first.status == again.status == 0 and "'step': 20" in first.out and first.out == again.out, (first.err, again.err)
    assert "contacts 0 " not in again.err and "contacts" in again.err


def test_after_a_restart_steps_tell_of_themselves(tmp_path):
    sim = pile(tmp_path / "out")
    sim.run(0.01, quiet=True)
    again = pile(tmp_path / "out")
    again.run(0.01, quiet=True, resume=True)
    assert again.report == sim.report and len(again.contacts["gap"]) == len(sim.contacts["gap"]) > 0
    again.contacts["gap"][:] = 7
    assert (again.contacts["gap"] == sim.contacts["gap"]).all()
    sim.advance(), again.advance()
    assert again.report["step"] == 11 and again.hash() == sim.hash() and (again.contacts["force"] == sim.contacts["force"]).all()


@pytest.mark.parametrize("harm", [lambda reals, integers: (reals[:-1], integers), lambda reals, integers: (reals, integers[:-1]),
                                  lambda reals, integers: (reals, np.concatenate([[-1], integers[1:]])), lambda reals, integers: (reals, np.concatenate([[2**62], integers[1:]])),
                                  lambda reals, integers: (reals, np.concatenate([integers[:1], [300], integers[2:]]))])
def test_numbers_of_a_checkpoint_are_not_trusted(tmp_path, harm):
    sim = pile(None)
    sim.advance(3)
    path = str(tmp_path / "checkpoint.h5")
    sim._engine.write_checkpoint(path, {}, *harm(*memory.pack_last(sim._engine)))
    with pytest.raises(OSError, match="data that Scree did not write"):
        memory.unpack_last(sim._engine, path)


def test_answers_of_callbacks_that_are_no_answers_go_on(tmp_path):
    for answer, steps in ((np.zeros(3), 10), ([], 10), ("", 10), (None, 10), (True, 10), (1, 10), (False, 5), (0, 5), (np.bool_(False), 5)):
        sim = pile(None, 1)
        sim.callback(0.005, lambda sim, answer=answer: answer if sim.steps >= 5 else None)
        sim.run(0.01, quiet=True)
        assert sim.steps == steps, answer
