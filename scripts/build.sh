#!/usr/bin/env bash
# Configures (when needed) and builds one preset, whole or some targets of it:
#   build.sh [release|debug|asan|lint] [TARGET...]
# JOBS limits parallelism.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

preset=${1:-release}
targets=("${@:2}")
case $preset in
  release) build_dir=build ;;
  debug | asan | lint) build_dir=build-$preset ;;
  *) die "unknown preset '$preset'; known: release, debug, asan, lint" ;;
esac

cmake=$(find_cmake) || die "no CMake >= 3.22; run 'make setup'"
ninja=$(find_ninja) || die "no ninja; run 'make setup'"
arguments=(
  --preset "$preset"
  "-DCMAKE_MAKE_PROGRAM=$ninja"
  "-DPython3_EXECUTABLE=$root/.venv/bin/python"
  "-DPython_EXECUTABLE=$root/.venv/bin/python"
  "-Dpybind11_DIR=$(.venv/bin/python -m pybind11 --cmakedir)"
)
if command -v ccache >/dev/null; then
  arguments+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  # What ccache needs to be told to cache files that are compiled with the precompiled header.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
fi

# Ninja itself configures again when a CMakeLists.txt changes; this covers presets and arguments.
mkdir -p "$build_dir"
stamp=$build_dir/.configured
key=$({ cat CMakePresets.json && printf '%s\n' "$cmake" "${arguments[@]}"; } | sha256sum)
if [[ ! -f $build_dir/build.ninja || ! -f $stamp || $(<"$stamp") != "$key" ]]; then
  rm -rf "$build_dir/CMakeCache.txt" "$build_dir/CMakeFiles" "$stamp"
  run_step "$build_dir/configure.log" "configuring $build_dir" "$cmake" "${arguments[@]}"
  printf '%s\n' "$key" >"$stamp"
fi

say "building $build_dir"
NINJA_STATUS='[%f/%t, %e s] ' "$cmake" --build "$build_dir" ${targets[@]:+--target "${targets[@]}"} -- ${JOBS:+-j "$JOBS"}
