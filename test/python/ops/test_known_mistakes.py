"""The mistakes that others made, put in on purpose: each must be noticed by the test that stands against it.

A mistake is a change of a kernel's text, or of a function of the operators. Its guard is a test of another file, called
as it stands; it must fail, and say what is wrong. docs/Ops.md lists which test guards what.
"""

import contextlib

import pytest
import test_ops_attn_res as attn_res
import test_ops_attn_res_api as attn_res_api
import test_ops_neighborhood as neighborhood
import test_ops_neighborhood_api as neighborhood_api
import test_traffic as traffic
import torch

from attn import memory, nn
from attn.call import layout as call_layout
from attn.ops import _dispatch, _readable, attention_residual
from attn.ops import neighborhood as neighborhood_operator
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd
from kernels_dsl.neighborhood import neighborhood_bwd, neighborhood_fwd
from planting import Planter, notices
from references import DTYPES

F32 = DTYPES[0]
GUARDS = (attn_res, attn_res_api, neighborhood, neighborhood_api, traffic)


class Subtests:
    """Stands for the fixture: a part that fails ends the test."""

    def test(self, **_):
        return contextlib.nullcontext()


@pytest.fixture
def plant(monkeypatch, tmp_path):
    return Planter(monkeypatch, tmp_path, GUARDS)


# Attention residual, by the rows of its specification


def test_later_blocks_left_out(plant):
    loop = "for n in at.range(N, stages=2):\n                v, r, s"
    plant.kernel("attn_res_bwd", loop, loop.replace("range(N", "range(at.minimum(N, 32)"))
    torch.set_deterministic_debug_mode("error")
    try:
        with notices("^dV is off by"):
            attn_res.test_number_of_blocks("jit", None, Subtests())
    finally:
        torch.set_deterministic_debug_mode("default")


@pytest.fixture
def planned_anew():
    """Calls before and after the test share no plans with those in it."""
    kernels = attn_res_fwd, attn_res_bwd, neighborhood_fwd, neighborhood_bwd
    for kernel in kernels:
        kernel.forget()
    yield
    for kernel in kernels:
        kernel.forget()


def test_narrow_strides(plant, planned_anew):
    def layout(right, *arguments):
        found = right(*arguments)
        return found._replace(strides=tuple(stride % 2**31 for stride in found.strides))

    plant.function(call_layout, "layout_of", layout)
    with notices("^h is off by"):
        attn_res.test_rows_past_two_to_the_31("jit")
    with notices("^o is off by"):
        neighborhood.test_rows_past_two_to_the_31("jit")


def test_gradients_of_a_list_mixed_up(plant):
    def backward(right, values, *arrays, d_values, **rest):
        right(values, *arrays, d_values=d_values[::-1] if isinstance(d_values, list) else d_values, **rest)

    plant.function(_dispatch, "attn_res_backward", backward)
    with notices("^dV is off by"):
        attn_res.test_list_equals_stack("jit", 0.25)


def test_sums_in_any_order(plant):
    """What atomics would do: the tokens are added in another order every time."""

    def backward(right, values, w_query, w_norm, grad, *, h, lse, scores, norms, d_values, **rest):
        order = torch.randperm(len(grad))
        given = dict(h=h[order], lse=lse[order], scores=scores[order], norms=norms[order])
        shuffled = torch.empty_like(d_values)
        right(values[:, order], w_query, w_norm, grad[order], d_values=shuffled, **given, **rest)
        d_values[:, order] = shuffled

    plant.function(_dispatch, "attn_res_backward", backward)
    with notices("^dw_(query|norm) differs"):
        attn_res.test_runs_are_bitwise_equal("jit", "streaming")


def test_unwanted_weight_gradients(plant):
    def backward(right, values, w_query, w_norm, *arrays, d_weights, **rest):
        d_weights = d_weights or (torch.empty_like(w_query), torch.empty_like(w_norm))
        right(values, w_query, w_norm, *arrays, d_weights=d_weights, **rest)

    plant.function(_dispatch, "attn_res_backward", backward)
    with notices("'dwn'|'G'"):
        attn_res.test_frozen_weights_have_no_sum(plant.chip())


def test_padded_copies(plant):
    plant.function(_readable, "is_readable", lambda right, tensor: right(tensor) and tensor.shape[-1] % 16 == 0)
    with notices(r"peak_workspace|assert \d+ == 0"):
        attn_res.test_no_copies_for_odd_widths()


@pytest.mark.parametrize("kernel", ["forward", "backward"])
def test_values_read_again(plant, kernel):
    def forward(right, values, w_query, w_norm, eps, form, *rest):
        right(values, w_query, w_norm, eps, "two-read", *rest)

    def backward(right, *arrays, exact_delta, **rest):
        right(*arrays, exact_delta=True, **rest)

    plant.function(_dispatch, f"attn_res_{kernel}", forward if kernel == "forward" else backward)
    with notices("^assert"):
        attn_res.test_blocks_are_read_once(plant.chip(), "streaming")


def test_keys_rounded_where_rows_are_short(plant):
    def forward(right, values, w_query, w_norm, eps, form, round_key, outputs):
        right(values, w_query, w_norm, eps, form, w_norm.numel() <= 2048, outputs)

    plant.function(_dispatch, "attn_res_forward", forward)
    attn_res.test_keys_are_not_rounded(2049)
    with notices("^h is off by"):
        attn_res.test_keys_are_not_rounded(2048)


