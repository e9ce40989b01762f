"""Bars: how often each sample came beside how often it should have.

Imports values and the primitives of this package alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from samplercheck.reports.pictures._sheet import MARGIN, SMALL, Box, Sheet, rank_class, rank_fill, spread
from samplercheck.reports.pictures.svg import WRONG, element, escape, line, rect, width_of
from samplercheck.values.layout import near
from samplercheck.values.scene import Scene

TITLE = "How often each sample came, and how often it should have"
HIGH = 150
WIDE = 22
MOST_BARS = 30
LONGEST = 12
SEEN: dict[str, object] = {"class_": rank_class(0), "fill": rank_fill(0), "stroke": "currentColor"}
MARKED: dict[str, object] = {"stroke": WRONG, "stroke_width": 3}


def bars(scene: Scene) -> str:
    """Return the picture of counts by sample; empty where the scene counts nothing."""
    pairs = list(zip(scene.observed, scene.expected, strict=False))
    if not pairs:
        return ""
    worst = max(range(len(pairs)), key=lambda sample: abs(pairs[sample][0] - pairs[sample][1]))
    shown = sorted(near([worst, 0, len(pairs) - 1], len(pairs))[:MOST_BARS])
    sheet = Sheet()
    _chart(sheet, pairs, shown, worst)
    _key(sheet, worst, pairs)
    counts = [(sample, *map(_number, pairs[sample])) for sample in shown]
    parts = [f"sample {sample} {seen} of {fair}" for sample, seen, fair in counts]
    description = f"Seen and expected: {', '.join(parts[:LONGEST])}{' ...' * (len(parts) > LONGEST)}."
    return sheet.finish("sc-bars", TITLE, f"{_worst(worst, pairs)}. {description}")


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _worst(worst: int, pairs: Sequence[tuple[float, float]]) -> str:
    seen, fair = pairs[worst]
    return f"Sample {worst} came {_number(seen)} times; {_number(fair)} were expected"


def _chart(sheet: Sheet, pairs: Sequence[tuple[float, float]], shown: Sequence[int], worst: int) -> None:
    """Draw a bar for each sample, a line where it should end, and the number of the sample below."""
    highest = max(max(pair) for pair in pairs) or 1
    left = MARGIN + width_of(_number(highest), SMALL) + 8
    bottom = sheet.y + HIGH
    places = spread(shown, left, WIDE)
    for sample, x in places:
        seen, fair = (HIGH * value / highest for value in pairs[sample])
        words = f"sample {sample}: seen {_number(pairs[sample][0])}, expected {_number(pairs[sample][1])}"
        title, look = element("title", escape(words)), {**SEEN, **(MARKED if sample == worst else {})}
        sheet.put(rect(x, bottom - seen, WIDE - 4, seen, title, **look), right=x + WIDE)
        sheet.put(line(x - 2, bottom - fair, x + WIDE - 2, bottom - fair, stroke_width=3))
        below = Box(x, bottom + 2, WIDE - 4, 16)
        sheet.inside(below, str(sample), size=SMALL, fill="currentColor")
        if sample == worst:
            sheet.mark(below)
    right = places[-1][1] + WIDE
    for value, y in ((highest, sheet.y), (0, bottom)):
        sheet.say(MARGIN, _number(value), Box(0, y - 8, 0, 16), size=SMALL)
        sheet.put(line(left - 4, y, right, y, stroke_opacity=0.35), right=right)
    sheet.y = bottom + 22


def _key(sheet: Sheet, worst: int, pairs: Sequence[tuple[float, float]]) -> None:
    box = Box(MARGIN, sheet.y + 3, 20, 12)
    sheet.put(rect(box.x, box.y, box.width, box.height, **SEEN))
    sheet.say(MARGIN + 26, "seen", Box(0, sheet.y, 0, 18), size=SMALL)
    sheet.put(line(MARGIN + 70, sheet.y + 9, MARGIN + 92, sheet.y + 9, stroke_width=3))
    sheet.say(MARGIN + 98, "expected", Box(0, sheet.y, 0, 18), size=SMALL)
    sheet.say(MARGIN + 170, "sample numbers below the bars", Box(0, sheet.y, 0, 18), size=SMALL)
    sheet.y += 22
    sheet.heading(f"{_worst(worst, pairs)}.")
