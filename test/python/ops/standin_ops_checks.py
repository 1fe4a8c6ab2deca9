"""The operators on NPU tensors, under the real torch_npu on the stand-in: values and gradients of many shapes.

Each case is held against float64 with the bounds of the CPU tests, the CPU path as well, and bit for bit against the
chip IR on the simulator. Cases share kernels where they can: one serves every number of tokens, blocks and heads.
"""

import pytest
import test_ops_attn_res as attn_res
import test_ops_neighborhood as neighborhood
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import attn.ops
import stages
import standin
from attn.ops import _dispatch, attention_residual
from attn.ops import neighborhood as neighborhood_ops
from standin import to_npu

acl = standin.start()
F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16
LITTLE_MEMORY = 130_000
"""So many bytes that copies of the smaller cases are made in parts, whose gradients of weights are added."""


# Tensors and where they are


def run_attn_res(V, w_query, w_norm, g, eps=attn_res.EPS, **options):
    """As the function of the CPU tests, on the NPU; the results are on the CPU again."""
    stacked = isinstance(V, torch.Tensor)
    leaves = [to_npu(tensor).requires_grad_() for tensor in (*([V] if stacked else V), w_query, w_norm)]
    h = attn.ops.attn_res(leaves[0] if stacked else leaves[:-2], *leaves[-2:], eps, **options)
    *d_blocks, d_query, d_norm = (gradient.cpu() for gradient in torch.autograd.grad(h, leaves, to_npu(g)))
    assert h.device.type == "npu"
    d_values = d_blocks[0] if stacked else torch.stack(d_blocks)
    return {"h": h.detach().cpu(), "dV": d_values, "dw_query": d_query, "dw_norm": d_norm}


def run_neighborhood(q, k, v, g, g_lse=None, **options):
    leaves = [to_npu(tensor).requires_grad_() for tensor in (q, k, v)]
    o, lse = attn.ops.neighborhood_attention(*leaves, return_lse=True, **options)
    outputs, gradients = ([o], [to_npu(g)]) if g_lse is None else ([o, lse], [to_npu(g), to_npu(g_lse)])
    dq, dk, dv = (gradient.cpu() for gradient in torch.autograd.grad(outputs, leaves, gradients))
    assert o.device.type == lse.device.type == "npu"
    return {"o": o.detach().cpu(), "lse": lse.detach().cpu(), "dq": dq, "dk": dk, "dv": dv}


RUNS = {attn_res: run_attn_res, neighborhood: run_neighborhood}


