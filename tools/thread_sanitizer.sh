#!/bin/bash
# Run the tests that use threads under the thread sanitizer:  tools/thread_sanitizer.sh [GTEST_FILTER]
# Needs clang with its OpenMP (libomp, whose tool Archer tells the sanitizer what waits for what). Exit status 1 when something was found.
set -eu
cd "$(dirname "$0")/.."
cmake --preset threads >/dev/null
cmake --build --preset threads
archer=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -1)
# Libraries of the system are not instrumented: what they do among themselves is not ours to judge.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=0 exitcode=66" OMP_TOOL_LIBRARIES="$archer" OMP_NUM_THREADS=2
status=0
for name in core collision solvers elastic stepping parallel; do
  program=build/threads/tests/test_$name
  [ -x "$program" ] || continue
  "$program" --gtest_brief=1 --gtest_filter="${1:-*}" || status=1
done
exit $status
