"""Figures from results, ready for print: histories, the energy ledger, force chains, distributions of contact forces, the solver's
convergence, where the time goes.

    scree.plot.histories("out/drum", ["contacts", "residual", "drum.x"], "histories.png")
    scree.plot.energy_ledger("out/drum", "energy.pdf")

Every function takes results (a folder, a file or what scree.read() gives) and the name of a picture (.png, .pdf or .svg), and
returns its path; without a name it returns matplotlib's figure."""
import os

import numpy as np

from . import _check, _scree, bundles, measure
from .results import Results

ENERGIES = ("kinetic", "potential", "internal", "external", "contact", "friction", "damping")
#: Entity -> label of its axis.
STEPS = {"contacts": "contacts", "iterations": "iterations", "residual": "residual", "penetration_max": "largest penetration, m",
         "penetration_mean": "mean penetration, m", "bodies": "bodies", "h": "step, s"}
#: Measures of packings -> label of the axis.
MEASURES = {"coordination": "coordination number", "pressure": "pressure, Pa", "stress": "stress, Pa (tension > 0)", "porosity": "porosity"}
#: Colours that colour-blind readers tell apart, and that survive a copier.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333")
#: One column of a journal, mm -> inch.
WIDTH = 160 / 25.4


def _style():
    """Settings in force while a figure is drawn."""
    from cycler import cycler
    return {"font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9, "legend.fontsize": 8, "xtick.labelsize": 8, "ytick.labelsize": 8,
            "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.7, "lines.linewidth": 1.1, "axes.prop_cycle": cycler(color=COLOURS),
            "axes.grid": True, "grid.alpha": 0.25, "grid.linewidth": 0.6, "legend.frameon": False, "figure.dpi": 110, "savefig.dpi": 200,
            "pdf.fonttype": 42, "svg.fonttype": "none", "axes.formatter.limits": (-3, 5), "axes.formatter.use_mathtext": True}


class _Drawing:
    """A figure with the house style; `with` it, draw on .axes, then it is saved."""

    def __init__(self, out, rows=1, columns=1, height=None, **settings):
        import matplotlib
        from matplotlib.figure import Figure
        self.out = None if out is None else _check.path("out", out)
        self._context = matplotlib.rc_context(_style())
        self._context.__enter__()
        self.figure = Figure(figsize=(WIDTH, height or (0.6 + 1.7 * rows)), layout="constrained")
        self.axes = self.figure.subplots(rows, columns, squeeze=False, **settings)

    def __enter__(self):
        return self

    def __exit__(self, kind, *rest):
        try:
            if kind is None and self.out is not None:
                os.makedirs(os.path.dirname(os.path.abspath(self.out)), exist_ok=True)
                self.figure.savefig(self.out)
        finally:
            self._context.__exit__(kind, *rest)

    @property
    def result(self):
        """The path, or the figure when there is none."""
        return self.figure if self.out is None else os.path.abspath(self.out)


def _open(results):
    return results if isinstance(results, Results) else Results(results)


def _frame(results, frame):
    """A frame by number; negative ones count from the end."""
    return results.frame(frame)


# --- histories ---------------------------------------------------------------------------------------------------

def entities(results):
    """Names that can be plotted against time."""
    return ["energies", *ENERGIES, *STEPS, *MEASURES, *results.stages, "BODY.x|y|z|vx|vy|vz|speed|kinetic"]


def curve(results, entity):
    """(times, {label: values}, axis label) of an entity."""
    if entity == "energies":
        energies = results.energies
        return results.times, {name: energies[name] for name in ENERGIES if np.any(energies[name])}, "energy, J"
    if entity in ENERGIES:
        return results.times, {entity: results.energies[entity]}, "energy, J"
    steps = results.steps
    if entity in STEPS:
        return steps["time"], {entity: steps[entity]}, STEPS[entity]
    if entity in results.stages:
        return steps["time"], {entity: 1e3 * steps[entity]}, "ms a step"
    if entity in MEASURES:
        return _measured_curve(results, entity)
    if "." in entity:
        return _body_curve(results, entity)
    raise ValueError(f"entity '{entity}' is unknown{_check.nearest(entity, [*entities(results), *FIGURES])}")


