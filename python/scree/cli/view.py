"""scree view: results in the browser."""
import sys

from . import common


def add(commands):
    parser = commands.add_parser("view", help="look at results in the browser, while the run goes on or afterwards",
                                 description="Serves one page to this machine until interrupted; the address holds a random token. A run in progress is "
                                 "followed as its frames arrive. With --export: writes a page with the results inside, to send to somebody.")
    parser.add_argument("results", metavar="RESULTS", help="folder or file")
    parser.add_argument("--port", type=common.count, default=0, metavar="P", help="default: any free one")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on; 0.0.0.0 lets other machines in (default: 127.0.0.1)")
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="only print the address")
    parser.add_argument("--wait", action="store_true", help="the results may not be there yet")
    parser.add_argument("--idle", type=common.positive_float, default=None, metavar="S",
                        help="stop when the run is over and nobody has looked for S seconds (default: never)")
    parser.add_argument("--compress", choices=("auto", "always", "never"), default="auto", help="default: for other machines only")
    parser.add_argument("--export", default=None, metavar="PAGE.html", help="write a self-contained page instead")
    parser.add_argument("--every", type=common.positive_int, default=1, metavar="K", help="every K-th frame of --export (default: 1)")
    parser.add_argument("--limit", type=common.positive_float, default=None, metavar="MB", help="largest page of --export (default: 200 MB)")
    parser.set_defaults(function=execute)


def execute(args):
    """Serve, or write the page."""
    from .. import view
    if args.export is not None:
        print(view.export(args.results, args.export, every=args.every, limit=args.limit or view.EXPORT_LIMIT))
        return
    view.open(args.results, port=args.port, host=args.host, browser=args.browser, wait=args.wait, idle=args.idle, compress=args.compress, say=_say)


def _say(text):
    print(text)
    sys.stdout.flush()
