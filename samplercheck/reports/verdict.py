"""Verdict: what a run comes to, as the values that each rendering shows in its own way before all else.

Made from the plain data of a report. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samplercheck.reports.mistake_words import (
    WITH_CONTRACT,
    claim_mistakes,
    describe_harms,
    describe_mistakes,
    describe_undecided,
    list_advice,
)
from samplercheck.reports.mistakes import (
    HARMS,
    MOST_NAMED,
    Mistake,
    is_harmless,
    is_settled,
    list_mistakes,
    may_be_meant,
)
from samplercheck.reports.naming import (
    name_another,
    name_both,
    name_example,
    name_fix,
    name_line,
    name_more,
    name_target,
    name_unseeded,
    name_wider,
)
from samplercheck.reports.occurrence import describe_when
from samplercheck.reports.proposed import (
    describe_rest,
    drop_stays,
    find_doubt,
    is_all_meant,
    is_less_sure,
    list_hidden,
    name_hidden_fault,
    name_proposal,
    name_remains,
    settles_little,
)
from samplercheck.reports.remedy import advise, name_remedy
from samplercheck.reports.standing import (
    Plain,
    consequence_of,
    describe_verdict,
    exit_code,
    fault_of,
    proposal_of,
)
from samplercheck.values.layout import after_colon
from samplercheck.values.wording import UNSEEDED_INNER

WORDS = {0: "HOLDS", 1: "BROKEN", 3: "UNKNOWN", 5: "NOTHING", 130: "INTERRUPTED"}
FOR_THAT = "for that"
UNLESS_MEANT = "unless meant, "
SHORTER = range(MOST_NAMED, 0, -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What to know first of a run; what is not known is empty.

    ``claim`` is a sentence on how many laws are broken, ``harms`` what happens in training. ``mistakes`` says
    of each what it does to training and what is wrong; ``fewer`` does so of fewer, and counts the others. Of
    the first, ``when`` says when, ``line`` is the line of code that decided it and what it does, ``place``
    the same in one line, ``example`` what was seen, and where, ``cause`` why, and ``remedy`` what to do, with
    a label; ``usual`` is the same even where it may be meant. ``also`` is what else the same cause does.
    ``seems`` says under which contract the target would do better, ``declares`` so in brief, ``still`` what
    is wrong with it under that contract alone, ``remains`` which stay broken, ``is_aside`` that it settles
    little, ``hangs`` that a job hangs under it all the same, ``is_sure`` that it excuses nothing of the first
    mistake, ``is_choice`` that the first mistake is none under it. ``seen`` and ``after`` are what was seen
    of what is ``still`` wrong and when, and what to do about it. That ``comes_first`` if the first mistake
    loses nothing and has no known cause: it may be meant. ``untried`` is a usual use of the target that no
    case has. ``why`` says why laws are undecided, ``advice`` what a strict run counts. ``more`` is the
    command that tells more, ``attempt`` the one that tries a fix. ``found`` are the mistakes.
    """

    word: str
    target: str
    claim: str = ""
    harms: str = ""
    when: str = ""
    line: str = ""
    place: str = ""
    example: str = ""
    mistakes: tuple[str, ...] = ()
    fewer: tuple[tuple[str, ...], ...] = ()
    cause: str = ""
    remedy: tuple[str, str] = ("fix", "")
    usual: tuple[str, str] = ("fix", "")
    also: str = ""
    seems: str = ""
    declares: str = ""
    still: str = ""
    remains: str = ""
    seen: tuple[tuple[str, str], ...] = ()
    after: tuple[str, str] = ("look at", "")
    comes_first: bool = False
    untried: str = ""
    is_sure: bool = False
    is_choice: bool = False
    is_aside: bool = False
    hangs: bool = False
    why: str = ""
    advice: str = ""
    more: str = ""
    attempt: str = ""
    found: tuple[Mistake, ...] = ()

    @property
    def rows(self) -> list[tuple[str, str]]:
        """What there is to say, each with its label, the most important first.

        What to do about a mistake that hides behind another one takes the place of what was not tested.
        """
        still = self.still if self.seems else ""
        is_after = bool(still and self.after[1] and self.remedy[0] != "fix" and not self.is_sure)
        others = [("and", text) for text in self.mistakes[1:] if text != still]
        look = f"look at {self.after[1][:1].lower()}{self.after[1][1:]}"
        meant = [
            ("if meant", drop_stays(self.seems, still)),
            ("even so", still),
            *([(FOR_THAT, look)] if is_after else []),
        ]
        early, later = (meant, []) if not (is_after or self.remedy[1]) else ([], meant)
        first = [
            *(("training", text) for text in self.mistakes[:1]),
            ("found", self.example),
            ("when", self.when),
            *([] if is_after else [self.remedy]),
            *early,
            ("where", self.line),
            ("cause", self.cause),
            ("also", self.also),
            *([*later, *others] if self.is_choice else [*others, *later]),
        ]
        if self.comes_first:
            seen = [one for one in self.seen if one[0] != "where"]
            places = [one for one in self.seen if one[0] == "where"]
            told = [("training", still), *seen, self.after, *places]
            first = [*told, *others, ("seems", self.declares)]
        rows = [
            *first,
            ("not tried", self.untried),
            ("why", self.why),
            ("advice", self.advice),
            ("more", self.more),
        ]
        return [(label, text) for label, text in rows if text]


