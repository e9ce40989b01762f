"""Shortening: a verdict in fewer and fewer words, until the lines of the headline have room for it.

Asked by the headline, which lays the rows out. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from samplercheck.reports.brevity import SHORTENED, drop_sentences
from samplercheck.reports.first_line import place
from samplercheck.reports.occurrence import DIVIDED
from samplercheck.reports.verdict import FOR_THAT, UNLESS_MEANT, Verdict
from samplercheck.reports.whens import names_kind, say_when_in_fewer_words
from samplercheck.values.layout import row

DOTS = "..."


def shorten_verdict(
    verdict: Verdict, usual: dict[str, int], width: int
) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict in fewer and fewer words, with the most lines that some rows may have.

    What was seen and when get as many lines as they need, which is ``usual``. The cause gives way first, so
    that a line of code is not cut; then other mistakes, and what was not tried. What breaks, when, where and
    what to do stay to the end, each in a line if need be.
    """
    bare = _leave_out_cause(verdict)
    fewer = [replace(bare, mistakes=mistakes) for mistakes in verdict.fewer]
    if verdict.is_aside:
        fewer += [replace(one, seems="") for one in fewer]
    yield from _shorten_first(verdict, usual, width)
    yield from ((one, usual) for one in fewer)
    if verdict.untried:
        yield from shorten_verdict(replace(verdict, untried=""), usual, width)
        return
    last = replace([bare, *fewer][-1], more="")
    meant = replace(last, seems=verdict.declares if last.seems else "")
    yield last, usual
    yield from ((one, {**usual, "and": 1}) for one in (last, meant))
    counted = [replace(one, seems=verdict.declares) for one in fewer if one.seems]
    counted += [replace(one, example="") for one in counted]
    for room in ({"if meant": 1}, {**_room_for_remedy(bare, width), "if meant": 2}):
        yield from ((one, {**usual, "and": 1, **room}) for one in counted)
    yield from _shorten_on(meant, {**usual, "and": 1})


def room_for_words(verdict: Verdict, width: int) -> dict[str, int]:
    """Return how many lines are enough to say what was seen, and when, without cutting a word of sense."""
    seen = (verdict.example, *SHORTENED["found"](verdict.example))
    room = {"found": 1 if choose_fitting(seen, width, 1) else 2}
    return room | ({"when": 1} if choose_fitting(say_when_in_fewer_words(verdict.when), width, 1) else {})


def choose_fitting(texts: Iterable[str], width: int, most: int) -> str:
    """Return the first of some texts that takes so many lines at most, or nothing."""
    return next((one for one in texts if len(row("", one, **place(width))) <= most), "")


def _room_for_remedy(verdict: Verdict, width: int) -> dict[str, int]:
    """Return that what to do gets a line, if it can be said in one."""
    label, text = verdict.remedy
    return {label: 1} if choose_fitting((text, *drop_sentences(text)), width, 1) else {}


def _leave_out_cause(verdict: Verdict) -> Verdict:
    """Return a verdict that says of the first mistake no more than what, when, where and what to do."""
    placed = replace(verdict, advice="", line=verdict.place, also="")
    return replace(placed, cause="") if placed.remedy[1] else placed


