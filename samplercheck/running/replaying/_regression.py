"""A regression test, written from what was replayed: plain pytest that asks for the very case again.

Pure. Writes down what was run, whatever a file says beside. Imports values alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from samplercheck.running.replaying._subjects import SIMULATED, ReplayCase
from samplercheck.running.replaying._verdicts import ReplayVerdict
from samplercheck.values.contract import Contract
from samplercheck.values.errors import UsageError
from samplercheck.values.layout import printable, wrap

HEAD = '"""Cases in which a sampler has failed; written by samplercheck replay --emit-test."""\n\n'
DOC_WIDTH = 100


def regression_test(verdicts: Sequence[ReplayVerdict], world: str | None = None) -> str:
    """Return a module with a test for each case and law that was decided; of others nothing is written."""
    decided = (one for one in verdicts if one.is_decided)
    tests = [_test(one, one.subject, world) for one in decided if isinstance(one.subject, ReplayCase)]
    if not tests:
        raise UsageError("Nothing of this could be run and judged: there is no test to write.")
    return "\n\n".join([f"{HEAD}import samplercheck as sc\n", *dict.fromkeys(tests)])


def _test(verdict: ReplayVerdict, subject: ReplayCase, world: str | None) -> str:
    """Return one test, of what was run: nothing that a file alone says becomes code."""
    case, place = subject.case, verdict.place
    if subject.before:
        raise UsageError(
            f"The case {case.id} fails only after others in the same process, which no token can say: "
            "commit its file among the known failures instead of a test."
        )
    Contract.of(dict(verdict.contract))  # an unknown field is no keyword
    token = f"{verdict.law}?{case.token}" if verdict.law else case.token
    words = ", ".join(f"{name}={value!a}" for name, value in sorted(verdict.contract.items()))
    there = "" if (world or subject.world) == SIMULATED else f", world={world or subject.world!r}"
    named = f"sc.target({place!a}, contract=sc.Contract({words}))" if words else ascii(place)
    slug = re.sub(r"[^a-z0-9]+", "_", place.rpartition(":")[2].lower()).strip("_")
    lines = [f"def test_{slug}_{verdict.law.lower() or 'all'}_{case.id}():"]
    if subject.breach is not None:
        doc = printable(subject.breach.found).replace("\\", "\\\\").replace('"', "'")
        said = wrap(f"Once: {doc}.", width=DOC_WIDTH, indent=4)
        lines += [f'    """{said[0].strip()}', *said[1:], '    """']
    lines += [
        f"    report = sc.replay({token!a}, target={named}{there})",
        "    report.raise_for_failures()",
        "    assert report.ok, report.outcome",
    ]
    return "\n".join(lines) + "\n"
