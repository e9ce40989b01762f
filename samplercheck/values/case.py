"""Case: one configuration as plain frozen data, with a size, an id and a readable token.

Read by every layer. "Smaller" is defined here and nowhere else. Imports the standard library alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import total_ordering
from operator import attrgetter
from typing import Any

from samplercheck.values._token import (
    abbreviate,
    format_token,
    is_number,
    is_plain,
    parse_token,
    sort_key,
    to_plain,
)
from samplercheck.values.choices import FEATURES
from samplercheck.values.errors import CaseError, did_you_mean

__all__ = ["Case"]

FORMAT = 1
LARGEST = 2**63 - 1
LEAST_REALISTIC = 4
MOST_EPOCHS = 10_000
TURNED = 4
ID = "[a-z2-7]{8}"

Scalar = bool | int | float | str | None
Options = tuple[tuple[str, Scalar], ...]
Features = tuple[tuple[str, tuple[float, ...] | tuple[str, ...]], ...]


@total_ordering
@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One configuration of a target.

    ``features`` are explicit per-sample values (``{"lengths": [5, 1]}``, labels may be texts); without
    them the kit derives values from the seed. ``options`` are the values of the target's own axes. Both
    accept a mapping and are kept as sorted tuples.
    """

    length: int
    world_size: int = 1
    batch_size: int = 1
    shuffle: bool = False
    drop_last: bool = False
    seed: int = 0
    epochs: int = 3
    stop: int | None = None
    workers: int = 0
    resume_world_size: int | None = None
    features: Features = field(default=())
    options: Options = field(default=())

    def __new__(cls, **given: Any) -> Case:
        """Refuse an unknown field name, with the nearest that is."""
        for name in given:
            if name not in _NAMES:
                raise CaseError(f"Case field {name!r} does not exist. {did_you_mean(name, _NAMES)}")
        return object.__new__(cls)

    def __post_init__(self) -> None:
        for name, low, high in _BOUNDS:
            value = getattr(self, name)
            is_integer = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
            if not is_integer and not (value is None and name in _MAY_BE_NONE):
                raise CaseError(
                    f"{name}={abbreviate(value)} is not legal: use an integer from {low} to {high}."
                )
        for name in ("shuffle", "drop_last"):
            if not isinstance(getattr(self, name), bool):
                raise CaseError(f"{name}={getattr(self, name)!r} is not a bool: use True or False.")
        object.__setattr__(self, "features", _freeze_features(self.features, self.length))
        object.__setattr__(self, "options", _freeze_options(self.options))

    @property
    def size(self) -> tuple[Any, ...]:
        """Sort key: what a person would call smaller comes first, the dataset's length above all."""
        return (
            self.length,
            self.world_size,
            self.batch_size,
            self.workers,
            self.resume_world_size or 0,
            self.stop or 0,
            self.shuffle,
            self.drop_last,
            self.epochs,
            self.seed,
            sort_key(self.features),
            sort_key(self.options),
            self.stop is not None,
            self.resume_world_size is not None,
        )

    def __lt__(self, other: object) -> bool:
        return self.size < other.size if isinstance(other, Case) else NotImplemented

    # Not by the fields: options that Python considers equal (True, 1 and 1.0) differ here.
    def __eq__(self, other: object) -> bool:
        return self.size == other.size if isinstance(other, Case) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.size)

    # That of a dataclass with slots looks its fields up each time, and cases travel by the thousand.
    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, _values_of(self)

    @property
    def id(self) -> str:
        """Eight letters and digits from the canonical JSON, equal on every machine."""
        digest = hashlib.sha256(self.canonical_json().encode()).digest()
        return base64.b32encode(digest).decode().lower()[:8]

    @property
    def token(self) -> str:
        """Short and readable; ``Case.parse`` is its exact inverse."""
        return format_token(self.to_dict())

    @classmethod
    def parse(cls, token: str) -> Case:
        """Return the case that a token stands for."""
        return cls.from_dict({**parse_token(token), "format": FORMAT})

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data, the inverse of ``from_dict``."""
        plain = {name: getattr(self, name) for name in _NAMES}
        plain["features"] = {name: list(values) for name, values in self.features}
        plain["options"] = dict(self.options)
        return {"format": FORMAT, **plain}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Case:
        """Return the case described by ``data``; unknown fields and other formats are refused."""
        if not isinstance(data, dict):
            raise CaseError(f"{data!r} is not a case: write an object with fields.")
        plain = dict(data)
        number = plain.pop("format", FORMAT)
        if number != FORMAT:
            raise CaseError(f"Case format {number!r} is not {FORMAT}: use the version that wrote it.")
        for name in plain:
            if name not in _NAMES:
                raise CaseError(f"Case field {name!r} does not exist. {did_you_mean(str(name), _NAMES)}")
        if "length" not in plain:
            raise CaseError("A case needs a length (n=... in a token).")
        return cls(**plain)

    def canonical_json(self) -> str:
        """Return the one JSON text of this case, from which the id is made."""
        return json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)

    def but(self, **changes: Any) -> Case:
        """Return the same case with some fields changed."""
        return replace(self, **changes)

    def option(self, name: str) -> Scalar:
        """Return the value of one of the target's own axes."""
        return dict(self.options)[name]

    @property
    def is_realistic(self) -> bool:
        """Whether it looks like training: more than a few samples."""
        return self.length >= LEAST_REALISTIC

    @property
    def has_texts(self) -> bool:
        """Whether the labels are texts, whose hashes differ from process to process."""
        return any(isinstance(one, str) for _, values in self.features for one in values[:1])

    @property
    def other_batch_size(self) -> int:
        """A larger batch size, a multiple of this one: some targets halve it, others refuse odd numbers."""
        return TURNED * self.batch_size

    def turned(self, name: str) -> int | bool:
        """Return another value of an argument, to see whether that makes a difference."""
        return self.other_batch_size if name == "batch_size" else not getattr(self, name)


