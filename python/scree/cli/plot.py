"""scree plot: figures from results."""
import os

from . import common


def add(commands):
    parser = commands.add_parser("plot", help="draw figures from results",
                                 description="Entities against time: energies, kinetic, potential, external, contact, friction, damping, contacts, iterations, "
                                 "residual, penetration_max, coordination, pressure, stress, porosity, stages (integrate, detect, assemble, solve), and BODY.x, BODY.vz, BODY.speed, BODY.kinetic with a "
                                 "body's label or id. Or one figure: ledger (energies, works and what does not add up), chains (forces in a section), "
                                 "forces (their distribution), packing (partners, directions, pressure, porosity), flow (through a plane), convergence, timings.")
    parser.add_argument("results", metavar="RESULTS")
    parser.add_argument("entities", nargs="*", metavar="ENTITY", default=["energies", "contacts", "iterations", "residual"])
    parser.add_argument("--out", default=None, metavar="PICTURE.png", help="or .pdf, .svg; default: plot.png in the folder of the results")
    parser.add_argument("--frame", type=int, default=-1, metavar="N", help="frame of chains and packing; negative: from the end (default: the last)")
    parser.add_argument("--along", choices=("x", "y", "z"), default="y", help="direction chains and packing are seen along (default: y)")
    parser.add_argument("--at", type=float, default=None, metavar="X", help="chains: only bodies around this plane, m")
    parser.add_argument("--thickness", type=common.positive_float, default=None, metavar="T", help="chains: of that plane (default: a typical body's size)")
    parser.add_argument("--plane", type=float, nargs=6, default=None, metavar=("X", "Y", "Z", "NX", "NY", "NZ"),
                        help="flow: a point of the plane, m, and its normal (default: half height, downwards)")
    parser.add_argument("--radius", type=common.positive_float, default=None, metavar="R", help="flow: only what passes this near to the point, m")
    parser.add_argument("--json", action="store_true", help="print the numbers of histories as one JSON object instead")
    parser.set_defaults(function=execute)


def execute(args):
    """Draw, or print the numbers."""
    from .. import plot, read
    results = read(args.results)
    out = args.out or os.path.join(os.path.dirname(results.path), "plot.png")
    figures = [name for name in args.entities if name in plot.FIGURES]
    if figures and (len(args.entities) > 1 or args.json):
        raise ValueError(f"'{figures[0]}' is a figure of its own: name it alone" + (", without --json" if args.json else ""))
    if args.json:
        curves = {}
        for name in args.entities:
            times, lines, label = plot.curve(results, name)
            curves[name] = {"axis": label, "time": times.tolist(), **{key: values.tolist() for key, values in lines.items()}}
        common.write_json(curves)
    elif figures == ["chains"]:
        print(plot.force_chains(results, out, frame=args.frame, along=args.along, at=args.at, thickness=args.thickness))
    elif figures == ["packing"]:
        print(plot.packing(results, out, frame=args.frame, along=args.along))
    elif figures == ["flow"]:
        point, normal = (args.plane[:3], args.plane[3:]) if args.plane else (None, (0.0, 0.0, -1.0))
        print(plot.flow(results, out, point=point, normal=normal, radius=args.radius))
    elif figures:
        print(plot.FIGURES[figures[0]](results, out))
    else:
        print(plot.histories(results, args.entities, out))
