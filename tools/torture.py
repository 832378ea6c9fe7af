#!/usr/bin/python3
"""Do to runs what happens to them: kills, full and failing disks, damaged files, signals, random calls, two runs into a folder.

    tools/torture.py [--minutes 1] [--seed 1] [--case NAME:SEED] [--only KIND,KIND]

Cases follow each other until the time is over, each with a seed of its own; a case that fails is printed with what repeats it alone. Prints how many of every
kind were done. Exit status 0 when nothing failed. Nothing may crash, be lost or be said wrongly: what was refused must be refused in words, frames written
stay readable, and a run that went on ends with the bits of one that nothing happened to.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

#: A run of each kind of body; argv: kind, duration. Wall-clock seconds between checkpoints are no business of a restart: SCREE_TORTURE_CHECKPOINT.
SCENE = """
import os
import sys
import scree
kind, duration, checkpoint = sys.argv[1], float(sys.argv[2]), float(os.environ.get("SCREE_TORTURE_CHECKPOINT", "0.05"))
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.4)
stone = sim.bulk_material(density=2000, young=1e7, poisson=0.2)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(9, 9, 1)))
for k in range(6):
    gap = 0.0 if kind == "endless" else 0.04
    box = dict(center=(0.03 * (k % 3), 0, 0.1 + gap / 4 + (0.2 + gap) * k), size=(0.3, 0.3, 0.2))
    if kind in ("rigid", "endless"):
        sim.rigid(scree.box(**box), density=2000 if kind == "rigid" or k < 5 else 1e15)
    elif kind == "pseudo":
        sim.pseudo_rigid(scree.box(**box), material=stone)
    elif k < 3:
        low = [c - s / 2 for c, s in zip(box["center"], box["size"])]
        x, y, z = low
        corners = [(x, y, z), (x + .3, y, z), (x + .3, y + .3, z), (x, y + .3, z), (x, y, z + .2), (x + .3, y, z + .2), (x + .3, y + .3, z + .2), (x, y + .3, z + .2)]
        sim.finite_element(scree.hex(corners, (2, 2, 1)), material=stone)
if kind == "endless":  # the first step: sweeps need as many rounds as the load is heavier than what bears it
    sim.solver("JACOBI", tolerance=1e-300, max_iterations=2**31 - 1)
seen = {"calls": 0}
def note(sim, seen):
    seen["calls"] += 1
sim.callback(0.005, note, seen)
sim.run(duration, output=0.002, checkpoint=checkpoint)
print("calls", seen["calls"])
"""

#: Fails one call of a kind, or all of them from one on: SCREE_FAIL="write 17 ENOSPC", or "write 17+ EIO". Only files below SCREE_FAIL_BELOW count.
FAILING_DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long calls, chosen = -1; static int forever, error_number; static char kind[16]; static const char* below;
static void set_up(void) {
  if (chosen >= 0) return;
  const char* text = getenv("SCREE_FAIL"); char name[16] = "", plus = 0;
  chosen = 0; below = getenv("SCREE_FAIL_BELOW");
  if (!text || !below || sscanf(text, "%15s %ld%c %15s", kind, &chosen, &plus, name) < 4) { chosen = 0; return; }
  forever = plus == '+'; error_number = strcmp(name, "EIO") ? ENOSPC : EIO;
}
static int fails(const char* what, int file) {
  char link[64], path[4096]; ssize_t n;
  set_up();
  if (chosen <= 0 || strcmp(what, kind)) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  n = readlink(link, path, sizeof path - 1); if (n < 0) return 0; path[n] = 0;
  if (strncmp(path, below, strlen(below))) return 0;
  ++calls;
  if (calls != chosen && !(forever && calls > chosen)) return 0;
  errno = error_number; return 1;
}
#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
ssize_t write(int f, const void* b, size_t n) { REAL(ssize_t, "write", int, const void*, size_t); return fails("write", f) ? -1 : real(f, b, n); }
ssize_t pwrite(int f, const void* b, size_t n, off_t o) { REAL(ssize_t, "pwrite", int, const void*, size_t, off_t); return fails("write", f) ? -1 : real(f, b, n, o); }
ssize_t pwrite64(int f, const void* b, size_t n, off64_t o) { REAL(ssize_t, "pwrite64", int, const void*, size_t, off64_t); return fails("write", f) ? -1 : real(f, b, n, o); }
int fsync(int f) { REAL(int, "fsync", int); return fails("fsync", f) ? -1 : real(f); }
int fdatasync(int f) { REAL(int, "fdatasync", int); return fails("fsync", f) ? -1 : real(f); }
int ftruncate(int f, off_t n) { REAL(int, "ftruncate", int, off_t); return fails("ftruncate", f) ? -1 : real(f, n); }
int ftruncate64(int f, off64_t n) { REAL(int, "ftruncate64", int, off64_t); return fails("ftruncate", f) ? -1 : real(f, n); }
"""

