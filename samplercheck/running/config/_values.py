"""Readers: what one value in pyproject.toml or in the environment means.

Each takes the value and the words that say where it stands, and returns what the kit works with; a
value that means nothing is an error that names its place. Imports names of profiles and worlds.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from samplercheck.search.profiles import PROFILES
from samplercheck.values.errors import UsageError, did_you_mean
from samplercheck.worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)


def check_keys(given: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse a key that does not exist; nothing that was written may be without effect."""
    words = list(known)
    for key in given:
        if key not in words:
            raise UsageError(f"{where}: key {key!r} does not exist. {did_you_mean(key, words)}")


def table(value: Any, where: str) -> dict[str, Any]:
    """Return a table."""
    if not isinstance(value, dict):
        raise UsageError(f"{where} is {value!r} and has to be a table: write [{where}] and its keys below.")
    return value


def profile(value: Any, where: str) -> str:
    """Return the name of a profile."""
    return _choice(value, PROFILES, where, "profile")


def worlds(value: Any, where: str) -> tuple[str, ...]:
    """Return names of worlds; "auto" leaves the choice to the profile."""
    return tuple(_choice(name, ("auto", *WORLDS), where, "world") for name in texts(value, where))


def _choice(value: Any, known: Iterable[str], where: str, what: str) -> str:
    words = list(known)
    if value not in words:
        raise UsageError(f"{where}: there is no {what} {value!r}. {did_you_mean(str(value), words)}")
    return str(value)


def texts(value: Any, where: str) -> tuple[str, ...]:
    """Return one text or several."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list) or not all(isinstance(one, str) and one.strip() for one in several):
        raise UsageError(f'{where} is {value!r} and has to be text or a list of it, as in ["SC1", "SC402"].')
    return tuple(one.strip() for one in several)


def number(value: Any, where: str, *, least: int = 0) -> int:
    """Return a whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{where} is {value!r} and has to be a whole number from {least} up.")
    return value


def seconds(value: Any, where: str) -> float:
    """Return a time."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise UsageError(f"{where} is {value!r} and has to be a number of seconds, as in 30.")
    return float(value)


def memory(value: Any, where: str) -> int:
    """Return a number of bytes."""
    try:
        return size_from(str(value))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def size_from(text: str) -> int:
    """Return a number of bytes, given as 512M, 2G or 1.5GiB; K is 1,024."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * UNITS[match[2].upper()]) if match else 0
    if not size:
        raise UsageError(f"Size {text!r} is no amount of memory: write a number and a unit, as in 512M.")
    return size
