"""The check that numbers of the chip are in Machine alone: it catches planted ones and lets other numbers be."""

import pytest

import check_numbers
from repository import ROOT


def test_this_repository_is_clean():
    assert check_numbers.check(ROOT) == []


@pytest.mark.parametrize("name, value", check_numbers.ALLOWED)
def test_every_exception_is_needed(monkeypatch, name, value):
    monkeypatch.delitem(check_numbers.ALLOWED, (name, value))
    found = [message for _, message in check_numbers.check_text(name, (ROOT / name).read_text())]
    assert any(f"the number {value};" in message for message in found)


@pytest.mark.parametrize(
    "file, text, value",
    [
        ("lib/Dialect/Ascend/Transforms/ExpandComposites.cpp", "constexpr int64_t lanes = 64;", 64),
        ("lib/Target/AscendC/VerifyEmission.cpp", "if (repeats > 255)", 255),
        ("lib/TileOnChip/BufferAssignment.cpp", "int64_t bytes = llvm::alignTo(size, 32);", 32),
        ("lib/TileOnChip/BufferAssignment.cpp", "return elements * 4 % 32 == 0;", 32),
        ("lib/Simulator/Model/Memory.cpp", "ByteMemory ub(196'608);", 196608),
        ("include/attn/Dialect/Tile/IR/Tile.h", "bool fits(int64_t rows) { return rows <= 4095; }", 4095),
        ("python/attn/call/layout.py", "MAX_GAP = 0xFFFF_FFFF", 0xFFFFFFFF),
        ("python/attn/ops/_pages.py", "_LINE_BYTES = 512", 512),
        ("python/attn/ops/_pages.py", "_MOST, _STEP, _REST = size, 16, 3", 16),
        ("python/attn/memory.py", "return -(-size // 32)", 32),
        ("python/launcher/Kernel.cpp", "if (blocks > 65535u)", 65535),
    ],
)
def test_planted_number_is_found(tmp_path, file, text, value):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(f"\n{text}\n")
    (violation,) = check_numbers.check(tmp_path)
    assert violation.startswith(f"{file}:2: has the number {value};")


@pytest.mark.parametrize(
    "file, text",
    [
        ("lib/Machine/Chip.cpp", "chip.maxRepeats = 255;"),
        ("include/attn/Simulator/AscendC/Device/kernel_operator.h", "ATTN_TWIN_RULE(stride <= 65535, 0)"),
        ("lib/Cpu/Transforms/PlaceBuffers.cpp", "constexpr int64_t bufferAlignmentBytes = 64;"),
        ("lib/Target/AscendC/Scalars.cpp", 'type.isSignlessInteger(32) && text == "255" // at most 4095'),
        ("lib/Simulator/Model/Numerics.cpp", "int biased = (bits >> 23) & 0xff;"),
        ("lib/Launch/Convention/Signature.cpp", "llvm::SmallVector<Value, 32> values;"),
        ("python/attn/compiler.py", '"""At most 65535."""\nDEPTH = 63  # not 255, nor 64'),
        ("python/attn/language.py", "MOST = 2**16\n@functools.lru_cache(maxsize=64)"),
    ],
)
def test_other_numbers_are_allowed(tmp_path, file, text):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert check_numbers.check(tmp_path) == []
