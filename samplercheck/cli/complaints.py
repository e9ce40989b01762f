"""Complaints: what goes wrong, on stderr, in lines of the terminal's width.

Used by ``main``. Imports click and the standard library.
"""

from __future__ import annotations

import os
import sys
import textwrap

import click

UNKNOWN_WIDTH = 80
LEAST_WIDTH = 20


def complain(what: object) -> None:
    """Print a message to stderr; lines that are indented, as code to paste is, stay as they are."""
    text = f"samplercheck: {what}".encode("ascii", "backslashreplace").decode()
    click.echo("\n".join(_fold(line) for line in text.split("\n")), err=True)


def refuse(error: click.ClickException) -> None:
    """Print an error of click's: how the verb is used, where to read more, what is wrong."""
    context = getattr(error, "ctx", None)
    if context is not None:
        click.echo(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n", err=True)
    complain(error.format_message())


def _fold(line: str) -> str:
    if line.startswith(" "):
        return line
    return textwrap.fill(line, _width(), break_long_words=False, break_on_hyphens=False)


def _width() -> int:
    """The columns of the terminal that stderr is."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):  # no terminal; no file at all
        columns = 0
    return max(columns or UNKNOWN_WIDTH, LEAST_WIDTH)
