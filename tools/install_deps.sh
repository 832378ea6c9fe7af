#!/usr/bin/env bash
# Install the Debian packages Scree builds and runs with: tools/install_deps.sh [engine] [look] [page] [extras] [ranks] [gtest] [deb] [test]. Quiet; does nothing when all
# are there. What is compiled with (engine, page, ranks, gtest) comes first; the rest, most of it Python that Debian compiles as it installs, may come while Scree is built.
set -euo pipefail

engine=(
  g++ cmake ninja-build
  libeigen3-dev libsuitesparse-dev libopenblas0-pthread libhdf5-dev libqhull-dev libfmt-dev nlohmann-json3-dev libpugixml-dev zlib1g-dev
  python3 python3-dev python3-numpy pybind11-dev
)
# Pictures, plots, results as arrays, scripts in Python 2.
look=(python3-matplotlib python3-pil python3-h5py python3-lib2to3)
# Meshes of other programs, solids from surfaces, completion in the shell.
extras=(tetgen python3-meshio python3-argcomplete)
# Runs on several ranks. (Not libhdf5-openmpi-dev: it would replace the HDF5 that the engine is built with.)
ranks=(libopenmpi-dev openmpi-bin libtrilinos-zoltan-dev)
gtest=(libgtest-dev)
# Debian packages of Scree.
deb=(dpkg-dev file)
test=(git python3-pytest python3-hypothesis mypy ffmpeg python3-venv python3-pip libode-dev)

missing=() optional=()
need() {
  local package status
  for package in "$@"; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
  done
}
# Programs that may come from elsewhere, and without which the rest builds, works and is tested.
want() { command -v "$1" >/dev/null || optional+=("$2"); }

[ $# -gt 0 ] || set -- engine look
for part in "$@"; do
  case $part in
    engine) need "${engine[@]}" ;;
    look) need "${look[@]}" ;;
    page) want node nodejs; want npm npm ;;
    extras) need "${extras[@]}" ;;
    ranks) need "${ranks[@]}" ;;
    gtest) need "${gtest[@]}" ;;
    deb) need "${deb[@]}" ;;
    test) need "${test[@]}" "${deb[@]}"; want chromium chromium ;;
    *) echo "tools/install_deps.sh: '$part' is none of engine, look, page, extras, ranks, gtest, deb, test" >&2; exit 2 ;;
  esac
done
[ $((${#missing[@]} + ${#optional[@]})) -eq 0 ] && exit 0

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Scree needs these packages; install them as root: ${missing[*]} ${optional[*]}" >&2; exit 1; }
  sudo="sudo"
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
install() { $sudo apt-get install -y -qq --no-install-recommends "$@" >"$log" 2>&1; }
echo "installing packages (about a minute): ${missing[*]} ${optional[*]}"
$sudo apt-get update -qq >"$log" 2>&1 || { [ ${#missing[@]} -eq 0 ] || tail -n 20 "$log" >&2; }
if [ ${#missing[@]} -gt 0 ] && ! install "${missing[@]}"; then
  tail -n 20 "$log" >&2
  echo "apt-get failed; the full log is $log" >&2
  exit 1
fi
for package in ${optional[@]+"${optional[@]}"}; do
  install "$package" || echo "$package could not be installed: the viewer's page or its tests are left out" >&2
done
rm -f "$log"
