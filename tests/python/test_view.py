"""The server behind `scree view`, the exported page, and what a run does when it is watched."""
import gzip
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

import numpy as np
import pytest

import scree
from conftest import ROOT
from scree import view, view_server
from scree.bundles import unpack as unbundle

RAIN = """
import scree, sys, time
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.4)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)), label="ground")
for k in range(12):
    sim.rigid(scree.sphere((0.3 * (k % 4), 0.3 * (k // 4), 0.2 + 0.01 * k), 0.1), density=1000, label=f"ball {k}", velocity=(0.1 * k, 0, 0))
sim.rigid(scree.box(center=(-1, 0, 0.5), size=(0.4, 0.2, 1.0)), density=500, label="post", angular_velocity=(0, 3, 0))
PAUSE = float(sys.argv[1]) if len(sys.argv) > 1 else 0
if PAUSE:
    sim.callback(0.01, lambda s: time.sleep(PAUSE) or 1)
sim.run(0.2 if not PAUSE else 0.6, output=0.01, quiet=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the results of a small run."""
    folder = tmp_path_factory.mktemp("rain")
    (folder / "rain.py").write_text(RAIN)
    subprocess.run([str(ROOT / "scree"), "run", "rain.py", "--out", "out", "--threads", "1", "--quiet"], cwd=folder, check=True, timeout=120)
    return folder / "out"


@pytest.fixture
def page(tmp_path):
    """A stand-in for the built page."""
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "index.html").write_text('<html><head><link rel="stylesheet" href="./viewer.css"></head><body>'
                                       '<script type="module" src="./viewer.js"></script></body></html>')
    (folder / "viewer.js").write_text("// " + "x" * 4000)
    (folder / "viewer.css").write_text("body {}")
    (folder / "secret.txt").write_text("not for sending")
    return folder


@pytest.fixture
def serve(page):
    """Serve a file with the stand-in page; closes everything afterwards."""
    servers = []

    def begin(path, **settings):
        server = view_server.ViewServer(view_server.LiveResults(str(path)), str(page), **settings)
        server.begin()
        servers.append(server)
        return server
    yield begin
    for server in servers:
        server.close()


def get(server, path, headers=None, raw=None, method="GET"):
    """(status, headers, body) of a request below the token, or of a path as it is when raw."""
    address = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
    connection.putrequest(method, raw if raw is not None else address.path + path, skip_host="Host" in (headers or {}), skip_accept_encoding=True)
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers, body


def test_bundles_hold_what_the_file_holds(folder, serve):
    server = serve(folder / "results.h5")
    results = scree.read(folder)
    index = json.loads(get(server, "index")[2])
    assert index["frames"] == len(results) and index["bodies"] == 14 and not index["growing"] and index["title"] == "rain.py"
    facts, scene = unbundle(get(server, "scene")[2])
    assert list(scene["body.id"]) == [b["id"] for b in results.bodies]
    assert facts["texts"][scene["body.label"][1]] == "ball 0" and facts["texts"][scene["body.label"][13]] == "post"
    for k in (0, 7, len(results) - 1):
        frame = results[k]
        facts_k, arrays = unbundle(get(server, f"frame/{k}?field=velocity")[2])
        assert facts_k["time"] == frame.time and facts_k["bodies"] == 14 and facts_k["contacts"] == len(frame.contacts["gap"])
        # Single precision of places within 4 m of the origin: half an ulp is 2.4e-7 m at most.
        assert np.allclose(arrays["position"] + facts["origin"], frame.positions, rtol=0, atol=3e-7)
        assert np.allclose(arrays["value.velocity"], np.linalg.norm(frame.velocities, axis=1), rtol=1e-6, atol=1e-12)
        # 16-bit quaternions: components to 1.5e-5, rotations to four times that.
        q = arrays["quaternion"].astype(float)
        q /= np.linalg.norm(q, axis=1)[:, None]
        x, y, z, w = q.T
        assert np.allclose(2 * (x * z + y * w), frame.rotations[:, 0, 2], atol=1e-4)
        assert np.allclose(1 - 2 * (x * x + y * y), frame.rotations[:, 2, 2], atol=1e-4)


