"""Mistakes: which broken laws belong together, in order of the harm that they do to training.

Read by the verdict and the first screen, from the plain data of a report. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from samplercheck.explain.words import IN_FIRST
from samplercheck.reports.remedy import borrow_fix
from samplercheck.reports.standing import Plain, Standing, consequence_of, event_of, proposal_of, standing_of
from samplercheck.values.layout import printable
from samplercheck.values.wording import CHANGES_OWN, DRAWS_GLOBALLY, RUNS_ALONE, UNUSUAL

HARMS = (
    *("would hang", (CRASHES := "crashes"), "out of memory", "may crash"),
    *((LOSES := "loses data"), "leaks data", "repeats data", "crashes if pickled"),
    *("wrong gradients", "wrong batches", "uneven batches", "uneven steps"),
    *((WRONG_ORDER := "wrong order"), "same random draws", "not reproducible", "wrong step count"),
)
"""What a broken law does to training, the most harmful first; what laws of users say comes last."""
MOST_NAMED = 4
HUGE_SEED = 2**31
"""Seeds from here on are seldom given: a mistake that only they show is told behind others."""


class Mistake(NamedTuple):
    """Results of broken laws that belong together: the one that is told, and those that follow from it."""

    lead: Plain
    rest: tuple[Plain, ...]

    @property
    def codes(self) -> set[str]:
        """The codes of its laws."""
        return {one["code"] for one in (self.lead, *self.rest)}

    @property
    def explained(self) -> Plain:
        """The failure that says why: the first one's, or of a law with the same cause that names it."""
        same = [one["failure"] for one in self.rest if self.lead["code"] in one["failure"]["also"]]
        found = next((one for one in (self.lead["failure"], *same) if one["cause"]), None)
        by_line = [one["failure"] for one in self.rest if is_of_one_line(self.lead, one)]
        by_line.sort(key=lambda failure: CHANGES_OWN not in failure["line"])
        return found or next(iter(by_line), None) or borrow_fix(self.lead, self.rest)


def rank_of_harm(harm: str) -> int:
    """Return the place of a harm among all, the most harmful first; what laws of users say comes last."""
    return HARMS.index(harm) if harm in HARMS else len(HARMS)


def list_harms(mistakes: Sequence[Mistake]) -> dict[str, list[str]]:
    """Return what mistakes do to training, in order of harm, each with the codes of the laws."""
    harms: dict[str, list[str]] = {}
    for one in sorted((one for mistake in mistakes for one in (mistake.lead, *mistake.rest)), key=_harm):
        harms.setdefault(printable(consequence_of(one)), []).append(printable(one["code"]))
    return harms


def list_mistakes(report: Plain) -> list[Mistake]:
    """Return what is broken, known failures aside, in order of harm; one mistake for each tested cause."""
    proposal = proposal_of(report)
    settled, after = proposal["settled"], proposal["follows"]
    broken = [
        _put_after(one, after.get(one["code"], ""))
        for one in report["results"]
        if one["failure"] and standing_of(report, one) is Standing.BROKEN
    ]
    groups: list[list[Plain]] = []
    for one in broken:
        near = [group for group in groups if any(_belong(one, other, settled) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), one])
    return sorted(map(_mistake, groups), key=lambda mistake: _rank(report, mistake))


def _put_after(result: Plain, other: str) -> Plain:
    """Return a result as one that follows from another law, if it does so under a proposed contract."""
    return {**result, "failure": {**result["failure"], "follows": other}} if other else result


def _rank(report: Plain, mistake: Mistake) -> tuple[Any, ...]:
    """Sort key: what no proposed contract excuses, by its harm, and then the others.

    A crash in tiny datasets or with huge seeds alone comes in front of a wrong order, what else happens there
    comes last.
    """
    is_rare, harm, *rest = min(map(_harm, (mistake.lead, *mistake.rest)))
    weight = max(harm, HARMS.index(WRONG_ORDER)) if is_rare else harm
    is_last = is_rare and harm > HARMS.index(CRASHES)
    harmless, settled = is_harmless(report, mistake), is_settled(report, mistake)
    return may_be_meant(report, mistake), harmless, is_last, weight, harm, settled, rest


def _belong(one: Plain, other: Plain, settled: Collection[str]) -> bool:
    """Whether one of two broken laws names the other as broken for its cause, or as what it follows from.

    What a proposed contract settles, or the first epochs alone break, may be meant: nothing else follows.
    """
    is_early = [its["failure"]["region"].startswith(IN_FIRST) for its in (one, other)]
    for of, code in ((one, other["code"]), (other, one["code"])):
        is_as_early = is_early[0] is is_early[1] or not of["failure"]["region"]  # as of process groups
        is_near = (of["code"] in settled or code not in settled) and is_as_early
        if code in of["failure"]["also"] or (is_near and code == of["failure"].get("follows")):
            return True
    is_one = has_one_fix(one, other) or is_of_one_line(one, other)
    return (one["code"] in settled) is (other["code"] in settled) and is_one


def has_one_fix(one: Plain, other: Plain) -> bool:
    """Whether one change fixes both, as far as two tested causes say: who makes it has dealt with the other.

    Of one cause it was tried whether it is that of both.
    """
    causes, fixes = ({its["failure"][name] for its in (one, other)} for name in ("cause", "mend"))
    return len(causes) == 2 and len(fixes) == 1 and "" not in causes | fixes  # noqa: PLR2004