def verdict_of(report: Plain) -> Verdict:
    """Return the verdict on a report."""
    word, mistakes = WORDS[exit_code(report)], list_mistakes(report)
    about: dict[str, Any] = {
        "target": name_target(report),
        "claim": describe_verdict(report, is_brief=bool(mistakes)).claim,
        "advice": list_advice(report),
    }
    if not mistakes:
        return Verdict(word=word, why=describe_undecided(report), **about)
    about["claim"] = _count_meant(report, mistakes, about["claim"])
    is_asked = not (hangs := find_doubt(report) == HARMS[0]) and is_all_meant(report)
    first, failure = mistakes[0], mistakes[0].explained
    sentences, fewer = _say_mistakes(report, mistakes, UNLESS_MEANT if is_asked else "")
    when, raised = describe_when(first.lead), f"{fault_of(first.lead)}: "
    line, place = name_line(first)
    seen, hint = name_hidden_fault(report)
    comes_first = bool(hint) and is_less_sure(report, first)
    stays = () if comes_first else _list_stays(report, first)
    attempt, usual = name_fix(report, first), name_remedy(failure, report)
    needs_remedy = _needs_remedy(report, first, is_asked=is_asked)
    in_full, in_brief = name_proposal(report, mistakes, stays)
    return Verdict(
        word=word,
        harms=describe_harms(mistakes),
        when=when,
        line=line,
        place=place,
        example="" if when and raised in sentences[0] else name_example(first),
        mistakes=sentences,
        fewer=fewer,
        cause=after_colon(failure["cause"]) if failure["cause"] else "",
        remedy=usual if needs_remedy else ("fix", ""),
        usual=usual,
        also="" if name_wider(first) else name_another(first),
        seems=in_full,
        declares=in_brief,
        still=describe_rest(report),
        remains=name_remains(report, first),
        seen=tuple(seen),
        after=("look at", advise(hint, report)),
        is_choice=is_settled(report, first),
        is_sure=not may_be_meant(report, first),
        comes_first=comes_first,
        is_aside=settles_little(report),
        hangs=hangs,
        untried=UNSEEDED_INNER if name_unseeded(report) else "",
        more=name_both(name_more(first.lead), attempt),
        attempt=attempt,
        found=tuple(mistakes),
        **about,
    )


def _say_mistakes(
    report: Plain, mistakes: Sequence[Mistake], before: str
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return what each mistake does, and the same of fewer and fewer; something stands before the first."""
    wider = name_wider(mistakes[0])
    in_short = (describe_mistakes(report, mistakes, most, is_brief=True) for most in SHORTER)
    of_all, *fewer = (
        (before + first, *wider, *rest) for first, *rest in (describe_mistakes(report, mistakes), *in_short)
    )
    return of_all, tuple(fewer)


def _needs_remedy(report: Plain, first: Mistake, *, is_asked: bool) -> bool:
    """Whether it is said what to do about a mistake: not where all that could be said is to declare it."""
    failure, proposal = first.explained, proposal_of(report)
    hangs = consequence_of(first.lead) == HARMS[0]
    is_left = first.lead["code"] in proposal["left"] or find_doubt(report) == HARMS[0]
    if failure["mend"] or (hangs and is_left):
        return True
    named = ",".join(re.findall(r"--contract ([\w=,]+)", advise(failure["hint"], report)))
    names_contract = bool({*named.split(",")} & {*proposal["words"].split(",")} - {""})
    is_general = not failure["hint"] and is_settled(report, first)  # which fits whatever is meant
    return not (is_asked or is_harmless(report, first) or names_contract or is_general)


def _list_stays(report: Plain, first: Mistake) -> list[str]:
    """Return the laws that a reader has to know as broken even under the proposed contract; hangs are."""
    lead = first.lead["code"]
    hangs = consequence_of(first.lead) == HARMS[0] and lead in proposal_of(report)["left"]
    hidden = [one["code"] for one in list_hidden(report)]
    return list(dict.fromkeys([lead, *hidden] if hangs and hidden else hidden))


def _count_meant(report: Plain, mistakes: Sequence[Mistake], claim: str) -> str:
    """Return a claim on several broken laws with how many are mistakes, and stay if all is meant."""
    if sum(1 + len(one.rest) for one in mistakes) == 1:
        others = len(set(proposal_of(report)["left"]) - mistakes[0].codes)
        number = "another" if others == 1 else f"{others} others"
        return claim.replace(" broken.", f" broken, {number} {WITH_CONTRACT}.") if others else claim
    return claim if is_all_meant(report) else claim_mistakes(report, mistakes, claim)
