"""Proposed: what the first screen says of the contract that a target seems to keep.

Read by the verdict, from the plain data of a report. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from samplercheck.reports.mistakes import (
    HARMS,
    LOSES,
    Mistake,
    is_settled,
    is_tiny,
    list_mistakes,
    may_be_meant,
    rank_of_harm,
)
from samplercheck.reports.naming import say_line
from samplercheck.reports.remedy import advise
from samplercheck.reports.standing import Plain, consequence_of, fault_of, proposal_of
from samplercheck.reports.whens import EXAMPLE
from samplercheck.values.layout import printable, sentence, split_case
from samplercheck.values.wording import join_words, pluralise

MOST_LEFT = 3
STILL = "still"
STAYS = re.compile(rf" \({STILL} [^()]+\)(?=: )")
STILL_HANGS = "; training would still hang under DDP and wherever else ranks wait for each other"
HANGS = "; training would hang"
MEANT = {
    "after_break": "to go on where a pass ended that was given up",
    "empty_batches": "to yield empty batches",
    "epochs": "to count its passes by itself, too",
    "layout": "to keep the copies of a sample together, on one rank",
    "shuffles": "to shuffle each rank's share by itself",
    "tail": "to drop the uneven tail",
    "tail_first": "to drop or pad before samples are repeated",
    "tail_unit": "to drop what fills no global batch",
    "top_up": "to fill batches up by single samples",
}
"""What a target would do on purpose, by the field that its contract then has."""


def describe_proposal(report: Plain, *, is_brief: bool = False, stays: Sequence[str] = ()) -> str:
    """Say in one sentence under which contract what is wrong, or in brief under which one something else is.

    In brief it names what is wrong even so, of laws that are asked for as what ``stays``. The whole report
    has the reasons.
    """
    proposal = proposal_of(report)
    if not proposal["words"]:
        return ""
    left, settled = list(proposal["left"]), list(proposal["settled"])
    results = {one["code"]: one for one in report["results"]}
    if not left:
        cases = proposal.get("cases", 0)
        says = f"all laws hold in {pluralise(cases, 'case')}" if cases else "all laws hold"
    elif leaves_much(report):
        says = f"{join_words(settled)} {'hold' if len(settled) > 1 else 'holds'}, and no other broken law"
    else:
        says = _describe_left(left, results)
    worst = find_doubt(report)
    doubt = f"; if not meant, it {worst}" if worst and left and not is_brief else ""
    if worst == HARMS[0]:
        doubt = HANGS if is_brief else STILL_HANGS
        stuck = [code for code in left if code in results and consequence_of(results[code]) == worst]
        if is_brief and stuck and not stays:
            doubt = f"; even then {join_words(stuck)} {'are' if len(stuck) > 1 else 'is'} broken"
    meant = f"to {join_words(list(proposal['signs']))}: " if proposal["signs"] else ""
    leads = [code for code in proposal.get("hides", ()) if not results[code]["failure"].get("follows")]
    if leads:
        return printable(f"with {join_words(leads)} fixed, {meant}--contract {proposal['words']}")
    if is_brief:
        harms = dict.fromkeys(name_harm(report, results[code]) for code in stays)
        stay = f" ({STILL} {join_words([*harms])}: {', '.join(stays)}): "
        meant = meant.replace(": ", stay) if stays else meant
        return printable(f"{meant}--contract {proposal['words']}{doubt}")
    return printable(f"{meant}with --contract {proposal['words']} {says}{doubt}")


def _describe_left(left: Sequence[str], results: Mapping[str, Plain]) -> str:
    """Say which laws stay broken, and which ones are broken under the proposed contract alone."""
    new = _list_new(left, results)
    stay = [code for code in left if code not in new]
    stays = f"{join_words(stay)} {'stay' if len(stay) > 1 else 'stays'} broken"
    if not (stay and new):
        return f"only {stays}" if stay else f"only {join_words(new)} {'are' if len(new) > 1 else 'is'} broken"
    return f"{stays}, and {join_words(new)} {'come' if len(new) > 1 else 'comes'} up"


def _list_new(left: Sequence[str], results: Mapping[str, Plain]) -> list[str]:
    """Return the laws that are broken under the proposed contract and not under the one judged by."""
    return [code for code in left if code in results and not results[code]["failure"]]


def list_hidden(report: Plain) -> list[Plain]:
    """Return the results of the laws broken under the proposed contract alone, or otherwise, by their harm.

    Nothing where so many stay broken that it settles little. What follows from another one, or from the first
    mistake, is told with that.
    """
    hidden = _list_hidden(report)
    told = {one["code"] for one in hidden}.union(*(one.codes for one in list_mistakes(report)[:1]))
    after = proposal_of(report)["follows"]
    return [one for one in hidden if after.get(one["code"]) not in told]


def list_untold(report: Plain, mistakes: Sequence[Mistake]) -> list[Plain]:
    """Return those of the hidden laws that no mistake of known cause is told to break as well."""
    caused = [one for one in mistakes if one.explained["cause"] and not is_settled(report, one)]
    told = {other["code"] for one in caused for other in one.rest}
    return [one for one in list_hidden(report) if one["code"] not in told]


def name_followers(report: Plain, codes: Collection[str], text: str) -> str:
    """Say in a text what is wrong under the proposed contract because of one of some laws, with the laws."""
    after, hidden = proposal_of(report)["follows"], _list_hidden(report)
    told = [one for one in hidden if after.get(one["code"]) in codes and one["code"] not in codes]
    named = "; ".join(f"{name_fault(report, one)} ({one['code']})" for one in told)
    return text.format(named) if named else ""


def _list_hidden(report: Plain) -> list[Plain]:
    proposal = proposal_of(report)
    results = {one["code"]: one for one in report["results"]}
    new = _list_new(proposal["left"], results)
    told = [code for code in proposal["left"] if code in new or code in proposal["found"]]
    hidden = [] if leaves_much(report) else [results[code] for code in told if code in results]
    return sorted(hidden, key=lambda one: rank_of_harm(name_harm(report, one)))


def name_hidden_fault(report: Plain) -> tuple[list[tuple[str, str]], str]:
    """Return what was seen of the worst mistake behind the proposed contract and when, and where to look."""
    hidden = [one["code"] for one in list_hidden(report)[:1]]
    proposal = proposal_of(report)
    return next(((tell_seen(report, code), proposal["hints"].get(code, "")) for code in hidden), ([], ""))


def tell_seen(report: Plain, code: str) -> list[tuple[str, str]]:
    """Return what was seen of a law behind the proposed contract, when and where, each with its label."""
    proposal = proposal_of(report)
    seen, case = split_case(proposal["found"].get(code, ""))
    often = proposal["often"].get(code, "")
    when = f"{often}{EXAMPLE}{case}" if often and case else f"e.g. {case}" if case else often
    _, line = say_line(proposal["lines"].get(code, ""))
    rows = [("found", sentence(seen)), ("when", printable(when)), ("where", line)]
    return [(label, text) for label, text in rows if text]


def name_harm(report: Plain, one: Plain) -> str:
    """Return what a target does to training where it breaks a law under the proposed contract."""
    return str(proposal_of(report)["harms"].get(one["code"]) or consequence_of(one))


def name_fault(report: Plain, one: Plain) -> str:
    """Say in a few words what a target does that breaks a law under the proposed contract."""
    return printable(proposal_of(report)["faults"].get(one["code"]) or fault_of(one))


def describe_rest(report: Plain) -> str:
    """Say what is wrong with a target that is meant as proposed: mistakes that hide behind its contract."""
    hidden = list_hidden(report)
    return printable("; ".join(f"{name_harm(report, one)}: {_say_rest(report, one)}" for one in hidden))


def drop_stays(seems: str, still: str) -> str:
    """Return what a target seems to be without what stays broken, where all of that is ``still`` told."""
    found = STAYS.search(seems)
    codes = re.findall(r"\bSC\d+", found[0]) if found else []
    return STAYS.sub("", seems) if all(code in still for code in codes) else seems


def name_remains(report: Plain, first: Mistake) -> str:
    """Name what stays wrong under the proposed contract, or count the laws; nothing if that is told first."""
    left = proposal_of(report)["left"]
    left = () if first.codes.issuperset(left) and not is_settled(report, first) else left
    results = {one["code"]: one for one in report["results"]}
    harms: dict[str, list[str]] = {}
    for code in left:
        if code in results:
            harms.setdefault(name_harm(report, results[code]), []).append(code)
    named = [f"{harm} ({', '.join(codes)})" for harm, codes in harms.items()]
    is_short = sum(map(len, harms.values())) == len(left) <= MOST_LEFT
    text = join_words(named) if is_short else pluralise(len(left), "law")
    return printable(f"{text} {'stays' if len(left) == 1 else 'stay'}") if left else ""


def _say_rest(report: Plain, one: Plain) -> str:
    """Say what breaks a law under the proposed contract: what is wrong or, if told first, what was seen."""
    fault = name_fault(report, one)
    seen = proposal_of(report)["found"].get(one["code"], "")
    is_told = any(first.lead["code"] == one["code"] for first in list_mistakes(report)[:1])
    return f"{seen if is_told and fault == fault_of(one) and seen else fault} ({one['code']})"


def name_proposal(report: Plain, mistakes: Sequence[Mistake], stays: Sequence[str]) -> tuple[str, str]:
    """Return what a target seems to be, and in brief; not where that leaves the only mistake as it is."""
    lead, left, meant = mistakes[0].lead, {*proposal_of(report)["left"]}, name_meant(report, mistakes)
    is_left = lead["code"] in left <= mistakes[0].codes and not mistakes[1:]
    if is_left and consequence_of(lead) != HARMS[0]:
        return "", ""
    return describe_proposal(report) or meant, describe_proposal(report, is_brief=True, stays=stays) or meant


def name_meant(report: Plain, mistakes: Sequence[Mistake]) -> str:
    """Name the field of a contract under which the only mistake would be none, where its fix does not.

    Nothing where that is not to be advised, as it allows losses and was not tried.
    """
    failure = mistakes[0].lead["failure"]
    meant = "" if mistakes[1:] else failure.get("meant", "")
    if not meant or meant in failure["hint"]:
        return ""
    flag = advise(f"declare {printable(meant)}", report).removesuffix(".").lower()
    return f"{MEANT[meant.partition('=')[0]]}: {flag.removeprefix('run with ')}" if flag else ""


def find_doubt(report: Plain) -> str:
    """Return the worst that a target does to training if it is not meant as proposed; often nothing."""
    results = {one["code"]: one for one in report["results"]}
    doubted = proposal_of(report)["doubted"]
    harms = [consequence_of(results[code]) for code in doubted if code in results]
    return min(harms, key=rank_of_harm, default="")


def is_all_meant(report: Plain) -> bool:
    """Whether nothing is broken under the proposed contract."""
    proposal = proposal_of(report)
    return bool(proposal["words"]) and not proposal["left"]


def is_less_sure(report: Plain, first: Mistake) -> bool:
    """Whether the first mistake may be meant, loses nothing even if it is not, and has no known cause.

    So is one of tiny datasets, and one that is another mistake under the proposed contract.
    """
    is_known = first.explained["cause"] or first.explained["mend"]
    is_meant = is_settled(report, first) or may_be_meant(report, first)
    loses = rank_of_harm(find_doubt(report)) <= rank_of_harm(LOSES)
    return is_tiny(first) or (is_meant and not is_known and not loses)


def settles_little(report: Plain) -> bool:
    """Whether the proposed contract settles one thing that costs no data, while what else is broken stays."""
    proposal = proposal_of(report)
    if not proposal["left"] or proposal["doubted"] or len(proposal["settled"]) > 1:
        return False
    return leaves_much(report) or not proposal["found"]


def leaves_much(report: Plain) -> bool:
    """Whether many mistakes stay under the proposed contract; what follows from one is not counted."""
    left = {*proposal_of(report)["left"]}.difference(proposal_of(report)["follows"])
    if len(left) <= MOST_LEFT:
        return False
    old = [one.codes & left for one in list_mistakes(report)]
    return sum(map(bool, old)) + len(left.difference(*old)) > MOST_LEFT