_NAMES = tuple(item.name for item in fields(Case))
_values_of = attrgetter(*_NAMES)
_BOUNDS: tuple[tuple[str, int, int], ...] = (
    ("length", 0, LARGEST),
    ("world_size", 1, 2**31 - 1),
    ("batch_size", 1, LARGEST),
    ("seed", 0, LARGEST),
    ("epochs", 1, MOST_EPOCHS),
    ("stop", 0, LARGEST),
    ("workers", 0, 2**15),
    ("resume_world_size", 1, 2**31 - 1),
)
_MAY_BE_NONE = ("stop", "resume_world_size")


def _restore(*values: Any) -> Case:
    """Return the case of these values, which were checked where it was made."""
    case = object.__new__(Case)
    for name, value in zip(_NAMES, values, strict=True):
        object.__setattr__(case, name, value)
    return case


def _freeze_features(features: Any, length: int) -> Features:
    frozen = []
    for name, values in _pairs("features", features).items():
        if name not in FEATURES:
            raise CaseError(f"Feature {name!r} does not exist. {did_you_mean(str(name), FEATURES)}")
        listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else []
        are_texts = name == "labels" and all(isinstance(value, str) for value in listed)
        if len(listed) != length or not (are_texts or all(map(is_number, listed))):
            kind = "numbers >= 0 or texts" if name == "labels" else "numbers >= 0"
            raise CaseError(f"Feature {name!r} needs {length} {kind}, one for each sample.")
        frozen.append((name, tuple(map(to_plain, listed))))
    return tuple(sorted(frozen))


def _pairs(field_name: str, given: Any) -> dict[Any, Any]:
    try:
        return dict(given)
    except (TypeError, ValueError):
        raise CaseError(f"{field_name}={given!r} is not a mapping: write {{name: value}}.") from None


def _freeze_options(options: Any) -> Options:
    frozen = _pairs("options", options)
    for name, value in frozen.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise CaseError(f"Option {name!r} is not a parameter name: use one of the target's.")
        if not is_plain(value):
            raise CaseError(f"Option {name}={abbreviate(value)} is not plain data: use a number or a string.")
    return tuple(sorted((name, to_plain(value)) for name, value in frozen.items()))


def is_case_id(text: str) -> bool:
    """Whether a text may be the id of a case; a token has other letters."""
    return re.fullmatch(ID, text) is not None
