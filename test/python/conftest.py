"""What is printed at the start of a run: which random programs it tries."""

import os


def pytest_report_header():
    start, count = os.environ.get("ATTN_RANDOM_START", "1"), os.environ.get("ATTN_RANDOM_COUNT", "500")
    return f"random programs: {count} from ATTN_RANDOM_START={start}"
