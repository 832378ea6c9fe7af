"""scree render: a picture or a movie of results, made without a screen."""
import argparse
import sys

from . import common


def _vector(text):
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != 3:
        raise argparse.ArgumentTypeError(f"'{text}' is not X,Y,Z")
    return values


def _size(text):
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not WIDTHxHEIGHT") from None
    return width, height


def add(commands):
    parser = commands.add_parser("render", help="draw a picture (.png) or a movie (.gif, .webp, .mp4) of results",
                                 description="The ending of --out decides: .png is one frame; .gif, .webp and .mp4 (where ffmpeg is installed) are movies of all or "
                                 "every K-th frame.")
    parser.add_argument("results", metavar="RESULTS", help="folder or file")
    parser.add_argument("--out", required=True, metavar="PICTURE.png|MOVIE.gif|.webp|.mp4")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--frame", type=int, default=None, metavar="N", help="frame of a picture; negative: from the end (default: the last)")
    which.add_argument("--every", type=common.positive_int, default=None, metavar="K", help="every K-th frame of a movie (default: 1)")
    parser.add_argument("--rate", type=common.positive_float, default=25.0, metavar="R", help="frames a second of a movie (default: 25)")
    parser.add_argument("--size", type=_size, default=None, metavar="WxH", help="pixels (default: 1280x720, movies 960x540)")
    parser.add_argument("--width", type=common.positive_int, default=None, metavar="W", help="instead of --size")
    parser.add_argument("--height", type=common.positive_int, default=None, metavar="H", help="instead of --size")
    parser.add_argument("--samples", type=common.positive_int, default=None, metavar="S", help="S x S rays a pixel where the picture changes (default: 3)")
    parser.add_argument("--view", type=_vector, default=None, metavar="X,Y,Z",
                        help="direction from the scene to the camera (default: chosen); --view=-1,0,1 when the first is negative")
    parser.add_argument("--zoom", type=common.positive_float, default=None, metavar="Z", help="2: twice as large (default: everything fits)")
    parser.add_argument("--colour", "--color", "--quantity", dest="quantity", default=None, metavar="NAME",
                        help="velocity (default), displacement, force, body or none")
    parser.add_argument("--map", default=None, metavar="NAME", help="dusk (default) or spectrum")
    parser.add_argument("--low", type=float, default=None, metavar="X", help="lower end of the colours (default: 0)")
    parser.add_argument("--high", type=float, default=None, metavar="X", help="upper end of the colours (default: from the frames)")
    obstacles = parser.add_mutually_exclusive_group()
    obstacles.add_argument("--obstacles", default=None, metavar="STYLE", help="automatic (default: glass where they hide bodies), solid, faded or hidden")
    for flag, style in (("--hide-obstacles", "hidden"), ("--fade-obstacles", "faded"), ("--solid-obstacles", "solid")):
        obstacles.add_argument(flag, dest="obstacles", action="store_const", const=style, help=f"same as --obstacles {style}")
    parser.add_argument("--chains", action="store_true", default=None, help="draw contact forces as tubes")
    parser.add_argument("--no-ground", dest="ground", action="store_false", default=None, help="no shadow under the scene")
    parser.add_argument("--no-edges", dest="edges", action="store_false", default=None, help="no lines along sharp edges")
    parser.add_argument("--title", default=None, help="first line of text (default: title of the run)")
    parser.set_defaults(function=execute)


def execute(args):
    """Draw, and print the path of what was written."""
    from ..pictures import render
    movie = not args.out.lower().endswith(".png")
    if movie and args.frame is not None:
        raise ValueError("--frame draws one picture: give --out a name ending in .png")
    if args.every is not None and not movie:
        raise ValueError("--every makes a movie: give --out a name ending in .gif, .webp or .mp4")
    width, height = args.size or ((960, 540) if movie else (1280, 720))
    print(render(args.results, args.out, frame=-1 if args.frame is None else args.frame, every=args.every, rate=args.rate,
                 progress=_progress if sys.stderr.isatty() else lambda share: None, size=(args.width or width, args.height or height),
                 view=args.view, zoom=args.zoom, quantity=args.quantity, map=args.map, low=args.low, high=args.high, obstacles=args.obstacles,
                 chains=args.chains, ground=args.ground, edges=args.edges, samples=args.samples, title=args.title))


def _progress(share):
    sys.stderr.write(f"\r{100 * share:3.0f}%" + ("\n" if share >= 1.0 else ""))
    sys.stderr.flush()
