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
    """Denominators of two dimensionless residuals, N s per root of kg: ours, sqrt(sum rho |B|^2), and what gravity changes in a step, sqrt(sum m) g h."""
    rho = 3.0 / np.trace(problem.diagonal(), axis1=1, axis2=2)
    mass = grains * DENSITY * 4 / 3 * math.pi * RADIUS**3 * (1.0 + SPREAD**2)
    return float(np.sqrt(np.sum(rho[:, None] * problem.B**2))), math.sqrt(mass) * GRAVITY * STEP


def largest_error(problem, solution):
    """Max norm of R - proj(R - U) in SI units, on the cones of the relaxation."""
    R, mu = solution.R - solution.U, np.asarray(problem.mu)
    T = np.linalg.norm(R[:, 1:], axis=1)
    inside, polar = T <= mu * R[:, 0], mu * T <= -R[:, 0]
    along = (R[:, 0] + mu * T) / (1.0 + mu**2)
    nearest = np.column_stack([along, (mu * along / np.maximum(T, 1e-300))[:, None] * R[:, 1:]])
    nearest[inside] = R[inside]
    nearest[polar] = 0.0
    return float(np.abs(solution.R - nearest).max())


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
        found = _solve_all(settings, name, problem, gravity / own, 1200.0 if settings.full else 5.0)
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


def _trench(side):
    """A simulation with the walls of a trench; it and blade shrink with the number of spheres: 0.2 m of blade (`side`) in 105,144 of them."""
    import scree
    length, width, high = 7.0 * side, 3.0 * side, 10.0 * side
    sim = scree.Simulation(step=5e-3, threads=1)
    for place, size in (((0, 0, -0.05), (length + 1, width + 1, 0.1)), ((0, width / 2 + 0.05, high), (length + 1, 0.1, 2 * high)), ((0, -width / 2 - 0.05, high), (length + 1, 0.1, 2 * high)),
                        ((length / 2 + 0.05, 0, high), (0.1, width, 2 * high)), ((-length / 2 - 0.05, 0, high), (0.1, width, 2 * high))):
        sim.obstacle(scree.box(center=place, size=size))
    return sim, length, width


def _spheres(sim, places, radii):
    import scree
    for place, radius in zip(places, radii):
        sim.rigid(scree.sphere(place, radius), density=BULK / PACKED).hold(rotation="xyz")


