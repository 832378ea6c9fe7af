"""Deformable bodies against closed forms: each function runs one case and returns what came out, for `scree bench truth` and tests.

Numbers are relative to the closed form (1: equal) unless said otherwise. All cases are quasi-static and take a second or less.
"""
import math

import numpy as np

from . import shapes, simulation
from .series import TimeSeries

_FACES = [1, 2, 3, 4, 5, 6]    # bottom, y = 0, x = end, y = end, x = 0, top of a block made by _block()


def _corners(size, origin=(0.0, 0.0, 0.0)):
    x, y, z = origin
    a, b, c = size
    return [(x, y, z), (x + a, y, z), (x + a, y + b, z), (x, y + b, z), (x, y, z + c), (x + a, y, z + c), (x + a, y + b, z + c), (x, y + b, z + c)]


def _block(size, cells, origin=(0.0, 0.0, 0.0)):
    return shapes.hex(_corners(size, origin), cells=cells, surface=_FACES)


def _tetrahedra(size, cells, origin=(0.0, 0.0, 0.0)):
    """The same block of tetrahedra, six a cell, with the bottom's surface id 1 and the top's 6."""
    nx, ny, nz = cells
    nodes = [tuple(origin[k] + size[k] * i / n for k, (i, n) in enumerate(zip((i, j, l), cells))) for l in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
    at = lambda i, j, l: i + (nx + 1) * (j + (ny + 1) * l)    # noqa: E731
    elements, faces = [], {}
    for l in range(nz):
        for j in range(ny):
            for i in range(nx):
                v = [at(i, j, l), at(i + 1, j, l), at(i + 1, j + 1, l), at(i, j + 1, l), at(i, j, l + 1), at(i + 1, j, l + 1), at(i + 1, j + 1, l + 1), at(i, j + 1, l + 1)]
                elements += [[v[k] for k in t] for t in ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))]
                if l == 0:
                    faces.update({(v[0], v[1], v[2]): 1, (v[0], v[2], v[3]): 1})
                if l == nz - 1:
                    faces.update({(v[7], v[4], v[6]): 6, (v[4], v[5], v[6]): 6})
    return shapes.mesh(nodes, elements, faces=faces)


def elastica(load, increments=20, cells=(20, 1, 1), order=2, form="TL", slenderness=50.0, step=1e3):
    """Cantilever under a dead force P at its tip, load = P L^2 / EI: (deflection / L, shortening / L) at the middle of the end.

    Of an inextensible beam: load 1: 0.30172, 0.05643; 2: 0.49346, 0.16064; 5: 0.71379, 0.38763; 10: 0.81061, 0.55500 (Mattiasson 1981)."""
    length, width = 10.0, 0.5
    thick, young = length / slenderness, 1e9
    sim = simulation.Simulation(step=step, gravity=None)
    sim.quasi_static = True
    material = sim.bulk_material(density=1000.0, young=young, poisson=0.0)
    beam = sim.finite_element(_block((length, width, thick), cells), material=material, order=order, form=form)
    sim.fix_surface(beam, 5)
    force = load * young * width * thick**3 / 12 / length**2
    end = increments * step
    beam.apply_load(3, (0, 0, -1), TimeSeries([(0, 0), (end, force / (width * thick)), (2 * end, force / (width * thick))]))
    sim.advance(increments)
    moved = beam.point((length, width / 2, thick / 2)) - np.array([length, width / 2, thick / 2])
    return -moved[2] / length, -moved[0] / length


def cook(n, order=2, form="TL"):
    """Cook's membrane in plane stress, n x n cells: vertical displacement in the middle of the loaded side; 23.96 for fine meshes (nu = 1/3, E = 1, P = 1)."""
    scale = 1e-6    # the load is small: the answer is that of linear elasticity
    sim = simulation.Simulation(step=1e4, gravity=None)
    sim.quasi_static = True
    material = sim.bulk_material(density=1e-6, young=1.0, poisson=1 / 3)
    corners = [(0, 0, 0), (48, 44, 0), (48, 60, 0), (0, 44, 0), (0, 0, 1), (48, 44, 1), (48, 60, 1), (0, 44, 1)]
    body = sim.finite_element(shapes.hex(corners, cells=(n, n, 1), surface=_FACES), material=material, order=order, form=form)
    sim.fix_surface(body, 5, (1, 0, 0))
    sim.fix_surface(body, 5, (0, 1, 0))
    sim.fix_surface(body, 1, (0, 0, 1))
    body.apply_load(3, (0, 1, 0), scale / 16)
    sim.advance(2)
    return (body.point((48, 52, 0))[1] - 52) / scale


