"""What functions of a script keep comes back from a checkpoint: containers of every kind, nested at random, and what they share."""
import array
import collections
import datetime
import decimal
import enum
import fractions
import json
import pathlib
import random
import sys
import types

import numpy as np
import pytest

import scree
from scree import plain_values


class Colour(enum.Enum):
    RED, GREEN = 1, 2


class Log(list):
    """A list with attributes of its own."""

    def __init__(self, *given):
        super().__init__(*given)
        self.opened = 0

    def append(self, value):
        raise AssertionError("no code of the script runs while its data is restored")


class Table(dict):
    def __setitem__(self, key, value):
        raise AssertionError("no code of the script runs while its data is restored")


class Slotted:
    __slots__ = ("a", "__hidden", "unset")

    def __init__(self, a=0, hidden=0):
        self.a, self.__hidden = a, hidden

    def __eq__(self, other):
        return type(other) is Slotted and same((self.a, self.__hidden), (other.a, other.__hidden))


class Record:
    def __init__(self, **members):
        self.__dict__.update(members)

    def __eq__(self, other):
        return type(other) is Record and same(self.__dict__, other.__dict__)


Point = collections.namedtuple("Point", "x y")


@pytest.fixture(autouse=True)
def of_the_script(monkeypatch):
    """The classes above as a script's own."""
    for cls in (Colour, Log, Table, Slotted, Record, Point):
        monkeypatch.setattr(cls, "__module__", "__main__")
        monkeypatch.setattr(sys.modules["__main__"], cls.__name__, cls, raising=False)


def same(a, b):
    """Equal in type and value, all the way down; and NaN is NaN."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return len(a) == len(b) and all(same(p, q) for p, q in zip(dict.items(a), dict.items(b))) and getattr(a, "default_factory", 0) is getattr(b, "default_factory", 0)
    if isinstance(a, (list, tuple, collections.deque)):
        return len(a) == len(b) and all(map(same, a, b)) and getattr(a, "maxlen", 0) == getattr(b, "maxlen", 0) and getattr(a, "opened", 0) == getattr(b, "opened", 0)
    if isinstance(a, random.Random):
        return a.getstate() == b.getstate()
    if isinstance(a, types.SimpleNamespace):
        return same(vars(a), vars(b))
    if isinstance(a, scree.TimeSeries):
        return same(a.times, b.times) and same(a.values, b.values) and a.label == b.label
    return a == b or a != a and b != b


def atom(chance):
    """A value that cannot change and has a hash."""
    return chance.choice([
        None, True, 0, -3, 2**70, 0.1, float("inf"), -0.0, 1 + 2j, "", "text", b"bytes", np.float32(0.1), np.str_("x"), np.datetime64("2020-01-01T00:00:01"), Colour.GREEN, range(1, 9, 2),
        fractions.Fraction(1, 3), decimal.Decimal("0.10"), datetime.date(2020, 2, 29), datetime.datetime(2020, 2, 29, 1, 2, 3, 4, datetime.timezone.utc), datetime.time(1, 2),
        datetime.timedelta(1, 2, 3), pathlib.Path("a/b"), (), (1, "a"), frozenset({1, 2}), Point(1, 2.5), chance.random(), chance.randrange(10**6)])


def value(chance, depth, shared):
    """Anything that a script may keep; what was made before may be in several places."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(shared) if shared and chance.random() < 0.3 else atom(chance)

    def parts():
        return [value(chance, depth - 1, shared) for _ in range(chance.randrange(4))]

    def items():
        return {atom(chance): part for part in parts()}

    def log():
        made = Log(parts())
        made.opened = chance.random()
        return made

    def queue():
        return collections.deque(parts(), chance.choice([None, 2, 9]))

    made = chance.choice([
        parts, items, log, queue, lambda: tuple(parts()), lambda: {atom(chance) for _ in range(3)}, lambda: collections.OrderedDict(items()),
        lambda: collections.defaultdict(chance.choice([None, list, int, collections.Counter]), items()), lambda: collections.Counter("abracadabra"), lambda: Table(items()),
        lambda: Slotted(parts(), parts()), lambda: Record(a=parts(), b=items()), lambda: Point(parts(), 0), lambda: types.SimpleNamespace(a=parts(), b=1), lambda: bytearray(b"abc"),
        lambda: array.array("d", [1, 2, chance.random()]), lambda: np.arange(chance.randrange(5)).astype(chance.choice("fdiU?")).reshape(-1, 1),
        lambda: np.zeros(2, [("a", "f8"), ("b", "i4", (2,))]), lambda: random.Random(chance.random()), lambda: scree.TimeSeries([(0, 1), (1, chance.random())], "load")])()
    shared.append(made)
    return made


