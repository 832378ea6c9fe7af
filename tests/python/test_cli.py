"""The command line: exit statuses, JSON, messages."""
import json
import re

import numpy as np
import pytest

import scree

BLOCK = """
import scree
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.5)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)), label="ground")
block = sim.rigid(scree.box(center=(0, 0, 0.5)), density=1000, label="block", velocity=(1, 0, 0))
sim.run(0.05, output=0.01)
print("x", block.position[0])
"""


def test_help_and_version(command):
    assert command("--help").status == 0 and "COMMAND" in command("--help").out
    assert re.match(r"scree \d+\.\d+", command("--version").out)


@pytest.mark.parametrize("args", [(), ("nope",), ("run",), ("solve",), ("bench",), ("bench", "scene", "nope"), ("info",), ("info", "nowhere"),
                                  ("run", "nowhere.py"), ("export", "nowhere", "--format", "csv"), ("export", "x", "--format", "nope"),
                                  ("plot", "nowhere"), ("bench", "solvers", "nowhere.hdf5"), ("solvers", "NOPE")])
def test_bad_usage_and_input_are_status_two(command, args):
    done = command(*args)
    assert done.status == 2 and done.err and "Traceback" not in done.err and done.out == ""


def test_a_working_copy_without_an_engine_says_what_to_run(command):
    done = command("doctor", env={"SCREE_BUILD": "/nowhere"})
    assert done.status == 1 and done.out == ""
    assert done.err.startswith("scree: the engine is not built in /nowhere: run `make` in ") and done.err.count("\n") == 1


def test_run_executes_a_script(command, script, tmp_path):
    done = command("run", script(BLOCK), "--out", "out", "--threads", "1")
    assert done.status == 0, done.err
    assert done.out.startswith("x 0.0") and "100%" in done.err
    assert len(scree.read(tmp_path / "out")) == 6


def test_run_chooses_a_folder(command, script, tmp_path):
    assert command("run", script(BLOCK), "--quiet").status == 0
    assert (tmp_path / "out" / "script" / "results.h5").exists()


def test_quiet_is_quiet(command, script):
    assert command("run", script(BLOCK), "--quiet").err == ""


def test_script_sees_its_arguments_and_is_main(command, script):
    path = script("import sys\nprint(sys.argv[1:], __name__, __file__)\n")
    done = command("run", path, "--", "--out", "3")
    assert done.status == 0 and done.out.startswith("['--out', '3'] __main__ ")


def test_script_may_import_its_neighbours(command, script):
    script("value = 7\n", "neighbour.py")
    assert command("run", script("import neighbour\nprint(neighbour.value)\n")).out == "7\n"


def test_script_exit_status_is_passed_on(command, script):
    assert command("run", script("raise SystemExit(5)")).status == 5
    assert command("run", script("import sys; sys.exit('no more')")).status == 1


def test_traceback_shows_the_users_lines_only(command, script):
    done = command("run", script("def f():\n    return 1 / 0\nf()\n"))
    assert done.status == 1 and "ZeroDivisionError" in done.err and "return 1 / 0" in done.err
    assert "cli/run.py" not in done.err and done.err.count("File ") == 2


def test_bad_input_in_a_script_is_status_two(command, script):
    done = command("run", script("import scree\nscree.sphere(radius=-1)\n"))
    assert done.status == 2 and "radius" in done.err and done.err.count("File ") == 1
    assert command("run", script("def broken(:\n")).status == 2


def test_failed_run_is_status_one(command, script):
    text = BLOCK.replace("sim.run(0.05", "sim.solver('GAUSS_SEIDEL', tolerance=1e-15, max_iterations=1, failure='raise')\nsim.run(0.05")
    done = command("run", script(text))
    assert done.status == 1 and "RuntimeError" in done.err


def test_info(command, script):
    command("run", script(BLOCK), "--out", "out", "--quiet")
    done = command("info", "out")
    assert done.status == 0 and "frames" in done.out and "residual" in done.out and "2: 1 obstacle, 1 rigid" in done.out
    report = json.loads(command("info", "out", "--json").out)
    assert report["frames"] == 6 and report["steps"] == 50 and report["bodies"] == 2 and re.fullmatch("[0-9a-f]{16}", report["hash"])
    assert report["residual_max"] <= 1e-8 and report["energies"]["friction"] < 0


