"""The interior-point paper: dense piles of spheres that do not turn, and a blade in granular material; convex relaxation."""
import math
import time

import numpy as np

from .experiment import Experiment, Outcome, axes_of, pile, timed

#: Problem -> spheres and pairs of the paper.
PILES = {"1": (2048, 8378), "2": (5040, 21050), "3": (10192, 43409)}
#: The short form: a pile like them.
SHORT = ("small", (80, 80 * 8378 / 2048))
RADIUS, SPREAD, DENSITY, STEP = 0.012, 0.3, 2600.0, 1e-2
GRAVITY = 9.81
TOLERANCES = (5e-2, 1e-2, 1e-3, 5e-4, 1e-4, 1e-5)
#: Solver -> options and limit of iterations.
METHODS = {"IPM": ({}, 1000), "JACOBI": ({"omega": 0.3}, 2_000_000), "IPM_DIRECT": ({}, 1000)}
#: (problem, tolerance) -> Krylov iterations, Jacobi's, their ratio, ratio of seconds, as printed.
PRINTED = {("3", 5e-4): (2757, 73600, 26.7, 200.0)}


def dense_pile(grains, free_steps=60):
    """Spheres that do not turn; contacts of the problem are those nearer than half a mean radius, as in the paper. They settle in a box without friction, so that
    they pack, and then, with friction, the box is taken away: with friction from the start a lattice of spheres that cannot turn stands as it was stacked."""
    across = max(3, int(round(0.95 * grains ** (1 / 3))))
    # Taller piles take longer to come together.
    steps = max(50, int(round(100 * (grains / 2048) ** (1 / 3))))
    return pile(grains=grains, radius=RADIUS, spread=SPREAD, density=DENSITY, mu=0.25, settling_mu=0.0, rotating=False,
                vessel_width=2.8 * RADIUS * across, settling_step=5e-3, settling_steps=steps, free_steps=free_steps, reach=0.5, step=STEP)


def scales(problem, grains):
    """Denominators of two dimensionless residuals, N s per root of kg: that of `ccp`, and what gravity changes in a step, sqrt(sum m) g h."""
    rho = 3.0 / np.trace(problem.diagonal(), axis1=1, axis2=2)
    free = nearest(-rho[:, None] * problem.B, problem.mu)
    mass = grains * DENSITY * 4 / 3 * math.pi * RADIUS**3 * (1.0 + SPREAD**2)
    own = float(np.sqrt(np.sum(np.sum(free**2, axis=1) / rho))) / problem.measure(np.zeros_like(problem.B), "ccp")
    return own, math.sqrt(mass) * GRAVITY * STEP


def nearest(R, mu):
    """The nearest impulses on the cones."""
    mu, T = np.asarray(mu), np.linalg.norm(R[:, 1:], axis=1)
    inside, polar = T <= mu * R[:, 0], mu * T <= -R[:, 0]
    along = (R[:, 0] + mu * T) / (1.0 + mu**2)
    found = np.column_stack([along, (mu * along / np.maximum(T, 1e-300))[:, None] * R[:, 1:]])
    found[inside] = R[inside]
    found[polar] = 0.0
    return found


def largest_error(problem, solution):
    """Max norm of R - proj(R - U) in SI units, on the cones of the relaxation."""
    return float(np.abs(solution.R - nearest(solution.R - solution.U, problem.mu)).max())


def _solve_all(settings, name, problem, ratio, seconds):
    """Method -> tolerance in the gravity scale -> solution; a method that missed one is not tried further."""
    found = {}
    for method, (options, most) in METHODS.items():
        found[method] = {}
        for tolerance in TOLERANCES:
            solution = timed(problem, method, tolerance * ratio, formulation="convex", max_iterations=most, max_seconds=seconds, **options)
            found[method][tolerance] = solution
            settings.say(f"interior_point {name}: {tolerance:g}: {method} {solution.status}, {solution.iterations} iterations, {solution.linear_iterations} Krylov, {solution.seconds:.3g} s")
            if not solution.converged:
                break
    return found


