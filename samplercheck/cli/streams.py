"""Streams: a stdout and a stderr that outlast a closed pipe or a full disk; complaints, which go to stderr.

Used by ``main``, around everything that prints, and by the verbs. What cannot be written is dropped from then
on and the reason kept, so that a run goes on and its exit code still says what was found.
"""

from __future__ import annotations

import io
import os
import sys
import textwrap
from typing import Any

import click

LAST_STREAM = 2
UNKNOWN_WIDTH, LEAST_WIDTH = 80, 20


class Outlet(io.FileIO):
    """The end of a stream: takes everything, and writes nothing more after its first ``failure``."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self.failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write, and return how much was taken."""
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def hold() -> Outlet | None:
    """Put outlets behind stdout and stderr, and return stdout's; a terminal may go away too.

    A stream that the caller has closed on purpose leads nowhere.
    """
    _take_free_numbers()
    _, outlet = _hold_stream("stderr"), _hold_stream("stdout")
    return outlet


def _take_free_numbers() -> None:
    """Keep the numbers of closed streams from files that are opened later, or output would land in these."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= LAST_STREAM:
        pass
    os.close(number)


def _hold_stream(name: str) -> Outlet | None:
    stream = getattr(sys, name)
    if stream is None:
        setattr(sys, name, open(os.devnull, "w", encoding="ascii"))  # noqa: PTH123, SIM115  (open to the end)
        return None
    if stream.isatty() and sys.platform == "win32":  # a console there is no file
        return None
    outlet = Outlet(stream.fileno())
    buffer = io.BufferedWriter(outlet)
    setattr(sys, name, io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=True))
    return outlet


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
