"""Quasi-static steps and contact over faces against closed forms (theory sec. 6.5, 6.7)."""
import math
import warnings

import pytest

import scree
from scree import bench_elastic


def test_elastica_to_ten_in_twenty_increments():
    # Mattiasson's values are those of an inextensible beam; 20 second-order elements of slenderness 50 are within 0.3 %.
    deflection, shortening = bench_elastic.elastica(10.0, increments=20)
    assert deflection == pytest.approx(0.81061, rel=3e-3)
    assert shortening == pytest.approx(0.55500, rel=5e-3)


def test_one_increment_does_as_well_as_many():
    # Balance is found in every step, so that the way there does not matter but for inertia, 1/(omega h)^2 of the last part of a step: omega = 2 rad/s, and
    # one increment is cut in some eight parts.
    once, often = (bench_elastic.elastica(1.0, increments=n, step=1e4) for n in (1, 7))
    assert once == pytest.approx(often, rel=1e-5)
    assert once[0] == pytest.approx(0.30172, rel=3e-3)


def test_buckling_load():
    # The estimate of a slender beam is 1.0019; 12 second-order elements of slenderness 40 with their shear are within 0.5 %.
    assert bench_elastic.euler_buckling() == pytest.approx(1.0019, abs=5e-3)


def test_cook_and_cylinder_converge():
    fine, coarse = bench_elastic.cook(8), bench_elastic.cook(4)
    assert fine == pytest.approx(23.96, rel=6e-3) and abs(fine - 23.96) < abs(coarse - 23.96)
    assert bench_elastic.cook(16, order=1, form="BC-IM") == pytest.approx(23.96, rel=0.015)
    # Edges are chords of the circles, (pi / 8 n)^2 of the radius beside them: second order in n, and nothing else is left.
    errors = [bench_elastic.thick_cylinder(n) - 1.0 for n in (1, 2)]
    assert abs(errors[1]) < (math.pi / 16) ** 2 and math.log2(errors[0] / errors[1]) > 1.7
    assert abs(4 * errors[1] - errors[0]) / 3 < 1e-3


@pytest.mark.parametrize("tetrahedra", [False, True])
@pytest.mark.parametrize("order", [1, 2])
def test_contact_passes_a_uniform_pressure(order, tetrahedra):
    for lower, upper in (((2, 2, 1), None), ((3, 3, 2), None), ((2, 2, 1), (2, 2, 1)), ((2, 2, 1), (3, 3, 1)), ((3, 3, 2), (2, 2, 1))):
        assert bench_elastic.contact_patch(order, lower, upper, tetrahedra) < 1e-6, (lower, upper)


def test_contact_has_a_point_a_corner_node_of_the_finer_side():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.5)
    soft = sim.bulk_material(young=1e7, poisson=0.2, density=1000.0)
    for k, cells in enumerate(((3, 3, 1), (2, 2, 1))):
        corners = [(x, y, z) for z in (0.2 * k, 0.2 * k + 0.2) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
        sim.finite_element(scree.hex(corners, cells=cells), material=soft, order=2)
    sim.obstacle(scree.box(center=(0.5, 0.5, -0.5), size=(4, 4, 1)))
    sim.advance(1)
    # four by four corner nodes on the floor, and the same between the two
    assert len(sim.contacts["gap"]) == 32


def _spin_on_a_slope(slope, cells, order, overhang=0.0):
    """Spin after 0.1 s of a cube at rest on a rough floor, gravity leaning by `slope`; it reaches beyond the floor's edge by `overhang`."""
    sim = scree.Simulation(step=1e-3, gravity=(9.81 * math.sin(math.atan(slope)), 0, -9.81 * math.cos(math.atan(slope))))
    sim.surface_material(friction=3.0)
    soft = sim.bulk_material(young=1e8, poisson=0.0, density=1000.0)
    corners = [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    cube = sim.finite_element(scree.hex(corners, cells=cells), material=soft, order=order, stiffness_damping=1e-3)
    sim.obstacle(scree.box(low=(-2, -2, -1), high=(1.0 - overhang, 2, 0)))
    sim.advance(100)
    return cube.angular_velocity[1]


@pytest.mark.parametrize("order", [1, 2])
def test_contact_of_coarse_faces_reaches_to_their_edges(order):
    # A cube tips where the slope exceeds 1, however coarse its mesh: its edge bears it, not a point a third of an element inside.
    for cells in ((1, 1, 1), (2, 2, 2)):
        assert abs(_spin_on_a_slope(0.95, cells, order)) < 0.02, cells
        assert _spin_on_a_slope(1.1, cells, order) > 0.05, cells
    # And it falls off where less than half of it is on the floor.
    assert _spin_on_a_slope(0.0, (1, 1, 1), order, overhang=0.55) > 0.05


def test_steps_at_rest_are_no_snap_through():
    from scree import shapes
    sim = scree.Simulation(step=0.1, gravity=None)
    sim.quasi_static = True
    sim.surface_material(friction=0.0)
    soft = sim.bulk_material(young=1e7, poisson=0.0, density=1000.0)
    block = sim.finite_element(bench_elastic._tetrahedra((1, 1, 0.5), (2, 2, 1)), material=soft, order=2)
    sim.obstacle(shapes.box(center=(0.5, 0.5, -0.5), size=(4, 4, 1)))
    for point, direction in (((0, 0, 0), (1, 0, 0)), ((0, 0, 0), (0, 1, 0)), ((1, 0, 0), (0, 1, 0))):
        sim.fix_direction(block, point, direction)
    block.apply_load(6, (0, 0, -1), 1e4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.advance(20)


def test_snap_through_is_reported():
    """A clamped shallow arch under a force that grows beyond what it bears jumps to the other side, and a warning says so."""
    length, rise, thick = 10.0, 0.8, 0.2
    sim = scree.Simulation(step=100.0, gravity=None)
    sim.quasi_static = True
    material = sim.bulk_material(young=1e9, poisson=0.0, density=1000.0)
    n = 12
    nodes = [(length * i / n, 0.5 * j, thick * k + rise * math.sin(math.pi * i / n)) for i in range(n + 1) for j in (0, 1) for k in (0, 1)]
    at = lambda i, j, k: 4 * i + 2 * j + k    # noqa: E731
    cells = [[at(i, 0, 0), at(i + 1, 0, 0), at(i + 1, 1, 0), at(i, 1, 0), at(i, 0, 1), at(i + 1, 0, 1), at(i + 1, 1, 1), at(i, 1, 1)] for i in range(n)]
    arch = sim.finite_element(scree.mesh(nodes, cells), material=material, order=2)
    for i in (0, n):
        for j in (0, 1):
            for k in (0, 1):
                sim.fix_point(arch, nodes[at(i, j, k)])
    top = (length / 2, 0.25, rise + thick / 2)
    arch.apply_force(top, (0, 0, -1), scree.TimeSeries([(0, 0), (1000, 2e5), (2000, 2e5)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.advance(2)                      # below the load it bears
    assert arch.point(top)[2] > 0.7 * rise
    with pytest.warns(UserWarning, match="snapped"):
        sim.advance(8)
    assert arch.point(top)[2] < -0.5 * rise
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.advance(2)
