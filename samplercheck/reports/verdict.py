"""Verdict: what a run comes to, in at most seven lines.

Made from the plain data of a report; each rendering shows it in its own way before all else. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from samplercheck.reports.mistakes import Mistake, list_harms, list_mistakes
from samplercheck.reports.standing import (
    Standing,
    consequence_of,
    describe_verdict,
    exit_code,
    standing_of,
    tally,
)
from samplercheck.values.layout import after_colon, hint_label, printable, row, sentence
from samplercheck.values.wording import join_words, pluralise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Plain = Mapping[str, Any]

MOST_LINES = 7
COLUMN = 12
WORDS = {0: "HOLDS", 1: "BROKEN", 3: "UNKNOWN", 5: "NOTHING", 130: "INTERRUPTED"}
LEAST_NAME = 24
_UNJUDGED = re.compile(r"^not judged in [\d,]+ cases: ")
EMPTY: dict[str, Any] = {"seen": "", "remedy": ("", ""), "others": ("", "")}
MOST_NAMED = 4
MOST_HARM = 66


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What to know first of a run; what is not known is empty.

    ``claim`` is one sentence on how many laws hold, ``harm`` what happens in training, ``seen`` what was
    seen of it, ``when`` in which cases, ``where`` the line of the target that decides it, ``remedy`` a
    label and a text: a tested fix or where to look. ``seems`` says under which contract the target would do
    better, ``others`` is a label and what else is wrong, or why laws are undecided, ``advice`` what only a
    strict run counts. ``more`` is the command that tells more.
    """

    word: str
    target: str
    claim: str = ""
    harm: str = ""
    seen: str = ""
    when: str = ""
    where: str = ""
    cause: str = ""
    remedy: tuple[str, str] = ("fix", "")
    seems: str = ""
    others: tuple[str, str] = ("besides", "")
    advice: str = ""
    more: str = ""

    @property
    def rows(self) -> list[tuple[str, str]]:
        """What there is to say, each with its label, the most important first."""
        rows = [
            ("training", self.harm),
            ("seen", self.seen),
            ("when", self.when),
            ("where", self.where),
            ("cause", self.cause),
            self.remedy,
            ("seems", self.seems),
            self.others,
            ("advice", self.advice),
            ("more", self.more),
        ]
        return [(label, text) for label, text in rows if text]


def verdict_of(report: Plain) -> Verdict:
    """Return the verdict on a report."""
    word, target = WORDS[exit_code(report)], printable(report["target"])
    claim, mistakes = describe_verdict(report).claim, list_mistakes(report)
    advice = list_advice(report)
    if not mistakes:
        others = ("why", _undecided(report))
        return Verdict(word=word, target=target, claim=claim, advice=advice, others=others)
    first = mistakes[0]
    failure = first.lead["failure"]
    if not report["interrupted"]:
        laws = sum(1 + len(one.rest) for one in mistakes)
        causes = ", for one cause" if len(mistakes) == 1 < laws else ""
        causes = f", in {len(mistakes)} blocks" if len(mistakes) > 1 else causes
        claim = f"breaks {laws} of {pluralise(_count_judged(report), 'law')}{causes}"
    return Verdict(
        word=word,
        target=target,
        claim=claim,
        harm=_describe_harms(mistakes),
        seen=sentence(failure["message"]),
        when=describe_region(failure, is_brief=True),
        where=printable(failure.get("where", "")),
        cause=after_colon(failure["cause"]) if failure["cause"] else "",
        remedy=(hint_label(failure["mend"]), sentence(failure["hint"])),
        seems=describe_proposal(report),
        others=("besides", _list_others(mistakes[1:])),
        more=_more(first.lead),
    )


def describe_proposal(report: Plain) -> str:
    """Say in one line under which contract what is still broken; the whole report has the reasons."""
    proposal = report.get("proposal")
    if not proposal:  # files of earlier versions have none
        return ""
    left = join_words(proposal["left"])
    breaks = "breaks" if len(proposal["left"]) == 1 else "break"
    then = f"only {left} {breaks}" if left else "all hold"
    return printable(f"meant as {proposal['words']}: then {then} (--infer)")


def _more(one: Plain) -> str:
    if one["code"].startswith("SC"):
        return f"samplercheck explain {one['code']}"
    return next(iter(one["failure"].get("again", ())), "")


