"""Shapes through the modern interface: volumes, transforms, reprs."""
import math

import numpy as np
import pytest

import scree

CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)


def test_volumes_are_exact():
    assert scree.sphere(radius=2).volume == pytest.approx(32 / 3 * math.pi, rel=1e-14)
    assert scree.ellipsoid(radii=(1, 2, 3)).volume == pytest.approx(8 * math.pi, rel=1e-14)
    assert scree.box(size=(1, 2, 3)).volume == pytest.approx(6, rel=1e-14)
    assert scree.hull(CUBE).volume == pytest.approx(1, rel=1e-13)


def test_box_by_corners_and_by_centre_agree():
    a = scree.box(center=(1, 2, 3), size=(2, 4, 6))
    b = scree.box(low=(0, 0, 0), high=(2, 4, 6))
    assert np.array_equal(a.bounds, b.bounds)


def test_convex_takes_faces_and_surface_ids():
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    tet = scree.convex([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], faces, surface=[1, 2, 3, 4])
    assert tet.volume == pytest.approx(1 / 6, rel=1e-14)
    assert tet.pieces[0]["surface_ids"] == [1, 2, 3, 4]


def test_hex_mesh_has_cells_and_nodes():
    corners = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (0, 0, 1), (2, 0, 1), (2, 1, 1), (0, 1, 1)]
    block = scree.hex(corners, cells=(2, 3, 4), surface=range(6))
    assert len(block) == 24
    assert block.volume == pytest.approx(2, rel=1e-13)
    assert block.meshes[0]["nodes"].shape == (3 * 4 * 5, 3)


def test_mesh_of_one_tetrahedron():
    tet = scree.mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2, 3)], faces={(0, 2, 1): 7})
    assert tet.volume == pytest.approx(1 / 6, rel=1e-14)
    assert 7 in tet.pieces[0]["surface_ids"]


def test_pipe_volume_is_that_of_its_polygon():
    tube = scree.pipe((0, 0, 0), (0, 0.5, 0), 1.0, 0.05, cells=(1, 32, 1))
    polygon = 32 / 2 * math.sin(2 * math.pi / 32)
    assert tube.volume == pytest.approx(0.5 * polygon * (1.05**2 - 1), rel=1e-12)


def test_rough_hex_contains_the_shape():
    egg = scree.ellipsoid(radii=(1, 0.5, 0.25))
    cage = scree.rough_hex(egg, cells=(2, 2, 2))
    assert len(cage) == 8
    assert all(cage.contains(p) for p in [(1, 0, 0), (0, 0.5, 0), (0, 0, -0.25)])


def test_transforms_return_new_shapes():
    ball = scree.sphere((1, 0, 0), 0.5)
    moved = scree.rotate(scree.translate(ball, (1, 0, 0)), (0, 0, 1), math.pi / 2)
    assert np.allclose(moved.center, (0, 2, 0), atol=1e-15)
    assert np.allclose(ball.center, (1, 0, 0), atol=0)
    assert scree.scale(ball, 2).volume == pytest.approx(8 * ball.volume, rel=1e-14)
    assert scree.scale(ball, (2, 1, 1)).pieces[0]["kind"] == "ellipsoid"


def test_split_keeps_the_volume():
    below, above = scree.split(scree.box(size=(2, 2, 2)), (0, 0, 0.25), (0, 0, 1))
    assert below.volume == pytest.approx(5, rel=1e-13) and above.volume == pytest.approx(3, rel=1e-13)
    assert scree.split(scree.sphere(radius=1), (0, 0, 5), (0, 0, 1))[1] is None


def test_join_and_mass_centre():
    pair = scree.sphere((-1, 0, 0), 0.5) + scree.sphere((3, 0, 0), 0.5)
    assert len(pair) == 2 and np.allclose(scree.mass_center(pair), (1, 0, 0), atol=1e-15)
    assert np.allclose(pair.bounds, [(-1.5, -0.5, -0.5), (3.5, 0.5, 0.5)])


def test_mass_properties_of_a_box():
    p = scree.box(size=(1, 2, 3)).mass_properties(density=10)
    assert p["mass"] == pytest.approx(60, rel=1e-13)
    assert np.allclose(p["inertia"], np.diag([5 * 13.0, 5 * 10.0, 5 * 5.0]), rtol=1e-12)


def test_reprs_say_what_it_is():
    assert "sphere" in repr(scree.sphere()) and "2 spheres" in repr(scree.sphere() + scree.sphere())
    assert "polyhedron" in repr(scree.box())
