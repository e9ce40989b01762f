"""What a case holds as plain values, and its readable form ``n=3,world=2,batch=1``, with the exact inverse.

Called by ``Case`` alone. Names and strings that hold a character with a meaning in the readable form are
percent-encoded there. Imports the standard library alone.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any
from urllib.parse import quote, unquote

from samplercheck.values.choices import FEATURES
from samplercheck.values.errors import CaseError, did_you_mean
from samplercheck.values.wording import is_in_utf8

LONGEST_INTEGER = 8192
SHORT = {
    "n": "length",
    "world": "world_size",
    "batch": "batch_size",
    "shuffle": "shuffle",
    "drop_last": "drop_last",
    "seed": "seed",
    "epochs": "epochs",
    "stop": "stop",
    "workers": "workers",
    "resume_world": "resume_world_size",
}
ALWAYS = ("n", "world", "batch")
FLAGS = ("shuffle", "drop_last")
DEFAULTS = {"seed": 0, "epochs": 3, "stop": None, "workers": 0, "resume_world_size": None}
LONGEST = 4_000_000
DIGITS = 20


def is_number(value: object) -> bool:
    """Whether a value is a plain number from 0 up."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and is_plain(value)


def is_plain(value: object) -> bool:
    """Whether a value survives JSON: no NaN, no infinity, no integer too long, no half of a letter."""
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, int):
        return value.bit_length() <= LONGEST_INTEGER
    if isinstance(value, str):
        return is_in_utf8(value)
    return value is None


def to_plain(value: Any) -> Any:
    """Return the plain value of what derives from a plain type, such as numpy's float64 or an IntEnum."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else str.__str__(value)


def abbreviate(value: object) -> str:
    """Format a value; Python refuses to print integers of thousands of digits."""
    too_long = isinstance(value, int) and not is_plain(value)
    return f"an integer above 2^{LONGEST_INTEGER}" if too_long else repr(value)


def sort_key(pairs: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    """Return what pairs of names and values are ordered by."""
    return tuple((name, *_rank_of(value)) for name, value in pairs)


def _rank_of(value: Any) -> tuple[Any, ...]:
    """Make values of different types comparable: nothing, then numbers, text, lists of numbers, of texts."""
    if value is None:
        return (0, 0, "")
    if isinstance(value, (bool, int, float)):
        return (1, value, repr(value))
    if isinstance(value, str):
        return (2, len(value), value)
    are_texts = bool(value) and isinstance(value[0], str)
    return (3 + are_texts, len(value), tuple(value), tuple(map(repr, value)))


def format_token(plain: dict[str, Any]) -> str:
    """Return the token of a case given as plain data."""
    parts = [f"{short}={plain[SHORT[short]]}" for short in ALWAYS]
    parts += [flag for flag in FLAGS if plain[flag]]
    for short, name in SHORT.items():
        if name in DEFAULTS and plain[name] != DEFAULTS[name]:
            parts.append(f"{short}={plain[name]}")
    for name, values in sorted(plain["features"].items()):
        parts.append(f"{name}={':'.join(map(_scalar, values))}")
    for name, value in sorted(plain["options"].items()):
        parts.append(f"{name}!{_scalar(value)}")
    return ",".join(parts)


def parse_token(token: str) -> dict[str, Any]:
    """Return the plain data of a case; an unknown word is an error."""
    if len(token) > LONGEST:
        raise CaseError(f"A token of {len(token)} characters is too long: at most {LONGEST}. Name a file.")
    plain: dict[str, Any] = {"features": {}, "options": {}}
    seen: set[str] = set()
    for part in token.strip().split(","):
        name = _parse_part(part.strip(), plain)
        if name in seen:
            raise CaseError(f"{name!r} appears twice in the token {token[:80]!r}: write it once.")
        seen.add(name)
    return plain


def _parse_part(part: str, plain: dict[str, Any]) -> str:
    if "!" in part:
        name, _, text = part.partition("!")
        plain["options"][name] = _parse_scalar(text, part)
        return f"{name}!"
    name, equals, text = part.partition("=")
    if name in FLAGS and not equals:
        plain[name] = True
    elif name in FEATURES:
        plain["features"][name] = [_value(item, name, part) for item in text.split(":")] if text else []
    elif name in SHORT and name not in FLAGS:
        plain[SHORT[name]] = _integer(text, part)
    else:
        known = [*SHORT, *FEATURES, "OPTION!VALUE"]
        raise CaseError(f"{part[:80]!r} is not part of a token. {did_you_mean(name, known)}")
    return name


def _integer(text: str, part: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > DIGITS:
        raise CaseError(f"{part[:80]!r} needs a whole number, as in n=3.")
    return int(text)


def _value(text: str, name: str, part: str) -> float | str:
    """Return a sample's value: a number, or a text where that is its label."""
    value = _json(unquote(text))
    if isinstance(value, str) and name == "labels":
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CaseError(f"{part[:80]!r} needs numbers joined by ':', as in lengths=1:5:2.")
    return value


def _scalar(value: object) -> str:
    text = json.dumps(value)
    return quote(text, safe='"-.+ ')


def _parse_scalar(text: str, part: str) -> object:
    value = _json(unquote(text))
    if isinstance(value, (dict, list, _Unreadable)):
        raise CaseError(f"{part[:80]!r} needs a number, true, false, null or \"text\" after '!'.")
    return value


class _Unreadable:
    """Stands for a text that is not JSON."""


def _json(text: str) -> object:
    try:
        return json.loads(text, parse_constant=lambda _: _Unreadable())
    except (ValueError, RecursionError):
        return _Unreadable()
