"""`scree` without its start: a process that has imported the package and nothing else, and forks one child a command.

Started by conftest.py. A line of JSON on standard input says what to run (arguments, folder, files for what it says, variables); the answers are a line with the child's number and one with its exit
status. The child does what `python -m scree` does, in the folder, with an engine that nobody has used before.
"""
import json
import os
import runpy
import sys


def become(arguments, folder, out, err, variables):
    """In the child: leave what belongs to the parent, then be the command."""
    for number, path in ((0, os.devnull), (1, out), (2, err)):
        os.dup2(os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), number)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)
    os.environ.update(variables)
    os.chdir(folder)
    sys.argv, sys.path[0] = ["scree", *arguments], folder
    runpy.run_module("scree", run_name="__main__", alter_sys=True)


def serve():
    import scree.cli  # noqa: F401 what every command needs
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    for line in requests:
        child = os.fork()
        if child == 0:
            requests.close()
            return json.loads(line)
        print(child, file=answers, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)
    return None


if __name__ == "__main__":
    work = serve()
    if work:
        become(*work)
