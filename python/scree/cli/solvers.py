"""scree solvers: what there is to choose from."""
import textwrap

from . import common


def add(commands):
    parser = commands.add_parser("solvers", help="list the solvers with their options")
    parser.add_argument("name", nargs="?", help="only this one")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(function=execute)


def execute(args):
    """Print names, formulations and options with defaults."""
    from .. import _check, solvers
    listed = solvers()
    if args.name:
        name = _check.choice("solver", args.name, [entry["name"] for entry in listed])
        listed = [entry for entry in listed if entry["name"] == name]
    if args.json:
        common.write_json({"solvers": listed})
        return
    for entry in listed:
        print(f"{entry['name']}   ({', '.join(entry['formulations'])})")
        print(textwrap.fill(entry["text"], 110, initial_indent="  ", subsequent_indent="  "))
        for option in entry["options"]:
            print(textwrap.fill(f"{option['name']} = {option['default']}: {option['text']}", 110, initial_indent="    ", subsequent_indent="      "))
        print()
