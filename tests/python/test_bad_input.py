"""Bad input: each kind raises the right exception, names the culprit, and changes nothing."""
import math
import os

import numpy as np
import pytest

import scree

CUBE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
FACES = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
TET = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


class World:
    """A small simulation that bad input is thrown at."""

    def __init__(self, folder):
        self.folder = folder
        self.sim = scree.Simulation(step=1e-3)
        self.material = self.sim.surface_material(friction=0.5, label="rubber")
        self.bulk = self.sim.bulk_material(density=2000)
        self.floor = self.sim.obstacle(scree.box(center=(0, 0, -0.5)), label="floor")
        self.body = self.sim.rigid(scree.box(center=(0, 0, 0.5)), density=1000, label="block")
        self.fixed = self.sim.fix_point(self.body, (0, 0, 0.5))
        self.sim.advance(2)

    def state(self):
        """Everything a refused call might have touched."""
        sim = self.sim
        return (sim.hash(), len(sim.bodies), len(sim.constraints), sim.step, tuple(sim.gravity), repr(sim.extents), sim.steps,
                self.material.friction, self.bulk.density, self.body.mass, self.body.scheme, self.body.damping, repr(sim.contact_settings()),
                sim._engine.solver_name(), sim._engine.surface_material_count(), sim._engine.bulk_material_count(), len(sim._callbacks),
                sorted(os.listdir(self.folder)))

    def file(self, text, name="data.txt"):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write(text)
        return path


def flipped():
    """A cube with one face inside out."""
    return [tuple(reversed(FACES[0])), *FACES[1:]]


def dented():
    """Vertex 6 pushed into the cube: not convex, with triangles around it."""
    vertices = CUBE[:6] + [(0.4, 0.4, 0.4)] + CUBE[7:]
    faces = [(0, 3, 2, 1), (0, 1, 5, 4), (3, 0, 4, 7), (4, 5, 6), (4, 6, 7), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6)]
    return vertices, faces


