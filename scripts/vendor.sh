#!/usr/bin/env bash
# Fetches the vendor's packages that check us, each into a folder of its own below .vendor: installed into .venv,
# torch-npu breaks `import torch`. The product never needs them. A package that cannot be had is reported here and
# leaves no folder; its tests then say why they are skipped (test/python/helpers/vendor.py).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# fetch NAME VERSION: a folder appears only when it is whole, so a killed run leaves nothing that looks ready.
fetch() {
  local name=$1 version=$2 folder=.vendor/$1-$2 part
  [[ ! -d $folder ]] || return 0
  part=$(mktemp -d ".vendor/.$name.XXXXXX")
  if run_step "build/vendor-$name.log" "fetching $name $version" \
    .venv/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off \
    --no-compile --no-deps --target "$part" "$name==$version"; then
    mv -T "$part" "$folder"
  else
    rm -rf "$part"
    say "  $name $version cannot be had here; the whole log is in build/vendor-$name.log"
  fi
}

mkdir -p build .vendor
# Two commands started at once take turns.
exec 9>build/.vendor.lock
flock 9
fetch ascendnpu-ir 1.2.0
fetch torch-npu 2.13.0
