"""Meshes from files of other programs."""
import shutil
import sys

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
    ("a.foreign", "", [".foreign", "Gmsh"]),
    ("a.inp", "*PART\n*PART\n", ["a.inp:3", "one part"]),
])
def test_bad_files_are_refused_with_line_and_remedy(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(OSError) as error:
        scree.read_mesh(path)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("name", ["none.msh", "none.obj"])
def test_missing_file(tmp_path, name):
    with pytest.raises(OSError, match="no such file"):
        scree.read_mesh(tmp_path / name)


# --- through meshio -----------------------------------------------------------------------------------------------

def foreign():
    """meshio, or a skipped test."""
    return pytest.importorskip("meshio")


def random_block(seed):
    """A block of hexahedra with two volume ids, its corners moved at random."""
    random = np.random.default_rng(seed)
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]) + 0.15 * random.random((8, 3))
    made = scree.hex(corners, cells=tuple(random.integers(1, 4, 3))).meshes[0]
    elements = [list(element) for element in made["elements"]]
    volumes = [1 + int(v) for v in random.integers(0, 2, len(elements))]
    return np.asarray(made["nodes"]), elements, volumes


@pytest.mark.parametrize("ending, ids", [(".mesh", "medit:ref"), (".med", "cell_tags"), (".vtk", "volume"), (".xdmf", "volume"), (".vtu", "volume")])
@pytest.mark.parametrize("seed", range(3))
def test_volumes_of_other_programs_come_back_as_they_were(tmp_path, ending, ids, seed):
    meshio = foreign()
    nodes, elements, volumes = random_block(seed)
    path = tmp_path / f"block{ending}"
    meshio.write(path, meshio.Mesh(nodes, [("hexahedron", np.array(elements))], cell_data={ids: [np.array(volumes)]}))
    expected, shape = scree.mesh(nodes, elements, volume=volumes), scree.read_mesh(path)
    assert shape.volume == pytest.approx(expected.volume, rel=1e-12)
    assert shape.center == pytest.approx(expected.center, rel=1e-12)
    assert list(shape.meshes[0]["volume_ids"]) == volumes


def test_faces_with_a_number_keep_it_and_nodes_of_no_element_are_left_out(tmp_path):
    meshio = foreign()
    nodes = np.array([(9, 9, 9), (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
    cells = [("tetra", np.array([[1, 2, 3, 4]])), ("triangle", np.array([[1, 3, 2], [1, 2, 4]]))]
    meshio.write(tmp_path / "one.mesh", meshio.Mesh(nodes, cells, cell_data={"medit:ref": [np.array([5]), np.array([7, 0])]}))
    mesh = scree.read_mesh(tmp_path / "one.mesh").meshes[0]
    assert len(mesh["nodes"]) == 4 and list(mesh["volume_ids"]) == [5] and list(mesh["surface_ids"]) == [7]


OBJ_CUBE = """# a cube, bottom and top apart from the sides
v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2
g ends
f 1 4 3 2\nf 5 6 7 8
g sides
f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""


def test_surfaces_become_bodies(tmp_path):
    foreign()
    if not shutil.which("tetgen") and not shutil.which("gmsh"):
        pytest.skip("no mesher is installed")
    (tmp_path / "cube.obj").write_text(OBJ_CUBE)
    shape = scree.read_mesh(tmp_path / "cube.obj")
    assert shape.volume == pytest.approx(8, rel=1e-12) and shape.center == pytest.approx([1, 1, 1])
    assert set(shape.meshes[0]["surface_ids"]) | {shape.meshes[0]["surface_id"]} == {0, 1}
    sim = scree.Simulation(step=1e-3)
    assert sim.rigid(shape, density=100).mass == pytest.approx(800)


@pytest.mark.parametrize("name, text, words", [
    ("open.obj", OBJ_CUBE.replace("f 4 1 5 8", ""), ["open.obj", "not closed"]),
    ("empty.obj", "# nothing\n", ["empty.obj"]),
    ("bad.ply", "ply\nformat nonsense\n", ["bad.ply", "meshio"]),
])
def test_bad_surfaces_are_refused_by_their_own_name(tmp_path, name, text, words):
    foreign()
    (tmp_path / name).write_text(text)
    with pytest.raises(OSError) as error:
        scree.read_mesh(tmp_path / name)
    for word in words:
        assert word in str(error.value)
    assert "/surface.stl" not in str(error.value)


def test_without_meshio_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    (tmp_path / "cube.obj").write_text(OBJ_CUBE)
    monkeypatch.setitem(sys.modules, "meshio", None)
    with pytest.raises(OSError, match="apt-get install python3-meshio"):
        scree.read_mesh(tmp_path / "cube.obj")
