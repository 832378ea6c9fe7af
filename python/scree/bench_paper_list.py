"""Every table and figure with results in the five source texts: where Scree shows it, or what is missing.

A row is (text, item, what it shows, status, where or why). Status: `reproduced`, `differs`, `open` (not made yet) or `picture` (a sketch, nothing to measure).
"""
QUASI_NEWTON = "quasi-Newton report"
INTERIOR_POINT = "interior-point paper"
KRYLOV = "Krylov and spectral methods"
CPG = "conjugate projected gradients"
MANUAL = "Solfec's manual"

_DRUM = "scree bench paper quasi_newton"
_CUBES = "tools/cube_study.py, docs/cubes.md"

ITEMS = [
    (QUASI_NEWTON, "Table 1", "parameters of Algorithm 1", "reproduced", "defaults of NEWTON: scree solvers"),
    (QUASI_NEWTON, "Figure 1", "the drum and its stages", "reproduced", "examples/drum.py, make demo"),
    (QUASI_NEWTON, "Figures 2-5", "drum, absolute delta: sensitivity to delta, m, epsilon; run times", "open", "options delta, reldelta=none, epsilon and m of NEWTON; the study over their grid is not written"),
    (QUASI_NEWTON, "Table 2", "drum, absolute delta: runtime, iterations, divs", "differs", f"{_DRUM} runs with the relative delta of Table 3"),
    (QUASI_NEWTON, "Figures 6-11", "drum, relative delta by min, mean and max W_ii", "open", "option reldelta of NEWTON; the study over the grid is not written"),
    (QUASI_NEWTON, "Table 3", "drum, delta relative to the mean W_ii: runtime, iterations, divs", "reproduced", f"{_DRUM}; docs/solvers.md"),
    (QUASI_NEWTON, "Table 4", "shortest runtimes for the three norms of delta", "open", "needs Figures 6-11"),
    (QUASI_NEWTON, "Figures 12-13", "drum: material density against delta; restitution and friction", "open", "the study is not written"),
    (QUASI_NEWTON, "Figure 14", "100k drum, pictures", "open", "the scene is there for any N; not run to 10 s at 100k"),
    (QUASI_NEWTON, "Tables 5, 6", "100k drum on a cluster: run times, scaling, statistics (empty in the report)", "open", "docs/many_processes.md says what was measured on ranks"),
    (QUASI_NEWTON, "section 8.1.4", "announced, empty in the report", "open", "nothing to compare with"),
    (QUASI_NEWTON, "sections 8.2.1-8.2.4", "shaken cubes (tables empty in the report)", "reproduced", f"{_CUBES}: M = 2 to 4; shorter than 3 s"),
    (INTERIOR_POINT, "Figures 1-3", "a bouncing ball; basis functions; SHAKE at an impact", "picture", ""),
    (INTERIOR_POINT, "Figure 4", "eigenvalues of the system in one step", "open", "not plotted"),
    (INTERIOR_POINT, "Figure 5", "piles of 2048, 5040 and 10192 spheres", "differs", "scree bench paper interior_point: settled without friction, 4.5 to 5.0 contacts a sphere (4.1 to 4.3)"),
    (INTERIOR_POINT, "Figures 6, 7", "error of Jacobi and interior point over time, time to a tolerance", "differs",
     "scree bench paper interior_point: Krylov steps as there (2559, 2757), Jacobi far fewer (3789, 73600): the scale of the residual differs"),
    (INTERIOR_POINT, "Figures 8-10, Table 1", "a blade in 105,144 spheres: draft force, Krylov steps, errors by tolerance", "open", "the scene is not written"),
    (KRYLOV, "Figures 1-3, 11", "scenes", "picture", ""),
    (KRYLOV, "Table I", "test problem 1 by all methods", "differs", "scree bench paper krylov: iterations to a gap of the objective, and their ratio; FOFV, gamma_max and GPMINRES-P are not tabled"),
    (KRYLOV, "Figure 4", "test problem 1: objective over iterations", "reproduced", "scree bench paper krylov: 965 and 37884 iterations to the paper's gap (1000, 43000)"),
    (KRYLOV, "Figure 5", "test problem 1: sorted impulses of the methods", "open", "not plotted"),
    (KRYLOV, "Figures 6-8", "test problem 2: objective and residual, three sizes", "differs", "scree bench paper krylov: 3636, 7328, 15030 contacts (3634, 8507, 17161), gaps of the objective only"),
    (KRYLOV, "Figures 9, 10", "feasibility, size of the active set", "open", "not recorded"),
    (KRYLOV, "Figures 12, 13", "test problem 3: a lid of 1, 4, 16 t", "differs", "scree bench paper krylov: spheres settle anew under each lid (3677, 3317, 2810 contacts; one geometry of 4295 there)"),
    (CPG, "Figures 1-7, Tables 1-7", "cones, projections and the algorithms", "reproduced", "PG, CPG, PCPG: src/solvers/projected_gradient.cpp, theory 4.7"),
    (CPG, "Figure 8", "energy over iterations, 28,000 contacts", "open", "not recorded"),
    (CPG, "Figures 9-12", "convergence and gain of CPG and PCPG over Gauss-Seidel", "reproduced", "scree bench paper cpg: 4.3 to 8.0 and 7.3 to 11.9 times fewer iterations (2.98 to 9.5)"),
    (CPG, "Figures 13-18, Table 8", "drum, biaxial, shear and compaction of disks: iterations and CPU", "open", "planar bodies are in a generator of problems, not in the simulation"),
    (CPG, "Figure 19", "speed-up on many processors", "open", "not measured"),
    (MANUAL, "chapter 3", "the input language", "reproduced", "docs/language.md, docs/coming_from_solfec.md"),
    (MANUAL, "sections 4.1, 4.2", "tutorials", "reproduced", "tests/python/test_solfec_tutorial.py"),
]
KEYS = ("text", "item", "what", "status", "where")


def rows():
    """The list as dictionaries."""
    return [dict(zip(KEYS, item)) for item in ITEMS]


def table():
    """The list as text, a heading a source, and how many rows have each status."""
    lines, text = [], None
    for row in rows():
        if row["text"] != text:
            text = row["text"]
            lines.append(f"{text}:")
        lines.append(f"  {row['item']:<24} {row['status']:<11} {row['what']}" + (f"\n{'':39}{row['where']}" if row["where"] else ""))
    counts = {status: sum(row["status"] == status for row in rows()) for status in ("reproduced", "differs", "open", "picture")}
    return "\n".join([*lines, ", ".join(f"{count} {status}" for status, count in counts.items())])
