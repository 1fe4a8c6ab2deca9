"""Kernels with phases: what blocks accumulate is summed up in a fixed order, whatever runs them."""

import json

import pytest
import torch

import attn
import attn.language as at
from attn import _core, _host, compiler
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd

pytestmark = pytest.mark.optimized

COLUMNS = 192
SUM_ROWS = f"""
func.func @sum_rows(%X: !tile.array<?x{COLUMNS}xf32> {{launch.dims = ["T", {COLUMNS}]}},
                    %Y: !tile.array<{COLUMNS}xf32> {{launch.dims = [{COLUMNS}], launch.output}},
                    %G: !tile.array<?x{COLUMNS}xf32> {{launch.dims = ["@blocks", {COLUMNS}], launch.workspace}})
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
    assert module.workspaces == [(["@blocks", COLUMNS], "f32")]
    module.run("attn-cpu")
    description, code = _core.jit_compile(module)
    kernel = _host.Kernel(json.loads(description), code)

    def run(rows, threads: int):
        result, one = torch.full((COLUMNS,), torch.nan), torch.empty(1, COLUMNS)
        blocks = kernel.count_blocks([native(rows), native(result), native(one)], threads)
        workspace = torch.full((blocks, COLUMNS), torch.nan)
        arrays = rows, result, workspace
        launch = kernel.prepare([native(array) for array in arrays])
        launch.run([array.data_ptr() for array in arrays], [], threads)
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


def on_chip(rows, phases: str, soc: str = "Ascend910B4"):
    """The sum of the rows on the modelled chip, and the report."""
    module = compiler.parse(SUM_ROWS, soc)
    module.run(f"attn-tile{{phases={phases}}}")
    module.run("attn-ascend")
    result = torch.full((COLUMNS,), torch.nan)
    report = _core.simulate(module, [native(rows), native(result)])
    assert not report["hazards"]
    return result, report


@pytest.mark.parametrize("count", [1, 64, 1000, 5003])
def test_barrier_and_launches_agree(count):
    rows = torch.randn(count, COLUMNS)
    (result, met), (other, launched) = (on_chip(rows, phases) for phases in ("barrier", "launches"))
    assert torch.allclose(result.double(), rows.double().sum(0), atol=1e-5 * count**0.5)
    assert torch.equal(result, other)
    assert met["gm_bytes_read"] == launched["gm_bytes_read"]
    # A second launch takes 6 us, a meeting 1.5.
    assert 3 < launched["time_us"] - met["time_us"] < 6


def test_without_the_meeting_there_is_a_race():
    module = compiler.parse(SUM_ROWS, "Ascend910B4")
    module.run("attn-tile")
    module.run("attn-ascend")
    text = str(module)
    assert text.count("ascend.sync_all") == 1
    alone = compiler.parse(text.replace("ascend.sync_all", "ascend.barrier all"), None)
    rows, result = torch.randn(500, COLUMNS), torch.empty(COLUMNS)
    report = _core.simulate(alone, [native(rows), native(result)])
    assert "race" in [hazard["kind"] for hazard in report["hazards"]]


def test_every_run_gives_the_same_bits():
    rows = torch.randn(3001, COLUMNS)
    assert torch.equal(on_chip(rows, "barrier")[0], on_chip(rows, "barrier")[0])


def test_no_more_blocks_than_cores_meet():
    rows = torch.randn(70000, COLUMNS)
    result, report = on_chip(rows[:2000], "barrier", "Ascend910B4:vector_cores=7")
    assert report["blocks"] == 7
    assert torch.allclose(result.double(), rows[:2000].double().sum(0), atol=1e-3)


def backward_arguments(columns: int = 2048, tokens: int = 5):
    """Arguments of the backward of attention residual."""
    V, dh = torch.randn(3, tokens, columns), torch.randn(tokens, columns)
    wq, wn = torch.randn(columns) * columns**-0.5, torch.randn(columns)
    return dh, V, wq, wn, *attn_res_fwd(V, wq, wn, 1e-6)


@pytest.mark.parametrize("ub_bytes, fate", [
    (32768, "'G' is spilled to a workspace in global memory"),
    (8192, "'g' is spilled to a workspace in global memory"),
])  # fmt: skip
def test_accumulation_in_strips(ub_bytes, fate):
    """Rows too long for local memory: what is summed up over the tokens is kept whole, or spilled."""
    arguments, soc = backward_arguments(), f"Ascend910B4:ub_bytes={ub_bytes}"
    simulated = attn.simulate(attn_res_bwd, *arguments, soc=soc)
    assert not simulated.report.hazards
    for result, expected in zip(simulated.outputs, attn_res_bwd(*arguments)):
        assert torch.allclose(result, expected, rtol=1e-5, atol=1e-5 * expected.abs().max())
    assert fate in [remark.message for remark in compile_backward(soc).remarks]


def compile_backward(soc: str = "Ascend910B4", **options):
    row, column, table = at.spec("2048", at.f32), at.spec("?", at.f32), at.spec("? ?", at.f32)
    rows, cube = at.spec("? 2048", at.f32), at.spec("? ? 2048", at.f32)
    specs = dict(dh=rows, V=cube, wq=row, wn=row, h=rows, lse=column, sc=table, rs=table)
    artefact = attn_res_bwd.compile(soc=soc, **specs, **options)
    artefact.ir("tile")
    return artefact


def test_strips_that_are_asked_for():
    arguments = backward_arguments()
    simulated = attn.simulate(attn_res_bwd, *arguments, strips=512)
    assert not simulated.report.hazards
    for result, expected in zip(simulated.outputs, attn_res_bwd(*arguments)):
        assert torch.allclose(result, expected, rtol=1e-5, atol=1e-5 * expected.abs().max())
    said = [remark.message for remark in compile_backward(strips=512).remarks]
    assert any("strips of 512 columns" in message for message in said)
    assert all(other.choice["strips"] == "512" for other in compile_backward(strips=512).alternatives)
    with pytest.raises(ValueError, match="^strips: a multiple of 64 up to"):
        compile_backward(strips=100)


def test_alternatives_are_a_table():
    artefact = compile_backward()
    table = artefact.alternatives
    assert len(table) > 1 and all(row.bytes["UB"] > 0 and row.cycles > 0 and row.moved > 0 for row in table)
    assert table.taken.choice["BT"] == str(artefact.sizes["BT"])
    assert [row.taken for row in table].count(True) == 1 and all(row.taken or row.refused for row in table)
    lines = str(table).splitlines()
    assert lines[0].startswith("alternatives, estimated for N = 8, blocks = 8, 256 rows of the grid")
    assert [line.startswith("->") for line in lines[2:]] == [row.taken for row in table]
    assert lines[1].split() == ["BT", *"grid stages loop stages strips bytes of UB cycles bytes moved verdict".split()]


@attn.kernel
def sum_by_classes(X: at.Tensor["T D"], step: int, BT: at.Auto(1, 64)):
    S = at.empty("D", at.f32)
    G = at.scratch("D", at.f32)
    for c, i in at.grid(at.minimum(step, T), at.tiles(at.cdiv(T, step), BT)):
        t = i.clip(at.cdiv(T - c, step)).map(c, step)
        at.accumulate(G, at.sum(X[t, :] + 1.0, 0))
    at.phase()
    for d in at.grid(at.tiles(D, 16)):
        S[d] = G[d]
    return S


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_tiles_without_rows_add_nothing(rows):
    """Of five rows one class has three and the other two: its last tile may have none."""
    X = torch.randn(5, 16, generator=torch.Generator().manual_seed(0))
    attn.verify(sum_by_classes, X, 2, BT=rows, reference=lambda X, _: (X + 1).sum(0)).check()