def test_export_csv_and_fclib(command, script, tmp_path):
    command("run", script(BLOCK), "--out", "out", "--quiet")
    done = command("export", "out", "--format", "csv")
    assert done.status == 0 and len(done.out.split()) == 5
    rows = np.genfromtxt(tmp_path / "out" / "csv" / "bodies.csv", delimiter=",", names=True)
    assert len(rows) == 12 and rows["x"][-1] == scree.read(tmp_path / "out")[-1].positions[-1][0]
    done = command("export", "out", "--format", "fclib", "--frame", "2", "--out", "p.hdf5")
    assert done.status == 0, done.err
    assert scree.Problem(tmp_path / "p.hdf5").contacts >= 3
    assert command("export", "out", "--format", "fclib", "--frame", "99").status == 2
    done = command("export", "out", "--format", "fclib", "--every", "2", "--form", "global")
    assert done.status == 0 and len(done.out.split()) == 3, done.err
    assert all(scree.Problem(tmp_path / path).form == "global" for path in done.out.split())


def test_export_for_paraview(command, script, tmp_path):
    command("run", script(BLOCK), "--out", "out", "--quiet")
    assert not (tmp_path / "out" / "results.xdmf").exists()
    done = command("export", "out", "--format", "points")
    assert done.status == 0 and (tmp_path / "out" / "results.xdmf").read_text().count("results.h5:/motion/position") == len(scree.read(tmp_path / "out")), done.err
    assert command("export", "out", "--format", "points", "--bodies", "0").status == 2
    done = command("export", "out", "--format", "xdmf", "--every", "2", "--spheres")
    assert done.status == 0, done.err
    assert (tmp_path / done.out.strip()).read_text().count("<Time") >= 3
    done = command("export", "out", "--format", "vtu")
    assert done.status == 0, done.err
    assert all("VTKFile" in (tmp_path / path).read_text() for path in done.out.split()) and len(done.out.split()) == 3
    assert command("export", "out", "--format", "csv", "--spheres").status == 2


def test_plot(command, script, tmp_path):
    command("run", script(BLOCK), "--out", "out", "--quiet")
    done = command("plot", "out", "energies", "contacts", "residual", "block.vx", "--out", "curves.png")
    assert done.status == 0, done.err
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    numbers = json.loads(command("plot", "out", "block.vx", "--json").out)
    assert numbers["block.vx"]["block.vx"][-1] == pytest.approx(1 - 0.5 * 9.81 * 0.05, abs=1e-6)
    assert "kinetic" in command("plot", "out", "kinetc").err


def test_render(command, script, tmp_path):
    command("run", script(BLOCK), "--out", "out", "--quiet")
    done = command("render", "out", "--out", "last.png", "--size", "160x90", "--samples", "1")
    assert done.status == 0, done.err
    assert (tmp_path / "last.png").read_bytes().startswith(b"\x89PNG")
    done = command("render", "out", "--out", "all.gif", "--size", "80x60", "--samples", "1", "--every", "2", "--view", "1,-1,0.5")
    assert done.status == 0, done.err
    assert (tmp_path / "all.gif").read_bytes().startswith(b"GIF89a")
    for wrong in (("--out", "x.bmp"), ("--out", "x.png", "--frame", "77"), ("--out", "x.png", "--quantity", "colour"), ("--out", "x.png", "--size", "big"),
                  ("--out", "x.png", "--obstacles", "glass"), ("--out", "x.png", "--view", "0,0,0")):
        done = command("render", "out", *wrong)
        assert done.status == 2 and "Traceback" not in done.err
    image = scree.picture(tmp_path / "out", frame=0, size=(64, 48), samples=1)
    assert image.shape == (48, 64, 3) and image.std() > 1


def test_solvers_are_documented(command):
    done = command("solvers")
    assert done.status == 0 and "GAUSS_SEIDEL" in done.out
    listed = json.loads(command("solvers", "--json").out)["solvers"]
    assert all(entry["text"] and entry["formulations"] for entry in listed)
    assert all(option["text"] for entry in listed for option in entry["options"])
