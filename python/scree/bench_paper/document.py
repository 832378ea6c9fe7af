"""The page docs/papers.md: a section an experiment, replaced when the experiment is run with --write."""
import pathlib
import re

from .experiment import cell

_HEAD = """# The papers' experiments

Tables and figures of the texts behind Scree's solvers, ours beside theirs. Every section is written by the command it names, with `--write docs`; `scree bench paper --list` says which table and figure of which text is where, and what is missing.
Machines and exact packings of the papers are not to be had: iteration counts and ratios are what is compared.
"""
_TEXTS = {"krylov": "Krylov and spectral methods", "quasi_newton": "Projected quasi-Newton report", "interior_point": "Interior-point paper", "cpg": "Conjugate projected gradients"}


def _markers(name):
    return f"<!-- {name} -->", f"<!-- end of {name} -->"


def _table(rows):
    problems, methods, notes = (any(row[key] for row in rows) for key in ("problem", "method", "note"))
    def line(cells):
        return "| " + " | ".join(str(c) for c in cells) + " |"
    def keep(row):
        return [c for c, used in ((row["problem"], problems), (row["contacts"], True), (row["method"], methods), (row["quantity"], True), (cell(row["ours"]), True),
                                  (cell(row["paper_value"]), True), (row["note"], notes)) if used]
    heads = [h for h, used in (("problem", problems), ("contacts", True), ("method", methods), ("quantity", True), ("ours", True), ("paper", True), ("", notes)) if used]
    return "\n".join([line(heads), "|" + "---|" * len(heads)] + [line(keep(row)) for row in rows])


def section(experiment, outcome, settings):
    """Markdown of an experiment that was run."""
    form = "the full form" if settings.full else "the short form"
    form += "" if settings.scale == 1.0 else f" at scale {settings.scale:g}"
    begin, end = _markers(experiment.name)
    parts = [begin, f"### {experiment.title}", f"{experiment.items}. `scree bench paper {experiment.name}`: {experiment.short}; with `--full`: {experiment.full}. Below: {form}.",
             _table(outcome.rows), *(f"![{caption}](images/papers/{name}.png)\n\n{caption}." for name, caption, _ in outcome.figures), experiment.differs, end]
    return "\n\n".join(part for part in parts if part)


def draw(outcome, folder):
    """Draw the figures of an outcome into a folder."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    for name, _, paint in outcome.figures:
        figure = pyplot.figure(figsize=(9.0, 3.4), dpi=100)
        paint(figure)
        figure.tight_layout()
        figure.savefig(pathlib.Path(folder) / f"{name}.png")
        pyplot.close(figure)


def write(done, settings, folder, order):
    """Replace the sections of these experiments in FOLDER/papers.md and draw their figures; `order` names all experiments of the page."""
    # Pictures take long, and other experiments may write the page meanwhile.
    for _, outcome in done:
        draw(outcome, pathlib.Path(folder) / "images" / "papers")
    page = pathlib.Path(folder) / "papers.md"
    old = page.read_text() if page.exists() else ""
    sections = {}
    for name in order:
        begin, end = _markers(name)
        found = re.search(re.escape(begin) + ".*?" + re.escape(end), old, re.S)
        if found:
            sections[name] = found.group(0)
    for experiment, outcome in done:
        sections[experiment.name] = section(experiment, outcome, settings)
    lines, text = [_HEAD], None
    for name in order:
        if name not in sections:
            continue
        if name.split(".")[0] != text:
            text = name.split(".")[0]
            lines.append(f"## {_TEXTS[text]}\n")
        lines.append(sections[name] + "\n")
    page.write_text("\n".join(lines))
    return page
