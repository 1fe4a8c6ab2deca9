"""What torch_npu itself does on the stand-in, before any kernel of ours: tensors, copies, streams, events, memory."""

import copy
import ctypes
import io
import threading
import time

import torch

import standin

acl = standin.start()

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def check_device_is_described():
    assert torch.npu.is_available() and torch.npu.device_count() == 2
    assert torch.npu.get_device_name(0) == "Ascend910B4"
    properties = torch.npu.get_device_properties(0)
    assert (properties.cube_core_num, properties.vector_core_num) == (20, 40)
    assert b"stand-in" in acl.attn_standin_description()


def check_fresh_memory_is_nan():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        assert torch.empty(1 << 19, dtype=dtype, device="npu").cpu().isnan().all()


def check_copies_keep_values():
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.bool, torch.uint8):
        values = torch.arange(24).reshape(2, 3, 4).to(dtype)
        on_npu = values.to("npu")
        assert on_npu.dtype == dtype and on_npu.cpu().equal(values)
        assert values.to("npu", torch.float32).cpu().equal(values.float())
    pinned = torch.arange(8.0).pin_memory()
    assert pinned.to("npu", non_blocking=True).cpu().equal(pinned)
    assert pinned.to("npu").clone()[3].item() == 3.0
    assert copy.deepcopy(on_npu).cpu().equal(values)
    file = io.BytesIO()
    torch.save(on_npu, file)
    file.seek(0)
    assert torch.load(file).cpu().equal(values)


def check_only_copies_were_called():
    before = {name: standin.count(name) for name in ("aclopCompileAndExecute", "aclnnInplaceCopy")}
    torch.arange(6.0).to("npu").view(2, 3)[1].cpu()
    assert before == {name: standin.count(name) for name in before}


def check_freeing_leaves_neighbours_alone():
    """Memory is freed in whole pages: what shares one with something freed keeps its bytes."""
    torch.npu.set_device(0)
    place, pointer, size = ctypes.c_void_p(), ctypes.c_void_p, ctypes.c_size_t
    places = []
    for _ in range(20):
        assert acl.aclrtMalloc(ctypes.byref(place), size(64), 0) == 0
        source = bytes([len(places)] * 64)
        assert acl.aclrtMemcpy(place, size(64), source, size(64), HOST_TO_DEVICE) == 0
        places.append(place.value)
    for freed in places[::2]:
        assert acl.aclrtFree(pointer(freed)) == 0
    for number, kept in enumerate(places):
        if number % 2:
            read = ctypes.create_string_buffer(64)
            assert acl.aclrtMemcpy(read, size(64), pointer(kept), size(64), DEVICE_TO_HOST) == 0
            assert read.raw == bytes([number] * 64)
            assert acl.aclrtFree(pointer(kept)) == 0


def check_views_and_strides():
    values = torch.arange(60.0).reshape(3, 4, 5)
    on_npu = values.to("npu")
    view = on_npu[:, 1:3].transpose(0, 2)
    assert view.stride() == values[:, 1:3].transpose(0, 2).stride()
    assert view.cpu().equal(values[:, 1:3].transpose(0, 2))
    assert view.contiguous().cpu().equal(values[:, 1:3].transpose(0, 2))
    target = torch.zeros(5, 2, 3).to("npu")
    target.copy_(view)
    assert target.cpu().equal(values[:, 1:3].transpose(0, 2))


def check_the_few_operators():
    values = torch.arange(12.0).reshape(3, 4)
    on_npu = values.to("npu")
    assert (on_npu + on_npu[0]).cpu().equal(values + values[0])
    assert (on_npu * on_npu).cpu().equal(values * values)
    assert (on_npu + 2).cpu().equal(values + 2) and (on_npu * 3).cpu().equal(values * 3)
    on_npu += on_npu.clone()
    assert on_npu.cpu().equal(2 * values)
    for dtype in (torch.float16, torch.bfloat16):
        third = (values / 3).to("npu")
        assert third.to(dtype).cpu().equal((values / 3).to(dtype))
    assert torch.zeros(3, 5, device="npu").cpu().equal(torch.zeros(3, 5))
    assert torch.full((3,), 7.0, device="npu").cpu().equal(torch.full((3,), 7.0))


def check_streams_are_ordered_by_events():
    """A stream waits for the work before an event, here a host function that sleeps, and only for that."""
    order = []
    sleeping = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: (time.sleep(0.05), order.append("slow")))
    noting = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: order.append("fast"))
    first, second = torch.npu.Stream(), torch.npu.Stream()
    event = torch.npu.Event()
    assert acl.aclrtLaunchHostFunc(ctypes.c_void_p(first.npu_stream), sleeping, None) == 0
    event.record(first)
    second.wait_event(event)
    assert acl.aclrtLaunchHostFunc(ctypes.c_void_p(second.npu_stream), noting, None) == 0
    assert not second.query()
    torch.npu.synchronize()
    assert second.query() and event.query() and order == ["slow", "fast"]


