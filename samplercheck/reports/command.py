"""The commands that show a failing case again: ``samplercheck show TARGET -n 3 -w 2``, or a run.

Called by ``block``. Pure. Imports values alone.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields
from typing import TYPE_CHECKING

from samplercheck.contract import Contract
from samplercheck.reports.text import WIDTH

if TYPE_CHECKING:
    from samplercheck.case import Case
    from samplercheck.finding import Violation

__all__ = ["axis_value", "run_command", "show_command"]

EPOCHS = 3
"""What a case has unless told."""

_NAMED = re.compile(r"[!-9;-~]+:[A-Za-z_][\w.]*", re.ASCII)
_NO_PLACE = ("__main__:", "?:", "-")
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_WORDS = ("true", "false", "null", "none", "nan", "inf", "infinity")


def show_command(
    target: str, case: Case, violation: Violation, contract: Contract | None, *, column: int
) -> list[str]:
    """Return the lines of the command; nothing where no command line can name this target.

    ``column`` is where the lines will begin. They are never cut: what was cut would not run.
    """
    if not _can_be_named(target):
        return []
    words = [shlex.quote(target), *_case_words(case), *_contract_words(contract)]
    if violation.experiment != "epochs":
        words.append(f"--experiment {violation.experiment}")
    return _folded("samplercheck show", words, WIDTH - column)


def run_command(
    target: str, case: Case, law: str, world: str, contract: Contract | None, *, column: int
) -> list[str]:
    """Return the lines of the command that judges this law in this world again, like ``show_command``."""
    if not _can_be_named(target):
        return []
    words = [shlex.quote(target), f"--world {world}", f"--select {law}"]
    words += [*_axis_words(case), *_contract_words(contract)]
    return _folded("samplercheck run", words, WIDTH - column)


def _can_be_named(target: str) -> bool:
    return _NAMED.fullmatch(target) is not None and not target.startswith(_NO_PLACE)


def _case_words(case: Case) -> list[str]:
    if case.features or case.workers or case.stop is not None or case.resume_world_size is not None:
        return [f"--case {shlex.quote(case.token)}"]
    words = [f"-n {case.length}", f"-w {case.world_size}"]
    words += [f"-b {case.batch_size}"] if case.batch_size != 1 else []
    words += ["--shuffle"] if case.shuffle else []
    words += ["--drop-last"] if case.drop_last else []
    words += [f"--seed {case.seed}"] if case.seed else []
    words += [f"--epochs {case.epochs}"] if case.epochs != EPOCHS else []
    return words + _axis_words(case)


def _axis_words(case: Case) -> list[str]:
    return [f"--axis {shlex.quote(f'{name}={axis_value(value)}')}" for name, value in case.options]


def axis_value(value: object) -> str:
    """Return a value as ``--axis`` reads it back; text that could be taken for something else is quoted."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value)


def _contract_words(contract: Contract | None) -> list[str]:
    if contract is None:
        return []
    default = Contract()
    words = []
    for item in fields(contract):
        value = getattr(contract, item.name)
        if value != getattr(default, item.name) and isinstance(value, (bool, int, str)):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            words.append(f"--contract {shlex.quote(f'{item.name}={text}')}")
    return words


def _folded(start: str, words: list[str], width: int) -> list[str]:
    """Break a command over lines that end in a backslash; nothing where one word is too wide."""
    lines = [start]
    for word in words:
        if len(lines[-1]) + len(word) + 3 <= width:
            lines[-1] += f" {word}"
        else:
            lines[-1] += " \\"
            lines.append(f"    {word}")
    return lines if max(map(len, lines)) <= width else []
