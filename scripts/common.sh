# shellcheck shell=bash
# Sourced by the other scripts: where things are, and how to speak.

# shellcheck disable=SC2034  # used by the scripts that source this file
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
llvm_bin=/usr/lib/llvm-22/bin

say() { printf 'attn: %s\n' "$*"; }
die() {
  printf 'attn: error: %s\n' "$*" >&2
  exit 1
}

# version_at_least HAVE WANT
version_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# The first CMake that works and is new enough for the presets. A command on PATH may be a
# launcher without a program to launch, so each candidate is run.
find_cmake() {
  local candidate version
  for candidate in cmake /usr/bin/cmake; do
    version=$("$candidate" --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p') || continue
    if [[ -n $version ]] && version_at_least "$version" 3.22; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

find_ninja() {
  local candidate
  for candidate in ninja /usr/bin/ninja; do
    if "$candidate" --version >/dev/null 2>&1; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

# run_step LOG TITLE COMMAND...: output goes to LOG; a line every 15 seconds shows that it lives,
# and the end of the log is printed when the command fails.
run_step() {
  local log=$1 title=$2 start=$SECONDS elapsed pid
  shift 2
  say "$title ..."
  "$@" >"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    elapsed=$((SECONDS - start))
    if ((elapsed > 0 && elapsed % 15 == 0)); then
      say "  $elapsed s: $(tail -n 1 "$log" | tr -d '\r' | cut -c 1-80)"
    fi
  done
  if ! wait "$pid"; then
    tail -n 30 "$log" >&2
    return 1
  fi
  say "  done in $((SECONDS - start)) s"
}
