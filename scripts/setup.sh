#!/usr/bin/env bash
# Brings a fresh Debian 12 machine to where the project builds: Debian packages, then .venv.
# Everything already in place is skipped, so it may run before every other command.
#
#   ATTN_SKIP_PACKAGES=1   do not look at Debian packages (the tools come from elsewhere)
#   PYTHON=...             the interpreter to make .venv with
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  clang-22 lld-22 clang-format-22 g++ libgomp1 python3-venv python3-dev
)
# Neither the build nor the tests need these, so users without root are not held up by them:
# faster rebuilds, `make lint`, and the sanitizer runtimes of the asan preset.
optional_packages=(ccache clang-tidy-22 libclang-rt-22-dev)
[[ $(id -u) -ne 0 ]] || packages+=("${optional_packages[@]}")

missing_packages() {
  local package status
  find_cmake >/dev/null || echo cmake
  find_ninja >/dev/null || echo ninja-build
  command -v git >/dev/null || echo git
  for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) || status=
    [[ $status == "install ok installed" ]] || echo "$package"
  done
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get -o DPkg::Lock::Timeout=300 update &&
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
}

ask_for_packages() {
  printf 'attn: error: %s\n' "$1"
  printf 'These Debian packages are missing:\n'
  printf '  %s\n' "${@:2}"
  printf 'Install them as root, then run the same command again:\n'
  printf '  apt-get update && apt-get install -y --no-install-recommends %s\n' "${*:2}"
  exit 1
} >&2

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  [[ $(id -u) -eq 0 ]] || ask_for_packages "installing packages needs root" "${missing[@]}"
  command -v apt-get >/dev/null || ask_for_packages "there is no apt-get here" "${missing[@]}"
  run_step build/setup-packages.log "installing ${#missing[@]} Debian packages: ${missing[*]}" \
    apt_install "${missing[@]}" || ask_for_packages "apt-get failed" "${missing[@]}"
}

# Interpreters to try, in order; only those new enough and able to make an environment.
python_candidates() {
  local candidate
  for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3 python3.{11,12,13,10}; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      "$candidate" -c 'import os, sys; print(os.path.realpath(sys.executable))'
    fi
  done | awk '!seen[$0]++'
}

# Modules are compiled when they are imported, which most of them never are.
install_requirements() {
  .venv/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off \
    --no-compile -r requirements.txt
}

# What .venv depends on. It does not survive a move of the clone, hence the path.
venv_key() { { cat requirements.txt && printf '%s\n' "$root"; } | sha256sum | cut -d ' ' -f 1; }

# Whether .venv is whole, and was made for this clone.
has_own_venv() {
  local site
  [[ -f .venv/.complete ]] || return 1
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || return 1
  grep -qxF "$root/python" "$site/attn.pth"
} 2>/dev/null

make_venv() {
  local key stamp=.venv/.complete python log=build/setup-python.log
  key=$(venv_key)
  if [[ -x .venv/bin/python && -f $stamp && $(<"$stamp") == "$key" ]]; then
    return
  fi
  # Other versions of some packages: PyTorch, which is large, stays where it is.
  if has_own_venv && run_step "$log" "updating Python packages" install_requirements; then
    printf '%s\n' "$key" >"$stamp"
    return
  fi
  # PyTorch has wheels for some interpreters only: try the next one when there is none for this.
  while read -r python; do
    say "making .venv with $python"
    rm -rf .venv
    "$python" -m venv .venv
    if run_step "$log" "installing Python packages (PyTorch is large)" install_requirements; then
      local site
      site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
      # attn and kernels_dsl are used from the source tree; the build puts attn._core there.
      printf '%s\n' "$root/python" "$root" >"$site/attn.pth"
      printf '%s\n' "$key" >"$stamp"
      return
    fi
    grep -q 'No matching distribution' "$log" || die "pip failed; the whole log is in $log"
  done < <(python_candidates)
  die "no Python >= 3.10 for which every package of requirements.txt is available;" \
    "install one and name it: PYTHON=python3.11 make setup"
}

mkdir -p build
# Two commands started at once take turns.
exec 9>build/.setup.lock
flock 9
[[ -n ${ATTN_SKIP_PACKAGES:-} ]] || install_packages
make_venv
