"""The native module that loads objects and launches kernels on NPUs."""

from collections.abc import Callable

class AclError(RuntimeError):
    """A call of the ACL runtime that failed; `args` are its code and a text."""

class Kernel:
    """A kernel of a loaded object."""

    @property
    def name(self) -> str: ...
    @property
    def function(self) -> int:
        """The runtime's handle of it."""

def open_runtime() -> None:
    """Opens the ACL runtime; RuntimeError says why that fails."""

def standin_description() -> str:
    """What a runtime that is not CANN says about itself; empty for CANN."""

def soc_name() -> str:
    """The name of the chip."""

def device_count() -> int:
    """How many devices are visible."""

def group_count(device: int) -> int:
    """The groups of one cube core and its vector cores that a device has."""

def load_object(data: bytes, magic: int) -> int:
    """Loads an object on the device of this thread, and returns its handle."""

def find_kernel(object: int, name: str, fields: list[tuple[str, int, int, str]], is_all_at_once: bool) -> Kernel:
    """A kernel of an object; `fields` are name, offset, size and form of its arguments, for messages.

    `is_all_at_once`: its blocks wait for each other, so the runtime must start all of them at the same time.
    """

def sync_base() -> int:
    """The address through which the cores of this thread's device meet."""

class Plan:
    """Launches of kernels, one after the other, that differ in addresses and floating-point numbers only.

    `arguments` are packed, with tables of addresses after the block; `addresses` and `floats` say where those of a
    launch go in them, `places` where the runtime writes the addresses of tables, and where these begin.
    """

    def __init__(
        self,
        kernels: list[Kernel],
        blocks: int,
        arguments: bytes,
        addresses: list[int],
        floats: list[int],
        places: list[tuple[int, int]],
    ) -> None: ...
    @property
    def blocks(self) -> int: ...
    def pack(self, addresses: list[int], floats: list[float]) -> bytes:
        """The arguments of one launch."""

def connect_queue() -> None:
    """Finds torch_npu's task queue; RuntimeError says why that fails."""

def enqueue(plan: Plan, stream: int, addresses: list[int], floats: list[float], kept: object) -> None:
    """Queues the launches of a plan; `kept` lives until they were handed to the runtime."""

def launch(plan: Plan, stream: int, addresses: list[int], floats: list[float]) -> None:
    """Launches at once, past the queue."""

def enqueue_function(name: str, function: Callable[[], int]) -> None:
    """Queues a function, which returns an ACL code."""
