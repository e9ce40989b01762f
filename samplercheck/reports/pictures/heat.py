"""The heat map: which squares of the small scope were tried, and in which of them a law is broken.

Called by the page with ``report["map"]``. One small picture of length by world size for each batch size,
shuffle and drop_last; a square differs by its form as well as by its colour.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from samplercheck.reports.pictures.svg import element, escape, picture, text
from samplercheck.values.wording import pluralise

Square = Mapping[str, Any]
Values = tuple[int, ...]

CELL, GAP = 13, 2
STEP = CELL + GAP
LEFT, TOP, BELOW = 36, 2, 30
FONT_SIZE = 10
NEAR = 4
"""One of so many lengths is written out."""
MOST_TITLED = 800
"""So many broken squares show their numbers where the mouse rests; with more a page would grow large."""

KNOBS = ("shuffle", "drop_last", "batch_size")
"""What the pictures differ in; the last of them that varies goes across."""

Form = tuple[str, str, str]
HELD: Form = ("sc-held", "#8fb3a3", "")
SOME: Form = ("sc-some", "#e9a7a0", "m3 10l7-7")
ALL: Form = ("sc-all", "#b3231b", "m3 3l7 7m-7 0l7-7")
UNTRIED: Form = ("sc-untried", "none", "")


class HeatRow(NamedTuple):
    """Pictures side by side, each with its caption; ``label`` says what they have in common."""

    label: str
    pictures: list[tuple[str, str]]


class Axes(NamedTuple):
    """What all pictures have across and down, for comparing; whether a square has its numbers as a title."""

    lengths: list[int]
    worlds: list[int]
    are_titled: bool


def heat(squares: Sequence[Square], law: str = "") -> list[HeatRow]:
    """Return the rows of pictures, each picture with its caption; nothing of a run without a small scope.

    Squares show where any law is broken, or where one is, which goes without the numbers of its squares.
    """
    squares = [{**one, "broken": one["laws"].get(law, 0)} for one in squares] if law else squares
    several = [name for name in KNOBS if len({one[name] for one in squares}) > 1]
    across = several[-1:]
    down = several[: -len(across)] if across else []
    panels: dict[Values, dict[Values, list[Square]]] = defaultdict(lambda: defaultdict(list))
    for one in squares:
        panels[_values(one, down)][_values(one, across)].append(one)
    lengths, worlds = (sorted({one[name] for one in squares}) for name in ("length", "world_size"))
    broken = sum(bool(one["broken"]) for one in squares)
    axes = Axes(lengths, worlds, are_titled=not law and broken <= MOST_TITLED)
    rows = []
    for _, columns in sorted(panels.items()):
        parts = [part for _, part in sorted(columns.items())]
        drawn = [(_label_of(part, across), _panel(part, axes, _label_of(part, several))) for part in parts]
        rows.append(HeatRow(_label_of(parts[0], down), drawn))
    return rows


def _values(square: Square, names: Sequence[str]) -> Values:
    return tuple(square[name] for name in names)


def _label_of(squares: Sequence[Square], names: Sequence[str]) -> str:
    return ", ".join(f"{name}={squares[0][name]}" for name in names)


def share_of(square: Square) -> Form:
    """Return the form of a square: how many of its cases broke a law."""
    if not square["tried"]:
        return UNTRIED
    if not square["broken"]:
        return HELD
    return ALL if square["broken"] >= square["tried"] else SOME


def legend(form: Form) -> str:
    """Return one square of a form, for a legend that says it in words beside."""
    return element(
        "svg", *_cells([(1, 1)], form), class_="sc-key", width=STEP, height=STEP, aria_hidden="true"
    )


def _panel(squares: list[Square], axes: Axes, label: str) -> str:
    columns = {length: LEFT + STEP * place for place, length in enumerate(axes.lengths)}
    rows = {world: TOP + STEP * place for place, world in enumerate(axes.worlds)}
    drawn = list(_labels(columns, rows))
    for form in (HELD, SOME, ALL, UNTRIED):
        mine = (one for one in squares if share_of(one) == form)
        drawn += _cells([(columns[one["length"]], rows[one["world_size"]]) for one in mine], form)
    drawn += [_title_of(one, columns, rows) for one in squares if one["broken"]] if axes.are_titled else []
    size = LEFT + STEP * len(columns), TOP + STEP * len(rows) + BELOW
    title = ", ".join(filter(None, ["Length by world size", label]))
    return picture(*size, title=title, description=_describe(squares), children=drawn, name="sc-heat")


def _cells(places: Iterable[tuple[int, int]], form: Form) -> list[str]:
    """Return all squares of one form as one path, and the strokes on them as another."""
    name, fill, strokes = form
    places = list(places)
    if not places:
        return []
    inset = 0.5 if form == UNTRIED else 0
    side = CELL - 2 * inset
    box = f"h{side:g}v{side:g}h-{side:g}z"
    path = "".join(f"M{x + inset:g} {y + inset:g}{box}" for x, y in places)
    outline = "currentColor" if form == UNTRIED else None
    cells = [
        element("path", d=path, class_=name, fill=fill, stroke=outline, stroke_dasharray=outline and "2 2")
    ]
    if strokes:
        marks = "".join(f"M{x} {y}{strokes}" for x, y in places)
        stroke = "#ffffff" if form == ALL else "#7c1410"
        cells.append(
            element("path", d=marks, class_=f"{name}-mark", fill="none", stroke=stroke, stroke_width=2)
        )
    return cells


def _labels(columns: dict[int, int], rows: dict[int, int]) -> Iterable[str]:
    below = TOP + STEP * len(rows) + FONT_SIZE
    for place, (length, x) in enumerate(columns.items()):
        if place % NEAR == 0:
            yield text(x + CELL / 2, below, length, text_anchor="middle", font_size=FONT_SIZE)
    middle = TOP + STEP * len(rows) / 2
    yield text(LEFT, below + FONT_SIZE + 3, "dataset length", font_size=FONT_SIZE)
    turned = f"rotate(-90 {FONT_SIZE} {middle:g})"
    yield text(FONT_SIZE, middle, "ranks", text_anchor="middle", font_size=FONT_SIZE, transform=turned)
    for world, y in rows.items():
        yield text(LEFT - 6, y + CELL - 3, world, text_anchor="end", font_size=FONT_SIZE)


def _title_of(square: Square, columns: dict[int, int], rows: dict[int, int]) -> str:
    """Return what is shown where the mouse rests on a square with broken cases."""
    cases = f"{square['broken']} of {pluralise(square['tried'], 'case')} broken"
    words = f"length {square['length']}, world size {square['world_size']}: {cases}"
    title = element("title", escape(words))
    path = f"M{columns[square['length']]} {rows[square['world_size']]}h{CELL}v{CELL}h-{CELL}z"
    return element("path", title, d=path, fill="transparent")


def _describe(squares: list[Square]) -> str:
    forms = Counter(map(share_of, squares))
    tried = len(squares) - forms[UNTRIED]
    broken = [one for one in squares if one["broken"]]
    parts = [f"{tried} of {pluralise(len(squares), 'square')} tried"]
    if not broken:
        return f"{parts[0]}, nothing broken in them."
    first = min(broken, key=lambda one: (one["length"], one["world_size"]))
    parts.append(f"a law broken in {len(broken)} of them, in every case of {forms[ALL]}")
    parts.append(f"the first at length {first['length']}, world size {first['world_size']}")
    return f"{', '.join(parts)}."
