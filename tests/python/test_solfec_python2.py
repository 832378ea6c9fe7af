"""Scripts in Python 2: read as they are, the file untouched."""
import sys

import pytest

from scree.solfec import python2

OLD = """# -*- coding: latin-1 -*-
import sys
step = 1E-3
half = 7 / 2
print "half", half, 7 / 2., -7 / 2
print >>sys.stderr, "to", "stderr"
print
def twice (x):
\tif x <> 3:
\t\treturn `2 * x`
        return 0
table = {'a': 1}
if table.has_key ('a'): print twice (4),
print twice (3)
try:
  raise ValueError, "bad"
except ValueError, error:
  print error
total = 9
total /= 2
print total, 010, 7L, range (3) + [5], map (None, [1, 2]), table.keys ()[0]
for i in xrange (2): print i,
print 'done'
"""
SAID = "half 3 3.5 -4\n\n8 0\nbad\n4 8 7 [0, 1, 2, 5] [(1,), (2,)] a\n0 1 done\n"


def run(source, forced=False):
    """What a script prints."""
    import contextlib
    import io
    script = python2.read(source.encode("latin-1"), "script.py", forced)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        exec(script.code("script.py"), {**(python2.names() if script.python2 else {}), "__name__": "__main__"})
    return script, out.getvalue()


def test_everything_at_once(command, script):
    path = script(OLD)
    before = path.read_bytes()
    done = command("run", path)
    assert done.status == 0, done.err
    assert done.out == SAID and "to stderr" in done.err and path.read_bytes() == before
    said = next(line for line in done.err.splitlines() if "is Python 2" in line)
    for word in ("print statements", "tabs", "except X, e", "raise X, text", "backticks", "<>", "has_key", "xrange", "4 divisions", "stays as it is"):
        assert word in said, said


@pytest.mark.parametrize("source, forced, python_2, printed", [
    ("print (7 / 2)\n", False, False, "3.5\n"),                                     # Python 3 as it is
    ("print (7 / 2)\n", True, True, "3\n"),                                         # asked for
    ("print 7 / 2\n", False, True, "3\n"),
    ("from __future__ import division\nprint 7 / 2\n", False, True, "3.5\n"),
    ("from __future__ import print_function\nfor i in xrange(2): print(i / 2, end=';')\n", False, True, "0;0;"),
    ("def xrange(n): return range(n)\nprint(list(xrange(2)), 1 / 2)\n", False, False, "[0, 1] 0.5\n"),  # its own xrange
    ("class A: x = [4, 6]\na = A()\na.x[0] /= 3\nprint a.x\n", False, True, "[1, 6]\n"),
    ("import numpy\nprint numpy.array([1, 2]) / 2, numpy.array([1.0, 2]) / 2\n", False, True, "[0 1] [0.5 1. ]\n"),
    ("print 'a', ; print 'b'\n", False, True, "a b\n"),
    ("print ('a', 1)\nprint 1\n", False, True, "('a', 1)\n1\n"),                    # a tuple in Python 2
    ("exec 'x = 3 / 2'\nprint x\n", False, True, "1\n"),                            # text that is run later is Python 2, too
    ("ns = {'n': 7}\nexec 'print n / 2' in ns\nprint eval ('n / 2', ns)\n", False, True, "3\n3\n"),
    ("code = compile ('print 9 / 2', 'x', 'exec')\nexec code\n", False, True, "4\n"),
    ("from __future__ import division\nprint eval ('7 / 2'), 7 / 2\n", True, True, "3 3.5\n"),
    ("def half (a, b = 2): return a / b\nprint half (7), half (7.0), half (-7), half (b = 4, a = 10)\n", False, True, "3 3.5 -4 2\n"),
    ("print map (lambda (a, b): a / b, [(7, 2), (7., 2)])\n", False, True, "[3, 3.5]\n"),
    ("print round (2.5), round (-0.5), round (7 / 2), round (2.675, 1), int (round (0.5))\n", False, True, "3.0 -1.0 3.0 2.7 1\n"),
    ("l = [2, 3, 1]\nl.sort (lambda a, b: cmp (b, a))\nprint l, sorted (l, cmp = cmp), sorted (l, reverse = True)\n", False, True, "[3, 2, 1] [1, 2, 3] [3, 2, 1]\n"),
    ("try: raise ValueError, 'no'\nexcept (ValueError, TypeError), e: print e, e.message\n", False, True, "no no\n"),
    ("class A:\n  def __div__ (self, other): return 'by %d' % other\n  def __nonzero__ (self): return False\nprint A () / 2, bool (A ())\n", False, True, "by 2 False\n"),
    ("print u'caf\\xe9', 0777, 0xFFL, 1E-05 > 0, not 08.5 < 1\n", False, True, "caf\xe9 511 255 True True\n"),
    ("d = {'a': 1}\nfor k, v in d.iteritems (): print k, v,\nprint d.has_key ('b')\n", False, True, "a 1 False\n"),
    ("def f (n):\n\tif n:\n\t        return 'deep'\n        return 'flat'\nprint f (1), f (0)\n", False, True, "deep flat\n"),  # a tab is eight blanks
    ("import string, time\nfrom string import split, join as glue\nprint string.join (['a', 'b']), string.atof ('2'), string.upper ('c'), string.digits, glue (split ('d e'), '-'), "
     "time.clock () >= 0\nstring = 'x'\nprint string.join (['a', 'b'])\n", False, True, "a b 2.0 C 0123456789 d-e True\naxb\n"),  # what modules have lost
    ("import StringIO\ns = StringIO.StringIO ()\nprint >>s, 'in', 7 / 2\nprint >>s\nprint repr (s.getvalue ())\n", False, True, "'in 3\\n\\n'\n"),
])
def test_what_is_taken_for_python_2(source, forced, python_2, printed):
    script, out = run(source, forced)
    assert script.python2 == python_2 and out == printed


