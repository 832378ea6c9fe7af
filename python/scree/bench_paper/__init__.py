"""Experiments of the papers behind the solvers: our table or figure beside theirs.

The papers' machines are gone and their exact packings were never published; iteration counts and the ratios between methods are what
carries over. Grains settle by Scree's own steps, the same on every machine.
"""
from .. import _check
from . import cpg, interior_point, krylov, quasi_newton
from .experiment import Settings, cell, pile

#: Name -> experiment, in the order of the page.
EXPERIMENTS = {e.name: e for module in (krylov, quasi_newton, interior_point, cpg) for e in module.EXPERIMENTS}
#: Names of the texts; one stands for all its experiments.
PAPERS = tuple(dict.fromkeys(e.paper for e in EXPERIMENTS.values()))
NAMES = PAPERS + tuple(EXPERIMENTS)


def chosen(name):
    """The experiments a name stands for."""
    _check.choice("paper", name, NAMES)
    return [e for e in EXPERIMENTS.values() if name in (e.name, e.paper)]


def run(name, scale=1.0, full=False, say=lambda text: None):
    """Run the experiments a name stands for: a list of (experiment, outcome)."""
    settings = Settings(full, _check.positive("scale", scale), say)
    return [(experiment, experiment.run(settings)) for experiment in chosen(name)]


def rows(done):
    """Rows of all experiments that were run, each with its name."""
    return [{"experiment": experiment.name, **row} for experiment, outcome in done for row in outcome.rows]


def table(rows):
    """The rows as text, ours beside the paper's."""
    lines = [f"{'problem':<24} {'contacts':>8}  {'method':<22} {'quantity':<42} {'ours':>10} {'paper':>12}"]
    for row in rows:
        lines.append(f"{row['problem']:<24} {row['contacts']:>8}  {row['method']:<22} {row['quantity']:<42} {cell(row['ours']):>10} {cell(row['paper_value']):>12}"
                     + (f"  {row['note']}" if row["note"] else ""))
    return "\n".join(lines)