def _measured_curve(results, entity):
    """A measure over at most 100 frames, evenly chosen; stress and porosity of the box around the bodies."""
    frames = np.unique(np.linspace(0, len(results) - 1, min(100, len(results))).astype(int))
    moments = [measure.snapshot(results, k) for k in frames]
    if entity == "coordination":
        found = [measure.coordination(now) for now in moments]
        lines = {"all bodies": np.array([c.mean for c in found]), "with two or more": np.array([c.mechanical for c in found])}
    elif entity == "porosity":
        lines = {entity: np.array([measure.porosity(now) for now in moments])}
    else:
        sigma = np.array([measure.stress(now) for now in moments])
        lines = {"pressure": measure.pressure(sigma)} if entity == "pressure" else {f"{a}{a}": sigma[:, k, k] for k, a in enumerate("xyz")}
    return results.times[frames], lines, MEASURES[entity]


def _body_curve(results, entity):
    body, _, component = entity.rpartition(".")
    _check.choice("component", component, ("x", "y", "z", "vx", "vy", "vz", "speed", "kinetic"))
    body = int(body) if body.lstrip("-").isdigit() else body
    if component in ("x", "y", "z"):
        times, values = results.history(body, "positions")
        return times, {entity: values[:, "xyz".index(component)]}, "position, m"
    if component == "kinetic":
        times, values = results.history(body, "energies")
        return times, {entity: values[:, 0]}, "energy, J"
    times, values = results.history(body, "velocities")
    speed = np.linalg.norm(values, axis=1) if component == "speed" else values[:, "xyz".index(component[1])]
    return times, {entity: speed}, "velocity, m/s"


@_check.keywords
def histories(results, names=("energies", "contacts", "iterations", "residual"), out=None):
    """Quantities against time, one under the other. names: see entities(); bodies as 'LABEL.vx' or 'ID.speed'."""
    results = _open(results)
    curves = [curve(results, name) for name in names]
    with _Drawing(out, len(curves), sharex=True) as drawing:
        for axis, (times, lines, label) in zip(drawing.axes[:, 0], curves):
            for name, values in lines.items():
                axis.plot(times, values, label=name)
            if label == "residual" and any(np.any(values > 0) for values in lines.values()):
                axis.set_yscale("log")
            axis.set_ylabel(label)
            if len(lines) > 1 or any(name not in label for name in lines):
                axis.legend(ncols=2, loc="best")
        drawing.axes[-1, 0].set_xlabel("time, s")
        drawing.axes[0, 0].set_title(results.title, loc="left")
    return drawing.result


@_check.keywords
def energy_ledger(results, out=None):
    """Where the energy came from and where it went (theory eq. 2.20): stored energy, works since the start, and what does not add up."""
    results = _open(results)
    times, e = results.times, results.energies
    stored = e["kinetic"] + e["internal"]
    works = {name: e[name] for name in ("external", "contact", "friction", "damping")}
    drift = stored - stored[:1] - sum(w - w[:1] for w in works.values())
    with _Drawing(out, 3, sharex=True, height=5.4) as drawing:
        top, middle, bottom = drawing.axes[:, 0]
        for name in ("kinetic", "internal", "potential"):
            if np.any(e[name]):
                top.plot(times, e[name] - (e[name][0] if name == "potential" else 0.0), label=name + (" - initial" if name == "potential" else ""))
        for name, values in works.items():
            if np.any(values):
                middle.plot(times, values, label=f"{name} work")
        bottom.plot(times, drift, color=COLOURS[-1])
        top.set(ylabel="energy, J", title=results.title)
        middle.set(ylabel="work since the start, J")
        bottom.set(ylabel="drift, J", xlabel="time, s")
        for axis in (top, middle):
            if axis.lines:
                axis.legend(ncols=2)
    return drawing.result


# --- forces ------------------------------------------------------------------------------------------------------

def _outline(points):
    """Convex hull of points in the plane, counter-clockwise."""
    points = sorted(set(map(tuple, np.round(points, 12))))
    if len(points) < 3:
        return np.array(points)

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) >= 2 and np.cross(np.subtract(chain[-1], chain[-2]), np.subtract(p, chain[-2])) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]
    return np.array(half(points) + half(points[::-1]))