def _add_solves(out, name, problem, found, ratio):
    contacts = problem.contacts
    for tolerance in TOLERANCES:
        ipm, jacobi, direct = (found[method].get(tolerance) for method in METHODS)
        ipm, jacobi, direct = (s if s is not None and s.converged else None for s in (ipm, jacobi, direct))
        printed, label = PRINTED.get((name, tolerance), (None,) * 4), f"iterations to {tolerance:g}"
        out.add(name, contacts, "IPM", "Krylov " + label, ipm and ipm.linear_iterations, printed[0], f"{ipm.iterations} steps, largest error {largest_error(problem, ipm):.2g} in SI" if ipm else "not reached")
        out.add(name, contacts, "JACOBI", label, jacobi and jacobi.iterations, printed[1], f"largest error {largest_error(problem, jacobi):.2g} in SI" if jacobi else "not reached")
        out.add(name, contacts, "IPM_DIRECT", label, direct and direct.iterations)
        if ipm and jacobi:
            out.add(name, contacts, "JACOBI / IPM", label, jacobi.iterations / max(1, ipm.linear_iterations), printed[2])
            out.add(name, contacts, "JACOBI / IPM", f"CPU seconds to {tolerance:g}", jacobi.seconds / ipm.seconds, printed[3])


def piles(settings):
    """Problems 1 to 3: Figures 5, 6, 7."""
    out, shown = Outcome(), {}
    for name, (count, theirs) in PILES.items() if settings.full else [SHORT]:
        grains = settings.grains(count)
        problem = dense_pile(grains)
        own, gravity = scales(problem, grains)
        out.add(name, problem.contacts, "", "contacts a sphere", problem.contacts / grains, theirs / count)
        out.add(name, problem.contacts, "", "our scale over that of gravity", own / gravity)
        found = _solve_all(settings, name, problem, gravity / own, 180.0 if settings.full else 5.0)
        _add_solves(out, name, problem, found, gravity / own)
        shown[f"{grains} spheres"] = {method: [(s.ccp * own / gravity, s.seconds) for s in solved.values()] for method, solved in found.items()}
    out.figures.append(("ipm_time", "Figures 6 and 7: residual in the scale of gravity over computing time", lambda figure: _draw_times(figure, shown)))
    return out


def _draw_times(figure, shown):
    for axes, (name, methods) in zip(axes_of(figure, *shown), shown.items()):
        for method, points in methods.items():
            residuals, seconds = zip(*points)
            axes.loglog(seconds, residuals, "o-", ms=3, label=method)
        axes.set(xlabel="CPU s", ylabel="residual / (sqrt(sum m) g h)")
        axes.legend(fontsize=7)


# --- eigenvalues ------------------------------------------------------------------------------------------------------------------

def _dense(problem):
    start, columns, blocks = problem._native.block_rows()
    rows = np.repeat(np.arange(problem.blocks), np.diff(start))
    W = np.zeros((problem.blocks, 3, problem.blocks, 3))
    W[rows, :, columns, :] = blocks.reshape(-1, 3, 3)
    return W.reshape(3 * problem.blocks, 3 * problem.blocks)


def _jordan_root(x):
    """Square root in the Jordan algebra of the cone: x = r o r."""
    n, t = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    high, low = np.sqrt(n + t), np.sqrt(np.maximum(n - t, 0.0))
    along = np.divide(0.5 * (high - low), t, out=np.zeros_like(t), where=t > 0.0)
    return np.column_stack([0.5 * (high + low), along[:, None] * x[:, 1:]])


def _quadratic(x):
    """Quadratic representation P(x) = 2 x x^T - det(x) J."""
    det = x[:, 0]**2 - np.sum(x[:, 1:]**2, axis=1)
    return 2.0 * x[:, :, None] * x[:, None, :] - det[:, None, None] * np.diag([1.0, -1.0, -1.0])