def compare_case(tests, *arguments, **options):
    """Compares one case on the NPU, on the CPU and on the simulator."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tests, "run", RUNS[tests])
        results = tests.check(*arguments, **options)
    tests.check(*arguments, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_dispatch, "run", stages.Chip().run)
        only_run = {name: value for name, value in options.items() if name not in ("cancels", "extreme")}
        tests.assert_same(results, tests.run(*arguments, **only_run))


# The cases


def _swapped_in_memory(tensor, first, second):
    """The same values, with two dims in the other order in memory."""
    return tensor.transpose(first, second).contiguous().transpose(first, second)


ATTN_RES = {
    "one token": lambda: attn_res.draw((3, 1, 64)),
    "one block": lambda: attn_res.draw((1, 5, 64)),
    "tail of rows": lambda: attn_res.draw((3, 67, 64)),
    "many blocks": lambda: attn_res.draw((12, 9, 64)),
    "two dims of tokens": lambda: attn_res.draw((3, 2, 19, 64)),
    "tokens transposed": lambda: _change_values((3, 6, 10, 64), lambda V: _swapped_in_memory(V, 1, 2)),
    "slice of tokens": lambda: _change_values((3, 20, 64), lambda V: torch.cat([V, V], 1)[:, 3:23]),
    "wider rows": lambda: _change_values((3, 20, 64), lambda V: torch.cat([V, V], -1)[..., 5:69]),
    "blocks innermost": lambda: _change_values((3, 20, 64), lambda V: _swapped_in_memory(V, 0, 1)),
    "elements apart": lambda: _change_values((3, 20, 64), lambda V: torch.stack([V, V], -1)[..., 0]),
    "gradient expanded": lambda: (*attn_res.draw((3, 20, 64))[:3], torch.tensor(0.5).expand(20, 64)),
    "resident": lambda: attn_res.draw((4, 3, 1024), F16),
    "resident, fewer blocks": lambda: attn_res.draw((3, 9, 1024), F16),
    "list": lambda: _as_list((2, 33, 40)),
    "longer list": lambda: _as_list((7, 2, 5, 40)),
    "list of slices": lambda: _as_list((3, 12, 40), lambda block: torch.cat([block, block], -1)[:, 7:47]),
}  # fmt: skip


def _change_values(shape, change):
    V, *others = attn_res.draw(shape)
    return change(V), *others


def _as_list(shape, change=lambda block: block):
    V, *others = attn_res.draw(shape, BF16)
    return [change(block) for block in V], *others


NEIGHBORHOOD = {
    "one position": lambda: (neighborhood.draw((1, 1, 1, 32)), {}),
    "heads": lambda: (neighborhood.draw((2, 3, 17, 32)), {}),
    "tail of rows": lambda: (neighborhood.draw((1, 2, 70, 32)), {}),
    "positions before heads": lambda: (_change_all((2, 3, 17, 32), lambda t: _swapped_in_memory(t, 1, 2)), {}),
    "wider rows": lambda: (_change_all((1, 2, 20, 32), lambda t: torch.cat([t, t], -1)[..., 3:35]), {}),
    "elements apart": lambda: (_change_all((1, 2, 20, 32), lambda t: torch.stack([t, t], -1)[..., 1]), {}),
    "gradient of lse": lambda: ([*neighborhood.draw((1, 2, 20, 32)), torch.randn(1, 2, 20)], {}),
    "dilated": lambda: (neighborhood.draw((1, 2, 24, 64), F16), {"dilation": 2}),
    "more dilated": lambda: (neighborhood.draw((2, 1, 40, 64), F16), {"dilation": 3}),
    "dilated slices": lambda: (
        _change_all((1, 2, 24, 64), lambda t: torch.cat([t, t], 2)[:, :, 5:29], F16), {"dilation": 2},
    ),
}  # fmt: skip


def _change_all(shape, change, dtype=F32):
    return [change(tensor) for tensor in neighborhood.draw(shape, dtype)]


def check_attn_res_cases():
    return _check_cases(ATTN_RES, lambda arguments: compare_case(attn_res, *arguments))


def check_neighborhood_cases():
    return _check_cases(NEIGHBORHOOD, lambda case: compare_case(neighborhood, *case[0], kernel_size=3, **case[1]))


def _check_cases(cases, check):
    """All cases, every other one on a stream of its own; returns their names."""
    for number, (name, make) in enumerate(cases.items()):
        try:
            with torch.npu.stream(torch.npu.Stream() if number % 2 else torch.npu.current_stream()):
                check(make())
        except Exception as problem:
            raise AssertionError(f"case '{name}'") from problem
    return list(cases)


def check_parts_add_up():
    """Copies that exceed the memory are made in parts, each with its launch."""
    before = standin.count("aclrtLaunchKernelWithHostArgs")
    with attn.memory_limit(LITTLE_MEMORY):
        compare_case(attn_res, *ATTN_RES["elements apart"]())
    assert standin.count("aclrtLaunchKernelWithHostArgs") > before + 2


def check_gradients_are_accumulated():
    """By autograd, in leaves: two backwards add up."""
    V, w_query, w_norm, g = attn_res.draw((3, 20, 64))
    leaf = to_npu(V).requires_grad_()
    for _ in range(2):
        attn.ops.attn_res(leaf, to_npu(w_query), to_npu(w_norm)).backward(to_npu(g))
    once = run_attn_res(V, w_query, w_norm, g)["dV"]
    assert leaf.grad.cpu().equal(once + once)


def check_blocks_that_meet_start_together():
    """The blocks of the backward wait for each other: it is launched with the schedule mode for that."""
    V, w_query, w_norm, g = map(to_npu, attn_res.draw((3, 67, 64)))
    h = attn.ops.attn_res(V.requires_grad_(), w_query.requires_grad_(), w_norm)
    torch.npu.synchronize()
    assert acl.attn_standin_last_kernel() == b"attn_res_fwd" and acl.attn_standin_last_schedule_mode() == 0
    h.backward(g)
    torch.npu.synchronize()
    assert acl.attn_standin_last_kernel() == b"attn_res_bwd" and acl.attn_standin_last_schedule_mode() == 1


def check_no_tokens():
    V, w_query, w_norm, g = attn_res.draw((3, 0, 64))
    results = run_attn_res(V, w_query, w_norm, g)
    assert results["h"].shape == (0, 64) and results["dw_query"].equal(torch.zeros(64))


def check_streams_of_operators():
    """Forward on one stream, the same on another at once, and the sum of both after an event."""
    inputs = [attn_res.draw((3, 67, 64), seed=seed) for seed in (1, 2)]
    streams, results = [torch.npu.Stream() for _ in inputs], []
    for stream, (V, w_query, w_norm, _) in zip(streams, inputs):
        with torch.npu.stream(stream):
            results.append(attn.ops.attn_res(to_npu(V), to_npu(w_query), to_npu(w_norm)))
    for stream in streams:
        torch.npu.current_stream().wait_stream(stream)
    total = (results[0] + results[1]).cpu()
    alone = [run_attn_res(*given)["h"] for given in inputs]
    assert total.equal(alone[0] + alone[1])


def _compare_compiled(program, leaves, backend, dynamic: bool):
    """Result and gradients of a program on the NPU as a compiled graph, bit for bit against the program itself."""
    torch._dynamo.reset()
    compiled = torch.compile(program, fullgraph=True, backend=backend, dynamic=dynamic)
    results = []
    for function in (compiled, program):
        output = function(*leaves)
        results.append([output, *torch.autograd.grad(output, leaves, output.detach())])
    for result, expected in zip(*results, strict=True):
        assert result.device.type == "npu" and result.stride() == expected.stride()
        assert result.cpu().equal(expected.cpu())


def _double_attn_res(V, first, second, w_query, w_norm):
    from_list = attn.ops.attn_res([first * 2, second], w_query, w_norm)
    return from_list + attn.ops.attn_res(V, w_query, w_norm)


def _windowed(q, k, v):
    return attn.ops.neighborhood_attention(q, k, v, kernel_size=3) * 2


def check_compiled_graphs():
    """torch.compile without inductor, which has no NPU: the whole program is one graph, also with sizes left open."""
    V, w_query, w_norm, g = attn_res.draw((3, 2, 10, 64))
    attn_res_leaves = [to_npu(tensor).requires_grad_() for tensor in (V, g, g + 1, w_query, w_norm)]
    windows = [to_npu(_swapped_in_memory(t, 1, 2)).requires_grad_() for t in neighborhood.draw((2, 3, 17, 32))[:3]]
    for backend, dynamic in (("eager", False), ("aot_eager", False), ("aot_eager", True)):
        _compare_compiled(_double_attn_res, attn_res_leaves, backend, dynamic)
        _compare_compiled(_windowed, windows, backend, dynamic)


def check_compiled_graphs_have_our_operators():
    """One graph serves other sizes, and our operators are in it as themselves."""
    graphs = []

    def backend(graph, _):
        graphs.append([str(node.target) for node in graph.graph.nodes if node.op == "call_function"])
        return graph.forward

    torch._dynamo.reset()
    compiled = torch.compile(attn.ops.attn_res, fullgraph=True, backend=backend, dynamic=True)
    for tokens in (5, 20, 33):
        V, w_query, w_norm = map(to_npu, attn_res.draw((3, tokens, 64))[:3])
        assert compiled(V, w_query, w_norm).cpu().equal(attn.ops.attn_res(V, w_query, w_norm).cpu())
    assert len(graphs) == 1 and any("attn.attn_res" in target for target in graphs[0]), graphs


def check_host_time_of_operators():
    """Microseconds of host time for a forward of each operator, by the median."""
    V, w_query, w_norm, _ = map(to_npu, attn_res.draw((3, 20, 64)))
    q, k, v, _ = map(to_npu, neighborhood.draw((1, 2, 20, 32)))
    return {
        "attn_res": standin.median_microseconds(lambda: attn.ops.attn_res(V, w_query, w_norm)),
        "neighborhood_attention": standin.median_microseconds(
            lambda: attn.ops.neighborhood_attention(q, k, v, kernel_size=3)
        ),
    }


# What operators call

_EMPTY = {"empty", "empty_strided", "empty_like", "new_empty"}
_COPY = {"copy_", "clone", "_to_copy", "contiguous", "to"}
_ADD = {"add_"}
_VIEWS = {
    "alias", "as_strided", "detach", "expand", "movedim", "permute", "select", "slice", "transpose", "unsqueeze",
    "view",
}  # fmt: skip
_OWN = {
    "attn::attn_res": attention_residual._forward,
    "attn::attn_res_backward": attention_residual._backward,
    "attn::neighborhood": neighborhood_ops._forward,
    "attn::neighborhood_backward": neighborhood_ops._backward,
}


class Calls(TorchDispatchMode):
    """Notes every operator of PyTorch that is called, also within our own."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        name = function._schema.name
        if name in _OWN:
            with self:
                own = _OWN[name]
                return getattr(own, "_init_fn", own)(*arguments, **(keywords or {}))
        on_npu = any(isinstance(value, torch.Tensor) and value.device.type == "npu" for value in arguments)
        made = str((keywords or {}).get("device", "")).startswith("npu")
        self.names.add((name.removeprefix("aten::"), on_npu or made))
        return function(*arguments, **(keywords or {}))


