"""The ways to see a failure again: here, on another machine, without this kit, and drawn, as commands.

Called by ``block``. Pure. Imports values alone.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samplercheck.values.layout import WIDTH
from samplercheck.values.site import page_of

if TYPE_CHECKING:
    from samplercheck.laws.law import Law
    from samplercheck.values.case import Case
    from samplercheck.values.contract import Contract
    from samplercheck.values.finding import Failure, Violation

COLUMN = 22
PAGE = "on the web"
SIMULATED = "simulated"
EPOCHS = 3
MOST_LINES = 4
"""What a case has by default."""

_NAMED = re.compile(r"[!-9;-~]+:[A-Za-z_][\w.]*", re.ASCII)
_NO_PLACE = ("__main__:", "?:", "-")
_TOKEN = re.compile(r"\w+\?[\w=,.:-]+", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*", re.ASCII)
_WORDS = ("true", "false", "null", "none", "nan", "inf", "infinity")


@dataclass(frozen=True, kw_only=True)
class Ways:
    """What is known of a target and of a stored case by the time that a failure is shown.

    ``place`` is the text that names the target and ``contract`` what was promised otherwise than it
    declares, ``is_whole`` whether that is all; without a place no command can name it. ``stored`` is
    what ``replay`` takes here, an id or a file, ``file`` the stored file and ``script`` the one beside
    it; empty where there is none. ``is_shared`` says that other targets have failed in that case too,
    ``file_alone`` that only the file says what has to run before the case. ``site`` has the pages of laws.
    """

    place: str = ""
    contract: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = True
    stored: str = ""
    is_shared: bool = False
    file_alone: bool = False
    file: str = ""
    script: str = ""
    site: str = ""


def list_ways(law: Law, failure: Failure, ways: Ways, *, with_picture: bool, most: int) -> Iterator[str]:
    """Yield the labelled lines; a command of more than ``most`` lines is left out, and none is ever cut."""
    shown: list[tuple[str, list[str]]] = []
    if ways.place and ways.is_whole:
        if ways.stored:
            shown.append(("again", _here(ways)))
        label = "on another machine" if ways.stored else "again"
        shown += [] if ways.file_alone else [(label, _elsewhere(law, failure, ways, most))]
    if ways.script:
        shown.append(("without this kit", _one_word("python", ways.script, column=COLUMN)))
    is_of_use = failure.world == SIMULATED and bool(failure.grid or failure.violation.detail)
    if with_picture and is_of_use and not ways.file_alone:
        seen = failure.shown or failure.violation
        picture = show_command(ways.place, failure.shown_case, seen, ways.contract, column=COLUMN)
        shown.append(("see it", picture))
    # Codes in SC are the kit's own; explain does not know the laws of the user's modules.
    if law.code.startswith("SC"):
        shown.append(("more", [f"samplercheck explain {law.code}"]))
    page = page_of(ways.site, law.code)
    shown += [(PAGE, [page])] if 0 < len(page) <= WIDTH - COLUMN else []
    for label, lines in shown:
        for number, line in enumerate(lines if len(lines) <= most else ()):
            yield f"{'' if number else f'  {label}':<{COLUMN}}{line}"


def again_lines(law: Law, failure: Failure, ways: Ways) -> list[str]:
    """Return the lines of the command that runs the case again; nothing where no command can."""
    if not (ways.place and ways.is_whole):
        return []
    if ways.stored:
        return _here(ways)
    return [] if ways.file_alone else _elsewhere(law, failure, ways, MOST_LINES)


def _here(ways: Ways) -> list[str]:
    """Return the command that needs the stored case; without the target it would replay all that share it."""
    named = replay_command(ways.stored, ways.place, {}, column=COLUMN) if ways.is_shared else []
    return named or _one_word("samplercheck replay", ways.stored, column=COLUMN)


def _elsewhere(law: Law, failure: Failure, ways: Ways, most: int) -> list[str]:
    """Return the command that needs nothing of this machine; where the case is too long for it, its file."""
    token = f"{law.code}?{failure.case.token}"
    lines = replay_command(token, ways.place, ways.contract, failure.world, column=COLUMN)
    if ways.file and (not lines or len(lines) > most):
        lines = replay_command(ways.file, ways.place, ways.contract, failure.world, column=COLUMN)
    return lines


def show_command(
    target: str, case: Case, violation: Violation, contract: Mapping[str, Any], *, column: int
) -> list[str]:
    """Return the lines of the command; nothing where no command line can name this target.

    ``contract`` are the fields that the command must name, ``column`` is where the lines will begin. They are
    never cut: what was cut would not run.
    """
    if not can_be_named(target):
        return []
    words = [shlex.quote(target), *_case_words(case), *contract_words(contract)]
    if violation.experiment != "epochs":
        words.append(f"--experiment {violation.experiment}")
    return fold_command("samplercheck show", words, WIDTH - column)


def replay_command(
    what: str, target: str, contract: Mapping[str, Any], world: str = SIMULATED, *, column: int
) -> list[str]:
    """Return the lines of the command that tries a token or a file for this target, like ``show_command``.

    What a process group has shown, simulation may not show: another ``world`` is named.
    """
    if not can_be_named(target):
        return []
    words = [_quote(what), f"--target {shlex.quote(target)}"]
    words += [*([f"--world {world}"] if world != SIMULATED else []), *contract_words(contract)]
    return fold_command("samplercheck replay", words, WIDTH - column)


def _one_word(start: str, word: str, *, column: int) -> list[str]:
    """Return the lines of a command of one word; nothing where no line can hold it."""
    return fold_command(start, [shlex.quote(word)], WIDTH - column)


def can_be_named(target: str) -> bool:
    """Whether a command line can name a target by what a report calls it."""
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


def changes_of(contract: Contract) -> dict[str, Any]:
    """Return the fields of a contract that are not the default ones, as far as a command can name them."""
    return {name: value for name, value in contract.changes().items() if isinstance(value, (bool, int, str))}


def contract_words(contract: Mapping[str, Any]) -> list[str]:
    """Return what a command line says of fields of a contract."""
    return [f"--contract {shlex.quote(f'{name}={_value_text(value)}')}" for name, value in contract.items()]


def _value_text(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def _quote(word: str) -> str:
    """Quote a word for a shell; a token gets double quotes, which every shell knows."""
    return f'"{word}"' if _TOKEN.fullmatch(word) else shlex.quote(word)


def fold_command(start: str, words: list[str], width: int) -> list[str]:
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
