"""scree export: results in other formats."""
import argparse

from . import common


def add(commands):
    parser = commands.add_parser("export", help="write results in another format",
                                 description="xdmf and vtu: surfaces, centres and contacts for ParaView. points: centres and contacts alone, without copying. csv: tables. fields: porosity, stress, "
                                 "coordination and more on a grid and on bodies, for ParaView. fclib: the contact problem of the step "
                                 "that follows a frame, for solvers.")
    parser.add_argument("results", metavar="RESULTS", help="folder or file")
    parser.add_argument("--format", required=True, choices=("xdmf", "points", "vtu", "csv", "fclib", "fields"))
    parser.add_argument("--out", metavar="PATH", help="default: beside the results")
    parser.add_argument("--frame", type=int, metavar="N", help="only this frame (negative: from the end)")
    parser.add_argument("--every", type=common.positive_int, metavar="K", help="every K-th frame")
    parser.add_argument("--times", type=float, nargs=2, metavar=("T0", "T1"), help="frames between two times, s")
    parser.add_argument("--bodies", type=common.names, metavar="A,B", help="only these bodies (labels or ids) and their contacts")
    parser.add_argument("--form", choices=("local", "global"), default="local", help="fclib: W, or M and H (default: local)")
    parser.add_argument("--cells", type=_cells, default=12, metavar="N|NX,NY,NZ", help="fields: cells along the longest edge, or along x, y, z (default: 12)")
    parser.add_argument("--spheres", action="store_true", help="xdmf, vtu: spheres and ellipsoids as polygons, too")
    parser.set_defaults(function=execute)


def _cells(text):
    """A number of cells, or three."""
    parts = [common.positive_int(part) for part in text.split(",")]
    if len(parts) not in (1, 3):
        raise argparse.ArgumentTypeError(f"'{text}' is neither one number of cells nor three")
    return parts[0] if len(parts) == 1 else tuple(parts)


def execute(args):
    """Export and print the paths written."""
    from .. import export
    bodies = args.bodies and [int(b) if b.lstrip("-").isdigit() else b for b in args.bodies]
    for path in export(args.results, args.format, args.out, args.frame, args.every, args.times, bodies, args.spheres, args.form, args.cells):
        print(path)
