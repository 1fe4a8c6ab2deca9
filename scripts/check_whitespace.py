#!/usr/bin/env python3
"""Finds trailing blanks, carriage returns and missing final newlines in text files; --fix mends them."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def repository_files():
    """Tracked files and those not yet added."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.split("\0") if name]


def tidy(text: str):
    text = re.sub(r"[ \t\r]+$", "", text, flags=re.MULTILINE)
    return text.rstrip("\n") + "\n" if text.strip() else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("files", nargs="*", type=Path, help="default: all files of the repository")
    options = parser.parse_args()
    bad = 0
    for file in options.files or repository_files():
        if not file.is_file() or file.is_symlink():
            continue
        data = file.read_bytes()
        if b"\0" in data:  # not text
            continue
        text = data.decode("utf-8", errors="surrogateescape")
        if text == tidy(text):
            continue
        bad += 1
        print(f"{file}: trailing whitespace or wrong end of file")
        if options.fix:
            file.write_bytes(tidy(text).encode("utf-8", errors="surrogateescape"))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
