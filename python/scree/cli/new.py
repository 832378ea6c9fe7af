"""scree new: a script to begin with."""
import os


def add(commands):
    from ..starters import STARTERS
    about = "; ".join(f"{name}: {what}" for name, what in STARTERS.items())
    parser = commands.add_parser("new", help="write a script to begin with", description=f"Writes a short script that runs as it is. {about}.")
    parser.add_argument("name", choices=tuple(STARTERS), metavar="|".join(STARTERS))
    parser.add_argument("path", nargs="?", default=None, metavar="SCRIPT.py", help="default: NAME.py here")
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there")
    parser.set_defaults(function=execute)


def execute(args):
    """Write the script and say how to run it."""
    from ..starters import text
    path = args.path or f"{args.name}.py"
    if os.path.exists(path) and not args.force:
        raise ValueError(f"{path} exists: choose another name, or overwrite it with --force")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(args.name))
    print(f"{path}: run it with `scree run {path}`, watch it with `scree run {path} --view`")
