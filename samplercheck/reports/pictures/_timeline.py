"""Timeline: a run that was stopped and resumed below the one that nobody stopped, step under step.

Standard library and the primitives of this package alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.reports.pictures._runs import Leg, Run, run_of
from samplercheck.reports.pictures._sheet import MARGIN, ROW, SMALL, Box, Sheet, words_of
from samplercheck.reports.pictures._svg import WRONG, line, width_of
from samplercheck.words import brief, join_numbers, name_ranks, pluralise

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["timeline"]

TITLE = "What was resumed, below the run that nobody stopped"
WIDEST = 760
LONGEST_LABEL = "epoch 1, resumed run, rank 0"
MOST_RANKS = 4
MOST_RANKS_TOGETHER = 8
WHOLE, BEFORE, BEHIND, LATER = "not stopped", "before the stop", "resumed", "resumed run"
AGAIN, LOST, OTHER = "comes again", "never comes", "not what should come"


def timeline(scene: Mapping[str, Any]) -> str:
    """Return the picture of a resumed run; empty where no pass of the scene was stopped."""
    run = run_of(scene["passes"])
    if run is None or not any(any(leg.seen["ranks"]) for leg in (*run.whole.values(), *run.legs)):
        return ""
    sheet = Sheet()
    shown = _ranks(run, scene)
    groups = [[rank] for rank in shown] if run.is_of_one_world else [shown]
    chart = _Chart(sheet, run, {tuple(cell) for cell in scene["marked"]})
    sheet.heading(f"epoch {run.epoch}, stopped after {join_numbers(run.stops)} {_steps(run.stops[-1])}")
    for ranks in groups:
        chart.draw(ranks)
    if len(shown) < run.ranks():
        sheet.note(f"... {pluralise(run.ranks() - len(shown), 'more rank')} not shown")
    if scene["marked"] or any(run.came_again(ranks[0]) or run.lost(ranks[0]) for ranks in groups):
        sheet.key((), marked="lost, repeated, or not what should come")
    return sheet.drawn("sc-timeline", TITLE, " ".join(_told(run, ranks) for ranks in groups))


def _steps(number: int) -> str:
    return pluralise(number, "step").partition(" ")[2]


def _ranks(run: Run, scene: Mapping[str, Any]) -> list[int]:
    """Return the ranks that are drawn: the marked ones, those that lost or repeated something, the first."""
    ranks = range(run.ranks())
    if not run.is_of_one_world:
        return list(ranks)[:MOST_RANKS_TOGETHER]
    marked = {rank for _, rank, _ in scene["marked"]}
    wrong = [rank for rank in ranks if rank in marked or run.came_again(rank) or run.lost(rank)]
    return list(dict.fromkeys([*wrong, *ranks]))[:MOST_RANKS]


def _told(run: Run, ranks: list[int]) -> str:
    again, lost = sorted(run.came_again(ranks[0])), sorted(run.lost(ranks[0]))
    parts = [f"{brief(again)} {'comes' if len(again) == 1 else 'come'} again"] if again else []
    parts += [f"{brief(lost)} never {'comes' if len(lost) == 1 else 'come'}"] if lost else []
    return f"{name_ranks(ranks)}: {'; '.join(parts) or 'nothing is lost and nothing comes again'}."


def _remark(words: str, samples: set[int]) -> str:
    return f"{words}: {brief(sorted(samples))}" if samples else ""


class _Chart:
    """The rows of one rank after the other, with the steps of all in the same columns."""

    def __init__(self, sheet: Sheet, run: Run, marks: set[tuple[int, ...]]) -> None:
        self._sheet = sheet
        self._run = run
        self._marks = marks
        legs = [*run.whole.values(), *run.legs, *run.after]
        cells = [step for leg in legs for steps in leg.seen["ranks"] for step in steps]
        self._left = MARGIN + width_of(LONGEST_LABEL) + 8
        longest = max((len(words_of(step)) for step in cells), default=1)
        self._wide = max(28.0, width_of("0" * longest) + 12)
        self._most = max(4, int((WIDEST - self._left) // (self._wide + 2)))

    def draw(self, ranks: list[int]) -> None:
        """Draw what a rank did, or several ranks that went on as others."""
        run, sheet = self._run, self._sheet
        sheet.say(MARGIN, name_ranks(ranks), Box(0, sheet.y, 0, 20), font_weight="bold")
        self._steps_above()
        lost, top = run.lost(ranks[0]), sheet.y
        if run.epoch in run.whole:
            self._rows(WHOLE, run.whole[run.epoch], ranks, lost, LOST)
        for number, leg in enumerate(run.legs):
            words = BEFORE if leg.seen["stopped"] is not None else BEHIND
            words = f"{BEHIND}, {BEFORE}" if number and words == BEFORE else words
            self._rows(words, leg, ranks, run.repeated(leg, ranks[0]), AGAIN)
        self._stops(top)
        for leg in run.after:
            epoch = leg.seen["epoch"]
            if epoch in run.whole:
                self._rows(f"epoch {epoch}, {WHOLE}", run.whole[epoch], ranks, set(), "")
            self._rows(f"epoch {epoch}, {LATER}", leg, ranks, set(), "")
        sheet.y += 10

    def _rows(self, words: str, leg: Leg, ranks: list[int], wrong: set[int], remark: str) -> None:
        for rank in ranks:
            if rank < len(leg.seen["ranks"]):
                here = wrong & {sample for step in leg.steps(rank) for sample in step}
                label = words if len(ranks) == 1 else f"{words}, rank {rank}"
                self._row(label, leg, rank, here, _remark(remark, here))

    def _steps_above(self) -> None:
        legs = [*self._run.whole.values(), *self._run.legs]
        most = max(leg.start + max(map(len, leg.seen["ranks"]), default=0) for leg in legs)
        for step in range(min(most, self._most)):
            box = self._box(step, 20)
            self._sheet.inside(box, str(step), size=SMALL, fill="currentColor")
        self._sheet.y += 20

    def _box(self, step: int, height: float = ROW - 2) -> Box:
        return Box(self._left + step * (self._wide + 2), self._sheet.y, self._wide, height)

    def _row(self, words: str, leg: Leg, rank: int, wrong: set[int], remark: str) -> None:
        sheet, steps = self._sheet, leg.steps(rank)
        sheet.say(MARGIN, words, Box(0, sheet.y, 0))
        for step, samples in enumerate(steps[: max(0, self._most - leg.start)]):
            box = self._box(leg.start + step)
            sheet.cell(box, rank, words_of(samples), told=f"step {leg.start + step}: {list(samples)}")
            if (leg.place, rank, step) in self._marks or not wrong.isdisjoint(samples):
                sheet.mark(box)
        end = min(leg.start + len(steps), self._most)
        if (leg.place, rank, len(steps)) in self._marks and end < self._most:
            sheet.lack(self._box(end), "\N{EN DASH}", "nothing more")
            sheet.mark(self._box(end))
            end += 1
        more = " ..." if leg.start + len(steps) > self._most or leg.seen["cut"] else ""
        ended = leg.seen["ended"][rank] if rank < len(leg.seen["ended"]) else ""
        is_marked = any(cell[:2] == (leg.place, rank) for cell in self._marks)
        said = "; ".join(filter(None, (remark or (OTHER if is_marked else ""), ended)))
        if said or more:
            told = f"{more} \N{LEFTWARDS ARROW} {said}" if said else more
            sheet.say(self._box(end).x + 6, told.strip(), Box(0, sheet.y, 0), size=SMALL)
        sheet.y += ROW

    def _stops(self, top: float) -> None:
        """Draw a line where the run was stopped, through all its rows."""
        for stop in self._run.stops:
            if stop <= self._most:
                x = self._box(stop).x - 1
                look = {"stroke": WRONG, "stroke_width": 2, "stroke_dasharray": "5 3", "class_": "sc-wrong"}
                self._sheet.put(line(x, top - 4, x, self._sheet.y, **look), right=x)
