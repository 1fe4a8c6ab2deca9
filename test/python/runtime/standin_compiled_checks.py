"""Kernels that were compiled ahead of time, on NPU tensors under the real torch_npu on the stand-in.

The objects were made by the tests, in the folder STANDIN_OBJECTS. Those by HIVM are not executed: the stand-in takes their
launches, compares the arguments with what the vendor's text says, and then fails.
"""

import copy
import ctypes
import os
import re
import struct
from pathlib import Path

import pytest
import torch

import attn
import attn.sidecar
import object_calls
import standin
from attn import runtime
from attn.runtime import environment
from catalogue import KERNELS
from standin import to_npu

acl = standin.start()
FOLDER = Path(os.environ["STANDIN_OBJECTS"])


def _split(sidecar, values: dict):
    """Inputs and outputs among the values of a call, on the NPU."""
    place = lambda value: [to_npu(v) for v in value] if isinstance(value, list) else to_npu(value)  # noqa: E731
    inputs, outputs = {}, {}
    for parameter in sidecar.parameters:
        name, role = parameter["name"], parameter.get("role")
        if role is None:
            inputs[name] = values[name]
        elif role != "workspace":
            (outputs if role == "output" else inputs)[name] = place(values[name])
    return inputs, outputs


def _on_cpu(value):
    return [tensor.cpu() for tensor in value] if isinstance(value, list) else value.cpu()


def _compare_with_chip_ir(name: str, strided: bool):
    """A kernel of the catalogue: outputs that it makes, and outputs that it is given, are bit for bit the chip IR's."""
    kernel = runtime.load(FOLDER / f"{name}.json")
    values = object_calls.make_values(kernel.sidecar, strided)
    expected = object_calls.simulate(name, kernel.sidecar, values).outputs
    inputs, outputs = _split(kernel.sidecar, values)
    for results in (kernel(**inputs), kernel(*inputs.values()), kernel.run(inputs, outputs)):
        results = [result if result is None else _on_cpu(result) for result in results]
        for result, right in zip(results, expected, strict=True):
            assert (result is None) == (right is None)
            assert result is None or object_calls.bits(result) == object_calls.bits(right), name
    returned = zip(kernel.sidecar.data["call"]["returns"], kernel.run(inputs, outputs))
    assert all(output is outputs[name] for name, output in returned if name is not None)


def check_results_are_those_of_the_chip_ir():
    names = [name for name in sorted(KERNELS) if (FOLDER / f"{name}.json").exists()]
    for number, name in enumerate(names):
        _compare_with_chip_ir(name, strided=number % 2 == 0)
    return names


def _forward():
    """The forward of the attention residual, as the command has compiled it, and arguments for it."""
    V, w_query, w_norm = torch.randn(3, 37, 64), torch.randn(64), torch.randn(64)
    return runtime.load(FOLDER / "attn_res_fwd.f32.D-64.o"), [to_npu(V), to_npu(w_query), to_npu(w_norm), 1e-6]


def check_results_are_those_of_the_cpu():
    kernel, arguments = _forward()
    from kernels_dsl.attn_res import attn_res_fwd

    expected = attn_res_fwd(*(argument.cpu() for argument in arguments[:-1]), 1e-6)
    for result, right in zip(kernel(*arguments), expected, strict=True):
        torch.testing.assert_close(result.cpu(), right, atol=1e-5, rtol=1e-5)
    assert repr(kernel) == "<attn compiled kernel attn_res_fwd>"


def check_a_call_leaves_the_other_device_and_stream_alone():
    kernel, (V, *others) = _forward()
    here = kernel(V, *others)[0].cpu()
    with torch.npu.stream(torch.npu.Stream()):
        there = kernel(V.cpu().to("npu:1"), *(other.cpu().to("npu:1") for other in others[:-1]), others[-1])[0]
    assert there.device.index == 1 and there.cpu().equal(here) and torch.npu.current_device() == 0


def check_a_kernel_of_cube_cores():
    """Written as chip IR: three times the product of two matrices, and a bias."""
    kernel = runtime.load(FOLDER / "product.json")
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randint(-4, 5, shape, generator=generator).half() for shape in ((74, 40), (40, 50)))
    bias = torch.arange(64.0).reshape(1, 64)
    whole, narrow = kernel(to_npu(x), to_npu(y), to_npu(bias))
    expected = 3 * (x.double() @ y.double()) + bias[:, :50]
    assert whole.cpu().double().equal(expected) and narrow.cpu().equal(expected.relu().bfloat16())


def _weighted(rows, keys):
    """Arguments of the kernel of groups of cores that is written as chip IR, and what it gives for them."""
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.randint(-2, 3, (n, 16), generator=generator).half() for n in (rows, keys, keys))
    return (q, k, v), (2 * (q.double() @ k.double().T) @ v.double())


def check_a_kernel_of_groups_of_cores():
    kernel = runtime.load(FOLDER / "mixed.json")
    for rows, keys in (32, 16), (96, 80), (704, 48):
        arguments, expected = _weighted(rows, keys)
        result = kernel(*map(to_npu, arguments))
        assert result.cpu().double().equal(expected)
        assert (acl.attn_standin_last_blocks(), acl.attn_standin_last_schedule_mode()) == (20, 1)


