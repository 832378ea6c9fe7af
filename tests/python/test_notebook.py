"""What notebooks and type checkers see."""
import ast
import inspect
import io
import pathlib

import numpy as np
import pytest

import scree
from scree import solfec as language

PACKAGE = pathlib.Path(scree.__file__).parent


def _opened(png):
    from PIL import Image
    return Image.open(io.BytesIO(png))


def arguments(node):
    """Names of a stub's arguments."""
    a = node.args
    return [x.arg for x in a.posonlyargs + a.args] + ([a.vararg.arg] if a.vararg else []) + [x.arg for x in a.kwonlyargs] + ([a.kwarg.arg] if a.kwarg else [])


@pytest.mark.parametrize("module, path", [(language, "solfec/__init__.pyi"), (scree, "__init__.pyi")])
def test_stubs_have_every_name_with_its_arguments(module, path):
    tree = ast.parse((PACKAGE / path).read_text())
    nodes = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name in module.__all__:
        assert name in nodes, f"run tools/make_stubs.py: {name}"
        made, node = getattr(module, name), nodes[name]
        if inspect.isclass(made):
            node = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
            made = made.__init__
            if node is None or made is object.__init__:
                continue
        assert arguments(node) == list(inspect.signature(made).parameters), f"run tools/make_stubs.py: {name}"


def test_tables_and_texts(tmp_path):
    sim = scree.Simulation(step=1e-3, out=tmp_path)
    sim.obstacle(scree.box(center=(0, 0, -0.5)), label="floor & <more>")
    body = sim.rigid(scree.sphere((0, 0, 0.1), 0.1), label="ball")
    sim.run(0.01, quiet=True)
    results = scree.read(tmp_path)
    for made in (sim, results, results[-1]):
        text = made._repr_html_()
        assert text.startswith("<table>") and "</table>" in text and "bodies" in text
    assert "<img src='data:image/png;base64,iVBOR" in results._repr_html_()
    picture = results.picture(size=(64, 48), quantity="body")
    assert picture.shape == (48, 64, 3) and picture._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"
    assert np.array_equal(np.asarray(_opened(picture._repr_png_())), picture)
    for made in (sim, sim.bodies, body, body.shape, results, results[-1], scree.TimeSeries([(0, 0), (1, 1)])):
        assert "object at 0x" not in repr(made)
    assert "1 obstacle, 1 rigid" in sim._repr_html_()


def test_histories_are_arrays(tmp_path):
    sim = scree.Simulation(step=1e-3, out=tmp_path, gravity=(0, 0, -10))
    balls = [sim.rigid(scree.sphere((3 * k, 0, 0), 0.5), label=f"ball {k}", angular_velocity=(0, 0, 2)) for k in range(3)]
    sim.run(0.1, output=0.01, quiet=True, compress=True)
    results = scree.read(tmp_path)
    z = results.histories("positions", ["ball 0", balls[2].id])[..., 2]
    assert z.shape == (11, 2) and z[:, 0] == pytest.approx(-5 * results.times**2, abs=1e-12) and (z[:, 0] == z[:, 1]).all()
    turn = results.histories("rotations", ["ball 1"], frames=[0, 10])
    assert turn.shape == (2, 1, 3, 3) and turn[1, 0, :2, :2] == pytest.approx(np.array([[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]]))
    energies = results.histories("energies", ["ball 1"])[:, 0]
    # kinetic energy is what it had and the work of gravity
    assert energies[:, 0] - energies[0, 0] == pytest.approx(energies[:, 2], abs=1e-9)
    times, path = results.history("ball 1")
    assert len(times) == 11 and path.shape == (11, 3)
    with pytest.raises(ValueError, match="did you mean 'ball 1'"):
        results.histories("positions", ["bal 1"])
    with pytest.raises(ValueError, match="quantity"):
        results.histories("places", ["ball 1"])
