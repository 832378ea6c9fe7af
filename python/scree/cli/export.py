"""scree export: results in other formats."""
from . import common


def add(commands):
    parser = commands.add_parser("export", help="write results in another format")
    parser.add_argument("results", metavar="RESULTS", help="folder or file")
    parser.add_argument("--format", required=True, choices=("xdmf", "vtu", "csv", "fclib"))
    parser.add_argument("--out", metavar="PATH", help="default: beside the results")
    parser.add_argument("--frame", type=int, metavar="N", help="csv, fclib: only this frame (negative: from the end)")
    parser.add_argument("--every", type=common.positive_int, metavar="K", help="xdmf, vtu: every K-th frame")
    parser.add_argument("--spheres", action="store_true", help="xdmf, vtu: spheres and ellipsoids as polygons, too")
    parser.set_defaults(function=execute)


def execute(args):
    """Export and print the paths written."""
    from .. import export
    for path in export.export(args.results, args.format, args.out, args.frame, args.every, args.spheres):
        print(path)