def _outlines(wire, frame, plane):
    """Outlines of the bodies of a frame in projection: [(row, is obstacle, polygon)], one a piece."""
    facts, scene = bundles.unpack(wire.scene())
    piece_end, real_end, kinds = scene["shape.piece_end"], scene["piece.real_end"], scene["piece.kind"]
    circle = np.stack([np.cos(a := np.linspace(0, 2 * np.pi, 33)), np.sin(a)])
    found = []
    for row, F, x in zip(frame.rows, frame.rotations, frame.positions):
        shape = scene["body.shape"][row]
        for piece in range(piece_end[shape - 1] if shape > 0 else 0, piece_end[shape] if shape >= 0 else 0):
            reals = scene["piece.reals"][real_end[piece - 1] if piece else 0:real_end[piece]].astype(float)
            if kinds[piece] >= 2:
                polygon = _outline((F @ reals.reshape(-1, 3).T + x[:, None])[plane].T)
            else:
                axes = np.eye(3) * reals[3] if kinds[piece] == 0 else reals[6:].reshape(3, 3) * reals[3:6]
                M = (F @ axes)[plane]
                # The shadow of M s, |s| = 1, is the ellipse (M M^T)^(1/2) on the unit circle.
                value, vector = np.linalg.eigh(M @ M.T)
                polygon = ((vector * np.sqrt(np.maximum(value, 0.0))) @ vector.T @ circle + (F @ reals[:3] + x)[plane][:, None]).T
            found.append((row, scene["body.kind"][row] == 3, polygon))
    return found


@_check.keywords
def force_chains(results, out=None, frame=-1, along="y", at=None, thickness=None):
    """Contact forces of a frame seen along an axis, as lines from contact points to the centres of bodies that move freely, widths in proportion.
    Forces of supports and other constraints are no part of them.

    along: 'x', 'y' or 'z'. at, thickness: show only bodies whose centres lie within `thickness` around the plane `at`, m (default: all)."""
    from matplotlib.collections import LineCollection, PolyCollection
    results = _open(results)
    _check.choice("along", along, ("x", "y", "z"))
    axis_number = "xyz".index(along)
    plane = [k for k in range(3) if k != axis_number]
    state = _frame(results, frame)
    place = dict(zip(state.ids.tolist(), state.positions))
    kinds = {b["id"]: b["kind"] for b in results.bodies}
    if at is None:
        near = set(place)
    else:
        half = 0.5 * _check.positive("thickness", thickness if thickness is not None else _typical_size(results))
        near = {i for i, x in place.items() if abs(x[axis_number] - _check.number("at", at)) <= half or kinds[i] == "obstacle"}
    contacts = {name: state.contacts[name][state.contacts["kind"] == 0] for name in ("bodies", "point", "force")}
    held = _held(state)
    force = np.linalg.norm(contacts["force"], axis=1)
    top = np.quantile(force[force > 0], 0.995) if np.any(force > 0) else 1.0
    lines, sizes = [], []
    for pair, point, f in zip(contacts["bodies"], contacts["point"], force):
        for body in pair:
            if body in near and body not in held and kinds[body] != "obstacle" and f > 1e-3 * top and all(b in near or b < 0 for b in pair):
                lines.append((place[body][plane], point[plane]))
                sizes.append(f)
    order = np.argsort(sizes)
    with _Drawing(out, height=0.75 * WIDTH) as drawing:
        axis = drawing.axes[0, 0]
        shapes = [(obstacle, polygon) for row, obstacle, polygon in _outlines(_scree.Wire(results.path), state, plane)
                  if results.bodies[row]["id"] in near and len(polygon) > 2]
        axis.add_collection(PolyCollection([p for o, p in shapes if o], facecolor="#00000008", edgecolor="#00000030", linewidth=0.5))
        axis.add_collection(PolyCollection([p for o, p in shapes if not o], facecolor="#00000010", edgecolor="#00000060", linewidth=0.4))
        drawn = LineCollection([lines[k] for k in order], cmap="viridis", capstyle="round",
                               linewidths=[0.3 + 5.0 * min(1.0, sizes[k] / top) for k in order])
        drawn.set_array(np.array([sizes[k] for k in order]))
        drawn.set_clim(0, top)
        axis.add_collection(drawn)
        seen = np.concatenate([p for o, p in shapes if not o] or [np.array([[-1.0, -1.0], [1.0, 1.0]])])
        margin = 0.05 * np.ptp(seen, axis=0).max()
        low, high = seen.min(axis=0) - margin, seen.max(axis=0) + margin
        axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel=f"{'xyz'[plane[0]]}, m", ylabel=f"{'xyz'[plane[1]]}, m",
                 title=f"{results.title}, t = {state.time:.4g} s")
        axis.grid(False)
        drawing.figure.colorbar(drawn, ax=axis, label="contact force, N", shrink=0.85, extend="max")
    return drawing.result


