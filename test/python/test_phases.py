"""Kernels with phases: what blocks accumulate is summed up in a fixed order, whatever runs them."""

import pytest
import torch
from attn import _core, compiler

COLUMNS = 192
SUM_ROWS = f"""
func.func @sum_rows(%X: !tile.array<?x{COLUMNS}xf32> {{launch.dims = ["T", {COLUMNS}]}},
                    %Y: !tile.array<{COLUMNS}xf32> {{launch.dims = [{COLUMNS}], launch.output}},
                    %G: !tile.array<?x{COLUMNS}xf32> {{launch.dims = ["@blocks", {COLUMNS}], launch.scratch}})
    attributes {{tile.kernel, tile.symbols = {{BT = #tile.auto<1, 64>}}}} {{
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %columns = arith.constant {COLUMNS // 64} : index
  %width = arith.constant 64 : index
  %T = tile.dim %X, 0 : !tile.array<?x{COLUMNS}xf32>
  tile.grid (%t) in (%T by BT) {{
    %x = tile.load %X[%t span, :] : (!tile.array<?x{COLUMNS}xf32>, !tile.span<BT>) -> !tile.tile<BT x {COLUMNS} x f32>
    %g = tile.reduce sum %x axis 0 : !tile.tile<BT x {COLUMNS} x f32> -> !tile.tile<1 x {COLUMNS} x f32>
    tile.accumulate %g, %G : !tile.tile<1 x {COLUMNS} x f32>, !tile.array<?x{COLUMNS}xf32>
  }}
  tile.phase
  %blocks = tile.dim %G, 0 : !tile.array<?x{COLUMNS}xf32>
  tile.grid (%d) in (%columns) {{
    %first = arith.muli %d, %width : index
    %start = tile.splat %none : f32 -> !tile.tile<1 x 64 x f32>
    %sum = tile.range %b = %zero to %blocks iter(%carried = %start : !tile.tile<1 x 64 x f32>) stages 2 {{
      %part = tile.load %G[%b, %first:64] : (!tile.array<?x{COLUMNS}xf32>, index, index) -> !tile.tile<1 x 64 x f32>
      %next = tile.add %carried, %part : !tile.tile<1 x 64 x f32>, !tile.tile<1 x 64 x f32> -> !tile.tile<1 x 64 x f32>
      tile.yield %next : !tile.tile<1 x 64 x f32>
    }}
    tile.store %sum, %Y[%first:64] : (!tile.tile<1 x 64 x f32>, !tile.array<{COLUMNS}xf32>, index) -> ()
  }}
  return
}}
"""


def native(tensor):
    return tensor.data_ptr(), tuple(tensor.shape), tensor.stride()


@pytest.fixture(scope="module")
def on_host():
    """Sums rows on the CPU with a number of threads."""
    module = compiler.fit_for_host(SUM_ROWS, {})
    assert module.scratch == [(["@blocks", COLUMNS], "f32")]
    module.run("attn-cpu")
    kernel = _core.jit_compile(module)

    def run(rows, threads: int):
        result, one = torch.full((COLUMNS,), torch.nan), torch.empty(1, COLUMNS)
        blocks = kernel.count_blocks([native(rows), native(result), native(one)], threads)
        workspace = torch.full((blocks, COLUMNS), torch.nan)
        kernel.run([native(rows), native(result), native(workspace)], threads)
        return result

    return run


@pytest.mark.parametrize("count", [1, 7, 64, 1000, 5003])
def test_sum_on_the_host(on_host, count):
    rows = torch.randn(count, COLUMNS)
    result = on_host(rows, 2)
    assert torch.allclose(result.double(), rows.double().sum(0), atol=1e-5 * count**0.5)


@pytest.mark.parametrize("count", [64, 5003])
def test_bits_do_not_depend_on_threads(on_host, count):
    rows = torch.randn(count, COLUMNS)
    results = [on_host(rows, threads) for threads in (1, 2, 2, 3, 8)]
    assert all(torch.equal(result, results[0]) for result in results)
