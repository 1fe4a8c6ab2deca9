"""Launches of our kernels through the real torch_npu on the stand-in: order, lifetime, arguments, devices, errors.

Those named `check_queue_...` say something only where there is a queue (TASK_QUEUE_ENABLE is not 0).
"""

import ctypes
import os
import struct
import tempfile
import time
import weakref
from pathlib import Path

import pytest
import torch
import torch_npu

import attn
import attn.language as at
import standin
from attn import runtime
from attn.call.layout import LaidOut
from attn.runtime import environment
from kernels_dsl.attn_res import attn_res_bwd, attn_res_fwd

acl = standin.start()

HOST_TO_DEVICE = 1
SLEEP_SECONDS = 0.1


@attn.kernel
def scale_rows(X: at.Tensor["T D"], factor: float, BT: at.Auto(1, 64) = None):
    """Every element times a number."""
    Y = at.empty("T D", X.dtype)
    for t in at.grid(at.tiles(T, BT)):
        Y[t, :] = X[t, :] * factor
    return Y


@attn.kernel
def add_blocks(V: at.Tensors["N", "T D"], BT: at.Auto(1, 64) = None):
    """The sum of a list of arrays."""
    Y = at.empty("T D", V.dtype)
    for t in at.grid(at.tiles(T, BT)):
        total = at.zeros((BT, D))
        for n in at.range(N):
            total = total + V[n, t, :]
        Y[t, :] = total
    return Y


def _rows(count=70, width=32, start=0.0):
    return (torch.arange(float(count * width)) + start).reshape(count, width)


def _program(kernel):
    """The only program that a kernel has for the NPU so far."""
    (program,) = [program for key, program in kernel.programs.items() if key[0] == "npu"]
    return program


def _laid_out(*arguments):
    """A call with these native arguments, as a program takes it."""
    return LaidOut(torch.device("npu", 0), {}, {}, {}, 1, list(arguments))


def _array(tensor):
    return 0, tuple(tensor.shape), tensor.stride()


def _scale_plan(program=None):
    """The plan of launches of scale_rows on 70 rows of 32: they take two addresses and a real."""
    array = (0, (70, 32), (32, 1))
    return (program or _program(scale_rows)).prepare(_laid_out(array, 1.0, array))._plan


def _warm_up():
    """A launch that has ended: the kernel is compiled and loaded, and the queue no longer waits for its first task."""
    given = _rows()
    assert scale_rows(given.to("npu"), 2.0).cpu().equal(2 * given)
    environment.acl().enqueue_function("warm up", lambda: 0)
    torch.npu.synchronize()


def _sleeping_producer(target, values):
    """Queues a task that sleeps, and only then writes the values to the target."""
    stream = torch_npu._C._npu_getCurrentRawStreamNoWait(0)
    size, pointer = ctypes.c_size_t(values.nbytes), ctypes.c_void_p
    source = pointer(values.data_ptr())

    def produce():
        time.sleep(SLEEP_SECONDS)
        return acl.aclrtMemcpyAsync(pointer(target), size, source, size, HOST_TO_DEVICE, pointer(stream))

    environment.acl().enqueue_function("sleeping producer", produce)


def _queue_mode():
    return int(os.environ.get("TASK_QUEUE_ENABLE", "1"))


def check_runtime_says_that_it_is_a_standin():
    assert "stand-in" in runtime.standin() and runtime.standin() in runtime.describe()
    assert "torch_npu 2.13.0" in runtime.describe() and runtime.soc() == "Ascend910B4"
    return runtime.describe()


def check_order_after_a_sleeping_producer():
    _warm_up()
    new, given = _rows(start=5.0), torch.zeros(70, 32).to("npu")
    torch.npu.synchronize()
    begin = time.perf_counter()
    _sleeping_producer(given.data_ptr(), new)
    result = scale_rows(given, 3.0)
    waited = time.perf_counter() - begin
    assert result.cpu().equal(3 * new)
    if _queue_mode():
        assert waited < SLEEP_SECONDS / 2, f"the host waited {waited} s"
    else:
        assert waited > SLEEP_SECONDS


