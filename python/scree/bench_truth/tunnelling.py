"""Fast and thin bodies: none passes through another."""
import numpy as np

from .. import shapes
from .case import case, exactly
from .scenes import box_of_walls, random_rotation, simulation, unit

THEME = "tunnelling"
LAWS = (("MOREAU", 0.0), ("MOREAU", 0.5), ("MOREAU", 1.0), ("SHAKE", 0.0), ("RATTLE", 0.0), ("RATTLE", 0.5), ("RATTLE", 1.0))


def crowd(integrator, e, rng, step=1e-3, plates=False, fastest=1000.0):
    """Balls, or balls and thin plates, at 1 m/s to the fastest in a box with walls of 5 mm and a fixed plate of 4 mm across it: nine bodies in each half."""
    sim = simulation(step, (0, 0, 0), integrator, 0.3 * rng.integers(3), e)
    box_of_walls(sim, thickness=0.005)
    sim.obstacle(shapes.box(low=(0, 0, 0.498), high=(1, 1, 0.502)))
    bodies = []
    for k in range(18):
        at = np.array(((k % 3 + 0.5) / 3, (k // 3 % 3 + 0.5) / 3, 0.25 + 0.5 * (k // 9)))
        plate = plates and k % 3 == 2
        body = sim.rigid(shapes.box(at, (0.2, 0.15, 0.004)) if plate else shapes.sphere(at, rng.uniform(0.01, 0.05)), velocity=fastest ** rng.uniform(0, 1) * unit(rng))
        if plate:
            body.rotation = random_rotation(rng)
        bodies.append(body)
    return sim, bodies


def escaped(integrator, e, rng, step=1e-3, plates=False, steps=15):
    """How many of a crowd leave their half."""
    sim, bodies = crowd(integrator, e, rng, step, plates)
    sim.advance(steps)
    low, high = np.array([(0, 0, 0.5 * (k // 9)) for k in range(18)]), np.array([(1, 1, 0.5 + 0.5 * (k // 9)) for k in range(18)])
    x = np.array([b.position for b in bodies])
    return int(np.any((x < low) | (x > high), axis=1).sum())


@case(THEME, "Crowds between thin walls")
def crowds():
    """Balls at 1 to 1000 m/s, h = 1e-3 (up to a metre a step, the size of the box), in a box of a metre with walls of 5 mm and a plate of 4 mm across it: balls that pass, of 18."""
    for integrator, e in LAWS:
        rng = np.random.default_rng(round(10 * e) + 17)
        yield exactly(f"{integrator}, e {e:g}", 0, escaped(integrator, e, rng, steps=2))


@case(THEME, "Balls and plates between thin walls")
def plates():
    """The same with plates of 4 mm among the balls, which turn by up to ten radians a step when they are struck at their ends. Bodies that pass, of 18."""
    for integrator, e in LAWS:
        rng = np.random.default_rng(round(10 * e) + 23)
        yield exactly(f"{integrator}, e {e:g}", 0, escaped(integrator, e, rng, plates=True, steps=3))


@case(THEME, "Ten thousand balls and plates between thin walls", slow=True)
def many_crowds():
    """The same with 80 crowds of each kind, 6,720 balls and 3,360 plates, ten steps."""
    for integrator, e in LAWS:
        rng = np.random.default_rng(round(10 * e) + 91)
        yield exactly(f"{integrator}, e {e:g}", 0, sum(escaped(integrator, e, rng, plates=True, steps=10) for _ in range(80)))


def passed(integrator, e, rng):
    """Balls shot at random at a free plate of 1 x 1 m and 2 to 10 mm: whether one is on its other side after."""
    sim = simulation(1e-3, (0, 0, 0), integrator, 0.0, e)
    plate = sim.rigid(shapes.box((0, 0, 0), (1, 1, rng.uniform(0.002, 0.01))), density=7800, velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3))
    balls = []
    for _ in range(3):
        radius = rng.uniform(0.005, 0.05)
        target = np.array((*rng.uniform(-0.3, 0.3, 2), 0))
        direction = unit(rng)
        direction[2] = -max(abs(direction[2]), 0.5)
        direction /= np.linalg.norm(direction)
        start = target - direction * rng.uniform(0.4, 1.2)
        balls.append(sim.rigid(shapes.sphere(start, radius), velocity=10 ** rng.uniform(0, 3) * direction))
    for a in balls:  # balls may meet on the way; they start apart
        for b in balls:
            if a is not b and np.linalg.norm(a.position - b.position) < 0.11:
                return 0
    through = 0
    for _ in range(30):
        sim.advance()
        for b in balls:
            x = plate.rotation.T @ (b.position - plate.position)
            through += bool(x[2] < 0 and np.all(np.abs(x[:2]) < 0.45))
    return through


@case(THEME, "Balls shot at a free plate")
def free_plates():
    """Balls at 1 to 1000 m/s at a plate of 2 to 10 mm that moves and turns: balls seen behind it, of 30 plates."""
    for integrator, e in LAWS:
        rng = np.random.default_rng(round(10 * e) + 5)
        yield exactly(f"{integrator}, e {e:g}", 0, sum(passed(integrator, e, rng) for _ in range(30)))


@case(THEME, "What a collision makes fast")
def passed_on():
    """A ball hits an equal one at rest 2 to 45 mm before a plate of 5 mm, both at h = 1e-3 and up to 800 m/s: balls behind the plate, of 24."""
    for integrator, e in LAWS:
        rng, behind = np.random.default_rng(3), 0
        for _ in range(12):
            speed, gap = 10 ** rng.uniform(1.2, 2.9), rng.uniform(0.002, 0.045)
            sim = simulation(1e-3, (0, 0, 0), integrator, 0.0, e)
            first = sim.rigid(shapes.sphere((0, 0, 0), 0.01), velocity=(speed, 0, 0))
            second = sim.rigid(shapes.sphere((0.4, 0, 0), 0.01))
            sim.obstacle(shapes.box(low=(0.41 + gap, -5, -5), high=(0.415 + gap, 5, 5)))
            sim.advance(int(1 / (speed * 1e-3)) + 6)
            behind += sum(b.position[0] > 0.41 + gap for b in (first, second))
        yield exactly(f"{integrator}, e {e:g}", 0, behind)


@case(THEME, "Needles through a mesh floor", "8.3")
def mesh_floor():
    """Thin rods at up to 300 m/s, h = 1e-4, at a floor made of 36 flush plates of 5 mm: rods below it, of 20."""
    for integrator, e in (("MOREAU", 0.0), ("MOREAU", 1.0), ("RATTLE", 0.5)):
        rng, below = np.random.default_rng(12), 0
        for _ in range(20):
            sim = simulation(1e-4, (0, 0, 0), integrator, 0.3, e)
            for i in range(6):
                for j in range(6):
                    sim.obstacle(shapes.box(low=(i - 3, j - 3, -0.005), high=(i - 2, j - 2, 0)))
            body = sim.rigid(shapes.box((0, 0, 0), (0.3, 0.01, 0.01)), velocity=(*rng.normal(size=2), -(10 ** rng.uniform(0.5, 2.5))))
            body.rotation, body.position = random_rotation(rng), (*rng.uniform(-1, 1, 2), 0.3)
            sim.advance(min(1500, int(0.3 / (abs(body.velocity[2]) * 1e-4)) + 30))
            below += body.position[2] < -0.005
        yield exactly(f"{integrator}, e {e:g}", 0, int(below))
