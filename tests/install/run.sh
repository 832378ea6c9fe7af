#!/usr/bin/env bash
# Install a build into a temporary folder, build a program against it with find_package, run it and open its results with the installed command.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/drop" "$work/results.h5"
"$work/prefix/bin/scree" info "$work/results.h5" --json | /usr/bin/python3 -c '
import json, sys
info = json.load(sys.stdin)
assert info["frames"] == 11 and info["bodies"] == 2 and info["steps"] == 500, info
'
# What `scree view` sends to the page: the scene and a frame.
PYTHONPATH=$(echo "$work"/prefix/lib/python3*/dist-packages) /usr/bin/python3 -c '
import sys
from scree import _scree
wire = _scree.Wire(sys.argv[1])
assert len(wire.scene()) > 100 and len(wire.frame(10, [])) > 100
' "$work/results.h5"
