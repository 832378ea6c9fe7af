#!/usr/bin/python3
"""Make what README.md shows: run its script as a reader would, and put what was printed below it.

    tools/readme.py              # rewrite the block of output
    tools/readme.py --pictures   # the picture of the drum, too (a minute or two)
    tools/readme.py --check      # say what differs; status 1 when something does

The state hash names exact bits: it is that of one machine type (x86-64, Debian 12), for any number of threads."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
OUTPUT = re.compile(r"(`\./scree run tower\.py` shows its progress and prints:\n\n)((?:    .*\n)+)")


def script():
    """The script that README shows."""
    return re.search(r"```python\n(.*?)```", README.read_text(), re.S)[1]


def shown():
    """Lines of output that README shows."""
    return [line[4:] for line in OUTPUT.search(README.read_text())[2].splitlines()]


def printed():
    """Lines that a reader gets, the time it took left out of the first one."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tower.py"
        path.write_text(script())
        done = subprocess.run([str(ROOT / "scree"), "run", path.name], cwd=folder, capture_output=True, text=True, check=True)
    progress = [line.strip() for line in done.stderr.splitlines() if line.strip().startswith("100%")]
    rest = [line for line in done.stderr.splitlines() if line.startswith("results:")]
    return [re.sub(r"took .*", "took 0 s", progress[-1]), *rest, *done.stdout.splitlines()]


def write(lines):
    block = "".join(f"    {line}\n" for line in lines)
    README.write_text(OUTPUT.sub(lambda m: m[1] + block, README.read_text()))


def picture():
    """docs/images/drum.png: the drum of the first example, three seconds on."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([str(ROOT / "scree"), "run", str(ROOT / "examples" / "drum.py"), "--out", folder, "--quiet"], check=True)
        subprocess.run([str(ROOT / "scree"), "render", folder, "--out", str(ROOT / "docs" / "images" / "drum.png"), "--frame", "150"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--pictures", action="store_true", help="make the picture, too")
    args = parser.parse_args()
    lines = printed()
    if args.check:
        for was, now in zip(shown(), lines):
            print(f"  {now}" if was == now else f"- {was}\n+ {now}")
        return int(shown() != lines)
    write(lines)
    if args.pictures:
        picture()
    return 0


if __name__ == "__main__":
    sys.exit(main())
