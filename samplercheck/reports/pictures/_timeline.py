"""Timeline: a run that was stopped and resumed below the one that nobody stopped, step under step.

Imports values and the primitives of this package alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from samplercheck.reports.pictures._sheet import MARGIN, ROW, SMALL, WIDEST, Box, Sheet, words_of
from samplercheck.reports.pictures.svg import WRONG, line, width_of
from samplercheck.values.scene import Leg, Scene, SeenPass, StoppedRun, run_of
from samplercheck.values.wording import brief, list_steps, name_ranks, pluralise

TITLE = "What was resumed, below the uninterrupted run"
LONGEST_LABEL = "epoch 1, resumed run, rank 0"
MOST_RANKS = 4
MOST_RANKS_TOGETHER = 8
WHOLE, BEFORE, BEHIND, LATER = "not stopped", "before the stop", "resumed", "resumed run"
AGAIN, LOST, OTHER = "comes again", "never comes", "not what should come"


def timeline(scene: Scene) -> str:
    """Return the picture of a resumed run; empty where no pass of the scene was stopped."""
    run = run_of(scene.passes)
    if run is None or not any(any(leg.seen.ranks) for leg in (*run.whole.values(), *run.legs)):
        return ""
    samples = _Samples(run)
    sheet, shown = Sheet(), _ranks(samples, scene)
    groups = [[rank] for rank in shown] if samples.is_of_one_world else [shown]
    chart = _Chart(sheet, samples, set(scene.marked))
    sheet.heading(f"epoch {run.epoch}, stopped after {list_steps(run.stops)}")
    for ranks in groups:
        chart.draw(ranks)
    if len(shown) < samples.ranks:
        sheet.note(f"... {pluralise(samples.ranks - len(shown), 'more rank')} not shown")
    if scene.marked or any(samples.come_again(ranks[0]) or samples.never_come(ranks[0]) for ranks in groups):
        sheet.key((), marked="lost, repeated, or not what should come")
    description = " ".join(_describe(samples, ranks) for ranks in groups)
    return sheet.finish("sc-timeline", TITLE, description)


class _Samples:
    """What became of the samples of a run: which came again behind a stop, which never came."""

    def __init__(self, run: StoppedRun[SeenPass]) -> None:
        self.run = run
        sizes = [len(leg.seen.ranks) for leg in (*run.whole.values(), *run.legs)]
        # Whether it was resumed by as many ranks as were stopped.
        self.is_of_one_world = len(set(sizes)) == 1
        self.ranks = max([*sizes, *(len(leg.seen.ranks) for leg in run.after)])

    def come_again(self, rank: int) -> set[int]:
        """Return the samples that came after a stop though they had come before it."""
        return {sample for leg in self.run.legs for sample in self.repeats(leg, rank)}

    def repeats(self, leg: Leg[SeenPass], rank: int) -> set[int]:
        """Return what one pass repeats of those before it, of all ranks together where they were others."""
        before = self._count((one for one in self.run.legs if one.place < leg.place), rank)
        here, due = self._count([leg], rank), self._due(rank)
        return {sample for sample in before & here if before[sample] + here[sample] > max(1, due[sample])}

    def never_come(self, rank: int) -> set[int]:
        """Return the samples that the epoch has and the run never yielded, as far as that is known."""
        legs = self.run.legs
        if any(leg.seen.cut for leg in legs) or len(legs) == len(self.run.stops):
            return set()
        return set(self._due(rank)) - set(self._count(legs, rank))

    def _due(self, rank: int) -> Counter[int]:
        whole = self.run.whole.get(self.run.epoch)
        return self._count([whole] if whole is not None else [], rank)

    def _count(self, legs: Iterable[Leg[SeenPass]], rank: int) -> Counter[int]:
        ranks = slice(rank, rank + 1) if self.is_of_one_world else slice(None)
        taken = (steps for leg in legs for steps in leg.seen.ranks[ranks])
        return Counter(sample for steps in taken for step in steps for sample in step)


def _ranks(samples: _Samples, scene: Scene) -> list[int]:
    """Return the ranks that are drawn: the marked ones, those that lost or repeated something, the first."""
    ranks = range(samples.ranks)
    if not samples.is_of_one_world:
        return list(ranks)[:MOST_RANKS_TOGETHER]
    marked = {rank for _, rank, _ in scene.marked}
    wrong = [rank for rank in ranks if rank in marked or samples.come_again(rank) or samples.never_come(rank)]
    return list(dict.fromkeys([*wrong, *ranks]))[:MOST_RANKS]


def _describe(samples: _Samples, ranks: list[int]) -> str:
    again, lost = sorted(samples.come_again(ranks[0])), sorted(samples.never_come(ranks[0]))
    parts = [f"{brief(again)} {'comes' if len(again) == 1 else 'come'} again"] if again else []
    parts += [f"{brief(lost)} never {'comes' if len(lost) == 1 else 'come'}"] if lost else []
    return f"{name_ranks(ranks)}: {'; '.join(parts) or 'nothing is lost and nothing comes again'}."


class _Chart:
    """The rows of one rank after the other, with the steps of all in the same columns."""

    def __init__(self, sheet: Sheet, samples: _Samples, marks: set[tuple[int, int, int]]) -> None:
        self._sheet = sheet
        self._samples = samples
        self._run = run = samples.run
        self._marks = marks
        legs = [*run.whole.values(), *run.legs, *run.after]
        cells = [step for leg in legs for steps in leg.seen.ranks for step in steps]
        self._left = MARGIN + width_of(LONGEST_LABEL) + 8
        longest = max((len(words_of(step)) for step in cells), default=1)
        self._wide = max(28.0, width_of("0" * longest) + 12)
        self._most = max(4, int((WIDEST - self._left) // (self._wide + 2)))

    def draw(self, ranks: list[int]) -> None:
        """Draw what a rank did, or several ranks that went on as others."""
        run, sheet = self._run, self._sheet
        sheet.say(MARGIN, name_ranks(ranks), Box(0, sheet.y, 0, 20), font_weight="bold")
        self._number_steps()
        top = sheet.y
        if run.epoch in run.whole:
            self._rows(WHOLE, run.whole[run.epoch], ranks, self._samples.never_come(ranks[0]), LOST)
        for number, leg in enumerate(run.legs):
            words = BEFORE if leg.seen.stopped is not None else BEHIND
            words = f"{BEHIND}, {BEFORE}" if number and words == BEFORE else words
            self._rows(words, leg, ranks, self._samples.repeats(leg, ranks[0]), AGAIN)
        self._draw_stops(top)
        for leg in run.after:
            epoch = leg.seen.epoch
            if epoch in run.whole:
                self._rows(f"epoch {epoch}, {WHOLE}", run.whole[epoch], ranks)
            self._rows(f"epoch {epoch}, {LATER}", leg, ranks)
        sheet.y += 10

    def _rows(
        self, words: str, leg: Leg[SeenPass], ranks: list[int], wrong: Collection[int] = (), remark: str = ""
    ) -> None:
        for rank in ranks:
            if rank < len(leg.seen.ranks):
                here = {sample for step in leg.seen.ranks[rank] for sample in step if sample in wrong}
                label = words if len(ranks) == 1 else f"{words}, rank {rank}"
                self._row(label, leg, rank, here, f"{remark}: {brief(sorted(here))}" if here else "")

    def _number_steps(self) -> None:
        legs = [*self._run.whole.values(), *self._run.legs]
        most = max(leg.start + max(map(len, leg.seen.ranks), default=0) for leg in legs)
        for step in range(min(most, self._most)):
            self._sheet.inside(self._box(step, 20), str(step), size=SMALL, fill="currentColor")
        self._sheet.y += 20

    def _box(self, step: int, height: float = ROW - 2) -> Box:
        return Box(self._left + step * (self._wide + 2), self._sheet.y, self._wide, height)

    def _row(self, words: str, leg: Leg[SeenPass], rank: int, wrong: set[int], remark: str) -> None:
        sheet = self._sheet
        steps = leg.seen.ranks[rank]
        sheet.say(MARGIN, words, Box(0, sheet.y, 0))
        for step, samples in enumerate(steps[: max(0, self._most - leg.start)]):
            box = self._box(leg.start + step)
            sheet.cell(box, rank, words_of(samples), title=f"step {leg.start + step}: {list(samples)}")
            if (leg.place, rank, step) in self._marks or not wrong.isdisjoint(samples):
                sheet.mark(box)
        end = min(leg.start + len(steps), self._most)
        if (leg.place, rank, len(steps)) in self._marks and end < self._most:
            sheet.lack(self._box(end), "\N{EN DASH}", "nothing more")
            sheet.mark(self._box(end))
            end += 1
        more = " ..." if leg.start + len(steps) > self._most or leg.seen.cut else ""
        ended = "".join(leg.seen.ended[rank : rank + 1])
        is_marked = any(cell[:2] == (leg.place, rank) for cell in self._marks)
        remarks = "; ".join(filter(None, (remark or (OTHER if is_marked else ""), ended)))
        if remarks or more:
            note = f"{more} \N{LEFTWARDS ARROW} {remarks}" if remarks else more
            sheet.remark(self._box(end).x + 6, note.strip())
        sheet.y += ROW

    def _draw_stops(self, top: float) -> None:
        """Draw a line where the run was stopped, through all its rows."""
        for stop in self._run.stops:
            if stop <= self._most:
                x = self._box(stop).x - 1
                look = {"stroke": WRONG, "stroke_width": 2, "stroke_dasharray": "5 3", "class_": "sc-wrong"}
                self._sheet.put(line(x, top - 4, x, self._sheet.y, **look), right=x)
