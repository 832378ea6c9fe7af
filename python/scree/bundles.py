"""Bundles of named arrays (docs/results_format.md, "On the wire") as NumPy arrays."""
import json
import struct

import numpy as np

_TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "i2": "<i2", "u2": "<u2", "u1": "<u1"}


def unpack(data):
    """(facts, {name: array}) of a bundle; arrays of several numbers a row have two dimensions."""
    if data[:8] != b"SCREEBUN":
        raise ValueError("these bytes are not a bundle")
    size = struct.unpack("<Q", data[8:16])[0]
    head = json.loads(data[16:16 + size])
    arrays = {}
    for name, spec in head["arrays"].items():
        values = np.frombuffer(data, _TYPES[spec["type"]], spec["rows"] * spec["width"], 16 + size + spec["offset"])
        arrays[name] = values.reshape(-1, spec["width"]) if spec["width"] > 1 else values
    return head["facts"], arrays


def pack(facts):
    """A bundle without arrays."""
    text = json.dumps({"facts": facts, "arrays": {}}).encode()
    text += b" " * (-len(text) % 8)
    return b"SCREEBUN" + struct.pack("<Q", len(text)) + text