def settled_trench(grains, time=1.5):
    """Places and radii of spheres of 8 to 16 mm that do not turn, settled without friction."""
    side = 0.2 * (grains / 105144) ** (1 / 3)
    sim, length, width = _trench(side)
    sim.surface_material(friction=0.0)
    rng = np.random.default_rng(1)
    radii, pitch = rng.uniform(0.008, 0.016, grains), 0.034
    nx, ny = max(1, int(length / pitch)), max(1, int(width / pitch))
    k = np.arange(grains)
    layer, rest = k // (nx * ny), k % (nx * ny)
    places = np.column_stack([(rest // ny - 0.5 * (nx - 1)) * pitch, (rest % ny - 0.5 * (ny - 1)) * pitch, 0.017 + layer * pitch])
    places[:, :2] += rng.uniform(-5e-4, 5e-4, (grains, 2))
    _spheres(sim, places, radii)
    sim.solver("AUTO", tolerance=1e-3)
    sim.advance(int(round(time / sim.step)))
    return sim.bodies.positions[sim.bodies.moving], radii


def with_blade(grains, places, radii):
    """The settled grains with friction and a blade of the paper's proportions that moves; grains in its way are left out."""
    import scree
    side = 0.2 * (grains / 105144) ** (1 / 3)
    sim, length, _ = _trench(side)
    surface = float(np.quantile(places[:, 2], 0.98)) + 0.012
    middle, size = np.array((-0.2 * length, 0.0, surface)), np.array((0.02, side, 2.0 * side))
    free = np.any(np.abs(places - middle) > size / 2 + radii[:, None], axis=1)
    _spheres(sim, places[free], radii[free])
    blade = sim.obstacle(scree.box(center=middle, size=size), label="blade", velocity=(SPEED, 0, 0))
    sim.surface_material(friction=0.25)
    sim.step, sim.integrator = STEP, "SHAKE"
    return sim, blade


def draft(sim, blade):
    """Horizontal force of the grains on the blade in the last step, N."""
    found = sim.contacts
    on = found["bodies"] == blade.id
    return float(np.sum(found["force"][on[:, 1], 0]) - np.sum(found["force"][on[:, 0], 0]))


def relaxed_residual(sim):
    """Residual of the convex relaxation in the last step; None where some contacts were no part of its problem."""
    problem, force = sim.problem(), sim.contacts["local_force"]
    return problem.measure(force * sim.step, "ccp") if len(force) == problem.blocks and len(force) else None


def blade(settings):
    """Figures 8 to 10 and Table 1: draft force and Krylov iterations by tolerance."""
    out, shown = Outcome(), {}
    grains, steps = (105144, 100) if settings.full else (80, 5)
    grains = settings.grains(grains)
    packing = settled_trench(grains)
    for tolerance, (krylov, error) in {1e-8: (None, None), **TABLE_1}.items():
        sim, front = with_blade(grains, *packing)
        reference = tolerance == 1e-8
        if reference:
            sim.solver("AUTO", tolerance=1e-6, max_iterations=20000)
        else:
            sim.solver("IPM", tolerance=tolerance, max_iterations=300, formulation="convex")
        forces, counts, errors, contacts, missed, begun = [], [], [], [], 0, time.process_time()
        for _ in range(steps):
            sim.advance()
            forces.append(draft(sim, front))
            counts.append(sim.report["iterations"])
            errors.append(relaxed_residual(sim))
            missed += sim.solve_report["status"] != "converged"
            contacts.append(len(sim.contacts["gap"]))
        took, name = time.process_time() - begun, "AUTO, 1e-6, Coulomb" if reference else f"{tolerance:g}"
        fastest = float(np.linalg.norm(sim.bodies.velocities[sim.bodies.moving], axis=1).max())
        shown[name] = forces
        count = int(np.mean(contacts))
        out.add(name, count, "", "mean draft force, N", float(np.mean(forces)))
        out.add(name, count, "", "fastest sphere at the end, m/s", fastest)
        out.add(name, count, "", "mean residual", float(np.mean(errors)) if None not in errors else None, error, f"{missed} of {steps} time steps missed")
        out.add(name, count, "", "steps of the solver a time step", float(np.mean(counts)))
        out.add(name, count, "", "CPU s a second of simulation", took / (steps * STEP))
        settings.say(f"interior_point.blade: {name}: draft {np.mean(forces):.4g} N, fastest {fastest:.3g} m/s, {took:.3g} s")
    out.figures.append(("ipm_blade", "Figure 10: draft force at several tolerances", lambda figure: _draw_blade(figure, shown)))
    return out


def _draw_blade(figure, shown):
    axes, = axes_of(figure, "horizontal force on the blade, N")
    for name, forces in shown.items():
        axes.plot(STEP * np.arange(1, len(forces) + 1), forces, lw=1.2, label=name)
    axes.set_xlabel("t, s")
    axes.legend(fontsize=7)


EXPERIMENTS = [
    Experiment("interior_point.piles", "Piles of spheres that do not turn", "Figures 5-7", "one pile of 80 spheres, at most 5 s a solve", "problems 1 to 3, at most 20 minutes a solve",
               "Residuals are in the scale of gravity, sqrt(sum m) g h, and beside them the largest component of R - proj(R - U) in SI units; the paper does not say in which norm its error is. Piles settle without friction in a box that is then taken away.",
               piles),
    Experiment("interior_point.eigenvalues", "Eigenvalues of a step's system", "Figure 4", "100 spheres", "600 spheres",
               "The paper's pile has 2048 spheres, too many for a dense spectrum here. Unknowns are scaled contact by contact; nothing is regularised, so that self-stresses show as the least eigenvalues.", eigenvalues),
    Experiment("interior_point.blade", "A blade in granular material", "Figures 8-10, Table 1", "80 spheres, 5 steps, proportions as there", "105,144 spheres, 1 s",
               "The reference is Coulomb's law by AUTO at 1e-6 instead of the paper's DEM. Trench and blade shrink with the number of spheres, whose sizes stay: with so few of them the force is that of a handful of contacts, and no trend of the paper's can show; the residual is that of the relaxation (`ccp`).", blade),
]
