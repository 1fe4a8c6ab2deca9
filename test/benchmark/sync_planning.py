"""How long flags and barriers take to plan: nests of loops with slots, and long straight code.

The figures are the user time of `attn-opt` on a kernel written as ascend IR, without what it takes to start and to parse.
"""

import resource
import subprocess
import sys

from processes import ROOT, print_row

ATTN_OPT = ROOT / "build" / "bin" / "attn-opt"
BEFORE = ["--ascend-double-buffer", "--ascend-plan-memory", "--ascend-group-loads"]
PLANNING = ["--ascend-insert-sync", "--ascend-assign-events"]
NESTS = [(depth, slots, ids) for depth, slots in ((2, 2), (4, 2), (3, 8), (4, 8)) for ids in (6, 32)]
LENGTHS = (2048, 4096, 8192)
LIMIT = 1.0  # seconds
GROWTH = 3.0  # at most, from one length to the next, which is twice as long

HEAD = """
!gm = memref<?xf32, #ascend.space<gm>>
!ub = memref<64xf32, #ascend.space<ub>>
!array = memref<?x64xf32, strided<[?, 1]>, #ascend.space<gm>>
"""
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
"""


def load(buffer: str, place: str):
    return (
        f"ascend.copy_in {buffer}, {place} rows(%c1) length(%c64) src_pitch(%c64) dst_pitch 64 right_pad 0 : !ub, !gm"
    )


def store(place: str, buffer: str):
    return f"ascend.copy_out {place}, {buffer} rows(%c1) length(%c64) dst_pitch(%c64) src_pitch 64 : !gm, !ub"


def address(name: str, array: str, row: str):
    return f"{name} = ascend.address {array}[{row}, %c0] : !array -> !gm"


def nest(depth: int, slots: int, ids: int, loads: int = 4):
    """Loops in loops, each with a row and a sum of its own; the innermost loads several rows, each in so many slots."""
    lines = []
    for level in range(depth - 1):
        lines += [f'%row{level} = ascend.alloc "row{level}" : !ub', f'%sum{level} = ascend.alloc "sum{level}" : !ub']
    lines += [f'%in{number} = ascend.alloc "in{number}" : !ub' for number in range(loads)]
    for level in range(depth):
        lines.append(f"scf.for %i{level} = %c0 to %n{level} step %c1 {{")
        if level < depth - 1:
            lines.append(address(f"%from{level}", "%x", f"%i{level}"))
            lines.append(load(f"%row{level}", f"%from{level}"))
            lines.append(f"ascend.duplicate %sum{level}, %f count(%c64) : !ub, f32")
    for number in range(loads):
        lines.append(address(f"%at{number}", "%x", f"%i{depth - 1}"))
        lines.append(load(f"%in{number}", f"%at{number}"))
        lines.append(f"ascend.unary exp %in{number}, %in{number} count(%c64) : !ub, !ub")
        for level in range(depth - 1):
            lines.append(f"ascend.mul_add %sum{level}, %in{number}, %row{level} count(%c64) : !ub, !ub, !ub")
    lines.append(f"}} {{ascend.stages = {slots} : i64}}")
    for level in reversed(range(depth - 1)):
        lines += [address(f"%to{level}", "%y", f"%i{level}"), store(f"%to{level}", f"%sum{level}"), "}"]
    counts = ", ".join(f"%n{level}: index" for level in range(depth))
    return kernel(f"%x: !array, %y: !array, {counts}, %f: f32", lines, ids)


def straight(length: int):
    """So many instructions in a row, every other one a store to a row of its own."""
    lines = ['%a = ascend.alloc "a" : !ub']
    for row in range(length // 2):
        lines += [f"%r{row} = arith.constant {row} : index", f"%p{row} = arith.addi %n, %r{row} : index"]
        lines.append(address(f"%at{row}", "%y", f"%p{row}"))
        lines += ["ascend.duplicate %a, %f count(%c64) : !ub, f32", store(f"%at{row}", "%a")]
    return kernel("%y: !array, %n: index, %f: f32", lines, ids=6)


def kernel(arguments: str, lines: list, ids: int):
    target = f'#machine.target<"Ascend910B4", {{event_ids = {ids} : i64}}>'
    body = "\n".join(f"  {line}" for line in lines)
    return (
        f"{HEAD}module attributes {{machine.target = {target}}} {{\n"
        f"func.func @k({arguments}) attributes {{ascend.kernel}} {{{CONSTANTS}{body}\n  return\n}}\n}}\n"
    )


def user_seconds(passes: list, text: str):
    """User time of `attn-opt`; the best of three, as others use the machine too."""
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [ATTN_OPT, *passes, "-o", "/dev/null"]
        subprocess.run(command, input=text, text=True, check=True, stderr=subprocess.DEVNULL)
        taken.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(taken)


def planning_seconds(text: str):
    return max(0.0, user_seconds(BEFORE + PLANNING, text) - user_seconds(BEFORE, text))


def main():
    keep = True
    for depth, slots, ids in NESTS:
        name = f"{depth} loops, {slots} slots, {ids} ids"
        keep &= print_row(name, planning_seconds(nest(depth, slots, ids)), LIMIT)
    limit = LIMIT
    for length in LENGTHS:
        seconds = planning_seconds(straight(length))
        keep &= print_row(f"{length} in a row", seconds, limit)
        limit = min(LIMIT, GROWTH * seconds)
    return not keep


if __name__ == "__main__":
    sys.exit(main())
