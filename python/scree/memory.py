"""What a checkpoint keeps of the Python side: run counters, the data of callbacks and the last step's report and contacts."""
import json

import numpy as np

from . import _scree
from .plain_values import dump, load, restore


def pack(sim, state, warn):
    """Text with the run's counters and its callbacks' data. `warn` hears once about data that cannot be stored."""
    callbacks = []
    for k, callback in enumerate(sim._callbacks):
        entry = {"calls": callback.calls, "start": callback.start, "interval": callback.interval, "data": None}
        if callback.data is not None:
            try:
                entry["data"] = dump(sim, callback.data)
            except TypeError as error:
                warn(f"the data of callback {k} cannot be stored in checkpoints and will start anew on --resume ({error})")
        callbacks.append(entry)
    return json.dumps({**state, "callbacks": callbacks})


#: Counters of a run in a checkpoint.
_NUMBER = (int, float)
_COUNTERS = {"run": int, "start": _NUMBER, "frames": int, "stopped": bool, "hash": str, "time": _NUMBER, "finished": bool, "output": _NUMBER,
             "solver": (str, type(None)), "kernels": (str, type(None)), "args": list, "script": (str, type(None)), "callbacks": list}
_ENTRY = {"calls": int, "start": _NUMBER, "interval": _NUMBER, "data": (str, type(None))}


def read(path):
    """The run's counters in a checkpoint; OSError when they are not what pack() writes."""
    def fits(stored, kinds):
        return isinstance(stored, dict) and all(isinstance(stored.get(name), kind) for name, kind in kinds.items())
    try:
        state = json.loads(_scree.Engine.peek_checkpoint(path, "python"))
    except (ValueError, RecursionError):
        state = None
    if not fits(state, _COUNTERS) or not all(fits(entry, _ENTRY) for entry in state["callbacks"]) or not all(isinstance(a, str) for a in state["args"]):
        raise OSError(f"{path}: it holds data that Scree did not write")
    return state


def pack_last(engine):
    """(reals, integers): report and contacts of the last step."""
    row, table = engine.report(), engine.contacts()
    count = [len(table["gap"])]
    reals = [column.ravel() for column in table.values() if column.dtype.kind == "f"]
    integers = [column.astype(np.int64).ravel() for column in table.values() if column.dtype.kind != "f"]
    return np.concatenate(reals), np.concatenate([count, np.frombuffer(row.tobytes(), np.uint8).astype(np.int64), *integers])


def unpack_last(engine, path):
    """(report, contacts) of the last step before a checkpoint; None where it has none. `engine` tells what columns there are."""
    reals, integers = _scree.Engine.peek_numbers(path)
    if not len(integers):
        return None
    row, table = engine.report(), engine.contacts()
    count, places = int(integers[0]), {"f": 0, "i": 1 + row.nbytes}
    widths = {name: int(np.prod(column.shape[1:], dtype=int)) for name, column in table.items()}
    expected = {kind: start + count * sum(widths[n] for n, c in table.items() if (c.dtype.kind == "f") == (kind == "f")) for kind, start in places.items()}
    if count < 0 or expected != {"f": len(reals), "i": len(integers)} or not ((integers[1:1 + row.nbytes] >= 0) & (integers[1:1 + row.nbytes] < 256)).all():
        raise OSError(f"{path}: it holds data that Scree did not write")
    for name, column in table.items():
        source, kind = (reals, "f") if column.dtype.kind == "f" else (integers, "i")
        size = count * widths[name]
        table[name] = source[places[kind]:places[kind] + size].astype(column.dtype).reshape(count, *column.shape[1:])
        places[kind] += size
    return np.frombuffer(integers[1:1 + row.nbytes].astype(np.uint8).tobytes(), row.dtype), table


def unpack(sim, state):
    """Restore callbacks in place from the counters of read(). ValueError when the script has other callbacks now."""
    stored = state["callbacks"]
    if len(stored) != len(sim._callbacks):
        raise ValueError(f"resume: the checkpoint belongs to a script with {len(stored)} callbacks, this one has {len(sim._callbacks)}")
    for callback, entry in zip(sim._callbacks, stored):
        callback.calls, callback.start, callback.interval = entry["calls"], entry["start"], entry["interval"]
        if entry["data"] is not None:
            callback.data = restore(callback.data, load(sim, entry["data"]))