KINDS = ("rigid", "pseudo", "elements")


class Wrong(Exception):
    """Something that must not happen."""


def expect(condition, text):
    if not condition:
        raise Wrong(text)


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


def crashed(process):
    """Ended by a signal nobody sent, or by an uncaught error of the engine."""
    return process.returncode in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL)


def computed(pid):
    """CPU seconds of a process and its threads; 0 when it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Bench:
    """A folder for one case, and what cases do in it."""

    whole = {}  #: state hash of an undisturbed run by (kind, duration)
    answers = []  #: seconds from a signal to the end of the run that it stopped: the step abandoned, a checkpoint written, the interpreter gone

    def __init__(self, folder, shared):
        self.folder, self.shared = pathlib.Path(folder), pathlib.Path(shared)
        self.script = self.shared / "scene.py"
        self.script.write_text(SCENE)

    def command(self, kind, duration, *options, out="out"):
        return [str(ROOT / "scree"), "run", str(self.script), "--out", out, "--quiet", *options, "--", kind, str(duration)]

    def start(self, *args, preload=None, checkpoint=0.05, **options):
        more = {"SCREE_TORTURE_CHECKPOINT": str(checkpoint), **({} if preload is None else preload)}
        return subprocess.Popen(self.command(*args, **options), cwd=self.folder, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process, seconds=120):
        """Wait; the process must not have crashed, and errors must not be tracebacks out of the package."""
        begun = seen = time.monotonic()
        worked = 0.0
        while True:
            try:
                process.out, process.err = process.communicate(timeout=2)
                break
            except subprocess.TimeoutExpired:
                # On a machine that others use too, only the processor's time says whether it works.
                if computed(process.pid) > worked + 0.05:
                    seen, worked = time.monotonic(), computed(process.pid)
                if worked < seconds and time.monotonic() < max(begun + seconds, seen + 60):
                    continue
                process.kill()
                process.communicate()
                raise Wrong(f"it hangs after {worked:.0f} s of work: {' '.join(process.args[-6:])}") from None
        expect(not crashed(process), f"it crashed with {process.returncode}: {process.err[-400:]}")
        expect("internal error" not in process.err and "terminate called" not in process.err, process.err[-400:])
        return process

    def run(self, *args, **options):
        return self.end(self.start(*args, **options))

    def info(self, out="out"):
        done = subprocess.run([str(ROOT / "scree"), "info", out, "--json"], cwd=self.folder, env=environment(), capture_output=True, text=True)
        expect(done.returncode == 0, f"scree info: {done.stderr[-300:]}")
        return json.loads(done.stdout)

    def frames(self, out="out"):
        """Read every frame there is; returns their number."""
        import numpy as np
        import scree
        if not (self.folder / out / "results.h5").exists():
            return 0
        try:
            results = scree.read(self.folder / out)
        except OSError as error:
            expect("no finished frame" in str(error) or "truncated" in str(error), str(error))
            return 0
        for frame in results:
            expect(np.isfinite(frame.positions).all() and np.isfinite(frame.contacts["force"]).all(), "a frame is not finite")
        return len(results)

    def whole_run(self, kind, duration):
        """State hash and frames of a run that nothing happens to."""
        if (kind, duration) not in Bench.whole:
            done = self.run(kind, duration, out="whole")
            expect(done.returncode == 0, done.err)
            Bench.whole[kind, duration] = self.info("whole")["hash"], self.frames("whole")
        return Bench.whole[kind, duration]

    def finish(self, kind, duration):
        """Resume to the end: the same bits and as many frames as without all that."""
        done = self.run(kind, duration, "--resume")
        if done.returncode in (1, 2) and "--overwrite" in done.err:
            # Killed before the first checkpoint, or the only one is damaged: nothing but frames is there, and they are not thrown away without being asked.
            done = self.run(kind, duration, "--overwrite")
        expect(done.returncode == 0, f"resume: {done.err[-300:]}")
        expect((self.info()["hash"], self.frames()) == self.whole_run(kind, duration), "the end differs from that of an undisturbed run")


# --- cases: each takes a bench and a random generator ------------------------------------------------------------------


def kills(bench, chance):
    """SIGKILL at random times, also while resuming."""
    kind, duration = chance.choice(KINDS), chance.choice((0.1, 0.2))
    bench.whole_run(kind, duration)
    for again in range(chance.randint(1, 3)):
        process = bench.start(kind, duration, *(["--resume"] if again else []), checkpoint=chance.choice((0.01, 0.05, 60)))
        time.sleep(chance.uniform(0.1, 1.2))
        process.kill()
        process.communicate()
        bench.frames()
    bench.finish(kind, duration)


def signals(bench, chance):
    """SIGINT, SIGTERM or SIGHUP at a random time, also into a step that has no end: told, stored, and to be continued to the same bits."""
    kind, duration = chance.choice((*KINDS, "endless")), 0.2
    if kind != "endless":
        bench.whole_run(kind, duration)
    process = bench.start(kind, duration)
    time.sleep(chance.uniform(0.2, 1.5))
    number = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    begun = time.monotonic()
    process.send_signal(number)
    bench.end(process, 30)
    expect(process.returncode in (0, 1, -number), f"exit status {process.returncode}: {process.err[-300:]}")
    if process.returncode == 1 and "stopped by" in process.err:
        Bench.answers.append(time.monotonic() - begun)
        expect("--resume" in process.err, process.err)
    bench.frames()
    if kind != "endless":
        bench.finish(kind, duration)


def disk_library(bench):
    """The library that fails calls, built once."""
    library = bench.shared / "failing_disk.so"
    if not library.exists():
        source = bench.shared / "failing_disk.c"
        source.write_text(FAILING_DISK)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def disks(bench, chance):
    """One write, or all from one on, fails: an error in words, what was written before stays readable, and the run can be continued."""
    kind, duration = chance.choice(KINDS), 0.1
    bench.whole_run(kind, duration)
    what = f"{chance.choice(('write', 'write', 'write', 'fsync', 'ftruncate'))} {int(10 ** chance.uniform(0, 3.3))}{chance.choice('+ ')}"
    what = what.strip() + ("" if what.endswith("+") else "-") + f" {chance.choice(('ENOSPC', 'EIO'))}"
    failing = {"LD_PRELOAD": str(disk_library(bench)), "SCREE_FAIL": what, "SCREE_FAIL_BELOW": str(bench.folder)}
    done = bench.run(kind, duration, preload=failing)
    expect(done.returncode in (0, 1, 2), f"{what}: status {done.returncode}")
    if done.returncode:
        expect("scree:" in done.err or "Error" in done.err, f"{what}: nothing was said: {done.err[-300:]}")
    bench.frames()
    bench.finish(kind, duration)


def mutated(data, chance):
    """Cut, flip or overwrite bytes."""
    data = bytearray(data)
    if chance.random() < 0.3:
        return bytes(data[:chance.randrange(len(data))])
    for _ in range(chance.choice((1, 1, 3, 30))):
        at = chance.randrange(len(data))
        if chance.random() < 0.5:
            data[at] ^= 1 << chance.randrange(8)
        else:
            data[at:at + 8] = chance.choice((b"\xff" * 8, bytes(8), chance.randbytes(8)))
    return bytes(data)


#: Reads a file of any kind the way a stranger would; MemoryError is an answer, a crash is not.
READ_ALL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import scree
for path in sys.argv[2:]:
    try:
        if sys.argv[1] == "results":
            results = scree.read(path)
            for frame in results: frame.contacts
            results.steps
        elif sys.argv[1] == "checkpoint":
            scree.Simulation()._engine.read_checkpoint(path)
        elif sys.argv[1] == "fclib":
            problem = scree.Problem(path)
            if problem.blocks < 1000: problem.solve("GAUSS_SEIDEL", max_iterations=20)
        else:
            scree.read_mesh(path)
    except (OSError, ValueError, MemoryError) as error:
        text = str(error)
        assert text and "Unable to cast" not in text and "incompatible function" not in text and text != "std::bad_alloc", text
"""


