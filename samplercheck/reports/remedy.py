"""Remedy: what to do about a failure, with its label: a tested fix, where to look, or what usually helps.

Asked by the verdict and the blocks of the first screen. A contract is named by its flag; one that lets
samples be lost or repeated only where a run with it was tried, which is the one that is proposed. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from samplercheck.reports.standing import Plain, proposal_of
from samplercheck.values.layout import NEXT_SENTENCE, hint_label, sentence

OFTEN = 3
"""So many times as often as what follows from it a law may fail, to be helped by the same."""
USUALLY = "usual fix"
LOOK_AT = "look at"
PLACES = (LOOK_AT, "look for")
LABELS = (hint_label(USUALLY), *PLACES, USUALLY)
_FIELD = r"""\w+=(?:"[^"]*"|'[^']*'|True|False|None|\d+)"""
_DECLARE = re.compile(rf"(?i:\bdeclare )({_FIELD}(?:(?:,? or |, ){_FIELD})*)")
_OF_FUNCTION = re.compile(r"\b(frequencies|batch_rule)='[^']*:")
_CONTRACT = re.compile(rf"Contract\(({_FIELD}(?:, {_FIELD})*)\)")
_ALLOWS = re.compile(r"""\b(tail|tail_unit|coverage)=["']?(\w+)""")
_IF = re.compile(r"(If|Where|Else)\b")


def name_remedy(failure: Plain, report: Plain) -> tuple[str, str]:
    """Return what to do about a failure, labelled; no contract that was not tried."""
    usual = "" if failure["hint"] else failure.get("usual", "")
    text = failure["hint"] or usual
    for label in PLACES:
        if text.lower().startswith(f"{label} "):
            return label, advise(text[len(label) :], report)
    return (USUALLY if usual else hint_label(failure["mend"])), advise(text, report)


def borrow_fix(lead: Plain, rest: Sequence[Plain]) -> Plain:
    """Return the failure of a law of no known cause, with the fix for what follows from it as what helps.

    That is one whose cause was tested and is that of other laws of the mistake, too, one of which fails about
    as often; the first law may fail for another reason besides.
    """
    failure: Plain = lead["failure"]
    if failure["mend"]:
        return failure
    seen = {one["code"]: one["failure"]["failing"] for one in rest}
    after = [one["failure"] for one in rest if one["failure"].get("follows") == lead["code"]]
    after = [one for one in after if one["cause"] and seen.keys() & {*one["also"]}]
    often = ((one, max(one["failing"], *map(seen.get, seen.keys() & {*one["also"]}))) for one in after)
    shared = next((one for one, failing in often if OFTEN * failing >= failure["failing"]), None)
    return {**failure, "hint": "", "usual": shared["hint"]} if shared else failure


def advise(text: str, report: Plain) -> str:
    """Return advice in sentences, without what allows losses and was not tried, contracts as flags."""
    tried = {*_ALLOWS.findall(proposal_of(report)["words"])}
    kept = [_leave_out_untried(one, tried) for one in NEXT_SENTENCE.split(sentence(text))]
    return name_flags(" ".join(sentence(one.removeprefix("Else: ")) for one in kept if one))


def _leave_out_untried(text: str, tried: set[tuple[str, str]]) -> str:
    """Return a sentence up to the clause that names an untried contract; nothing if all of it does."""
    found = next((one for one in _ALLOWS.finditer(text) if one.groups() not in tried), None)
    if found is None:
        return text
    end = max(text.rfind(mark, 0, found.start()) for mark in ("; ", *(() if _IF.match(text) else (": ",))))
    return "" if end < 0 else text[:end]


def name_flags(text: str) -> str:
    """Return a text in which the contracts to declare are what a command line takes."""
    return _DECLARE.sub(lambda found: f"run with --contract {_join(found[1])}", text)


def name_contract(text: str) -> str:
    """Return a contract as a report writes it, as the command line takes it if that can say it."""
    found = None if _OF_FUNCTION.search(text) else _CONTRACT.fullmatch(text)
    return f"--contract {_join(found[1])}" if found else text


def _join(fields: str) -> str:
    bare = re.sub(r"""["']""", "", fields).replace("=True", "=true").replace("=False", "=false")
    return re.sub(r",? or (?=\w+=)", " or --contract ", bare).replace(", ", ",")
