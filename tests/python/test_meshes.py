"""Meshes from files of other programs."""
import numpy as np
import pytest

import scree

TETRAHEDRON = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
2
1 2 2 7 1 1 3 2
2 4 2 5 1 1 2 3 4
$EndElements
"""


def test_gmsh_file_becomes_a_shape_with_ids(tmp_path):
    path = tmp_path / "one.msh"
    path.write_text(TETRAHEDRON)
    shape = scree.read_mesh(path)
    assert shape.volume == pytest.approx(1 / 6, rel=1e-14)
    mesh = shape.meshes[0]
    assert list(mesh["volume_ids"]) == [5]
    assert list(mesh["surface_ids"]) == [7]
    assert np.array_equal(mesh["nodes"][3], [0, 0, 1])


def test_read_meshes_are_bodies_like_others(tmp_path):
    path = tmp_path / "one.msh"
    path.write_text(TETRAHEDRON)
    sim = scree.Simulation(step=1e-3, gravity=(0, 0, -10))
    body = sim.rigid(scree.read_mesh(path), density=600)
    assert body.mass == pytest.approx(100)


@pytest.mark.parametrize("name, text, words", [
    ("a.msh", TETRAHEDRON.replace("3 0 1 0", "3 0 one 0"), ["a.msh:8", "'one'", "coordinate"]),
    ("a.msh", TETRAHEDRON[:60], ["truncated"]),
    ("a.obj", "", [".obj", "Gmsh"]),
    ("a.inp", "*PART\n*PART\n", ["a.inp:3", "one part"]),
])
def test_bad_files_are_refused_with_line_and_remedy(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(OSError) as error:
        scree.read_mesh(path)
    for word in words:
        assert word in str(error.value)


def test_missing_file(tmp_path):
    with pytest.raises(OSError, match="no such file"):
        scree.read_mesh(tmp_path / "none.msh")
