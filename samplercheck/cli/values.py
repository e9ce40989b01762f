"""What ``--contract``, ``--axis``, ``--world`` and the like mean: from words to plain values.

Called by the verbs, most of which have the same options for it. A word that means nothing is an error that
names the nearest. Imports values alone.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

import click

from samplercheck.values.choices import MAY_BE_FUNCTIONS, PRESETS
from samplercheck.values.contract import CHOICES, Contract
from samplercheck.values.errors import ContractError, UsageError, did_you_mean

PROMISES = "What the target promises: tail=drop; or a preset: evaluation, repeated=3."
colour_option = click.option("--no-color", is_flag=True, help="No colour, no bars; NO_COLOR does the same.")
_ITEM = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,]*?)\s*(?:,|$)')
_BETWEEN = re.compile(r",(?=\s*[a-z_]+\s*(?:=|,|$))(?![^(]*\))")
_BOOLS = {"true": True, "false": False}


def contract_option(what: str = PROMISES) -> Callable[..., Any]:
    """Return the option that sets fields of a contract; ``what`` says whose it is."""
    return click.option("--contract", multiple=True, metavar="FIELD=VALUE", help=what)


def axis_option(
    what: str = "Values of a parameter of the target.", metavar: str = "NAME=1,2,8"
) -> Callable[..., Any]:
    """Return the option that gives a parameter its values; ``what`` says whose it is."""
    return click.option("--axis", multiple=True, metavar=metavar, help=what)


def contract_from(words: Iterable[str]) -> dict[str, Any]:
    """Return the contract fields that ``--contract`` sets: a preset's, or ``field=value``; the last wins.

    One word may hold several, with commas between them. Draws that only a preset shares are none in one walk.
    """
    changes: dict[str, Any] = {}
    given = set()
    for word in (one for several in words for one in _BETWEEN.split(several)):
        name, equals, text = word.strip().partition("=")
        if name == "repeated" or not equals:
            changes.update(_preset(name, text))
        else:
            changes[name] = _field_value(name, text)
            given.add(name)
    if changes.get("after_break") == "rest" and "ambient_rng" not in given:
        changes.pop("ambient_rng", None)
    Contract.of(changes)
    return changes


def _preset(name: str, text: str) -> dict[str, Any]:
    if name == "repeated":
        if not text.isdecimal():
            raise ContractError(f"Contract preset repeated={text!r} needs a number, as in repeated=3.")
        return Contract.repeated(int(text)).changes()
    if name in PRESETS:
        made: Contract = getattr(Contract, name)()
        return made.changes()
    if name in (one.name for one in fields(Contract)):
        raise ContractError(f"Contract field {name!r} needs a value: write {name}=VALUE, as in tail=keep.")
    guess = did_you_mean(name, (*PRESETS, "repeated"))
    raise ContractError(f"Contract {name!r} is no preset, and a field needs a value. {guess}")


def _field_value(name: str, text: str) -> Any:
    """Read a value as the field's type; what does not fit is left for the contract to refuse."""
    defaults = {item.name: item.default for item in fields(Contract)}
    if name not in defaults:
        raise ContractError(f"Contract field {name!r} does not exist. {did_you_mean(name, defaults)}")
    if name in MAY_BE_FUNCTIONS:
        return None if text.lower() == "none" else text
    if name in CHOICES:
        return text
    if type(defaults[name]) is int:
        return int(text) if re.fullmatch(r"-?\d{1,18}", text) else text
    return _BOOLS.get(text.lower(), text)


def axes_from(words: Iterable[str]) -> dict[str, list[Any]]:
    """Return the axes that ``--axis name=1,2,8`` gives; each may be given once."""
    axes: dict[str, list[Any]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise UsageError(f"Axis {word!r} names no values: write NAME=VALUES, as in bucket=1,2,8.")
        if name in axes:
            raise UsageError(f"Axis {name!r} is given twice: write all values in one, as in {name}=1,2,8.")
        axes[name] = [_scalar(item, name) for item in _items(text)]
    return axes


def _items(text: str) -> list[str]:
    """Split at commas outside of double quotes."""
    items, position = [], 0
    while True:
        match = _ITEM.match(text, position)
        if match is None:
            raise UsageError(f"Axis values {text!r} cannot be read: close the quotes, or leave them out.")
        items.append(match[1])
        position = match.end()
        if not match[0].rstrip().endswith(","):
            return items


def _scalar(text: str, axis: str) -> bool | int | float | str | None:
    """Read one value: a number, true, false, null, or text; quotes make anything text."""
    if not text:
        raise UsageError(f"Axis {axis!r} has an empty value: separate values by commas, as in {axis}=1,2,8.")
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            raise UsageError(f"Axis {axis!r} has the value {text!r}, which is no quoted text.") from None
    if text.lower() in _BOOLS:
        return _BOOLS[text.lower()]
    if text == "null":
        return None
    return _number(text)


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            value = kind(text)
        except (ValueError, OverflowError):
            continue
        return value if math.isfinite(value) else text
    return text


def skips_from(words: Iterable[str]) -> dict[str, str]:
    """Return the reason of each law that ``--skip CODE=reason`` leaves out."""
    skips: dict[str, str] = {}
    for word in words:
        code, _, reason = word.partition("=")
        if not code.strip() or not reason.strip():
            raise UsageError(f"Skipping {word!r} needs a reason for the report: --skip {code}=reason.")
        skips[code.strip()] = reason.strip()
    return skips


def names_from(words: Iterable[str]) -> tuple[str, ...]:
    """Return the names in words such as ``gloo,nccl``, each once."""
    names = [name.strip() for word in words for name in word.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))