def _shorten_first(
    verdict: Verdict, usual: dict[str, int], width: int
) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict that still says of each mistake what to do."""
    bare, brief = _leave_out_cause(verdict), replace(verdict, advice="")
    placed, short = replace(brief, line=verdict.place), replace(bare, also=verdict.also)
    whole = replace(short, line=verdict.line) if DOTS in verdict.place else placed
    caused = [replace(one, also="") for one in (brief, whole, placed)]
    told = replace(bare, more="", seems=verdict.declares if verdict.seems else "")
    yield from ((verdict, {}), (brief, {}), (brief, {"found": 2}))
    yield from ((one, usual) for one in (brief, *caused, short, bare))
    briefly = {**usual, **_room_for_remedy(bare, width)}
    others = (bare, told, replace(told, example="")) if verdict.mistakes[1:] else ()
    yield from ((one, briefly | room) for one in others for room in ({}, {"if meant": 1}))
    rooms = ({"and": 1}, {"and": 1, "if meant": 1}, {"and": 1, "when": 1})
    yield from ((one, briefly | room) for one in others[-1:] for room in rooms)


def _shorten_on(verdict: Verdict, usual: dict[str, int]) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict that has lost what it can do without in fewer and fewer words yet."""
    yield verdict, usual
    if verdict.comes_first and verdict.seen[2:]:  # the line that decides it says more than what was seen
        verdict = replace(verdict, seen=verdict.seen[1:])
        yield from ((verdict, usual), (verdict, {**usual, "when": 1}))
    if verdict.remedy[0] == "fix":
        verdict = replace(verdict, example="")
        yield from ((verdict, usual), (verdict, {**usual, "if meant": 3}))
    if verdict.hangs:
        yield verdict, {**usual, "if meant": 1}
        verdict = replace(verdict, seems="")
        yield verdict, usual
    dealt_with = (verdict.remedy[0], verdict.after[0], FOR_THAT)
    two, one_line = (dict.fromkeys(dealt_with, lines) for lines in (2, 1))
    yield from ((verdict, {**usual, **two, "when": room}) for room in (2, 1))
    if verdict.mistakes[0].startswith(UNLESS_MEANT):  # what is wrong says more than its line, which is below
        yield replace(verdict, line=""), {**usual, **two, "when": 1}
    yield verdict, {**usual, **two, "when": 1, "seems": 1, "training": 1}
    if verdict.is_sure and verdict.seems and verdict.mistakes[1:]:  # what to do about it comes before these
        yield from _leave_out_others(verdict, usual, two, one_line)
    if verdict.seems and verdict.mistakes[1:] and verdict.remedy[0] != "fix":
        yield replace(verdict, remedy=("fix", "")), {**usual, "when": 1}
    bare = {**two, "found": 1, "and": 1, "when": 1}
    # A fix was tested; where to look is said in full below.
    told = ({"seems": 1, "training": 1}, {}, *([one_line] if verdict.remedy[0] != "fix" else []))
    yield from ((verdict, bare | more) for more in told)
    if verdict.seems and verdict.mistakes[0].startswith(UNLESS_MEANT):  # in no other row is it said as what
        yield replace(verdict, example="", remedy=("look at", "")), {**usual, "when": 1}
    yield from _shorten_alone(replace(verdict, mistakes=verdict.mistakes[:1]), two, one_line)


def _shorten_alone(
    alone: Verdict, two: dict[str, int], one_line: dict[str, int]
) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict on the first mistake alone, whose claim has counted the others, in few words."""
    few = {"when": 1, **two, "where": 1, "found": 1}
    yield from ((alone, few | more) for more in ({"seems": 1, "training": 1}, {"seems": 2}))
    last_words = {"when": 1, **one_line, "training": 1, "even so": 1, "where": 1, "found": 1, "seems": 2}
    yield from ((alone, {**last_words, "if meant": lines}) for lines in (2, 1))
    # What was seen stands in its block as well.
    unseen = replace(alone, seen=tuple(row for row in alone.seen if row[0] != "found"))
    # What no single epoch shows, a line of code does not tell either.
    placed = replace(alone, line="") if names_kind(alone.when) else replace(alone, when="")
    fewer = (unseen, replace(alone, example=""), placed, replace(placed, still=""))  # it has its own block
    yield from ((one, {**last_words, "if meant": 2}) for one in fewer)
    yield unseen, {**last_words, "seems": 2}  # without its contract it says nothing


def _leave_out_others(
    verdict: Verdict, usual: dict[str, int], two: dict[str, int], one_line: dict[str, int]
) -> Iterator[tuple[Verdict, dict[str, int]]]:
    """Yield a verdict on the first mistake alone, of which a contract excuses nothing."""
    sure = replace(verdict, mistakes=verdict.mistakes[:1])
    unseen = replace(sure, example="")
    if DIVIDED in verdict.when:  # what hides behind the contract has a block of its own
        yield replace(unseen, still=""), {**usual, **one_line, "when": 2}
    yield from ((one, {**usual, **two, "when": 1}) for one in (sure, unseen))
    yield unseen, {**usual, **one_line, "when": 1, "even so": 1}