def samples(bench):
    """Sound files of every kind, made once."""
    folder = bench.shared / "samples"
    if folder.exists():
        return folder
    folder.mkdir()
    done = subprocess.run([str(ROOT / "scree"), "run", str(bench.script), "--out", str(folder), "--quiet", "--", "elements", "0.02"], env=environment(), capture_output=True)
    expect(done.returncode == 0, "the sample run failed")
    import scree
    problem = scree.Problem.packing(3, 2)
    problem.write(folder / "problem.hdf5")
    cube = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    points = "\n".join(" ".join(map(str, p)) for p in cube)
    (folder / "cube.vtu").write_text(f"""<?xml version="1.0"?><VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian"><UnstructuredGrid>
<Piece NumberOfPoints="8" NumberOfCells="1"><Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">{points}</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3 4 5 6 7</DataArray><DataArray type="Int32" Name="offsets" format="ascii">8</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">12</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>""")
    nodes = "\n".join(f"{k + 1} {x} {y} {z}" for k, (x, y, z) in enumerate(cube))
    (folder / "cube.msh").write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{nodes}\n$EndNodes\n$Elements\n1\n1 5 2 1 1 1 2 3 4 5 6 7 8\n$EndElements\n")
    (folder / "cube.inp").write_text("*NODE\n" + nodes.replace(" ", ", ") + "\n*ELEMENT, TYPE=C3D8\n1, 1, 2, 3, 4, 5, 6, 7, 8\n")
    return folder


