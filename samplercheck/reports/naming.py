"""Naming: the target, the example, the deciding line, what else goes wrong, next commands, for the verdict.

Read by the verdict and the blocks of the first screen, from the plain data of a report. Pure.
"""

from __future__ import annotations

import re

from samplercheck.explain.remedies import recipes_for
from samplercheck.reports.mistakes import HARMS, Mistake
from samplercheck.reports.occurrence import describe_when
from samplercheck.reports.standing import Plain, consequence_of, detail_of, fault_of, shown_case
from samplercheck.reports.ways import can_be_named
from samplercheck.values.layout import (
    WIDTH,
    case_in_brief,
    cut,
    cut_code,
    is_of_python,
    printable,
    sentence,
    shorten_line,
    shorten_place,
)
from samplercheck.values.wording import (
    ASKS_FOR_HASH,
    ASKS_FOR_WORKER,
    CHANGES_OWN,
    DEALS_OUT,
    LOOPS,
    MAKES_SET,
    MARKS_INNER,
    PASSES_FROM,
    UNSEEDED,
    YIELDED_ALIKE,
    YIELDED_BY_WORKERS,
    pluralise,
)

COLUMN = 12
WIDER = 1.5
_NUMBER = re.compile(r":\d+$")
LONGEST_LINE, SHORTEST_CODE, SHORTEST_ALONE = 66, 36, 22
_FRAME = re.compile(r"^(\S+:\d+) in \S+?: (.+)$", re.MULTILINE)
SHOWN = (DEALS_OUT, YIELDED_ALIKE, YIELDED_BY_WORKERS, MARKS_INNER, MAKES_SET, ASKS_FOR_HASH, ASKS_FOR_WORKER)
"""What a line does that its code shows by itself where there is no room for both."""
_LINE = re.compile(
    r"(\S+?:\d+)(?:: (.*?))?"
    r"(?:; ((?:this|each|only|failing|it|the|\w+\(\)) [^;]*?)(?: \(\d+ (?:cases tried|compared)\))?)?"
)


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


def choose_line(failure: Plain) -> str:
    """Return the line that decided a failure, but not one that says no more than where passes come from."""
    line = str(failure.get("line", ""))
    return "" if line.endswith(PASSES_FROM) else line


def name_line(mistake: Mistake) -> tuple[str, str]:
    """Return the line of code that decided a mistake with what it does, and the same cut to one line.

    Where none is known, that of the law that says why.
    """
    lines = [choose_line(failure) for failure in (mistake.lead["failure"], mistake.explained)]
    lines.sort(key=lambda line: CHANGES_OWN not in line)
    lines += [f"{place}: {code}" for place, code in _choose_frame(mistake.lead)]
    return say_line(next(filter(None, lines), ""))


def name_place(mistake: Mistake) -> str:
    """Return the file and the number of the line that decided a mistake of a tested cause; often nothing."""
    found = _LINE.fullmatch(shorten_line(choose_line(mistake.explained)))
    return f"see {found[1].rpartition('/')[2]}" if found else ""


def say_line(text: str) -> tuple[str, str]:
    """Return a line of code as a report has it with what it does, and the same cut to one line."""
    line = shorten_line(text)
    found = _LINE.fullmatch(line)
    if found is None:
        return line, cut(line, LONGEST_LINE)
    place, code = found.group(1), f": {found.group(2)}" if found.group(2) else ""
    does = f" ({found.group(3)})" if found.group(3) else ""
    return f"{place}{code}{does}", _cut_to_line(place, code, does)


def _choose_frame(one: Plain) -> list[tuple[str, str]]:
    """Return the line that raised or, of what hangs, the outermost of the target; of a loop none."""
    if one["failure"]["hint"] == LOOPS:  # where in it it was stopped is luck
        return []
    lines = [line for line in detail_of(one["failure"]).splitlines() if not is_of_python(line)]
    frames = _FRAME.findall("\n".join(lines)) or _FRAME.findall(detail_of(one["failure"]))
    own = [frame for frame in frames if "site-packages" not in frame[0]] or frames
    return own[:1] if consequence_of(one) == HARMS[0] else frames[-1:]


def _cut_to_line(place: str, code: str, does: str) -> str:
    """Return all three in one line: what the code shows gives way first, then folders, then its end."""
    if len(f"{place}{code}{does}") <= LONGEST_LINE:
        return f"{place}{code}{does}"
    name = place.rpartition("/")[2]
    changes = f" (this changes {code[2:].partition(' ')[0]})"
    shows_it = does.endswith("() ends here)") or does in (changes, *(f" ({one})" for one in SHOWN))
    if shows_it and len(f"{name}{code}") <= LONGEST_LINE:
        return f"{place if len(f'{place}{code}') <= LONGEST_LINE else name}{code}"
    shortest = SHORTEST_CODE if does else SHORTEST_ALONE
    fits = len(f"{name}{code}{does}") <= LONGEST_LINE
    if fits or not does or len(f"{place}{does}") + shortest > LONGEST_LINE:
        place = name
    room = LONGEST_LINE - len(f"{place}{does}")
    brief = code if len(code) <= room else cut_code(code, room) if room >= shortest else ""
    return f"{place}{brief}{does}"
