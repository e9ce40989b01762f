"""The commands that show a failing case again: ``samplercheck show TARGET -n 3 -w 2``, or a replay.

Called by ``again``. Pure. Imports values alone.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from samplercheck.reports.text import WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from samplercheck.case import Case
    from samplercheck.contract import Contract
    from samplercheck.finding import Violation

__all__ = ["SIMULATED", "axis_value", "changes_of", "replay_command", "show_command", "told_command"]

SIMULATED = "simulated"
EPOCHS = 3
"""What a case has unless told."""

_NAMED = re.compile(r"[!-9;-~]+:[A-Za-z_][\w.]*", re.ASCII)
_NO_PLACE = ("__main__:", "?:", "-")
_TOKEN = re.compile(r"\w+\?[\w=,.:-]+", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_WORDS = ("true", "false", "null", "none", "nan", "inf", "infinity")


def show_command(
    target: str, case: Case, violation: Violation, contract: Mapping[str, Any], *, column: int
) -> list[str]:
    """Return the lines of the command; nothing where no command line can name this target.

    ``contract`` are the fields that are to be told, ``column`` is where the lines will begin. They are
    never cut: what was cut would not run.
    """
    if not _can_be_named(target):
        return []
    words = [shlex.quote(target), *_case_words(case), *_contract_words(contract)]
    if violation.experiment != "epochs":
        words.append(f"--experiment {violation.experiment}")
    return _folded("samplercheck show", words, WIDTH - column)


def replay_command(
    what: str, target: str, contract: Mapping[str, Any], world: str = SIMULATED, *, column: int
) -> list[str]:
    """Return the lines of the command that tries a token or a file for this target, like ``show_command``.

    What a process group has shown, simulation may not show: another ``world`` is said.
    """
    if not _can_be_named(target):
        return []
    words = [_quoted(what), f"--target {shlex.quote(target)}"]
    words += [*([f"--world {world}"] if world != SIMULATED else []), *_contract_words(contract)]
    return _folded("samplercheck replay", words, WIDTH - column)


def told_command(start: str, word: str, *, column: int) -> list[str]:
    """Return the lines of a command of one word; nothing where no line can tell it."""
    return _folded(start, [shlex.quote(word)], WIDTH - column)


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


def changes_of(contract: Contract | None) -> dict[str, Any]:
    """Return the fields of a contract that are not the default ones, as far as a command can tell them."""
    changes = contract.changes() if contract is not None else {}
    return {name: value for name, value in changes.items() if isinstance(value, (bool, int, str))}


def _contract_words(contract: Mapping[str, Any]) -> list[str]:
    return [f"--contract {shlex.quote(f'{name}={_spoken(value)}')}" for name, value in contract.items()]


def _spoken(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _quoted(word: str) -> str:
    """Quote a word for a shell; a token gets double quotes, which every shell knows."""
    return f'"{word}"' if _TOKEN.fullmatch(word) else shlex.quote(word)


def _folded(start: str, words: list[str], width: int) -> list[str]:
    """Break a command over lines that end in a backslash; nothing where a word is too wide, or no ASCII."""
    lines = [start]
    for word in words:
        if len(lines[-1]) + len(word) + 3 <= width:
            lines[-1] += f" {word}"
        else:
            lines[-1] += " \\"
            lines.append(f"    {word}")
    plain = all(line.isascii() and line.isprintable() for line in lines)
    return lines if plain and max(map(len, lines)) <= width else []
