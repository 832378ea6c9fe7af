#!/usr/bin/env python3
"""Run the gallery's examples, draw their pictures and write docs/gallery.md:  tools/build_gallery.py [NAME ...]

Without names everything is run anew; with names only those, the others keep their pictures and times (docs/images/gallery/times.json)."""
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "images" / "gallery"
SIZE = "800x450"

# Name of the script, arguments of `scree render`, what to look at.
ENTRIES = [
    ("drum", ["--frame", "150"], "Ellipsoids climb the wall of the drum, slide and are thrown over by the lifters. Look at the slope of the heap, and at the speeds: slow below, fast on the surface."),
    ("hopper", ["--frame", "25"], "Grains of several shapes run through the opening without jamming. Colour by displacement: the core flows first, the corners last."),
    ("wall_impact", ["--frame", "25"], "A heavy ball goes through a dry brick wall. Bricks away from the hole stay where they are: sticking friction does not creep."),
    ("arch", ["--chains", "--frame", "-1"], "The line of thrust of a masonry arch, from joint to joint. At a thickness of 0.12 of the radius it stands; run it with 0.09 and it falls in four hinges."),
    ("dominoes", ["--frame", "45"], "The wave runs around the bend at a constant speed; each domino leans on the next."),
    ("card_house", ["--frame", "-1"], "A house of cards stands by friction alone. Its contacts are edges on faces, the hardest kind to keep at rest."),
    ("jenga", ["--frame", "-1", "--colour", "displacement"], "One block is drawn out slowly; those around it follow a little by friction and stay."),
    ("shaken_column", ["--frame", "150", "--colour", "body"], "A temple column on shaking ground: drums rock and twist against each other. The ground's acceleration is prescribed."),
    ("torrent", ["--frame", "-1"], "Random rocks are thrown in by a callback and vanish where they leave the extents: bodies come and go while the run goes on."),
    ("bowling", ["--frame", "130"], "The ball first slides, then rolls at 5/7 of its speed whatever the friction; then the pins scatter."),
    ("billiards", ["--frame", "-1"], "A break without friction and loss: momentum and energy of sixteen balls are kept through every collision."),
    ("cradle", ["--frame", "20"], "Newton's cradle: impacts follow one another along the row, one ball leaves at the other end."),
    ("links", ["--frame", "-1", "--colour", "force"], "Interlocking links, each a ring of four bars: bodies that are not convex. The hook carries the weight of all."),
    ("tubes", ["--chains", "--frame", "-1"], "Six tubes between two posts. The chains show how friction keeps the lower ones from spreading."),
    ("conveyor", ["--frame", "20"], "Boxes dropped on a moving belt slip until they have its speed: the path they lag behind is v^2 / (2 mu g)."),
    ("heavy_on_light", ["--chains", "--frame", "-1"], "Ten tonnes on balls of one kilogram, at rest. The ratio of masses is what makes it hard for iterative solvers."),
]


def description(script):
    """The comment at the head of a script."""
    lines = []
    for line in script.read_text().splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").strip())
    return " ".join(lines)


def build(name, arguments):
    """Run and draw one example; returns its wall-clock time, s."""
    out = ROOT / "out" / "gallery" / name
    begun = time.monotonic()
    subprocess.run([ROOT / "scree", "run", ROOT / "examples" / f"{name}.py", "--out", out, "--quiet"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begun
    frames = json.loads(subprocess.run([ROOT / "scree", "info", out, "--json"], check=True, capture_output=True, text=True).stdout)["frames"]
    arguments = list(arguments)
    if "--frame" in arguments:
        at = arguments.index("--frame") + 1
        arguments[at] = str(min(int(arguments[at]), frames - 1))
    subprocess.run([ROOT / "scree", "render", out, "--out", PICTURES / f"{name}.png", "--size", SIZE, *arguments], check=True, stdout=subprocess.DEVNULL)
    return seconds


def page(times):
    """The gallery as Markdown."""
    text = ["# Gallery", "", "Examples of what Scree does. Each is one script in [examples/](../examples); pictures are made by `scree render`, this page by",
            "`make gallery`. Times are wall-clock on two cores of an ordinary machine, other work going on. Play any of them in the browser:", "",
            "    ./scree run examples/drum.py --out out/drum --view", ""]
    for name, arguments, look in ENTRIES:
        if name not in times:
            continue
        script = ROOT / "examples" / f"{name}.py"
        text += [f"## {name.replace('_', ' ')}", "", f"![{name.replace('_', ' ')}](images/gallery/{name}.png)", "", description(script), "",
                 f"*Look at*: {look}", "", f"[examples/{name}.py](../examples/{name}.py) · {seconds_text(times[name])} · "
                 f"`scree render out/{name} --out {name}.png{''.join(' ' + a for a in arguments)}`", ""]
    return "\n".join(text)


def seconds_text(seconds):
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def main(names):
    unknown = set(names) - {name for name, _, _ in ENTRIES}
    if unknown:
        sys.exit(f"not in the gallery: {', '.join(sorted(unknown))}")
    PICTURES.mkdir(parents=True, exist_ok=True)
    record = PICTURES / "times.json"
    times = json.loads(record.read_text()) if record.exists() else {}
    for name, arguments, _ in ENTRIES:
        if names and name not in names:
            continue
        print(name, end=" ", flush=True)
        times[name] = round(build(name, arguments), 1)
        print(seconds_text(times[name]), flush=True)
        record.write_text(json.dumps(times, indent=1) + "\n")
    (ROOT / "docs" / "gallery.md").write_text(re.sub(r"\n{3,}", "\n\n", page(times)))


if __name__ == "__main__":
    main(sys.argv[1:])
