#!/bin/bash
# Fuzz the readers of files from outside:  tools/fuzz.sh [SECONDS a target, default 60] [TARGET ...]
# Targets: mesh, fclib, results, checkpoint. Needs clang. Inputs that crash, leak, hang or take over 1 GB stay in build/fuzz/findings; exit status 1.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
build/fuzz/tests/fuzz/make_corpus build/fuzz/seeds
mkdir -p build/fuzz/findings
for name in ${@:-mesh fclib results checkpoint}; do
  mkdir -p "build/fuzz/corpus/$name"
  nice -n 19 "build/fuzz/tests/fuzz/${name}_fuzz" "build/fuzz/corpus/$name" "build/fuzz/seeds/$name" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=1024 -malloc_limit_mb=512 -artifact_prefix=build/fuzz/findings/ -print_final_stats=1
done
