"""Settings of this process: `attn.config.check_index = False`."""

from __future__ import annotations

import os

# Whether operators look through lists of blocks, tables of pages and lengths for entries that name nothing. That reads
# them on the host. Unchecked, such an entry gives wrong numbers, but no access outside of an array.
check_index = os.environ.get("ATTN_CHECK_INDEX", "1") != "0"

# Whether kernels are optimised for the CPU. Unoptimised, they compile in a fraction of the time and run slower.
optimize_cpu = os.environ.get("ATTN_OPTIMIZE_CPU", "1") != "0"
