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
    # Balance is found in every step, so that the way there does not matter.
    once, often = bench_elastic.elastica(1.0, increments=1), bench_elastic.elastica(1.0, increments=7)
    assert once == pytest.approx(often, rel=1e-5)
    assert once[0] == pytest.approx(0.30172, rel=3e-3)


def test_buckling_load():
    # The estimate of a slender beam is 1.0019; 12 second-order elements of slenderness 40 with their shear are within 0.5 %.
    assert bench_elastic.euler_buckling() == pytest.approx(1.0019, abs=5e-3)


def test_cook_and_cylinder_converge():
    fine, coarse = bench_elastic.cook(8), bench_elastic.cook(4)
    assert fine == pytest.approx(23.96, rel=6e-3) and abs(fine - 23.96) < abs(coarse - 23.96)
    assert bench_elastic.cook(16, order=1, form="BC-IM") == pytest.approx(23.96, rel=0.015)
    # Edges are chords of the circles: second order in the number of cells around.
    errors = [abs(bench_elastic.thick_cylinder(n) - 1.0) for n in (1, 2)]
    assert errors[1] < 5e-3 and math.log2(errors[0] / errors[1]) > 1.7


@pytest.mark.parametrize("tetrahedra", [False, True])
@pytest.mark.parametrize("order", [1, 2])
def test_contact_passes_a_uniform_pressure(order, tetrahedra):
    for lower, upper in (((2, 2, 1), None), ((2, 2, 1), (2, 2, 1)), ((2, 2, 1), (3, 3, 1))):
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