def pattern(data):
    """Which of the places in some data, in the order of a walk, hold one and the same object that can change."""
    seen, places = {}, []

    def walk(x):
        parts = (list(dict.items(x)) if isinstance(x, dict) else list(x) if isinstance(x, (list, tuple, collections.deque)) else
                 [x.a, x._Slotted__hidden] if isinstance(x, Slotted) else list(vars(x).values()) if isinstance(x, (Record, types.SimpleNamespace)) else [])
        if parts and not isinstance(x, tuple) or isinstance(x, (np.ndarray, bytearray, array.array, random.Random)):
            if id(x) in seen:
                places.append(seen[id(x)])
                return
            seen[id(x)] = len(seen)
            places.append(seen[id(x)])
        for part in parts:
            walk(part)

    walk(data)
    return places


def test_random_data_comes_back():
    sim = scree.Simulation()
    for seed in range(400):
        data = value(random.Random(seed), 4, [])
        back = plain_values.load(sim, plain_values.dump(sim, data))
        assert same(back, data), seed
        assert pattern(back) == pattern(data), seed


def test_random_data_is_put_into_what_is_there():
    """Whatever the script has made anew: afterwards it is what was stored, and objects that could take it are still the same objects."""
    sim = scree.Simulation()
    for seed in range(400):
        data, target = value(random.Random(seed), 3, []), value(random.Random(seed if seed % 2 else seed + 7), 3, [])
        text = plain_values.dump(sim, data)
        made = plain_values.restore(target, plain_values.load(sim, text))
        assert same(made, data), seed
        assert pattern(made) == pattern(data), seed
        if seed % 2 and type(target) in (list, dict, Log, Record, collections.defaultdict, collections.OrderedDict, collections.Counter, types.SimpleNamespace):
            assert made is target, seed


def test_what_two_places_share_stays_shared():
    sim = scree.Simulation()
    log, table = [1], np.zeros(2)
    data = {"log": log, "by name": {"a": log}, "tables": (table, [table])}
    new = {"log": [], "by name": {"a": []}, "tables": (np.zeros(2), [np.ones(2)])}
    mine = new["log"]
    made = plain_values.restore(new, plain_values.load(sim, plain_values.dump(sim, data)))
    made["by name"]["a"].append(2)
    made["tables"][0][0] = 7
    assert made is new and mine == [1, 2] and made["tables"][1][0][0] == 7


@pytest.mark.parametrize("data, words", [(collections.defaultdict(lambda: 0), "a defaultdict that fills in"), (np.array([object()]), "an array of type object"), (open, "builtin_function"),
                                         (iter([1]), "list_iterator"), ((k for k in range(2)), "generator")])
def test_what_is_no_value_is_named(data, words):
    with pytest.raises(TypeError, match=words):
        plain_values.dump(scree.Simulation(), {"data": [data]})


def test_damaged_data_is_refused_in_words():
    """Stored data with a part replaced, dropped or doubled: it is read, or refused with a sentence."""
    sim, read = scree.Simulation(), 0
    for seed in range(600):
        chance = random.Random(seed)
        stored = json.loads(plain_values.dump(sim, value(chance, 3, [])))
        part = stored
        while isinstance(part, list) and part and chance.random() < 0.8:
            place = chance.randrange(len(part))
            if not isinstance(part[place], list) or chance.random() < 0.3:
                part[place:place + 1] = chance.choice([[], [None], [["again", 3]], [["again", -1]], [["object", "Record", None]], [["enum", "Colour", "mro"]], [["dict", 3]], [1e400], ["list"],
                                                       [["derived", "Log", "dict", ["dict"]]], [["derived", "os.system", "list", ["dict"]]], [[]], [["queue", -5]], [part[place], part[place]]])
                break
            part = part[place]
        try:
            plain_values.load(sim, json.dumps(stored))
            read += 1
        except ValueError as error:
            assert str(error), seed
    assert 100 < read < 590
