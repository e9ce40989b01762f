"""Grid: what each rank yielded in each step, as boxes, with the offending ones marked.

Imports values and the primitives of this package alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from samplercheck.reports.pictures._sheet import MARGIN, ROW, WIDEST, Box, Sheet, words_of
from samplercheck.reports.pictures.svg import width_of
from samplercheck.values.layout import near
from samplercheck.values.scene import Scene, SeenPass, Steps
from samplercheck.values.wording import brief

TITLE = "What each rank yields, step by step"
MARKED = "what breaks the law"
LONGEST = 900


def grid(scene: Scene) -> str:
    """Return the picture of ranks by steps; empty where no pass was recorded."""
    passes = scene.passes
    marks = {
        (place, rank, step)
        for place, rank, step in scene.marked
        if 0 <= place < len(passes) and 0 <= rank < len(passes[place].ranks) and step >= 0
    }
    shown = _select(passes, marks)
    if not any(any(passes[place].ranks) or any(passes[place].ended) for place in shown):
        return ""
    sheet, parts = Sheet(), []
    drawn: dict[tuple[object, ...], str] = {}
    for place in shown:
        one, mine = passes[place], {(rank, step) for number, rank, step in marks if number == place}
        if len(shown) > 1 or one.label:
            sheet.heading(one.label)
        like = None if mine else drawn.get((one.ranks, one.ended))
        if like is None:
            _draw_pass(sheet, one, mine)
            parts.append(_describe(one, mine))
            drawn.setdefault((one.ranks, one.ended), one.label)
        else:
            sheet.note(f"the same, step by step, as {like}")
            parts.append(f"{one.label}: the same, step by step, as {like}.")
    if marks:
        sheet.key((), marked=MARKED)
    return sheet.finish("sc-grid", TITLE, " ".join(parts)[:LONGEST])


def _select(passes: Sequence[SeenPass], marks: set[tuple[int, int, int]]) -> list[int]:
    """Return the passes to be drawn: those with marks and others of their epochs.

    All, where there are no marks, or none of them is in a row that shows anything.
    """
    if not any(passes[place].ranks[rank] for place, rank, _ in marks):
        return list(range(len(passes)))
    epochs = {passes[number].epoch for number, _, _ in marks}
    return [place for place, one in enumerate(passes) if one.epoch in epochs]


def _describe(one: SeenPass, marks: set[tuple[int, int]]) -> str:
    """Say in words what a block shows."""
    parts = []
    for rank, steps in enumerate(one.ranks):
        wrong = sorted(step for mine, step in marks if mine == rank)
        samples = "; ".join(map(words_of, steps)) or "nothing"
        marked = f" (marked: step {brief(wrong)})" if wrong else ""
        parts.append(f"rank {rank} yields {samples}{marked}")
    return f"{one.label}: {', '.join(parts)}."


def _draw_pass(sheet: Sheet, one: SeenPass, marks: set[tuple[int, int]]) -> None:
    """Draw a header of steps and a row for each rank; steps in between are left out where it is wide."""
    left = MARGIN + width_of(f"rank {max(0, len(one.ranks) - 1)}") + 8
    longest = max((len(words_of(step)) for steps in one.ranks for step in steps), default=1)
    wide = max(26.0, width_of("0" * longest) + 12)
    # As many steps as fit: around the marks and both ends.
    total = max([1, *(step + 1 for _, step in marks), *map(len, one.ranks)])
    anchors = [step for _, step in sorted(marks)][:4]
    most = max(3, int((WIDEST - left) // (wide + 2)))
    places = sheet.columns("step", sorted(near([*anchors, 0, total - 1], total)[:most]), left, wide)
    for rank, steps in enumerate(one.ranks):
        sheet.say(MARGIN, f"rank {rank}", Box(0, sheet.y, 0))
        wrong = {step for mine, step in marks if mine == rank}
        boxes = [(step, Box(x, sheet.y, wide)) for step, x in places]
        for step, box in boxes:
            _draw_step(sheet, box, rank, step, steps, is_wrong=step in wrong)
        if why := "".join(one.ended[rank : rank + 1]):
            end = max([len(steps), *(step + 1 for step in wrong)])
            right = max([left, *(box.x + wide + 8 for step, box in boxes if step < end)])
            sheet.remark(right, f"\N{LEFTWARDS ARROW} {why}")
        sheet.y += ROW
    if one.cut:
        sheet.note("... more ranks or steps are left out")
    sheet.y += 8


def _draw_step(sheet: Sheet, box: Box, rank: int, step: int, steps: Steps, *, is_wrong: bool) -> None:
    if step < len(steps):
        title = f"rank {rank}, step {step}: {' '.join(map(str, steps[step])) or 'nothing'}"
        sheet.cell(box, rank, words_of(steps[step]), title=title)
    elif is_wrong:
        sheet.lack(box, "\N{EN DASH}", f"rank {rank} yields nothing in step {step}")
    if is_wrong:
        sheet.mark(box)
