"""Proposed: what the first screen says of the contract that a target seems to keep.

Read by the verdict, from the plain data of a report. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.reports.mistakes import HARMS, rank_of_harm
from samplercheck.reports.standing import consequence_of, fault_of
from samplercheck.values.layout import printable
from samplercheck.values.wording import join_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    Plain = Mapping[str, Any]

MOST_LEFT = 3
STILL_HANGS = "; ranks that step together would still hang"


def describe_proposal(report: Plain) -> str:
    """Say in one sentence under which contract what is wrong; the whole report has the reasons."""
    proposal = report.get("proposal")
    if not proposal:  # files of earlier versions have none
        return ""
    left, settled, doubted = (list(proposal.get(name, ())) for name in ("left", "settled", "doubted"))
    results = {one["code"]: one for one in report["results"]}
    known = [code for code in proposal.get("found", {}) if code in results]  # laws may have been selected
    found = {code: f"{code} ({fault_of(results[code])})" for code in known}
    if not left:
        says = "all laws hold"
    elif len(left) > MOST_LEFT:
        says = f"{join_words(settled)} {'hold' if len(settled) > 1 else 'holds'}, the others do not"
    else:
        names = join_words([found.get(code, code) for code in left])
        says = f"only {names} {'are' if len(left) > 1 else 'is'} broken"
    harms = [consequence_of(results[code]) for code in doubted if code in results]
    worst = min(harms, key=rank_of_harm, default="")
    doubt = f"; if not, it {worst}" if worst else ""
    doubt = STILL_HANGS if worst == HARMS[0] else doubt
    return printable(f"to be intended: with --contract {proposal['words']} {says}{doubt}")


def settles_little(report: Plain) -> bool:
    """Whether the proposed contract settles nothing that costs data, while what else is broken stays so."""
    proposal = report.get("proposal")
    if not proposal or not proposal["left"] or proposal.get("doubted"):
        return False
    return len(proposal["left"]) > MOST_LEFT or not proposal.get("found")