def check_queue_order_test_can_fail():
    """The same past the queue, on the stream as it is: the launch overtakes the producer."""
    _warm_up()
    new, given = _rows(start=5.0), torch.zeros(70, 32).to("npu")
    result = torch.full((70, 32), 9.0).to("npu")
    torch.npu.synchronize()
    plan = _scale_plan()
    _sleeping_producer(given.data_ptr(), new)
    stream = torch_npu._C._npu_getCurrentRawStreamNoWait(0)
    environment.acl().launch(plan, stream, [given.data_ptr(), result.data_ptr()], [3.0])
    torch.npu.synchronize()
    assert result.cpu().equal(torch.zeros(70, 32)), "the test of the order does not see a launch out of order"


def check_queue_keeps_tensors_until_they_were_launched():
    """An input that the caller has dropped stays until its launch was made, and no longer."""
    _warm_up()
    given, other = _rows(start=5.0).to("npu"), torch.zeros(70, 32).to("npu")
    alive, address = weakref.ref(given), given.data_ptr()
    torch.npu.synchronize()
    _sleeping_producer(other.data_ptr(), torch.zeros(70, 32))
    result = scale_rows(given, 3.0)
    del given
    assert alive() is not None, "the queued launch does not keep its input"
    assert torch.empty(70, 32, device="npu").data_ptr() != address, "the input's memory is given away"
    torch.npu.synchronize()
    _run_pending_calls(alive)
    assert alive() is None, "a launch that was made still keeps its input"
    assert result.cpu().equal(3 * _rows(start=5.0))


def check_queue_keeps_tensors_of_lists():
    """A list that the caller empties after the call is not what the launch keeps."""
    _warm_up()
    blocks, other = [_rows(start=float(n)).to("npu") for n in range(3)], torch.zeros(70, 32).to("npu")
    add_blocks(blocks)
    alive = [weakref.ref(block) for block in blocks]
    torch.npu.synchronize()
    _sleeping_producer(other.data_ptr(), torch.zeros(70, 32))
    result = add_blocks(blocks)
    blocks.clear()
    assert all(reference() is not None for reference in alive), (
        "the queued launch does not keep the tensors of its list"
    )
    assert result.cpu().equal(sum(_rows(start=float(n)) for n in range(3)))


def check_queue_lifetime_test_can_fail():
    """A launch that keeps nothing lets the memory of its input go while it is queued."""
    _warm_up()
    given, other, result = _rows(start=5.0).to("npu"), torch.zeros(70, 32).to("npu"), torch.empty(70, 32, device="npu")
    address, plan = given.data_ptr(), _scale_plan()
    torch.npu.synchronize()
    _sleeping_producer(other.data_ptr(), torch.zeros(70, 32))
    stream = torch_npu._C._npu_getCurrentRawStreamNoWait(0)
    environment.acl().enqueue(plan, stream, [address, result.data_ptr()], [3.0], ())
    del given
    assert address in [tensor.data_ptr() for tensor in [torch.empty(70, 32, device="npu") for _ in range(4)]]
    torch.npu.synchronize()


def _run_pending_calls(reference):
    """The interpreter lets go of what a launch kept between two of its steps, soon after."""
    for _ in range(100):
        if reference() is None:
            return
        time.sleep(0.01)


