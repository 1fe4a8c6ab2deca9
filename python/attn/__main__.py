"""`python -m attn`: the commands of attn.cli."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main(program="python -m attn"))
