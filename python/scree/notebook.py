"""What notebooks show of objects: small tables and pictures."""
import base64
import html


def table(title, rows):
    """HTML of a table with a title and (name, value) rows; values are texts."""
    body = "".join(f"<tr><th style='text-align:left'>{html.escape(str(name))}</th><td style='text-align:left'>{html.escape(str(value))}</td></tr>"
                   for name, value in rows)
    return f"<table><caption style='text-align:left'><b>{html.escape(title)}</b></caption>{body}</table>"


def image(picture):
    """HTML of a Picture."""
    return f"<img src='data:image/png;base64,{base64.b64encode(picture._repr_png_()).decode()}' style='max-width:100%'/>"


def kinds(names):
    """'3 obstacle, 100 rigid' from a list of kinds."""
    names = list(names)
    return ", ".join(f"{names.count(kind)} {kind.lower().replace('_', '-')}" for kind in sorted(set(names))) or "none"


def vector(values):
    """'(0, 0, -9.81)'."""
    return "(" + ", ".join(f"{float(x):.6g}" for x in values) + ")"
