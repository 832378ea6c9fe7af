"""Scripts to begin with, one a trade; `scree new NAME` writes one."""
import pathlib

_FOLDER = pathlib.Path(__file__).parent

#: Name -> what the script is about.
STARTERS = {"masonry": "a stone wall under an accelerogram", "grains": "grains in a hopper", "mechanism": "a gripper that lifts a ball"}


def text(name):
    """Source of a starter script."""
    return (_FOLDER / f"{name}.py").read_text(encoding="utf-8")
