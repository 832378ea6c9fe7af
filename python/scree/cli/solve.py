"""scree solve: solve a contact problem from a file."""
import math
import sys

from . import common


def add(commands):
    parser = commands.add_parser("solve", help="solve a contact problem in an FCLIB file")
    parser.add_argument("problem", metavar="PROBLEM.hdf5")
    parser.add_argument("--solver", default="AUTO", metavar="NAME", help="see `scree solvers` (default: AUTO)")
    parser.add_argument("--tol", type=common.positive_float, default=1e-8, metavar="X", help="tolerance (default: 1e-8)")
    parser.add_argument("--yardstick", choices=("residual", "merit", "scaled_merit", "siconos"), default="residual")
    parser.add_argument("--formulation", choices=("coulomb", "convex", "tresca", "frictionless"), help="law solved (default: coulomb)")
    parser.add_argument("--max-iterations", type=common.count, metavar="N")
    parser.add_argument("--max-seconds", type=common.positive_float, default=math.inf, metavar="S")
    parser.add_argument("--threads", type=common.positive_int, metavar="N")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the solver; may be repeated")
    common.add_plugin(parser)
    parser.add_argument("--guess", type=common.count, metavar="N", help="start from the file's N-th guess (1, 2, ...), or from its solution (0)")
    parser.add_argument("--write", metavar="OUT.hdf5", help="store the problem with its solution, in the form it has")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(function=execute)


def _options(texts):
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--option {text}: NAME=VALUE is expected")
        options[name] = _value(value)
    return options


def _value(text):
    if text in ("True", "true", "False", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _guess(problem, number):
    """Impulses to start from; None: zero."""
    if number is None:
        return None
    stored = [problem.solution[0] if problem.solution else None] + problem.guesses
    if number >= len(stored) or stored[number] is None:
        raise ValueError(f"--guess {number}: the file has {len(problem.guesses)} guesses and {'a' if problem.solution else 'no'} solution")
    return stored[number]


def execute(args):
    """Solve and report; status 1 when the tolerance was not reached."""
    from .. import Problem
    threads = common.set_threads(args)
    common.run_plugins(args)
    problem = Problem(args.problem)
    asymmetry = problem.asymmetry
    options = _options(args.option)
    if args.formulation:
        options["formulation"] = args.formulation
    solution = problem.solve(args.solver, args.tol, args.yardstick, args.max_iterations, args.max_seconds, guess=_guess(problem, args.guess), **options)
    if args.write:
        problem.write(args.write, solution)
    report = {"problem": args.problem, "contacts": problem.contacts, "solver": args.solver, "status": solution.status,
              "iterations": solution.iterations, "residual": solution.residual, "merit": solution.merit, "siconos": solution.siconos, "ccp": solution.ccp,
              "seconds": solution.seconds, "threads": threads, "tolerance": args.tol, "yardstick": args.yardstick,
              "formulation": options.get("formulation", "coulomb"), "products": solution.products, "linear_iterations": solution.linear_iterations, "fallbacks": solution.fallbacks, "stage": solution.stage, "asymmetry": asymmetry}
    if args.json:
        common.write_json(report)
    else:
        _print(report, solution.advice)
    if not solution.converged:
        print(f"scree: {args.solver} ended with {solution.status}: {args.yardstick} {getattr(solution, args.yardstick):.3e}, "
              f"{args.tol:g} asked for" + (f"; {solution.advice}" if solution.advice else ""), file=sys.stderr)
        return 1
    return 0


def _print(report, advice):
    print(f"{report['problem']}: {report['contacts']} contacts")
    if report["asymmetry"] > 1e-12:
        print(f"  W is not symmetric (relative {report['asymmetry']:.1e}); solved as given")
    stage = f" ({report['stage']})" if report["stage"] else ""
    print(f"  {report['solver']}{stage}: {report['status']} in {report['iterations']} iterations, {report['seconds']:.4g} s, {report['threads']} threads")
    print(f"  residual {report['residual']:.3e}   merit {report['merit']:.3e}   siconos {report['siconos']:.3e}"
          + (f"   ccp {report['ccp']:.3e}" if report["formulation"] == "convex" else ""))
    if report["formulation"] != "coulomb":
        print(f"  these measure Coulomb's law; the law solved is {report['formulation']}" + (", measured by ccp" if report["formulation"] == "convex" else ""))