def test_contacts_fields_and_ranges(folder, serve):
    server = serve(folder / "results.h5")
    results = scree.read(folder)
    last = len(results) - 1
    frame = results[last]
    forces = np.linalg.norm(frame.contacts["force"], axis=1)
    facts, c = unbundle(get(server, f"contacts/{last}")[2])
    assert facts["contacts"] == len(forces) and np.allclose(np.linalg.norm(c["force"], axis=1), np.sort(forces)[::-1], rtol=1e-6)
    assert np.allclose(c["force"], frame.contacts["force"][c["number"]], rtol=1e-5, atol=1e-6 * forces.max())
    # The force field of a body is the sum over its contacts.
    _, arrays = unbundle(get(server, f"frame/{last}?field=force")[2])
    ground = forces[(frame.contacts["bodies"] == frame.ids[0]).any(axis=1)].sum()
    assert arrays["value.force"][0] == pytest.approx(ground, rel=1e-6)
    # Kinetic energies of the bodies add up to the ledger's (which counts moving bodies).
    for k in (0, 5, last):
        _, arrays = unbundle(get(server, f"frame/{k}?field=kinetic_energy")[2])
        assert arrays["value.kinetic_energy"].sum() == pytest.approx(results[k].energies["kinetic"], rel=1e-5)
    reach = json.loads(get(server, "range/velocity")[2])
    speeds = np.concatenate([np.linalg.norm(f.velocities[1:], axis=1) for f in results])
    assert reach["high"] == pytest.approx(speeds.max(), rel=1e-9) and reach["low"] == pytest.approx(speeds.min(), rel=1e-9)


def test_numbers_of_bodies_and_contacts_are_exact(folder, serve):
    server = serve(folder / "results.h5")
    frame = scree.read(folder)[9]
    body = json.loads(get(server, "body/9/5")[2])
    assert body["position"] == list(frame.positions[5]) and body["velocity"] == list(frame.velocities[5]) and body["label"] == "ball 4"
    contact = json.loads(get(server, "contact/9/0")[2])
    assert contact["gap"] == frame.contacts["gap"][0] and contact["force"] == list(frame.contacts["local_force"][0])
    assert [side["id"] for side in contact["bodies"]] == list(frame.contacts["bodies"][0])


def test_histories(folder, serve):
    server = serve(folder / "results.h5")
    results = scree.read(folder)
    _, arrays = unbundle(get(server, "history/13")[2])
    times, positions = results.history("post")
    assert np.array_equal(arrays["time"], times) and np.array_equal(arrays["position"], positions)
    ids = results[len(results) - 1].contacts["bodies"][0]
    rows = [[b["id"] for b in results.bodies].index(i) for i in ids]
    _, pair = unbundle(get(server, f"pair/{rows[0]}/{rows[1]}")[2])
    frame = results[len(results) - 1]
    own = [set(p) == set(ids) for p in frame.contacts["bodies"].tolist()]
    assert pair["normal_force"][-1] == pytest.approx(frame.contacts["local_force"][own, 0].sum(), rel=1e-12)


@pytest.mark.parametrize("path", ["frame/999", "frame/-1", "frame/x", "frame/0?field=nope", "body/0/99", "contact/0/999999", "range/nope", "nothing",
                                  "frame", "history/99", "pair/0", "secret.txt", "frame/99999999999999"])
def test_what_is_not_there(folder, serve, path):
    status, _, body = get(serve(folder / "results.h5"), path)
    assert status == 404 and json.loads(body)["error"]


def test_strangers_are_refused(folder, serve, tmp_path):
    server = serve(folder / "results.h5")
    prefix = urllib.parse.urlsplit(server.url).path
    for raw in ("/", "/index", "/wrong/index", prefix[:-2] + "/index", prefix + "../results.h5", prefix + "%2e%2e/%2e%2e/etc/passwd",
                prefix + "..%2fresults.h5", prefix + "..\\results.h5", "/../../etc/passwd", "//etc/passwd", prefix + "./index"):
        status, _, body = get(server, "", raw=raw)
        assert status in (403, 404) and b"root:" not in body and json.loads(body)["error"], raw
    assert get(server, "", raw="/wrong/index")[0] == 403 and get(server, "", raw=prefix + "../x")[0] == 403
    # Another site's name that points to this machine.
    assert get(server, "index", {"Host": "evil.example:80"})[0] == 403
    assert get(server, "index", {"Host": "localhost:1"})[0] == 200
    for method in ("POST", "PUT", "DELETE"):
        assert get(server, "index", method=method)[0] == 501
    assert server.server_address[0] == "127.0.0.1" and len(server.token) >= 20
    assert serve(folder / "results.h5").token != server.token


