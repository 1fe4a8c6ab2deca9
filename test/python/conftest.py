"""What is printed at the start of a run: which random programs it tries."""

import os


def pytest_report_header():
    start, count = (os.environ.get(f"ATTN_RANDOM_{name}", default) for name, default in (("START", "1"), ("COUNT", "500")))
    return f"random programs: {count} from ATTN_RANDOM_START={start}"