def _held(frame):
    """Ids of bodies that constraints tie to the ground: they stand for obstacles."""
    tied = frame.contacts["bodies"][frame.contacts["kind"] != 0]
    return set(tied[(tied < 0).any(axis=1)].ravel().tolist()) - {-1}


def _typical_size(results):
    radii = [b["radius"] for b in results.bodies if b["kind"] != "obstacle"]
    return 2.0 * float(np.median(radii)) if radii else 1.0


@_check.keywords
def force_distribution(results, out=None, frames=None):
    """How often normal forces of which size occur (relative to their mean), and how much of the friction is used: contacts that slip have
    friction / normal force at the friction coefficient."""
    results = _open(results)
    forces = measure.force_distribution(results, frames)
    normal, friction = forces.normal, forces.friction
    with _Drawing(out, 1, 2, height=2.7) as drawing:
        left, right = drawing.axes[0]
        left.semilogy(0.5 * (forces.edges[1:] + forces.edges[:-1]), np.where(forces.density > 0, forces.density, np.nan), "o", markersize=3)
        left.set(xlabel="normal force / mean", ylabel="probability density", title=f"{results.title}: {normal.size} contacts, mean {forces.mean:.3g} N")
        used = np.sort(friction / normal)
        right.step(used, np.arange(1, used.size + 1) / used.size, where="post", color=COLOURS[1])
        right.set(xlabel="friction / normal force", ylabel="share of contacts below", ylim=(0, 1.02), xlim=(0, np.quantile(used, 0.999) * 1.05 + 1e-12))
    return drawing.result


# --- packings and flows ------------------------------------------------------------------------------------------

def _mapped(drawing, axis, grid, values, plane, label):
    """Draw a field of a grid one cell thick, seen along its thin axis."""
    thin = 3 - sum(plane)
    edges = [grid.planes(k) for k in plane]
    axis.grid(False)
    image = axis.pcolormesh(*edges, np.squeeze(values, axis=thin).T, cmap="viridis", shading="flat")
    axis.set(aspect="equal", xlabel=f"{'xyz'[plane[0]]}, m", ylabel=f"{'xyz'[plane[1]]}, m")
    drawing.figure.colorbar(image, ax=axis, label=label, shrink=0.85)


@_check.keywords
def packing(results, out=None, frame=-1, along="y", cells=12):
    """Structure and stress of a frame: how many partners bodies have, directions of contacts, pressure and porosity seen along an axis (means
    across the whole depth; `cells` along the longest edge)."""
    results = _open(results)
    _check.choice("along", along, ("x", "y", "z"))
    plane = [k for k in range(3) if "xyz"[k] != along]
    now = measure.snapshot(results, frame)
    low, high = now.bounds(now.select(None))
    edge = np.max((high - low)[plane]) / _check.integer("cells", cells, 1)
    grid = measure.Grid(low, high, tuple(int(max(1, round((high - low)[k] / edge))) if k in plane else 1 for k in range(3)))
    partners = measure.coordination(now)
    pressing = now.contacts["local_force"][:, 0] > 0
    angle = np.arctan2(now.contacts["normal"][pressing, plane[1]], now.contacts["normal"][pressing, plane[0]])
    with _Drawing(out, 2, 2, height=5.6) as drawing:
        (bars, rose), (left, right) = drawing.axes
        bars.bar(np.arange(len(partners.distribution)), partners.distribution, color=COLOURS[0])
        bars.set(xlabel="bodies touched", ylabel="share of bodies", title=f"{results.title}, t = {now.time:.4g} s: mean {partners.mean:.3g}")
        # Bins of ten degrees with the axes in their middle.
        turns = (np.concatenate([angle, angle + np.pi]) + np.pi / 36) % (2 * np.pi) - np.pi / 36
        counts, edges = np.histogram(turns, np.linspace(0, 2 * np.pi, 37) - np.pi / 36)
        radius = np.append(np.repeat(counts, 2), counts[:1]) / max(1, counts.max())
        turn = np.append(np.repeat(edges, 2)[1:-1], edges[:1])
        rose.fill(radius * np.cos(turn), radius * np.sin(turn), alpha=0.6)
        rose.set(aspect="equal", xlabel=f"normals along {'xyz'[plane[0]]}", ylabel=f"along {'xyz'[plane[1]]}", title=f"{int(pressing.sum())} contacts", xticks=[], yticks=[])
        _mapped(drawing, left, grid, measure.pressure(measure.stress(now, grid)), plane, "pressure, Pa")
        _mapped(drawing, right, grid, measure.porosity(now, grid), plane, "porosity")
    return drawing.result


