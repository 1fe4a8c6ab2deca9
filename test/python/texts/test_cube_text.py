"""AscendC text of cube kernels on the modelled chip: the tests of the instructions, with the text in the place of the IR."""

import importlib.util
from types import SimpleNamespace

import pytest

from repository import ROOT

torch = pytest.importorskip("torch")
core = pytest.importorskip("attn._core")


def _load_tests():
    path = ROOT / "test/python/simulator/test_cube.py"
    spec = importlib.util.spec_from_file_location("cube_instructions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


cube = _load_tests()
F16, BF16, F32, I8 = torch.float16, torch.bfloat16, torch.float32, torch.int8
CASES = {
    "nd_to_nz": lambda: cube.test_nd_to_nz_positions(F16, 37, 50, 48),
    "nd_to_nz-bytes": lambda: cube.test_nd_to_nz_positions(I8, 5, 33, 64),
    "row": lambda: cube.test_single_row_stays_a_row(F32),
    "load_fractals": lambda: cube.test_load_fractals(F32, "l0a", False),
    "load_fractals-transposed": lambda: cube.test_load_fractals(BF16, "l0b", True),
    "load_tile": lambda: cube.test_load_tile(F16, 32, 64, 80, "left"),
    "load_tile-bytes": lambda: cube.test_load_tile(I8, 48, 32, 48, "left"),
    "load_tile-transposed": lambda: cube.test_load_tile(F32, 32, 64, 80, "left turned"),
    "load_tile-right": lambda: cube.test_load_tile(BF16, 64, 96, 64, "right"),
    "load_squares": lambda: cube.test_load_squares(F16, "l0a"),
    "load_squares-floats": lambda: cube.test_load_squares(F32, "l0b"),
    "load_squares-bytes": lambda: cube.test_load_squares(I8, "l0b"),
    "mmad": lambda: cube.test_mmad_layouts(BF16, 37, 21, 45),
    "mmad-bytes": lambda: cube.test_mmad_layouts(I8, 48, 80, 64),
    "product": lambda: cube.test_product_of_matrices_in_arrays(F16, (False, False), 20, 50, 30),
    "product-turned": lambda: cube.test_product_of_matrices_in_arrays(F32, (True, True), 35, 32, 64),
    "bias": lambda: cube.test_bias(F16, True),
    "no-bias": lambda: cube.test_bias(I8, False),
    "narrowing": lambda: cube.test_narrowing(BF16, True),
    "narrowing-f16": lambda: cube.test_narrowing(F16, False),
    "scale": lambda: cube.test_scale_of_floats(1.7182818, True),
    "scale-integers": lambda: cube.test_scale_of_integers(I8),
    "scale-to-f16": lambda: cube.test_scale_of_integers(F16),
    "nz": lambda: cube.test_fractals_on_the_way_out(False),
    "nz-l1": lambda: cube.test_fractals_on_the_way_out(True),
}  # fmt: skip


def run_text(monkeypatch, kernel_form="attribute"):
    """Lets the tests of the instructions run text after the IR, and compares what the pipes are told."""
    texts = []

    def simulate(module, places, check_effects):
        del check_effects  # text has no interface to compare with
        chip = core.simulate(module, places, record=True)
        texts.append(module.emit_ascendc(kernel_form=kernel_form))
        report = core.simulate(module, places, stage="ascendc", text=texts[-1], record=True)
        assert [hazard["message"] for hazard in report["hazards"]] == []
        assert report["records"].difference(chip["records"]) == ""
        return report

    monkeypatch.setattr(cube, "core", SimpleNamespace(Module=core.Module, simulate=simulate))
    return texts


@pytest.mark.parametrize("name", CASES)
def test_text_computes_what_the_instructions_do(monkeypatch, name):
    texts = run_text(monkeypatch)
    CASES[name]()
    assert texts and all("__global__ __cube__ void kernel(" in text for text in texts)


def test_rows_of_a_part_of_an_array(monkeypatch):
    """Rows that are further apart than they are long; what is read of them is not kept in L2."""
    texts = run_text(monkeypatch)
    whole = cube.distinct(16, 48, F16)
    kernel = cube.Kernel(F16)
    form = kernel.amounts(rows=16, cols=16, src_pitch=48) + " dst_rows 16 bypass_l2"
    kernel.add("nd_to_nz", [kernel.memory("l1"), kernel.array(whole)], form)
    kernel.copy_fractals("l0a", 1)
    assert torch.equal(kernel.show("l0a", 1), whole[:, :16].reshape(-1))
    assert all("CACHE_MODE_DISABLE" in text for text in texts)


@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=cube.NAMES.get)
def test_fills(monkeypatch, dtype):
    """Five of sixteen rows in each of two column blocks."""
    run_text(monkeypatch)
    c0 = cube.per_block(dtype)
    matrix = cube.distinct(16, 2 * c0, dtype)
    kernel = cube.Kernel(dtype)
    kernel.nd_to_nz(matrix, 16)
    kernel.lines.append(f"%value = arith.constant 2.5 : {cube.NAMES[dtype]}")
    _, memory = place = kernel.memory("l1", offset=11 * 32)
    form = f"{kernel.amounts(repeat=2, blocks=5)} pitch 16 : {memory}, {cube.NAMES[dtype]}"
    kernel.lines += [f"ascend.fill {place[0]}, %value {form}", "ascend.barrier all"]
    kernel.copy_fractals("l0a", 2)
    matrix[11:] = 2.5
    expected = cube.place(matrix, cube.nz(16, c0), torch.zeros(32 * c0, dtype=dtype))
    assert torch.equal(kernel.show("l0a", 2), expected)


def test_products_that_add_up(monkeypatch):
    """The second product adds to the first."""
    run_text(monkeypatch)
    a, b = cube.small(32, 16, F16, 1), cube.small(16, 32, F16, 2)
    kernel = cube.Kernel(F16)
    cube.load_left(kernel, a, False, F16)
    cube.load_right(kernel, b, True, F16)
    kernel.mmad(32, 32, 16)
    kernel.mmad(32, 32, 16, init=False)
    result = torch.empty((32, 32))
    kernel.fix_out(result, 32)
    kernel.run()
    assert torch.equal(result, 2 * (a.float() @ b.float()))


def test_the_form_before_cann_8_5_computes_the_same(monkeypatch):
    texts = run_text(monkeypatch, "task-type")
    CASES["product"]()
    assert all("KERNEL_TYPE_AIC_ONLY" in text and "InitCubeState" in text for text in texts)