def check_operators_call_only_empty_copy_and_add():
    """By a dispatch mode, and by the operators that reach the stand-in; with views, copies and several launches."""
    cases = {name: make() for name, make in ATTN_RES.items() if name in ("tail of rows", "elements apart", "list")}
    windows = {name: make() for name, make in NEIGHBORHOOD.items() if name in ("heads", "elements apart")}
    before = {name: standin.count(name) for name in _OPERATORS}
    with Calls() as calls:
        for V, w_query, w_norm, g in cases.values():
            run_attn_res(V, w_query, w_norm, g)
        for arguments, options in windows.values():
            run_neighborhood(*arguments, kernel_size=3, **options)
        V, w_query, w_norm, g = cases["elements apart"]
        with attn.memory_limit(LITTLE_MEMORY):
            run_attn_res(V, w_query, w_norm, g)
    on_npu = {name for name, on_npu in calls.names if on_npu}
    assert on_npu <= _EMPTY | _COPY | _ADD | _VIEWS, on_npu - (_EMPTY | _COPY | _ADD | _VIEWS)
    assert {"add_", "copy_", "contiguous"} <= on_npu, "there are copies and sums among the cases"
    after = {name: standin.count(name) for name in _OPERATORS}
    assert {name for name in _OPERATORS if after[name] != before[name]} <= {"aclnnInplaceCopy", "aclnnInplaceAdd"}
    return sorted(on_npu)


_OPERATORS = [
    "aclopCompileAndExecute", "aclopCompileAndExecuteV2",
    "aclnnInplaceCopy", "aclnnInplaceZero", "aclnnInplaceOne", "aclnnInplaceFillScalar", "aclnnAdd", "aclnnAdds",
    "aclnnInplaceAdd", "aclnnInplaceAdds", "aclnnMul", "aclnnMuls",
]  # fmt: skip
