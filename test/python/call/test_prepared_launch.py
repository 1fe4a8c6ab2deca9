"""Launches on the CPU that differ in addresses and floating-point numbers only, and what they refuse."""

import pytest
import torch

from attn import _host
from kernels_dsl.attn_res import attn_res_fwd

BLOCKS, TOKENS, WIDTH = 3, 5, 64


@pytest.fixture
def kernel():
    """The native kernel of the attention residual, whose values are a list of tensors."""
    attn_res_fwd.forget()
    attn_res_fwd(*inputs(), 1e-6)
    (program,) = attn_res_fwd.programs.values()
    return program._native


def inputs(seed=0):
    torch.manual_seed(seed)
    return [torch.randn(TOKENS, WIDTH) for _ in range(BLOCKS)], torch.randn(WIDTH), torch.randn(WIDTH)


def outputs():
    return [torch.full(shape, torch.nan) for shape in ((TOKENS, WIDTH), (TOKENS,), (TOKENS, BLOCKS), (TOKENS, BLOCKS))]


def described(values, w_query, w_norm, eps, results):
    """The arguments as natives take them, with 0 for addresses."""
    table = [0] * BLOCKS, (BLOCKS, TOKENS, WIDTH), (0, WIDTH, 1)
    arrays = [(0, tuple(array.shape), array.stride()) for array in (w_query, w_norm)]
    return [table, *arrays, eps, *((0, tuple(array.shape), array.stride()) for array in results)]


def addresses(values, w_query, w_norm, results):
    return [[value.data_ptr() for value in values], *(array.data_ptr() for array in (w_query, w_norm, *results))]


def test_launches_differ_in_addresses_and_floats(kernel):
    launch = kernel.prepare(described(*inputs(), 7.0, outputs()))
    for seed, eps in ((0, 1e-6), (1, 0.5)):
        given, results = inputs(seed), outputs()
        launch.run(addresses(*given, results), [eps], 2)
        for result, expected in zip(results, attn_res_fwd(*given, eps), strict=True):
            assert result.equal(expected)


def test_the_kernel_is_kept():
    attn_res_fwd.forget()
    given, results = inputs(), outputs()
    expected = attn_res_fwd(*given, 1e-6)
    launch = next(iter(attn_res_fwd.programs.values()))._native.prepare(described(*given, 0.0, results))
    attn_res_fwd.forget()
    launch.run(addresses(*given, results), [1e-6], 1)
    assert results[0].equal(expected[0])


@pytest.mark.parametrize("change, message", [
    (lambda places, floats: (places[:-1], floats), "takes 7 addresses and 1 floating-point numbers, not 6 and 1"),
    (lambda places, floats: (places, []), "not 7 and 0"),
    (lambda places, floats: ([places[0][:2], *places[1:]], floats), "argument 0 has 2 entries; the kernel takes 3"),
    (lambda places, floats: ([places[1], *places[1:]], floats), "argument 0 is an array; the kernel takes a table"),
    (lambda places, floats: ([places[0], places[0], *places[2:]], floats), "argument 1 is a table of arrays"),
    (lambda places, floats: ([places[0], places[1] + 2, *places[2:]], floats), "argument 1 is not aligned"),
    (lambda places, floats: ([[p + 1 for p in places[0]], *places[1:]], floats), "argument 0 is not aligned"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(kernel, change, message):
    given, results = inputs(), outputs()
    launch = kernel.prepare(described(*given, 0.0, results))
    with pytest.raises(ValueError, match=message):
        launch.run(*change(addresses(*given, results), [1e-6]), 1)
    assert results[0].isnan().all()


def test_arguments_are_checked_when_it_is_prepared(kernel):
    given, results = inputs(), outputs()
    arguments = described(*given, 0.0, results)
    arguments[1] = (0, (WIDTH, 2), (2, 1))
    with pytest.raises(ValueError, match="argument 1 has 2 sizes"):
        kernel.prepare(arguments)
    with pytest.raises(TypeError, match="No constructor"):
        _host.Launch()