def check_argument_bytes_are_those_of_the_sidecar():
    """The bytes that reach the runtime, read by the sidecar's offsets and nothing else of ours."""
    storage = torch.zeros(100, 64).to("npu")
    given = storage[3:90, :32]
    result = scale_rows(given, 0.5)
    torch.npu.synchronize()
    program = _program(scale_rows)
    data, sidecar = standin.last_arguments(), program.sidecar
    assert len(data) == sidecar.argument_bytes() == sidecar.data["routes"]["ascendc"]["bytes"]
    shapes = {"X": (given, given.stride()), "Y": (result, result.stride())}
    seen = []
    for argument in sidecar.arguments():
        form = {("f32", 4): "<f", ("i32", 4): "<i"}.get((argument["dtype"], argument["size"]), "<q")
        if argument["kind"] == "array":
            form = "<q"
        (value,) = struct.unpack_from(form, data, argument["offset"])
        tensor, strides = shapes.get(argument["of"], (None, None))
        if argument["kind"] == "scalar":
            expected = 0.5
        elif argument["kind"] == "array":
            expected = tensor.data_ptr()
        else:
            expected = {"size": tensor.shape, "stride": strides}[argument["kind"]][argument["axis"]]
        assert value == expected, (argument, value, expected)
        seen.append(argument["kind"])
    assert {"array", "size", "stride", "scalar"} == set(seen)
    assert acl.attn_standin_last_blocks() == 2 and acl.attn_standin_last_kernel() == b"scale_rows"


def check_lists_travel_after_the_block():
    blocks = [_rows(start=float(index)).to("npu") for index in range(5)]
    result = add_blocks(blocks)
    assert result.cpu().equal(sum(block.cpu() for block in blocks))
    program = _program(add_blocks)
    data, (table,) = standin.last_arguments(), [a for a in program.sidecar.arguments() if a["kind"] == "table"]
    after = (program.sidecar.argument_bytes() + 7) // 8 * 8
    assert struct.unpack_from("<5Q", data, after) == tuple(block.data_ptr() for block in blocks)
    (address,) = struct.unpack_from("<Q", data, table["offset"])
    assert address % 8 == 0 and address not in [block.data_ptr() for block in blocks]


def check_streams_side_by_side():
    """Two streams with a producer each; a third result needs both, by an event."""
    _warm_up()
    first, second = torch.npu.Stream(), torch.npu.Stream()
    values, results = [_rows(start=start) for start in (1.0, 2.0)], []
    for stream, given in zip((first, second), values):
        with torch.npu.stream(stream):
            given = given.to("npu", non_blocking=True)
            for _ in range(3):
                given = scale_rows(given, 2.0)
            results.append(given)
    torch.npu.current_stream().wait_stream(first)
    torch.npu.current_stream().wait_stream(second)
    both = add_blocks(results)
    assert both.cpu().equal(8 * (values[0] + values[1]))


def check_every_phase_is_launched():
    """A kernel with a launch per phase: the last one adds up what the others have left."""
    torch.manual_seed(0)
    V, dh, wq, wn = torch.randn(3, 21, 64), torch.randn(21, 64), torch.randn(64) / 8, torch.randn(64)
    given = (dh, V, wq, wn, *attn_res_fwd(V, wq, wn, 1e-6))
    expected = attn_res_bwd(*given, phases="launches")
    on_device = [tensor.to("npu") for tensor in given]
    torch.npu.synchronize()
    before = standin.count("aclrtLaunchKernelWithHostArgs")
    results = attn_res_bwd(*on_device, phases="launches")
    torch.npu.synchronize()
    assert standin.count("aclrtLaunchKernelWithHostArgs") == before + 2
    for result, wanted in zip(results, expected, strict=True):
        torch.testing.assert_close(result.cpu(), wanted, rtol=1e-5, atol=1e-5)


def check_an_object_is_loaded_once_per_device():
    _warm_up()
    before = standin.count("aclrtBinaryLoadFromData")
    for _ in range(3):
        scale_rows(_rows().to("npu"), 2.0)
    assert standin.count("aclrtBinaryLoadFromData") == before
    for _ in range(2):
        result = scale_rows(_rows().to("npu:1"), 2.0)
        assert result.device.index == 1 and result.cpu().equal(2 * _rows())
    assert standin.count("aclrtBinaryLoadFromData") == before + 1
    assert torch.npu.current_device() == 0


