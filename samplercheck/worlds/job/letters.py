"""Letters: the messages of a job between its first rank and the others, and how files hold them.

Anybody may have written such a file: nothing in it is executed. A value is a number, a text, bytes, or a list
whose first item names its kind; of classes there are those below alone. What cannot be written so is a
TypeError, what cannot be read a ``GarbledError``. And logs, the files of them, that one process appends to
and others read.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from samplercheck.experiments.saved import Saved
from samplercheck.values.case import Case
from samplercheck.values.errors import InputError
from samplercheck.values.fingerprint import Fingerprint, Keys
from samplercheck.values.guarded import GuardedFile, read_guarded
from samplercheck.values.record import Fault, Length, Pass, Record, Trial
from samplercheck.values.sketch import Sketch
from samplercheck.values.stream import Stream
from samplercheck.worlds.groups.messages import Done, GarbledError, RunCase


@dataclass(frozen=True, slots=True)
class Beat:
    """A rank lives; ``where`` says what it is doing."""

    where: str


@dataclass(frozen=True, slots=True)
class CaseTurn:
    """Run a case; its number counts all cases of the job."""

    number: int
    case: RunCase


@dataclass(frozen=True, slots=True)
class Renew:
    """Make the groups of a size again: a collective has failed in them."""

    size: int


@dataclass(frozen=True, slots=True)
class Finish:
    """A run is over: what its report says, or the error that kept it from being made."""

    report: dict[str, Any] = field(default_factory=dict)
    error: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Leave:
    """A rank was lost, and the run is over: end at once, whatever this one waits for."""


@dataclass(frozen=True, slots=True)
class Close:
    """The first rank has said its last: all end now."""


@dataclass(frozen=True, slots=True)
class Hello:
    """A rank has come to the files of a job, whose ranks have no other way to meet.

    ``job`` is what its launcher calls the job, empty where it has no name; ``nonce`` was drawn by the rank.
    """

    rank: int
    size: int
    name: str
    nonce: str
    job: str = ""


@dataclass(frozen=True, slots=True)
class Welcome:
    """All ranks have come; a rank whose own nonce is not here belongs to another job."""

    nonces: dict[int, str]


@dataclass(frozen=True, slots=True)
class Refuse:
    """The ranks that have come are not those of one job."""

    why: str


_MESSAGES = (Beat, CaseTurn, Close, Finish, Hello, Leave, Refuse, Renew, Welcome, Done, RunCase, Case)
_RECORDS = (Record, Pass, Length, Trial, Fault, Stream, Fingerprint, Keys, Sketch, Saved)
CLASSES: dict[str, Any] = {one.__name__: one for one in (*_MESSAGES, *_RECORDS)}
PLAIN = (type(None), bool, float, str, bytes)
SMALL = 2**63
_BUILT: dict[str, Any] = {
    "int": int,
    "array": array,
    "numbers": lambda kind, content: np.frombuffer(content, dtype=np.dtype(kind)).copy(),
}
SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
HEAD = struct.Struct(">II")
LARGEST, LONGEST_NAME = 2**34, 2**10


def write_letter(message: Any) -> bytes:
    """Return a message as bytes."""
    return msgspec.msgpack.encode(_plain(message))


def read_letter(content: bytes) -> Any:
    """Return the message that bytes stand for."""
    try:
        return _value(msgspec.msgpack.decode(content))
    except Exception as error:  # noqa: BLE001  (whatever a class makes of values that are none of its own)
        raise GarbledError(str(error)) from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if kind in PLAIN or (kind is int and -SMALL <= value < SMALL):
        return value
    return ["int", str(value)] if kind is int else _list_of(kind, value)


def _list_of(kind: Any, value: Any) -> list[Any]:
    name: str = kind.__name__
    if SEQUENCES.get(name) is kind:
        return [name, *map(_plain, value)]
    if kind is dict:
        return ["dict", *([_plain(key), _plain(one)] for key, one in value.items())]
    if kind is array:
        return ["array", value.typecode, value.tobytes()]
    if kind is np.ndarray and value.dtype.kind in "iuf" and value.ndim == 1:
        return ["numbers", value.dtype.str, value.tobytes()]
    if CLASSES.get(name) is kind:
        return [name, *(_plain(getattr(value, name)) for name in _names_of(kind))]
    raise TypeError(
        f"{value!r} of {kind.__module__}.{name} cannot be written to a file of --gather: leave --gather out"
    )


def _names_of(kind: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = (
        kind._fields if hasattr(kind, "_fields") else tuple(one.name for one in fields(kind))
    )
    return names


def _value(plain: Any) -> Any:
    if type(plain) is not list:
        return plain
    kind, *content = plain
    if kind in SEQUENCES:
        return SEQUENCES[kind](map(_value, content))
    if kind == "dict":
        return {_value(key): _value(one) for key, one in content}
    if kind in _BUILT:
        return _BUILT[kind](*content)
    known = CLASSES[kind]
    return known(**dict(zip(_names_of(known), map(_value, content), strict=True)))


class Log:
    """A file of messages, appended by one process and read by another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0

    def append(self, message: Any) -> None:
        """Write a message behind the others."""
        content = write_letter(message)
        with self.path.open("ab") as file:
            file.write(HEAD.pack(len(content), zlib.crc32(content)) + content)

    def read(self) -> list[Any]:
        """Return the messages that have come since; EOFError where the file is gone or is no log."""
        try:
            file = GuardedFile(self.path, "log of a job", LARGEST)
            if file.size <= self._offset:
                return []
            content = file.read([(self._offset, file.size - self._offset)])
            return list(self._split(bytes(content)))
        except (InputError, GarbledError) as error:
            raise EOFError(str(error)) from None

    def _split(self, content: bytes) -> list[Any]:
        at, messages = 0, []
        while at + HEAD.size <= len(content):
            length, check = HEAD.unpack_from(content, at)
            letter = content[at + HEAD.size : at + HEAD.size + length]
            if len(letter) < length or zlib.crc32(letter) != check:
                break  # not all there yet
            messages.append(read_letter(letter))
            at += HEAD.size + length
        self._offset += at
        return messages


def number_in(leader: Path) -> str:
    """Return the number of the job that a directory belongs to, empty where there is none."""
    try:
        number = read_guarded(leader, "name of a job", LONGEST_NAME).decode("ascii", "replace").strip()
    except InputError:
        return ""
    return number if number.isalnum() else ""
