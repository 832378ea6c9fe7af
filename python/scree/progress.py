"""Progress of a run: one updating line on a terminal, plain lines every few seconds elsewhere."""
import collections
import shutil
import sys
import time

#: Wall-clock time over which speed is judged at the least, s.
_RECENT = 10.0


def duration_text(seconds):
    """Seconds as 12 s, 3:05 or 2:10:00."""
    seconds = max(0, int(round(seconds)))
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


class Progress:
    """Shows simulated time, contacts, iterations, residual, steps that missed the tolerance and remaining time on standard error."""

    def __init__(self, quiet=False, stream=None, interval=5.0):
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._terminal = self._stream.isatty()
        self._interval = 0.1 if self._terminal else interval
        self._missed = 0
        self.balance = None  #: contacts of the busiest rank over the mean; None of one process
        self._asked, self._figure = "", "residual"
        self._dirty = False
        self.begin(0.0, 0.0, 0.0)

    def begin(self, start, end, now):
        """A run from `start` to `end`, which may go on from a later `now` (simulated times, s)."""
        self._start, self._end = start, end
        self._begun = self._shown = time.monotonic()
        self._marks = collections.deque([(self._begun, now)])  #: (wall clock, simulated time) of the last while, s

    def ask(self, tolerance, goal, bounded="residual"):
        """What steps must meet and aim at: in their residual, their merit, or the change of reactions in the last sweep."""
        self._figure = "merit" if bounded == "merit" else "residual"
        must = "change must" if bounded == "change" else "must"
        self._asked = f"{must} {tolerance:.3g}" if goal >= tolerance else f"{must} {tolerance:.3g}, goal {goal:.3g}"

    def missed(self, steps):
        """So many steps have missed the solver's tolerance up to now."""
        self._missed = steps

    def update(self, now, row, force=False):
        """Show the state at simulated time `now` with the last row of the step table."""
        clock = time.monotonic()
        if self._quiet or (not force and clock - self._shown < self._interval):
            return
        self._shown = clock
        self._mark(clock, now)
        self._write(self.line(now, row, clock - self._begun))

    def _mark(self, clock, now):
        """Remember this instant, and forget those further back than the last fifth of the run: its speed is what the rest will cost."""
        self._marks.append((clock, now))
        while len(self._marks) > 2 and clock - self._marks[1][0] > max(_RECENT, 0.2 * (clock - self._begun)):
            self._marks.popleft()

    def _left(self, now):
        """Seconds to the end at the speed of the last while."""
        (clock0, time0), (clock1, time1) = self._marks[0], self._marks[-1]
        return (clock1 - clock0) * (self._end - now) / (time1 - time0) if time1 > time0 else 0.0

    def line(self, now, row, elapsed):
        """The text for one state."""
        share = min(1.0, (now - self._start) / max(self._end - self._start, 1e-300))
        figures = f"t {now:.4g} / {self._end:.4g} s  contacts {row['contacts']}  iterations {row['iterations']}  {self._figure} {row[self._figure]:.1e}"
        if self._asked:
            figures += f" ({self._asked})"
        if self._missed:
            figures += f"  missed {self._missed}"
        if self.balance is not None:
            figures += f"  balance {self.balance:.2f}"
        tail = f"left {duration_text(self._left(now))}" if share < 1.0 else f"took {duration_text(elapsed)}"
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


class Silent(Progress):
    """Nothing at all: another rank shows what there is to show."""

    def __init__(self):
        super().__init__(quiet=True)

    def note(self, text):
        pass


class Percent(Progress):
    """Whole per cent of the duration on standard output, one after the other on a line of its own."""

    def __init__(self, quiet=False, stream=None, interval=5.0):
        super().__init__(quiet, stream or sys.stdout, interval)
        self._last = -1

    def update(self, now, row, force=False):
        share = int(100 * min(1.0, (now - self._start) / max(self._end - self._start, 1e-300)) + 1e-6)
        if not self._quiet and share > self._last:
            self._last = share
            self._stream.write(f"\r{share:3d}%" if self._terminal else f"{share}% ")
            self._stream.flush()
            self._dirty = True

    def note(self, text):
        """Where results are is left unsaid; warnings go to standard error."""
        self.finish()
        if not text.startswith("results:"):
            sys.stderr.write(text + "\n")
