"""Every table and figure with results in the five source texts: where Scree shows it, or what is missing.

A row is (text, item, what it shows, status, where or why). Status: `reproduced`, `differs`, `open` (not made yet) or `picture` (a sketch, nothing to measure).
"""
QUASI_NEWTON = "quasi-Newton report"
INTERIOR_POINT = "interior-point paper"
KRYLOV = "Krylov and spectral methods"
CPG = "conjugate projected gradients"
MANUAL = "Solfec's manual"

_PAGE = "docs/papers.md: scree bench paper "
_CUBES = "tools/cube_study.py, docs/cubes.md"

ITEMS = [
    (QUASI_NEWTON, "Table 1", "parameters of Algorithm 1", "reproduced", "defaults of NEWTON: scree solvers"),
    (QUASI_NEWTON, "Figure 1", "the drum and its stages", "reproduced", "examples/drum.py, make demo"),
    (QUASI_NEWTON, "Figures 2-5", "drum, absolute delta: sensitivity to delta, m, epsilon; run times", "differs",
     _PAGE + "quasi_newton.sensitivity: the same contact problems solved with every choice instead of a run a choice; no run times"),
    (QUASI_NEWTON, "Table 2", "drum, absolute delta: runtime, iterations, divs", "open", "written, not run: scree bench paper quasi_newton.runs"),
    (QUASI_NEWTON, "Figures 6-11", "drum, relative delta by min, mean and max W_ii", "differs", _PAGE + "quasi_newton.sensitivity: as Figures 2-5"),
    (QUASI_NEWTON, "Table 3", "drum, delta relative to the mean W_ii: runtime, iterations, divs", "reproduced", "docs/solvers.md: 10 s of the drum"),
    (QUASI_NEWTON, "Table 4", "shortest runtimes for the three norms of delta", "differs", _PAGE + "quasi_newton.sensitivity: cheapest by Newton and linear iterations, not by run time"),
    (QUASI_NEWTON, "Figures 12-13", "drum: material density against delta", "open", "written, not run: scree bench paper quasi_newton.density"),
    (QUASI_NEWTON, "Figure 14", "100k drum, pictures", "open", "the scene is there for any N; not run to 10 s at 100k"),
    (QUASI_NEWTON, "Tables 5, 6", "100k drum on a cluster: run times, scaling, statistics (empty in the report)", "open", "docs/many_processes.md says what was measured on ranks"),
    (QUASI_NEWTON, "section 8.1.4", "friction against delta (announced, empty in the report)", "open", "written, not run: scree bench paper quasi_newton.friction"),
    (QUASI_NEWTON, "appendix B", "NAFEMS punches (announced, empty in the report)", "open", "the scene is not written"),
    (QUASI_NEWTON, "sections 8.2.1-8.2.4", "shaken cubes (tables empty in the report)", "reproduced", f"{_CUBES}: M = 2 to 4; shorter than 3 s"),
    (INTERIOR_POINT, "Figures 1-3", "a bouncing ball; basis functions; SHAKE at an impact", "picture", ""),
    (INTERIOR_POINT, "Figure 4", "eigenvalues of the system in one step", "differs", _PAGE + "interior_point.eigenvalues: 100 spheres (2048), nothing regularised"),
    (INTERIOR_POINT, "Figures 5-7", "piles of 2048, 5040 and 10192 spheres: error of Jacobi and interior point, time to a tolerance", "differs",
     _PAGE + "interior_point.piles, in the scale of gravity: run with 80 spheres, where IPM reaches 1e-5 and Jacobi misses 1e-4 in 29,000 iterations. The paper's sizes in our own scale: docs/solvers.md"),
    (INTERIOR_POINT, "Figures 8-10, Table 1", "a blade in 105,144 spheres: draft force, Krylov steps, errors by tolerance", "open", "scree bench paper interior_point.blade has the scene; steps solved by the relaxation do not meet the certificate of simulations, which is Coulomb's law, and runs of 80 spheres show no trend"),
    (KRYLOV, "Figures 1-3, 11", "scenes", "picture", ""),
    (KRYLOV, "Table I", "test problem 1 by all methods", "differs", _PAGE + "krylov.table1 --full: geometry not given, so objectives are shares of the best; GPMINRES-P reaches the best here"),
    (KRYLOV, "Figure 4", "test problem 1: objective over iterations", "reproduced", _PAGE + "krylov.ratio; at the paper's size 965 and 37884 iterations to its gap (1000, 43000): docs/solvers.md"),
    (KRYLOV, "Figure 5", "test problem 1: sorted impulses of the methods", "reproduced", _PAGE + "krylov.table1"),
    (KRYLOV, "Figures 6-8", "test problem 2: objective and residual, three sizes", "differs", _PAGE + "krylov.sizes: run at a tenth of the size; at the paper's 3666 and 7532 contacts instead of 3634 and 8507"),
    (KRYLOV, "Figures 9, 10", "feasibility, size of the active set", "differs", _PAGE + "krylov.sizes: as Figures 6-8; of the best iterate so far"),
    (KRYLOV, "Figures 12, 13", "test problem 3: a lid of 1, 4, 16 t", "reproduced", _PAGE + "krylov.lid: one geometry for all three, run with 150 spheres; Jacobi degrades 17 times from the lightest to the heaviest lid, GPMINRES does not"),
    (CPG, "Figures 1-7, Tables 1-7", "cones, projections and the algorithms", "reproduced", "PG, CPG, PCPG: src/solvers/projected_gradient.cpp, theory 4.7"),
    (CPG, "section 5.3", "criteria e_Q and e_m", "reproduced", _PAGE + "cpg.criteria"),
    (CPG, "Figure 8", "energy over iterations, 28,000 contacts", "differs", _PAGE + "cpg.energy: run with 500 disks"),
    (CPG, "Figures 9-12", "convergence and gain of CPG and PCPG over Gauss-Seidel", "reproduced", _PAGE + "cpg.step; larger ones in docs/solvers.md: 4.3 to 8.0 and 7.3 to 11.9 times fewer iterations (2.98 to 9.5)"),
    (CPG, "Figure 13, Table 8", "drum of 7200 disks", "differs", _PAGE + "cpg.drum: run with 50 disks"),
    (CPG, "Figures 14, 15, Table 8", "biaxial compression of 1024 and 9216 disks", "differs", _PAGE + "cpg.biaxial: run with 36 disks"),
    (CPG, "Figures 16, 17, Table 8", "simple shear of 1024 and 9216 disks", "differs", _PAGE + "cpg.shear: run with 36 disks"),
    (CPG, "Figure 18, Table 8", "compaction of 1000 and 10,000 disks with a free surface", "differs", _PAGE + "cpg.compaction: run with 64 disks"),
    (CPG, "Figure 19", "speed-up on many processors", "open", "not measured"),
    (MANUAL, "chapter 3", "the input language", "reproduced", "docs/language.md, docs/coming_from_solfec.md"),
    (MANUAL, "sections 4.1, 4.2", "tutorials", "reproduced", "tests/python/test_solfec_tutorial.py"),
]
#: What a row may be.
STATUSES = ("reproduced", "differs", "open", "picture")
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
    counts = {status: sum(row["status"] == status for row in rows()) for status in STATUSES}
    return "\n".join([*lines, ", ".join(f"{count} {status}" for status, count in counts.items())])