def test_ranges_and_compression(folder, serve):
    server = serve(folder / "results.h5", compress="always")
    plain = get(server, "scene")[2]
    status, headers, part = get(server, "scene", {"Range": "bytes=8-31"})
    assert status == 206 and part == plain[8:32] and headers["Content-Range"] == f"bytes 8-31/{len(plain)}"
    for strange in ("bytes=\xb2-\xb3", "bytes=" + "9" * 5000 + "-", "bytes=0-1,3-4", "bytes=-", "bytes=a-b", "lines=1-2"):  # no ranges: the whole is the answer
        assert get(server, "scene", {"Range": strange})[:1] == (200,)
    assert get(server, "scene", {"Range": "bytes=-5"})[2] == plain[-5:] and get(server, "scene", {"Range": f"bytes={len(plain)}-"})[0] == 416
    plain = get(server, "series")[2]
    status, headers, packed = get(server, "series", {"Accept-Encoding": "gzip, br"})
    assert headers["Content-Encoding"] == "gzip" and gzip.decompress(packed) == plain and len(packed) < len(plain)
    # On this machine compression only costs time.
    assert "Content-Encoding" not in get(serve(folder / "results.h5"), "series", {"Accept-Encoding": "gzip"})[1]


def test_garbage_requests_do_not_stop_the_server(folder, serve):
    server = serve(folder / "results.h5")
    for garbage in (b"\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"A" * 70000):
        with socket.create_connection(server.server_address[:2], timeout=5) as s:
            try:
                s.sendall(garbage)
                s.shutdown(socket.SHUT_WR)
                s.recv(1000)
            except OSError:
                pass
    assert get(server, "index")[0] == 200


def test_half_open_connections_take_no_more_than_their_share(folder, serve, monkeypatch):
    monkeypatch.setattr(view_server._Handler, "timeout", 3.0)
    server = serve(folder / "results.h5")
    strangers = [socket.create_connection(server.server_address[:2], timeout=5) for _ in range(view_server.CONNECTIONS + 40)]
    try:
        limit = time.monotonic() + 5
        while len(server._open) < view_server.CONNECTIONS and time.monotonic() < limit:
            time.sleep(0.02)
        assert len(server._open) == view_server.CONNECTIONS
        # They are silent, and so lose their places to those who have something to say.
        while server._open and time.monotonic() < limit + 10:
            time.sleep(0.05)
        assert get(server, "index")[0] == 200
    finally:
        for stranger in strangers:
            stranger.close()


def test_only_those_who_know_the_token_keep_the_server_awake(folder, serve):
    server = serve(folder / "results.h5")
    server._asked -= 100.0
    assert get(server, "", raw="/wrong/index")[0] == 403 and server.idle_seconds() >= 100.0
    assert get(server, "index")[0] == 200 and server.idle_seconds() < 50.0


def test_waiting_for_a_folder_that_is_not_there_yet(folder, page, tmp_path, monkeypatch):
    monkeypatch.setattr(scree.view, "page_folder", lambda: str(page))
    server = scree.view.open(str(tmp_path / "later"), wait=True, browser=False, block=False, say=lambda text: None)
    try:
        assert json.loads(get(server, "index")[2])["frames"] == 0
        shutil.copytree(folder, tmp_path / "later")
        assert json.loads(get(server, "index")[2])["frames"] > 0
    finally:
        server.close()


def test_broken_files_are_explained(folder, serve, tmp_path, command):
    whole = (folder / "results.h5").read_bytes()
    path = tmp_path / "results.h5"
    for content in (b"", b"not HDF5 at all" * 100, whole[:len(whole) // 3]):
        path.write_bytes(content)
        status, _, body = get(serve(path), "index")
        assert status == 422 and str(path) in json.loads(body)["error"]
        done = command("view", path, "--no-browser")
        assert done.status == 2 and "results.h5" in done.err and "Traceback" not in done.err
    # It comes back by itself when the file is whole again.
    server = serve(path)
    assert get(server, "index")[0] == 422
    path.write_bytes(whole)
    assert json.loads(get(server, "index")[2])["frames"] == 21
    # And a file that shrinks is another one.
    before = json.loads(get(server, "index")[2])["generation"]
    path.write_bytes(whole[:1000])
    assert get(server, "index")[0] == 422
    path.write_bytes(whole)
    assert json.loads(get(server, "index")[2])["generation"] > before


def start(args, cwd, **settings):
    return subprocess.Popen([str(ROOT / "scree"), *map(str, args)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)


def test_a_run_in_progress_grows_and_is_left_alone(tmp_path, serve, script):
    path = tmp_path / "out" / "results.h5"
    server = serve(path)
    assert json.loads(get(server, "index")[2])["frames"] == 0
    run = start(["run", script(RAIN), "--out", "out", "--threads", "1", "--quiet", "--", "0.01"], tmp_path)
    seen, growing = [], False
    while run.poll() is None:
        index = json.loads(get(server, "index")[2])
        seen.append(index["frames"])
        growing |= index["growing"]
        if index["frames"]:
            facts, arrays = unbundle(get(server, f"frame/{index['frames'] - 1}?field=velocity")[2])
            assert len(arrays["position"]) == 14 and np.isfinite(arrays["position"]).all()
        time.sleep(0.02)
    assert run.wait() == 0, run.stderr.read()
    assert growing and sorted(set(seen)) == list(dict.fromkeys(seen)) and len(set(seen)) > 5
    index = json.loads(get(server, "index")[2])
    assert index["frames"] == 61 and not index["growing"]
    # Watched and not watched end in the same bits.
    alone = subprocess.run([str(ROOT / "scree"), "run", "script.py", "--out", "alone", "--threads", "1", "--quiet", "--", "0.0001"], cwd=tmp_path, timeout=120)
    assert alone.returncode == 0
    assert np.array_equal(scree.read(path)[60].positions, scree.read(tmp_path / "alone")[60].positions)


def test_killing_the_server_does_not_touch_the_run(tmp_path, script):
    run = start(["run", script(RAIN), "--out", "out", "--threads", "1", "--quiet", "--", "0.01"], tmp_path)
    viewer = subprocess.Popen([sys.executable, "-c", "import sys; from scree import view_server as v; import json\n"
                               "live = v.LiveResults(sys.argv[1])\nprint('on', flush=True)\nwhile True: live.index()", str(tmp_path / "out" / "results.h5")],
                              stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert viewer.stdout.readline().strip() == b"on"
    time.sleep(0.3)
    viewer.send_signal(signal.SIGKILL)
    viewer.wait()
    assert run.wait(timeout=120) == 0, run.stderr.read()
    assert len(scree.read(tmp_path / "out")) == 61


def test_a_full_disk_stops_the_run_with_words_and_leaves_the_frames(tmp_path, script):
    # A limit on the size of files stands for a full disk: writes fail in the same places.
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))
    run = start(["run", script(RAIN), "--out", "out", "--threads", "1"], tmp_path, preexec_fn=limit)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 1 and "writing failed" in err and "stay readable" in err, err
    results = scree.read(tmp_path / "out")
    assert 0 < len(results) < 21
    assert np.isfinite(results[len(results) - 1].positions).all()
    # What is left can be looked at.
    facts, arrays = unbundle(scree._scree.Wire(results.path).frame(len(results) - 1, ["velocity"]))
    assert len(arrays["position"]) == 14


def test_export_is_one_page(folder, page, tmp_path, monkeypatch, command):
    monkeypatch.setattr(view, "page_folder", lambda: str(page))
    out = view.export(folder, tmp_path / "rain.html", every=5)
    text = open(out, encoding="utf-8").read()
    parts = dict(re.findall(r'<script type="application/x-scree" data-name="([^"]+)">([^<]+)</script>', text))
    assert {f"frame/{k}" for k in range(5)} <= set(parts) and "frame/5" not in parts and "src=" not in text
    import base64
    facts, arrays = unbundle(gzip.decompress(base64.b64decode(parts["frame/2"])))
    results = scree.read(folder)
    assert facts["time"] == results[10].time and np.allclose(arrays["velocity"], results[10].velocities, rtol=1e-6, atol=1e-9)
    _, series = unbundle(gzip.decompress(base64.b64decode(parts["series"])))
    assert np.array_equal(series["frame.time"], results.times[::5])
    with pytest.raises(ValueError, match="MB for 21 frames.*every="):
        view.export(folder, tmp_path / "small.html", limit=0.03)
    assert not (tmp_path / "small.html").exists()


def test_usage(folder, command, tmp_path):
    assert command("view", "nowhere").status == 2 and "nowhere" in command("view", "nowhere").err
    with pytest.raises(ValueError, match="port"):
        view.open(folder, port=99999, browser=False)
    with pytest.raises(ValueError, match="compress"):
        view.open(folder, compress="very", browser=False)
