"""The block of one mistake on the first screen: what is wrong and seen, when, where, why and what to do.

Made for ``brief``, from the plain data of a report. Everything is in the blocks of ``block``. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from samplercheck.reports.mistake_lines import fitting, head_of, labelled
from samplercheck.reports.mistake_picture import FRAME, draw
from samplercheck.reports.mistakes import MOST_NAMED, Mistake, has_one_fix, name_terms
from samplercheck.reports.naming import COLUMN, choose_line, is_wider, name_example, name_more
from samplercheck.reports.occurrence import SMALLEST as IN_WHENS
from samplercheck.reports.occurrence import SUCH_AS, describe_region, describe_when
from samplercheck.reports.remedy import USUALLY, name_remedy
from samplercheck.reports.standing import Plain, detail_of, fault_of, shown_case
from samplercheck.reports.whens import leave_out_kind, say_when_in_short
from samplercheck.values.layout import (
    NEXT_SENTENCE,
    after_colon,
    case_text,
    printable,
    sentence,
    shorten_line,
)
from samplercheck.values.site import page_of
from samplercheck.values.wording import join_words

MOST_PICTURE = 8
STEPS = (
    *((3, MOST_PICTURE, False), (3, MOST_PICTURE, True), (2, MOST_PICTURE, True), (2, 6, True)),
    *((1, 6, True), (1, 5, True), (1, 0, True)),
)
"""In how many lines rows are told, and how many are drawn, and whether what is said already is left out."""
KEEP_PICTURE = (*STEPS[:4], (2, 5, True))
"""The same where there are other blocks: no picture is left out for them, and nothing is cut to a line."""
IN_LINES = (1, 5, True)  # where two blocks are a few lines too long for a screen
IN_WORDS = (2, 0, True)  # of what comes later where a screen is too long
WIDENED = ("cause", "when", "found", "fix")
"""The rows that get a line more where some are cut and a screen has room, in this order."""
DOTS = "..."
LENGTHY, MOST_ROWS = 2, 2
DRAWN = "coverage=sampled"
SAME_CAUSE, SAME_LINE, SAME_FIX = "for the same cause", "by the same line of code", "with the same fix"
SMALLEST = "  # the smallest"


class Beside(NamedTuple):
    """What a block says besides its failure: the contract that excuses it, what to do, and to run or read."""

    terms: str
    remedy: tuple[str, str]
    attempt: str
    more: str
    page: str
    also: str = ""

    @classmethod
    def of(cls, report: Plain, one: Mistake, attempt: str, also: str = "") -> Beside:
        """Return what a report says besides; ``attempt`` is the command that tries a fix."""
        page, more = page_of(report.get("documentation", ""), one.lead["code"]), name_more(one.lead)
        return cls(name_terms(report, one), name_remedy(one.explained, report), attempt, more, page, also)


def mistake_block(
    mistake: Mistake,
    beside: Beside,
    width: int,
    most: int,
    above: str,
    *,
    steps: Sequence[tuple[int, int, bool]] = STEPS,
) -> list[str]:
    """Return the block in the most lines that fit: what is said ``above`` goes first, then other words.

    It gives way by these ``steps``.
    """
    lines: list[str] = []
    for lengthy, drawn, is_said in steps:
        rows = _Rows(width, lengthy, above if is_said else "")
        lines = _compose(mistake, beside, rows, drawn)
        if len(lines) <= most:
            break
    for label in WIDENED if any(line.endswith(DOTS) for line in lines) else ():
        wider = rows._replace(widened=(*rows.widened, label))
        if len(told := _compose(mistake, beside, wider, drawn)) <= most:
            lines, rows = told, wider
    return lines


class _Rows(NamedTuple):
    """How rows are told: how wide, in how many lines, and what is ``said`` above; some get a line more."""

    width: int
    lengthy: int
    said: str
    widened: tuple[str, ...] = ()

    def fit(self, label: str, text: str) -> list[str]:
        """Return a row in as many lines as it may have."""
        return fitting(label, text, self.width, self.lengthy + (label in self.widened))


def _compose(mistake: Mistake, beside: Beside, rows: _Rows, drawn: int) -> list[str]:
    """Return the block with so many lines drawn at most."""
    one, width = mistake.lead, rows.width
    picture, found = draw(one["failure"], drawn, width), sentence(one["failure"]["message"])
    return [
        *head_of(one, beside.terms, width),
        *rows.fit("found", "" if found in rows.said and picture else found),
        *(["", *picture, ""] if picture else []),
        *_explain(mistake, rows, beside),
        *labelled("", beside.page if len(beside.page) <= width - COLUMN else "", width),
        *labelled("try", beside.attempt, width),
    ]


def excused_block(mistake: Mistake, terms: str, width: int) -> list[str]:
    """Return the few lines on a mistake that is none under the proposed contract."""
    one = mistake.lead
    return [
        *head_of(one, terms, width, rest=mistake.rest),
        *fitting("found", name_example(mistake), width, LENGTHY),
        *fitting("when", describe_region(one), width, LENGTHY),
        *_list_again(_again(one, width)),
    ]


def short_block(mistake: Mistake, remedy: tuple[str, str], width: int) -> list[str]:
    """Return the few lines on a later mistake where a screen is too long: what, when, where, what to do."""
    one, cause = mistake.lead, mistake.explained["cause"]
    rows = (
        ("found", name_example(mistake)),
        ("when", describe_region(one)),
        ("where", shorten_line(choose_line(one["failure"]))),
        ("cause", after_colon(cause) if cause else ""),
        remedy,
    )
    lines = [line for label, text in rows for line in fitting(label, text, width, LENGTHY)]
    return [*head_of(one, "", width, rest=mistake.rest), *lines, *_list_again(_again(one, width))]


def _explain(mistake: Mistake, rows: _Rows, beside: Beside) -> Iterator[str]:
    """Yield the rows below the picture; none says what usually helps where a contract is proposed.

    What is said already is left out, but for the case and when it fails.
    """
    one, (width, lengthy, said, _) = mistake.lead, rows
    failure, why = one["failure"], mistake.explained
    again = _again(one, width)
    shown, smallest = case_text(shown_case(failure)), case_text(failure["case"])
    yield from labelled("case", shown if shown != smallest else f"{smallest} ({failure['id']})", width, 2)
    when = describe_region(one)
    if shown != smallest and failure["token"] not in "".join(again) and smallest not in when:
        yield from labelled("smallest", f"{smallest} ({failure['id']})", width, 2)
    for before in (IN_WHENS, SUCH_AS) if shown == smallest else ():
        when = when.removesuffix(f"{before}{smallest}")
    yield from _say_when(when, rows)
    line = "" if FRAME.search(detail_of(failure)) else shorten_line(choose_line(failure))
    place = line.partition(" ")[0].rstrip(":;").rpartition("/")[2]
    is_placed = f"{place}: " in said or f"{place} (" in said
    yield from labelled("where", "" if is_placed else line, width, max(lengthy, 2))
    yield from rows.fit("cause", after_colon(why["cause"]) if why["cause"] else "")
    tested = f"tested: {why['evidence']}" if why["evidence"] else ""
    test = labelled("", printable(tested), width)
    yield from test if len(test) <= max(LENGTHY, lengthy - 1) else ()  # half a test says nothing
    label, hint = beside.remedy
    if why["cause"] or not (DRAWN in beside.terms or (beside.terms and label == USUALLY)):
        lines = rows.fit(label, hint)
        told = " ".join(" ".join(lines).split()).removeprefix(label).strip()
        is_said = bool(said) and (NEXT_SENTENCE.split(hint)[0] in said or told in said)
        yield from () if is_said else lines
    yield from _list_rest(mistake, width, lengthy)
    yield from labelled("also", beside.also, width)
    yield from _list_again(again)
    yield from labelled("more", beside.more if beside.more not in again else "", width)


def _say_when(when: str, rows: _Rows) -> list[str]:
    """Return when it happens, without the kind of situation if that is said and all is too long."""
    is_long = len(labelled("when", when, rows.width)) > rows.lengthy
    told = rows.fit("when", leave_out_kind(when, rows.said) if is_long else when)
    return rows.fit("when", when) if told and told[-1].endswith(DOTS) else told


def _again(one: Plain, width: int) -> list[str]:
    """Return the command that runs the smallest case again; where another is shown, it says which that is."""
    failure = one["failure"]
    again = [printable(line) for line in failure.get("again", ())]
    if not again or shown_case(failure) == failure["case"] or failure["token"] in "".join(again):
        return again
    ends = (f"{SMALLEST}: {printable(failure['token'])}", f"{SMALLEST} case")
    last = next((line for end in ends if len(line := again[-1] + end) <= width - COLUMN), again[-1])
    return [*again[:-1], last]


def _list_again(again: Sequence[str]) -> list[str]:
    """Return the rows of the command that shows a failure again: a command is never wrapped."""
    return [f"  {'' if number else 'again':<{COLUMN - 2}}{line}" for number, line in enumerate(again)]


def _list_rest(mistake: Mistake, width: int, lengthy: int) -> Iterator[str]:
    """Say what else is wrong for the same cause or because of another law, each with its law.

    A few have their case, too; those of all others are in the full report. What is broken in many more cases
    than the first has a row of its own, which says in which, as far as there is room; a few where there is
    little.
    """
    failure, most = mistake.lead["failure"], MOST_NAMED if lengthy > LENGTHY else 1
    others = failure["failing"] - failure.get("alike", 0)
    also = f"in {others:,} other small cases {failure['other']}" if failure.get("other") else ""
    yield from labelled("also", printable(also), width)
    named: dict[str, list[Plain]] = {SAME_CAUSE: []}
    for one in mistake.rest:
        named.setdefault(_say_why(one, mistake), []).append(one)
    for words, laws in named.items():
        has_cases = len(laws) <= most
        cases = [f", case {one['failure']['id']}" if has_cases else "" for one in laws]
        texts = [f"{fault_of(one)} ({one['code']}{case})" for one, case in zip(laws, cases, strict=True)]
        wider = [describe_when(one) if is_wider(one, mistake.lead) else "" for one in laws]
        told = [*dict.fromkeys(filter(None, wider))][: MOST_NAMED if lengthy > LENGTHY else MOST_ROWS]
        wider = [when if when in told else "" for when in wider]
        for when in told:
            alike = "; ".join(text for text, its in zip(texts, wider, strict=True) if its == when)
            ways = [printable(f"{alike}, {words}: {one}") for one in (when, *say_when_in_short(when))]
            rows, room = [labelled("also", one, width) for one in ways], lengthy + alike.count("; ")
            yield from next((one for one in rows if len(one) <= room), rows[-1])
        left = [text for text, when in zip(texts, wider, strict=True) if not when]
        if lengthy == 1 and len(left) > MOST_NAMED:
            codes = [one["code"] for one, when in zip(laws, wider, strict=True) if not when]
            left = [left[0], join_words(codes[1:])]
        yield from labelled("also", printable(f"{'; '.join(left)}: {words}") if left else "", width)


def _say_why(one: Plain, mistake: Mistake) -> str:
    """Say why a law belongs to a mistake: what it follows from, its cause, its fix, or the line of both."""
    after = one["failure"].get("follows")
    if after in mistake.codes:
        return f"follows from {after}"
    named = one["failure"]["also"] or any(one["code"] in its["failure"]["also"] for its in mistake.rest)
    if named or one["code"] in mistake.lead["failure"]["also"]:
        return SAME_CAUSE
    return SAME_FIX if has_one_fix(one, mistake.lead) else SAME_LINE
