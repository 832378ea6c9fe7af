"""The server behind `scree view`: the page and bundles of one results file, to whoever knows the token. It only reads.

Addresses, below /TOKEN/: the page itself; index, scene, series, frame/K?field=NAME, contacts/K, range/NAME, body/K/ROW, contact/K/NUMBER,
history/ROW, pair/ROW/ROW (docs/results_format.md, "On the wire")."""
import gzip
import hmac
import http.server
import ipaddress
import json
import os
import re
import secrets
import socket
import threading
import time
import urllib.parse

from . import _scree

#: Contacts of a frame that are sent: more tubes than this are not to be told apart.
CONTACT_LIMIT = 60000
_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
#: Connections open at once: a browser keeps six, and pages of several people may look at one run.
CONNECTIONS = 64
#: Seconds a connection may be silent: before it has shown the token, and after.
_STRANGER_SECONDS, _GUEST_SECONDS = 5, 60
_BUNDLE = "application/octet-stream"
_JSON = "application/json"


class Refusal(Exception):
    """An answer other than 200, with words."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class LiveResults:
    """One results file, finished, growing or not there yet. Safe to use from several threads."""

    def __init__(self, path):
        self.path = path
        self._wire = None
        self._signature = None
        self._generation = 0
        self._lock = threading.Lock()

    def index(self):
        """What there is now, as a dictionary; OSError when the file is broken."""
        with self._lock:
            self._update()
            frames, bodies, shapes = self._wire.shape() if self._wire else (0, 0, 0)
            title = self._wire.title() if self._wire else ""
            return {"frames": frames, "bodies": bodies, "shapes": shapes, "generation": self._generation, "growing": self.growing(), "title": title,
                    "path": os.path.basename(self.path)}

    def wire(self):
        """The open file; OSError when it cannot be read."""
        with self._lock:
            if self._wire is None:
                self._update()
            if self._wire is None:
                raise OSError(f"{self.path}: there are no results yet")
            return self._wire

    def growing(self):
        """True while a run is writing: it holds a lock on the journal. Looking at the list of locks takes none."""
        try:
            status = os.stat(self.path + ".journal")
        except OSError:
            return False
        try:
            with open("/proc/locks", encoding="ascii") as file:
                return any(line.split()[-3].endswith(f":{status.st_ino}") for line in file)
        except (OSError, IndexError):
            return True

    def _update(self):
        """Look again when the file has changed."""
        signature = self._sign()
        if signature == self._signature and self._wire is not None:
            return
        if signature is None:
            if self._wire is not None:
                self._wire, self._signature = None, None
                self._generation += 1
            return
        try:
            if self._wire is None:
                self._wire = _scree.Wire(self.path)
                self._generation += 1
            else:
                before = self._wire.shape()
                self._wire.refresh()
                smaller = self._signature is not None and signature[:2] != self._signature[:2]
                if smaller or any(now < then for now, then in zip(self._wire.shape(), before)):
                    self._generation += 1
            self._signature = signature
        except OSError:
            # A run that has just begun, or is in the middle of a frame, is looked at again later.
            self._signature = None
            if not self.growing():
                self._wire = None
                raise

    def _sign(self):
        """Facts that change whenever the file does; None when there is none."""
        try:
            own = os.stat(self.path)
        except OSError:
            return None
        try:
            journal = os.stat(self.path + ".journal")
            mark = (journal.st_ino, journal.st_size, journal.st_mtime_ns)
        except OSError:
            mark = None
        return own.st_dev, own.st_ino, own.st_size, own.st_mtime_ns, mark


class ViewServer(http.server.ThreadingHTTPServer):
    """Serves until close()."""

    daemon_threads = True
    allow_reuse_address = False
    request_queue_size = CONNECTIONS

    def __init__(self, results, page, host="127.0.0.1", port=0, compress="auto"):
        self.results, self.compress = results, compress
        self.token = secrets.token_urlsafe(16)
        self.page = {}
        for name in sorted(os.listdir(page)):
            ending = os.path.splitext(name)[1]
            if ending in _TYPES:
                with open(os.path.join(page, name), "rb") as file:
                    self.page[name] = (file.read(), _TYPES[ending])
        self._asked = time.monotonic()
        self._thread = None
        self._open = set()  # connections
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise OSError(f"cannot listen on {host}, port {port}: {error.strerror or error}; choose another with --port") from None
        self.host = host
        shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
        self.url = f"http://{f'[{shown}]' if ':' in shown else shown}:{self.server_address[1]}/{self.token}/"

    @property
    def running(self):
        return self._thread is not None and self._thread.is_alive()

    def begin(self):
        """Answer from a thread of its own."""
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)
        self._thread.start()

    def close(self):
        """Stop answering, also those who are connected already."""
        if self.running:
            self.shutdown()
        self.server_close()
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def process_request(self, request, client_address):
        if len(self._open) >= CONNECTIONS:
            self.shutdown_request(request)
            return
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self._open.discard(request)
        super().shutdown_request(request)

    def touch(self):
        self._asked = time.monotonic()

    def idle_seconds(self):
        """Time since the last request, 0 while a run is writing."""
        if self.results.growing():
            self.touch()
        return time.monotonic() - self._asked

    def handle_error(self, request, client_address):
        """Pages that go away in the middle of an answer are nobody's concern."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "scree"
    sys_version = ""
    timeout = _STRANGER_SECONDS

    def log_message(self, *_):
        """Quiet."""

    def do_GET(self):
        self._respond(True)

    def do_HEAD(self):
        self._respond(False)

    def _respond(self, with_body):
        try:
            body, kind = self._answer()
            status = 200
        except Refusal as refusal:
            body, kind, status = _error(str(refusal)), _JSON, refusal.status
        except ValueError as error:
            body, kind, status = _error(str(error)), _JSON, 404
        except OSError as error:
            body, kind, status = _error(str(error)), _JSON, 422
        except MemoryError:
            body, kind, status = _error("not enough memory for this"), _JSON, 500
        self._send(status, body, kind, with_body)

    def _answer(self):
        self._check_host()
        parts = urllib.parse.urlsplit(self.path)
        segments = urllib.parse.unquote(parts.path, errors="strict").split("/")[1:]
        if not hmac.compare_digest(segments[0].encode(), self.server.token.encode()):
            raise Refusal(403, "Wrong token: open the address that `scree view` printed.")
        self.server.touch()
        self.connection.settimeout(_GUEST_SECONDS)
        if len(segments) == 1:
            raise Refusal(404, "The address ends with a slash.")
        rest = segments[1:]
        if any(s in (".", "..") or "\\" in s or "\0" in s for s in rest):
            raise Refusal(403, "Paths outside the results are refused.")
        if len(rest) == 1 and (rest[0] or "index.html") in self.server.page:
            return self.server.page[rest[0] or "index.html"]
        return self._data(rest, dict(urllib.parse.parse_qsl(parts.query)))

    def _check_host(self):
        """Names that lead here by somebody else's doing are refused, unless the server is open to all."""
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0].strip("[]")
        if self.server.host not in ("0.0.0.0", "::", "") and host not in ("127.0.0.1", "localhost", "::1", self.server.host):
            raise Refusal(403, f"This server does not answer to the name '{host}'.")

    def _data(self, path, query):
        name, rest = path[0], path[1:]
        counts = {"index": 0, "scene": 0, "series": 0, "frame": 1, "contacts": 1, "range": 1, "body": 2, "contact": 2, "history": 1, "pair": 2}
        if counts.get(name) != len(rest):
            raise Refusal(404, f"There is nothing at '{'/'.join(path)[:80]}'.")
        if name == "index":
            return json.dumps(self.server.results.index()).encode(), _JSON
        wire = self.server.results.wire()
        if name == "range":
            return json.dumps(dict(zip(("low", "high", "top"), wire.range(rest[0])))).encode(), _JSON
        numbers = [_integer(text) for text in rest]
        if name in ("body", "contact"):
            return getattr(wire, name)(*numbers).encode(), _JSON
        if name == "frame":
            return wire.frame(numbers[0], [query["field"]] if query.get("field") else []), _BUNDLE
        if name == "contacts":
            return wire.contacts(numbers[0], CONTACT_LIMIT), _BUNDLE
        return getattr(wire, "pair_history" if name == "pair" else name)(*numbers), _BUNDLE

    def _send(self, status, body, kind, with_body):
        headers = {"Content-Type": kind, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                   "Cross-Origin-Resource-Policy": "same-origin"}
        if kind.startswith("text/html"):
            headers["Content-Security-Policy"] = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src blob:; frame-ancestors 'none'"
        if status == 200:
            headers["Accept-Ranges"] = "bytes"
            status, body = self._cut(body, headers)
        if status == 200 and self._compresses(body):
            body = gzip.compress(body, 1, mtime=0)
            headers["Content-Encoding"] = "gzip"
        headers["Content-Length"] = str(len(body))
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def _cut(self, body, headers):
        """The part a Range header asks for: one range of bytes."""
        asked = re.fullmatch("bytes= *([0-9]{0,18})-([0-9]{0,18}) *", self.headers.get("Range") or "")
        first, last = asked.groups() if asked else ("", "")
        if not first and not last:
            return 200, body
        size = len(body)
        begin = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        if begin >= size or begin >= end:
            headers["Content-Range"] = f"bytes */{size}"
            return 416, b""
        headers["Content-Range"] = f"bytes {begin}-{end - 1}/{size}"
        return 206, body[begin:end]

    def _compresses(self, body):
        """Compression pays on a network; on this machine it only costs time."""
        if self.server.compress == "never" or len(body) < 1024 or "gzip" not in self.headers.get("Accept-Encoding", ""):
            return False
        return self.server.compress == "always" or not ipaddress.ip_address(self.client_address[0].partition("%")[0]).is_loopback


def _error(text):
    return json.dumps({"error": text}).encode()


def _integer(text):
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise Refusal(404, f"'{text[:40]}' is not a number.")
    return int(text)
