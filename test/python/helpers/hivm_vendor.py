"""What the vendor's tools say of HIVM text: bishengir-opt of ascendnpu-ir 1.2.0 and the bitcode of its templates."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from vendor import bishengir_templates, bishengir_tool

DEVICE = "--hacc-append-device-spec=target=Ascend910B4"
SYNC = ("set_flag", "wait_flag", "pipe_barrier", "sync_block_set", "sync_block_wait")


def bishengir_opt(text: str, *options: str):
    """What bishengir-opt makes of a text; its complaints fail the test."""
    done = subprocess.run([bishengir_tool("bishengir-opt"), "-", *options], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]
    return done.stdout


def pointer_casts(text: str):
    """How often each place is named; None for places that are computed. What holds nothing is left out."""
    found, numbers = Counter(), {}
    for name, value in re.findall(r"(%[\w.-]+) = (.*)", text):
        # Loops side by side may use the same names: the last definition counts.
        number = re.fullmatch(r"arith\.constant (-?\d+) : i64", value)
        numbers[name] = number[1] if number else None
        cast = re.match(r"hivm\.hir\.pointer_cast\((%[\w.-]+)\).*? : memref<([^,>]*)", value)
        if cast and not cast[2].startswith("0x"):
            found[numbers.get(cast[1])] += 1
    return found


def read_templates(unit: str, folder: Path):
    """The parameters of each template that kernels of vector cores (aiv) or cube cores (aic) may call."""
    disassembler = shutil.which("llvm-dis-22") or shutil.which("llvm-dis", path="/usr/lib/llvm-22/bin")
    target = folder / f"{unit}.ll"
    subprocess.run([disassembler, bishengir_templates(unit), "-o", target], check=True)
    known = {}
    with open(target) as lines:
        for line in lines:
            found = re.match(r"define [^(]*@_mlir_ciface_(\w+)\((.*)", line)
            if found:
                known[found[1]] = count_parameters(found[2])
    return known


def count_parameters(text: str):
    """The parameters of a function, from what follows its opening parenthesis."""
    depth, commas, empty = 1, 0, True
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            break
        commas += depth == 1 and character == ","
        empty = False
    return 0 if empty else commas + 1


def check_calls(converted: str, templates: dict):
    for called, parameters in re.findall(r"func\.func private @(\w+)\((.*?)\) attributes", converted):
        if called.startswith("copy_ubuf_to_ubuf"):
            continue  # 4 against 2 in the vendor's own output too
        assert called in templates, called
        count = len(re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", parameters))).split(","))
        assert count == templates[called], called


# What may be left of HIVM in both halves of a kernel after the vendor's last pass.
_LEFT = {
    *SYNC, "set_mask_norm", "set_ffts_base_addr", "pointer_cast", "get_block_idx", "get_block_num", "get_sub_block_idx",
}  # fmt: skip


def check_halves(text: str, name: str, folder: Path):
    """A kernel of cube and vector cores as bishengir-opt converts it: with our plan and flags, each call with a template
    of as many parameters, and nothing left over."""
    converted = bishengir_opt(text, DEVICE, "--convert-hivm-to-std")
    assert set(re.findall(r"hivm\.hir\.(\w+)", converted)) <= _LEFT
    for op in SYNC:
        # Events that are computed have other names.
        pattern = rf"hivm\.hir\.{op}\[(.*?)(?:, %[\w.-]+)?\](?: flag = (\d+))?"
        before, after = (re.findall(pattern, of) for of in (text, converted))
        assert before == after, op
    before, after = pointer_casts(text), pointer_casts(converted)
    before[None] -= (known := after - before).total()  # it computes some places that we leave to it
    assert before + known == after
    check_calls(converted, read_templates("aic", folder) | read_templates("aiv", folder))
    for half, core_type in ("aic", "AIC"), ("aiv", "AIV"):
        head = next(line for line in converted.splitlines() if f"@{name}_mix_{half}(" in line)
        assert f"#hivm.func_core_type<{core_type}>" in head and "hivm.part_of_mix" in head
    return converted
