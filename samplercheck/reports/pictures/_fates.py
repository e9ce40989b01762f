"""Fates: which rank got each sample, epoch by epoch; what nobody got and what came more than once is seen.

Standard library and the primitives of this package alone.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from samplercheck.reports.pictures._sheet import MARGIN, SMALL, Box, Sheet
from samplercheck.reports.pictures._svg import width_of
from samplercheck.reports.table import near
from samplercheck.reports.text import cut
from samplercheck.scene import MOST_SAMPLES
from samplercheck.words import brief, pluralise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Owners = dict[int, list[tuple[int, int]]]

__all__ = ["fates"]

TITLE = "Where each sample went"
WIDEST = 760
WIDE, HIGH, GAP = 30, 34, 18
LONGEST_LABEL = 42
MOST_APART = 2
TIMES = "\N{MULTIPLICATION SIGN}"


def fates(scene: Mapping[str, Any]) -> str:
    """Return the picture of samples by passes; empty where no pass was recorded, or one was stopped."""
    passes = [one for one in scene["passes"] if any(one["ranks"])]
    if not passes or not scene["length"] or any(one["stopped"] is not None for one in passes):
        return ""
    length = min(scene["length"], MOST_SAMPLES)
    owners = [_owners(one, length) for one in passes]
    sheet = Sheet()
    _Chart(sheet, length, passes, owners).draw()
    ranks = sorted({rank for mine in owners for came in mine.values() for rank, _ in came})
    sheet.key(ranks)
    sheet.note("in a box: the rank that got the sample, and below it the step")
    for words in _key(length, passes, owners):
        sheet.note(words)
    if length < scene["length"]:
        sheet.note(f"... samples from {length:,} on are not drawn")
    told = " ".join(_told(one, mine, length) for one, mine in zip(passes, owners, strict=True))
    return sheet.drawn("sc-fates", TITLE, told)


def _key(length: int, passes: Sequence[Mapping[str, Any]], owners: Sequence[Owners]) -> Iterator[str]:
    """Yield what the other boxes mean, as far as there are such."""
    most = max((len(came) for mine in owners for came in mine.values()), default=0)
    lacking = [one["cut"] for one, mine in zip(passes, owners, strict=True) if len(mine) < length]
    if not all(lacking):
        yield f"{TIMES}  nobody got it"
    if any(lacking):
        yield "?  not among the ranks and steps that are kept here"
    if most > 1:
        more = f" (3{TIMES})" if most > MOST_APART else ""
        yield f"0 1  several ranks got it, or one got it more than once{more}"


def _owners(one: Mapping[str, Any], length: int) -> Owners:
    """Return, for each sample of the dataset that came, the ranks and steps in which it did."""
    found: Owners = defaultdict(list)
    for rank, steps in enumerate(one["ranks"]):
        for step, samples in enumerate(steps):
            for sample in samples:
                if 0 <= sample < length:
                    found[sample].append((rank, step))
    return dict(found)


def _told(one: Mapping[str, Any], owners: Owners, length: int) -> str:
    missing = [] if one["cut"] else [sample for sample in range(length) if sample not in owners]
    doubled = sorted(sample for sample, came in owners.items() if len(came) > 1)
    parts = [f"nobody got {brief(missing)}"] if missing else []
    parts += [f"{brief(doubled)} came more than once"] if doubled else []
    parts = parts or [f"{pluralise(len(owners), 'sample')} came once each"]
    return f"{one['label']}: {'; '.join(parts)}."


class _Chart:
    """A column for each sample that is shown, a row for each pass."""

    def __init__(
        self,
        sheet: Sheet,
        length: int,
        passes: Sequence[Mapping[str, Any]],
        owners: Sequence[Owners],
    ) -> None:
        self._sheet = sheet
        self._passes = passes
        self._owners = owners
        self._labels = [cut(one["label"], LONGEST_LABEL) for one in passes]
        self._left = MARGIN + width_of(max([*self._labels, "sample"], key=len)) + 10
        self._places = self._placed(length)

    def _placed(self, length: int) -> list[tuple[int, float]]:
        """Return the samples that are shown with their x: what is missing or doubled, and both ends."""
        odd = [
            sample for sample in range(length) if any(len(mine.get(sample, ())) != 1 for mine in self._owners)
        ]
        most = max(8, int((WIDEST - self._left) // WIDE))
        chosen = sorted(near([0, *odd[: most // 2], length - 1], length)[:most])
        x, places = self._left, []
        for before, sample in zip([-1, *chosen], chosen, strict=False):
            x += GAP if sample != before + 1 else 0
            places.append((sample, x))
            x += WIDE
        return places

    def draw(self) -> None:
        """Draw the header and the rows."""
        sheet = self._sheet
        sheet.say(MARGIN, "sample", Box(0, sheet.y, 0, 18), size=SMALL)
        for sample, x in self._places:
            sheet.inside(Box(x, sheet.y, WIDE - 2, 18), str(sample), size=SMALL, fill="currentColor")
        for (before, x), (after, _) in pairwise(self._places):
            if after != before + 1:
                sheet.say(x + WIDE + 3, "\N{HORIZONTAL ELLIPSIS}", Box(0, sheet.y, 0, 18), size=SMALL)
        sheet.y += 20
        for label, one, owners in zip(self._labels, self._passes, self._owners, strict=True):
            sheet.say(MARGIN, label, Box(0, sheet.y, 0, HIGH - 2))
            for sample, x in self._places:
                box = Box(x, sheet.y, WIDE - 2, HIGH - 2)
                self._fate(box, sample, owners.get(sample, []), known=not one["cut"])
            sheet.y += HIGH
        sheet.y += 6

    def _fate(self, box: Box, sample: int, came: Sequence[tuple[int, int]], *, known: bool) -> None:
        where = ", ".join(f"rank {rank} in step {step}" for rank, step in came)
        told = f"sample {sample}: {where or ('nobody' if known else 'not shown')}"
        if not came:
            self._sheet.lack(box, TIMES if known else "?", told)
        elif len(came) > MOST_APART:
            self._sheet.cell(box, came[0][0], f"{len(came)}{TIMES}", told=told)
        elif len(came) == MOST_APART:
            wide = box.width / MOST_APART
            for place, (rank, _) in enumerate(came):
                half = Box(box.x + place * wide, box.y, wide, box.height)
                self._sheet.cell(half, rank, str(rank), told=told)
        else:
            rank, step = came[0]
            self._sheet.cell(box, rank, str(rank), small=f"{step}", told=told)
