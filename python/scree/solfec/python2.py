"""Scripts in Python 2, as Solfec's users wrote them: converted on the fly, never on disk.

The syntax is rewritten by lib2to3 (print, except X, e, raise X, text, backticks, <>, has_key, 0777, 10L, dictionaries' lists, renamed modules). Names that
Python 3 dropped or changed (xrange, range, map, filter, zip as lists, round, sorted, exec, eval, execfile, ...) are given to the script, and every `/`
divides whole numbers, and NumPy's arrays of them, to whole numbers, as there."""
import ast
import builtins
import functools
import importlib
import importlib.abc
import importlib.machinery
import io
import math
import os
import re
import string
import sys
import time
import tokenize
import types
import warnings

_FIXERS = ("apply dict except exec funcattrs getcwdu has_key imports intern itertools itertools_imports methodattrs ne next nonzero "
           "numliterals operator paren print raise renames repr standarderror sys_exc throw tuple_params types unicode urllib xreadlines")
#: What is said to have been changed, and how it looks in Python 2.
_SIGNS = (("print statements", r"^\s*print\b(?!\s*\()|[:;]\s*print\b(?!\s*\()|^\s*print\s*\([^()]*\)\s*[,%]"), ("except X, e", r"\bexcept\b[^:]*[\w)]\s*,\s*\w+\s*:"),
          ("raise X, text", r"^\s*raise\s+\w+\s*,"), ("backticks", r"`"), ("<>", r"<>"), ("has_key", r"\.has_key\b"), ("exec statements", r"^\s*exec\s+[^(\s]"),
          ("execfile", r"\bexecfile\b"), ("xrange", r"\bxrange\b"), ("raw_input", r"\braw_input\b"), ("octal and long numbers", r"(?<![.\w])(?<![eE][+-])(?:0[0-7]+(?![.\w])|\d+[lL]\b)"))
#: Names of Python 2 in files that Python 3 parses, too.
_NAMES = re.compile(r"\b(xrange|execfile|raw_input|basestring|unichr|iteritems|itervalues|has_key)\b")


class Script:
    """The source of a script and what was done to it. text: Python 3. changes: list of words, empty for Python 3 files. python2: True for a file that
    is Python 2. divides: whole numbers to whole numbers."""

    def __init__(self, text, changes=(), python2=False, divides=False):
        self.text, self.changes, self.python2, self.divides = text, list(changes), python2, divides

    def code(self, path, mode="exec"):
        """Compiled for exec() or eval()."""
        if not self.python2:
            return compile(self.text, path, mode, dont_inherit=True)
        tree = ast.fix_missing_locations(_Meaning(self.divides).visit(ast.parse(self.text, path, mode)))
        return compile(tree, path, mode, dont_inherit=True)


def decode(source):
    """Text of a file's bytes: its own encoding, or Latin-1 where that fails (Python 2 did not mind)."""
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
        text = source.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        text = source.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read(source, path, forced=False):
    """The Script of a file's bytes. Files that are Python 3 pass as they are, unless `forced`. SyntaxError when they are neither."""
    text = decode(source)
    problem = _problem(text, path)
    if problem is None and not forced and not _uses_old_names(text):
        return Script(text)
    flat = _without_tabs(text)
    changes = [f"{count} {what}" for what, count in _signs(flat)] + (["tabs in the indentation"] if flat != text else [])
    try:
        new = flat if _problem(flat, path) is None and not re.search(r"\bprint\b|\.(keys|items|values|has_key|next)\b|\bimport\b", flat) else _refactored(flat, path)
        tree = ast.parse(new, path)
    except SyntaxError as later:
        raise _neither(problem, later, flat, path) from None
    divides = not re.search(r"from\s+__future__\s+import\s+[^\n]*\bdivision\b", text)
    divisions = sum(_divides(node) for node in ast.walk(tree)) if divides else 0
    return Script(new, changes + ([f"{divisions} divisions, of whole numbers to whole numbers"] if divisions else []), True, divides)


#: What stands in Python 2 alone: statements print and exec, `except X, name`, long numbers, <> and backticks. Of a text without these Python 3's own message
#: is the better one.
_PYTHON2 = re.compile(r"^\s*(?:print|exec)\s+[^\s=(]|\bexcept\s+[\w.()]+\s*,|\b\d+L\b|<>|`", re.MULTILINE)