def test_a_question_is_refused_where_nobody_answers(command, script):
    """A run has no terminal: the message says how to pass values."""
    for call in ("raw_input ('how many? ')", "input ('how many? ')"):
        done = command("run", script(f"print 'asking'\nn = {call}\n"))
        assert done.status != 0 and "after --" in done.err and "NON_SOLFEC_ARGV" in done.err


def test_what_is_said_is_what_was_there():
    script, _ = run("x = 0.002 + 1E-05 + 10.0\nprint x > 0, 0, 017\n")
    assert script.changes == ["1 print statements", "1 octal and long numbers"]


def test_errors_keep_their_line(command, script):
    done = command("run", script("print 'one'\n\nx = 1 / 0\n"))
    assert done.status == 1 and "line 3" in done.err and "ZeroDivisionError" in done.err
    broken = command("run", script("print 'one'\nif:\n"))
    assert broken.status == 2 and "SyntaxError" in broken.err


def test_included_files(command, script, tmp_path):
    """execfile finds files from the working folder, beside the file that includes, the script's folder and those above it, and runs them in the names of the caller."""
    (tmp_path / "inp" / "deep" / "inc").mkdir(parents=True)
    script("print 'beside', width / 2\nheight = 3\nexecfile ('detail.py')\n", "inp/deep/inc/parts.py")
    script("print 'detail'\n", "inp/deep/inc/detail.py")
    script("depth = 5 / 2\n", "inp/base.py")
    script("from solfec import *\ndef volume (): return 9 / 2\n", "inp/deep/tools.py")
    path = script("import tools\nwidth = 7\nexecfile ('inc/parts.py')\nexecfile ('inp/base.py')\nprint (height, depth, tools.volume ())\n"
                  "def local ():\n  names = {}\n  execfile ('inp/base.py', names)\n  return names ['depth']\nprint (local ())\n", "inp/deep/run.py")
    done = command("run", path)
    assert done.status == 0, done.err
    assert done.out == "beside 3\ndetail\n(3, 2, 4)\n2\n" and done.err.count("parts.py is Python 2") == 1 and "tools.py is Python 2" in done.err
    modern = script("width = 7\nexecfile ('inc/parts.py')\nprint (7 / 2)\n".replace("execfile", "globals ()['execfile']"), "inp/deep/modern.py")
    assert command("run", modern).out == "beside 3\ndetail\n3.5\n"
    missing = command("run", script("execfile ('nowhere.py')\n", "inp/deep/missing.py"))
    assert missing.status != 0 and "nowhere.py" in missing.err


