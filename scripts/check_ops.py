#!/usr/bin/env python3
"""Checks that analyses and passes of the ascend dialect know an instruction only by its interface.

Files in FOLDERS may name the ops of STRUCTURE, which define what buffers, views, order and cores are, and ops of other
dialects. Any other op is an instruction, and stands for one way to ask what InstructionOpInterface should say.
EXPANSION lists the files whose purpose is to write one instruction as others.
"""

import argparse
import re
import sys
from pathlib import Path

FOLDERS = [f"{tree}/Dialect/Ascend/{part}" for tree in ("include/attn", "lib") for part in ("Analysis", "Transforms")]
EXPANSION = {
    f"lib/Dialect/Ascend/Transforms/{name}"
    for name in ("ExpandComposites.cpp", "MatmulExpansion.cpp", "MatmulExpansion.h", "SplitFarCopies.cpp")
}
STRUCTURE = {
    *("AddressOp", "LookupOp", "DimOp", "StrideOp", "ExpectDistinctOp"),  # arrays
    *("AllocOp", "SlotOp", "SliceOp"),  # buffers
    *("SetFlagOp", "WaitFlagOp", "BarrierOp", "SyncAllOp", "CrossSetOp", "CrossWaitOp"),  # order
    "SubBlockIdOp",  # cores
    "ModuleOp",
}
OTHER_DIALECTS = {"arith", "func", "memref", "scf"}
OP = re.compile(r"(?:(\w+)::)?\b([A-Z]\w*Op)\b(?!Interface)")
COMMENT = re.compile(r"//.*")


def check_file(file: Path):
    """Yields (line, message) for each instruction that `file` names."""
    template_names = set()
    for number, line in enumerate(file.read_text().splitlines(), 1):
        line = COMMENT.sub("", line)
        template_names |= set(re.findall(r"\btypename (\w+)", line))
        for dialect, name in OP.findall(line):
            if name not in STRUCTURE | template_names and dialect not in OTHER_DIALECTS:
                yield number, f"names the instruction {name}; ask InstructionOpInterface instead"


def check(root: Path):
    """All violations below `root`, as lines `file:line: message`."""
    found = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            name = file.relative_to(root).as_posix()
            if file.suffix in (".h", ".cpp") and name not in EXPANSION:
                found += [f"{name}:{line}: {message}" for line, message in check_file(file)]
    return list(dict.fromkeys(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    violations = check(parser.parse_args().root)
    print("\n".join(violations) if violations else "instructions by their interface: no violations")
    return bool(violations)


if __name__ == "__main__":
    sys.exit(main())
