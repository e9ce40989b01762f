"""Naming: the target, the example, what else goes wrong and the next commands, as the verdict names them.

Read by the verdict and the blocks of the first screen, from the plain data of a report. Pure.
"""

from __future__ import annotations

import re

from samplercheck.explain.remedies import recipes_for
from samplercheck.reports.mistakes import Mistake
from samplercheck.reports.occurrence import describe_when
from samplercheck.reports.standing import Plain, consequence_of, fault_of, shown_case
from samplercheck.reports.ways import can_be_named
from samplercheck.values.layout import WIDTH, case_in_brief, printable, sentence, shorten_place
from samplercheck.values.wording import UNSEEDED, pluralise

COLUMN = 12
WIDER = 1.5
_NUMBER = re.compile(r":\d+$")


def name_another(mistake: Mistake) -> str:
    """Say what else a mistake does to training for the same cause; nothing where that is no other harm."""
    done = consequence_of(mistake.lead)
    others = [one for one in mistake.rest if not one["failure"].get("follows")]
    told = [(consequence_of(one), f"{fault_of(one)} ({one['code']})") for one in others]
    others_do = (f"{harm}, for the same reason: {what}" for harm, what in told if harm != done)
    return printable(next(others_do, ""))


def is_wider(one: Plain, lead: Plain) -> bool:
    """Whether a law is broken in many more small cases than the one that its mistake is told by."""
    mine, its = one["failure"], lead["failure"]
    return bool(its["failing"]) and mine["failing"] >= WIDER * its["failing"] and not mine.get("follows")


def name_wider(mistake: Mistake) -> list[str]:
    """Say what the same cause does in many more cases, and in which; nothing where it does not."""
    for one in mistake.rest:
        if is_wider(one, mistake.lead) and (when := describe_when(one)):
            return [printable(f"{consequence_of(one)}: {fault_of(one)} ({one['code']}), {when}")]
    return []


def name_example(mistake: Mistake) -> str:
    """Return what was seen of a mistake, and in which case."""
    failure = mistake.lead["failure"]
    seen = sentence(printable(failure["message"])).removesuffix(".")
    return f"{seen} ({case_in_brief(shown_case(failure))})."


def name_target(report: Plain) -> str:
    """Return the target's name and its file; a line there would be read as the one that is wrong."""
    name, where = printable(report["target"]), _NUMBER.sub("", shorten_place(report.get("where", "")))
    return f"{name.rpartition(':')[2]} in {where}" if where else name


def name_more(one: Plain) -> str:
    """Return the command that tells more of a broken law: its page, or else its case again."""
    if one["code"].startswith("SC"):
        return f"samplercheck explain {one['code']}"
    return next(iter(one["failure"].get("again", ())), "")


def name_both(more: str, fix: str) -> str:
    """Return both commands where one line has room for them, or else the first."""
    both = f"{more}; {fix}"
    return both if fix and len(both) <= WIDTH - COLUMN else more


def name_fix(report: Plain, first: Mistake) -> str:
    """Return the command that tries a fix, where a wrapper may remedy the first mistake."""
    fix = f"samplercheck fix {printable(report['target'])}"
    can_be_tried = any(failure.get("remedies") for failure in (first.lead["failure"], first.explained))
    is_plain = report["contract"] == "Contract()" and can_be_named(report["target"])
    return fix if can_be_tried and is_plain and len(fix) <= WIDTH - COLUMN else ""


def say_what_fix_does(report: Plain, fix: str) -> str:
    """Return the command that tries a fix with how many wrappers that may be, as a comment of the shell."""
    if not fix:
        return ""
    failures = [one["failure"] for one in report["results"] if one["failure"]]
    number = len(recipes_for({remedy for one in failures for remedy in one.get("remedies", ())}))
    text = f"{fix}  # tries up to {pluralise(number, 'wrapper')}"
    return text if len(text) <= WIDTH - COLUMN else fix


def name_unseeded(report: Plain) -> str:
    """Return what is said of the usual wrapped sampler if none was tried: one that draws without a seed."""
    return next((text for text in report["not_tried"] if text.startswith(UNSEEDED)), "")
