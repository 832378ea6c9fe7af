"""scree run: execute a script."""
import os
import sys
import traceback
import types

from . import common


def add(commands):
    parser = commands.add_parser("run", help="run a script", description="Run a Python script. The names of the Solfec language are "
                                 "there without an import; `import scree` gives the modern interface.",
                                 usage="scree run SCRIPT.py [--out DIR] [--threads N] [--quiet] [--resume [--with-changes]] [--overwrite] [--strict] [--view] [--solfec2] [--ranks P] [--gathered] [-- args of the script]")
    parser.add_argument("script", metavar="SCRIPT.py")
    parser.add_argument("--out", metavar="DIR", help="folder for results (default: the script's choice, else out/SCRIPT)")
    parser.add_argument("--threads", type=common.positive_int, metavar="N", help="number of threads (default: all cores)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.add_argument("--resume", action="store_true", help="continue from the last checkpoint in the results folder")
    parser.add_argument("--with-changes", action="store_true", help="resume although the script builds another model now: bodies, materials and loads are the checkpoint's, "
                        "settings (step, solver, contact) the script's")
    parser.add_argument("--overwrite", action="store_true", help="replace results of another script in the folder")
    parser.add_argument("--strict", action="store_true", help="exit status 1 when a step missed the solver's tolerance")
    parser.add_argument("--view", action="store_true", help="watch the run in the browser; it neither waits for the page nor depends on it")
    parser.add_argument("--solfec2", action="store_true", help="read the script as Python 2 even where it is Python 3, too; files that are "
                        "Python 2 alone are converted without it")
    parser.add_argument("--ranks", type=common.positive_int, metavar="P", help="run on P processes of this machine (on several machines: mpirun -n P scree run ...)")
    parser.add_argument("--gathered", action="store_true", help="on several ranks: let rank 0 solve contact problems, whatever the solver, to the bits of one process")
    parser.add_argument("--print-all", action="store_true", help="on several ranks: let all of them print, not rank 0 alone")
    parser.set_defaults(function=execute, script_args=[])


def execute(args):
    """Run the script as __main__; returns the exit status."""
    from .. import ranks
    if not os.path.isfile(args.script):
        raise ValueError(f"script '{args.script}' does not exist")
    if args.ranks is not None and not ranks.launched():
        return ranks.launch(args.ranks, args.command_line)
    ranks.begin(args.print_all, args.gathered)
    return ranks.end(_execute(args))


def _execute(args):
    """The script on this rank; returns its exit status."""
    from .. import session, solfec
    from ..solfec import python2
    common.set_threads(args)
    with open(args.script, "rb") as file:
        source = file.read()
    module = types.ModuleType("__main__")
    module.__file__ = args.script
    module.__dict__.update(_language())
    folder = os.path.dirname(os.path.abspath(args.script))
    before = session.begin(session.Session(args.out, args.threads, args.quiet, args.resume, args.script, args.view, args.overwrite, args.script_args,
                                           _options(args), args.with_changes))
    old_main, old_argv, old_path = sys.modules["__main__"], sys.argv, list(sys.path)
    sys.modules["__main__"], sys.argv = module, [args.script, *args.script_args]
    sys.path.insert(0, folder)
    finder = python2.Finder(folder)
    sys.meta_path.insert(0, finder)
    sys.modules["solfec"] = solfec  # from solfec import *
    try:
        status = _call(source, args, module)
        return 1 if args.strict and session.current().missed else status
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = old_main, old_argv, old_path
        sys.meta_path.remove(finder)
        sys.modules.pop("solfec", None)
        session.begin(before)


def _options(args):
    """Options that a restart has to give again."""
    threads = [] if args.threads is None else ["--threads", str(args.threads)]
    return threads + [name for name, on in (("--quiet", args.quiet), ("--strict", args.strict), ("--solfec2", args.solfec2)) if on]


def _language():
    """Names of the Solfec language."""
    from .. import solfec
    return {"execfile": solfec.python2.execfile, **{name: getattr(solfec, name) for name in solfec.__all__}}


def _call(source, args, module):
    from .. import ranks
    from ..solfec import python2
    try:
        script = python2.begin(source, args.script, args.solfec2)
        if script.python2:
            module.__dict__.update(python2.names())
            python2.say(args.script, script)
        exec(script.code(args.script), module.__dict__)
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    except KeyboardInterrupt as stop:
        if ranks.speaks(stop) and not getattr(stop, "said", False):
            print("scree: interrupted outside a run", file=sys.stderr)
        return 1
    except BaseException as error:
        if not ranks.speaks(error):
            return 1
        refused = _show(error)
        return 2 if isinstance(error, SyntaxError) or (refused and isinstance(error, (ValueError, TypeError, OSError))) else 1
    return 0


def _show(error):
    """Print the traceback's lines in the user's files; returns True when a call into Scree was refused, False when the script or a run
    failed."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    report = traceback.TracebackException.from_exception(error)
    files = [os.path.abspath(frame.filename) for frame in report.stack]
    refused = getattr(error, "refused", False) or len(files) > 1 and files[-1].startswith(package) and os.path.join(package, "run.py") not in files
    link = report
    while link is not None:
        kept = [frame for frame in link.stack if not os.path.abspath(frame.filename).startswith(package)]
        link.stack = traceback.StackSummary.from_list(kept)
        link = link.__cause__ or link.__context__
    sys.stderr.write("".join(report.format()))
    return refused
