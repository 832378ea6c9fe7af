"""Wrong calls: each raises what the table in the documentation says, and changes nothing."""
import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("error_table", ROOT / "tools" / "error_table.py")
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)

CALLS = [call for calls in table.CALLS.values() for call in calls]


def test_there_are_at_least_sixty_and_the_page_is_up_to_date():
    assert len(set(CALLS)) == len(CALLS) >= 60
    assert table.PAGE.read_text() == table.page(), "run tools/error_table.py"


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("model"))
        yield table.model()


@pytest.mark.parametrize("call", CALLS)
def test_wrong_call(space, call):
    before = table.fingerprint(space)
    given = table.answer(space, call)
    assert given is not None, f"{call} was accepted"
    error, message = given
    assert isinstance(error, (ValueError, OSError)) and message in table.PAGE.read_text().replace("\\|", "|").replace("&lt;", "<")
    # the routine or object is named first, and the message says something about it
    name = call.split(" (")[0].split(".")[0].strip()
    kinds = {"solfec": "SOLFEC", "body": "BODY", "bulk": "BULK_MATERIAL"}
    assert message.startswith(kinds.get(name, name)) and len(message) > len(name) + 15, message
    assert table.fingerprint(space) == before


SCRIPTS = {
    "its own exception": ("def twice (x):\n  return 1 / x\nbulk = None\ntwice (0)\n", 1, ["line 2, in twice", "ZeroDivisionError"]),
    "a callback's exception": ("s = SOLFEC ('DYNAMIC', 1E-3, 'out')\nBODY (s, 'RIGID', SPHERE ((0, 0, 0), 1, 1, 1), BULK_MATERIAL (s))\ndef tick (data):\n"
                               "  raise KeyError ('mine')\nCALLBACK (s, 1E-3, None, tick)\nRUN (s, None, 0.01)\n", 1, ["line 4, in tick", "KeyError: 'mine'"]),
    "a force function's exception": ("s = SOLFEC ('DYNAMIC', 1E-3, 'out')\nb = BODY (s, 'RIGID', SPHERE ((0, 0, 0), 1, 1, 1), BULK_MATERIAL (s))\n"
                                     "FORCE (b, 'SPATIAL', (0, 0, 0), (1, 0, 0), lambda q, u, t, h: (q [99], 0, 0))\nRUN (s, None, 0.01)\n", 1,
                                     ["line 4", "line 3, in <lambda>", "IndexError"]),
    "a refused call": ("def ball (r):\n  return SPHERE ((0, 0, 0), r, 1, 1)\nball (-1)\n", 2, ["line 2, in ball", "ValueError: SPHERE: radius = -1.0"]),
    "a missing file": ("TIME_SERIES ('nothing.txt')\n", 2, ["line 1", "OSError: TIME_SERIES", "nothing.txt"]),
    "a syntax error": ("x = [1, 2\ny = 3\n", 2, ["line 1", "SyntaxError"]),
    "neither Python 3 nor 2": ("print 'hello'\nif:\n", 2, ["SyntaxError"]),
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_tracebacks_show_the_users_lines_alone(command, script, what):
    source, status, words = SCRIPTS[what]
    done = command("run", script(source), "--quiet")
    assert done.status == status, done.err
    for word in words:
        assert word in done.err
    assert "python/scree" not in done.err and "site-packages" not in done.err
