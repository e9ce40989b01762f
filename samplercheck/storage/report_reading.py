"""Reads ``report.json``, which a stranger may have made: bounded, strict, of this format or the one before.

Called by ``samplercheck report``. What does not fit is an ``InputError`` that names the file and the place.
Imports msgspec and values.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from samplercheck import __version__
from samplercheck.storage.report_file import NAME
from samplercheck.values.case import Case
from samplercheck.values.errors import InputError, SamplerCheckError
from samplercheck.values.finding import Outcome, worst
from samplercheck.values.guarded import read_guarded
from samplercheck.values.report_form import FORMAT, ReportFile

Plain = dict[str, Any]

WHAT = "report of samplercheck"
LARGEST_FILE = 64_000_000
MOST_FILES = 1_000
LONGEST_WORD = 300
LEAST_CHANCE = 1e-100
AGAIN = "Make it again: samplercheck run --report DIR."


class _Head(msgspec.Struct):
    """What is read first, whatever the format is."""

    format: int
    versions: dict[str, str] = {}


def read(path: Path) -> Plain:
    """Return the plain data of one file, in this version's format."""
    return parse(read_guarded(path, WHAT, LARGEST_FILE), str(path))


def parse(content: bytes, name: str = NAME) -> Plain:
    """Return the plain data that the content of a file stands for; ``name`` is the file's, for messages."""
    try:
        head = msgspec.json.decode(content, type=_Head)
        upgrade = _UPGRADES.get(head.format)
        if upgrade is None:
            raise InputError(
                f"{name!r} has format {head.format}; this version reads 1 to {FORMAT}.{_other_version(head)}"
            )
        report = msgspec.json.decode(upgrade(content), type=ReportFile)
    except (ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        why = _printable(error)
        hint = _other_version(head) if "unknown field" in why else ""
        raise InputError(f"{name} is no {WHAT}: {why}.{hint}") from None
    plain: Plain = msgspec.to_builtins(report)
    _check_sense(plain, name)
    return plain


def report_paths(places: Iterable[Path], most: int = MOST_FILES) -> list[Path]:
    """Return the report files in folders and below, each once and in order; a place may be a file."""
    found: dict[Path, None] = {}
    for place in places:
        for path in [place] if place.is_file() else _below(place):
            found.setdefault(path.resolve())
            if len(found) > most:
                raise InputError(f"{str(place)!r} holds more than {most:,} reports: name fewer folders.")
    return list(found)


def _below(folder: Path) -> list[Path]:
    return sorted(Path(at, NAME) for at, _, names in os.walk(folder) if NAME in names)


def _from_1(content: bytes) -> bytes:
    """Upgrade format 1, which had neither a map nor scenes."""
    fields = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({"map": [], **fields, "format": FORMAT})


_UPGRADES: dict[int, Callable[[bytes], bytes]] = {1: _from_1, FORMAT: lambda content: content}


def _check_sense(plain: Plain, name: str) -> None:
    """Refuse a report that contradicts itself: it was changed by hand, and no picture of it is true."""
    outcome = worst(Outcome(result["outcome"]) for result in plain["results"])
    ok = outcome is Outcome.HOLDS and not plain["interrupted"]
    if (plain["outcome"], plain["ok"]) != (outcome.value, ok):
        raise InputError(
            f"{name!r} says outcome {plain['outcome']!r} and ok {plain['ok']}; its results say "
            f"{outcome.value!r} and {ok}: somebody changed it by hand. {AGAIN}"
        )
    if 0 < plain["false_alarm_bound"] < LEAST_CHANCE:
        raise InputError(
            f"{name!r} has the false_alarm_bound {plain['false_alarm_bound']}: no run bounds it below "
            f"{LEAST_CHANCE}. {AGAIN}"
        )
    for result in plain["results"]:
        where = f"{name!r}, {result['code']}"
        if (result["outcome"] == Outcome.BROKEN.value) != (result["failure"] is not None):
            which = "a failure" if result["failure"] else "no failure"
            raise InputError(f"{where}: the outcome is {result['outcome']!r}, and it has {which}. {AGAIN}")
        if result["failure"] and result["advised"]:
            raise InputError(f"{where}: it has a failure and advice, and a law gives one of them. {AGAIN}")
        for failure in filter(None, (result["failure"], result["advised"])):
            _check_case(failure, where)
            _check_scene(failure["scene"], where)


def _check_case(failure: Plain, where: str) -> None:
    try:
        case = Case.from_dict(failure["case"])
        if failure["realistic_case"]:
            Case.from_dict(failure["realistic_case"])
    except SamplerCheckError as error:
        raise InputError(f"{where}: {_printable(error)}") from None
    for name in ("id", "token"):
        if failure[name] != getattr(case, name):
            raise InputError(
                f"{where}: the case {case.id} has the {name} {_printable(failure[name])}. {AGAIN}"
            )


def _check_scene(scene: Plain | None, where: str) -> None:
    passes = len(scene["passes"]) if scene else 0
    beyond = [cell for cell in (scene["marked"] if scene else ()) if cell[0] >= passes]
    if beyond:
        raise InputError(f"{where}: the scene has {passes} passes and marks {beyond[0]} beyond them. {AGAIN}")


def _other_version(head: _Head) -> str:
    made = head.versions.get("samplercheck", "of an unknown version")
    if made == __version__:
        return ""
    return (
        f" It was made by samplercheck {_printable(made)}, and this is {__version__}: update the older one."
    )


def _printable(what: object) -> str:
    """Return words from a file as one short line that a terminal may show."""
    return str(what)[:LONGEST_WORD].encode("unicode_escape").decode("ascii")
