"""Mistakes in words: what each does to training, how many there are, and what to do about them.

Also what a run could not check, by the reasons, and what it advises without calling it broken. Read by the
verdict and the foot of the first screen, from the plain data of a report. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from samplercheck.reports.brevity import IN_TINY, say_least_seen, say_remedy_in_short
from samplercheck.reports.mistakes import (
    MOST_NAMED,
    Mistake,
    is_excused,
    is_harmless,
    is_settled,
    is_tiny,
    leave_out_meant,
    list_harms,
    needs_huge_seed,
)
from samplercheck.reports.naming import name_place
from samplercheck.reports.occurrence import ONE_LINE, describe_when
from samplercheck.reports.remedy import LOOK_AT, name_remedy
from samplercheck.reports.standing import Plain, Standing, consequence_of, fault_of, proposal_of, standing_of
from samplercheck.reports.whens import say_when_in_short
from samplercheck.values.layout import after_colon, printable, wrap
from samplercheck.values.wording import pluralise, uncapitalise

OF_NUMBERS = frozenset({"would hang", "uneven batches", "uneven steps", "wrong step count"})
LINES, BELOW = 2, "see below"
_UNJUDGED = re.compile(r"^not (judged in [\d,]+ cases|checked): ")
NONSENSE = "nonsense"
"""The experiment that builds a target with impossible values."""
WITH_CONTRACT = "if that is meant"
"""Behind how many laws are broken so."""
GRADE = "a failure only with --strict"
MOST_SAID = 40
"""So long may the names of laws be in a line; else the first stands for them."""


def describe_harms(mistakes: Sequence[Mistake]) -> str:
    """Say what happens in training, with the codes of the laws where that is not too long to be read."""
    harms = list_harms(mistakes)
    long = ", ".join(f"{harm} ({', '.join(codes)})" for harm, codes in harms.items())
    return long if len(long) <= ONE_LINE else ", ".join(harms)


def describe_mistakes(
    report: Plain, mistakes: Sequence[Mistake], most: int = MOST_NAMED, *, is_brief: bool = False
) -> tuple[str, ...]:
    """Say what the first mistakes do, and in short what the others do; unless brief, when and what to do.

    What the proposed contract settles is counted with the others, unless it lets nothing be lost.
    """
    mistakes = leave_out_meant(report, mistakes)
    told = proposal_of(report)["found"]
    meant = [one for one in mistakes if is_settled(report, one) or one.lead["code"] in told]
    named = [one for one in mistakes if one is mistakes[0] or one not in meant][:most]
    rest = [one for one in mistakes if one not in named and not (one in meant and is_harmless(report, one))]
    if len(rest) == 1:  # its fault takes no more room than its number
        named, rest = [*named, *rest], []
    more = [_name_rest(report, rest)] if rest else []
    first = named[0]
    texts = [
        _describe_mistake(one, is_first=one is first)
        if one is first or is_brief
        else _describe_another(one, name_remedy(one.explained, report), may_be=is_excused(report, one))
        for one in named
    ]
    return *texts, *more


def claim_mistakes(report: Plain, mistakes: Sequence[Mistake], claim: str) -> str:
    """Return a claim on broken laws with the number of mistakes that nothing excuses, and of laws left."""
    left_over = [one for one in mistakes if not is_excused(report, one)]
    proposal = proposal_of(report)
    left = {*proposal["left"]}.union(*(one.codes for one in left_over)) - {*proposal["settled"]}
    told = f" broken, {len(left)} also {WITH_CONTRACT}." if left_over != mistakes and left else " broken."
    aside, stop, last = claim.rpartition(". ")  # that a run was interrupted
    counted = f"{pluralise(len(left_over), 'mistake')}, " if _are_apart(left_over) else ""
    return f"{aside}{stop}{counted}{last.replace(' broken.', told)}"


def _name_rest(report: Plain, mistakes: Sequence[Mistake]) -> str:
    """Count some mistakes and name what they do to training; what may be meant is not counted."""
    wrong = [one for one in mistakes if not is_excused(report, one)]
    meant = [one for one in mistakes if one not in wrong]
    if not wrong:
        return _name_harms("unless meant: ", meant)
    unless = f"; unless meant, {', '.join(list_harms(meant))}" if meant else ""
    number = pluralise(len(wrong), "more mistake") if _are_apart(wrong) else f"{len(wrong)} more"
    return f"{_name_harms(f'{number}: ', wrong)}{unless}"


def _are_apart(mistakes: Sequence[Mistake]) -> bool:
    """Whether each has a cause of its own that was tested: else one fix may remedy several."""
    return len(mistakes) == 1 or (bool(mistakes) and all(one.explained["cause"] for one in mistakes))


def _name_harms(before: str, mistakes: Sequence[Mistake]) -> str:
    """Name what some mistakes do to training, the worst first, with the laws if their codes have room."""
    leads = list_harms([Mistake(one.lead, ()) for one in mistakes])
    told = before + ", ".join(f"{harm} ({', '.join(codes)})" for harm, codes in leads.items())
    return told if len(told) <= ONE_LINE else before + ", ".join(leads)


def _describe_mistake(mistake: Mistake, *, is_first: bool) -> str:
    """Say the worst that one mistake does to training, and what is wrong."""
    one = mistake.lead
    rare = (
        f", {IN_TINY}" if is_tiny(Mistake(one, ())) else ", with huge seeds" if needs_huge_seed(one) else ""
    )
    when = "" if is_first else rare
    harm, code = printable(consequence_of(one)), printable(one["code"])
    seen = say_least_seen(printable(one["failure"]["message"]))
    raised = re.search(rf"{re.escape(fault_of(one))}: .+", seen)
    told = f"{harm}: {raised[0]} ({code})" if raised and is_first else ""
    if 0 < len(told) <= ONE_LINE:
        return told
    text = f"{harm}: {fault_of(one)} ({code}){when}"
    place = "" if is_first or not mistake.explained["cause"] else name_place(mistake)
    return f"{text}; {place}" if place and len(f"{text}; {place}") <= ONE_LINE else text


def _describe_another(mistake: Mistake, remedy: tuple[str, str], *, may_be: bool) -> str:
    """Say of a mistake behind the first one what it does, with numbers if it has any, when, what to do.

    It may be none if it ``may_be`` meant.
    """
    one, (label, text) = mistake.lead, remedy
    harm, code = printable(consequence_of(one)), printable(one["code"])
    seen = [uncapitalise(say_least_seen(printable(one["failure"]["message"])))] * (harm in OF_NUMBERS)
    told_when = filter(None, say_when_in_short(describe_when(one)))
    whens = [text for when in told_when for text in (f", {when}", f", {when.removeprefix('always ')}")]
    prefix = f"{LOOK_AT} " if label == LOOK_AT and ": let " not in text else ""
    found = [f"{prefix}{uncapitalise(part)}" for part in say_remedy_in_short(text)]
    told = [
        f"{'unless meant, ' if may_be else ''}{harm}: {fault} ({code}){when}; {what}"
        for what_to_do in (found, [BELOW])
        for fault in (*seen, fault_of(one))
        for when in dict.fromkeys([*whens, ""])
        for what in what_to_do
    ]
    return next((one for one in told if len(wrap(one, width=ONE_LINE)) <= LINES), told[-1])


def describe_undecided(report: Plain) -> str:
    """Say why laws are undecided: the reason that most of them have."""
    reasons = list_undecided(report)
    return f"{reasons[0][1]} ({name_laws(report, reasons[0][0])})" if reasons else ""


def name_laws(report: Plain, codes: Sequence[str]) -> str:
    """Name some laws in words, more of them by the first and their number, many by that alone."""
    if len(codes) > MOST_NAMED:
        return f"{len(codes)} laws from {codes[0]} on"
    names = {one["code"]: printable(one["name"]) for one in report["results"]}
    named = [f"{names[code]} ({code})" for code in codes]
    whole = ", ".join(named)
    return whole if not named[1:] or len(whole) <= MOST_SAID else f"{named[0]} and {len(codes) - 1} more"


def list_undecided(report: Plain) -> list[tuple[list[str], str]]:
    """Return the codes of undecided laws by the reason they share, what most share first."""
    reasons: dict[str, list[str]] = {}
    for one in report["results"]:
        if standing_of(report, one) is Standing.UNKNOWN:
            told = printable(" ".join(one["reason"].split())) or "no reason is known"
            reasons.setdefault(_UNJUDGED.sub("", told), []).append(printable(one["code"]))
    return sorted(((codes, why) for why, codes in reasons.items()), key=lambda pair: -len(pair[0]))


def _is_of_trainings(one: Plain) -> bool:
    """Whether a strict run calls broken what a usual training does: it has samples and possible values."""
    advised = one.get("advised")
    is_usual = advised and advised["case"]["length"] and advised["violations"][0]["experiment"] != NONSENSE
    return bool(is_usual)


def name_advice(report: Plain, room: int) -> str:
    """Say in so many columns what is no failure and yet worth a look, or in short what is the first of it."""
    told, grade, _ = list_advice(report).partition(f", {GRADE}")
    return f"{told})" if grade and len(told) < room else _name_given(_list_given(report))


def list_advice(report: Plain) -> str:
    """Say what is no failure and yet worth a look, and which of it a strict run counts as one."""
    given = _list_given(report)
    if not given:
        return ""
    first = given[0]
    others = f"; also {_name_given(given[1:])}" if given[1:] else ""
    if first.get("advised"):
        seen, grade = _name_given_fault(first), GRADE
    else:
        seen, grade = after_colon(first["advice"]["found"]).rstrip("."), "not a failure"
    return printable(f"{seen} ({first['code']}, {grade}){others}")


def _list_given(report: Plain) -> list[Plain]:
    """Return the results with advice, what a usual training does first."""
    given = [one for one in report["results"] if one["advice"] or one.get("advised")]
    return sorted(given, key=lambda one: not _is_of_trainings(one))


def _name_given(given: Sequence[Plain]) -> str:
    """Say in short what the first of some advice is about, and how much more there is."""
    more = f" and {len(given) - 1} more" if given[1:] else ""
    return printable(f"{_name_given_fault(given[0])} ({given[0]['code']}){more}") if given else ""


def _name_given_fault(one: Plain) -> str:
    advised = one.get("advised")
    if not advised:
        return fault_of(one)
    is_empty = "" if advised["case"]["length"] else " for an empty dataset"
    return f"{advised['violations'][0]['fault'] or fault_of(one)}{is_empty}"
