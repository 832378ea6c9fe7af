#!/usr/bin/env python3
"""Milliseconds of CPU a step of scenes like those Solfec's users run (polyhedra that interlock, a pile of tubes, an arch), by solver. No arguments."""
import math
import tempfile
import time

from scree.solfec import *

CUBE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]


def box(size, at):
    return TRANSLATE(SCALE(HULL(CUBE, 1, 1), size), at)


def puzzle(solfec, bulk):
    """Four layers of 25 pieces of two boxes each."""
    BODY(solfec, "OBSTACLE", box((20, 20, 1), (-10, -10, -1)), bulk)
    for i, j, k in ((i, j, k) for k in range(4) for i in range(5) for j in range(5)):
        BODY(solfec, "RIGID", [box((0.9, 0.45, 0.5), (i - 2.5, j - 2.5, 0.5 * k)), box((0.45, 0.45, 0.5), (i - 2.5, j - 2.05, 0.5 * k))], bulk)


def tubes(solfec, bulk):
    """Five layers of tubes of 16 elements in a trough."""
    BODY(solfec, "OBSTACLE", [box((8, 8, 1), (-4, -4, -1)), box((8, 1, 8), (-4, -3, 0)), box((8, 1, 8), (-4, 1.65, 0))], bulk)
    for k in range(5):
        for i in range(4):
            BODY(solfec, "RIGID", PIPE((-2, -1.6 + 0.81 * i + 0.4 * (k % 2), 0.4 + 0.7 * k), (4, 0, 0), 0.3, 0.1, 2, 8, 1, 1, [1] * 4), bulk)


def arch(solfec, bulk):
    """27 blocks between two abutments."""
    for k in range(29):
        points = [x for y in (-2.5, 2.5) for a in (math.pi * (k - 1) / 27, math.pi * k / 27) for r in (9.4, 10.6) for x in (r * math.cos(a), y, r * math.sin(a))]
        BODY(solfec, "OBSTACLE" if k in (0, 28) else "RIGID", HULL(points, 1, 1), bulk)


SOLVERS = {"NEWTON": lambda: NEWTON_SOLVER(1e-8), "GAUSS_SEIDEL": lambda: GAUSS_SEIDEL_SOLVER(1e-3, 1000, 1e-8), "AUTO": lambda: None}


def main():
    for scene in (puzzle, tubes, arch):
        for name, make in SOLVERS.items():
            with tempfile.TemporaryDirectory() as folder:
                solfec = SOLFEC("DYNAMIC", 1e-3, folder + "/out")
                solfec.verbose = "OFF"
                GRAVITY(solfec, (0, 0, -9.81)), SURFACE_MATERIAL(solfec, friction=0.5), OUTPUT(solfec, 1)
                scene(solfec, BULK_MATERIAL(solfec, density=1000))
                solver = make()
                RUN(solfec, solver, 0.1)
                start = time.process_time()
                RUN(solfec, solver, 0.04)
                print(f"{scene.__name__} {name}: {25 * (time.process_time() - start):.1f} ms a step, {solfec.ncon} contacts", flush=True)


if __name__ == "__main__":
    main()
