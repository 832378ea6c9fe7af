"""The command line. Exit status: 0 done, 1 the solve or run failed, 2 bad usage or bad input."""
import argparse
import os
import sys

from . import bench, completion, doctor, export, info, new, plot, render, run, solve, solvers, view

_COMMANDS = (run, new, solve, solvers, bench, info, export, render, plot, view, doctor, completion)


class Failure(Exception):
    """The command did its work and the answer is no: exit status 1."""


def _parser():
    from .. import __version__
    parser = argparse.ArgumentParser(prog="scree", description="Many bodies in contact with friction, implicitly and exactly.")
    parser.add_argument("--version", action="version", version=f"scree {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in _COMMANDS:
        module.add(commands)
    return parser


def main(argv=None):
    """Run one command; returns its exit status."""
    argv = list(sys.argv[1:] if argv is None else argv)
    script_args = None
    if "--" in argv and argv[:1] == ["run"]:
        cut = argv.index("--")
        argv, script_args = argv[:cut], argv[cut + 1:]
    parser = _parser()
    completion.offer(parser)
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{_of_scripts(unknown) if args.command == 'run' else ''}")
    args.command_line = argv if script_args is None else [*argv, "--", *script_args]
    if script_args is not None:
        args.script_args = script_args
    try:
        return args.function(args) or 0
    except Failure as error:
        return _say(error, 1)
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        return _say(error, 2)
    except (RuntimeError, MemoryError) as error:
        return _say(error or "out of memory", 1)
    except KeyboardInterrupt:
        return _say("interrupted", 1)


#: Options of Solfec's program, and what does the same here.
_SOLFEC = {"-v": "results are viewed by `scree view FOLDER`", "-s": "--out names the folder of the results"}


def _of_scripts(unknown):
    """What to do about arguments that scree run does not know."""
    return "; ".join(["", "arguments of the script come after --", *(f"instead of Solfec's {name}, {remedy}" for name, remedy in _SOLFEC.items() if name in unknown)])


def _say(error, status):
    print(f"scree: {error}", file=sys.stderr)
    return status
