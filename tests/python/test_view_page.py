"""The viewer's page in Debian's Chromium, driven by Playwright; skipped with a word where node, the page or the browser are missing, but never in CI."""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import numpy as np
import pytest

import scree
from conftest import ROOT
from scree import view

MODULES = ROOT / "viewer" / "node_modules"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def _missing():
    """Why the tests cannot run here; None when they can."""
    if shutil.which("node") is None:
        return "node is missing"
    if CHROMIUM is None:
        return "chromium is missing"
    if not (MODULES / "playwright-core").is_dir():
        return "playwright-core is not installed (npm ci in viewer/)"
    try:
        view.page_folder()
    except OSError as error:
        return str(error)
    return None


# In CI what is missing is a failure: nobody would see that these were left out.
pytestmark = pytest.mark.skipif(_missing() is not None and "CI" not in os.environ, reason=str(_missing()))

GRID = """
import scree
sim = scree.Simulation(step=1e-3, gravity=(0, 0, 0))
sim.surface_material(friction=0.4)
for k in range(20):
    sim.rigid(scree.sphere((0.5 * (k % 5), 0, 0.5 * (k // 5)), 0.15), density=1000, velocity=(0.1 * k, 0, 0), label=f"ball {k}")
for k in range(10):
    sim.rigid(scree.box(center=(0.5 * (k % 5), 0, -0.5 - 0.5 * (k // 5)), size=(0.25, 0.2, 0.3)), density=1000, angular_velocity=(0, 0.3 * k, 0))
sim.run(0.5, output=0.05)
"""

FALL = """
import scree
sim = scree.Simulation(step=2e-3)
sim.surface_material(friction=0.4)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
for k in range(6):
    sim.rigid(scree.sphere((0.25 * (k % 3), 0, 1.2 + 0.25 * (k // 3)), 0.1), density=1000)
sim.run(0.6, output=0.05)
"""

SLOW = """
import os, time, scree
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.4)
sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
for k in range(6):
    sim.rigid(scree.sphere((0.3 * k, 0, 0.3), 0.1), density=1000)
def tick(_):
    for time_then, file in ((0.1, "page_is_there"), (0.5, "page_is_gone")):
        while sim.time > time_then and not os.path.exists(file):
            time.sleep(0.02)
    return 1
sim.callback(0.01, tick)
sim.run(1.0, output=0.01, quiet=True)
"""


SOFT = """
import scree
sim = scree.Simulation(step=5e-4, gravity=(0, 0, 0))
sim.surface_material(friction=0.4)
soft = sim.bulk_material(density=1000, young=2e4, poisson=0.3)
sim.obstacle(scree.box(center=(0.5, 0.25, -0.1), size=(6, 1, 0.2)))
corners = [(x, y, z) for z in (0.05, 0.55) for x, y in ((0, 0), (1, 0), (1, 0.5), (0, 0.5))]
sim.finite_element(scree.hex(corners, (3, 2, 2)), material=soft, velocity=(0, 0, -2), label="block")
sim.pseudo_rigid(scree.box(center=(2, 0.25, 0.3), size=(0.5, 0.5, 0.5)), material=soft, velocity=(0, 0, -2), label="jelly")
sim.pseudo_rigid(scree.sphere((-1, 0.25, 0.35), 0.3), material=soft, velocity=(0, 0, -2), round_spheres=False, label="ball")
sim.run(0.1, output=0.02)
"""


