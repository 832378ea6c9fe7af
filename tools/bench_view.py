#!/usr/bin/env python3
"""Measure the viewer on many spheres:  tools/bench_view.py [--bodies N] [--frames N] [--keep FILE]

Writes results as docs/results_format.md describes them (with h5py alone), serves them, opens the page in Chromium and prints the time to the
first picture, frames a second while playing, draw calls, bytes a frame, and the server's own times."""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))


def write_results(path, bodies, frames):
    """A block of spheres that sways."""
    side = int(np.ceil(bodies ** (1 / 3)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:bodies] * 0.02 + 0.01
    radius = 0.0095
    with h5py.File(path, "w", libver="earliest") as f:
        def texts(group, **values):
            for name, text in values.items():
                group.create_dataset(name, data=np.bytes_(text))
        info = f.create_group("info")
        texts(info, format="scree-results", scree_version="bench", title=f"{bodies} spheres", stages="integrate\ndetect\nassemble\nsolve")
        info.create_dataset("version", data=np.int64(2))
        f["names/text"], f["names/end"] = np.frombuffer(b"grain", np.uint8), np.array([0, 5], np.int64)
        shapes = {"piece_end": np.array([1], np.int64), "kind": np.array([0], np.uint8), "volume_id": np.zeros(1, np.int32), "surface_id": np.zeros(1, np.int32),
                  "real_end": np.array([4], np.int64), "integer_end": np.array([0], np.int64), "reals": np.array([0, 0, 0, radius]), "integers": np.zeros(0, np.int32)}
        mass = 2600 * 4 / 3 * np.pi * radius ** 3
        table = {"id": np.arange(bodies, dtype=np.int64), "label": np.zeros(bodies, np.int32), "material": np.ones(bodies, np.int32), "kind": np.zeros(bodies, np.uint8),
                 "shape": np.zeros(bodies, np.int32), "volume_id": np.zeros(bodies, np.int32), "mass": np.full(bodies, mass), "volume": np.full(bodies, mass / 2600),
                 "center": grid, "tensor": np.tile(0.4 * mass * radius ** 2 * np.eye(3).ravel(), (bodies, 1)), "radius": np.full(bodies, radius), "unknowns": np.zeros(bodies, np.int32),
                 "first_frame": np.zeros(bodies, np.int64), "last_frame": np.full(bodies, -1, np.int64)}
        for group, values in (("shapes", shapes), ("bodies", table)):
            for name, data in values.items():
                f.create_dataset(f"{group}/{name}", data=data, maxshape=(None, *data.shape[1:]), chunks=(max(1, min(4096, len(data))), *data.shape[1:]))
        write_frames(f, grid, frames)


def write_frames(f, grid, frames):
    """Motion of every frame; no contacts."""
    n = len(grid)
    times = 0.01 * np.arange(frames)
    ends = n * (1 + np.arange(frames, dtype=np.int64))
    zero = np.zeros(frames, np.int64)
    for name, data in (("time", times), ("step", 10 * np.arange(frames, dtype=np.int64)), ("energy", np.random.default_rng(1).random((frames, 7))), ("motion_end", ends),
                       ("node_end", zero), ("state_end", zero), ("contact_end", zero)):
        f.create_dataset(f"frames/{name}", data=data, maxshape=(None, *data.shape[1:]))
    steps = {"step": np.int64, "time": float, "h": float, "bodies": np.int32, "contacts": np.int32, "iterations": np.int32, "status": np.int32, "residual": float,
             "penetration_max": float, "penetration_mean": float}
    for name, kind in steps.items():
        f.create_dataset(f"steps/{name}", data=(times if name == "time" else np.zeros(frames)).astype(kind), maxshape=(None,))
    f.create_dataset("steps/seconds", data=np.zeros((frames, 4)), maxshape=(None, 4))
    f.create_dataset("states/value", (0,), float, maxshape=(None,), chunks=(4096,))
    for group, columns in (("nodes", {"position": (3, float), "velocity": (3, float), "mises": (1, np.float32)}),
                           ("contacts", {"pair": (2, np.int32), "point": (3, float), "axes": (9, float), "gap": (1, float), "area": (1, float), "force": (3, float),
                                         "velocity": (3, float), "surface": (2, np.int32), "material": (1, np.int32), "kind": (1, np.uint8), "constraint": (1, np.int32)})):
        for name, (width, kind) in columns.items():
            shape = (0,) if width == 1 else (0, width)
            f.create_dataset(f"{group}/{name}", shape, kind, maxshape=(None, *shape[1:]), chunks=(4096, *shape[1:]))
    motion = {"body": (1, np.int32), "rotation": (9, float), "position": (3, float), "velocity": (3, float), "angular": (3, float), "radius": (1, np.float32),
              "energy": (6, float), "mises": (1, np.float32)}
    for name, (width, kind) in motion.items():
        shape = (n * frames,) if width == 1 else (n * frames, width)
        f.create_dataset(f"motion/{name}", shape, kind, maxshape=(None, *shape[1:]), chunks=(n, *shape[1:]))
    height = grid[:, 2] / max(grid[:, 2].max(), 1e-9)
    for k, t in enumerate(times):
        rows = slice(k * n, (k + 1) * n)
        sway = 0.2 * height ** 2 * np.sin(6 * t)
        turn = 3 * t * height
        c, s, z, o = np.cos(turn), np.sin(turn), np.zeros(n), np.ones(n)
        speed = 1.2 * height ** 2 * np.cos(6 * t)
        f["motion/body"][rows] = np.arange(n)
        f["motion/rotation"][rows] = np.stack([c, -s, z, s, c, z, z, z, o], 1)
        f["motion/position"][rows] = grid + np.stack([sway, z, z], 1)
        f["motion/velocity"][rows] = np.stack([speed, z, z], 1)
        f["motion/angular"][rows] = np.stack([z, z, 3 * height], 1)
        f["motion/radius"][rows] = 0.0095
        f["motion/mises"][rows] = 0.0
        f["motion/energy"][rows] = np.stack([0.5 * speed ** 2, z, z, z, z, z], 1)


def ask(url, path):
    begun = time.perf_counter()
    with urllib.request.urlopen(url + path) as response:
        data = response.read()
    return data, 1e3 * (time.perf_counter() - begun)


class Page:
    """The browser of the page's tests."""

    def __init__(self):
        modules = ROOT / "viewer" / "node_modules"
        chromium = shutil.which("chromium") or sys.exit("chromium is missing")
        self._node = subprocess.Popen(["node", str(ROOT / "tests" / "viewer" / "browser.mjs"), chromium, str(modules)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, do, **values):
        self._node.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self._node.stdin.flush()
        answer = json.loads(self._node.stdout.readline())
        if "error" in answer:
            sys.exit(answer["error"])
        return answer["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=100000)
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--keep", metavar="FILE", help="use this file; write it when it does not exist")
    parser.add_argument("--shot", metavar="PICTURE.png", help="save what the page shows")
    args = parser.parse_args()
    from scree import view
    folder = tempfile.mkdtemp()
    path = args.keep or os.path.join(folder, "results.h5")
    if not os.path.exists(path):
        write_results(path, args.bodies, args.frames)
    print(f"file                     {os.path.getsize(path) / 1e6:.0f} MB")
    server = view.open(path, browser=False, block=False, say=lambda text: None)
    for name in ("index", "scene", "series", "frame/0?field=velocity", "frame/50?field=velocity"):
        data, ms = ask(server.url, name)
        print(f"server, {name:24s} {len(data) / 1e6:8.3f} MB  {len(gzip.compress(data, 1)) / 1e6:8.3f} MB gzipped  {ms:7.1f} ms")
    times = [ask(server.url, f"frame/{k}?field=velocity")[1] for k in range(0, min(args.frames, 20))]
    print(f"server, 20 frames        {np.median(times):.1f} ms a frame (median)")
    page = Page()
    page("open", url=server.url)
    page("wait", until="window.scree.counters.ready", seconds=120)
    counters = page("evaluate", code="window.scree.counters")
    print(f"first picture            {counters['firstPictureMilliseconds'] / 1000:.2f} s after the page began to load")
    print(f"bodies {counters['bodies']}, draw calls {counters['drawCalls']}, {counters['frameBytes'] / 1e6:.2f} MB a frame ({counters['frameBytes'] / max(1, counters['bodies']):.1f} bytes a body)")
    draws = page("evaluate", code="(() => { const t = []; for (let k = 0; k < 5; ++k) { const a = performance.now(); window.scree.draw(); t.push(performance.now() - a); } return t; })()")
    print(f"one picture              {np.median(draws):.0f} ms ({page('evaluate', code='window.scree.renderer')})")
    decode = page("evaluate", code="window.scree.benchmark(10)")
    print(f"decode and upload        {decode['decode']:.1f} ms a frame, sorting {decode['sort']:.1f} ms")
    page("evaluate", code="window.scree.set({rate: 50})")
    page("press", key="Space")
    time.sleep(12)
    print(f"playing                  {page('evaluate', code='window.scree.counters')['framesPerSecond']:.1f} frames a second")
    page("press", key="Space")
    if args.shot:
        page("screenshot", path=args.shot)
    page("close")
    server.close()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