def scaling_blocks(x, y):
    """Nesterov and Todd's blocks S with S x = y: S = P(w)^-1, w = P(x^1/2) (P(x^1/2) y)^-1/2."""
    half = _quadratic(_jordan_root(x))
    inner = _jordan_root(np.einsum("aij,aj->ai", half, y))
    det = inner[:, 0]**2 - np.sum(inner[:, 1:]**2, axis=1)
    inverse = inner * np.array([1.0, -1.0, -1.0]) / det[:, None]
    w = np.einsum("aij,aj->ai", half, inverse)
    return np.linalg.inv(_quadratic(w))


def eigenvalues(settings):
    """Figure 4: eigenvalues of W + N, plain and preconditioned by its diagonal blocks, as the centralising parameter falls."""
    out, shown = Outcome(), {}
    grains = settings.grains(600 if settings.full else 100)
    problem = dense_pile(grains)
    mu = np.asarray(problem.mu)
    scale = np.sqrt(3.0 / np.trace(problem.diagonal(), axis1=1, axis2=2))
    x_from, y_from = np.column_stack([mu, np.ones_like(mu), np.ones_like(mu)]), np.column_stack([np.ones_like(mu), mu, mu])
    # x = T_x gamma and y = T_y u on the self-dual cone: y = (T_y W T_x^-1) x + T_y b, here with unknowns scaled by rho.
    left, right = (scale[:, None] * y_from).ravel(), (scale[:, None] / x_from).ravel()
    N = left[:, None] * _dense(problem) * right[None, :]
    for tolerance in (1e-1, 1e-2, 1e-3):
        solution = problem.solve("IPM_DIRECT", tolerance, formulation="convex", polish=False)
        inside = tolerance * float(np.sqrt(np.mean(np.sum((scale[:, None] * problem.B)**2, axis=1))))
        x, y = solution.R * x_from / scale[:, None], (solution.U * y_from) * scale[:, None]
        x[:, 0] = np.maximum(x[:, 0], np.linalg.norm(x[:, 1:], axis=1)) + inside
        y[:, 0] = np.maximum(y[:, 0], np.linalg.norm(y[:, 1:], axis=1)) + inside
        S, A = scaling_blocks(x, y), N.copy()
        blocks = A.reshape(problem.blocks, 3, problem.blocks, 3)
        every = np.arange(problem.blocks)
        blocks[every, :, every, :] += S
        # Similar to the symmetric system: T_y^-1 (.) T_x is W + S in velocities over impulses.
        A = A / y_from.ravel()[:, None] * x_from.ravel()[None, :]
        A = 0.5 * (A + A.T)
        L = np.linalg.inv(np.linalg.cholesky(A.reshape(problem.blocks, 3, problem.blocks, 3)[every, :, every, :]))
        split = np.einsum("aij,ajbk->aibk", L, A.reshape(problem.blocks, 3, problem.blocks, 3))
        split = np.einsum("aibk,blk->aibl", split, L).reshape(A.shape)
        for kind, matrix in (("plain", A), ("block-diagonal preconditioner", split)):
            values = np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
            shown.setdefault(kind, []).append((tolerance, values))
            positive = values[values > 0.0]
            out.add("1", problem.contacts, kind, f"condition at residual {tolerance:g}", float(positive.max() / positive.min()))
            out.add("1", problem.contacts, kind, f"eigenvalues within a factor 10 of the largest, residual {tolerance:g}", float(np.mean(values > 0.1 * values.max())))
        settings.say(f"interior_point.eigenvalues: residual {tolerance:g}")
    out.figures.append(("ipm_eigenvalues", "Figure 4: eigenvalues of the system of an interior-point step", lambda figure: _draw_eigenvalues(figure, shown)))
    return out


