"""Pictures for docs/validation.md: what a number of the table looks like."""
import math

import numpy as np

from .. import shapes
from .impacts import bounce_place
from .rotation import half_period, spinning
from .scenes import G, box_of_walls, floor, kinetic, simulation
from .tunnelling import crowd


def _figure(title, x, y):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(6.0, 3.4), dpi=110)
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)
    return figure, axes


def _save(figure, axes, path, **legend):
    axes.legend(fontsize=8, **legend)
    figure.tight_layout()
    figure.savefig(path)


def flips(path):
    """Component of the angular velocity about the intermediate axis of a free plate."""
    figure, axes = _figure("A plate flips about its intermediate axis", "t, s", "omega_2, rad/s")
    for step, style in ((1e-3, "-"), (2e-2, ".")):
        sim, body = spinning((0.3, 0.2, 0.05), (1e-3, 10, 1e-3), step)
        t, w = [], []
        for _ in range(round(15 / step)):
            sim.advance()
            t.append(sim.time), w.append((body.rotation.T @ body.angular_velocity)[1])
        axes.plot(t, w, style, markersize=2, label=f"h = {step:g} s")
    moments = np.diag(body.inertia)
    falling = np.argsort(-moments)
    period = half_period(moments[falling], np.array((1e-3, 10, 1e-3))[falling])
    w = np.array(w)
    first = np.flatnonzero(w[1:] * w[:-1] < 0)[0]
    first = t[first] + (t[1] - t[0]) * w[first] / (w[first] - w[first + 1])
    for k in range(4):
        axes.axvline(first + period * k, color="grey", lw=0.7, ls=":", label="half periods of Jacobi's functions" if k == 0 else None)
    _save(figure, axes, path)


def turntable(path, table=2.0, radius=0.1):
    """Path of a ball that rolls on a turning disk, three turns of its circle."""
    figure, axes = _figure("Rolling on a turntable, three orbits", "x, m", "y, m")
    rate = 2 / 7 * table
    for integrator, style in (("MOREAU", "-"), ("SHAKE", "--"), ("RATTLE", ":")):
        sim = simulation(5e-3, integrator=integrator, friction=1.0, tolerance=1e-10)
        floor(sim, angular_velocity=(0, 0, table))
        body = sim.rigid(shapes.sphere((1, 0, radius), radius), velocity=(0, 0.5, 0), angular_velocity=((table - 0.5) / radius, 0, 0))
        x = []
        for _ in range(round(3 * 2 * math.pi / rate / 5e-3)):
            sim.advance()
            x.append(body.position[:2])
        axes.plot(*np.transpose(x), style, label=integrator)
    angle = np.linspace(0, 2 * math.pi, 200)
    axes.plot(1 - 0.5 / rate + 0.5 / rate * np.cos(angle), 0.5 / rate * np.sin(angle), color="black", lw=0.5, label="closed form")
    axes.set_aspect("equal")
    _save(figure, axes, path)


def bounces(path, e=0.8):
    """Height of a bouncing ball at a coarse step against the parabolas."""
    figure, axes = _figure(f"A ball bounces, e = {e:g}, h = 0.01 s", "t, s", "height, m")
    t = np.linspace(0, 3.4, 2000)
    axes.plot(t, [bounce_place(e, s) for s in t], color="black", lw=0.6, label="closed form")
    for integrator, style in (("MOREAU", "o"), ("RATTLE", "x")):
        sim = simulation(1e-2, integrator=integrator, restitution=e)
        floor(sim)
        body = sim.rigid(shapes.sphere((0, 0, 1.1), 0.1))
        points = []
        for _ in range(340):
            sim.advance()
            points.append((sim.time, body.position[2] - 0.1))
        axes.plot(*np.transpose(points[::3]), style, markersize=3, label=integrator)
    _save(figure, axes, path)


def gas(path):
    """Energy of an elastic gas."""
    figure, axes = _figure("Kinetic energy of 27 balls in a box, e = 1, h = 1e-3 s", "t, s", "E / E(0)")
    for integrator in ("MOREAU", "RATTLE"):
        rng = np.random.default_rng(1)
        sim = simulation(1e-3, (0, 0, 0), integrator, restitution=1.0)
        box_of_walls(sim)
        balls = [sim.rigid(shapes.sphere((np.array((i % 3, i // 3 % 3, i // 9)) + 0.5) / 3, 0.1), velocity=rng.normal(size=3)) for i in range(27)]
        start = kinetic(balls)
        rows = sim.advance(2000)
        axes.plot(rows["time"], rows["kinetic"] / start, label=integrator)
    axes.set_ylim(0.9, 1.01)
    _save(figure, axes, path)


def rocking(path, alpha=0.1, theta0=0.05):
    """Tilt of Housner's block against the solution of its linearised motion, with the rate lost at each impact."""
    figure, axes = _figure("Rocking block, alpha = 0.1, from 0.05 rad", "t, s", "tilt, rad")
    b, height = 2 * math.sin(alpha), 2 * math.cos(alpha)
    sim = simulation(1e-4, friction=10.0, tolerance=1e-10)
    floor(sim)
    body = sim.rigid(shapes.rotate(shapes.box((b / 2, 0, height / 2), (b, 0.5, height)), (0, 1, 0), -theta0))
    body.position = body.position - (0, 0, min(p[2] for p in body.shape.pieces[0]["vertices"]))
    t, tilt = [], []
    for _ in range(2000):
        sim.advance(20)
        # referential shape is the tilted one
        t.append(sim.time), tilt.append(theta0 - math.asin(np.clip(body.rotation[0, 2], -1, 1)))
    axes.plot(t, tilt, label="MOREAU, h = 1e-4 s")
    p, rate = math.sqrt(0.75 * G), 0.0
    now, sign, x, exact = 0.0, 1.0, theta0, []
    keep = 1 - 1.5 * math.sin(alpha) ** 2
    while now < 4.0:
        rate += -p * p * (alpha - x) * 1e-4
        x += rate * 1e-4
        now += 1e-4
        if x < 0:
            x, rate, sign = 0.0, -rate * keep, -sign
        exact.append((now, sign * x))
    axes.plot(*np.transpose(exact), color="black", lw=0.6, label="Housner")
    _save(figure, axes, path)


def crowds(path):
    """Places of balls and plates, a dot a step, in a box with thin walls."""
    figure, axes = _figure("Balls and plates at up to 1 m a step", "x, m", "z, m")
    sim, bodies = crowd("MOREAU", 0.5, np.random.default_rng(8), plates=True)
    places = [[b.position for b in bodies]]
    for _ in range(40):
        sim.advance()
        places.append([b.position for b in bodies])
    places = np.array(places)
    for half, colour in ((slice(0, 9), "tab:blue"), (slice(9, 18), "tab:orange")):
        axes.plot(places[:, half, 0].ravel(), places[:, half, 2].ravel(), ".", color=colour, markersize=3, label=f"began {'below' if half.start == 0 else 'above'} the plate")
    axes.plot((0, 1, 1, 0, 0), (0, 0, 1, 1, 0), color="black", lw=1.2)
    axes.plot((0, 1), (0.5, 0.5), color="black", lw=1.2, label="walls of 5 mm, plate of 4 mm")
    axes.set_aspect("equal")
    _save(figure, axes, path, loc="upper left", bbox_to_anchor=(1.02, 1.0))


PICTURES = {"smooth motion": [turntable], "rigid rotation": [flips], "tunnelling": [crowds], "impacts": [bounces, gas], "structures": [rocking]}
