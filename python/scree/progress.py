"""Progress of a run: one updating line on a terminal, plain lines every few seconds elsewhere."""
import shutil
import sys
import time


def duration_text(seconds):
    """Seconds as 12 s, 3:05 or 2:10:00."""
    seconds = max(0, int(round(seconds)))
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


class Progress:
    """Shows simulated time, contacts, iterations, residual and remaining time on standard error."""

    def __init__(self, start, end, quiet=False, stream=None, interval=5.0):
        self._start, self._end = start, end
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._terminal = self._stream.isatty()
        self._interval = 0.1 if self._terminal else interval
        self._begun = self._shown = time.monotonic()
        self._first = start
        self._dirty = False

    def resume_at(self, now):
        """The run continues from this simulated time: remaining time is judged from here on."""
        self._first = now

    def update(self, now, row, force=False):
        """Show the state at simulated time `now` with the last row of the step table."""
        clock = time.monotonic()
        if self._quiet or (not force and clock - self._shown < self._interval):
            return
        self._shown = clock
        self._write(self.line(now, row, clock - self._begun))

    def line(self, now, row, elapsed):
        """The text for one state."""
        share = min(1.0, (now - self._start) / max(self._end - self._start, 1e-300))
        done = now - self._first
        left = elapsed * (self._end - now) / done if done > 0 else 0.0
        figures = f"t {now:.4g} / {self._end:.4g} s  contacts {row['contacts']}  iterations {row['iterations']}  residual {row['residual']:.1e}"
        tail = f"left {duration_text(left)}" if share < 1.0 else f"took {duration_text(elapsed)}"
        if not self._terminal:
            return f"{share:4.0%}  {figures}  {tail}"
        width = max(0, min(30, shutil.get_terminal_size().columns - len(figures) - len(tail) - 14))
        bar = "#" * round(share * width) + "-" * (width - round(share * width))
        return f"[{bar}] {share:4.0%}  {figures}  {tail}"

    def _write(self, text):
        if self._terminal:
            self._stream.write("\r\x1b[K" + text)
            self._dirty = True
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def note(self, text):
        """A message on its own line, shown even when quiet."""
        self.finish()
        self._stream.write(text + "\n")
        self._stream.flush()

    def finish(self):
        """Leave the updating line."""
        if self._dirty:
            self._stream.write("\n")
            self._stream.flush()
            self._dirty = False