def check_tensors_of_two_devices_are_refused():
    blocks = [_rows().to("npu:0"), _rows().to("npu:1")]
    with pytest.raises(ValueError, match="device npu:1 does not equal npu:0 of V"):
        add_blocks(blocks)


def check_objects_are_checked():
    _warm_up()
    program = _program(scale_rows)
    data = program.sidecar.data | {"launches": [program.sidecar.launches[0] | {"symbol": "no_such_kernel"}]}
    for sidecar, binary, words in (
        (attn.sidecar.Sidecar(data), program._data, "the binary has no kernel no_such_kernel"),
        (program.sidecar, b"not an object", "the object cannot be loaded"),
    ):
        with pytest.raises(runtime.LoadError, match=f"ACL error 107000: attn stand-in: {words}"):
            _scale_plan(runtime.Program(sidecar, binary))
    with pytest.raises(environment.acl().AclError, match="unknown magic 4660"):
        environment.acl().load_object(program._data, 0x1234)


def check_object_on_disk():
    """An object that was compiled ahead of time is loaded and launched by its sidecar; another one is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scale_rows.o"
        artefact = scale_rows.compile(X=at.spec("? 32", at.f32))
        artefact.build(path)
        program = runtime.Program.load(path.with_suffix(".json"))
        path.write_bytes(path.read_bytes() + b"more")
        with pytest.raises(attn.sidecar.SidecarError, match="not the object that .* describes"):
            runtime.Program.load(path.with_suffix(".json"))
    given, result = _rows().to("npu"), torch.empty(70, 32, device="npu")
    program.prepare(_laid_out(_array(given), 4.0, _array(result)))([given, result], [4.0])
    assert result.cpu().equal(4 * _rows())


def check_other_forms_of_launches():
    """The runtime's other calls take the same block: from a handle, and from device memory; not from elsewhere."""
    _warm_up()
    given = _rows().to("npu")
    result = torch.empty(70, 32, device="npu")
    program = _program(scale_rows)
    block = _scale_plan().pack([given.data_ptr(), result.data_ptr()], [5.0])
    function, pointer = ctypes.c_void_p(program._loaded[0][0][0].function), ctypes.c_void_p
    stream, size = pointer(torch.npu.current_stream().npu_stream), ctypes.c_size_t

    handle = pointer()
    assert acl.aclrtKernelArgsInit(function, ctypes.byref(handle)) == 0
    for _, offset, bytes, _ in program._block.fields:
        assert acl.aclrtKernelArgsAppend(handle, block[offset : offset + bytes], size(bytes), None) == 0
    assert acl.aclrtLaunchKernelWithConfig(function, 2, stream, None, handle, None) == 107017  # not finished
    assert acl.aclrtKernelArgsFinalize(handle) == 0
    assert acl.aclrtLaunchKernelWithConfig(function, 2, stream, None, handle, None) == 0
    assert result.cpu().equal(5 * _rows())

    on_device = torch.frombuffer(bytearray(block), dtype=torch.uint8).to("npu")
    result.copy_(torch.zeros(70, 32))
    assert acl.aclrtLaunchKernelV2(function, 2, pointer(on_device.data_ptr()), size(len(block)), None, stream) == 0
    assert result.cpu().equal(5 * _rows())
    assert acl.aclrtLaunchKernelV2(function, 2, block, size(len(block)), None, stream) == 107000
    host_form, place = acl.aclrtLaunchKernelWithHostArgs, pointer(on_device.data_ptr())
    assert host_form(function, 2, stream, None, place, size(len(block)), None, size(0)) == 107000
    assert host_form(function, 2, stream, None, block, size(len(block) - 4), None, size(0)) == 107000