def test_modules_in_folders_that_a_script_adds(command, script, tmp_path):
    """They are read as the script is."""
    (tmp_path / "elsewhere" / "lib" / "deep").mkdir(parents=True), (tmp_path / "inp").mkdir()
    script("def half (x):\n\tprint 'half of', x\n\treturn x / 2\n", "elsewhere/lib/halves.py")
    script("import itertools\nwhole = [7 / 2 for k in xrange (1)]\n", "elsewhere/lib/deep/__init__.py")
    path = script(f"""
import sys
sys.path.append ({str(tmp_path / 'elsewhere' / 'lib')!r})
import halves, deep
reload (halves)
print halves.half (9), deep.whole
for line in open ({str(tmp_path / 'elsewhere' / 'lib' / 'deep' / '__init__.py')!r}).xreadlines (): print len (line)
""", "inp/main.py")
    done = command("run", path)
    assert done.out.split() == "half of 9 4 [3] 17 36".split() and "halves.py is Python 2" in done.err, done.err


def test_a_whole_script_of_solfec(command, script):
    """As its users write them: Python 2, tabs, integer division, progress in per cent, READ mode of the second run."""
    path = script("""
step = 1E-3
n = 7 / 2
sol = SOLFEC ('DYNAMIC', step, 'out/bricks')
sol.verbose = '%'
SURFACE_MATERIAL (sol, model = 'SIGNORINI_COULOMB', friction = 0.5)
bulk = BULK_MATERIAL (sol, model = 'KIRCHHOFF', young = 15E9, poisson = 0.25, density = 1.8E3)
GRAVITY (sol, (0, 0, -10))
nodes = [0, 0, 0,
	 1, 0, 0,
	 1, 1, 0,
	 0, 1, 0,
	 0, 0, 1,
	 1, 0, 1,
	 1, 1, 1,
	 0, 1, 1]
def base (w):
	shp = HEX (nodes, 1, 1, 1, 1, [1]*6)
	SCALE (shp, (w, w, 1))
	TRANSLATE (shp, (-w/2, -w/2, -1))
	BODY (sol, 'OBSTACLE', shp, bulk)
base (20)
for i in xrange (n):
	shp = TRANSLATE (HEX (nodes, 2, 2, 2, 1, [1]*6), (0, 0, i))
	b = BODY (sol, 'PSEUDO_RIGID', shp, bulk, label = 'brick %d' % i)
	b.scheme = 'DEF_LIM'
	b.damping = step
OUTPUT (sol, 0.01)
if sol.mode == 'WRITE': RUN (sol, NEWTON_SOLVER (), 0.05)
else:
	dur = DURATION (sol)
	th = HISTORY (sol, [(sol, 'KINETIC'), (sol.bodies [1], sol.bodies [1].center, 'DZ')], dur [0], dur [1])
	print len (th [0]), '%.3f' % abs (th [2][-1])
""")
    first = command("run", path)
    assert first.status == 0 and "100%" in first.out, first.err
    second = command("run", path)
    assert second.status == 0 and second.out.split() == ["6", "0.000"], second.err


@pytest.mark.parametrize("source, line", [("print 'x'\nif a = 3: print 2\n", 2), ("print 'x'\na = 10L\ntry: open ('no')\nexcept IOError, (n, m): print n\n", 4), ("print 1\ndef f (:\n  pass\n", 2)])
def test_what_cannot_be_converted_is_named(source, line):
    """The line that is wrong in Python 2, too, and not the first one that Python 3 does not know."""
    with pytest.raises(SyntaxError, match="could be converted") as error:
        python2.read(source.encode(), "script.py")
    assert error.value.lineno == line and error.value.text == source.split("\n")[line - 1]
