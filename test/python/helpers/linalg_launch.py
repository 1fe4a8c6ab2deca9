"""Calls kernels in their linalg form: arguments in the order of the text, on the interpreter."""

import torch

from linalg_interpreter import DTYPES, Array, launch, undefined


def _array(tensor):
    """From the first element to the last, in the memory of the tensor."""
    extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return Array(tensor.as_strided([extent], [1]))


def _numbers(parameter, tensor):
    """What is after an array: sizes that the kernel does not know, and strides but the last."""
    names = parameter["dims"][-tensor.dim() :]
    return [size for name, size in zip(names, tensor.shape) if isinstance(name, str)] + list(tensor.stride()[:-1])


def call(artefact, values: dict, programs: int, text: str | None = None):
    """The outputs of a kernel by name, and how often its programs met."""
    dims, arguments, memory, outputs = {"@blocks": programs}, [], {}, {}
    text = text or artefact.ir("linalg")
    if "WorkspaceArgIdx" in text:  # the vendor's cores pass tiles to each other there
        arguments.append(Array(undefined(torch.int8, [1])))
    for parameter in artefact.sidecar.parameters:
        name = parameter["name"]
        if "@groups" in parameter.get("dims", ()):
            continue  # of the halves that we make of a kernel; this form has none
        if parameter["kind"] == "scalar":
            arguments.append(torch.tensor(values[name]) if parameter["dtype"] == "f32" else values[name])
            continue
        is_table = parameter["kind"] == "table"
        if parameter["role"] == "input":
            value = values[name]
            sizes = [len(value), *value[0].shape] if is_table else value.shape
            dims.update(zip(parameter["dims"], sizes, strict=True))
        else:
            sizes = [dims.get(dim, dim) for dim in parameter["dims"]]
            value = undefined(DTYPES[parameter["dtype"]], sizes)
            value = list(value) if is_table else value
        if parameter["role"] == "output":
            outputs[name] = value
        if is_table:
            memory.update((tensor.data_ptr(), _array(tensor)) for tensor in value)
            addresses = torch.tensor([tensor.data_ptr() for tensor in value])
            arguments += [Array(addresses), len(value), *_numbers(parameter, value[0])]
        else:
            arguments += [_array(value), *_numbers(parameter, value)]
    return outputs, launch(text, arguments, memory, programs)
