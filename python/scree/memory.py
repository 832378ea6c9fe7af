"""What a checkpoint keeps of the Python side: run counters and the data of callbacks.

Data is pickled; bodies, constraints, materials and the simulation inside it are stored by name. On a restart the
stored values are put into the objects the script made anew, so that every reference to them sees the restored state.
"""
import base64
import io
import json
import pickle

import numpy as np

from . import handles

#: Turns the key of a stored handle back into the handle: {name: function(sim, *rest of the key)}.
RESOLVERS = {
    "simulation": lambda sim: sim,
    "body": lambda sim, id: handles.Body(sim, id),
    "constraint": lambda sim, id: handles.Constraint(sim, id),
    "surface_material": lambda sim, id: handles.SurfaceMaterial(sim, id),
    "bulk_material": lambda sim, id: handles.BulkMaterial(sim, id),
}


class _Pickler(pickle.Pickler):
    def __init__(self, file, sim):
        super().__init__(file, protocol=4)
        self._sim = sim

    def persistent_id(self, value):
        if value is self._sim:
            return ("simulation",)
        key = getattr(type(value), "_checkpoint_key", None)
        return key(value) if key else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, sim):
        super().__init__(file)
        self._sim = sim

    def persistent_load(self, key):
        return RESOLVERS[key[0]](self._sim, *key[1:])


def dump(sim, value):
    """Pickled value as text; raises what pickle raises when it cannot be stored."""
    stream = io.BytesIO()
    _Pickler(stream, sim).dump(value)
    return base64.b64encode(stream.getvalue()).decode()


def load(sim, text):
    """The value stored by dump()."""
    return _Unpickler(io.BytesIO(base64.b64decode(text)), sim).load()


def restore(target, stored):
    """Put stored values into `target` where it can be changed in place; returns what replaces it otherwise."""
    if hasattr(type(target), "_checkpoint_key"):
        return target if type(stored) is type(target) and stored == target else stored
    if type(target) is not type(stored):
        return stored
    if isinstance(target, list):
        old = target[:]
        target[:] = [restore(old[i], v) if i < len(old) else v for i, v in enumerate(stored)]
    elif isinstance(target, dict):
        old = dict(target)
        target.clear()
        target.update({k: restore(old[k], v) if k in old else v for k, v in stored.items()})
    elif isinstance(target, set):
        target.clear()
        target.update(stored)
    elif isinstance(target, np.ndarray) and target.shape == stored.shape and target.dtype == stored.dtype:
        target[...] = stored
    elif type(target) is tuple and len(target) == len(stored):
        return tuple(restore(a, b) for a, b in zip(target, stored))
    elif getattr(target, "__dict__", None) is not None and not callable(target):
        target.__dict__.update({k: restore(target.__dict__[k], v) if k in target.__dict__ else v for k, v in stored.__dict__.items()})
    else:
        return stored
    return target


def pack(sim, state, warn):
    """Text with the run's counters and its callbacks' data. `warn` hears once about data that cannot be stored."""
    callbacks = []
    for k, callback in enumerate(sim._callbacks):
        entry = {"calls": callback.calls, "start": callback.start, "interval": callback.interval, "data": None}
        if callback.data is not None:
            try:
                entry["data"] = dump(sim, callback.data)
            except Exception as error:
                warn(f"the data of callback {k} cannot be stored in checkpoints and will start anew on --resume ({error})")
        callbacks.append(entry)
    return json.dumps({**state, "callbacks": callbacks})


def unpack(sim, text):
    """Restore callbacks in place; returns the run's counters. ValueError when the script has other callbacks now."""
    state = json.loads(text)
    stored = state.pop("callbacks")
    if len(stored) != len(sim._callbacks):
        raise ValueError(f"resume: the checkpoint belongs to a script with {len(stored)} callbacks, this one has {len(sim._callbacks)}")
    for callback, entry in zip(sim._callbacks, stored):
        callback.calls, callback.start, callback.interval = entry["calls"], entry["start"], entry["interval"]
        if entry["data"] is not None:
            callback.data = restore(callback.data, load(sim, entry["data"]))
    return state

