"""Text for terminals: ASCII, at most 80 columns, whatever a target or a user calls things.

Called by reports, pictures and the command line, and where messages are made. Pure. Imports values alone.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from samplercheck.values._token import DEFAULTS
from samplercheck.values.wording import capitalise

WIDTH = 78
CONTRACT = "--contract "
GLUE = "\0"  # what printable text has none of
_CONTRACT = re.compile(rf"{CONTRACT}(\S+)")
NEXT_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")
"""The space before a sentence that is not the first."""
_ONE_BY_ONE = re.compile(r" batch_size=1(?!\d)")
_CASE = re.compile(r" \((length=[^()]*)\)\.?$")
_OF_PYTHON = re.compile(
    r"\S*[/\\](lib[/\\]python3\.\d+|python3\d+[/\\]lib)[/\\](?!site-packages|dist-packages)\S*:\d+ in ",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"(?<=[^\w.])[\w.]+$")
_RETURNS = re.compile(r"(^|: )(?:return|yield(?: from)?) ")
_INSTALLED = re.compile(r"^\S*[/\\](site|dist)-packages[/\\]")
_FOLDERS = re.compile(r"^(?:\.\.)?/.*/(?=[^/]+:\d+: )")
WINDOW = 40


def printable(text: object) -> str:
    """Return one line of printable ASCII: everything else, line breaks too, is written as an escape."""
    return "".join(
        char if " " <= char <= "~" else char.encode("unicode_escape").decode("ascii") for char in str(text)
    )


def sentence(text: str) -> str:
    """Return prose as one printable sentence: white space joined, begun as one, a full stop."""
    flat = capitalise(printable(" ".join(text.split())))
    return flat if not flat or flat[-1] in ".!?:" else f"{flat}."


def after_colon(text: str) -> str:
    """Return prose that goes on after a colon: like a sentence, but its first letter stays as it is."""
    flat = printable(" ".join(text.split()))
    return flat if flat.endswith((".", "!", "?")) else f"{flat}."


def cut(text: str, width: int) -> str:
    """Return the text, its middle left out where it is longer than ``width``."""
    if len(text) <= width:
        return text
    head = (width - 3) // 2
    return f"{text[:head]}...{text[len(text) - (width - 3 - head) :]}"


def hint_label(fix: str) -> str:
    """Return the label of a hint: a ``fix`` was tested, and without one there are places to look at."""
    return "fix" if fix else "look at"


def shorten_place(text: str) -> str:
    """Return text that begins with a file's path; of an installed package it begins with the package."""
    return _INSTALLED.sub("", printable(text))


def shorten_line(text: str) -> str:
    """Return a line of code with its place; of a file that is not below this directory its name is enough."""
    return _FOLDERS.sub("", shorten_place(text))


def frame(line: str, width: int) -> str:
    """Return one line of a traceback: leading folders go first, then the end of the source line."""
    text = shorten_place(line.rstrip())
    place, within, source = text.partition(" in ")
    while len(text) > width and "/" in place.removeprefix(".../"):
        place = f".../{place.removeprefix('.../').partition('/')[2]}"
        text = place + within + source
    return text if len(text) <= width else cut_code(text, width)


def last_frames(traceback: str, most: int, width: int) -> list[str]:
    """Return the last lines of a traceback, which are nearest to the fault, indented by four.

    Where all of these are Python's own, the last one that is not stands in the place of the first.
    """
    lines = [line for line in traceback.splitlines() if line.strip()]
    shown = lines[max(0, len(lines) - most) :]
    if shown and all(map(is_of_python, shown)):
        own = [line for line in lines if not is_of_python(line)][-1:]
        shown = [*own, *shown[len(own) :]]
    return [f"    {frame(line, width - 4)}" for line in shown]


def is_of_python(line: str) -> bool:
    """Whether a line of a traceback is in a module that comes with Python."""
    return bool(_OF_PYTHON.match(line))


def cut_code(text: str, width: int) -> str:
    """Return code that ends in dots where it is longer, not inside of a word; what returns it goes first."""
    text = text if len(text) <= width else _RETURNS.sub(r"\1", text, count=1)
    return text if len(text) <= width else f"{_LAST_WORD.sub('', text[: width - 3])}..."


def wrap(text: str, *, indent: int = 0, width: int = WIDTH, most: int | None = None) -> list[str]:
    """Return the text in lines of at most ``width`` columns; beyond ``most`` lines it ends in dots.

    A contract that is too long for a line is given in several parts, as the command line takes it.
    """
    lines = textwrap.wrap(
        _CONTRACT.sub(lambda found: _divide_contract(found[1], width - indent), text),
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        max_lines=most,
        placeholder=" ...",
    )
    return [line.replace(GLUE, " ") for line in lines]


def _divide_contract(fields: str, room: int) -> str:
    """Return a contract as options that have room in a line each; as one where it fits a line."""
    if len(fields) <= room:
        return f"{CONTRACT}{fields}"
    parts: list[str] = []
    for field in fields.split(","):
        if parts and len(f"{CONTRACT}{parts[-1]},{field}") <= room:
            parts[-1] += f",{field}"
        else:
            parts.append(field)
    return " ".join(f"{CONTRACT.rstrip()}{GLUE}{part}" for part in parts)


def row(
    label: str,
    text: str,
    *,
    indent: int = 2,
    column: int = 30,
    most: int | None = None,
    width: int = WIDTH,
) -> list[str]:
    """Return a labelled text whose lines begin in one column; nothing for no text."""
    if not text.strip():
        return []
    lines = wrap(text, indent=column, most=most, width=width)
    head = f"{' ' * indent}{label}".ljust(column - 1) + " "
    return [head + lines[0][column:], *lines[1:]]


def case_text(case: Mapping[str, Any]) -> str:
    """Return a case, given as plain data, in words: its place first, then what is not the default."""
    parts = [f"{name}={case[name]}" for name in ("length", "world_size", "batch_size")]
    parts += [name for name in ("shuffle", "drop_last") if case[name]]
    parts += [f"{name}={case[name]}" for name, default in DEFAULTS.items() if case[name] != default]
    for group in (case["features"], case["options"]):
        parts += [f"{name}={value}".replace(" ", "") for name, value in group.items()]
    return printable(" ".join(parts))


def case_in_brief(case: Mapping[str, Any]) -> str:
    """Return a case in words without the batch size that is the default."""
    return _ONE_BY_ONE.sub("", case_text(case))


def split_case(text: str) -> tuple[str, str]:
    """Return what is said before a case that stands in brackets at the end, and the case; often none."""
    found = _CASE.search(text)
    return (text[: found.start()], found[1]) if found else (text, "")


def near(anchors: Sequence[int], total: int) -> list[int]:
    """Return the numbers below ``total`` by their distance from the nearest anchor, far ones left out."""
    window = {
        number
        for anchor in anchors
        for number in range(max(0, anchor - WINDOW), min(total, anchor + WINDOW + 1))
    }

    def distance(number: int) -> tuple[int, int]:
        return min((abs(number - anchor), order) for order, anchor in enumerate(anchors))

    return sorted(window, key=lambda number: (*distance(number), number))