def thick_cylinder(n, order=2):
    """Lame's cylinder a = 1, b = 2 under inner pressure in plane strain, n cells through the wall and 8 n around: radial displacement of the inner wall,
    relative to  p a (1 + nu)/E (a^2 (1 - 2 nu) + b^2)/(b^2 - a^2)."""
    a, b, young, nu, p = 1.0, 2.0, 1e6, 0.3, 1.0
    sim = simulation.Simulation(step=100.0, gravity=None)
    sim.quasi_static = True
    material = sim.bulk_material(density=1000.0, young=young, poisson=nu)
    body = sim.finite_element(shapes.pipe((0, 0, 0), (0, 0, 0.25), a, b - a, cells=(1, 8 * n, n), surface=[1, 2, 3, 4]), material=material, order=order)
    sim.fix_surface(body, 3, (0, 0, 1))
    sim.fix_surface(body, 4, (0, 0, 1))
    body.apply_pressure(1, p)
    sim.advance(3)
    inner = body.surface(1)[0]
    radius = np.linalg.norm(inner[:, :2], axis=1)
    corners = inner[radius > a * (1 - 1e-9)]    # nodes in the middle of edges lie on chords
    grown = np.mean([np.linalg.norm(body.point(X)[:2]) for X in corners]) - a
    return grown / (p * a * (1 + nu) / young * (a * a * (1 - 2 * nu) + b * b) / (b * b - a * a))


def euler_buckling(cells=(12, 1, 1), slenderness=40.0):
    """Load at which a clamped column buckles, relative to  pi^2 EI / 4 L^2: where 1/w vanishes, from the deflections w under a small force across at
    0.6 and 0.8 of it (1.0019 of a beam)."""
    length = 1.0
    thick, young = length / slenderness, 1e9
    critical = math.pi**2 * young * thick**4 / 12 / (4 * length**2)
    deflection = {}
    for share in (0.6, 0.8):
        sim = simulation.Simulation(step=100.0, gravity=None)
        sim.quasi_static = True
        material = sim.bulk_material(density=1000.0, young=young, poisson=0.0)
        column = sim.finite_element(_block((length, thick, thick), cells), material=material, order=2)
        sim.fix_surface(column, 5)
        column.apply_load(3, (-1, 0, 0), share * critical / thick**2)
        column.apply_load(3, (0, 0, 1), 1e-6 * critical / thick**2)
        sim.advance(3)
        deflection[share] = column.point((length, thick / 2, thick / 2))[2] - thick / 2
    low, high = deflection[0.6], deflection[0.8]
    return (0.8 * high - 0.6 * low) / (high - low)


def contact_patch(order=2, lower=(3, 3, 2), upper=None, tetrahedra=False, form="TL"):
    """Two blocks (one, on a rigid floor, when `upper` is none) under a uniform pressure: the worst error of stress and displacement, relative to the
    pressure and to what the closed form sinks. Meshes need not match."""
    young, p = 1e7, 1e4
    sim = simulation.Simulation(step=0.1, gravity=None)
    sim.quasi_static = True
    sim.surface_material(friction=0.0)
    sim.solver("AUTO", tolerance=1e-10)
    material = sim.bulk_material(density=1000.0, young=young, poisson=0.0)
    make = _tetrahedra if tetrahedra else _block
    body = sim.finite_element(make((1, 1, 0.5), lower), material=material, order=order, form=form)
    bodies, height = [(body, 0.0)], 0.5
    if upper:
        sim.fix_surface(body, 1, (0, 0, 1))
        body = sim.finite_element(make((1, 1, 0.5), upper, (0, 0, 0.5)), material=material, order=order, form=form)
        bodies, height = bodies + [(body, 0.5)], 1.0
    else:
        sim.obstacle(shapes.box(center=(0.5, 0.5, -0.5), size=(4, 4, 1)))
    for one, z in bodies:
        sim.fix_direction(one, (0, 0, z), (1, 0, 0))
        sim.fix_direction(one, (0, 0, z), (0, 1, 0))
        sim.fix_direction(one, (1, 0, z), (0, 1, 0))
    body.apply_load(6, (0, 0, -1), p)
    sim.advance(4)
    points = [(x, y, z) for x in (0.13, 0.5, 0.87) for y in (0.13, 0.5, 0.87) for z in (0.05, 0.45)]
    stretch = _stretch(p / young) if form == "TL" else 1.0 - p / young
    stress = max(abs(one.stress((x, y, z + z0))[2] / (-p) - 1.0) for one, z0 in bodies for x, y, z in points)
    sunk = max(abs((one.point((x, y, z + z0))[2] - stretch * (z + z0)) / (height * (1.0 - stretch))) for one, z0 in bodies for x, y, z in points)
    return max(stress, sunk)


def _stretch(ratio):
    """Stretch l of a bar of Saint Venant and Kirchhoff's law, nu = 0, under the dead pressure ratio * E:  l (l^2 - 1)/2 = -ratio."""
    stretch = 1.0
    for _ in range(50):
        stretch -= (stretch * (stretch**2 - 1) / 2 + ratio) / (1.5 * stretch**2 - 0.5)
    return stretch
