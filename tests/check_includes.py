#!/usr/bin/env python3
"""Reject includes between folders of src/ that the table in docs/architecture.md does not allow."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def allowed_includes():
    """{room: rooms it may include} from the table of rooms."""
    table = re.findall(r"^\| `(\w+)` \|([^|]*)\|", (ROOT / "docs/architecture.md").read_text(), re.M)
    return {room: set(re.findall(r"`(\w+)`", others)) for room, others in table}


def violations(root, rooms):
    for folder, allowed in rooms.items():
        for path in sorted((root / folder).rglob("*.[hc]pp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = re.match(r'\s*#include\s+"([^/"]+)/', line)
                if match and match[1] != folder and match[1] not in allowed:
                    yield f"{path.relative_to(root)}:{number}: {folder}/ must not include {match[1]}/"


def users_of_mpi(root):
    """MPI and Zoltan have one user, the module for several ranks."""
    for path in sorted([*root.rglob("*.[hc]pp")]):
        if "python/mpi/" not in path.as_posix() and re.search(r"#include\s+[<\"](mpi|zoltan)", path.read_text(errors="replace")):
            yield f"{path.relative_to(root)}: only python/mpi/ may include MPI and Zoltan"


def main():
    root = ROOT / "src"
    rooms = allowed_includes()
    folders = {p.name for p in root.iterdir() if p.is_dir()}
    found = [f"src/{name}: not in the table of docs/architecture.md" for name in sorted(folders - set(rooms))]
    found += [f"docs/architecture.md: there is no folder src/{name}" for name in sorted(set(rooms) - folders)]
    found += list(violations(root, rooms))
    found += [text for folder in ("src", "python", "tests") for text in users_of_mpi(ROOT / folder)]
    print("\n".join(found) if found else f"{len(rooms)} rooms: every include keeps to docs/architecture.md")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