def _neither(problem, later, text, path):
    """What to say of a text that is no Python 3, and that could not be converted: where the conversion failed, if that is known."""
    lines = text.split("\n")
    if not _PYTHON2.search(text) or later.lineno is None or not 0 < later.lineno <= len(lines):
        return problem if problem is not None else SyntaxError(f"{path}: it is neither Python 3 nor Python 2")
    return SyntaxError(f"neither Python 3 nor Python 2 that could be converted ({later.msg}); write one statement a line here, or this line in Python 3",
                       (path, later.lineno, None, lines[later.lineno - 1]))


def _problem(text, path):
    """What Python 3 has against a text, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return error if isinstance(error, SyntaxError) else SyntaxError(str(error))
    return None


def _uses_old_names(text):
    """True when a text that Python 3 parses uses names that only Python 2 has, and does not make them itself."""
    if not _NAMES.search(text):
        return False
    tree = ast.parse(text)
    made = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} | {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    made |= {a.asname or a.name for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} | {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    return any(_NAMES.fullmatch(name) and name not in made for name in used)


def _without_tabs(text):
    """Indentation with blanks: a tab goes to the next multiple of eight, as in Python 2."""
    return re.sub(r"^[ \t]*\t[ \t]*", lambda m: m[0].expandtabs(8), text, flags=re.MULTILINE)


def _signs(text):
    lines = [re.sub(r"#.*", "", line) for line in text.split("\n")]
    for what, pattern in _SIGNS:
        count = sum(1 for line in lines if re.search(pattern, line))
        if count:
            yield what, count


def _refactored(text, path):
    """Python 3 syntax, by lib2to3."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from lib2to3 import refactor
            from lib2to3.pgen2.parse import ParseError
            from lib2to3.pgen2.tokenize import TokenError
    except ImportError:
        raise ValueError(f"{path}: it is Python 2; install lib2to3 to have it converted (Debian: apt-get install python3-lib2to3)") from None
    known = set(refactor.get_fixers_from_package("lib2to3.fixes"))
    names = [name for name in (f"lib2to3.fixes.fix_{n}" for n in _FIXERS.split()) if name in known]
    function = bool(re.search(r"from\s+__future__\s+import\s+[^\n]*\bprint_function\b", text))
    tool = _tool(tuple(names), function)
    try:
        return str(tool.refactor_string(text if text.endswith("\n") else text + "\n", path))
    except ParseError as error:
        raise SyntaxError(error.msg, (path, error.context[1][0], None, None)) from None
    except TokenError as error:
        raise SyntaxError(str(error)) from None


@functools.lru_cache(maxsize=2)
def _tool(names, function):
    from lib2to3 import refactor
    return refactor.RefactoringTool([n for n in names if not (function and n.endswith("fix_print"))], {"print_function": function})


# --- what the same text means ----------------------------------------------------------------------------------------

def _divides(node):
    return isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div)


def _whole(x):
    """True for whole numbers and arrays of them."""
    return isinstance(x, int) or getattr(getattr(x, "dtype", None), "kind", None) in ("i", "u", "b")


def divide(a, b):
    """a / b of Python 2: whole numbers give a whole number, objects have their __div__."""
    if _whole(a) and _whole(b):
        return a // b
    for one, other, name in ((a, b, "__div__"), (b, a, "__rdiv__")):
        if hasattr(type(one), name):
            return getattr(one, name)(other)
    return a / b


def _message(x):
    """x.message: of an exception its text, as in Python 2."""
    if isinstance(x, BaseException) and not hasattr(x, "message"):
        return x.args[0] if len(x.args) == 1 else ""
    return x.message


#: What modules have lost, by module; the other functions of `string` are methods of str.
_LOST = {"string": {"join": lambda words, separator=" ": separator.join(words), "atof": float, "atoi": int, "atol": int, "letters": string.ascii_letters,
                    "lowercase": string.ascii_lowercase, "uppercase": string.ascii_uppercase}, "time": {"clock": time.process_time}}


