"""scree bench: solvers on problem files, scenes of many bodies, test problems of papers, closed forms."""
import sys

from . import common


def add(commands):
    parser = commands.add_parser("bench", help="measure solvers and scenes")
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    _add_solvers(kinds)
    _add_scene(kinds)
    _add_paper(kinds)
    _add_packings(kinds)
    _add_truth(kinds)
    _add_scale(kinds)


def _add_solvers(kinds):
    parser = kinds.add_parser("solvers", help="solvers x problems x tolerances: times, failures, performance profile")
    parser.add_argument("files", nargs="+", metavar="FILES", help="FCLIB files or folders of them")
    parser.add_argument("--solvers", type=common.names, default=None, metavar="A,B", help="default: all")
    parser.add_argument("--tol", type=common.floats, default=[1e-4, 1e-8], metavar="X,Y")
    parser.add_argument("--cap", type=common.positive_float, default=10.0, metavar="S", help="time limit of one solve (default: 10 s)")
    parser.add_argument("--repeat", type=common.positive_int, default=5, metavar="N", help="most repetitions of short solves; the least time counts")
    parser.add_argument("--threads", type=common.positive_int, default=1, metavar="N", help="default: 1")
    parser.add_argument("--against", choices=("siconos",), help="run this peer on the same files in the same run")
    parser.add_argument("--peer-solvers", type=common.names, default=None, metavar="A,B", help="the peer's solvers (default: a good few)")
    common.add_plugin(parser)
    parser.add_argument("--histories", metavar="OUT.png", help="convergence histories on one figure")
    parser.add_argument("--json", metavar="OUT", help="write the records ('-': to standard output, and nothing else)")
    parser.add_argument("--plot", metavar="OUT.png", help="Dolan-More performance profile")
    parser.set_defaults(function=execute_solvers)


def _add_scene(kinds):
    from ..scenes import names
    parser = kinds.add_parser("scene", help="time a named scene: " + " ".join(names()))
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--steps", type=common.positive_int, metavar="N", help="steps to time")
    parser.add_argument("--warmup", type=common.count, metavar="N", help="steps made before, with a loose solver")
    parser.add_argument("--threads", type=common.positive_int, metavar="N")
    parser.add_argument("--solver", default="AUTO", metavar="NAME")
    parser.add_argument("--tol", type=common.positive_float, metavar="X", help="tolerance (default: that of simulations, 1e-3 with the goal 1e-8; of other solvers than AUTO 1e-8)")
    parser.add_argument("--yardstick", choices=("residual", "merit", "scaled_merit", "siconos"), default="residual")
    parser.add_argument("--max-iterations", type=common.count, metavar="N")
    parser.add_argument("--frames", type=common.positive_int, metavar="N", help="write N frames of results meanwhile; says what that costs")
    parser.add_argument("--against", action="store_true", help="run ODE (columns, 20 iterations) or Bullet (hulls, detection alone) from the same state, where it is installed")
    parser.add_argument("--solfec", metavar="PATH", help="run Solfec's program at PATH on the same steps (drums, cubes_2 to cubes_5), with GAUSS_SEIDEL where that is asked for, else NEWTON")
    parser.add_argument("--state", metavar="FILE", help="start of the columns: places, or places and velocities, as CSV")
    parser.add_argument("--json", metavar="OUT", help="write the figures ('-': to standard output, and nothing else)")
    parser.set_defaults(function=execute_scene)


def _add_paper(kinds):
    from ..bench_paper import NAMES, PAPERS
    parser = kinds.add_parser("paper", help="experiments of the papers, our table beside theirs: " + " ".join(PAPERS))
    parser.add_argument("name", metavar="NAME", nargs="?", choices=NAMES, help=f"a text or one of its experiments: {', '.join(NAMES)}")
    parser.add_argument("--list", action="store_true", help="every table and figure of the five texts, and where it is shown or why not")
    parser.add_argument("--full", action="store_true", help="the papers' sizes where the short form is smaller; may take hours")
    parser.add_argument("--scale", type=common.positive_float, default=1.0, metavar="X", help="number of grains, or time of a process, relative to the form's (default: 1)")
    parser.add_argument("--write", metavar="DIR", help="put tables and figures into DIR/papers.md and DIR/images/papers")
    parser.add_argument("--threads", type=common.positive_int, default=1, metavar="N", help="default: 1")
    parser.add_argument("--json", metavar="OUT", help="write the rows ('-': to standard output, and nothing else)")
    parser.set_defaults(function=execute_paper)


