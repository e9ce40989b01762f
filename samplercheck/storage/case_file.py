"""The content of a stored case file, checked: JSON that a stranger may have written.

Read and written by the store. Whatever does not fit is an ``InputError`` that names the file; nothing here
imports or runs what a file names. Imports cases alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from samplercheck.values.case import Case
from samplercheck.values.errors import CaseError, InputError
from samplercheck.values.failure_form import CaseData, Code
from samplercheck.values.finding import Grade
from samplercheck.values.guarded import parse_guarded, read_guarded

FORMAT = 1
WHAT = "stored case"
LARGEST_FILE = 4_000_000
LONGEST_FOUND = 4_000
MOST_BEFORE = 64

Name = Annotated[str, Meta(min_length=1, max_length=1_000)]
Text = Annotated[str, Meta(max_length=LONGEST_FOUND)]
Word = Annotated[str, Meta(max_length=200)]
Digest = Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?$(?!\n)")]
World = Annotated[str, Meta(pattern=r"^[a-z]{1,20}$(?!\n)")]
Fields = Annotated[dict[Word, bool | int | Word | None], Meta(max_length=40)]
Versions = Annotated[dict[Word, Word], Meta(max_length=40)]
Lacking = Annotated[tuple[Word, ...], Meta(max_length=40)]
Tokens = Annotated[tuple[Text, ...], Meta(max_length=MOST_BEFORE)]


class Breach(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A law that a stored case breaks for one target, and how that was seen.

    ``place`` is the text by which the target can be found, ``contract`` what was promised other than
    the target itself declares; ``lacking`` names what was promised and no file can hold. ``source``
    is the digest of the file that defines the target. ``stamp`` tells this user's own runs from files
    that came from elsewhere. ``code`` is the digest of all files of the project that decide what the target
    does. ``experiments`` were run to see the law broken, where they are not the law's own, and ``before`` are
    the tokens of the cases that have to be run before in the same process. ``grade`` is "strict" where only a
    strict run counts it.
    """

    target: Name
    law: Code
    found: Text
    place: Annotated[str, Meta(max_length=1_000)] = ""
    world: World = "simulated"
    contract: Fields = {}
    lacking: Lacking = ()
    source: Digest = ""
    versions: Versions = {}
    stamp: Digest = ""
    code: Digest = ""
    experiments: Lacking = ()
    before: Tokens = ()
    grade: Grade = "harm"

    def stamped(self, case_id: str) -> tuple[object, ...]:
        """Return what a stamp is about: all that decides what is run, and how much of it."""
        more = ((self.experiments, self.before),) if self.experiments or self.before else ()
        return (self.place, self.contract, case_id, self.law, *more)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of one file."""

    format: int
    case: dict[str, Any]
    broken: Annotated[list[Breach], Meta(max_length=1_000)]


class CaseFile(_File, frozen=True):
    """The content of a stored case, as the kit writes it.

    One that was written by hand may leave out of its case whatever has a default, all but the length.
    """

    format: Literal[1]
    case: CaseData  # type: ignore[assignment]  # ``Case`` says what is wrong with another better


class StoredCase(msgspec.Struct, frozen=True):
    """A case and the laws that it breaks, for one target or several."""

    case: Case
    broken: tuple[Breach, ...]

    @classmethod
    def parse(cls, content: bytes, name: object) -> StoredCase:
        """Return what the content of a file says; ``name`` is the file's, for messages."""
        stored = parse_guarded(content, name, WHAT, msgspec.json.Decoder(_File).decode)
        if stored.format != FORMAT:
            raise InputError(
                f"{name} has format {stored.format}, this version reads {FORMAT}: use the version "
                "that wrote it."
            )
        try:
            case = Case.from_dict(stored.case)
        except CaseError as error:
            raise InputError(f"{name} is no {WHAT}: {error}") from None
        return cls(case, tuple(stored.broken))

    def encode(self) -> bytes:
        """Return the content of the file, the inverse of ``parse``."""
        content = _File(FORMAT, self.case.to_dict(), sorted(self.broken, key=_place))
        return msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=2) + b"\n"

    def with_more(self, broken: Iterable[Breach]) -> StoredCase:
        """Return the same case with breaches added; of one law and target the later one stays."""
        known = {_place(breach): breach for breach in (*self.broken, *broken)}
        return StoredCase(self.case, tuple(known[place] for place in sorted(known)))

    def breaches_of(self, target: str) -> tuple[Breach, ...]:
        """Return the breaches of one target."""
        return tuple(breach for breach in self.broken if breach.target == target)


def _place(breach: Breach) -> tuple[str, str]:
    return breach.target, breach.law


def read_case(path: Path) -> StoredCase:
    """Return what a file says."""
    return StoredCase.parse(read_guarded(path, WHAT, LARGEST_FILE), path)
