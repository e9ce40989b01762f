"""Fates and bars: which rank got each sample, epoch by epoch; how often each came, and how often it should.

What no rank got, and what came more than once, is seen. Imports values and the primitives of this package
alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from samplercheck.reports.pictures._sheet import (
    MARGIN,
    SMALL,
    WIDEST,
    Box,
    Sheet,
    rank_class,
    rank_fill,
    spread,
)
from samplercheck.reports.pictures.svg import WRONG, element, escape, line, rect, width_of
from samplercheck.values.failure_form import MOST_SAMPLES
from samplercheck.values.layout import cut, near
from samplercheck.values.scene import Scene, SeenPass
from samplercheck.values.wording import brief, pluralise

Owners = dict[int, list[tuple[int, int]]]

TITLE = "Where each sample went"
WIDE, HIGH = 30, 34
LONGEST_LABEL = 42
MOST_APART = 2
TIMES = "\N{MULTIPLICATION SIGN}"
BARS = "How often each sample came, and how often it should have"
TALL = 150
BAR = 22
MOST_BARS = 30
LONGEST = 12
SEEN: dict[str, object] = {"class_": rank_class(0), "fill": rank_fill(0), "stroke": "currentColor"}
MARKED: dict[str, object] = {"stroke": WRONG, "stroke_width": 3}


def fates(scene: Scene) -> str:
    """Return the picture of samples by passes; empty where no pass was recorded, or one was stopped."""
    passes = [one for one in scene.passes if any(one.ranks)]
    if not passes or not scene.length or any(one.stopped is not None for one in passes):
        return ""
    length = min(scene.length, MOST_SAMPLES)
    owners = [_owners(one, length) for one in passes]
    sheet = Sheet()
    _draw_chart(sheet, length, passes, owners)
    sheet.key(sorted({rank for mine in owners for came in mine.values() for rank, _ in came}))
    sheet.note("in a box: the rank that got the sample, and below it the step")
    for words in _key(length, passes, owners):
        sheet.note(words)
    if length < scene.length:
        sheet.note(f"... samples from {length:,} on are not drawn")
    pairs = zip(passes, owners, strict=True)
    return sheet.finish("sc-fates", TITLE, " ".join(_describe(one, mine, length) for one, mine in pairs))


def _key(length: int, passes: Sequence[SeenPass], owners: Sequence[Owners]) -> Iterator[str]:
    """Yield what the other boxes mean, as far as there are such."""
    most = max((len(came) for mine in owners for came in mine.values()), default=0)
    lacking = [one.cut for one, mine in zip(passes, owners, strict=True) if len(mine) < length]
    if not all(lacking):
        yield f"{TIMES}  no rank got it"
    if any(lacking):
        yield "?  not among the ranks and steps that are stored here"
    if most > 1:
        more = f" (3{TIMES})" if most > MOST_APART else ""
        yield f"0 1  several ranks got it, or one got it more than once{more}"


def _owners(one: SeenPass, length: int) -> Owners:
    """Return, for each sample of the dataset that came, the ranks and steps in which it did."""
    found: Owners = defaultdict(list)
    for rank, steps in enumerate(one.ranks):
        for step, samples in enumerate(steps):
            for sample in samples:
                if 0 <= sample < length:
                    found[sample].append((rank, step))
    return dict(found)


def _describe(one: SeenPass, owners: Owners, length: int) -> str:
    missing = [] if one.cut else [sample for sample in range(length) if sample not in owners]
    doubled = sorted(sample for sample, came in owners.items() if len(came) > 1)
    parts = [f"no rank got {brief(missing)}"] if missing else []
    parts += [f"{brief(doubled)} came more than once"] if doubled else []
    parts = parts or [f"{pluralise(len(owners), 'sample')} came once each"]
    return f"{one.label}: {'; '.join(parts)}."


def _draw_chart(sheet: Sheet, length: int, passes: Sequence[SeenPass], owners: Sequence[Owners]) -> None:
    """Draw a row for each pass, a column for each sample shown: missing or doubled ones, both ends."""
    labels = [cut(one.label, LONGEST_LABEL) for one in passes]
    left = MARGIN + width_of(max([*labels, "sample"], key=len)) + 10
    odd = [sample for sample in range(length) if any(len(mine.get(sample, ())) != 1 for mine in owners)]
    most = max(8, int((WIDEST - left) // WIDE))
    shown = sorted(near([0, *odd[: most // 2], length - 1], length)[:most])
    places = sheet.columns("sample", shown, left, WIDE - 2)
    for label, pass_, its_owners in zip(labels, passes, owners, strict=True):
        sheet.say(MARGIN, label, Box(0, sheet.y, 0, HIGH - 2))
        for sample, x in places:
            box = Box(x, sheet.y, WIDE - 2, HIGH - 2)
            _draw_fate(sheet, box, sample, its_owners.get(sample, []), known=not pass_.cut)
        sheet.y += HIGH
    sheet.y += 6


def _draw_fate(sheet: Sheet, box: Box, sample: int, came: Sequence[tuple[int, int]], *, known: bool) -> None:
    where = ", ".join(f"rank {rank} in step {step}" for rank, step in came)
    title = f"sample {sample}: {where or ('no rank' if known else 'not shown')}"
    if not came:
        sheet.lack(box, TIMES if known else "?", title)
    elif len(came) > MOST_APART:
        sheet.cell(box, came[0][0], f"{len(came)}{TIMES}", title=title)
    elif len(came) == MOST_APART:
        wide = box.width / MOST_APART
        for place, (rank, _) in enumerate(came):
            sheet.cell(Box(box.x + place * wide, box.y, wide, box.height), rank, str(rank), title=title)
    else:
        rank, step = came[0]
        sheet.cell(box, rank, str(rank), small=f"{step}", title=title)


def bars(scene: Scene) -> str:
    """Return the picture of counts by sample; empty where the scene counts nothing."""
    pairs = list(zip(scene.observed, scene.expected, strict=False))
    if not pairs:
        return ""
    worst = max(range(len(pairs)), key=lambda sample: abs(pairs[sample][0] - pairs[sample][1]))
    shown = sorted(near([worst, 0, len(pairs) - 1], len(pairs))[:MOST_BARS])
    sheet = Sheet()
    _chart(sheet, pairs, shown, worst)
    _explain_marks(sheet, worst, pairs)
    counts = [(sample, *map(_number, pairs[sample])) for sample in shown]
    parts = [f"sample {sample} {seen} of {fair}" for sample, seen, fair in counts]
    description = f"Seen and expected: {', '.join(parts[:LONGEST])}{' ...' * (len(parts) > LONGEST)}."
    return sheet.finish("sc-bars", BARS, f"{_worst(worst, pairs)}. {description}")


def _number(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _worst(worst: int, pairs: Sequence[tuple[float, float]]) -> str:
    seen, fair = pairs[worst]
    return f"Sample {worst} came {_number(seen)} times; {_number(fair)} were expected"


def _chart(sheet: Sheet, pairs: Sequence[tuple[float, float]], shown: Sequence[int], worst: int) -> None:
    """Draw a bar for each sample, a line where it should end, and the number of the sample below."""
    highest = max(max(pair) for pair in pairs) or 1
    left = MARGIN + width_of(_number(highest), SMALL) + 8
    bottom = sheet.y + TALL
    places = spread(shown, left, BAR)
    for sample, x in places:
        seen, fair = (TALL * value / highest for value in pairs[sample])
        words = f"sample {sample}: seen {_number(pairs[sample][0])}, expected {_number(pairs[sample][1])}"
        title, look = element("title", escape(words)), {**SEEN, **(MARKED if sample == worst else {})}
        sheet.put(rect(x, bottom - seen, BAR - 4, seen, title, **look), right=x + BAR)
        sheet.put(line(x - 2, bottom - fair, x + BAR - 2, bottom - fair, stroke_width=3))
        below = Box(x, bottom + 2, BAR - 4, 16)
        sheet.inside(below, str(sample), size=SMALL, fill="currentColor")
        if sample == worst:
            sheet.mark(below)
    right = places[-1][1] + BAR
    for value, y in ((highest, sheet.y), (0, bottom)):
        sheet.say(MARGIN, _number(value), Box(0, y - 8, 0, 16), size=SMALL)
        sheet.put(line(left - 4, y, right, y, stroke_opacity=0.35), right=right)
    sheet.y = bottom + 22


def _explain_marks(sheet: Sheet, worst: int, pairs: Sequence[tuple[float, float]]) -> None:
    box = Box(MARGIN, sheet.y + 3, 20, 12)
    sheet.put(rect(box.x, box.y, box.width, box.height, **SEEN))
    sheet.say(MARGIN + 26, "seen", Box(0, sheet.y, 0, 18), size=SMALL)
    sheet.put(line(MARGIN + 70, sheet.y + 9, MARGIN + 92, sheet.y + 9, stroke_width=3))
    sheet.say(MARGIN + 98, "expected", Box(0, sheet.y, 0, 18), size=SMALL)
    sheet.say(MARGIN + 170, "below: sample numbers", Box(0, sheet.y, 0, 18), size=SMALL)
    sheet.y += 22
    sheet.heading(f"{_worst(worst, pairs)}.")