def files(bench, chance):
    """Truncations and flips of results, checkpoints, FCLIB files and meshes: read, or refused in words."""
    folder = samples(bench)
    kind, names = chance.choice((("results", ["results.h5"]), ("checkpoint", ["checkpoint.h5"]), ("fclib", ["problem.hdf5"]), ("mesh", ["cube.vtu", "cube.msh", "cube.inp"])))
    paths = []
    for k in range(25):
        name = chance.choice(names)
        path = bench.folder / f"{k}_{name}"
        path.write_bytes(mutated((folder / name).read_bytes(), chance))
        paths.append(str(path))
    done = subprocess.run([sys.executable, "-c", READ_ALL, kind, *paths], env=environment(), capture_output=True, text=True, timeout=300)
    expect(done.returncode == 0, f"{kind}: status {done.returncode}: {done.stderr[-400:]}")
    return 25


def damaged_checkpoints(bench, chance):
    """The newest checkpoint of a stopped run is damaged: the one before it serves, or the refusal says what to do."""
    kind, duration = chance.choice(KINDS), 0.1
    bench.whole_run(kind, duration)
    process = bench.start(kind, duration, checkpoint=0.01)
    time.sleep(chance.uniform(0.5, 1.5))
    process.kill()
    process.communicate()
    newest = bench.folder / "out" / "checkpoint.h5"
    if newest.exists():
        newest.write_bytes(mutated(newest.read_bytes(), chance))
    bench.finish(kind, duration)


def two_runs(bench, chance):
    """A second run into a folder in use is refused and harms nothing."""
    kind, duration = chance.choice(KINDS), 0.3
    bench.whole_run(kind, duration)
    first = bench.start(kind, duration)
    time.sleep(chance.uniform(0.3, 1.0))
    second = bench.run(kind, duration, *chance.choice(([], ["--resume"], ["--overwrite"])))
    still = first.poll() is None
    if chance.random() < 0.5:
        first.kill()
    bench.end(first)
    expect(second.returncode == 2 if still else second.returncode in (0, 2), f"the second run: status {second.returncode}: {second.err[-300:]}")
    bench.finish(kind, duration)


