"""Proposed: what the first screen says of the contract that a target seems to keep.

Read by the verdict, from the plain data of a report. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.reports.mistakes import HARMS, rank_of_harm
from samplercheck.reports.standing import consequence_of
from samplercheck.values.layout import printable
from samplercheck.values.wording import join_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Plain = Mapping[str, Any]

MOST_LEFT = 3
STILL_HANGS = "; fit only for ranks that do not wait for each other"


def describe_proposal(report: Plain) -> str:
    """Say in one sentence under which contract what is wrong; the whole report has the reasons."""
    proposal = report.get("proposal")
    if not proposal:  # files of earlier versions have none
        return ""
    left, settled, doubted = (list(proposal.get(name, ())) for name in ("left", "settled", "doubted"))
    results = {one["code"]: one for one in report["results"]}
    if not left:
        says = "all laws hold"
    elif len(left) > MOST_LEFT:
        says = f"{join_words(settled)} {'hold' if len(settled) > 1 else 'holds'}, the other laws stay broken"
    else:
        says = _describe_left(left, results)
    harms = [consequence_of(results[code]) for code in doubted if code in results]
    worst = min(harms, key=rank_of_harm, default="")
    doubt = f"; if not meant, it {worst}" if worst else ""
    doubt = STILL_HANGS if worst == HARMS[0] else doubt
    meant = f"to {join_words(list(proposal['signs']))}: " if proposal.get("signs") else ""
    return printable(f"{meant}with --contract {proposal['words']} {says}{doubt}")


def _describe_left(left: Sequence[str], results: Mapping[str, Plain]) -> str:
    """Say which laws stay broken, and which ones are broken under the proposed contract alone."""
    stay = [code for code in left if code not in results or results[code]["failure"]]
    new = [f"{code} ({results[code]['fault'] or results[code]['name']})" for code in left if code not in stay]
    stays = f"{join_words(stay)} {'stay' if len(stay) > 1 else 'stays'} broken"
    if not (stay and new):
        return f"only {stays}" if stay else f"only {join_words(new)} {'are' if len(new) > 1 else 'is'} broken"
    return f"{stays}, and {join_words(new)} {'come' if len(new) > 1 else 'comes'} up"


def settles_little(report: Plain) -> bool:
    """Whether the proposed contract settles nothing that costs data, while what else is broken stays so."""
    proposal = report.get("proposal")
    if not proposal or not proposal["left"] or proposal.get("doubted"):
        return False
    return len(proposal["left"]) > MOST_LEFT or not proposal.get("found")
