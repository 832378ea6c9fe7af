#!/usr/bin/env python3
"""Check that every equation and section of the theory manual cited in the sources exists."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CITATION = re.compile(r"theory\s+(eq|sec)\.\s*([0-9.]+[0-9])(?:\s*-\s*([0-9.]*[0-9]))?|\(eq\.\s*([0-9]+\.[0-9]+)(?:\s*-\s*([0-9.]*[0-9]))?")


def known_numbers():
    text = (ROOT / "docs/theory.md").read_text()
    equations = set(re.findall(r"\((\d+\.\d+)\)\s*$", text, re.M))
    sections = set(re.findall(r"^#+\s+(\d+(?:\.\d+)?)\.?\s", text, re.M))
    return equations, sections


def citations():
    for folder in ("src", "python", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".cpp", ".hpp", ".py"):
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                for match in CITATION.finditer(line):
                    kind = match[1] or "eq"
                    for cited in (match[2] or match[4], match[3] or match[5]):
                        if cited:
                            yield path.relative_to(ROOT), number, kind, cited


def main():
    equations, sections = known_numbers()
    wrong = []
    count = 0
    for path, number, kind, cited in citations():
        count += 1
        if cited not in (equations if kind == "eq" else sections):
            wrong.append(f"{path}:{number}: theory {kind}. {cited} does not exist in docs/theory.md")
    print("\n".join(wrong) if wrong else f"{count} citations, {len(equations)} equations, {len(sections)} sections: all found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