@_check.keywords
def flow(results, out=None, point=None, normal=(0.0, 0.0, -1.0), radius=None):
    """Mass that has passed a plane and its rate. point: of the plane (default: the middle of all bodies at the start, m); see measure.flow_rate."""
    results = _open(results)
    if point is None:
        now = measure.snapshot(results, 0)
        point = np.mean(now.bounds(now.select(None)), axis=0)
    passed = measure.flow_rate(results, point, normal, radius)
    with _Drawing(out, 2, sharex=True, height=3.8) as drawing:
        top, bottom = drawing.axes[:, 0]
        top.plot(passed.times, passed.mass)
        top.set(ylabel="mass passed, kg", title=f"{results.title}: {passed.bodies[-1]} bodies, {passed.mean:.4g} kg/s on average")
        bottom.step(passed.times, passed.rate, where="pre", color=COLOURS[1])
        bottom.set(ylabel="flow rate, kg/s", xlabel="time, s")
    return drawing.result


# --- the solver --------------------------------------------------------------------------------------------------

@_check.keywords
def convergence(results, out=None):
    """Iterations and residual of every step of a run; steps that did not converge are marked."""
    results = _open(results)
    steps = results.steps
    failed = steps["status"] != 0
    with _Drawing(out, 2, sharex=True, height=3.8) as drawing:
        top, bottom = drawing.axes[:, 0]
        top.plot(steps["time"], steps["iterations"])
        top.set(ylabel="iterations a step", title=f"{results.title}: {len(failed)} steps, {int(failed.sum())} not converged")
        known = steps["residual"] > 0
        bottom.semilogy(steps["time"][known], steps["residual"][known], ".", markersize=2)
        if np.any(failed & known):
            bottom.semilogy(steps["time"][failed & known], steps["residual"][failed & known], "x", markersize=4, label="not converged")
            bottom.legend()
        bottom.set(ylabel="residual", xlabel="time, s")
    return drawing.result


@_check.keywords
def solver_histories(solutions, out=None):
    """Residual against iterations of solutions that kept their history (solve(..., history=True)); solutions: {label: Solution}."""
    with _Drawing(out, height=3.2) as drawing:
        axis = drawing.axes[0, 0]
        for label, solution in solutions.items():
            history = getattr(solution, "history", solution)
            axis.loglog(np.arange(1, len(history) + 1), np.maximum(history, 1e-16), label=label)
        axis.set(xlabel="iterations measured", ylabel="residual")
        axis.legend()
    return drawing.result


@_check.keywords
def timings(results, out=None):
    """Where the wall-clock time of a run goes: stages stacked against time, and their shares."""
    results = _open(results)
    steps, stages = results.steps, results.stages
    # Steps in at most 400 groups, so that the eye sees levels instead of noise.
    groups = np.array_split(np.arange(len(steps["time"])), max(1, min(400, len(steps["time"]))))
    time = np.array([steps["time"][g[-1]] for g in groups if len(g)])
    values = np.array([[1e3 * steps[stage][g].mean() for g in groups if len(g)] for stage in stages])
    total = values.sum(axis=1)
    with _Drawing(out, 1, 2, height=2.8, width_ratios=(3, 1)) as drawing:
        left, right = drawing.axes[0]
        left.stackplot(time, values, labels=stages, colors=COLOURS[:len(stages)], alpha=0.85)
        left.set(xlabel="time, s", ylabel="wall time, ms a step", title=results.title, xlim=(time[0], time[-1]) if len(time) > 1 else None)
        left.legend(loc="upper left", ncols=2)
        share = 100 * total / max(total.sum(), 1e-300)
        right.barh(stages, share, color=COLOURS[:len(stages)])
        right.set(xlabel="share, %")
        right.invert_yaxis()
    return drawing.result


@_check.keywords
def performance_profile(records, out):
    """Dolan-More profile of solvers from the records of `scree bench solvers`, one panel a tolerance."""
    from .bench_solvers import plot_profile
    plot_profile(records, out)
    return os.path.abspath(out)


#: Figures by name, for the command line.
FIGURES = {"ledger": energy_ledger, "chains": force_chains, "forces": force_distribution, "packing": packing, "flow": flow, "convergence": convergence,
           "timings": timings}