def check_events_count_their_records():
    """A wait is for the records made before it: not for one that comes later on the same event."""
    release = threading.Event()
    blocking = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: release.wait(10))
    blocked, waiting = torch.npu.Stream(), torch.npu.Stream()
    event = torch.npu.Event()
    event.record(waiting)
    waiting.wait_event(event)
    assert acl.aclrtLaunchHostFunc(ctypes.c_void_p(blocked.npu_stream), blocking, None) == 0
    event.record(blocked)
    waiting.synchronize()  # would never end if it waited for the second record
    assert not event.query()
    release.set()
    event.synchronize()


def check_elapsed_time():
    sleeping = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: time.sleep(0.03))
    stream = torch.npu.Stream()
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    start.record(stream)
    assert acl.aclrtLaunchHostFunc(ctypes.c_void_p(stream.npu_stream), sleeping, None) == 0
    end.record(stream)
    end.synchronize()
    assert 25 < start.elapsed_time(end) < 5000


def check_streams_of_eight_threads():
    failures = []

    def work(number):
        values = torch.full((1000,), float(number))
        with torch.npu.stream(torch.npu.Stream()):
            copies = [values.to("npu").clone().cpu() for _ in range(20)]
        failures.extend(number for copied in copies if not copied.equal(values))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def check_memory_is_counted_and_runs_out():
    before = torch.npu.memory_allocated()
    tensor = torch.empty(1 << 20, device="npu")
    assert torch.npu.memory_allocated() - before >= 4 << 20
    del tensor
    try:
        torch.empty(40 << 30, dtype=torch.uint8, device="npu")
    except torch.OutOfMemoryError:
        return
    raise AssertionError("40 GiB were given by a device of 32 GiB")


def check_addresses_are_aligned():
    for size in (1, 100, 513, 5_000_000):
        assert torch.empty(size, dtype=torch.uint8, device="npu").data_ptr() % 512 == 0


def _refused(code: int, words: str, function, *arguments):
    assert function(*arguments) == code, (function.__name__, words)
    message = acl.aclGetRecentErrMsg().decode()
    assert "attn stand-in" in message and words in message, message


def check_copies_are_checked():
    tensor, host = torch.empty(64, dtype=torch.uint8, device="npu"), ctypes.create_string_buffer(1 << 23)
    device, size = ctypes.c_void_p(tensor.data_ptr()), ctypes.c_size_t
    _refused(107000, "other side", acl.aclrtMemcpy, device, size(64), host, size(64), DEVICE_TO_HOST)
    _refused(107000, "other side", acl.aclrtMemcpy, host, size(64), host, size(64), HOST_TO_DEVICE)
    _refused(107000, "to a place of 32", acl.aclrtMemcpy, device, size(32), host, size(64), HOST_TO_DEVICE)
    big = 1 << 23  # more than the allocator's segment has
    _refused(107000, "leaves the device memory", acl.aclrtMemcpy, device, size(big), host, size(big), HOST_TO_DEVICE)
    _refused(107000, "not the begin", acl.aclrtFree, ctypes.c_void_p(tensor.data_ptr() + 1))


def check_threads_begin_without_a_device():
    codes = []
    device = ctypes.c_int32()
    thread = threading.Thread(target=lambda: codes.append(acl.aclrtGetDevice(ctypes.byref(device))))
    thread.start()
    thread.join()
    assert codes == [107002]


def check_entry_points_are_counted():
    before = standin.count("aclrtSynchronizeDevice"), standin.count("aclrtMallocPhysical")
    acl.aclrtSynchronizeDevice()
    _refused(100024, "aclrtMallocPhysical is not part of the stand-in", acl.aclrtMallocPhysical)
    assert standin.count("aclrtSynchronizeDevice") == before[0] + 1
    assert standin.count("aclrtMallocPhysical") == before[1] + 1
    assert standin.count("no such entry point") == 0


def crash_by_following_a_device_pointer():
    """Ends the process: device memory is out of reach for the host."""
    tensor = torch.arange(8.0).to("npu")
    print("first byte:", ctypes.string_at(tensor.data_ptr(), 1))


def missing_operator_is_named():
    """Leaves the queue dead."""
    try:
        torch.sin(torch.arange(4.0).to("npu")).cpu()
    except RuntimeError as error:
        assert "Sin" in str(error) and "attn stand-in: the operator Sin is not there" in str(error), error
        return
    raise AssertionError("an operator that is not there gave a result")