def execute_paper(args):
    """Run a paper's experiments."""
    from .. import bench_paper
    from ..bench_paper import document, listing
    if args.list:
        if args.json != "-":
            print(listing.table())
        if args.json:
            common.write_json({"items": listing.rows()}, args.json)
        return
    if args.name is None:
        raise ValueError(f"scree bench paper: which one? {', '.join(bench_paper.NAMES)}, or --list for every table and figure")
    common.set_threads(args)
    done = []
    for experiment in bench_paper.chosen(args.name):
        done += bench_paper.run(experiment.name, args.scale, args.full, say=lambda text: print(text, file=sys.stderr, flush=True))
        if args.write:
            document.write(done[-1:], bench_paper.Settings(args.full, args.scale), args.write, bench_paper.EXPERIMENTS)
    rows = bench_paper.rows(done)
    if args.json != "-":
        print(bench_paper.table(rows))
    if args.json:
        common.write_json({"paper": args.name, "scale": args.scale, "full": args.full, "rows": rows}, args.json)


def _add_packings(kinds):
    from ..bench_packings import KINDS, SIZES
    parser = kinds.add_parser("packings", help="large packings, static, sheared and physical: seconds to each tolerance")
    parser.add_argument("--sizes", type=common.names, default=["2k", "8k"], metavar="A,B", help=f"contacts, of {', '.join(SIZES)} (default: 2k,8k)")
    parser.add_argument("--kinds", type=common.names, default=["static", "sheared", "physical"], metavar="A,B", help=f"of {', '.join(KINDS)} (default: static,sheared,physical)")
    parser.add_argument("--solvers", type=common.names, default=["AUTO"], metavar="A,B", help="default: AUTO")
    parser.add_argument("--tol", type=common.floats, default=[1e-4, 1e-6, 1e-8], metavar="X,Y")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of generated packings (default: 1)")
    parser.add_argument("--cap", type=common.positive_float, default=30.0, metavar="S", help="time limit of one solve (default: 30 s)")
    parser.add_argument("--threads", type=common.names, default=["1", "2"], metavar="N,M", help="default: 1,2")
    parser.add_argument("--json", metavar="OUT", help="write the records ('-': to standard output, and nothing else)")
    parser.set_defaults(function=execute_packings)


def execute_packings(args):
    """Solve large packings."""
    from .. import _check, bench_packings
    for what, given, known in (("size", args.sizes, bench_packings.SIZES), ("kind", args.kinds, bench_packings.KINDS)):
        for name in given:
            if name not in known:
                raise ValueError(f"{what} '{name}' is unknown; choose from {', '.join(known)}")
    threads = [_check.integer("threads", int(n) if n.isdigit() else n, 1, 4096) for n in args.threads]
    records = bench_packings.bench(args.sizes, args.kinds, args.tol, args.cap, threads, args.solvers, _check.integer("seed", args.seed, 0),
                                   say=lambda text: print(text, file=sys.stderr, flush=True))
    if args.json:
        common.write_json({"cap": args.cap, "records": records}, args.json)
    if args.json != "-":
        print(bench_packings.table(records))


def _add_scale(kinds):
    from ..bench_scale import MACHINE, SOLVERS
    parser = kinds.add_parser("scale", help="a scene's contact problem on many ranks: iterations, rounds and bytes counted, times modelled")
    parser.add_argument("name", metavar="SCENE", help="a named scene, or static: a generated packing")
    parser.add_argument("--ranks", type=common.names, default=["1", "2", "4"], metavar="P,Q", help="numbers of ranks, as threads of this process (default: 1,2,4)")
    parser.add_argument("--solvers", type=common.names, default=list(SOLVERS), metavar="A,B", help=f"default: {','.join(SOLVERS)}")
    parser.add_argument("--variant", choices=("FULL", "MIDDLE_JACOBI", "BOUNDARY_JACOBI", "SIMPLIFIED"), help="of GAUSS_SEIDEL (default: BOUNDARY_JACOBI)")
    parser.add_argument("--tol", type=common.positive_float, default=1e-4, metavar="X", help="default: 1e-4")
    parser.add_argument("--yardstick", choices=("residual", "merit", "scaled_merit"), default="residual")
    parser.add_argument("--max-iterations", type=common.count, default=100000, metavar="N")
    parser.add_argument("--across", type=common.positive_int, metavar="N", help="spheres along x and y of the packing")
    parser.add_argument("--up", type=common.positive_int, metavar="N", help="its layers")
    parser.add_argument("--particles", type=common.positive_int, metavar="N", help="of a drum (default: 100)")
    parser.add_argument("--warmup", type=common.count, metavar="STEPS", help="of a scene, before its problem is taken (default: the scene's own)")
    parser.add_argument("--threads", type=common.names, default=["1"], metavar="N,M", help="threads inside a rank of the modelled machine (default: 1)")
    for name, text in (("contact", "s a contact and product or sweep"), ("latency", "s of a message"), ("overhead", "s a message"), ("bandwidth", "bytes a second and rank"),
                       ("thread_efficiency", "of threads inside a rank")):
        parser.add_argument("--" + name.replace("_", "-"), type=common.positive_float, default=MACHINE[name], metavar="X", help=f"{text} (default: {MACHINE[name]:g})")
    parser.add_argument("--json", metavar="OUT", help="write the rows ('-': to standard output, and nothing else)")
    parser.set_defaults(function=execute_scale)


