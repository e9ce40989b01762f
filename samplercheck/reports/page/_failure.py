"""One failure as the page shows it: what was seen, in which case, drawn, why, and how to see it again.

Used by the page. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from samplercheck.reports import pictures
from samplercheck.reports.page._block import training_of, ways_of
from samplercheck.reports.page._room import shortened
from samplercheck.reports.standing import Standing, consequence_of, standing_of
from samplercheck.reports.text import case_text, hint_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Plain = Mapping[str, Any]

__all__ = ["told_failure"]

LONGEST_TRACEBACK = 4_000
MOST_LINES = 40
LARGEST_DRAWING = 60_000
SIMULATED = "simulated"
ORDER = re.compile(r"SC3\d\d")
"""Laws of order, which a grid shows less well than the way of each sample through the epochs."""


class Picture(NamedTuple):
    """A drawing with its caption."""

    caption: str
    drawing: Markup


def told_failure(report: Plain, result: Plain, anchor: str) -> dict[str, Any]:
    """Return all that the template of a failure says; ``anchor`` is where links to it lead."""
    failure = result["failure"]
    seen = failure["violations"] or [{}]
    return {
        "anchor": anchor,
        "code": shortened(result["code"], 40),
        "name": shortened(result["name"], 80),
        "consequence": shortened(consequence_of(result), 80),
        "known": standing_of(report, result) is Standing.KNOWN,
        "statement": shortened(result["statement"]),
        "found": shortened(failure["message"]),
        "training": shortened(training_of(failure["text"])),
        "facts": [(label, shortened(text)) for label, text in _facts(failure) if text],
        "pictures": _pictures(result["code"], failure["scene"]) if failure.get("scene") else [],
        "drawn_case": _drawn_case(failure),
        "grid": "\n".join(shortened(line, 120) for line in failure["grid"][:MOST_LINES]),
        "traceback": shortened(seen[0].get("detail", ""), LONGEST_TRACEBACK),
        "cause": shortened(failure["cause"]),
        "evidence": shortened(failure["evidence"]),
        "hint": shortened(failure["hint"]),
        "hint_label": hint_label(failure["mend"]).capitalize(),
        "also": [shortened(code, 40) for code in failure["also"][:MOST_LINES]],
        "id": shortened(failure["id"], 40),
        "ways": ways_of(failure["text"]),
    }


def _facts(failure: Plain) -> Iterator[tuple[str, str]]:
    realistic = failure["realistic_case"]
    yield "smallest case", case_text(failure["case"])
    if realistic and realistic != failure["case"]:
        yield "smallest realistic case", case_text(realistic)
    if failure["world"] != SIMULATED:
        yield "seen in", f"a real {failure['world']} group of {failure['case']['world_size']} processes"
    if failure["failing"]:
        yield "small cases", f"{failure['failing']:,} of {failure['tried']:,} tried break it"
    elif failure["tried"]:
        yield "small cases", f"none of {failure['tried']:,} tried breaks it; it takes a larger one"
    claim, when, condition = failure["region"].partition(" when ")
    yield f"fails {claim} when" if when else "fails", condition if when else claim


def _drawn_case(failure: Plain) -> str:
    """Say which case it is that is drawn: people see more in a realistic one."""
    is_smallest = (failure.get("scene") or {}).get("token") == failure["token"]
    return "the smallest case" if is_smallest else "the smallest realistic case"


def _pictures(code: str, scene: Plain) -> list[Picture]:
    """Return what there is to draw; the first says most, the others are for whoever wants to know more."""
    drawers: list[tuple[str, Callable[[Plain], str]]] = [
        ("Before and after the interruption", pictures.timeline),
        ("How often each sample was drawn, and how often it should be", pictures.bars),
    ]
    if ORDER.fullmatch(code):
        drawers.append(("Where each sample goes, epoch by epoch", pictures.fates))
    drawers.append(("What each rank got, step by step", pictures.grid))
    drawn = [(caption, draw(scene)) for caption, draw in drawers]
    fitting = [(caption, drawing) for caption, drawing in drawn if 0 < len(drawing) <= LARGEST_DRAWING]
    return [Picture(caption, Markup(drawing)) for caption, drawing in fitting]  # noqa: S704  (made of escaped text)
