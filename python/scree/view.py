"""Results in the browser: `scree.view.open("out/drum")`, one page to send around: `scree.view.export("out/drum", "drum.html")`, or in a notebook:
`scree.view.player("out/drum")`."""
import base64
import gzip
import html
import io
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser

from . import _check, _native, _scree, bundles, movies
from .results import results_file
from .view_server import LiveResults, ViewServer

#: Largest exported page, MB.
EXPORT_LIMIT = 200.0
#: Contacts of a frame in an exported page.
EXPORT_CONTACTS = 20000


class PageTooLarge(ValueError):
    """An exported page exceeds its limit."""


def page_folder():
    """Folder of the built page; OSError says how to get it."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
    built = os.path.join(_native.build_folder(), "page")
    for folder in (built, beside) if "SCREE_BUILD" in os.environ else (beside, built):
        if os.path.isfile(os.path.join(folder, "index.html")):
            return folder
    raise OSError("the viewer's page is not built: run `make page` (it installs node; pictures without it: scree render)")


@_check.keywords
def open(path, port=0, host="127.0.0.1", browser=True, wait=False, block=True, idle=None, compress="auto", say=print):
    """Serve results to the browser until interrupted.

    path: folder or file; with wait it may not exist yet. port 0: any free one. host: "127.0.0.1" lets only this machine in. browser: open
    the page there. idle: stop by itself when the run is over and nobody has asked for anything for that many seconds. compress: 'auto' (for
    other machines), 'always' or 'never'. block=False: serve from a thread and return the server; its `url` is the address, close() ends it."""
    path = results_file(path)
    if wait and not os.path.exists(path) and not path.endswith(".h5"):
        path = os.path.join(path, "results.h5")  # a folder that is yet to be made
    _check.choice("compress", compress, ("auto", "always", "never"))
    live = LiveResults(path)
    if not wait:
        live.wire()
    server = ViewServer(live, page_folder(), host, _check.integer("port", port, 0, 65535), compress)
    say(f"view: {server.url}")
    if browser:
        threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
    server.begin()
    if not block:
        return server
    try:
        while server.running and not (idle is not None and server.idle_seconds() > idle):
            time.sleep(0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return None


def follow(path, idle=60.0):
    """Watch a run from a process of its own, which the run neither waits for nor depends on. Returns the process, None when it
    could not be started."""
    command = [sys.executable, "-m", "scree", "view", path, "--wait", "--idle", str(idle)]
    environment = dict(os.environ)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment["PYTHONPATH"] = os.pathsep.join(p for p in (package, environment.get("PYTHONPATH")) if p)
    try:
        page_folder()
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr.fileno(), start_new_session=True)
    except (OSError, ValueError) as error:
        print(f"scree: the run goes on without a viewer: {error}", file=sys.stderr)
        return None


@_check.keywords
def export(path, out, every=1, limit=EXPORT_LIMIT):
    """One self-contained page with every k-th frame of results, up to `limit` MB. Returns its path."""
    path, out = results_file(path), os.fspath(out)
    every, limit = _check.integer("every", every, 1), _check.positive("limit", limit)
    wire = _scree.Wire(path)
    frames = list(range(0, wire.shape()[0], every))
    if not frames:
        raise ValueError(f"{path}: there are no frames to export")
    page = _page(page_folder())
    parts, size = [], len(page)

    def add(name, bundle):
        nonlocal size
        text = base64.b64encode(gzip.compress(bundle, 6, mtime=0)).decode()
        parts.append(f'<script type="application/x-scree" data-name="{name}">{text}</script>\n')
        size += len(parts[-1])
        if size > 1e6 * limit:
            done = sum(name.startswith("frame/") for name in names) or 1
            needed = size * len(frames) / done / 1e6
            raise PageTooLarge(f"{out}: about {needed:.0f} MB for {len(frames)} frames, more than the limit of {limit:g} MB; "
                             f"take fewer (every={every * max(2, round(needed / limit + 0.5))}) or raise the limit")
        names.append(name)

    names = []
    _, bodies, shapes = wire.shape()
    ranges = {name: dict(zip(("low", "high", "top"), wire.range(name))) for name in [*wire.fields(), "contact"]}
    facts = {"frames": len(frames), "bodies": bodies, "shapes": shapes, "generation": 0, "growing": False, "title": wire.title(),
             "path": os.path.basename(path), "ranges": ranges}
    add("index", bundles.pack(facts))
    add("scene", wire.scene())
    add("series", wire.series(every))
    for k, frame in enumerate(frames):
        add(f"frame/{k}", wire.frame(frame, wire.fields(), True))
        add(f"contacts/{k}", wire.contacts(frame, EXPORT_CONTACTS, True))
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    head, tail = page.split("<!-- results -->")
    with movies.whole(out) as temporary, _open_text(temporary) as file:
        file.write(head)
        file.writelines(parts)
        file.write(tail)
    return out


class Player:
    """A page with results inside that a notebook shows in its place."""

    def __init__(self, page, height):
        self.page, self.height = page, height

    def _repr_html_(self):
        return (f'<iframe srcdoc="{html.escape(self.page)}" style="width:100%;height:{self.height}px;border:0" '
                'allow="fullscreen; clipboard-write"></iframe>')

    def __repr__(self):
        return f"<Player, {len(self.page) / 1e6:.1f} MB>"


@_check.keywords
def player(path, every=None, height=520, limit=30.0):
    """The viewer inside a notebook: the value of a cell. every: each k-th frame (default: as many as `limit` MB hold). height: pixels."""
    height = _check.integer("height", height, 100, 10000)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "page.html")
        step = 1 if every is None else every
        while True:
            try:
                export(path, out, every=step, limit=limit)
                break
            except PageTooLarge:
                if every is not None or _scree.Wire(results_file(path)).shape()[0] <= step:
                    raise
                step *= 2
        with _open_text(out, "r") as file:
            return Player(file.read(), height)


def _open_text(path, mode="w"):
    return io.open(path, mode, encoding="utf-8")


def _page(folder):
    """The page with its script and style inside, and a mark where results go."""
    def read(name):
        with _open_text(os.path.join(folder, name), "r") as file:
            return file.read()
    page = read("index.html")
    page = re.sub(r'<link rel="stylesheet"[^>]*>', lambda m: f"<style>{read('viewer.css')}</style>", page)
    page = re.sub(r'<script type="module"[^>]*></script>', "", page)
    script = read("viewer.js").replace("</script", "<\\/script")
    return page.replace("</body>", f'<!-- results --><script type="module">{script}</script></body>')