def check_no_more_groups_are_launched_than_the_device_has():
    kernel = runtime.load(FOLDER / "mixed.json")
    arguments, expected = _weighted(704, 32)
    acl.attn_standin_set_cube_cores(ctypes.c_int64(7))
    try:
        result = kernel(*map(to_npu, arguments))
        assert result.cpu().double().equal(expected) and acl.attn_standin_last_blocks() == 7
    finally:
        acl.attn_standin_set_cube_cores(ctypes.c_int64(20))


def check_an_object_is_loaded_for_its_cores():
    launcher, data = environment.acl(), (FOLDER / "product.o").read_bytes()
    handle = launcher.load_object(data, 0x41415246)
    with pytest.raises(launcher.AclError, match="is __cube__, but its binary was loaded as one of other cores"):
        launcher.find_kernel(handle, "kernel", [], False)


def check_no_rows():
    kernel, (V, *others) = _forward()
    h, lse, scores, norms = kernel(V[:, :0], *others)
    assert (h.shape, lse.shape, scores.shape, norms.shape) == ((0, 64), (0,), (0, 3), (0, 3))


WRONG = {
    "on the CPU": (lambda c: c | {"V": c["V"].cpu()}, ValueError, "V: a tensor on an NPU is expected, not on cpu"),
    "on another": (lambda c: c | {"wq": c["wq"].cpu().to("npu:1")}, ValueError, "wq: device npu:1 does not equal npu:0 of V"),
    "dtype": (lambda c: c | {"V": c["V"].cpu().half().to("npu")}, TypeError, "V: dtype f32 is expected, not f16"),
    "rank": (lambda c: c | {"V": c["V"][0]}, ValueError, "V: 3 dimensions (N T 64) are expected, not the shape [37, 64]"),
    "fixed size": (lambda c: c | {"V": c["V"][..., :32]}, ValueError, "V: dimension 2 must be 64, not 32"),
    "stride": (lambda c: c | {"wq": torch.zeros(128).to("npu")[::2]}, ValueError,
               "wq: the last dimension must be contiguous, but the strides are (2,)"),
    "list": (lambda c: c | {"V": list(c["V"])}, TypeError, "V: a tensor is expected, not a list"),
    "no tensor": (lambda c: c | {"wn": 3}, TypeError, "wn: a tensor is expected, not int"),
    "no number": (lambda c: c | {"eps": "small"}, TypeError, "eps: float is expected, not 'small'"),
    "too large": (lambda c: c | {"eps": 1e300}, OverflowError, "eps: the number is too large for f32"),
    "missing": (lambda c: {k: v for k, v in c.items() if k != "wn"}, TypeError, "wn: a tensor is expected, not nothing"),
    "missing number": (lambda c: {k: v for k, v in c.items() if k != "eps"}, TypeError, "needs the number 'eps'"),
    "unknown": (lambda c: c | {"W": c["V"]}, TypeError, "attn_res_fwd has no argument 'W'"),
    "constant": (lambda c: c | {"round_key": True}, TypeError,
                 "round_key: attn_res_fwd was compiled for False, which is fixed"),
}  # fmt: skip


def check_wrong_arguments_are_named():
    kernel, arguments = _forward()
    right = dict(zip(("V", "wq", "wn", "eps"), arguments))
    before = standin.count("aclrtLaunchKernelWithHostArgs")
    for name, (change, error, message) in WRONG.items():
        with pytest.raises(error, match=re.escape(message)):
            kernel(**change(right))
            raise AssertionError(f"case '{name}' was taken")
    with pytest.raises(TypeError, match="takes 4 arguments"):
        kernel(*arguments, 1)
    with pytest.raises(ValueError, match=r"h: an array \[37, 64\] of f32 is expected, not an array \[36, 64\] of f32"):
        kernel.run(right, {"h": torch.empty(36, 64, device="npu")})
    torch.npu.synchronize()
    assert standin.count("aclrtLaunchKernelWithHostArgs") == before
    kernel(**right)


def check_absent_arrays_stay_absent():
    kernel = runtime.load(FOLDER / "neighborhood_bwd-carried.json")
    inputs, _ = _split(kernel.sidecar, object_calls.make_values(kernel.sidecar, strided=False))
    assert kernel.sidecar.data["call"]["absent"] == ["dlse"]
    assert kernel(**inputs, dlse=None)[1].cpu().equal(kernel(**inputs)[1].cpu())
    with pytest.raises(TypeError, match="dlse: neighborhood_bwd was compiled for None"):
        kernel(**inputs, dlse=inputs["lse"])


def check_strides_that_a_kernel_counts_on_are_checked():
    """In a sidecar that says more than that rows are contiguous."""
    data = copy.deepcopy(attn.sidecar.load(FOLDER / "attn_res_fwd.f32.D-64.json").data)
    next(parameter for parameter in data["parameters"] if parameter["name"] == "V")["strides"][1] = 64
    kernel, (V, *others) = _forward()
    strict = runtime.CompiledKernel(runtime.Program(attn.sidecar.Sidecar(data), kernel._program._data))
    strict(V, *others)
    with pytest.raises(ValueError, match="V: the stride of dimension 1 must be 64, not 128"):
        strict(to_npu(torch.zeros(3, 37, 128)[..., :64]), *others)