def _draw_eigenvalues(figure, shown):
    for axes, (kind, lists) in zip(axes_of(figure, *shown), shown.items()):
        for tolerance, values in lists:
            axes.semilogy(np.sort(np.maximum(values, 1e-16)), lw=1.0, label=f"residual {tolerance:g}")
        axes.set(xlabel="number", ylabel="eigenvalue")
        axes.legend(fontsize=7)


# --- blade -------------------------------------------------------------------------------------------------------------------------

#: Tolerance -> Krylov iterations a step, error of the paper's Table 1.
TABLE_1 = {1e-2: (None, None), 1e-3: (3428, 7.06e-4), 1e-4: (10439, 8.69e-5), 1e-5: (15357, 9.35e-6), 1e-6: (20196, 4.20e-6)}
BULK, PACKED = 1382.0, 0.6    #: density of the bulk, kg/m^3, and the share of it that is solid
SPEED = 0.2                   #: of the blade, m/s
SMALLEST, LARGEST = 0.008, 0.016   #: radii, m
LENGTH, WIDTH, THICK = 9.0, 4.5, 0.02   #: of the trench in widths of the blade, and of the blade in m
PLACE = -0.2                  #: of the blade, in lengths of the trench from its middle
JACOBI_STEP, JACOBI_ITERATIONS = 1e-3, 2000   #: of the paper's best run with Jacobi


def blade_width(grains):
    """0.2 m for the paper's 105,144 spheres; trench and blade shrink with their number."""
    return 0.2 * (grains / 105144) ** (1 / 3)


def _trench(grains):
    """A simulation with the walls of a trench and a blade that reaches a width of its own deep: simulation, blade, height of the filling."""
    import scree
    side = blade_width(grains)
    length, width = LENGTH * side, WIDTH * side
    mean = np.mean(np.linspace(SMALLEST, LARGEST, 1001) ** 3)
    filled = grains * 4 / 3 * math.pi * mean / PACKED / (length * width)
    high = 8.0 * filled + 1.0
    sim = scree.Simulation(step=5e-3, threads=1)
    for place, size in (((0, 0, -0.05), (length + 1, width + 1, 0.1)), ((0, width / 2 + 0.05, high / 2), (length + 1, 0.1, high)), ((0, -width / 2 - 0.05, high / 2), (length + 1, 0.1, high)),
                        ((length / 2 + 0.05, 0, high / 2), (0.1, width, high)), ((-length / 2 - 0.05, 0, high / 2), (0.1, width, high))):
        sim.obstacle(scree.box(center=place, size=size))
    bottom = max(0.0, filled - side)
    blade = sim.obstacle(scree.box(center=(PLACE * length, 0.0, 0.5 * (bottom + high)), size=(THICK, side, high - bottom)), label="blade")
    return sim, blade, bottom


def _spheres(sim, places, radii):
    import scree
    for place, radius in zip(places, radii):
        sim.rigid(scree.sphere(place, radius), density=BULK / PACKED).hold(rotation="xyz")


