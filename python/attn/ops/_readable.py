"""What operators ask of their arguments: which arrays kernels read and write in place, and copies of the others."""

from __future__ import annotations

import contextlib

import torch
from torch._C import _functorch as functorch
from torch._subclasses import FakeTensor
from torch.autograd import forward_ad

from .. import memory

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
# Where operators run; the second is PyTorch's own name of what torch_npu calls npu. On an NPU they call nothing of
# PyTorch but empty, copy and add: everything else is a kernel of ours.
DEVICES = ("cpu", "privateuseone")


def check_dtype(name: str, tensor):
    """TypeError unless the argument is a tensor of a type that kernels know."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name}: a tensor is expected, not {type(tensor).__name__}")
    if tensor.dtype not in DTYPES:
        raise TypeError(f"{name}: {tensor.dtype} is not supported; known: {', '.join(map(str, DTYPES))}")
    if not torch.compiler.is_compiling() and tensor.is_neg():
        raise ValueError(f"{name}: a view that negates other memory: call on {name}.resolve_neg()")


def check_device(name: str, tensor, first_name: str, first):
    """ValueError unless both tensors are on the same device."""
    if tensor.device != first.device:
        raise ValueError(f"{name}: device {tensor.device} does not equal {first.device} of {first_name}")


def has_values(tensor):
    """Whether there are numbers to be looked at: not while a graph is traced, nor in fake tensors."""
    return not (torch.compiler.is_compiling() or tensor.device.type == "meta" or isinstance(tensor, FakeTensor))


def refuse_transforms(operator: str, *tensors, mapped: bool = True):
    """NotImplementedError for derivatives in forward mode, which PyTorch would take to be 0, and for what it refuses in
    words of its own: gradients of `torch.func`, and unless the operator can be `mapped`, `torch.vmap`."""
    if torch.compiler.is_compiling() or (forward_ad._current_level < 0 and functorch.maybe_current_level() is None):
        return
    given = [tensor for tensor in tensors if tensor is not None]
    if any(forward_ad.unpack_dual(tensor).tangent is not None for tensor in given):
        raise NotImplementedError(f"{operator}: derivatives in forward mode are not supported")
    for tensor in given:
        while functorch.is_functorch_wrapped_tensor(tensor):
            if functorch.is_gradtrackingtensor(tensor):
                raise NotImplementedError(f"{operator}: gradients by torch.func are not supported; call backward()")
            if not mapped and functorch.is_batchedtensor(tensor):
                raise NotImplementedError(f"{operator}: torch.vmap is not supported; give it all entries of a batch")
            tensor = functorch.get_unwrapped(tensor)


# Memory order


def memory_order(tensor, dims: range):
    """The places of those dims by stride, the largest first; as they are where a stride of 0 leaves it open."""
    strides = [tensor.stride(dim) for dim in dims]
    if any(stride == 0 and tensor.shape[dim] != 1 for dim, stride in zip(dims, strides)):
        return list(range(len(strides)))
    return sorted(range(len(strides)), key=lambda place: -strides[place])


def empty_in_order(shape, order, dtype, device):
    """A dense tensor whose leading dims lie in memory in that order; the others follow as they are."""
    strides, stride = [0] * len(shape), 1
    for dim in reversed([*order, *range(len(order), len(shape))]):
        strides[dim] = stride
        stride *= shape[dim]
    return torch.empty_strided(shape, strides, dtype=dtype, device=device)


def zeros(shape, dtype, device):
    """Zeros, which the host makes."""
    return torch.zeros(shape, dtype=dtype, device="cpu").to(device)


# Reading in place


def is_readable(tensor):
    """Whether kernels take it as it lies in memory: elements of the last dim one after the other."""
    return tensor.shape[-1] <= 1 or tensor.stride(-1) == 1


def readable_copy(tensor):
    """A copy that kernels can read; rows that are the same in memory are copied once."""
    once = tensor
    for dim in range(tensor.dim() - 1):
        if tensor.stride(dim) == 0:
            once = once.narrow(dim, 0, 1)
    return once.contiguous().expand(tensor.shape)


def copy_bytes(tensor):
    """The bytes of `readable_copy`."""
    count = tensor.shape[-1] * tensor.element_size()
    for size, stride in zip(tensor.shape[:-1], tensor.stride()):
        count *= 1 if stride == 0 else size
    return count


@contextlib.contextmanager
def readable(budget: memory.Budget, *tensors):
    """The tensors as kernels can read them, None as it is; what must be copied is taken from the budget."""
    copied = unreadable(tensors)
    if not copied:
        yield list(tensors)
        return
    with budget.take(sum(map(copy_bytes, copied))):
        yield [tensor if tensor is None or is_readable(tensor) else readable_copy(tensor) for tensor in tensors]


@contextlib.contextmanager
def writable(budget: memory.Budget, output):
    """The output as kernels can write to it; where that is a temporary, it is copied to the output at the end."""
    if is_readable(output):
        yield output
        return
    with budget.take(copy_bytes(output)):
        temporary = torch.empty(output.shape, dtype=output.dtype, device=output.device)
        yield temporary
        output.copy_(temporary)


def unreadable(tensors):
    """Those that are copied."""
    return [tensor for tensor in tensors if tensor is not None and not is_readable(tensor)]
