"""The screen: text with or without colour, progress as a bar or as lines.

Used by the verbs. rich is imported only for a terminal that takes colour.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import click

from samplercheck.reports.brief import fit_width
from samplercheck.search.profiles import IMPORT, Progress, Show
from samplercheck.values.wording import pluralise

BOTH = "found|when|where|cause|fix|look at|look for|usually|more"
LONG_IMPORT = (
    "The import of the target has taken {seconds:.0f} s so far. What only a script does, such\n"
    'as training, belongs under if __name__ == "__main__":'
)
SILENCE = 5.0
"""Seconds without a line after which what is going on gets one."""
STYLES = (
    (r"(?m)^ {0,2}(BROKEN|INTERRUPTED|STOPPED)\b|\b\d+ BROKEN\b", "bold red"),
    (rf"(?m)^({BOTH}|training|and|if meant|even so|for that|seems|why|advice|not checked) ", "bold"),
    (rf"(?m)^  ({BOTH}|case|smallest|also|again|try) ", "bold"),
    (r"(?m)^HOLDS\b", "bold green"),
    (r"(?m)^UNKNOWN\b|\b[1-9]\d* unknown\b", "yellow"),
    (r"(?m)^(ADVICE|SKIPPED)\b", "cyan"),
    (r"(?m)<- .*$", "red"),
    (r"(?m)^\d+ hold\b|^\+ (?:FIXED|HOLDS)\b", "green"),
    (r"(?m)^x FAILED\b", "bold red"),
    (r"(?m)^(~ FLAKY|! ERROR)\b", "yellow"),
)


def columns() -> int:
    """Return how wide the terminal is, within what can be read; where there is none, 80 or COLUMNS."""
    return fit_width(shutil.get_terminal_size((80, 24)).columns)


def takes_colour(*, wanted: bool, stream: Any) -> bool:
    """Whether colour is welcome: asked for, on a terminal that can, and NO_COLOR not set."""
    if not wanted or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(stream.isatty())


def show(text: str, *, colour: bool) -> None:
    """Print a text to stdout; without colour exactly as it is."""
    if not takes_colour(wanted=colour, stream=sys.stdout):
        click.echo(text)
        return
    from rich.console import Console
    from rich.text import Text

    styled = Text(text)
    for pattern, style in STYLES:
        styled.highlight_regex(pattern, style)
    Console(highlight=False, soft_wrap=True).print(styled)


def _forecast(progress: Progress) -> str:
    """Say how long a run may take, or an import has taken; a machine with other work to do needs longer."""
    if progress.phase == IMPORT:
        return LONG_IMPORT.format(seconds=progress.seconds)
    minutes = round(progress.seconds / 60)
    length = f"about {pluralise(minutes, 'minute')}" if minutes else "less than a minute"
    return f"{length} for {progress.planned:,} cases"


@contextmanager
def _lines() -> Iterator[Show]:
    """Print one line for each phase, on stderr, when it has ended, and what takes long; what CI logs show."""
    latest: list[Progress] = []
    told_at = time.monotonic()

    def tell() -> None:
        for one in latest:
            say(f"{one.phase}: {one.done:,} of {one.planned:,} cases")

    def say(line: str) -> None:
        nonlocal told_at
        click.echo(line, err=True)
        told_at = time.monotonic()

    def take(progress: Progress) -> None:
        if progress.seconds:
            click.echo(_forecast(progress), err=True)
            return
        if latest and latest[0].phase != progress.phase:
            tell()
        latest[:] = [progress]
        if progress.about and time.monotonic() - told_at >= SILENCE:
            say(f"{progress.phase}: {progress.about}")

    try:
        yield take
    finally:
        tell()


@contextmanager
def _bars() -> Iterator[Show]:
    """Draw a bar for each phase, on stderr, gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    tasks: dict[str, Any] = {}
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def take(progress: Progress) -> None:
            if progress.seconds:
                bars.console.print(_forecast(progress), highlight=False)
                return
            if progress.phase not in tasks:
                tasks[progress.phase] = bars.add_task(progress.phase, total=progress.planned)
            said = " ".join(filter(None, (progress.phase, progress.about)))
            task = tasks[progress.phase]
            bars.update(task, description=said, completed=progress.done, total=progress.planned)

        yield take


def open_progress(*, colour: bool) -> AbstractContextManager[Show]:
    """Return the progress for this stderr, a context manager: bars on a terminal, else lines."""
    return _bars() if takes_colour(wanted=colour, stream=sys.stderr) else _lines()