def describe_region(failure: Plain, *, is_brief: bool = False) -> str:
    """Say in which cases a law fails, as far as that was tested; where it is brief, in how many only else."""
    tried, world = failure["tried"], printable(failure["world"])
    if world != "simulated" and not failure["failing"]:
        ranks = pluralise(failure["case"]["world_size"], "process", "processes")
        return f"in a real {world} group of {ranks}"
    small = f"{failure['failing']:,} of {tried:,} small cases" if tried else ""
    if failure["region"]:
        return printable(failure["region"]) + (f" ({small})" if small and not is_brief else "")
    if not failure["failing"]:
        return "in larger cases, or such with more epochs, alone" if tried else ""
    return f"in {small}; what they have in common was not found"


def _count_judged(report: Plain) -> int:
    aside = (Standing.SKIPPED, Standing.NOT_APPLICABLE)
    return sum(number for standing, number in tally([report]).items() if standing not in aside)


def _describe_harms(mistakes: Sequence[Mistake]) -> str:
    """Say what happens in training, with the codes of the laws where that is not too long to be read."""
    harms = list_harms(mistakes)
    long = ", ".join(f"{harm} ({', '.join(codes)})" for harm, codes in harms.items())
    return long if len(long) <= MOST_HARM else ", ".join(harms)


def _list_others(mistakes: Sequence[Mistake]) -> str:
    named = [
        f"{printable(one.lead['code'])} {printable(one.lead['name'])} ({consequence_of(one.lead)})"
        for one in mistakes[:MOST_NAMED]
    ]
    left = len(mistakes) - len(named)
    named += [f"and {left} more"] if left else []
    return ", ".join(named)


def _undecided(report: Plain) -> str:
    """Say why laws are undecided: the reason that most of them have."""
    reasons = list_undecided(report)
    return f"{reasons[0][1]} ({', '.join(reasons[0][0])})" if reasons else ""


def list_undecided(report: Plain) -> list[tuple[list[str], str]]:
    """Return the codes of undecided laws by the reason they share, what most share first."""
    reasons: dict[str, list[str]] = {}
    for one in report["results"]:
        if standing_of(report, one) is Standing.UNKNOWN:
            told = printable(" ".join(one["reason"].split())) or "no reason is known"
            reasons.setdefault(_UNJUDGED.sub("", told), []).append(printable(one["code"]))
    return sorted(((codes, why) for why, codes in reasons.items()), key=lambda pair: -len(pair[0]))


def list_advice(report: Plain) -> str:
    """Name the laws whose advice there is, and say which a strict run counts."""
    given = [one for one in report["results"] if one["advice"] or one.get("advised")]
    strict = [one["code"] for one in given if one.get("advised")]
    named = ", ".join(f"{one['code']} {one['name']}" for one in given[:MOST_NAMED])
    left = f" and {len(given) - MOST_NAMED} more" if len(given) > MOST_NAMED else ""
    counted = f"; --strict counts {', '.join(strict)}" if strict else ""
    return printable(f"{named}{left}{counted}")


def verdict_lines(verdict: Verdict, *, width: int) -> list[str]:
    """Return the verdict as at most seven lines of text.

    What was seen, the fix and what else is wrong stand there where nothing has to be cut for them: the blocks
    have them.
    """
    head = _head(verdict, width)
    room = MOST_LINES - len(head)
    for left_out in ((), ("seen",), ("remedy",), ("seen", "remedy"), tuple(EMPTY)):
        bare = replace(verdict, **{name: EMPTY[name] for name in left_out})
        rows = [row(label, text, **_place(width)) for label, text in bare.rows]
        if sum(map(len, rows)) <= room:
            return [*head, *(line for lines in rows for line in lines)]
    spare = max(0, room - len(rows))
    for label, text in bare.rows[:room]:
        lines = row(label, text, **_place(width), most=1 + min(spare, 1))
        spare -= len(lines) - 1
        head += lines
    return head


def _head(verdict: Verdict, width: int) -> list[str]:
    """Return the target with the claim: in one line what is broken, in two what holds."""
    name = width - COLUMN - len(verdict.claim) - 2
    name = max(LEAST_NAME, name if verdict.harm else name + width - 2 * COLUMN)
    target = verdict.target if len(verdict.target) <= name else f"...{verdict.target[3 - name :]}"
    words = f"{target} {verdict.claim}" if verdict.harm else f"{target}: {verdict.claim}"
    return row(verdict.word, words, **_place(width), most=2)


def _place(width: int) -> dict[str, int]:
    return {"indent": 0, "column": COLUMN, "width": width}