class Browser:
    """One browser for all tests; see tests/viewer/browser.mjs."""

    def __init__(self):
        self._node = subprocess.Popen(["node", str(ROOT / "tests" / "viewer" / "browser.mjs"), CHROMIUM, str(MODULES)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def __call__(self, do, **values):
        self._node.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self._node.stdin.flush()
        line = self._node.stdout.readline()
        assert line, "the browser is gone"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def counters(self):
        return self("evaluate", code="window.scree.counters")

    def ready(self, url, **values):
        self("open", url=url, **values)
        self("wait", until="window.scree?.counters.ready === true")

    def picture(self, path):
        """What is on the canvas, without panels: an array of RGB."""
        self("evaluate", code="window.scree.draw()")
        self("screenshot", path=str(path))
        from matplotlib import image
        return image.imread(path)[:, :, :3]

    def end(self):
        self._node.stdin.close()
        self._node.wait(timeout=20)


@pytest.fixture(scope="module")
def browser():
    browser = Browser()
    yield browser
    browser.end()


def run(folder, text, name, **environment):
    (folder / name).write_text(text)
    subprocess.run([str(ROOT / "scree"), "run", name, "--out", "out", "--threads", "1", "--quiet"], cwd=folder, check=True, timeout=240,
                   env={**os.environ, **environment})
    return folder / "out"


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """30 bodies that do not hide each other."""
    return run(tmp_path_factory.mktemp("grid"), GRID, "grid.py")


@pytest.fixture(scope="module")
def drum(tmp_path_factory):
    """The rotating drum, a short run of it."""
    return run(tmp_path_factory.mktemp("drum"), (ROOT / "examples" / "drum.py").read_text(), "drum.py", SCREE_SHORT="1")


@pytest.fixture
def serve():
    servers = []

    def begin(path, **settings):
        servers.append(view.open(path, browser=False, block=False, say=lambda text: None, **settings))
        return servers[-1]
    yield begin
    for server in servers:
        server.close()


def test_drum_opens_and_draws_its_bodies(browser, serve, drum):
    results = scree.read(drum)
    browser.ready(serve(drum).url)
    last = len(results) - 1
    browser("evaluate", code=f"window.scree.seek({last})")
    counters = browser.counters()
    moving = sum(b["kind"] == "rigid" for b in results.bodies)
    assert moving == 60 and counters["bodies"] == moving and counters["obstacles"] == 3
    assert counters["frames"] == len(results) and counters["time"] == results.times[last]
    # Ellipsoids, the drum with its sides: two draw calls.
    assert counters["drawCalls"] <= 3
    assert browser("text", selector=".heading h1") == "drum.py" and "60 bodies" in browser("text", selector=".caption")
    # Every ellipsoid of the heap that is seen is one of the file's; most are not hidden completely.
    seen = {int(k): v for k, v in browser("evaluate", code="window.scree.visibleBodies()").items()}
    rigid = {k for k, b in enumerate(results.bodies) if b["kind"] == "rigid"}
    assert set(seen) <= rigid and len(seen) > 30
    assert browser("errors") == []


def test_pixels_show_the_right_number_of_bodies(browser, serve, grid, tmp_path):
    browser.ready(serve(grid).url)
    assert browser.counters()["bodies"] == 30
    seen = {int(k): v for k, v in browser("evaluate", code="window.scree.visibleBodies()").items()}
    assert set(seen) == set(range(30))
    # Spheres are equal discs; the camera's perspective makes the difference.
    balls = np.array([seen[k] for k in range(20)])
    assert balls.min() > 100 and balls.max() / balls.min() < 1.6
    # And from the picture itself: as many separate spots differ from the background.
    picture = browser.picture(tmp_path / "grid.png")[80:560, 20:960]
    spots = (np.abs(picture - picture[0, 0]).max(axis=2) > 0.06)
    assert _spots(spots) == 30


def test_the_first_view_holds_what_moves_to_its_end(browser, serve, tmp_path):
    results = run(tmp_path, FALL, "fall.py")
    browser.ready(serve(results).url)
    read = scree.read(results)
    rows = [k for k, b in enumerate(read.bodies) if b["kind"] == "rigid"]
    for frame in (0, 6, 12):
        browser("evaluate", code=f"window.scree.seek({frame})")
        inside = browser("evaluate", code=f"""(() => {{ const r = document.querySelector('canvas.picture').getBoundingClientRect();
            return {rows}.every(k => {{ const [x, y] = window.scree.screen(k); return x > r.left && x < r.right && y > r.top && y < r.bottom; }}); }})()""")
        assert inside, frame
    # The caption counts contacts as the row of the step does: those that touch, not all within reach.
    assert f" {read.steps['contacts'][-1]} contacts" in browser("text", selector=".caption")


def _spots(mask):
    """Number of connected regions of at least 30 pixels."""
    left, count = mask.copy(), 0
    while left.any():
        stack, size = [tuple(np.argwhere(left)[0])], 0
        left[stack[0]] = False
        while stack:
            y, x = stack.pop()
            size += 1
            for v, u in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                if 0 <= v < left.shape[0] and 0 <= u < left.shape[1] and left[v, u]:
                    left[v, u] = False
                    stack.append((v, u))
        count += size >= 30
    return count


def test_timeline_and_keyboard(browser, serve, grid):
    results = scree.read(grid)
    browser.ready(serve(grid).url)
    for key, frame in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", len(results) - 1), ("Home", 0)):
        browser("press", key=key)
        browser("wait", until=f"window.scree.counters.frame === {frame}")
        assert browser.counters()["time"] == results.times[frame]
    before = browser("evaluate", code="window.scree.screen(5)")
    browser("press", key="Space")
    browser("wait", until="window.scree.counters.frame >= 4")
    browser("press", key="Space")
    assert browser("evaluate", code="window.scree.screen(5)") != before
    assert re.fullmatch(r"\d+ / 11", browser("text", selector=".frame-number"))


def test_colours_follow_the_field(browser, serve, grid, tmp_path):
    browser.ready(serve(grid).url)
    pictures = {}
    for field in ("velocity", "kinetic_energy", "body", "none"):
        browser("evaluate", code=f"window.scree.set({{field: '{field}'}})")
        browser("evaluate", code="window.scree.seek(10)")
        pictures[field] = browser.picture(tmp_path / f"{field}.png")[80:560, 20:960]
    names = list(pictures)
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            assert np.abs(pictures[a] - pictures[b]).max() > 0.1, (a, b)
    # The fastest ball is at the bright end of the map, the one at rest at the dark end.
    browser("evaluate", code="window.scree.set({field: 'velocity'})")
    browser("wait", until="window.scree.counters.range[1] > 1.8")
    browser("evaluate", code="window.scree.seek(0)")
    picture = browser.picture(tmp_path / "speed.png")
    colour = {}
    for row in (0, 19):
        x, y = browser("evaluate", code=f"window.scree.screen({row})")
        colour[row] = picture[int(y), int(x)]
    assert colour[19].sum() > colour[0].sum() + 0.5 and colour[19][2] < colour[19][1]
    # The legend states quantity, unit and range; a fixed one stays.
    legend = browser("text", selector=".legend")
    assert "Speed" in legend and "m/s" in legend and "1.9" in legend
    browser("evaluate", code="window.scree.set({range: 'fixed', low: 0, high: 40})")
    browser("evaluate", code="window.scree.seek(3)")
    assert browser.counters()["range"] == [0, 40] and "40" in browser("text", selector=".legend")


def _number(text):
    """A number as the page writes it: 9.07·10⁻²²."""
    return float(text.strip().replace("−", "-").replace("·10", "e").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))


def test_picking_shows_the_numbers_of_the_file(browser, serve, drum):
    results = scree.read(drum)
    frame = results[len(results) - 1]
    browser.ready(serve(drum).url + f"#frame={len(results) - 1}")
    seen = browser("evaluate", code="window.scree.visibleBodies()")
    row = int(max(seen, key=seen.get))
    x, y = browser("evaluate", code=f"window.scree.screen({row})")
    browser("click", x=x, y=y)
    browser("wait", until="document.querySelector('.facts [data-key=Position]') !== null")
    picked = int(browser("evaluate", code="window.scree.state.selected").lstrip("b"))
    at = int(np.flatnonzero(frame.rows == picked)[0])
    shown = browser("text", selector=".facts [data-key=Position]")
    values = [_number(v) for v in shown.split(",")]
    # Six figures are shown: half a unit of the sixth is at most 5e-6 of the number.
    assert np.allclose(values, frame.positions[at], rtol=5e-6, atol=1e-12)
    assert browser("text", selector=".facts [data-key=Contacts]") == str(int((frame.contacts["bodies"] == frame.ids[at]).any(axis=1).sum()))
    browser("wait", until="document.querySelectorAll('.selection .chart').length >= 3")
    # A contact from the list: the same.
    browser("evaluate", code="document.querySelector('.partners button').click()")
    browser("wait", until="document.querySelector('.facts [data-key=Gap]') !== null")
    number = int(browser("evaluate", code="window.scree.state.selected").lstrip("c"))
    force = browser("text", selector=".facts [data-key='Normal force']")
    assert _number(force) == pytest.approx(frame.contacts["local_force"][number, 0], rel=1e-4)


def test_charts_show_round_numbers_whole_and_take_a_time(browser, serve, drum):
    results = scree.read(drum)
    browser.ready(serve(drum).url)
    browser("evaluate", code="[...document.querySelectorAll('.tabs button')].find((b) => b.textContent === 'Plots').click()")
    browser("wait", until="document.querySelectorAll('.chart .u-over').length >= 6")
    # Axes leave room for their widest label: the plot begins right of it and ends inside the chart.
    places = browser("evaluate", code="""[...document.querySelectorAll('.chart')].filter((c) => c.querySelector('.u-over')).map((c) => {
        const [whole, plot] = [c, c.querySelector('.u-over')].map((e) => e.getBoundingClientRect());
        return [plot.left - whole.left, whole.right - plot.right, plot.width]; })""")
    assert all(left > 15 and right >= 0 and width > 120 for left, right, width in places), places
    # Pressing in the middle of the first chart shows the frame nearest to half the time.
    x, y = browser("evaluate", code="(() => { const r = document.querySelector('.chart .u-over').getBoundingClientRect(); return [r.left + 0.5 * r.width, r.top + 0.5 * r.height]; })()")
    browser("click", x=x, y=y)
    middle = int(np.argmin(np.abs(results.times - 0.5 * (results.times[0] + results.times[-1]))))
    browser("wait", until=f"Math.abs(window.scree.state.frame - {middle}) <= 1")
    left = browser("evaluate", code="document.querySelector('.chart .chart-time').getBoundingClientRect().left")
    assert left == pytest.approx(x, abs=12)


def test_forces_cut_and_obstacles(browser, serve, drum, tmp_path):
    results = scree.read(drum)
    last = len(results) - 1
    frame = results[last]
    forces = np.linalg.norm(frame.contacts["force"], axis=1)
    everything = np.sort(np.concatenate([np.linalg.norm(f.contacts["force"], axis=1) for f in results]))
    widest = everything[int(np.ceil(0.995 * (len(everything) - 1)))]
    drawn = forces >= 1e-3 * widest
    obstacles = [b["id"] for b in results.bodies if b["kind"] == "obstacle"]
    moving = ~np.isin(frame.contacts["bodies"], obstacles)
    # One tube for each moving body of a contact, one arrow for each contact.
    browser.ready(serve(drum).url + f"#frame={last}&contacts=chains&bodies=glass")
    assert browser.counters()["contacts"] == moving[drawn].sum() > 0
    browser("evaluate", code="window.scree.set({contacts: 'arrows', bodies: 'solid'})")
    browser("wait", until=f"window.scree.counters.contacts === {drawn.sum()}")
    browser("evaluate", code="window.scree.set({contacts: 'none', obstacles: 'hidden'})")
    browser("wait", until="window.scree.counters.contacts === 0")
    whole = browser("evaluate", code="window.scree.visibleBodies()")
    browser("evaluate", code="window.scree.set({cut: 'x', cutAt: 0.5})")
    cut = browser("evaluate", code="window.scree.visibleBodies()")
    assert sum(cut.values()) < 0.9 * sum(whole.values())
    assert browser("errors") == []


def test_deforming_bodies(browser, serve, tmp_path):
    folder = run(tmp_path, SOFT, "soft.py")
    results = scree.read(folder)
    frame = results[len(results) - 1]
    browser.ready(serve(folder).url + "#field=von_mises&theme=light&obstacles=hidden")
    seen = {}
    for k in (0, len(results) - 1):
        browser("evaluate", code=f"window.scree.seek({k})")
        browser("evaluate", code="window.scree.draw()")
        seen[k] = {int(b): n for b, n in browser("evaluate", code="window.scree.visibleBodies()").items()}
        assert set(seen[k]) == {1, 2, 3}
    # They have hit the floor: their shadows change as they flatten and spread, more than by coming a few centimetres down.
    assert all(b["kind"] != "rigid" for b in results.bodies) and np.linalg.det(frame.rotations[2]) != pytest.approx(1.0, abs=0.01)
    assert any(abs(seen[len(results) - 1][b] / seen[0][b] - 1) > 0.03 for b in (1, 2, 3))
    legend = browser("text", selector=".legend")
    assert "Von Mises" in legend and "Pa" in legend and browser.counters()["range"][1] > 0
    # Colours vary within the finite element body.
    picture = browser.picture(tmp_path / "soft.png")
    x, y = map(int, browser("evaluate", code="window.scree.screen(1)"))
    assert np.ptp(picture[y - 20:y + 20, x - 40:x + 40].reshape(-1, 3), axis=0).max() > 0.05
    assert browser("errors") == []


def test_links_bring_the_view_back(browser, serve, grid):
    url = serve(grid).url
    browser.ready(url)
    browser("evaluate", code="window.scree.set({field: 'displacement', theme: 'dark', contacts: 'chains', cut: 'z', cutAt: 0.25})")
    browser("evaluate", code="window.scree.seek(7)")
    browser("wait", until="location.hash.includes('frame=7')")
    link = browser("evaluate", code="location.href")
    browser.ready(link)
    state = browser("evaluate", code="window.scree.state")
    assert (state["frame"], state["field"], state["theme"], state["cut"], state["cutAt"]) == (7, "displacement", "dark", "z", 0.25)
    assert browser.counters()["frame"] == 7


def test_pictures_and_sequences_are_saved(browser, serve, grid, tmp_path):
    browser.ready(serve(grid).url)
    browser("save", action="document.querySelector('[data-action=camera]').click()", path=str(tmp_path / "one.png"))
    assert (tmp_path / "one.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and (tmp_path / "one.png").stat().st_size > 10000
    name = browser("save", action="document.querySelector('[data-action=film]').dispatchEvent(new MouseEvent('click', {shiftKey: true, bubbles: true}))",
                   path=str(tmp_path / "all.zip"))
    assert name.endswith(".zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert archive.testzip() is None and len(archive.namelist()) == 11


def test_a_video_is_recorded(browser, serve, grid, tmp_path):
    browser.ready(serve(grid).url + "#rate=10", width=800, height=480)
    browser("evaluate", code="window.scree.seek(3)")
    name = browser("save", action="document.querySelector('[data-action=film]').click()", path=str(tmp_path / "run.webm"))
    assert name == "grid_0010.webm"
    film = (tmp_path / "run.webm").read_bytes()
    assert film[:4] == b"\x1aE\xdf\xa3" and len(film) > 5000
    # The browser itself plays it: as large as the picture, eleven frames at ten a second, or fewer on a busy machine.
    source = "data:video/webm;base64," + base64.b64encode(film).decode()
    size = browser("evaluate", code=f"""new Promise((resolve, reject) => {{
        const film = document.createElement('video');
        film.onerror = () => reject(new Error('it does not play'));
        film.onloadedmetadata = () => {{ film.currentTime = 1e6; film.onseeked = () => resolve([film.videoWidth, film.videoHeight, film.currentTime]); }};
        film.src = '{source}'; }})""")
    picture = browser("evaluate", code="[document.querySelector('canvas.picture').width, document.querySelector('canvas.picture').height]")
    assert size[:2] == picture and 0.8 < size[2] < 60.0
    # Then the frame from before is back.
    browser("wait", until="window.scree.counters.frame === 3")
    assert browser("errors") == []


def test_the_first_view_fills_the_window(browser, serve, grid, drum, tmp_path):
    plate = run(tmp_path, supported(height=0.1), "plate.py")
    for path, width, height in ((grid, 1280, 720), (grid, 700, 900), (drum, 1280, 720), (plate, 1280, 720)):
        browser.ready(serve(path).url + "#panel=0&obstacles=solid", width=width, height=height)
        # The drum is empty at first: it begins with the frame that has bodies.
        assert browser.counters()["bodies"] > 0
        browser("evaluate", code="document.querySelectorAll('.overlay, .tools').forEach(e => e.style.display = 'none')")
        there = []
        frames = len(scree.read(path))
        for frame in (browser.counters()["frame"], (frames - 1) // 2, frames - 1):
            browser("evaluate", code=f"window.scree.seek({frame})")
            picture = browser.picture(tmp_path / "view.png")[:height - 60]
            there.append(np.argwhere(np.abs(picture - picture[2, 2]).max(axis=2) > 0.04))
        there = np.concatenate(there)
        extent = np.ptp(there, axis=0) / picture.shape[:2]
        # Across or upright what is seen, first, in the middle and at the end, reaches from margin to margin (0.94 and 0.84 of the window), and it lies in the middle.
        assert extent[1] > 0.88 or extent[0] > 0.78, (path, width, height, extent)
        assert np.abs((there.min(axis=0) + there.max(axis=0)) / 2 / picture.shape[:2] - 0.5).max() < 0.06


def test_plots_are_relative_to_the_start(browser, serve, drum):
    results = scree.read(drum)
    browser.ready(serve(drum).url + "#tab=plots")
    energies = browser("evaluate", code="window.scree.plots.energies")
    for name in ("kinetic", "potential"):
        expected = results.energies[name] - results.energies[name][0]
        assert np.allclose(energies[name], expected, atol=1e-9 * np.abs(expected).max())
    row = next(k for k, b in enumerate(results.bodies) if b["kind"] == "rigid")
    browser.ready(serve(drum).url + f"#selected=b{row}")
    browser("wait", until="window.scree.plots.Displacement !== undefined")
    plots = browser("evaluate", code="window.scree.plots")
    _, places = results.history(results.bodies[row]["id"])
    assert np.allclose(plots["Displacement"]["z"], places[:, 2] - places[0, 2]) and np.allclose(plots["Position"]["x"], places[:, 0])


def test_a_notebook_shows_the_player(browser, grid, tmp_path):
    player = scree.read(grid).player(height=400)
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><body>{player._repr_html_()}</body>")
    browser("open", url=page.as_uri())
    inside = "document.querySelector('iframe').contentWindow.scree"
    browser("wait", until=f"{inside}?.counters.ready === true")
    assert browser("evaluate", code=f"{inside}.counters.bodies") == 30
    assert browser("evaluate", code=f"{inside}.seek(5).then(() => {inside}.counters.time)") == pytest.approx(0.25)
    assert browser("errors") == []


def supported(height):
    """Balls on a base of some height that stands on three points."""
    return f"""
import scree
sim = scree.Simulation(step=1e-3)
sim.surface_material(friction=0.5)
base = sim.rigid(scree.box(center=(0, 0, {-0.5 * height}), size=(2, 2, {height})), density=20000, label="base")
for x, y in ((-1, -1), (1, -1), (0, 1)):
    sim.fix_point(base, (x, y, {-height}))
for k in range(4):
    sim.rigid(scree.sphere((0.21 * k - 0.3, 0, 0.1), 0.1), density=1000)
sim.run(0.05, output=0.05)
"""


def test_supports_are_no_chains(browser, serve, tmp_path):
    folder = run(tmp_path, supported(height=1), "supported.py")
    contacts = scree.read(folder)[-1].contacts
    own = contacts["kind"] == 0
    assert own.sum() == 4 and (~own).sum() == 3
    browser.ready(serve(folder).url + "#frame=1&contacts=chains")
    assert browser.counters()["contacts"] == 4 and "4 contacts" in browser("text", selector=".caption")
    top = browser("evaluate", code="[...document.querySelectorAll('.legend')].at(-1).dataset.high")
    # The weight of a ball, not that of the base.
    assert float(top) == pytest.approx(np.linalg.norm(contacts["force"][own], axis=1).max(), rel=1e-3)


def test_a_live_run_grows_on_the_page(browser, serve, tmp_path, script):
    server = serve(tmp_path / "out" / "results.h5", wait=True)
    browser("open", url=server.url)
    browser("wait", until="document.querySelector('.message:not([hidden])') !== null")
    assert "first frame" in browser("text", selector=".message")
    running = subprocess.Popen([str(ROOT / "scree"), "run", str(script(SLOW)), "--out", "out", "--threads", "1", "--quiet"], cwd=tmp_path)
    try:
        browser("wait", until="window.scree.counters.ready && window.scree.counters.growing", seconds=60)
        first = browser.counters()
        (tmp_path / "page_is_there").touch()
        browser("wait", until=f"window.scree.counters.frames > {first['frames'] + 5}", seconds=60)
        browser("wait", until=f"window.scree.counters.following && window.scree.counters.frame > {first['frame']}", seconds=60)
        # The page goes away in the middle of it.
        browser("close")
        assert running.poll() is None
        (tmp_path / "page_is_gone").touch()
        assert running.wait(timeout=120) == 0
    finally:
        if running.poll() is None:
            running.terminate()
    assert len(scree.read(tmp_path / "out")) == 101


def test_broken_results_give_a_message(browser, serve, grid, tmp_path):
    path = tmp_path / "results.h5"
    shutil.copy(grid / "results.h5", path)
    server = serve(path)
    path.write_bytes(path.read_bytes()[:5000])
    browser("open", url=server.url)
    browser("wait", until="document.querySelector('.message:not([hidden])') !== null")
    message = browser("text", selector=".message")
    assert "cannot be shown" in message and str(path) in message
    # A server that goes away: what is there stays, with a word.
    shutil.copy(grid / "results.h5", path)
    browser("wait", until="window.scree.counters.ready")
    server.close()
    browser("wait", until="document.querySelector('.notice:not([hidden])')?.textContent.includes('does not answer')", seconds=20)
    assert browser.counters()["bodies"] == 30


def test_a_wrong_token_and_paths_outside(browser, serve, grid):
    server = serve(grid)
    address = re.match(r"http://[^/]+", server.url)[0]
    assert browser("open", url=address + "/wrongtoken/") == 403
    assert browser("open", url=server.url + "..%2f..%2fetc/passwd") == 403


def test_without_webgl_the_page_says_so(browser, serve, grid):
    browser("open", url=serve(grid).url, script="HTMLCanvasElement.prototype.getContext = () => null;")
    browser("wait", until="document.querySelector('.message:not([hidden])') !== null")
    assert "WebGL" in browser("text", selector=".message") and "scree render" in browser("text", selector=".message")


def test_an_exported_page_needs_no_server(browser, grid, tmp_path):
    page = view.export(grid, tmp_path / "grid.html", every=2)
    browser.ready(pathlib.Path(page).as_uri())
    counters = browser.counters()
    assert counters["frames"] == 6 and counters["bodies"] == 30
    browser("evaluate", code="window.scree.seek(5)")
    assert browser.counters()["time"] == pytest.approx(0.5)
    x, y = browser("evaluate", code="window.scree.screen(7)")
    browser("click", x=x, y=y)
    browser("wait", until="document.querySelector('.facts [data-key=Position]') !== null")
    position = scree.read(grid)[10].positions[7]
    assert _number(browser("text", selector=".facts [data-key=Position]").split(",")[0]) == pytest.approx(position[0], rel=1e-4)
    assert browser("errors") == []


def test_it_fits_small_screens(browser, serve, grid):
    for width, height in ((1280, 720), (1024, 640)):
        browser.ready(serve(grid).url, width=width, height=height)
        inside = browser("evaluate", code="""[...document.querySelectorAll('.timeline, .tools, .legend, .panel .tabs, .heading')].every(e => {
            const r = e.getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth + 1 && r.top >= 0 && r.bottom <= innerHeight + 1 && r.width > 0; })""")
        assert inside, (width, height)
