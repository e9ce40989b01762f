"""Grid: what each rank yielded in each step, as boxes, with the offending ones marked.

Standard library and the primitives of this package alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from samplercheck.reports.pictures._sheet import MARGIN, ROW, SMALL, Box, Sheet, words_of
from samplercheck.reports.pictures._svg import width_of
from samplercheck.reports.text import near
from samplercheck.words import brief

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["grid"]

WIDEST = 760
GAP = 18
TITLE = "What each rank yields, step by step"
MARKED = "what breaks the law"
LONGEST = 900


def grid(scene: Mapping[str, Any]) -> str:
    """Return the picture of ranks by steps; empty where no pass was recorded."""
    passes = scene["passes"]
    marks = {
        (place, rank, step)
        for place, rank, step in scene["marked"]
        if 0 <= place < len(passes) and 0 <= rank < len(passes[place]["ranks"]) and step >= 0
    }
    shown = _shown(passes, marks)
    if not any(any(passes[place]["ranks"]) or any(passes[place]["ended"]) for place in shown):
        return ""
    sheet, told = Sheet(), []
    for place in shown:
        mine = {(rank, step) for number, rank, step in marks if number == place}
        if len(shown) > 1 or passes[place]["label"]:
            sheet.heading(passes[place]["label"])
        _Block(sheet, passes[place], mine).draw()
        told.append(_told(passes[place], mine))
    if marks:
        sheet.key((), marked=MARKED)
    return sheet.drawn("sc-grid", TITLE, " ".join(told)[:LONGEST])


def _shown(passes: Sequence[Mapping[str, Any]], marks: set[tuple[int, int, int]]) -> list[int]:
    """Return the passes to be drawn: those with marks and others of their epochs.

    All, where there are no marks, or none of them is in a row that shows anything.
    """
    if not any(passes[place]["ranks"][rank] for place, rank, _ in marks):
        return list(range(len(passes)))
    epochs = {passes[number]["epoch"] for number, _, _ in marks}
    return [place for place, one in enumerate(passes) if one["epoch"] in epochs]


def _told(one: Mapping[str, Any], marks: set[tuple[int, int]]) -> str:
    """Say in words what a block shows."""
    parts = []
    for rank, steps in enumerate(one["ranks"]):
        wrong = sorted(step for mine, step in marks if mine == rank)
        said = "; ".join(words_of(step) for step in steps) or "nothing"
        marked = f" (marked: step {brief(wrong)})" if wrong else ""
        parts.append(f"rank {rank} yields {said}{marked}")
    return f"{one['label']}: {', '.join(parts)}."


class _Block:
    """One pass: a header of steps and a row for each rank; steps in between are left out where it is wide."""

    def __init__(self, sheet: Sheet, one: Mapping[str, Any], marks: set[tuple[int, int]]) -> None:
        self._sheet = sheet
        self._one = one
        self._marks = marks
        self._ranks = one["ranks"]
        last = max((step + 1 for _, step in marks), default=0)
        self._total = max([1, last, *map(len, self._ranks)])
        self._left = MARGIN + width_of(f"rank {max(0, len(self._ranks) - 1)}") + 8
        widest = max((len(words_of(step)) for steps in self._ranks for step in steps), default=1)
        self._wide = max(26.0, width_of("0" * widest) + 12)
        self._chosen = self._choose()

    def _choose(self) -> list[int]:
        """Return the steps to be drawn: around the marks and both ends, as many as fit."""
        anchors = [step for _, step in sorted(self._marks)][:4]
        most = max(3, int((WIDEST - self._left) // (self._wide + 2)))
        return sorted(near([*anchors, 0, self._total - 1], self._total)[:most])

    def _places(self) -> list[tuple[int, float]]:
        """Return each step that is drawn with the x of its boxes."""
        x, places = self._left, []
        for before, step in zip([-1, *self._chosen], self._chosen, strict=False):
            x += GAP if step != before + 1 else 0
            places.append((step, x))
            x += self._wide + 2
        return places

    def draw(self) -> None:
        """Draw the header, the rows and what there is to say of what is left out."""
        places = self._places()
        self._header(places)
        for rank, steps in enumerate(self._ranks):
            self._row(rank, steps, places)
        if self._one["cut"]:
            self._sheet.note("... more ranks or steps are left out")
        self._sheet.y += 8

    def _header(self, places: Sequence[tuple[int, float]]) -> None:
        sheet = self._sheet
        sheet.say(MARGIN, "step", Box(0, sheet.y, 0, 18), size=SMALL)
        for step, x in places:
            sheet.inside(Box(x, sheet.y, self._wide, 18), str(step), size=SMALL, fill="currentColor")
        for (before, x), (after, _) in pairwise(places):
            if after != before + 1:
                sheet.say(x + self._wide + 4, "\N{HORIZONTAL ELLIPSIS}", Box(0, sheet.y, 0, 18), size=SMALL)
        sheet.y += 20

    def _row(self, rank: int, steps: Sequence[Sequence[int]], places: Sequence[tuple[int, float]]) -> None:
        sheet = self._sheet
        sheet.say(MARGIN, f"rank {rank}", Box(0, sheet.y, 0))
        for step, x in places:
            box, wrong = Box(x, sheet.y, self._wide), (rank, step) in self._marks
            if step < len(steps):
                told = f"rank {rank}, step {step}: {' '.join(map(str, steps[step])) or 'nothing'}"
                sheet.cell(box, rank, words_of(steps[step]), told=told)
            elif wrong:
                sheet.lack(box, "\N{EN DASH}", f"rank {rank} yields nothing in step {step}")
            if wrong:
                sheet.mark(box)
        why = self._one["ended"][rank] if rank < len(self._one["ended"]) else ""
        if why:
            drawn = max([len(steps), *(step + 1 for mine, step in self._marks if mine == rank)])
            x = self._after(drawn, places)
            sheet.say(x, f"\N{LEFTWARDS ARROW} {why}", Box(0, sheet.y, 0), size=SMALL)
        sheet.y += ROW

    def _after(self, steps: int, places: Sequence[tuple[int, float]]) -> float:
        """Return the x behind the last box of a row."""
        return max([self._left, *(x + self._wide + 8 for step, x in places if step < steps)])
