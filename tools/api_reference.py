#!/usr/bin/env python3
"""Write docs/api.md, the reference of the package `scree`, from its docstrings.

    tools/api_reference.py            write it
    tools/api_reference.py --check    exit status 1 when it is not up to date
"""
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "api.md"
sys.path.insert(0, str(ROOT / "python"))

#: Sections of the package's own names; what is in no section comes last.
SECTIONS = {
    "Simulations": "Simulation Bodies Body Constraint SurfaceMaterial BulkMaterial TimeSeries",
    "Shapes": "Shape sphere ellipsoid box hull convex mesh read_mesh hex rough_hex pipe copy translate rotate scale join split mass_center",
    "Results": "read Results Frame picture render export",
    "Contact problems": "Problem Solution solvers add_solver",
    "Settings": "threads set_threads",
}
#: Modules with functions of their own, each a section; those that are not there are left out.
MODULES = ("plot", "view", "measure")
SPECIAL = {"__len__": "len(x)", "__iter__": "iteration", "__getitem__": "x[k]", "__contains__": "k in x", "__call__": "x(...)", "__add__": "a + b"}
OPENING = """# The package `scree`

    import scree

Made by `tools/api_reference.py` from the docstrings; `help(scree.Simulation)` shows the same. SI units throughout; vectors are any three numbers, arrays are
NumPy's. Bad input raises ValueError with the argument, its value and what to do; OSError is about files, RuntimeError about a solve that failed. The Solfec
input language has [a reference of its own](language.md); what can be added to it is in the [tutorials](tutorials/README.md).
"""


def _text(made):
    """Docstring as Markdown: its doctest lines become a block of code."""
    lines, out, code = (inspect.getdoc(made) or "").splitlines(), [], False
    for line in lines:
        example = line.startswith((">>> ", "... "))
        if example and not code:
            out.append("```python")
        elif code and not example:
            out.append("```")
        code = example
        out.append(line[4:] if example else line)
    return "\n".join(out + (["```"] if code else []))


def _signature(name, made):
    """name(argument, option=default, ...) without self."""
    parameters = [p for p in inspect.signature(made).parameters.values() if p.name not in ("self", "cls")]
    words = [str(p.replace(annotation=p.empty)) for p in parameters]
    words = [re.sub(r"<function [\w.<>]+ at 0x[0-9a-f]+>", "...", re.sub(r"<built-in function (\w+)>", r"\1", word)) for word in words]
    return f"{name}({', '.join(words)})"


def _entry(title, made, level):
    call = textwrap.fill(_signature(title, made), 140, subsequent_indent=" " * (len(title) + 1), break_long_words=False)
    return f"{'#' * level} {title}\n\n```python\n{call}\n```\n\n{_text(made)}\n"


def _member(name, value):
    """One line of a class: a property, or a method with its signature and text."""
    if isinstance(value, property):
        settable = " *(settable)*" if value.fset else ""
        return f"- **{name}**{settable}: {_flat(value.fget) or name.replace('_', ' ') + '.'}"
    function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    title = SPECIAL.get(name)
    return f"- `{title or _signature(name, function)}`: {_flat(function)}"


def _flat(made):
    """A docstring in one paragraph, indented as part of a list."""
    return re.sub(r"\s*\n\s*", "\n  ", re.sub(r"\n\s*\n", "\n", inspect.getdoc(made) or ""))


def _is_member(name, value):
    if name.startswith("_") and name not in SPECIAL:
        return False
    return isinstance(value, (property, classmethod)) or inspect.isfunction(value)


def _class(name, made):
    members = {n: v for base in reversed(made.__mro__) for n, v in vars(base).items() if _is_member(n, v)}
    listed = [(n, v) for n, v in members.items() if not (n in SPECIAL and not inspect.getdoc(v))]
    return _entry(name, made, 3) + ("\n" + "\n".join(_member(n, v) for n, v in listed) + "\n" if listed else "")


def _named(name, made):
    return _class(name, made) if inspect.isclass(made) else _entry(name, made, 3)


def _module(name):
    """The section of a module of functions, empty when there is none."""
    try:
        module = importlib.import_module(f"scree.{name}")
    except ModuleNotFoundError:
        return ""
    own = [(n, m) for n, m in vars(module).items() if inspect.isfunction(m) and m.__module__ == module.__name__ and not n.startswith("_")]
    named = [(n, getattr(module, n)) for n in module.__all__] if hasattr(module, "__all__") else own
    return f"## scree.{name}\n\n{_text(module)}\n\n" + "\n".join(_named(f"{name}.{n}", m) for n, m in named if inspect.getdoc(m))


def page():
    """Text of the page."""
    import scree
    from scree.results import Frame
    from scree.simulation import Bodies
    names = {**{name: getattr(scree, name) for name in scree.__all__}, "Frame": Frame, "Bodies": Bodies}
    sections = {title: listed.split() for title, listed in SECTIONS.items()}
    placed = {name for listed in sections.values() for name in listed}
    rest = [name for name in names if name not in placed and not inspect.ismodule(names[name])]
    if rest:
        sections["More"] = rest
    parts = [OPENING]
    for title, listed in sections.items():
        parts.append(f"## {title}\n\n" + "\n".join(_named(name, names[name]) for name in listed))
    return "\n".join(parts + [_module(name) for name in MODULES if _module(name)]).rstrip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.exists() and PAGE.read_text() == page() else 1)
    PAGE.write_text(page())
    print(PAGE)