def viewers(bench, chance):
    """Kills of a run that a viewer watches; the viewer lives on."""
    kind, duration = chance.choice(KINDS), 0.2
    bench.whole_run(kind, duration)
    watcher = subprocess.Popen([str(ROOT / "scree"), "view", "out", "--wait", "--no-browser"], cwd=bench.folder, env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        line = watcher.stdout.readline()
        if not line:  # where the page is not built there is nothing to watch with
            expect(watcher.wait(60) == 2 and "page is not built" in watcher.stderr.read(), f"the viewer ended with {watcher.returncode}")
        expect(not line or line.startswith("view: http"), f"the viewer said {line!r}")
        process = bench.start(kind, duration)
        time.sleep(chance.uniform(0.3, 1.0))
        if line.startswith("view: http"):
            import urllib.request
            for _ in range(5):
                with urllib.request.urlopen(line[6:].strip(), timeout=20) as page:
                    expect(page.status == 200, "the page is gone")
                time.sleep(0.05)
        process.kill()
        process.communicate()
        expect(watcher.poll() is None or not line.startswith("view:"), "the viewer died with the run")
    finally:
        watcher.terminate()
        watcher.communicate()
    bench.finish(kind, duration)


#: Random calls of the interface with random values, in a process of its own; argv: seed, number of calls.
CALLS = r"""
import faulthandler, inspect, os, random, sys, warnings
faulthandler.enable()
warnings.simplefilter("ignore")
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import numpy as np
import scree
chance = random.Random(int(sys.argv[1]))
devnull = os.open(os.devnull, os.O_WRONLY)
RAW = ("Unable to cast", "incompatible function", "std::", "bad_alloc", "vector::", "internal error", "_M_")
def value(sim):
    bodies = list(sim.bodies)
    return chance.choice((
        lambda: 0, lambda: 1, lambda: -1, lambda: 2**31, lambda: 2**40, lambda: -2**63, lambda: 0.5, lambda: 1e308, lambda: 1e-320, lambda: float("nan"), lambda: float("inf"),
        lambda: None, lambda: "x", lambda: "", lambda: "\ud800", lambda: b"x", lambda: True, lambda: (), lambda: (0, 0, 0), lambda: (0, 0, 1), lambda: (1e200, 0, 0),
        lambda: (0, float("nan"), 0), lambda: [1, 2], lambda: {}, lambda: {1: 2.0}, lambda: np.eye(3), lambda: np.zeros((3, 3)), lambda: np.array([]), lambda: object(),
        lambda: (lambda *a: (0, 0, 0)), lambda: (lambda *a: None), lambda: scree.TimeSeries([(0, 0), (1, 1)]), lambda: scree.sphere((chance.random(), 0, 0), 0.1),
        lambda: scree.box(size=(1, 1, 1)), lambda: "AUTO", lambda: "GAUSS_SEIDEL", lambda: "MOREAU", lambda: "RATTLE",
        lambda: chance.choice(bodies) if bodies else None, lambda: sim, lambda: [chance.choice(bodies) for _ in range(2)] if bodies else []))()
def fresh():
    sim = scree.Simulation(step=1e-3)
    sim.surface_material(friction=0.3)
    stone = sim.bulk_material(density=2000, young=1e7)
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(9, 9, 1)))
    sim.rigid(scree.sphere((0, 0, 0.1), 0.1), density=1000, label="ball")
    sim.pseudo_rigid(scree.box(center=(1, 0, 0.2), size=(.2, .2, .2)), material=stone)
    return sim
def arguments(call, sim):
    try: names = [p for p in inspect.signature(call).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    except (TypeError, ValueError): return [value(sim) for _ in range(chance.randint(0, 3))], {}
    positional = [value(sim) for p in names if p.default is p.empty]
    return positional, {p.name: value(sim) for p in names if p.default is not p.empty and chance.random() < 0.3}
skipped = {"run", "close", "export_problems", "triaxial", "set_threads"}
free = [getattr(scree, n) for n in ("sphere", "box", "ellipsoid", "hull", "convex", "mesh", "hex", "pipe", "rough_hex", "join", "translate", "rotate", "scale", "split", "TimeSeries", "Problem", "read", "read_mesh")]
sim, done = fresh(), 0
for k in range(int(sys.argv[2])):
    if k % 40 == 0: sim = fresh()
    what = chance.random()
    owner = sim if what < 0.5 else chance.choice(list(sim.bodies) or [sim]) if what < 0.8 else None
    try:
        if owner is None:
            call = chance.choice(free)
        else:
            name = chance.choice([n for n in dir(type(owner)) if not n.startswith("_") and n not in skipped])
            member = inspect.getattr_static(type(owner), name)
            if isinstance(member, property):
                sys.stderr.write("")
                if member.fset is not None and chance.random() < 0.5: setattr(owner, name, value(sim))
                else: getattr(owner, name)
                continue
            call = getattr(owner, name)
            if not callable(call): continue
        positional, named = arguments(call, sim)
        if getattr(call, "__name__", "") == "advance": positional, named = [chance.randint(0, 3)], {}
        call(*positional, **named)
    except (ValueError, TypeError, OSError, RuntimeError, KeyError, IndexError, AttributeError, MemoryError, OverflowError) as error:
        text = str(error)
        if any(raw in text for raw in RAW):
            print("RAW", type(error).__name__, text[:300], file=sys.stderr)
            sys.exit(3)
    try:
        sim.advance(1)
    except (RuntimeError, ValueError):
        sim = fresh()
"""


def calls(bench, chance):
    """Random calls with random values: answered or refused in words."""
    count = 120
    done = subprocess.run([sys.executable, "-c", CALLS, str(chance.randrange(1 << 30)), str(count)], cwd=bench.folder, env=environment(), capture_output=True, text=True, timeout=600)
    expect(done.returncode == 0, f"status {done.returncode}: {done.stderr[-600:]}")
    return count


CASES = {f.__name__: f for f in (kills, signals, disks, files, damaged_checkpoints, two_runs, viewers, calls)}
#: What a short form does, a case of each kind that is quick.
SHORT = ("files", "calls", "disks", "kills", "signals")


def one(name, seed, shared):
    """Do one case; returns what it counts."""
    with tempfile.TemporaryDirectory(prefix="torture_") as folder:
        return CASES[name](Bench(folder, shared), random.Random(f"{name} {seed}")) or 1


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", metavar="NAME:SEED", help="one case again")
    parser.add_argument("--only", help="kinds of cases, separated by commas: " + ", ".join(CASES))
    parser.add_argument("--short", action="store_true", help="one case of each quick kind")
    args = parser.parse_args(argv)
    for number in (signal.SIGHUP, signal.SIGTERM):  # nohup and shells that start this behind ignore signals; the runs must not
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    shared = tempfile.mkdtemp(prefix="torture_shared_")
    counts, failures, begun = collections.Counter(), [], time.monotonic()

    def attempt(name, seed):
        try:
            counts[name] += one(name, seed, shared)
        except (Wrong, AssertionError, subprocess.TimeoutExpired) as error:
            failures.append(name)
            print(f"FAILED {name}: {error}\n    again: tools/torture.py --case {name}:{seed}", flush=True)

    try:
        if args.case:
            name, seed = args.case.split(":")
            attempt(name, int(seed))
        elif args.short:
            for name in SHORT:
                attempt(name, args.seed)
        else:
            kinds = args.only.split(",") if args.only else list(CASES)
            number = 0
            while time.monotonic() - begun < 60 * args.minutes:
                attempt(kinds[number % len(kinds)], args.seed * 1000003 + number)
                number += 1
    finally:
        shutil.rmtree(shared, ignore_errors=True)
    print(f"{time.monotonic() - begun:.0f} s: " + ", ".join(f"{name} {count}" for name, count in counts.items()) + f"; failed: {len(failures)}")
    if Bench.answers:
        print(f"signals that stopped a run: answered in {statistics.median(Bench.answers):.2f} s (median), {max(Bench.answers):.2f} s at most, of {len(Bench.answers)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