def is_of_one_line(one: Plain, other: Plain) -> bool:
    """Whether one line of code decides both, by what it draws on or leaves on the object.

    Of a line that yields, returns or seeds this says nothing: mistakes meet there.
    """
    lines = [its["failure"].get("line", "") for its in (one, other)]
    places = {line.partition(": ")[0] for line in lines}
    is_one_cause = len({its["failure"]["cause"] for its in (one, other)} - {""}) <= 1
    tells = [line.rpartition("; ")[2] for line in lines]
    changes = any(tell.startswith(CHANGES_OWN) for tell in tells)
    keeps = changes and all(tell.startswith((CHANGES_OWN, RUNS_ALONE)) for tell in tells)
    draws = {*tells} == {DRAWS_GLOBALLY}
    return len(places) == 1 and (draws or (keeps and is_one_cause))


def _mistake(group: Sequence[Plain]) -> Mistake:
    codes = {one["code"] for one in group}
    ordered = sorted(group, key=lambda one: (one["failure"].get("follows") in codes, *_usual_harm(one)))
    lead = next((one for one in ordered if _names_cause(one, ordered[0])), ordered[0])
    return Mistake(lead, tuple(one for one in ordered if one is not lead))


def _names_cause(one: Plain, first: Plain) -> bool:
    """Whether one law names the cause of another, which does not name it and fails in fewer cases."""
    mine, its = one["failure"], first["failure"]
    fails_more = mine["failing"] > its["failing"]
    return bool(mine["cause"] and not its["cause"] and first["code"] in mine["also"] and fails_more)


def _usual_harm(one: Plain) -> tuple[Any, ...]:
    """Sort key: what is rare, then what few trainings do, such as to have two iterators open at once."""
    is_rare, *rest = _harm(one)
    return is_rare, event_of(one) in UNUSUAL, *rest


def _harm(one: Plain) -> tuple[bool, int, bool, int, str]:
    """Sort key: what usual cases show, then the harm, what small cases show, and the code."""
    harm, is_rare = rank_of_harm(consequence_of(one)), _is_of_tiny(one) or needs_huge_seed(one)
    return is_rare, harm, not one["failure"]["failing"], len(one["code"]), one["code"]


def needs_huge_seed(one: Plain) -> bool:
    """Whether a law was broken with huge seeds alone."""
    return bool(one["failure"]["case"]["seed"] >= HUGE_SEED)


def _is_of_tiny(one: Plain) -> bool:
    case = one["failure"]["realistic_case"] or one["failure"]["case"]
    is_tiny = case["length"] <= case["world_size"] * case["batch_size"]
    return bool(is_tiny and (not one["failure"]["region"] or "length" in one["failure"]["region"]))


def is_tiny(mistake: Mistake) -> bool:
    """Whether a mistake is about datasets of less than a batch for each rank alone."""
    return all(_is_of_tiny(one) for one in (mistake.lead, *mistake.rest))


def order_failures(report: Plain) -> list[tuple[Plain, str]]:
    """Return the results with a failure in order of harm, those of one mistake together, known ones last.

    With each is the code of the law that it belongs to; nothing with the one that is told first.
    """
    ordered = [
        (one, "" if one is mistake.lead else str(mistake.lead["code"]))
        for mistake in list_mistakes(report)
        for one in (mistake.lead, *mistake.rest)
    ]
    shown = {one["code"] for one, _ in ordered}
    known = [one for one in report["results"] if one["failure"] and one["code"] not in shown]
    return [*ordered, *((one, "") for one in known)]


def leave_out_meant(report: Plain, mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Return the mistakes without orders that are meant by the proposed contract, if there are others."""
    harms = ((one, {*list_harms([one])}) for one in mistakes)
    kept = [one for one, its in harms if not (its == {WRONG_ORDER} and is_harmless(report, one))]
    return kept or [*mistakes]


def is_settled(report: Plain, mistake: Mistake) -> bool:
    """Whether a mistake is none under the contract that is proposed."""
    return mistake.codes <= {*proposal_of(report)["settled"]}


def may_be_meant(report: Plain, mistake: Mistake) -> bool:
    """Whether a mistake is none under the proposed contract, or another: no hang, and of no known cause."""
    is_sure = consequence_of(mistake.lead) == HARMS[0] or mistake.explained["cause"]
    found = () if is_sure else proposal_of(report)["found"]
    return is_excused(report, mistake) or mistake.lead["code"] in found


def is_excused(report: Plain, mistake: Mistake) -> bool:
    """Whether a mistake is none under the proposed contract; where a job hangs, it does so all the same."""
    hangs = {consequence_of(one) for one in (mistake.lead, *mistake.rest)} & {HARMS[0]}
    return is_harmless(report, mistake) or (is_settled(report, mistake) and not hangs)


def is_harmless(report: Plain, mistake: Mistake) -> bool:
    """Whether a mistake is none under the proposed contract, which lets nothing be lost for it."""
    return is_settled(report, mistake) and not mistake.codes & {*proposal_of(report)["doubted"]}


def name_terms(report: Plain, mistake: Mistake) -> str:
    """Return the proposed contract where a mistake is none under it."""
    return printable(report["proposal"]["words"]) if is_settled(report, mistake) else ""
