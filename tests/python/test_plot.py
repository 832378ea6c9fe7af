"""Figures: what is drawn is what the results say, on labelled axes."""
import numpy as np
import pytest

import scree
from scree import cli, measure, plot

matplotlib = pytest.importorskip("matplotlib")

SCENE = """
import scree
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.5)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)), label="ground")
for k in range(3):
    sim.rigid(scree.sphere((0.21 * k, 0, 0.1), 0.1), density=1000, label=f"ball {k}", velocity=(1, 0, 0))
sim.rigid(scree.box(center=(-1, 0, 0.25), size=(0.5, 0.5, 0.5)), density=1000, label="block", velocity=(1, 0, 0))
sim.rigid(scree.ellipsoid((1.5, 0, 0.3), (0.3, 0.1, 0.2)), density=1000)
sim.run(0.1, output=0.01)
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plot")
    sim = scree.Simulation(step=1e-3, out=str(folder))
    exec(SCENE.split("sim = scree.Simulation(step=1e-3)")[1], {"scree": scree, "sim": sim})
    return scree.read(folder)


def test_histories_show_the_numbers(results):
    figure = plot.histories(results, ["block.vx", "contacts", "residual"])
    top, middle, bottom = figure.axes
    times, speeds = results.history("block", "velocities")
    assert np.array_equal(top.lines[0].get_xydata(), np.stack([times, speeds[:, 0]], 1)) and top.get_ylabel() == "velocity, m/s"
    assert np.array_equal(middle.lines[0].get_ydata(), results.steps["contacts"])
    assert bottom.get_xlabel() == "time, s" and bottom.get_yscale() == "log"


def test_the_ledger_adds_up(results):
    figure = plot.energy_ledger(results)
    drift = figure.axes[2].lines[0].get_ydata()
    # The step keeps its ledger to rounding and the solver's tolerance (1e-8 of the impulses).
    assert np.abs(drift).max() < 1e-5 * results.energies["kinetic"].max()
    assert [a.get_ylabel() for a in figure.axes] == ["energy, J", "work since the start, J", "drift, J"]


def test_forces(results):
    forces = measure.force_distribution(results, [len(results) - 1])
    normal, friction = forces.normal, forces.friction
    frame = results[len(results) - 1]
    # What rests on the ground carries its weight.
    weight = sum(b["mass"] for b in results.bodies if b["kind"] == "rigid" and b["label"]) * 9.81
    assert normal.sum() == pytest.approx(weight, rel=1e-3)
    assert np.all(friction <= 0.5 * normal * (1 + 1e-6)) and len(normal) <= len(frame.contacts["gap"])
    figure = plot.force_distribution(results)
    assert "mean" in figure.axes[0].get_title() and figure.axes[0].get_xlabel() == "normal force / mean"


def test_force_chains_lie_where_contacts_are(results):
    figure = plot.force_chains(results, along="y")
    lines = figure.axes[0].collections[2].get_segments()
    points = results[len(results) - 1].contacts["point"][:, [0, 2]]
    assert lines and all(np.abs(points - end[1]).sum(axis=1).min() < 1e-12 for end in lines)
    assert "N" in figure.axes[1].get_ylabel() and figure.axes[0].get_xlabel() == "x, m"
    # Outlines of moving bodies: circles have the radius they should.
    outlines = [p.vertices for p in figure.axes[0].collections[1].get_paths()]
    assert len(outlines) == 5
    x = results[len(results) - 1].positions[1][[0, 2]]
    assert np.allclose(np.linalg.norm(outlines[0] - x, axis=1), 0.1, atol=1e-6)
    with pytest.raises(ValueError, match="along"):
        plot.force_chains(results, along="w")


def test_sections_leave_others_out(results):
    all_lines = len(plot.force_chains(results).axes[0].collections[2].get_segments())
    assert len(plot.force_chains(results, along="x", at=-0.9, thickness=0.2).axes[0].collections[2].get_segments()) < all_lines


def test_solver_and_timings(results):
    figure = plot.convergence(results)
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), results.steps["iterations"]) and "0 not converged" in figure.axes[0].get_title()
    figure = plot.timings(results)
    assert figure.axes[0].get_ylabel() == "wall time, ms a step" and sum(bar.get_width() for bar in figure.axes[1].patches) == pytest.approx(100)
    figure = plot.solver_histories({"one": [1e-1, 1e-3], "two": [1e-2]})
    assert [line.get_label() for line in figure.axes[0].lines] == ["one", "two"]


def test_files_and_refusals(results, tmp_path, capsys):
    """The command, in this process: Matplotlib's import takes longer than a figure."""
    for name in plot.FIGURES:
        out = tmp_path / f"{name}.pdf"
        assert cli.main(["plot", results.path, name, "--out", str(out)]) == 0 and out.read_bytes()[:4] == b"%PDF", capsys.readouterr().err
    assert cli.main(["plot", results.path, "ledger", "contacts"]) == 2 and "alone" in capsys.readouterr().err
    assert cli.main(["plot", results.path, "chians"]) == 2 and "chains" in capsys.readouterr().err


def test_packing_and_flow(results):
    figure = plot.packing(results, along="y", cells=6)
    bars, rose, left, right = figure.axes[:4]
    z = measure.coordination(results)
    assert [p.get_height() for p in bars.patches] == pytest.approx(z.distribution) and f"mean {z.mean:.3g}" in bars.get_title()
    assert left.get_xlabel() == "x, m" and right.get_ylabel() == "z, m"
    figure = plot.flow(results, point=(0.25, 0, 0), normal=(1, 0, 0))
    passed = measure.flow_rate(results, (0.25, 0, 0), (1, 0, 0))
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), passed.mass) and passed.bodies[-1] >= 1
    times, lines, label = plot.curve(results, "coordination")
    assert len(times) == len(results) and lines["all bodies"][-1] == z.mean and label == "coordination number"
    for name in ("pressure", "stress", "porosity"):
        times, lines, label = plot.curve(results, name)
        assert all(len(values) == len(times) for values in lines.values())


def test_supports_are_no_chains(tmp_path):
    """A base held by fixed points under a pile: its supports carry far more than any contact, and are neither drawn nor in the scale."""
    sim = scree.Simulation(step=1e-3, out=tmp_path)
    sim.surface_material(friction=0.5)
    base = sim.rigid(scree.box(center=(0, 0, -0.5), size=(2, 2, 1)), density=20000)
    for point in ((-1, -1, -1), (1, -1, -1), (0, 1, -1)):
        sim.fix_point(base, point)
    for k in range(3):
        sim.rigid(scree.sphere((0.21 * k, 0, 0.1), 0.1), density=1000)
    sim.run(0.02, quiet=True)
    contacts = scree.read(tmp_path)[-1].contacts
    force = np.linalg.norm(contacts["force"], axis=1)
    assert force[contacts["kind"] != 0].min() > 100 * force[contacts["kind"] == 0].max()
    lines = next(c for c in plot.force_chains(tmp_path).axes[0].collections if c.get_array() is not None)
    assert lines.get_clim()[1] <= force[contacts["kind"] == 0].max() and len(lines.get_segments()) == 3
