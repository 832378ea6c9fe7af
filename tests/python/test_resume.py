"""A checkpoint belongs to what a script had built: settings come back, and a script that builds something else is refused by name."""
import math

import pytest

import scree

BUILD = """
import scree, sys
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.5)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
ball = sim.rigid(scree.sphere((0, 0, 0.12), 0.1), density=1000, label="ball")
sim.callback(0.0, lambda sim, stop: not stop or sim.steps < 20, len(sys.argv) > 1 and sys.argv[1] == "stop")
sim.run(0.04, output=0.01)
print("final", sim.steps, sim.hash())
"""


def build(out, step=1e-3, integrator="MOREAU", friction=0.5, density=1000, height=0.12, speed=0.0, bodies=1, gravity=(0, 0, -9.81), tolerance=1e-8, **contact):
    sim = scree.Simulation(step=step, out=str(out), integrator=integrator, gravity=gravity)
    sim.surface_material(friction=friction, label="floor")
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    for k in range(bodies):
        sim.rigid(scree.sphere((k, 0, height), 0.1), density=density, label=f"ball{k}", velocity=(speed, 0, 0))
    sim.solver("AUTO", tolerance=tolerance)
    sim.contact_settings(**contact)
    return sim


def half(out):
    """A folder with the first half of a run."""
    build(out).run(0.02, output=0.01, quiet=True)


@pytest.mark.parametrize("change, words", [
    ({"step": 2e-3}, "settings: step is 0.002 and was 0.001"), ({"integrator": "SHAKE"}, "integrator is 'SHAKE' and was 'MOREAU'"),
    ({"recovery": 0.9}, "recovery is 0.9 and was 0.01"), ({"margin": 0.1}, "margin is 0.1 and was 0"), ({"restitution": "NEWTON"}, "restitution is 'NEWTON'"),
    ({"tolerance": 1e-6}, "solver: tolerance is 1e-06 and was 1e-08"), ({"friction": 0.4}, "surface material 0 'floor': friction is 0.4 and was 0.5"),
    ({"density": 2000}, "body 1 'ball0': mass is"), ({"height": 0.13}, "body 1 'ball0' has another"), ({"speed": 1.0}, "body 1 'ball0' has another velocity"),
    ({"bodies": 2}, "model: bodies is 3 and was 2"), ({"gravity": (0, 0, -1.62)}, "gravity: value is 1.62 and was 9.81")])
def test_a_model_built_otherwise_is_refused(tmp_path, change, words):
    half(tmp_path / "out")
    frames = len(scree.read(tmp_path / "out"))
    other = build(tmp_path / "out", **change)
    with pytest.raises(ValueError) as refused:
        other.run(0.04, output=0.01, quiet=True, resume=True)
    assert words in str(refused.value) and "resume='changed'" in str(refused.value)
    assert other.steps == 0 and len(scree.read(tmp_path / "out")) == frames


def test_an_accepted_change_goes_on_with_the_new_settings(tmp_path):
    half(tmp_path / "out")
    other = build(tmp_path / "out", recovery=0.9, friction=0.1)
    other.run(0.04, output=0.01, quiet=True, resume="changed")
    assert other.contact_settings()["recovery"] == 0.9 and math.isclose(other.time, 0.04)


def test_settings_a_callback_changed_come_back(tmp_path):
    def run(out, last, resume=False):
        sim = build(out, friction=0.1, speed=1.0)

        def event(sim, last):
            if sim.steps == 10:
                sim.step, _ = 5e-4, sim.contact_settings(recovery=0.3)
                sim.solver("GAUSS_SEIDEL", tolerance=1e-10)
            return sim.steps != last[0]
        sim.callback(0.0, event, last)
        sim.run(0.04, output=0.01, quiet=True, resume=resume)
        return sim
    whole = run(tmp_path / "whole", [-1])
    assert run(tmp_path / "parts", [20]).steps == 20
    resumed = build(tmp_path / "parts", friction=0.1, speed=1.0)
    resumed._engine.read_checkpoint(str(tmp_path / "parts" / "checkpoint.h5"))
    assert resumed.step == 5e-4 and resumed.contact_settings()["recovery"] == 0.3
    resumed.advance(whole.steps - 20)
    assert resumed.hash() == whole.hash()


def test_a_second_run_of_a_script_is_compared_by_what_the_first_began_with(tmp_path):
    def both(out, last, friction=0.5, resume=False):
        sim = build(out, friction=friction)
        sim.callback(0.0, lambda sim, last: sim.steps < last[0], last)
        sim.run(0.01, output=0.01, quiet=True, resume=resume)
        sim.rigid(scree.sphere((0, 1, 0.3), 0.1), density=500)
        sim.run(0.03, output=0.01, quiet=True, resume=resume)
        return sim
    both(tmp_path / "out", [20])
    with pytest.raises(ValueError, match="friction is 0.4 and was 0.5"):
        both(tmp_path / "out", [100], friction=0.4, resume=True)
    assert both(tmp_path / "out", [100], resume=True).steps == 20  # stopped by its callback, as stored


def test_frames_follow_another_interval(tmp_path):
    sim = build(tmp_path / "out")
    sim.run(0.02, output=0.001, quiet=True)
    again = build(tmp_path / "out")
    again.run(0.05, output=0.01, quiet=True, resume=True)
    assert [round(t, 6) for t in scree.read(tmp_path / "out").times[-4:]] == [0.02, 0.03, 0.04, 0.05]


def test_an_edited_script_is_refused_and_told_what_to_do(script, command):
    path = script(BUILD)
    assert "final 20" in command("run", path, "--out", "out", "--quiet", "--", "stop").out
    other = command("run", path, "--out", "out", "--quiet", "--resume", "--", "go")
    assert other.status == 2 and "arguments are go and were stop" in other.err and other.err.count("File ") == 1 and "Traceback (most" not in other.err.split("ValueError")[-1]
    script(BUILD.replace("friction=0.5", "friction=0.3"))
    edited = command("run", path, "--out", "out", "--quiet", "--resume", "--", "stop")
    assert edited.status == 2 and "friction is 0.3 and was 0.5" in edited.err and "--with-changes" in edited.err and "--out" in edited.err
    assert "was edited since its run began" in edited.err
    accepted = command("run", path, "--out", "out", "--quiet", "--resume", "--with-changes", "--", "stop")
    assert accepted.status == 0, accepted.err