@pytest.mark.parametrize("right, wrong, name", [("wn[c] * total,", "total,", "dw_query"),
                                                (", wq[c] * total", ", wn[c] * total", "dw_norm")])  # fmt: skip
def test_wrong_weight_gradients(plant, right, wrong, name):
    plant.kernel("attn_res_bwd", right, wrong)
    with notices(f"^{name} is off by"):
        attn_res.test_core((3, 5, 37, 123), F32)


@pytest.mark.parametrize("operator, guard, zeros", [
    (attention_residual, attn_res_api, (None, [None], *[None] * 11)),
    (neighborhood_operator, neighborhood_api, (None,) * 12),
])  # fmt: skip
def test_second_derivatives_that_are_not_refused(plant, operator, guard, zeros):
    plant.patch.setattr(operator._backward, "_backward_fn", lambda ctx, *gradients: zeros)
    with notices("appears to not have been used in the graph"):
        guard.test_second_derivative_is_refused(0)


# Neighbourhood attention, by the rows of its specification


@pytest.mark.parametrize("path", neighborhood_operator.PATHS)
def test_arguments_mixed_up_for_long_sequences(plant, path):
    def backward(right, q, *arrays):
        *arrays, kernel_size, dilation, scale, path, outputs = arrays
        right(q, *arrays, kernel_size, 8 if q.shape[2] >= 512 else dilation, scale, path, outputs)

    plant.function(_dispatch, "neighborhood_backward", backward)
    with notices("^dq is off by"):
        neighborhood.test_long_gradients("jit", path, 1, Subtests())


def test_runs_that_do_not_overlap(plant):
    plant.kernel("neighborhood_bwd", "halo = R if want_dkv else 0", "halo = 0")
    with notices("^d[kv] is off by"):
        neighborhood.test_long_gradients("jit", "halo", 1, Subtests())


def test_gradients_kept_by_storage(plant):
    kept = {}

    def backward(right, q, k, v, grad, *rest):
        key = grad.untyped_storage().data_ptr(), grad._version, grad.shape, grad.stride()
        if key not in kept:
            right(q, k, v, grad, *rest)
            kept[key] = [output.clone() for output in rest[-1]]
        for output, result in zip(rest[-1], kept[key]):
            output.copy_(result)

    plant.function(_dispatch, "neighborhood_backward", backward)
    with notices("^d[qkv] is off by"):
        neighborhood.test_repeated_backward("jit")


@pytest.mark.parametrize("size", [2, 6])
def test_even_windows(plant, size):
    for owner in (neighborhood_operator, nn):
        plant.function(owner, "check_window", lambda right, kernel_size, dilation: right(kernel_size | 1, dilation))
    (message,) = (message for change, message in neighborhood_api.WINDOWS if change == dict(kernel_size=size))
    with notices("q: a tensor is expected|DID NOT RAISE"):
        neighborhood_api.test_wrong_windows(dict(kernel_size=size), message)


@pytest.mark.parametrize("kernel, product", [
    ("neighborhood_fwd", "at.band_dot(q[b, h, at_rows, :], k[b, h, at_near, :])"),
    ("neighborhood_bwd", "at.band_dot(qi, ki)"),
])  # fmt: skip
def test_products_in_the_type_of_the_inputs(plant, kernel, product):
    """Beyond 65504 they are infinite in f16."""
    plant.kernel(kernel, product, f"({product}).to(at.f16)")
    with notices("^assert False|^dq is off by"):
        neighborhood.test_products_do_not_overflow_in_f16("jit")


def test_limits_with_a_floor(plant):
    class Floored(memory.Budget):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.limit = self.left = max(self.limit, 256 * 2**20)

    plant.patch.setattr(memory, "Budget", Floored)
    with notices("^assert"):
        neighborhood_api.test_copies_stay_within_the_limit((3, 2, 8192, 64))
    with notices("^assert"):
        attn_res_api.test_copies_stay_within_the_limit(False)


def test_constants_for_sizes(plant):
    plant.kernel("neighborhood_fwd", "scale: float", "scale: at.Const[float]")
    with notices("^assert"):
        neighborhood_api.test_one_compilation_for_all_sizes()


@pytest.mark.parametrize("wait", [lambda q: q.sum().item(), lambda q: q.nonzero(), lambda q: bool((q > 0).any())])
def test_a_host_that_waits(plant, wait):
    def forward(right, q, *rest):
        wait(q)
        right(q, *rest)

    plant.function(_dispatch, "neighborhood_forward", forward)
    with notices("aten::"):
        neighborhood_api.test_the_host_waits_for_nothing("in place")


def test_log_sum_exps_without_gradients(plant):
    plant.kernel("neighborhood_bwd", "rest - dlse[b, h, here]", "rest + dlse[b, h, here] * 0.0")
    with notices("^d[qk] is off by"):
        neighborhood.test_log_sum_exps_are_differentiable("jit", F32)


def test_presets_that_do_not_run(plant):
    """As a benchmark did: a function of its presets is called with fewer arguments than it takes."""
    plant.patch.setitem(traffic.predict.__globals__, "neighborhood_case", lambda preset, length: None)
    with notices("positional arguments"):
        traffic.test_every_preset_of_the_benchmark_runs()
