"""scree plot: curves from results."""
from . import common


def add(commands):
    parser = commands.add_parser("plot", help="draw curves from results",
                                 description="Entities: energies, kinetic, potential, external, contact, friction, damping, contacts, iterations, "
                                 "residual, penetration_max, stages (integrate, detect, assemble, solve), and BODY.x, BODY.vz, BODY.speed with a "
                                 "body's label or id.")
    parser.add_argument("results", metavar="RESULTS")
    parser.add_argument("entities", nargs="*", metavar="ENTITY", default=["energies", "contacts", "iterations", "residual"])
    parser.add_argument("--out", default=None, metavar="PICTURE.png", help="default: plot.png in the folder of the results")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object instead")
    parser.set_defaults(function=execute)


def execute(args):
    """Draw, or print the numbers."""
    import os
    from .. import plots, read
    results = read(args.results)
    if args.json:
        curves = {}
        for name in args.entities:
            times, lines, label = plots.curve(results, name)
            curves[name] = {"axis": label, "time": times.tolist(), **{key: values.tolist() for key, values in lines.items()}}
        common.write_json(curves)
        return
    out = args.out or os.path.join(os.path.dirname(results.path), "plot.png")
    print(plots.plot(results, args.entities, out))
