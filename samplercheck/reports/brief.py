"""The first screen of a run: the verdict, a short block for each mistake, what was tried and what was not.

Called by the command line and ``Report``, with the plain data of a report. For a target with one mistake it
has at most 40 lines of 80 columns; everything is in the blocks that ``terminal.full`` shows. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import partial

from samplercheck.reports.above import lines_above_blocks
from samplercheck.reports.mistake_block import (
    IN_LINES,
    IN_WORDS,
    KEEP_PICTURE,
    LENGTHY,
    STEPS,
    Beside,
    excused_block,
    mistake_block,
    short_block,
)
from samplercheck.reports.mistake_lines import (
    fitting,
    head_of_hidden,
    labelled,
    list_foot,
    list_others,
    say_how_to_see,
)
from samplercheck.reports.mistakes import (
    Mistake,
    is_harmless,
    is_settled,
    list_harms,
    may_be_meant,
)
from samplercheck.reports.naming import COLUMN, name_more, say_what_fix_does
from samplercheck.reports.proposed import (
    list_untold,
    name_followers,
    tell_seen,
)
from samplercheck.reports.remedy import advise
from samplercheck.reports.standing import Plain, proposal_of
from samplercheck.reports.verdict import Verdict, verdict_of
from samplercheck.values.layout import cut, hint_label, row, sentence

SCREEN = 40
ROOMY = 50  # two mistakes in all have a block each
LEAST_BLOCK = 15
MOST_BLOCK = 28
MOST_BLOCKS = 3
EVEN_SO = "even with that contract, {}"
IF_MEANT = " If that is meant, declare "
"""What a hint may end with; it has a row of its own where the rest may be cut."""
NARROWEST, NARROW, WIDEST = 72, 80, 120


def brief(report: Plain, *, width: int = NARROW) -> str:
    """Return the first screen of one report, for a terminal of this many columns.

    What does not fit on a screen is said in fewer lines, the later mistakes first.
    """
    verdict, screen = verdict_of(report), ""
    for terse in Terseness:
        parts = _list_parts(report, verdict, width - 2, terse)
        screen = "\n\n".join("\n".join(map(str.rstrip, part)) for part in parts)
        is_roomy = terse == Terseness.TWO_LONG_BLOCKS and len(verdict.found) == BLOCKS[terse]
        if screen.count("\n") < (ROOMY if is_roomy else SCREEN):
            break
    return screen


class Terseness(IntEnum):
    """How much is left out of a first screen: nothing, or more and more of what comes later."""

    WHOLE = 0
    NAMED_IN_LINES = 1
    LATER_IN_SHORT = 2
    LATER_IN_FEWER_WORDS = 3
    ALL_IN_FEWER_WORDS = 4
    TWO_BLOCKS = 5
    TWO_BLOCKS_IN_LINES = 6
    TWO_LONG_BLOCKS = 7
    ONE_BLOCK = 8
    ONE_BLOCK_AND_NAMES = 9


BLOCKS = {one: 1 if one >= Terseness.ONE_BLOCK else 2 for one in Terseness if one >= Terseness.TWO_BLOCKS}


def _list_parts(report: Plain, verdict: Verdict, width: int, terse: Terseness) -> list[list[str]]:
    """Return the paragraphs of a first screen: the verdict, the blocks, other mistakes by name, the end."""
    is_list, is_last = terse in BLOCKS, terse == Terseness.ONE_BLOCK_AND_NAMES
    head = lines_above_blocks(verdict, width=width)
    foot = list_foot(report, width, verdict, is_list=is_list)
    hidden, told, others = _divide(report, verdict, BLOCKS.get(terse, 2 * MOST_BLOCKS))
    above = " ".join(" ".join(head).split())
    name = partial(list_others, report, others, above, width, in_lines=terse > Terseness.WHOLE)
    unseen = [*others[0], *(one.lead for one in others[1])]
    excused = [one for one in told[:1] if verdict.comes_first and is_settled(report, one)]
    unseen = unseen if is_list else [one.lead for one in excused]
    see = say_how_to_see(unseen[0]["code"], width) if unseen else []
    named = [*name(whens=SCREEN if is_list and not is_last else 0), *see]
    behind = [_tell_later(report, one, width, terse) for one in told[1:]]
    behind[:0] = [_tell_hidden(report, one, width, terse) for one in hidden]
    room = _count_room(head, *behind, named, foot)
    is_alone, is_tight = len(verdict.found) == 1, terse >= Terseness.ALL_IN_FEWER_WORDS
    most = (min if is_last else max)(LEAST_BLOCK, room) if is_alone or is_tight else MOST_BLOCK
    is_whole = is_alone or terse < Terseness.LATER_IN_FEWER_WORDS
    steps = STEPS if is_whole else KEEP_PICTURE[is_list:] if is_tight else STEPS[1:]
    is_short = is_last or terse == Terseness.TWO_BLOCKS_IN_LINES
    steps = (*steps, IN_LINES) if is_short else steps
    spare = ("page", "more")[: is_list + is_short]
    first = partial(_tell_first, report, verdict=verdict, width=width, above=above, steps=steps, most=most)
    is_aside = verdict.comes_first and (is_list or bool(excused))  # what is told first is no mistake if meant
    few_words = max(terse, Terseness.LATER_IN_FEWER_WORDS) if excused else terse
    blocks = [
        _tell_later(report, one, width, few_words) if is_aside else first(one, spare) for one in told[:1]
    ]
    if is_last:
        named = [*name(whens=max(0, _count_room(head, *behind, *blocks, named, foot))), *see]
    at = len(hidden) if verdict.comes_first else 0
    parts = [head, *behind[:at], *blocks, *behind[at:], named, foot]
    return [part for part in parts if part]


def _count_room(*parts: Sequence[str]) -> int:
    """Return how many lines of a screen some paragraphs leave."""
    return SCREEN - sum(len(part) + 1 for part in parts if part)


def _tell_first(
    report: Plain,
    one: Mistake,
    spare: Sequence[str],
    *,
    verdict: Verdict,
    width: int,
    most: int,
    above: str,
    steps: Sequence[tuple[int, int, bool]],
) -> list[str]:
    """Return the block of the first mistake, with what follows from it even if it is meant.

    The rows of ``spare`` are left out.
    """
    attempt, also = say_what_fix_does(report, verdict.attempt), name_followers(report, one.codes, EVEN_SO)
    beside = Beside.of(report, one, attempt, also)
    page, more = ("" if name in spare else getattr(beside, name) for name in ("page", "more"))
    beside = beside._replace(page=page, more=more)
    return mistake_block(one, beside, width, most, above, steps=steps)


def _divide(
    report: Plain, verdict: Verdict, most: int
) -> tuple[list[Plain], list[Mistake], tuple[list[Plain], list[Mistake]]]:
    """Return what hides behind the proposed contract and the mistakes that get a block, and what is left.

    They get so many blocks at most, those that are told first.
    """
    mistakes = [*verdict.found]
    hanging = [
        one.lead
        for one in mistakes
        if not may_be_meant(report, one) and one.lead["code"] in proposal_of(report)["found"]
    ]
    hidden = [one for one in list_untold(report, mistakes) if one not in hanging][:MOST_BLOCKS]
    first, retold = () if verdict.comes_first else mistakes[:1], {one["code"] for one in hidden}
    mistakes = [one for one in mistakes if one in first or one.lead["code"] not in retold]
    told = _choose(report, mistakes)
    at = 0 if verdict.comes_first else 1
    in_order = [*told[:at], *hidden, *told[at:]]
    kept = in_order[:most]
    shown, untold = ([one for one in hidden if (one in kept) is is_kept] for is_kept in (True, False))
    told = [one for one in told if one in kept]
    return shown, told, (untold, [one for one in mistakes if one not in told])


def _tell_later(report: Plain, one: Mistake, width: int, terse: Terseness) -> list[str]:
    """Return the block of a mistake behind the first one; how more is told of it stands in the first."""
    beside = Beside.of(report, one, "")
    if terse < Terseness.LATER_IN_SHORT:
        return mistake_block(one, beside, width, MOST_BLOCK, "")
    if terse >= Terseness.LATER_IN_FEWER_WORDS and beside.terms:
        return excused_block(one, beside.terms, width)
    if terse in BLOCKS:
        return short_block(one, beside.remedy, width)
    beside = beside._replace(more=beside.page or beside.more, page="")
    is_long = terse >= Terseness.LATER_IN_FEWER_WORDS
    most, steps = (LEAST_BLOCK, (*KEEP_PICTURE[-1:], IN_WORDS)) if is_long else (MOST_BLOCK, KEEP_PICTURE)
    return mistake_block(one, beside, width, most, "", steps=steps)


def fit_width(columns: int) -> int:
    """Return how wide text on a terminal of this many columns is to be, as far as it is easy to read."""
    return min(WIDEST, max(NARROWEST, columns))


def index_line(report: Plain, *, width: int = NARROW) -> str:
    """Return the line of one target among several: the verdict and what happens in training."""
    verdict = verdict_of(report)
    words = ", ".join(list_harms(verdict.found)) or verdict.claim.partition(". ")[0].rstrip(".")
    target = cut(verdict.target.partition(" in ")[0], (width - COLUMN) // 2)
    return row(verdict.word, f"{target}  {words}", indent=0, column=COLUMN, width=width, most=1)[0].rstrip()


def _choose(report: Plain, mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Return the mistakes that get a block: the first, and those that no proposed contract settles.

    Where that is one alone, also the first that loses or repeats data, or lets ranks wait, if not meant.
    """
    told = [one for one in mistakes if one is mistakes[0] or not is_settled(report, one)][:MOST_BLOCKS]
    if not told:
        return []
    doubted = [one for one in mistakes if one not in told and not is_harmless(report, one)]
    return told if len(told) > 1 or is_settled(report, told[0]) else [*told, *doubted[:1]]


def _tell_hidden(report: Plain, one: Plain, width: int, terse: Terseness) -> list[str]:
    """Return what was seen of a law that is broken under the proposed contract alone, and where to look."""
    code = one["code"]
    where, if_meant, field = proposal_of(report)["hints"].get(code, "").partition(IF_MEANT)
    return [
        *head_of_hidden(report, one, width),
        *(line for label, text in tell_seen(report, code) for line in fitting(label, text, width, LENGTHY)),
        *labelled("also", name_followers(report, {code}, f"{{}}: follows from {code}"), width),
        *fitting(hint_label(""), advise(where, report), width, LENGTHY),
        *labelled("if meant", sentence(advise(f"declare {field}", report)) if if_meant else "", width),
        *labelled("more", name_more(one) if terse < Terseness.LATER_IN_SHORT else "", width),
    ]
