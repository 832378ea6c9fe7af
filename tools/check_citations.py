#!/usr/bin/env python3
"""Check that every equation and section of the theory manual cited in the sources exists, that every equation is cited, and that the functions, types
and files which the pages about the code name are there."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CITATION = re.compile(r"theory\s+(eq|sec)\.\s*([0-9.]+[0-9])(?:\s*-\s*([0-9.]*[0-9]))?|\(eq\.\s*([0-9]+\.[0-9]+)(?:\s*-\s*([0-9.]*[0-9]))?")


#: Pages whose `names` must exist in the sources.
PAGES = ("docs/a_time_step.md", "docs/architecture.md", "CONTRIBUTING.md")


def known_numbers():
    text = (ROOT / "docs/theory.md").read_text()
    numbered = re.findall(r"\((\d+\.\d+)\)\s*$", text, re.M)
    equations, twice = set(numbered), sorted({n for n in numbered if numbered.count(n) > 1})
    sections = set(re.findall(r"^#+\s+(\d+(?:\.\d+)?)\.?\s", text, re.M))
    return equations, sections, twice


def citations():
    for folder in ("src", "python", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".cpp", ".hpp", ".py"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                for match in CITATION.finditer(line):
                    first, last = match[2] or match[4], match[3] or match[5]
                    yield path.relative_to(ROOT), number, match[1] or "eq", first, last


def span(first, last):
    """Numbers from '3.14' to '3.16' (or '16')."""
    chapter, low = first.split(".")
    return {f"{chapter}.{k}" for k in range(int(low), int((last or first).split(".")[-1]) + 1)}


def cited_by_step_page():
    """Numbers in the last column of the table of stages."""
    for line in (ROOT / "docs/a_time_step.md").read_text().splitlines():
        if re.match(r"\| \d+\w? \|", line):
            for first, last in re.findall(r"(\d+\.\d+)(?:-(\d+\.\d+))?", line.split("|")[-2]):
                yield from span(first, last)


def sources():
    """All words of the sources, and their paths."""
    words, paths = set(), set()
    for folder in ("src", "python", "tests", "tools", "viewer/src"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".cpp", ".hpp", ".py", ".ts", ".txt", ".sh"):
                words.update(re.findall(r"\w+", path.read_text(errors="replace")))
                paths.add(str(path.relative_to(ROOT)))
    return words, paths


def unknown_names():
    """Names in backquotes that no source has: paths by their end, others word by word. Capital placeholders and commands are left out."""
    words, paths = sources()
    for page in PAGES:
        text = re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.S)
        for name in re.findall(r"`([^`\n]+)`", text):
            if "NAME" in name or re.search(r"[\s<>=]", name):
                continue
            if re.search(r"\.(cpp|hpp|py|md|json|txt)$", name):
                there = (ROOT / name).exists() or (ROOT / "src" / name).exists() or any(p.endswith("/" + name) for p in paths)
            elif name.endswith("/") or "/" in name:
                there = (ROOT / name).exists() or (ROOT / "src" / name).exists() or (ROOT / "python" / name).exists()
            else:
                there = all(word in words for word in re.findall(r"\w+", name))
            if not there:
                yield f"{page}: `{name}` is nowhere in the sources"


def main():
    equations, sections, twice = known_numbers()
    wrong = [f"docs/theory.md: equation ({number}) is there twice" for number in twice] + list(unknown_names())
    count = 0
    used = set(cited_by_step_page())
    for path, number, kind, cited, last in citations():
        count += 1
        for each in span(cited, last) if kind == "eq" else (cited, last or cited):
            if each not in (equations if kind == "eq" else sections):
                wrong.append(f"{path}:{number}: theory {kind}. {each} does not exist in docs/theory.md")
        if kind == "eq":
            used |= span(cited, last)
    wrong += [f"docs/theory.md: nothing cites equation ({number})" for number in sorted(equations - used, key=lambda n: [int(k) for k in n.split(".")])]
    print("\n".join(wrong) if wrong else f"{count} citations, {len(equations)} equations, {len(sections)} sections: all found, all cited; names on {len(PAGES)} pages: all there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
