"""Reading results."""
import os

import numpy as np

from . import _check, _scree, notebook


#: Quantities of bodies over time, and what the file calls them.
QUANTITIES = {"positions": "position", "velocities": "velocity", "rotations": "rotation", "angular_velocities": "angular_velocity", "energies": "energy"}


class Frame:
    """State at one instant: time (s), step, ids, positions (m), rotations, velocities (m/s), angular_velocities (rad/s),
    body_energies (kinetic, internal, works external, contact, friction, damping; J), energies (totals, J), contacts
    (dictionary of arrays; forces act on the second body, N) and fields (dictionary of everything that is stored of bodies)."""

    def __init__(self, values):
        self.time, self.step = values["time"], values["step"]
        self.ids, self.fields = values["ids"], values["fields"]
        self.rows = self.fields["rows"]
        self.positions, self.rotations = self.fields["position"], self.fields["rotation"]
        self.velocities, self.angular_velocities = self.fields["velocity"], self.fields["angular_velocity"]
        self.body_energies, self.energies = self.fields["energy"], values["energies"]
        self.contacts = values["contacts"]
        axes = self.contacts["frame"]
        self.contacts["normal"] = axes[:, 0]
        self.contacts["force"] = np.einsum("nij,ni->nj", axes, self.contacts["local_force"])
        self.contacts["velocity"] = np.einsum("nij,ni->nj", axes, self.contacts["local_velocity"])

    def _repr_html_(self):
        energies = ", ".join(f"{name} {value:.4g}" for name, value in self.energies.items() if value)
        return notebook.table(f"frame at t = {self.time:g} s", [("bodies", len(self.ids)), ("contacts", len(self.contacts["gap"])), ("energies, J", energies)])

    def __repr__(self):
        return f"<Frame at t = {self.time:g} s: {len(self.ids)} bodies, {len(self.contacts['gap'])} contacts>"


class Results:
    """Results of a run, finished or growing.

    times: of the frames, s. steps: dictionary of arrays, one entry a step (time, contacts, iterations, residual,
    penetration_max, status, seconds a stage, ...). energies: dictionary of arrays, one entry a frame, J. bodies: list of
    dictionaries. results[k] or results.frame(k): a Frame."""

    def __init__(self, path):
        self.path = results_file(path)
        self._native = _scree.ResultsReader(self.path)
        self._index_bodies()

    def _index_bodies(self):
        """Read the body table; where labels are not unique the first body counts."""
        self._bodies = self._native.bodies()
        self._rows = {}
        for row, body in enumerate(self._bodies):
            self._rows[body["id"]] = row
            if body["label"]:
                self._rows.setdefault(body["label"], row)

    @property
    def title(self):
        return self._native.title()

    @property
    def version(self):
        """Version of Scree that wrote the file."""
        return self._native.version()

    @property
    def times(self):
        """Times of the frames, s."""
        return self._native.times()

    @property
    def bodies(self):
        """List of dictionaries: id, label, kind, material, mass, volume, center, tensor, radius,
        unknowns (of deformable bodies), first_frame, last_frame (-1: to the end)."""
        return self._bodies

    @property
    def steps(self):
        """The step table as a dictionary of arrays."""
        return self._native.steps()

    @property
    def energies(self):
        """Energies and works at the frames, J."""
        return self._native.energies()

    @property
    def body_frames(self):
        """Number of body states in all frames together."""
        return self._native.body_rows()

    @property
    def stages(self):
        """Names of the timed stages of a step."""
        return self._native.stages()

    def _place(self, index):
        """Index of a frame from the start; negative ones count from the end."""
        count = len(self)
        index = _check.integer("frame", index)
        if not -count <= index < count:
            raise ValueError(f"frame {index}: the results have {count} frames, 0 to {count - 1}" if count else f"{self.path}: there are no frames")
        return index % count

    def frame(self, index):
        """Frame by index; negative ones count from the end."""
        return Frame(self._native.frame(self._place(index)))

    def contacts(self, index):
        """Contacts and constraints of a frame: dictionary of arrays; local vectors are (normal, tangent 1, tangent 2)."""
        return self._native.contacts(self._place(index))

    def state(self, index, body):
        """(configuration, velocity) of a deformable body (id or label) in a frame; None where it is not or where it is rigid."""
        values = self._native.state(self._place(index), self.row(body))
        return np.split(values, 2) if len(values) else None

    def row(self, body):
        """Row of a body (id or label) in the body table."""
        if body not in self._rows:
            raise ValueError(f"body {body!r} is not in the results{_check.nearest(body, [b['label'] for b in self.bodies if b['label']])}")
        return self._rows[body]

    def histories(self, quantity, bodies, frames=None):
        """Array (frames, bodies, ...) of one quantity of some bodies (ids or labels) over the frames (default: all of them).

        quantity: 'positions' (m), 'velocities' (m/s), 'rotations', 'angular_velocities' (rad/s) or 'energies' (kinetic, internal;
        works external, contact, friction, damping; J). NaN where a body is not in a frame. A few reads a frame, however large
        the file is."""
        _check.choice("quantity", quantity, QUANTITIES)
        frames = np.arange(len(self)) if frames is None else np.ravel(frames)
        values = self._native.history(QUANTITIES[quantity], [self.row(b) for b in bodies], [int(k) for k in frames])
        return values.reshape(*values.shape[:2], 3, 3) if quantity == "rotations" else values

    def history(self, body, quantity="positions"):
        """(times, values) of one body (id or label) over the frames it is in; quantities as in histories()."""
        values = self.histories(quantity, [body])[:, 0]
        there = ~np.isnan(values.reshape(len(values), -1)[:, 0])
        return self.times[there], values[there]

    def picture(self, frame=-1, **settings):
        """One frame as a picture; settings as in scree.picture()."""
        from .pictures import picture
        return picture(self.path, frame=frame, **settings)

    def player(self, every=None, height=520):
        """The viewer inside a notebook; see scree.view.player()."""
        from .view import player
        return player(self.path, every=every, height=height)

    def refresh(self):
        """See what a running simulation has added; True when there is something new."""
        grown = self._native.refresh()
        self._index_bodies()
        return grown

    def __len__(self):
        return self._native.frames()

    def __getitem__(self, index):
        return self.frame(index)

    def __iter__(self):
        return (self.frame(k) for k in range(len(self)))

    def _repr_html_(self):
        steps, times = self.steps, self.times
        rows = [("frames", f"{len(self)}" + (f", t {times[0]:g} to {times[-1]:g} s" if len(times) else "")),
                ("bodies", notebook.kinds(b["kind"] for b in self._bodies)), ("steps", len(steps["time"]))]
        if len(steps["time"]):
            rows += [("contacts", f"{steps['contacts'].mean():.1f} a step, {steps['contacts'].max()} at most"),
                     ("iterations", f"{steps['iterations'].mean():.1f} a step, {steps['iterations'].max()} at most"),
                     ("residual", f"{steps['residual'].max():.2e} at most")]
        return notebook.table(self.path, rows) + (notebook.image(self.picture(size=(640, 360))) if len(times) else "")

    def __repr__(self):
        times = self.times
        span = f", t {times[0]:g} .. {times[-1]:g} s" if len(times) else ""
        return f"<Results {self.path}: {len(self)} frames{span}, {len(self.bodies)} bodies>"


def results_file(path):
    """The file itself, or results.h5 in a folder."""
    path = _check.path("path", path)
    return os.path.join(path, "results.h5") if os.path.isdir(path) else path


def read(path):
    """Open the results of a run: a folder or a file."""
    return Results(path)
