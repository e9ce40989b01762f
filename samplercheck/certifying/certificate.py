"""Certificate: two in-toto statements about one target, as they lie in two files.

Made by ``certify``, read by ``verify``. Standard library alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from samplercheck.certifying.statement import (
    SCOPE_FILE,
    TEST_FILE,
    Plain,
    as_text,
    result_statement,
    scope_statement,
)
from samplercheck.storage.atomic import blame_place, write_whole
from samplercheck.values.errors import InputError, NotCertified
from samplercheck.values.guarded import read_guarded
from samplercheck.values.shard import Shard

WHAT = f"certificate ({TEST_FILE} and {SCOPE_FILE} in one folder)"
LARGEST = 16 * 2**20
PAGE_FILE = "certificate.html"
BROKEN, UNDECIDED, BLIND = "broken", "undecided", "blind"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was tried of a target, and that every law held; not yet believed.

    ``test`` and ``scope`` are the texts of the two files. ``verify`` says whether they agree with each
    other, with the source and with this version of the kit.
    """

    test: bytes
    scope: bytes

    @classmethod
    def of(cls, examined: Plain, made: datetime) -> Certificate:
        """Return the certificate of an examination that earned it; ``NotCertified`` with the reasons else."""
        reasons = reasons_against(examined)
        if reasons:
            lines = "".join(f"\n  {text}" for _, text in reasons)
            raise NotCertified(f"{examined['report']['target']} is not certified:{lines}")
        scope = scope_statement(examined, made)
        return cls(as_text(result_statement(scope)).encode(), as_text(scope).encode())

    @classmethod
    def read(cls, path: str | Path) -> Certificate:
        """Return the certificate in a directory, or the one of which ``path`` is either file."""
        given = Path(path)
        folder = given if given.is_dir() else given.parent
        if not given.is_dir() and given.name not in (TEST_FILE, SCOPE_FILE):
            raise InputError(
                f"{str(path)!r} is no certificate: name {TEST_FILE}, with {SCOPE_FILE} beside it, "
                "or their folder."
            )
        contents = (read_guarded(folder / name, WHAT, LARGEST) for name in (TEST_FILE, SCOPE_FILE))
        return cls(*contents)

    def save(self, directory: str | Path = ".") -> Path:
        """Write both files into a directory, and a page that shows them; return the path of the first."""
        from samplercheck.reports.page import render_certificate

        folder = Path(directory)
        try:
            write_whole(folder / SCOPE_FILE, self.scope)
            write_whole(folder / TEST_FILE, self.test)
            write_whole(folder / PAGE_FILE, render_certificate(json.loads(self.scope)).encode())
        except OSError as error:
            raise blame_place(
                error,
                f"The certificate cannot be written to {str(directory)!r}: {error.strerror or error}. "
                "Name a directory that can be written and has room.",
            ) from None
        return folder / TEST_FILE

    @property
    def predicate(self) -> Plain:
        """The kit's own predicate: the scope."""
        found: Plain = json.loads(self.scope)["predicate"]
        return found

    @property
    def subjects(self) -> tuple[Plain, ...]:
        """The source files that it is about."""
        return tuple(json.loads(self.scope)["subject"])


def reasons_against(examined: Plain) -> list[tuple[str, str]]:
    """Return why an examination earns no certificate, each reason with its kind, what is broken first.

    Where laws are broken, others are undecided because of them, or because the run has ended there.
    """
    report = examined["report"]
    is_broken = any(result["outcome"] == "broken" for result in report["results"])
    reasons = []
    for result in report["results"]:
        label = f"{result['code']} {result['name']}"
        if result["skipped"]:
            reasons.append((UNDECIDED, f"{label} was skipped: {result['skipped']}"))
        elif result["outcome"] == "broken":
            reasons.append((BROKEN, f"{label} is broken in case {result['failure']['token']}"))
        elif result["outcome"] == "unknown" and not is_broken:
            reasons.append((UNDECIDED, f"{label} is undecided: {result['reason']}"))
    if report.get("shard"):
        reasons.append((UNDECIDED, f"{Shard.from_dict(report['shard']).text} is a part of the cases"))
    if report["interrupted"]:
        reasons.append((UNDECIDED, "the run was interrupted"))
    reasons += [
        (UNDECIDED, f"the phase {phase['phase']!r} is not complete")
        for phase in examined["phases"]
        if not phase["is_complete"]
    ]
    reasons.sort(key=lambda reason: reason[0] != BROKEN)
    return reasons or _blind_spots(examined["sensitivity"])


def _blind_spots(sensitivity: Plain) -> list[tuple[str, str]]:
    if not sensitivity["planted"]:
        return [(BLIND, "no fault could be planted into it, so nothing shows that one would be seen")]
    return [
        (BLIND, f"a planted fault was not seen by {fault['law']}: {fault['says']} ({fault['name']})")
        for fault in sensitivity["faults"]
        if fault["law"] not in fault["seen_by"]
    ]
