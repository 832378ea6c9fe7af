"""The documentation does what it says: the reference is complete and up to date, its examples run, and so do the tutorials, which print what
they show."""
import importlib.util
import pathlib
import re

import pytest

import scree
from scree import solfec as language

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TUTORIALS = sorted(p for p in (DOCS / "tutorials").glob("[0-9]*.md"))

def tool(name):
    """A script of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference, api = tool("language_reference"), tool("api_reference")


def test_the_page_of_the_package_is_complete_and_up_to_date():
    text = api.PAGE.read_text()
    for name in scree.__all__:
        assert f"\n### {name}\n" in text, name
    assert text == api.page(), "run tools/api_reference.py"


def test_the_reference_is_complete_and_up_to_date():
    assert set(language.__all__) <= set(reference.listed()) and len(set(reference.listed())) == len(reference.listed())
    assert set(language.__all__) <= set(reference.EXAMPLES), set(language.__all__) - set(reference.EXAMPLES)
    assert reference.PAGE.read_text() == reference.page(), "run tools/language_reference.py"


def test_every_routine_has_an_entry_with_its_arguments():
    text = reference.PAGE.read_text()
    for name in language.__all__:
        assert f"\n### {name}\n" in text and re.search(rf"\n    (.* = )?{name} \(", text), name


def test_examples_of_the_reference_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in language.__all__:
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        space = {n: getattr(language, n) for n in language.__all__}
        try:
            exec(compile(reference.PRELUDE + reference.EXAMPLES[name], f"example of {name}", "exec"), space)
        except Exception as error:
            raise AssertionError(f"the example of {name} fails: {error}") from error


def blocks(path):
    """(script, [(expected lines, tolerance)]) of a tutorial."""
    script, shown = [], []
    for kind, words, text in re.findall(r"^```(\w+)( \d+)?\n(.*?)^```$", path.read_text(), re.M | re.S):
        if kind == "python":
            script.append(text)
        elif kind == "text":
            shown.append((text.splitlines(), float(words or 1) / 100))
    return "\n".join(script), shown


NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def same(line, expected, tolerance):
    """True when two lines agree but for numbers, and those within a relative tolerance."""
    if NUMBER.sub("#", line) != NUMBER.sub("#", expected):
        return False
    pairs = zip(NUMBER.findall(line), NUMBER.findall(expected))
    return all(float(a) == pytest.approx(float(b), rel=tolerance, abs=1e-12) for a, b in pairs)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: p.stem)
def test_tutorial(command, script, path):
    source, shown = blocks(path)
    done = command("run", script(source), "--quiet")
    assert done.status == 0, done.err
    printed = done.out.splitlines()
    wanted = [(line, tolerance) for lines, tolerance in shown for line in lines]
    assert len(printed) == len(wanted), done.out
    for line, (expected, tolerance) in zip(printed, wanted):
        assert same(line, expected, tolerance), f"printed {line!r}, shown {expected!r}"


def test_tutorials_are_linked():
    text = (DOCS / "tutorials" / "README.md").read_text()
    for path in TUTORIALS:
        assert f"({path.name})" in text


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
