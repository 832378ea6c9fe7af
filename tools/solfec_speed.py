#!/usr/bin/env python3
"""Milliseconds of CPU a step of scenes like those Solfec's users run (a cube cut into polyhedra, a pile of tubes, an arch), by solver, with Solfec's rule of one point an overlap.
No arguments."""
import math
import random
import tempfile
import time

from scree.solfec import *

CUBE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]


def box(size, at):
    return TRANSLATE(SCALE(HULL(CUBE, 1, 1), size), at)


def puzzle(solfec, bulk):
    """A cube cut by eight planes into 80 polyhedra that stand on the floor as they were cut."""
    BODY(solfec, "OBSTACLE", box((10, 10, 1), (-5, -5, -1)), bulk)
    numbers, pieces = random.Random(1), [HULL(CUBE, 1, 1)]
    for _ in range(8):
        point, normal = [numbers.uniform(0.2, 0.8) for _ in range(3)], [numbers.gauss(0, 1) for _ in range(3)]
        pieces = [part for piece in pieces for part in SPLIT(piece, tuple(point), tuple(normal)) if part is not None]
    for piece in pieces:
        BODY(solfec, "RIGID", piece, bulk)


def tubes(solfec, bulk):
    """Six layers of six tubes of 72 elements that settle in a trough."""
    BODY(solfec, "OBSTACLE", [box((8, 8, 1), (-4, -2, -1)), box((8, 1, 8), (-4, -1.4, 0)), box((8, 1, 8), (-4, 4.85, 0))], bulk)
    for k in range(6):
        for i in range(6):
            y, z = 0.808 * i + 0.404 * (k % 2), 0.4 + 0.692 * k
            BODY(solfec, "RIGID", ROTATE(PIPE((-2, y, z), (4, 0, 0), 0.3, 0.1, 6, 12, 1, 1, [1] * 4), (0, y, z), (1, 0, 0), 15), bulk)


def arch(solfec, bulk):
    """27 blocks of 3 x 2 elements between two abutments, just thick enough to stand."""
    for k in range(29):
        corners = [(r * math.cos(a), y, r * math.sin(a)) for y in (-2.5, 2.5)
                   for a, r in ((math.pi * (k - 1 + i) / 27, 10 + 0.5475 * j) for i, j in ((0, -1), (1, -1), (1, 1), (0, 1)))]
        BODY(solfec, "OBSTACLE" if k in (0, 28) else "RIGID", HEX([x for c in corners for x in c], 1, 3, 2, 1, [1] * 6, dy=[0.05, 1.9, 0.05]), bulk)


SOLVERS = {"NEWTON": lambda: NEWTON_SOLVER(1e-8), "GAUSS_SEIDEL": lambda: GAUSS_SEIDEL_SOLVER(1e-3, 1000, 1e-8), "AUTO": lambda: None}


def main():
    for scene, settled in ((puzzle, 0.01), (tubes, 0.1), (arch, 0.01)):
        for name, make in SOLVERS.items():
            with tempfile.TemporaryDirectory() as folder:
                solfec = SOLFEC("DYNAMIC", 1e-3, folder + "/out")
                solfec.verbose = "OFF"
                GRAVITY(solfec, (0, 0, -9.81)), SURFACE_MATERIAL(solfec, friction=0.5), OUTPUT(solfec, 1)
                scene(solfec, BULK_MATERIAL(solfec, density=1000))
                solfec.simulation.contact_settings(one_point_per_overlap=True)  # as Solfec
                solver = make()
                RUN(solfec, solver, settled)
                start = time.process_time()
                RUN(solfec, solver, 0.02)
                print(f"{scene.__name__} {name}: {50 * (time.process_time() - start):.1f} ms a step, {solfec.ncon} contacts", flush=True)


if __name__ == "__main__":
    main()
