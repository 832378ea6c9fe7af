"""Write docs/validation.md and its pictures from `scree bench truth`.

    tools/validation.py [ROWS.json] [--no-pictures]

Without a file all cases are run, slow ones too (some minutes); with one, the rows `scree bench truth --slow --json ROWS.json` wrote.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

HEAD = """# What is true

Closed forms, and oracles of their own, beside what Scree computes with its default settings. Made by `tools/validation.py` from

    scree bench truth --slow [--only PATTERN] [--json -]

Fast cases are part of `make test`. Numbers are SI; `bound` is how far `got` may be from `expected`, or the most it may be. Each theme names the section of
the [theory manual](theory.md) that promises it.

"""


def anchors():
    """Section number of theory.md -> link."""
    found = {}
    for line in (ROOT / "docs/theory.md").read_text().splitlines():
        match = re.match(r"#+ (\d+(?:\.\d+)?)\.? (.*)", line)
        if match:
            slug = re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
            found[match.group(1)] = f"[theory {match.group(1)}](theory.md#{slug})"
    return found


def page(rows, pictures):
    from scree import bench_truth
    links = anchors()
    failed = [row for row in rows if not row["pass"]]
    text = [HEAD, f"{len(rows)} rows in {len({r['case'] for r in rows})} cases, {len(rows) - len(failed)} pass"
            + (f", **{len(failed)} fail**:\n\n" + "".join(f"- {row['case']}: {row['what']}\n" for row in failed) if failed else ".\n"), "\n"]
    about = {case.name: case for case in bench_truth.CASES}
    for theme in bench_truth.THEMES:
        mine = [row for row in rows if row["theme"] == theme]
        text.append(f"## {theme[0].upper()}{theme[1:]}\n\n")
        text += [f"![{name}](images/validation/{name}.png)\n\n" for name in pictures.get(theme, ()) if (ROOT / f"docs/images/validation/{name}.png").exists()]
        for name, case in about.items():
            if case.theme != theme:
                continue
            text.append(f"### {name}\n\n{case.about} ({links.get(case.theory, 'theory ' + case.theory)}{', slow' if case.slow else ''})\n\n")
            if not any(row["case"] == name for row in mine):
                text.append(f"Not run for this page: `scree bench truth --only '{name}'`.\n\n")
                continue
            text.append("| | expected | got | bound | |\n|---|---|---|---|---|\n")
            for row in mine:
                if row["case"] == name:
                    cells = bench_truth.columns(row)
                    text.append("| " + " | ".join([row["what"].replace("|", "\\|"), *cells[1:4], "pass" if row["pass"] else "**FAIL**"]) + " |\n")
            text.append("\n")
    return "".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="?", help="what `scree bench truth --slow --json` wrote")
    parser.add_argument("--no-pictures", action="store_true", help="keep the pictures there are")
    args = parser.parse_args()
    from scree import bench_truth
    from scree.bench_truth import plots
    rows = json.loads(pathlib.Path(args.rows).read_text())["rows"] if args.rows else bench_truth.bench(slow=True, say=lambda t: print(t, file=sys.stderr, flush=True))
    folder = ROOT / "docs/images/validation"
    folder.mkdir(parents=True, exist_ok=True)
    if not args.no_pictures:
        for drawings in plots.PICTURES.values():
            for draw in drawings:
                draw(folder / f"{draw.__name__}.png")
    (ROOT / "docs/validation.md").write_text(page(rows, {theme: [d.__name__ for d in drawings] for theme, drawings in plots.PICTURES.items()}))


if __name__ == "__main__":
    main()
