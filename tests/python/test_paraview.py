"""ParaView's own readers open what runs and exports write: pvpython reads the XDMF files, VTK the VTU files. Skipped where neither is installed
(Debian: python3-paraview, python3-vtk9)."""
import json
import shutil
import subprocess

import numpy as np
import pytest

import scree

READER = """
import json, sys
from paraview import servermanager, simple
reader = simple.XDMFReader(FileNames=[sys.argv[1]])
reader.UpdatePipeline()
times = list(reader.TimestepValues)
frames = []
for time in times:
    reader.UpdatePipeline(time)
    data = servermanager.Fetch(reader)
    blocks = {}
    for k in range(data.GetNumberOfBlocks()):
        block = data.GetBlock(k)
        if block is not None:
            velocity = block.GetPointData().GetArray("velocity")
            blocks[data.GetMetaData(k).Get(data.NAME())] = {
                "points": [block.GetPoint(i) for i in range(min(block.GetNumberOfPoints(), 50))], "count": block.GetNumberOfPoints(),
                "cells": block.GetNumberOfCells(), "velocity": None if velocity is None else velocity.GetTuple(block.GetNumberOfPoints() - 1)}
    frames.append(blocks)
print(json.dumps([times, frames]))
"""


@pytest.fixture
def run(tmp_path):
    """Twelve grains falling into a small drum."""
    sim = scree.Simulation(step=1e-3, out=tmp_path / "out")
    sim.surface_material(friction=0.3)
    sim.obstacle(scree.pipe((0, 0, 0), (0, 0.3, 0), 0.4, 0.05, cells=(1, 16, 1)), label="drum")
    for k in range(12):
        center = (0.12 * (k % 4) - 0.18, 0.08 + 0.07 * (k // 8), 0.12 * (k // 4) - 0.3)
        sim.rigid(scree.ellipsoid(center, (0.04, 0.03, 0.05)) if k % 2 else scree.box(center, (0.05, 0.05, 0.05)), label=f"grain {k}")
    sim.run(0.2, output=0.02, quiet=True)
    return tmp_path / "out"


def paraview(tmp_path, path):
    """(times, blocks a frame) as ParaView sees them."""
    program = shutil.which("pvpython")
    if program is None:
        pytest.skip("pvpython is not installed")
    (tmp_path / "read.py").write_text(READER)
    done = subprocess.run([program, str(tmp_path / "read.py"), str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_paraview_opens_the_light_file_of_a_run(run, tmp_path):
    results = scree.read(run)
    times, frames = paraview(tmp_path, scree.export(run, "points")[0])
    assert times == pytest.approx(results.times.tolist()) and len(frames) == len(results) == 11
    for k, blocks in enumerate(frames):
        frame = results[k]
        assert blocks["bodies"]["count"] == len(frame.ids) == 13
        assert np.array(blocks["bodies"]["points"]) == pytest.approx(frame.positions)
        assert blocks["bodies"]["velocity"] == pytest.approx(frame.velocities[-1])
        if len(frame.contacts["gap"]):
            assert blocks["contacts"]["count"] == len(frame.contacts["gap"])


def test_paraview_opens_the_export(run, tmp_path):
    scree.export(run, "xdmf", tmp_path / "view.xdmf", every=5, spheres=True)
    results = scree.read(run)
    times, frames = paraview(tmp_path, tmp_path / "view.xdmf")
    assert times == pytest.approx(results.times[::5].tolist())
    for k, blocks in zip((0, 5, 10), frames):
        assert blocks["bodies"]["count"] == 13 and np.array(blocks["bodies"]["points"]) == pytest.approx(results[k].positions)
        # six boxes of 6 faces, 16 hexahedra of the pipe, six ellipsoids of many
        assert blocks["surfaces"]["cells"] > 6 * 6 + 16 * 2


def test_vtk_opens_the_grids(run, tmp_path):
    reader_module = pytest.importorskip("vtkmodules.vtkIOXML", reason="python3-vtk9 is not installed")
    scree.export(run, "vtu", tmp_path / "vtu", frame=-1, bodies=["grain 3", "grain 4"])
    results = scree.read(run)
    (file,) = (tmp_path / "vtu").glob("bodies_*.vtu")
    reader = reader_module.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(file))
    reader.Update()
    grid = reader.GetOutput()
    assert grid.GetNumberOfPoints() == 2
    wanted = [results.row(label) for label in ("grain 3", "grain 4")]
    assert np.array([grid.GetPoint(i) for i in range(2)]) == pytest.approx(results[-1].positions[wanted])
