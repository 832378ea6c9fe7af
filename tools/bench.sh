#!/bin/sh
# Benchmarks of `make bench`: every scene on one and on two threads with the build in $SCREE_BUILD, figures as JSON under
# out/bench and as a table on the screen. Peers' drivers (../shared/peers) run beside them where they can be built.
set -eu
cd "$(dirname -- "$0")/.."
out=out/bench
mkdir -p "$out"

row() {
  /usr/bin/python3 - "$1" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
stages = "  ".join(f"{name} {ms:8.3f}" for name, ms in j["stages"].items())
ns = j["ns_per_contact_and_sweep"]
print(f"{j['scene']:<16}{j['threads']:>2} {j['solver']:<13}{j['tolerance']:7.0e} {j['ms_per_step']:9.3f} ms  ({stages})  "
      f"contacts {j['contacts_mean']:8.0f}  iterations {j['iterations_mean']:7.1f}  {'' if ns is None else f'{ns:5.1f} ns'}  "
      f"residual {j['residual_max']:.1e}  penetration {j['penetration_max']:.1e} m  {j['hash']}")
PY
}

scene() {
  for threads in 1 2; do
    file="$out/$1-$2-$threads.json"
    ./scree bench scene "$1" --threads "$threads" --json "$file" --solver "$2" $3
    row "$file"
  done
}

for name in wall heavy_on_light; do scene "$name" AUTO ""; done
scene drum AUTO "--tol 1e-8 --yardstick merit"
scene drum_spheres AUTO "--tol 1e-8 --yardstick merit"
for name in column_1k column_4k column_16k column_100k; do scene "$name" GAUSS_SEIDEL "--max-iterations 50 --tol 1e-12"; done
for name in column_1k column_4k; do scene "$name" AUTO ""; done

peers=../shared/peers
if [ -d "$peers" ] && [ -f /usr/include/ode/ode.h ]; then
  g++ -O3 -march=native -std=c++17 "$peers/drv_ode.cpp" -o "$out/drv_ode" -lode
  echo "ODE QuickStep, 20 iterations, column of 4000 spheres:"
  SCENES="$peers/../data/scenes" RES="$out/ode.csv" "$out/drv_ode" S1 4000 1e-3 QUICK 20 1 50 "$peers/../data/scenes/s1_4000_settled.csv"
fi
echo "figures: $out"