def _lattice(grains, bottom):
    """Places above each other that leave the blade free."""
    side, pitch = blade_width(grains), 2.06 * LARGEST
    nx, ny = max(1, int(LENGTH * side / pitch)), max(1, int(WIDTH * side / pitch))
    rng, k = np.random.default_rng(2), np.arange(3 * grains)
    layer, rest = k // (nx * ny), k % (nx * ny)
    places = np.column_stack([(rest // ny - 0.5 * (nx - 1)) * pitch, (rest % ny - 0.5 * (ny - 1)) * pitch, 1.03 * LARGEST + layer * pitch])
    hit = (np.abs(places[:, 0] - PLACE * LENGTH * side) < THICK / 2 + LARGEST) & (np.abs(places[:, 1]) < side / 2 + LARGEST) & (places[:, 2] > bottom - LARGEST)
    places = places[~hit][:grains]
    places[:, :2] += rng.uniform(-0.02, 0.02, (grains, 2)) * pitch
    return places


def settled_trench(grains, time=1.0):
    """Places and radii of spheres of 8 to 16 mm that do not turn, settled without friction about the blade. Radii are then taken back by half a per cent and the
    largest overlap: SHAKE wants gaps to vanish, and the relaxation wants spheres that slide to part as well; among spheres that jam such a step has no solution."""
    sim, _, bottom = _trench(grains)
    sim.surface_material(friction=0.0)
    radii = np.random.default_rng(1).uniform(SMALLEST, LARGEST, grains)
    _spheres(sim, _lattice(grains, bottom), radii)
    sim.solver("AUTO", tolerance=1e-2)
    sim.advance(int(round(time / sim.step)))
    gaps = sim.contacts["gap"]
    overlap = max(0.0, -float(gaps.min())) if len(gaps) else 0.0
    return sim.bodies.positions[sim.bodies.moving], 0.995 * radii - 1.5 * overlap


def with_blade(grains, places, radii, step=STEP):
    """The settled grains with friction and the blade in motion."""
    sim, blade, _ = _trench(grains)
    _spheres(sim, places, radii)
    blade.move(velocity=(SPEED, 0, 0))
    sim.surface_material(friction=0.25)
    sim.step, sim.integrator = step, "SHAKE"
    return sim, blade


def draft(sim, blade):
    """Force of the grains against the blade's motion in the last step, N."""
    found = sim.contacts
    on = found["bodies"] == blade.id
    return float(np.sum(found["force"][on[:, 0], 0]) - np.sum(found["force"][on[:, 1], 0]))


def relaxed_residual(sim):
    """Residual of the convex relaxation in the last step; None where some contacts were no part of its problem."""
    problem, force = sim.problem(), sim.contacts["local_force"]
    return problem.measure(force * sim.step, "ccp") if len(force) == problem.blocks and len(force) else None


def _push(grains, packing, seconds, step, solver):
    """Draft forces, Krylov iterations and residuals of every step but the first, fastest sphere, contacts and CPU seconds of a run."""
    sim, front = with_blade(grains, *packing, step=step)
    sim.solver(solver["solver"], formulation="convex", **{k: v for k, v in solver.items() if k != "solver"})
    rows, begun = [], time.process_time()
    for k in range(max(3, int(round(seconds / step)))):
        sim.advance()
        report = sim.solve_report
        rows.append((sim.time, draft(sim, front), report["linear_iterations"] or report["iterations"], relaxed_residual(sim) or np.nan, len(sim.contacts["gap"]), report["status"] != "converged"))
    took = time.process_time() - begun
    speeds = np.linalg.norm(sim.bodies.velocities[sim.bodies.moving], axis=1)
    names = ("time", "draft", "iterations", "residual", "contacts", "missed")
    return {**dict(zip(names, np.array(rows[1:], dtype=float).T)), "fastest": float(speeds.max()), "seconds": took, "simulated": len(rows) * step}


def blade(settings):
    """Figures 8 to 10 and Table 1: draft force and Krylov iterations by tolerance."""
    out, shown = Outcome(), {}
    grains, seconds = (105144, 1.0) if settings.full else (250, 0.05)
    grains, seconds = settings.grains(grains), min(0.15, seconds * max(1.0, settings.scale))
    packing = settled_trench(grains)
    solvers = {f"IPM to {tolerance:g}": (STEP, {"solver": "IPM", "tolerance": tolerance, "max_iterations": 5000}, TABLE_1[tolerance]) for tolerance in TABLE_1}
    solvers["JACOBI, 2000 of h = 1e-3"] = JACOBI_STEP, {"solver": "JACOBI", "tolerance": 1e-12, "max_iterations": JACOBI_ITERATIONS, "omega": 0.3}, (2000, None)
    best = f"IPM to {min(TABLE_1):g}"
    for name, (step, solver, (krylov, error)) in sorted(solvers.items(), key=lambda item: item[0] != best):
        found = shown[name] = _push(grains, packing, seconds, step, solver)
        count, true = int(found["contacts"].mean()), shown[best]
        out.add("blade", count, name, "mean draft force, N", float(found["draft"].mean()), None, f"{int(found['missed'].sum())} of {len(found['missed'])} time steps missed")
        if found is not true:
            same = np.interp(true["time"], found["time"], found["draft"])
            out.add("blade", count, name, "draft force away from that to 1e-06, of its mean", float(np.mean(np.abs(same - true["draft"])) / max(abs(true["draft"].mean()), 1e-12)))
        out.add("blade", count, name, "iterations a time step" if name.startswith("J") else "Krylov iterations a time step", float(found["iterations"].mean()), krylov)
        out.add("blade", count, name, "mean residual", float(np.nanmean(found["residual"])), error)
        out.add("blade", count, name, "fastest sphere at the end, m/s", found["fastest"])
        out.add("blade", count, name, "CPU s a second of simulation", found["seconds"] / found["simulated"], RTF.get(name))
        settings.say(f"interior_point.blade: {name}: draft {found['draft'].mean():.4g} N, {found['iterations'].mean():.0f} iterations, fastest {found['fastest']:.3g} m/s, {found['seconds']:.3g} s")
    out.figures.append(("ipm_blade", f"Figure 10: draft force on a blade of {1e3 * blade_width(grains):.0f} mm in {grains} spheres at several tolerances", lambda figure: _draw_blade(figure, shown)))
    return out


#: CPU seconds a second of simulation (real time factors of the paper's machine).
RTF = {"IPM to 0.001": 20884, "IPM to 0.0001": 61291, "IPM to 1e-05": 83945, "IPM to 1e-06": 107650, "JACOBI, 2000 of h = 1e-3": 892780}


def _draw_blade(figure, shown):
    left, right = axes_of(figure, "horizontal force on the blade, N", "Krylov iterations a time step (Jacobi: iterations)")
    for name, found in shown.items():
        left.plot(found["time"], found["draft"], lw=1.2, label=name)
        right.semilogy(found["time"], np.maximum(found["iterations"], 1.0), lw=1.2)
    for axes in (left, right):
        axes.set_xlabel("t, s")
    left.legend(fontsize=7)


EXPERIMENTS = [
    Experiment("interior_point.piles", "Piles of spheres that do not turn", "Figures 5-7", "one pile of 80 spheres, at most 5 s a solve", "problems 1 to 3, at most 3 minutes a solve",
               "Residuals are in the scale of gravity, sqrt(sum m) g h, and beside them the largest component of R - proj(R - U) in SI units; the paper does not say in which norm its error is. Piles settle without friction in a box that is then taken away.",
               piles),
    Experiment("interior_point.eigenvalues", "Eigenvalues of a step's system", "Figure 4", "100 spheres", "600 spheres",
               "The paper's pile has 2048 spheres, too many for a dense spectrum here. Unknowns are scaled contact by contact; nothing is regularised, so that self-stresses show as the least eigenvalues.", eigenvalues),
    Experiment("interior_point.blade", "A blade in granular material", "Figures 8-10, Table 1", "250 spheres, 0.05 s; `--scale 40`: 10,000 spheres, 0.15 s", "105,144 spheres, 0.15 s",
               "The trench is not given: 9 by 4.5 widths of the blade, about 4 deep; trench and blade shrink with the number of spheres, whose sizes stay. The reference is IPM to 1e-6 and Jacobi as in the paper's best run instead of its DEM; the residual is that of the relaxation, which "
               "a simulation weighs against what gravity does to each contact in a step. IPM finishes by proximal Newton steps. A time step begins with the impulses of the one before.", blade),
]
