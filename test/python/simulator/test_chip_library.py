"""The modelled chip through its C interface (include/attn/Simulator/AscendC/attn_chip.h), as a runtime calls it."""

import ctypes
import struct

import pytest
import torch

import attn.language as at
from attn import _core
from changed_text import LINE_OF_PRODUCT, scale
from repository import ROOT

LIBRARY = ROOT / "build" / "lib" / "libattn_chip.so"
OK, INVALID, HAZARD = 0, 1, 2
# Addresses of the device are not those of this process.
BASE = 0x12_3400_0000


class Region(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("data", ctypes.c_void_p)]


class Launch(ctypes.Structure):
    _fields_ = [
        ("soc", ctypes.c_char_p), ("blocks", ctypes.c_uint32), ("arguments", ctypes.c_char_p),
        ("argument_bytes", ctypes.c_size_t), ("regions", ctypes.POINTER(Region)), ("region_count", ctypes.c_size_t),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def chip():
    library = ctypes.CDLL(str(LIBRARY))
    library.attn_chip_open.restype = library.attn_chip_find.restype = ctypes.c_void_p
    library.attn_chip_find.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    library.attn_chip_argument_bytes.restype = ctypes.c_size_t
    library.attn_chip_argument_bytes.argtypes = [ctypes.c_void_p]
    library.attn_chip_run.argtypes = [ctypes.c_void_p] * 4
    library.attn_chip_close.argtypes = library.attn_chip_free.argtypes = [ctypes.c_void_p]
    return library


@pytest.fixture(scope="module")
def text():
    return scale.compile(X=at.spec("? 64", at.f32)).ascendc


@pytest.fixture(scope="module")
def kernel(chip, text, tmp_path_factory):
    path = tmp_path_factory.mktemp("twin") / "scale.so"
    _core.compile_text(text, str(path))
    library = chip.attn_chip_open(str(path).encode(), None)
    assert library
    found = chip.attn_chip_find(library, b"scale", None)
    assert found
    yield found
    chip.attn_chip_close(library)


def take(chip, message):
    """The text of a message, which is freed."""
    text = ctypes.string_at(message.value).decode() if message.value else ""
    chip.attn_chip_free(message)
    return text


def block_of_arguments(x_stride=64, tokens=5):
    """X, Y, T, X_stride0, Y_stride0, s: pointers, sizes, strides, then scalars, each at its own alignment."""
    return struct.pack("<QQqqqf", BASE, BASE + 4096, tokens, x_stride, 64, 3.0)


def run(chip, kernel, arguments, blocks=1, soc=None):
    """Runs `scale` on 5 rows at BASE; returns status, message, result and predicted time."""
    x, y = torch.arange(320.0).view(5, 64), torch.full((5, 64), torch.nan)
    regions = (Region * 2)(Region(BASE, x.nbytes, x.data_ptr()), Region(BASE + 4096, y.nbytes, y.data_ptr()))
    launch = Launch(soc, blocks, arguments, len(arguments), regions, 2)
    message, time = ctypes.c_void_p(), ctypes.c_double()
    status = chip.attn_chip_run(kernel, ctypes.byref(launch), ctypes.byref(time), ctypes.byref(message))
    return status, take(chip, message), x, y, time.value


def test_a_launch(chip, kernel):
    assert chip.attn_chip_argument_bytes(kernel) == len(block_of_arguments())
    for blocks in (1, 3):
        status, message, x, y, time = run(chip, kernel, block_of_arguments(), blocks)
        assert (status, message) == (OK, "") and torch.equal(y, 3 * x) and time > 0
    # The end may be rounded up.
    assert run(chip, kernel, block_of_arguments() + bytes(4))[0] == OK


def test_hazards_are_told_at_their_lines(chip, kernel):
    status, message, *_ = run(chip, kernel, block_of_arguments(tokens=9))
    assert status == HAZARD and message.startswith(
        f"{scale._function.__code__.co_filename}:{LINE_OF_PRODUCT}: error: out of bounds: copy_in moves 9 rows"
    )


def test_impossible_launches(chip, kernel):
    status, message, *_ = run(chip, kernel, block_of_arguments()[:-4])
    assert status == INVALID and message == "error: the kernel takes 44 bytes of arguments, not 40"
    status, message, *_ = run(chip, kernel, block_of_arguments(), soc=b"Ascend999")
    assert status == INVALID and "Ascend999" in message
    status, message, *_ = run(chip, kernel, block_of_arguments(), blocks=0)
    assert status == HAZARD and "the grid has 0 blocks" in message


def test_what_cannot_be_opened_or_found(chip, tmp_path, text):
    message = ctypes.c_void_p()
    assert chip.attn_chip_open(str(tmp_path / "none.so").encode(), ctypes.byref(message)) is None
    assert "cannot open the compiled text" in take(chip, message)
    _core.compile_text(text.replace("__vector__", "__mix__(1, 1)"), str(tmp_path / "mixed.so"))
    library = chip.attn_chip_open(str(tmp_path / "mixed.so").encode(), None)
    message = ctypes.c_void_p()
    assert chip.attn_chip_find(library, b"other", ctypes.byref(message)) is None
    assert take(chip, message) == "the compiled text has no kernel 'other'"
    message = ctypes.c_void_p()
    assert chip.attn_chip_find(library, b"scale", ctypes.byref(message)) is None
    assert "is of the kind __mix__(1, 1); the twin runs __vector__, __cube__, __mix__(0, 1) and __mix__(1, 2)" in take(
        chip, message
    )
    chip.attn_chip_close(library)
