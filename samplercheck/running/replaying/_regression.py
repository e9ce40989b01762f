"""A regression test, written from what was replayed: plain pytest that asks for the very case again.

Pure. Imports values alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from samplercheck.running.replaying._subjects import SIMULATED, ReplayCase
from samplercheck.values.errors import UsageError
from samplercheck.values.layout import printable, wrap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from samplercheck.running.replaying._verdicts import ReplayVerdict

HEAD = '"""Cases in which a sampler has failed; written by samplercheck replay --emit-test."""\n\n'
DOC_WIDTH = 100


def regression_test(
    verdicts: Sequence[ReplayVerdict],
    target: str | None = None,
    contract: Mapping[str, Any] | None = None,
    world: str | None = None,
) -> str:
    """Return a module with a test for each case and law; what cannot be named is an error."""
    tested = [one for one in verdicts if isinstance(one.subject, ReplayCase)]
    tests = [_test(one, target, contract or {}, world) for one in tested]
    if not tests:
        raise UsageError("Nothing that was replayed is a case: there is no test to write.")
    return "\n\n".join([f"{HEAD}import samplercheck as sc\n", *dict.fromkeys(tests)])


def _test(verdict: ReplayVerdict, target: str | None, contract: Mapping[str, Any], world: str | None) -> str:
    subject = verdict.subject
    assert isinstance(subject, ReplayCase)
    breach, case = subject.breach, subject.case
    place = target or (breach.place if breach is not None else "")
    if not place:
        raise UsageError(f"The case {case.id} names no target that a test could: add --target.")
    token = f"{verdict.law}?{case.token}" if verdict.law else case.token
    promised = {**(breach.contract if breach is not None else {}), **contract}
    words = ", ".join(f"{name}={value!r}" for name, value in sorted(promised.items()))
    there = "" if (world or subject.world) == SIMULATED else f", world={world or subject.world!r}"
    named = f"sc.target({place!r}, contract=sc.Contract({words}))" if words else ascii(place)
    slug = re.sub(r"[^a-z0-9]+", "_", place.rpartition(":")[2].lower()).strip("_")
    lines = [f"def test_{slug}_{verdict.law.lower() or 'all'}_{case.id}():"]
    if breach is not None:
        doc = printable(breach.found).replace("\\", "\\\\").replace('"', "'")
        said = wrap(f"Once: {doc}.", width=DOC_WIDTH, indent=4)
        lines += [f'    """{said[0].strip()}', *said[1:], '    """']
    lines += [
        f"    report = sc.replay({token!a}, target={named}{there})",
        "    report.raise_for_failures()",
        "    assert report.ok, report.outcome",
    ]
    return "\n".join(lines) + "\n"
