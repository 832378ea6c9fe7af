#!/usr/bin/env python3
"""Reject includes between folders of src/ that the design does not allow."""
import pathlib
import re
import sys

ALLOWED = {
    "core": set(),
    "geometry": {"core"},
    "collision": {"core", "geometry"},
    "elastic": {"core", "geometry"},
    "solvers": {"core"},
    "model": {"core", "geometry", "elastic"},
    "assembly": {"core", "geometry", "elastic", "model", "collision", "solvers"},
    "stepping": {"core", "geometry", "elastic", "model", "collision", "solvers", "assembly"},
    "io": {"core", "geometry", "elastic", "model", "solvers"},
}


def violations(root):
    for folder, allowed in ALLOWED.items():
        for path in sorted((root / folder).rglob("*.[hc]pp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.match(r'\s*#include\s+"([^/"]+)/', line)
                if match and match[1] != folder and match[1] not in allowed:
                    yield f"{path.relative_to(root)}:{number}: {folder}/ must not include {match[1]}/"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    unknown = [p.name for p in root.iterdir() if p.is_dir() and p.name not in ALLOWED]
    found = [f"src/{name}: folder without an include rule" for name in unknown] + list(violations(root))
    print("\n".join(found) if found else "every include keeps to the design")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