def _member(x, name):
    """x.name where x may be a module that no longer has it."""
    lost = _LOST.get(getattr(x, "__name__", None), {}) if isinstance(x, types.ModuleType) and not hasattr(x, name) else {}
    return lost[name] if name in lost else getattr(str if x is string and not hasattr(x, name) else x, name)


def _order(given):
    """The argument of list.sort: a comparison of two as a key."""
    return None if given is None else functools.cmp_to_key(given)


class _Meaning(ast.NodeTransformer):
    """Writes a / b, x.message, x.sort (comparison) and what modules have lost as calls of the functions above."""

    def __init__(self, divides):
        self._dividing = divides

    def _call(self, name, node, *args):
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), list(args), []), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return self._call("__python2_divide__", node, node.left, node.right) if self._dividing and _divides(node) else node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id in _LOST and isinstance(node.ctx, ast.Load):
            return self._call("__python2_member__", node, node.value, ast.Constant(node.attr))
        return self._call("__python2_message__", node, node.value) if node.attr == "message" and isinstance(node.ctx, ast.Load) else node

    def visit_ImportFrom(self, node):
        if node.module not in _LOST or node.level or node.names[0].name == "*":
            return node
        module = self._call("__import__", node, ast.Constant(node.module))
        return [ast.copy_location(ast.Assign([ast.Name(a.asname or a.name, ast.Store())], self._call("__python2_member__", node, module, ast.Constant(a.name))), node) for a in node.names]

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
            given = node.args[:1] + [k.value for k in node.keywords if k.arg == "cmp"]
            if len(given) == 1 and len(node.args) < 2:
                node.keywords = [ast.keyword("key", self._call("__python2_order__", node, given[0])), *(k for k in node.keywords if k.arg != "cmp")]
                node.args = []
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if not (self._dividing and _divides(node)):
            return node
        value = ast.parse(ast.unparse(node.target), mode="eval").body
        return ast.copy_location(ast.Assign([node.target], self._call("__python2_divide__", node, value, node.value)), node)


# --- names --------------------------------------------------------------------------------------------------------

def _list(function):
    @functools.wraps(function)
    def made(*args):
        return list(function(*args))
    return made


def names():
    """What a Python 2 script finds without an import."""
    return {"xrange": builtins.range, "range": _list(builtins.range), "map": _map, "filter": _list(builtins.filter), "zip": _list(builtins.zip),
            "raw_input": raw_input, "input": lambda prompt="": builtins.eval(raw_input(prompt)), "round": _round, "sorted": _sorted, "compile": _compile,
            "exec": _exec, "eval": _eval, "__python2_message__": _message, "__python2_order__": _order, "__python2_member__": _member, "unicode": str, "basestring": str, "long": int, "unichr": chr, "reduce": functools.reduce, "reload": importlib.reload, "file": open,
            "cmp": lambda a, b: (a > b) - (a < b), "execfile": execfile, "__python2_divide__": divide}


def _map(function, *lists):
    return [*builtins.zip(*lists)] if function is None else list(builtins.map(function, *lists))


def raw_input(prompt=""):
    """A line from the terminal; refused where there is none."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise ValueError("raw_input: the script asks for a line, and standard input is not a terminal; give values after -- on the command line and read NON_SOLFEC_ARGV ()")
    return builtins.input(prompt)


def _round(x, digits=0):
    """Halves away from 0, as a float."""
    scale = 10.0 ** digits
    moved = abs(float(x)) * scale
    whole = float(int(moved)) if moved < 2**53 else moved
    return math.copysign((whole + (moved - whole >= 0.5)) / scale, x)


def _sorted(values, cmp=None, key=None, reverse=False):
    order = key if cmp is None else functools.cmp_to_key(cmp) if key is None else lambda x: functools.cmp_to_key(cmp)(key(x))
    return builtins.sorted(values, key=order, reverse=bool(reverse))


def _compile(source, filename, mode, *more):
    """Text that is compiled later is Python 2, too."""
    if not isinstance(source, (str, bytes)) or mode not in ("exec", "eval"):
        return builtins.compile(source, filename, mode, *more)
    text = source.encode() if isinstance(source, str) else source
    script = read(text if mode == "exec" else text.strip(), filename, True)
    script.text = script.text if mode == "exec" else script.text.strip()
    return script.code(filename, mode)


def _run_text(source, mode, globals, locals, frame):
    if globals is None:
        globals, locals = frame.f_globals, frame.f_locals
    if isinstance(source, (str, bytes)):
        source = _compile(source, "<string>", mode)
        for name, value in names().items():
            globals.setdefault(name, value)
    return (builtins.exec if mode == "exec" else builtins.eval)(source, globals, globals if locals is None else locals)


def _exec(source, globals=None, locals=None):
    _run_text(source, "exec", globals, locals, sys._getframe(1))


def _eval(source, globals=None, locals=None):
    return _run_text(source, "eval", globals, locals, sys._getframe(1))


def find(path, beside=None):
    """A file by a path relative to the working folder, to that of a file `beside` it, or to the script's folder or one above it."""
    from .. import session
    script = session.current().script
    if os.path.isabs(path) or os.path.exists(path):
        return path
    if beside is not None and os.path.exists(os.path.join(os.path.dirname(beside), path)):
        return os.path.join(os.path.dirname(beside), path)
    if script is None:
        return path
    folder = os.path.dirname(os.path.abspath(script))
    while True:
        if os.path.exists(os.path.join(folder, path)):
            return os.path.join(folder, path)
        if os.path.dirname(folder) == folder:
            return path
        folder = os.path.dirname(folder)


