"""``samplercheck replay``: runs stored failures, or cases named by a token, again.

The process that runs this imports neither torch, numpy nor hypothesis: each run has a child process.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.screen import open_progress, show
from samplercheck.cli.streams import complain
from samplercheck.cli.values import colour_option, contract_from, contract_option
from samplercheck.values import exits
from samplercheck.values.errors import UsageError
from samplercheck.values.exits import worst_exit
from samplercheck.values.layout import cut, printable, row, sentence

if TYPE_CHECKING:
    from samplercheck.running.replaying import ReplayVerdict
    from samplercheck.storage.store import Store

SIGNS = {"FIXED": "+", "HOLDS": "+", "FAILED": "x", "FLAKY": "~", "ERROR": "!", "ADVICE": "-"}
STILL_FAILS = "known: it still fails"
COLUMN = 16
MOST_LINES = 8
EVERY = 0.2
"""Seconds between two looks."""
LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages"})
MOST_FILES = 10_000


@click.command()
@click.argument("what", metavar="[ID / TOKEN / FILE / DIR]", required=False)
@click.option("--target", metavar="TARGET", help="Run this one, whatever the files say.")
@contract_option("The contract under which a TOKEN is run.")
@click.option("--world", metavar="NAME", help="Where its ranks run: simulated, gloo or nccl.")
@click.option("--strict", is_flag=True, help="Count what is of the grade strict as failures, too.")
@click.option("--prune", is_flag=True, help="Remove what is fixed from its file, and empty files.")
@click.option(
    "--emit-test", type=click.Path(path_type=Path), metavar="FILE", help="Write a regression test for pytest."
)
@click.option("--watch", is_flag=True, help="Run again, once each, when a Python file is saved.")
@colour_option
def command(what: str | None, **options: Any) -> int:
    """Run failures again, three times in fresh processes each.

    Without an argument all that are stored in the nearest .samplercheck, upwards; else the ID of a
    stored case, its FILE, a DIR of such files, or a TOKEN such as "SC104?n=3,world=2,batch=1" (with
    --target). With --watch each is run once, and again whenever a Python file of the project is saved.
    """
    from samplercheck.storage.store import Store

    store, changes = Store.nearest(Path.cwd()), contract_from(options["contract"])
    path, prune = options["emit_test"], options["prune"]
    if path is not None and path.exists():
        raise UsageError(f"--emit-test {str(path)!r} exists, and nothing is written over: name another.")
    if options["watch"] and (prune or path is not None):
        raise UsageError("--watch writes nothing: leave it out, or --prune and --emit-test.")
    replay = partial(
        _replay,
        what,
        store,
        target=options["target"],
        contract=changes,
        world=options["world"],
        strict=options["strict"],
        colour=not options["no_color"],
    )
    if options["watch"]:
        return _repeat(replay, partial(wait_for_change, store.project))
    verdicts, code = replay()
    if path is not None and verdicts:
        _emit(verdicts, options["world"], path)
    if prune:
        from samplercheck.running.replaying import prune_fixed

        for line in prune_fixed(verdicts):
            click.echo(line)
    return code


def _replay(
    what: str | None, store: Store, *, target: str | None, colour: bool, **how: Any
) -> tuple[list[ReplayVerdict], int]:
    """Run what is named again and show what came of it; return the verdicts and the exit code."""
    from samplercheck.running.replaying import cases_of, replay_all, select_cases

    started = time.monotonic()
    subjects = select_cases(cases_of(what, store), target)
    if not subjects:
        complain(f"no failing case is stored in {what or store.directory}: nothing to replay.")
        return [], exits.NOTHING
    with open_progress(colour=colour) if sys.stderr.isatty() else nullcontext() as progress:
        verdicts = replay_all(subjects, target, project=store.project, progress=progress, **how)
    for verdict in verdicts:
        show(_describe(verdict), colour=colour)
    code = worst_exit([one.exit_code for one in verdicts])
    show(_summarise(verdicts, time.monotonic() - started, code), colour=colour)
    return verdicts, code


def _describe(one: ReplayVerdict) -> str:
    word = f"{SIGNS[one.word]} {one.word}"
    if one.word == "FLAKY":
        word += f" {one.failed} of {one.runs}"
    case = f"{one.case.id}  {printable(one.law) or 'all laws':<9}" if one.case else ""
    lines = [f"{word:<{COLUMN - 1}} {case}{cut(printable(one.name), 80 - COLUMN - 19)}".rstrip()]
    if one.case is not None:
        lines += row("", printable(one.case.token), indent=0, column=COLUMN, most=2)
    if one.is_known:
        stale = "stale: remove it from the known failures"
        known = {"FIXED": stale, "HOLDS": stale, "FAILED": STILL_FAILS, "ADVICE": STILL_FAILS}
        lines += row("", sentence(known.get(one.word, "")), indent=0, column=COLUMN)
    lines += row("", sentence(one.why), indent=0, column=COLUMN, most=MOST_LINES)
    for note in one.notes:
        lines += row("", sentence(note), indent=0, column=COLUMN)
    return "\n".join(lines)


def _summarise(verdicts: Sequence[ReplayVerdict], seconds: float, exit_code: int) -> str:
    counts = Counter(one.word for one in verdicts)
    words = {"FIXED": "fixed", "FAILED": "FAILED", "FLAKY": "flaky", "ERROR": "error"}
    words |= {word: text for word, text in {"HOLDS": "hold", "ADVICE": "advice"}.items() if counts[word]}
    numbers = "   ".join(f"{counts[word]} {text}" for word, text in words.items())
    return f"\n{numbers}\n{seconds:.1f} s    exit {exit_code}"


def _repeat(
    replay: Callable[..., tuple[list[ReplayVerdict], int]], wait: Callable[..., dict[str, int]]
) -> int:
    """Replay once each whenever a file is saved, until Ctrl-C; return the last exit code."""
    seen, code = wait(), exits.NOTHING
    try:
        while True:
            _, code = replay(rounds=1)
            click.echo("waiting for a Python file to be saved; Ctrl-C ends")
            seen = wait(seen)
    except KeyboardInterrupt:
        return code


def _emit(verdicts: list[ReplayVerdict], world: str | None, path: Path) -> None:
    from samplercheck.running.replaying import regression_test
    from samplercheck.storage.report_file import save_text

    save_text(regression_test(verdicts, world), path)
    left = sum(not one.is_decided for one in verdicts)
    click.echo(f"wrote {path}{f', without {left} that could not be run and judged' if left else ''}")


def wait_for_change(folder: Path, seen: dict[str, int] | None = None) -> dict[str, int]:
    """Return once a Python file below a folder is other than it was ``seen``, with what is there now.

    Without anything seen return at once. Hidden folders and installed packages are left out.
    """
    while (now := _list_times(folder)) == seen:
        time.sleep(EVERY)
    return now


def _list_times(folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for here, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name not in LEFT_OUT
            and not Path(here, name, "pyvenv.cfg").exists()
        ]
        for name in files:
            if name.endswith(".py") and len(found) < MOST_FILES:
                path = os.path.join(here, name)  # noqa: PTH118  (thousands of strings)
                with suppress(OSError):  # gone since
                    found[path] = os.stat(path).st_mtime_ns  # noqa: PTH116  (the same)
    return found
