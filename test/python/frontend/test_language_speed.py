"""The frontend's time grows with the length of a kernel, not faster; bounds are far above what is measured."""

import time

import attn.language as at
import kernel_text


def straight_line(length: int):
    """A kernel of `length` elementwise statements."""
    lines = ["@attn.kernel", 'def k(X: at.Tensor["T D"], BT: at.Auto(1, 64)):', '    Y = at.empty("T D", at.f32)',
             "    for t in at.grid(at.tiles(T, BT)):", "        x0 = X[t, :]"]  # fmt: skip
    for i in range(length):
        other = f"x{max(0, i - 3)}" if i % 2 else "0.5"
        lines.append(f"        x{i + 1} = x{i} {'+-*'[i % 3]} {other}")
    return "\n".join([*lines, f"        Y[t, :] = x{length}", "    return Y"])


def seconds(tmp_path, length: int):
    """From the source to verified tile IR; processor time, the best of three, as others use the machine too."""
    taken = []
    for _ in range(3):
        kernel = kernel_text.define(tmp_path, straight_line(length))
        start = time.process_time()
        kernel.compile(X=at.spec("? 256", at.f32)).module("source")
        taken.append(time.process_time() - start)
    return min(taken)


def test_time_grows_linearly(tmp_path):
    seconds(tmp_path, 16)  # loads the native module
    short, long = seconds(tmp_path, 1024), seconds(tmp_path, 4096)
    assert long < 3
    assert long < 4 * short * 2.5
