#!/usr/bin/env bash
# Formats the C++ and Python files of the repository; with --check only says which ones differ.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

mode=(-i)
ruff_mode=()
if [[ ${1:-} == --check ]]; then
  mode=(--dry-run -Werror)
  ruff_mode=(--check)
fi
failed=0
.venv/bin/ruff format --quiet "${ruff_mode[@]}" . || failed=1
# Files not yet added count too; safe.directory lets root work in another user's clone.
git -c safe.directory='*' ls-files -z --cached --others --exclude-standard -- '*.h' '*.cpp' |
  while IFS= read -r -d '' file; do [[ -f $file ]] && printf '%s\0' "$file"; done |
  xargs -0 -r "$llvm_bin/clang-format" "${mode[@]}" --style=file || failed=1
exit "$failed"
