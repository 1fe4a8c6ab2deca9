"""The command line, `attn <command>`. A command is a module of this package that COMMANDS names.

A command's module has `add_arguments(parser)` and `run(arguments)`, which returns the exit code; the first line of its
docstring is its help. Mistakes of the user are ValueError, TypeError, OSError or CompileError: they end the command
with their message and exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from ..errors import CompileError

COMMANDS = ("cache", "compile", "info")


def main(words=None, program: str = "attn"):
    """Runs the command that the words (by default those of the process) name; returns the exit code."""
    parser = argparse.ArgumentParser(prog=program, description="Attention kernels for NPUs and CPUs.")
    commands = parser.add_subparsers(metavar="command", required=True)
    for name in COMMANDS:
        module = import_module(f".{name}", __name__)
        help_text = (module.__doc__ or "").splitlines()[0]
        command = commands.add_parser(name, help=help_text, description=help_text)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    arguments = parser.parse_args(words)
    try:
        return arguments.run(arguments)
    except CompileError as error:
        print(error, file=sys.stderr)
    except (ValueError, TypeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    return 1