def execfile(path, globals=None, locals=None):
    """Run another file in the names of the caller (or those given), as Python 2 did. path: relative to the working folder, or else to the folder of the
    file that says so, of the script or one above it."""
    frame = sys._getframe(1)
    if globals is None:
        globals, locals = frame.f_globals, frame.f_locals
    place = find(os.fspath(path), os.path.abspath(frame.f_code.co_filename))
    with open(place, "rb") as file:
        script = read(file.read(), place, _main.python2)
    if script.python2:
        for name, value in names().items():
            globals.setdefault(name, value)
        say(place, script)
    exec(script.code(place), globals, globals if locals is None else locals)


def say(path, script, stream=None):
    """Tell once a file what was converted; of several ranks the first tells."""
    from .. import ranks
    if path not in _said and ranks.rank == 0:
        _said.add(path)
        (stream or sys.stderr).write(f"scree: {path} is Python 2; read as Python 3: {', '.join(script.changes) or 'nothing to change'} (the file stays as it is)\n")


class _Main:
    """What is known of the script that runs: files that a Python 2 script includes are Python 2."""

    python2 = False


_main, _said = _Main(), set()


def begin(source, path, forced=False):
    """The Script that is to run: files it includes are read in the same language."""
    script = read(source, path, forced)
    _main.python2 = script.python2
    return script


# --- modules ------------------------------------------------------------------------------------------------------

class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module that is Python 2."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        script = read(self.get_data(path), path, _main.python2)
        say(path, script)
        return script.code(path)

    def exec_module(self, module):
        module.__dict__.update(names())
        super().exec_module(module)


class Finder(importlib.abc.MetaPathFinder):
    """Finds modules that are Python 2 in a script's folder and in those that the script adds to sys.path, but those of Python's own."""

    def __init__(self, folder):
        self._folder = os.path.abspath(folder)
        self._before = {*sys.path}
        self._python = tuple(os.path.abspath(prefix) + os.sep for prefix in {sys.prefix, sys.base_prefix})

    def _folders(self):
        """Where a script's modules are, in the order in which Python looks."""
        added = [os.path.abspath(p) for p in sys.path if p not in self._before and not re.search(r"(site|dist)-packages", p)]
        ours = [folder for folder in added if not (folder + os.sep).startswith(self._python)]
        return ours if self._folder in ours else [self._folder, *ours]

    def find_spec(self, name, path=None, target=None):
        folders = self._folders()
        spec = importlib.machinery.PathFinder.find_spec(name, path or folders, target)
        if spec is None or not spec.origin or not spec.origin.endswith(".py") or not os.path.abspath(spec.origin).startswith(tuple(f + os.sep for f in folders)):
            return None
        with open(spec.origin, "rb") as file:
            source = decode(file.read())
        if not _main.python2 and _problem(source, spec.origin) is None and not _uses_old_names(source):
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(name, spec.origin), origin=spec.origin, is_package=spec.submodule_search_locations is not None)
