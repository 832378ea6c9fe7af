"""scree doctor: what is there, what it is good for, how to get what is missing."""
from . import common


def add(commands):
    parser = commands.add_parser("doctor", help="what is there on this machine, what it is good for, how to get what is missing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(function=execute)


def execute(args):
    """Print what was found."""
    from .. import doctor
    found = doctor.examine()
    if args.json:
        common.write_json({"parts": found})
    else:
        print(doctor.text(found))
