"""Dense, block-sparse and paged attention on NPU tensors, under the real torch_npu on the stand-in."""

from pathlib import Path

import standin

CHECKS = Path(__file__).with_name("standin_attention_checks.py")


def test_attention_on_the_standin(subtests):
    standin.run(CHECKS).require_all(subtests, standin.names_of(CHECKS))
