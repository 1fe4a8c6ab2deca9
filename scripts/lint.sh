#!/usr/bin/env bash
# The static checks of the repository, and clang-tidy over every file that the release build compiles.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

failed=0
scripts/format.sh --check || failed=1
.venv/bin/ruff check --quiet . || failed=1
.venv/bin/mypy || failed=1
.venv/bin/python scripts/check_includes.py || failed=1
.venv/bin/python scripts/check_ops.py || failed=1
.venv/bin/python scripts/check_numbers.py || failed=1
.venv/bin/python scripts/check_whitespace.py || failed=1
.venv/bin/python scripts/check_words.py || failed=1
if command -v shellcheck >/dev/null; then
  shellcheck -x scripts/*.sh .ci/run || failed=1
fi
# Several files of a library at a time, as the release build compiles them: what all of them include takes most of the time.
# Unused using declarations are seen in files by themselves only, as editors look at them (the preset `lint`).
scripts/build.sh release attn-headers attn-pch
"$llvm_bin/run-clang-tidy" -quiet -p build -clang-tidy-binary "$llvm_bin/clang-tidy" ${JOBS:+-j "$JOBS"} \
  -header-filter "^$root/(include/attn|lib|tools|python)/.*\.(h|cpp)\$" "$root/(build/)?(lib|tools|python)/" || failed=1
exit "$failed"