def check_host_time():
    """Microseconds of host time for a launch, by the median: through attn and torch_npu, through torch_npu's queue
    alone, and by ctypes straight to the stand-in."""
    _warm_up()
    given, factor = _rows().to("npu"), 2.0
    result = scale_rows(given, factor)
    plan, addresses = _scale_plan(), [given.data_ptr(), result.data_ptr()]
    block, stream = plan.pack(addresses, [factor]), torch_npu._C._npu_getCurrentRawStreamNoWait(0)
    launch, size = acl.aclrtLaunchKernelWithHostArgs, ctypes.c_size_t
    function, place = ctypes.c_void_p(_program(scale_rows)._loaded[0][0][0].function), ctypes.c_void_p(stream)

    def straight():
        assert launch(function, 2, place, None, block, size(len(block)), None, size(0)) == 0

    return {
        "kernel call": standin.median_microseconds(lambda: scale_rows(given, factor)),
        "torch_npu's queue": standin.median_microseconds(
            lambda: environment.acl().enqueue(plan, stream, addresses, [factor], (given, result))
        ),
        "ctypes, no torch_npu": standin.median_microseconds(straight),
    }


# Each of the following has a process of its own: after a failure torch_npu's queue is dead.


def _fail_at_launch():
    """Launches with more blocks than there may be, which the runtime refuses."""
    _warm_up()
    program = _program(scale_rows)
    program.sidecar.count_blocks = lambda call: 70_000
    scale_rows._calls.forget()
    return scale_rows(_rows().to("npu"), 2.0)


def _repair():
    del _program(scale_rows).sidecar.count_blocks
    scale_rows._calls.forget()


def _is_complete(text: str):
    """A text says the code, the kernel, its blocks and its arguments."""
    return all(part in text for part in ("ACL error 107000", "scale_rows", "70000 blocks", ": X = 0x", ": factor = 2"))


def failing_launch_without_queue():
    """The call itself raises, and what comes after it works."""
    with pytest.raises(runtime.LaunchError, match="stand-in: scale_rows: 70000 blocks are not 1 to 65535") as caught:
        _fail_at_launch()
    assert caught.value.code == 107000 and _is_complete(str(caught.value))
    _repair()
    assert scale_rows(_rows().to("npu"), 2.0).cpu().equal(2 * _rows())


def failing_launch_in_the_queue():
    """The failure is raised when the host waits; later launches raise it again, with all that is known."""
    _fail_at_launch()
    time.sleep(0.2)  # torch_npu misses a failure that happens while it looks at the queue
    with pytest.raises(RuntimeError, match="70000 blocks are not 1 to 65535") as caught:
        torch.npu.synchronize()
    assert "scale_rows" in str(caught.value)
    _repair()
    for _ in range(2):
        with pytest.raises(runtime.LaunchError, match="cannot use the device any more") as caught:
            scale_rows(_rows().to("npu"), 2.0)
        assert caught.value.code == 107000 and _is_complete(str(caught.value))


def failing_launch_seen_by_the_next():
    """Without a synchronise in between, the next launch raises what torch_npu says, or ours."""
    _fail_at_launch()
    time.sleep(0.2)
    _repair()
    with pytest.raises(runtime.LaunchError) as caught:
        scale_rows(torch.empty(70, 32, device="npu"), 2.0)
    assert _is_complete(str(caught.value))


def failing_kernel():
    """A kernel that leaves its memory: the chip finds it, and the next synchronise raises it, with the line."""
    _warm_up()
    given = _rows().to("npu")
    stream = torch_npu._C._npu_getCurrentRawStreamNoWait(0)
    addresses = [given.data_ptr() + (1 << 32), given.data_ptr()]
    environment.acl().enqueue(_scale_plan(), stream, addresses, [2.0], given)
    with pytest.raises(RuntimeError, match=r"stand-in: scale_rows: .*_checks\.py:\d+: error: out of bounds"):
        torch.npu.synchronize()


def unsupported_chip():
    """A chip of another architecture, and one that an object was not compiled for."""
    acl.attn_standin_set_soc(b"Ascend310P3")
    with pytest.raises(runtime.UnsupportedSoc, match="SoC Ascend310P3 is not supported: .* targets arch 2201"):
        scale_rows(_rows().to("npu"), 2.0)
