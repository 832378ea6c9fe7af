#!/usr/bin/env bash
# Install the Debian packages Scree builds and runs with. Quiet; does nothing when all are there.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache pkg-config git
  libeigen3-dev libsuitesparse-dev libopenblas0-pthread libhdf5-dev libqhull-dev libfmt-dev nlohmann-json3-dev zlib1g-dev
  python3 python3-dev python3-numpy python3-matplotlib python3-h5py
  python3-pybind11 pybind11-dev
  libgtest-dev libbenchmark-dev python3-pytest python3-hypothesis
)

# The viewer's page needs node; its tests a browser. Without them the rest builds, works and is tested.
optional=()
command -v node >/dev/null || optional+=(nodejs)
command -v npm >/dev/null || optional+=(npm)
command -v chromium >/dev/null || optional+=(chromium)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ $((${#missing[@]} + ${#optional[@]})) -eq 0 ] && exit 0

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Scree needs these packages; install them as root: ${missing[*]}" >&2; exit 1; }
  sudo="sudo"
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "apt-get failed; the full log is $log" >&2
    exit 1
  fi
fi
for package in "${optional[@]}"; do
  echo "installing: $package"
  { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "$package"; } >"$log" 2>&1 ||
    echo "$package could not be installed: the viewer's page or its tests are left out" >&2
done
rm -f "$log"