# name: (call, exception, words of the message)
TABLE = {
    # shapes
    "sphere with a negative radius": (lambda w: scree.sphere(radius=-1), ValueError, "radius.*-1"),
    "sphere with NaN": (lambda w: scree.sphere((0, math.nan, 0), 1), ValueError, "center"),
    "ellipsoid with a zero radius": (lambda w: scree.ellipsoid(radii=(1, 0, 1)), ValueError, "(?i)ellip.*radi"),
    "ellipsoid with skewed axes": (lambda w: scree.ellipsoid(axes=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), ValueError, "axes"),
    "box without extent": (lambda w: scree.box(size=(1, 1, 0)), ValueError, "size"),
    "box with one corner": (lambda w: scree.box(low=(0, 0, 0)), ValueError, "high"),
    "hull of points in a plane": (lambda w: scree.hull(CUBE[:4]), ValueError, "(?i)plane|flat|coplanar"),
    "hull of three points": (lambda w: scree.hull(CUBE[:3]), ValueError, "(?i)four|4"),
    "hull with NaN": (lambda w: scree.hull(CUBE + [(math.nan, 0, 0)]), ValueError, r"points\[8\]"),
    "points of the wrong length": (lambda w: scree.hull([1, 2, 3, 4]), ValueError, "points"),
    "convex with a face inside out": (lambda w: scree.convex(CUBE, flipped()), ValueError, "(?i)face|edge"),
    "convex that is not convex": (lambda w: scree.convex(*dented()), ValueError, "(?i)convex"),
    "convex with a vertex out of range": (lambda w: scree.convex(CUBE, FACES[:-1] + [(3, 0, 4, 9)]), ValueError, "9"),
    "convex with a duplicated vertex": (lambda w: scree.convex(CUBE + [CUBE[0]], FACES), ValueError, "(?i)vert.*8|unused|duplicat"),
    "convex that is open": (lambda w: scree.convex(CUBE, FACES[:-1]), ValueError, "(?i)open|edge"),
    "mesh with an inverted element": (lambda w: scree.mesh(TET, [(0, 2, 1, 3)]), ValueError, "(?i)element 0.*volume|volume.*element 0"),
    "mesh with a node out of range": (lambda w: scree.mesh(TET, [(0, 1, 2, 4)]), ValueError, "4"),
    "mesh with an element of seven nodes": (lambda w: scree.mesh(CUBE, [tuple(range(7))]), ValueError, "7"),
    "mesh with a face inside": (lambda w: scree.mesh(TET, [(0, 1, 2, 3)], faces={(0, 1): 3}), ValueError, "(?i)face"),
    "hex with zero cells": (lambda w: scree.hex(CUBE, cells=(0, 1, 1)), ValueError, "cells"),
    "pipe of two sides": (lambda w: scree.pipe((0, 0, 0), (0, 0, 1), 1, 0.1, cells=(1, 2, 1)), ValueError, "(?i)nrad|around|3"),
    "scale by nothing": (lambda w: scree.scale(scree.sphere(), (1, 0, 1)), ValueError, "not zero"),
    "rotation about a zero axis": (lambda w: scree.rotate(scree.sphere(), (0, 0, 0), 1), ValueError, "axis"),
    "shape that is none": (lambda w: w.sim.rigid("a box"), ValueError, "a box"),
    # bodies
    "negative density": (lambda w: w.sim.rigid(scree.sphere(), density=-5, label="ball"), ValueError, "ball.*density.*-5"),
    "density that is no number": (lambda w: w.sim.rigid(scree.sphere(), density="heavy"), ValueError, "heavy"),
    "unknown scheme": (lambda w: w.sim.rigid(scree.sphere(), scheme="RIG_POSS"), ValueError, "RIG_POS'"),
    "misspelt keyword": (lambda w: w.sim.rigid(scree.sphere(), desnity=5), (TypeError, ValueError), "density"),
    "velocity of two components": (lambda w: w.sim.rigid(scree.sphere(), velocity=(1, 2)), ValueError, "velocity"),
    "negative damping": (lambda w: setattr(w.body, "damping", -1), ValueError, "damping"),
    "negative mass": (lambda w: w.body.set_characteristics(mass=-1), ValueError, "mass"),
    "inertia that is not definite": (lambda w: w.body.set_characteristics(inertia=np.diag([1, 1, -1])), ValueError, "(?i)inertia|tensor"),
    "rotation that is none": (lambda w: setattr(w.body, "rotation", 2 * np.eye(3)), ValueError, "rotation"),
    "motion of a body that is no obstacle": (lambda w: w.body.move(velocity=(1, 0, 0)), ValueError, "obstacle"),
    "body of another simulation": (lambda w: w.sim.fix_point(scree.Simulation().rigid(scree.sphere()), (0, 0, 0)), ValueError, "this simulation"),
    "body that was deleted": (lambda w: w.sim.rigid(scree.sphere((9, 9, 9))).delete() or scree.Body(w.sim, 99).position, ValueError, "99"),
    # loads and constraints
    "force on an obstacle": (lambda w: w.floor.apply_force((0, 0, 0), (1, 0, 0), 1), ValueError, "obstacle"),
    "force along a zero direction": (lambda w: w.body.apply_force((0, 0, 0), (0, 0, 0), 1), ValueError, "direction"),
    "force of NaN": (lambda w: w.body.apply_force((0, 0, 0), (1, 0, 0), math.nan), ValueError, "value"),
    "constraint on an obstacle": (lambda w: w.sim.fix_point(w.floor, (0, 0, 0)), ValueError, "obstacle"),
    "link of a body to itself": (lambda w: w.sim.rigid_link(w.body, w.body, (0, 0, 0), (1, 0, 0)), ValueError, "(?i)same|itself"),
    "time series that runs backwards": (lambda w: scree.TimeSeries([(0, 1), (1, 2), (0.5, 3)]), ValueError, "0.5|increas"),
    "time series of odd length": (lambda w: scree.TimeSeries([0, 1, 2]), ValueError, "pairs"),
    "time series file that is missing": (lambda w: scree.TimeSeries("no/such/file.txt"), OSError, "no/such/file.txt"),
    "time series file with words": (lambda w: scree.TimeSeries(w.file("0 1\n1 two\n")), OSError, "data.txt.*2|line 2"),
    "gravity of two numbers": (lambda w: setattr(w.sim, "gravity", (0, 1)), ValueError, "gravity"),
    # materials and settings
    "negative friction": (lambda w: w.sim.surface_material(friction=-0.1, label="ice"), ValueError, "ice.*friction|friction.*ice"),
    "restitution above one": (lambda w: setattr(w.material, "restitution", 1.5), ValueError, "restitution.*1.5"),
    "unknown surface model": (lambda w: w.sim.surface_material(model="SPRING_DASHPOTT"), ValueError, "SPRING_DASHPOT'"),
    "bulk density of zero": (lambda w: setattr(w.bulk, "density", 0), ValueError, "density"),
    "zero time step": (lambda w: scree.Simulation(step=0), ValueError, "step"),
    "time step that is a word": (lambda w: setattr(w.sim, "step", "small"), ValueError, "small"),
    "unknown solver": (lambda w: w.sim.solver("GAUSS_SIEDEL"), ValueError, "GAUSS_SEIDEL"),
    "unknown solver option": (lambda w: w.sim.solver("GAUSS_SEIDEL", relaxtion=1.0), ValueError, "relaxtion"),
    "tolerance of zero": (lambda w: w.sim.solver(tolerance=0), ValueError, "tolerance"),
    "unknown yardstick": (lambda w: w.sim.solver(yardstick="residuum"), ValueError, "residual"),
    "unknown failure policy": (lambda w: w.sim.solver(failure="rise"), ValueError, "raise"),
    "failure callback without a function": (lambda w: w.sim.solver(failure="callback"), ValueError, "on_failure"),
    "extents inside out": (lambda w: setattr(w.sim, "extents", ((1, 1, 1), (0, 0, 0))), ValueError, "extents"),
    "unknown contact setting": (lambda w: w.sim.contact_settings(margn=1), (TypeError, ValueError), "margin"),
    "recovery above one": (lambda w: w.sim.contact_settings(recovery=2.0), ValueError, "recovery"),
    "threads of zero": (lambda w: scree.Simulation(threads=0), ValueError, "threads"),
    # running and files
    "negative duration": (lambda w: w.sim.run(-1), ValueError, "duration"),
    "callback that cannot be called": (lambda w: w.sim.callback(0.1, 5), ValueError, "function"),
    "negative number of steps": (lambda w: w.sim.advance(-1), ValueError, "steps"),
    "results that do not exist": (lambda w: scree.read(os.path.join(w.folder, "nothing")), OSError, "nothing"),
    "results that are none": (lambda w: scree.read(w.file("not HDF5", "results.h5")), OSError, "results.h5"),
    "problem that does not exist": (lambda w: scree.Problem("nowhere.hdf5"), OSError, "nowhere.hdf5"),
    "problem of the wrong size": (lambda w: scree.Problem.from_arrays(np.eye(3), np.zeros(6), [0.3]), ValueError, "W|B"),
    "problem with negative friction": (lambda w: scree.Problem.from_arrays(np.eye(3), np.zeros(3), [-0.3]), ValueError, "mu"),
}


@pytest.mark.parametrize("kind", TABLE)
def test_bad_input(kind, tmp_path):
    call, exception, words = TABLE[kind]
    world = World(str(tmp_path))
    if "file with words" in kind:
        world.file("0 1\n1 two\n")
    if kind == "results that are none":
        world.file("not HDF5", "results.h5")
    before = world.state()
    with pytest.raises(exception, match=words):
        call(world)
    assert world.state() == before
    # And it still runs.
    world.sim.advance(1)


def test_the_table_is_long_enough():
    assert len(TABLE) >= 30