def execute_scale(args):
    """Count and price a solve on many ranks."""
    from .. import _check, _scree, bench_scale
    whole = lambda what, values: [_check.integer(what, int(n) if n.isdigit() else n, 1, 4096) for n in values]
    _scree.set_threads(1)
    figures = bench_scale.bench(args.name, whole("ranks", args.ranks), args.solvers, args.tol, args.yardstick, args.max_iterations, whole("threads", args.threads),
                                {name: getattr(args, name) for name in bench_scale.MACHINE}, args.across, args.up, args.variant, args.particles, args.warmup,
                                say=lambda text: print(text, file=sys.stderr, flush=True))
    if args.json:
        common.write_json(figures, args.json)
    if args.json != "-":
        print(bench_scale.table(figures))


def _add_truth(kinds):
    parser = kinds.add_parser("truth", help="closed forms and oracles beside what Scree computes: case, expected, got, bound, pass")
    parser.add_argument("--only", metavar="PATTERN", help="cases or themes whose name holds this (or matches it, with * and ?), slow ones too")
    parser.add_argument("--slow", action="store_true", help="the cases that take long as well")
    parser.add_argument("--list", action="store_true", help="names of the cases, and nothing else")
    parser.add_argument("--json", metavar="OUT", help="write the rows ('-': to standard output, and nothing else)")
    parser.set_defaults(function=execute_truth)


def execute_truth(args):
    """Compare with what is known; SystemExit 1 where a row does not pass."""
    from .. import bench_truth
    if args.list:
        print("\n".join(f"{case.theme}: {case.name}{' (slow)' if case.slow else ''}" for case in bench_truth.chosen(args.only, True)))
        return
    rows = bench_truth.bench(args.only, args.slow, say=lambda text: print(text, file=sys.stderr, flush=True))
    if args.json:
        common.write_json({"rows": rows, "passed": sum(row["pass"] for row in rows), "failed": sum(not row["pass"] for row in rows)}, args.json)
    if args.json != "-":
        print(bench_truth.table(rows))
    if not all(row["pass"] for row in rows):
        raise SystemExit(1)


def execute_scene(args):
    """Time a scene."""
    from .. import bench_scene
    figures = bench_scene.bench(args.name, args.steps, args.threads, args.solver, args.tol, args.yardstick, args.max_iterations,
                                args.warmup, args.state, args.frames, args.against, args.solfec)
    if args.json:
        common.write_json(figures, args.json)
    if args.json != "-":
        print(bench_scene.text(figures))


def execute_solvers(args):
    """Compare solvers."""
    from .. import bench_agreement, bench_solvers, siconos_peer
    if args.against == "siconos":
        siconos_peer.require()
    common.set_threads(args)
    common.run_plugins(args)
    agreements = []
    records = bench_solvers.bench(args.files, args.solvers, args.tol, args.cap, args.repeat,
                                  say=lambda text: print(text, file=sys.stderr, flush=True), agreements=agreements)
    if args.against == "siconos":
        records += siconos_peer.bench(args.files, args.peer_solvers, args.tol, args.cap,
                                      say=lambda text: print(text, file=sys.stderr, flush=True))
    if args.json != "-":
        print(bench_solvers.table(records))
        print(bench_agreement.table(agreements))
    if args.plot:
        bench_solvers.plot_profile(records, args.plot)
    if args.histories:
        bench_solvers.plot_histories(args.files, args.solvers, min(args.tol), args.cap, args.histories)
    if args.json:
        common.write_json({"threads": args.threads, "cap": args.cap, "records": records, "summary": bench_solvers.summary(records),
                           "comparison": bench_solvers.comparison(records), "agreement": agreements}, args.json)
