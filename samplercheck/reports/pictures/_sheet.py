"""Sheet: where a picture is drawn, from above to below, and the looks of cells that pictures share.

Used by the pictures. A rank is known by its number, by its colour and, from the ninth on, by stripes.
Standard library alone.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from samplercheck.reports.pictures.svg import (
    CELL_TEXT,
    FAINT,
    FONT_SIZE,
    WRONG,
    element,
    escape,
    picture,
    rect,
    text,
    width_of,
)

MARGIN = 8
WIDEST = 760
NARROW = 360
"""What a window of 400 px shows of a picture without being scrolled: words are not to be wider."""
GAP = 18
ROW = 26
SMALL = 11
BASELINE = 0.36
PALE = ("#a9cffb", "#ffcf9b", "#b4e3aa", "#f7bfd9", "#d6c8f5", "#f3e68d", "#a2e2d8", "#dccfbf")
MOST_SHOWN = 3


def rank_fill(rank: int) -> str:
    """Return the pale colour of a rank."""
    return PALE[rank % len(PALE)]


def rank_class(rank: int) -> str:
    """Return the class of what has the colour of a rank."""
    return f"sc-rank-{rank % len(PALE)}"


def words_of(samples: Sequence[int]) -> str:
    """Return the samples of one step in a few words: one alone, the first of several and how many more."""
    if len(samples) == 1:
        return str(samples[0])
    more = f" +{len(samples) - MOST_SHOWN}" if len(samples) > MOST_SHOWN else ""
    return " ".join(map(str, samples[:MOST_SHOWN])) + more if samples else "empty"


def _break(words: str, size: float) -> list[str]:
    """Return words in lines that a narrow window shows whole."""
    return textwrap.wrap(words, int((NARROW - MARGIN) / width_of(" ", size)))


def spread(shown: Sequence[int], left: float, wide: float) -> list[tuple[int, float]]:
    """Return each number with the x of its column; there is a gap where numbers are left out."""
    x, places = left, []
    for before, number in zip([-1, *shown], shown, strict=False):
        x += GAP if number != before + 1 else 0
        places.append((number, x))
        x += wide
    return places


class Box(NamedTuple):
    """A place on a sheet: its corner, its size, and its middle."""

    x: float
    y: float
    width: float
    height: float = ROW - 2

    @property
    def middle(self) -> float:
        """The x of its middle."""
        return self.x + self.width / 2

    def baseline(self, share: float = 0.5, size: float = FONT_SIZE) -> float:
        """Return the y of words that stand in the middle, or at another share of its height."""
        return self.y + self.height * share + size * BASELINE


class Sheet:
    """Collects what is drawn and grows with it; ``y`` is where the next row begins.

    Boxes lie below all else and the words in them above; each of the two layers says once how it looks.
    """

    def __init__(self) -> None:
        self.width: float = 0
        self.y: float = MARGIN
        self._boxes: list[str] = []
        self._children: list[str] = []
        self._inside: list[str] = []

    def put(self, *children: str, right: float = 0) -> None:
        """Add elements; ``right`` is how far they reach."""
        self._children += children
        self.width = max(self.width, right + MARGIN)

    def say(self, x: float, words: str, box: Box, *, size: float = FONT_SIZE, **attributes: object) -> None:
        """Add words that begin at ``x``, in the row of a box."""
        drawn = text(x, box.baseline(), words, font_size=size, **attributes)
        self.put(drawn, right=x + width_of(words, size))

    def columns(self, title: str, shown: Sequence[int], left: float, wide: float) -> list[tuple[int, float]]:
        """Add a header of numbers, with dots where some are left out; return each with the x of its box."""
        places = spread(shown, left, wide + 2)
        self.say(MARGIN, title, Box(0, self.y, 0, 18), size=SMALL)
        for number, x in places:
            self.inside(Box(x, self.y, wide, 18), str(number), size=SMALL, fill="currentColor")
        for (before, x), (after, _) in pairwise(places):
            if after != before + 1:
                self.say(x + wide + 4, "\N{HORIZONTAL ELLIPSIS}", Box(0, self.y, 0, 18), size=SMALL)
        self.y += 20
        return places

    def heading(self, words: str) -> None:
        """Add lines of their own above what follows."""
        for line in _break(words, FONT_SIZE):
            self.say(MARGIN, line, Box(0, self.y, 0), font_weight="bold")
            self.y += ROW

    def note(self, words: str) -> None:
        """Add small lines of their own."""
        for line in _break(words, SMALL):
            self.say(MARGIN, line, Box(0, self.y, 0, 18), size=SMALL)
            self.y += 18

    def remark(self, x: float, words: str) -> None:
        """Add small words behind a row, or below it where a narrow window would not show them."""
        if x + width_of(words, SMALL) <= NARROW:
            self.say(x, words, Box(0, self.y, 0), size=SMALL)
        else:
            self.y += ROW
            self.note(words)
            self.y -= ROW

    def cell(self, box: Box, rank: int, words: str, *, small: str = "", title: str = "") -> None:
        """Add a cell in the colour of a rank; ``title`` is what it says where the mouse rests."""
        self._box(box, title, class_=rank_class(rank), fill=rank_fill(rank))
        if rank >= len(PALE):
            ends = ((at, min(at, box.height)) for at in range(6, int(box.width), 7))
            stripes = "".join(f"M{box.x + at:g} {box.y:g}l{-high:g} {high:g}" for at, high in ends)
            self._boxes.append(element("path", d=stripes, stroke="#0003"))
        self.inside(box, words, share=0.34 if small else 0.5)
        if small:
            self.inside(box, small, share=0.78, size=9.5)

    def inside(
        self, box: Box, words: str, *, share: float = 0.5, size: float = FONT_SIZE, **look: object
    ) -> None:
        """Add words in the middle of a box, dark as on a pale cell unless ``look`` says otherwise."""
        look = {"fill": None, "font_size": None if size == FONT_SIZE else size, **look}
        self._inside.append(text(box.middle, box.baseline(share, size), words, **look))

    def lack(self, box: Box, words: str, title: str = "") -> None:
        """Add an empty place: nothing came there."""
        look = {"fill": "none", "stroke": "currentColor", "stroke_dasharray": "3 2", "stroke_opacity": FAINT}
        self._box(box, title, **look, class_="sc-lack")
        self.inside(box, words, fill="currentColor")

    def _box(self, box: Box, title: str, **look: object) -> None:
        titles = (element("title", escape(title)),) if title else ()
        self._boxes.append(rect(box.x, box.y, box.width, box.height, *titles, rx=3, **look))
        self.width = max(self.width, box.x + box.width + MARGIN)

    def mark(self, box: Box) -> None:
        """Mark a box as wrong: a thick frame and a filled corner."""
        frame = {"fill": "none", "stroke": WRONG, "stroke_width": 3, "class_": "sc-wrong"}
        x, y = box.x + box.width, box.y
        corner = f"M{x - 9:g} {y:g}H{x:g}V{y + 9:g}Z"
        self.put(
            rect(box.x, box.y, box.width, box.height, rx=3, **frame),
            element("path", d=corner, fill=WRONG, class_="sc-wrong"),
        )

    def key(self, ranks: Sequence[int], *, marked: str = "") -> None:
        """Add the key: the colours of the ranks, and what a mark means."""
        box, x = Box(MARGIN, self.y, 20, 18), float(MARGIN)
        for rank in ranks:
            box = Box(x, self.y, 20, 18)
            self.cell(box, rank, str(rank), title=f"rank {rank}")
            self.say(x + 24, f"rank {rank}", box, size=SMALL)
            wide = 34 + width_of(f"rank {rank}", SMALL)
            x += wide
            if x + wide > NARROW and rank != ranks[-1]:
                x, self.y = float(MARGIN), self.y + 22
        if marked:
            if x > MARGIN and x + 24 + width_of(marked, SMALL) > NARROW:
                x, self.y = float(MARGIN), self.y + 22
            box = Box(x, self.y, 20, 18)
            self.mark(box)
            self.say(x + 24, marked, box, size=SMALL)
        self.y += 22

    def finish(self, name: str, title: str, description: str) -> str:
        """Return the picture."""
        centred = {"text_anchor": "middle", "fill": CELL_TEXT, "pointer_events": "none"}
        layers = (element("g", *self._boxes, stroke="#0004"), *self._children)
        return picture(
            max(self.width, 120),
            self.y + MARGIN,
            title=title,
            description=description,
            children=(*layers, element("g", *self._inside, **centred)),
            name=name,
        )