# Hidden arguments


def _sync_base():
    address = ctypes.c_void_p()
    assert acl.aclrtGetHardwareSyncAddr(ctypes.byref(address)) == 0 and address.value
    return address.value


def _backward_arguments(sidecar):
    return _split(sidecar, object_calls.make_values(sidecar, strided=True))[0]


def _compare_bytes(sidecar, inputs: dict, results: dict):
    """The bytes that reached the runtime, by the sidecar's offsets and nothing else of ours; returns the kinds seen."""
    data, arrays = standin.last_arguments(), inputs | results
    assert len(data) == sidecar.argument_bytes()
    seen = set()
    for argument in sidecar.arguments():
        (value,) = struct.unpack_from("<q", data, argument["offset"])
        array = arrays.get(argument["of"])
        if argument["kind"] == "hidden":
            assert value == _sync_base(), argument
        elif argument["kind"] == "array":
            assert value == array.data_ptr(), argument
        elif argument["kind"] in ("size", "stride") and array is not None:
            about = array.shape if argument["kind"] == "size" else array.stride()
            assert value == about[argument["axis"]], argument
        seen.add(argument["kind"])
    return seen


def check_sync_base_goes_in_front():
    """Of a text that takes it, compiled for the modelled chip: the values are right, and so are the bytes."""
    kernel = runtime.load(FOLDER / "with_base.json")
    values = object_calls.make_values(kernel.sidecar, strided=True)
    expected = object_calls.simulate("attn_res_bwd-streaming", kernel.sidecar, values).outputs
    inputs, _ = _split(kernel.sidecar, values)
    results = kernel(**inputs)
    for result, right in zip(results, expected, strict=True):
        assert object_calls.bits(result.cpu()) == object_calls.bits(right)
    named = dict(zip(kernel.sidecar.data["call"]["returns"], results))
    assert _compare_bytes(kernel.sidecar, inputs, named) == {"hidden", "array", "workspace", "size", "stride"}


def check_sync_base_is_asked_for_once_per_device():
    kernel = runtime.load(FOLDER / "with_base.json")
    inputs = _backward_arguments(kernel.sidecar)
    before = standin.count("aclrtGetHardwareSyncAddr")
    for _ in range(3):
        kernel(**inputs)
    assert standin.count("aclrtGetHardwareSyncAddr") == before + 1


# Each of the following has a process of its own: no launch of HIVM ends well here.


def hivm_launch_is_taken():
    """The stand-in finds what the vendor's text asks for, and says that it executes nothing."""
    kernel = runtime.load(FOLDER / "hivm.json")
    assert kernel.sidecar.route == "hivm" and kernel.sidecar.arguments()[0]["name"] == "sync_base"
    inputs = _backward_arguments(kernel.sidecar)
    results = kernel(**inputs)
    with pytest.raises(RuntimeError, match="attn_res_bwd: its launch was taken, but nothing here executes objects"):
        torch.npu.synchronize()
    named = dict(zip(kernel.sidecar.data["call"]["returns"], results))
    assert _compare_bytes(kernel.sidecar, inputs, named) == {"hidden", "array", "workspace", "size", "stride"}
    assert acl.attn_standin_last_schedule_mode() == 1


def _leave_out(route: dict):
    first, *rest = route["arguments"]
    route["arguments"] = [{**argument, "offset": argument["offset"] - first["size"]} for argument in rest]
    route["bytes"] -= first["size"]


def _move_to_the_end(route: dict):
    first = route["arguments"][0]
    _leave_out(route)
    route["arguments"].append({**first, "offset": route["bytes"]})
    route["bytes"] += first["size"]


def hivm_mistakes_with_the_sync_base_are_refused():
    """Left out, at another place, or another address; without a queue, the call itself raises."""
    kernel = runtime.load(FOLDER / "hivm.json")
    inputs = _backward_arguments(kernel.sidecar)

    def call_with(change):
        data = copy.deepcopy(kernel.sidecar.data)
        change(data["routes"]["hivm"])
        wrong = runtime.Program(attn.sidecar.Sidecar(data), kernel._program._data)
        return runtime.CompiledKernel(wrong)(**inputs)

    with pytest.raises(runtime.LaunchError, match="attn_res_bwd takes 192 bytes of arguments, not 184"):
        call_with(_leave_out)
    with pytest.raises(runtime.LaunchError, match="attn_res_bwd: its cores meet through 0x5afe00000000, not 0x7"):
        call_with(_move_to_the_end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environment.acl(), "sync_base", lambda: 0)
        with pytest.raises(runtime.LaunchError, match="its cores meet through 0x5afe00000000, not 0x0") as caught:
            call_with(lambda route: None)
    assert "0: sync_base = 0x0" in str(caught.value)
