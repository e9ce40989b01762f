"""One failure as the page shows it: what was seen, in which case, drawn, why, and how to see it again.

Used by the page. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from samplercheck.reports import pictures
from samplercheck.reports.page._environment import shorten
from samplercheck.reports.standing import Plain, Standing, consequence_of, fault_of, shown_case, standing_of
from samplercheck.reports.ways import PAGE
from samplercheck.values.layout import case_text, hint_label, shorten_place
from samplercheck.values.scene import Scene
from samplercheck.values.site import page_of
from samplercheck.values.wording import capitalise

LONGEST_TRACEBACK = 4_000
MOST_LINES = 40
LARGEST_DRAWING = 60_000
SIMULATED, INSIDE = "simulated", "wrapped"
TRAINING = "  In training: "
COLUMN = 22
WAYS = {
    "again": "again",
    "on another machine": "on another machine",
    "without this kit": "without this kit",
    "see it": "see it drawn",
    "more": "more about this law",
    PAGE: "",
}
ORDER = re.compile(r"SC3\d\d")
"""Laws of order, which a grid shows less well than the way of each sample through the epochs."""


def describe_failure(report: Plain, result: Plain, anchor: str) -> dict[str, Any]:
    """Return all that the template of a failure says; ``anchor`` is where links to it lead."""
    failure = result["failure"]
    seen = failure["violations"] or [{}]
    return {
        "anchor": anchor,
        "code": shorten(result["code"], 40),
        "name": shorten(result["name"], 80),
        "page": page_of(report.get("documentation", ""), result["code"]),
        "fault": capitalise(shorten(fault_of(result), 120)),
        "consequence": shorten(consequence_of(result), 80),
        "known": standing_of(report, result) is Standing.KNOWN,
        "statement": shorten(result["statement"]),
        "found": shorten(failure["message"]),
        "training": shorten(training_of(failure["text"])),
        "facts": [(label, shorten(text)) for label, text in _facts(failure) if text],
        "pictures": _pictures(result["code"], failure.get("scene") if _is_drawn(failure) else None),
        "drawn_case": shorten((failure.get("scene") or {}).get("token") or failure["token"], 200),
        "grid": "\n".join(shorten(line, 120) for line in failure["grid"][:MOST_LINES]),
        "traceback": shorten(seen[0].get("detail", ""), LONGEST_TRACEBACK),
        "cause": shorten(failure["cause"]),
        "evidence": shorten(failure["evidence"]),
        "hint": shorten(failure["hint"] or failure.get("usual", "")),
        "hint_label": hint_label(failure["mend"]).capitalize() if failure["hint"] else "Usual fix",
        "also": [shorten(code, 40) for code in failure["also"][:MOST_LINES]],
        "id": shorten(failure["id"], 40),
        "ways": ways_of(failure["text"]),
    }


def _facts(failure: Plain) -> Iterator[tuple[str, str]]:
    if shown_case(failure) != failure["case"]:
        yield "case", f"{case_text(shown_case(failure))} (found and drawn here)"
    yield "smallest case", f"{case_text(failure['case'])} ({failure['id']})"
    if failure["world"] != SIMULATED:
        yield "seen in", f"a real {failure['world']} group of {failure['case']['world_size']} processes"
    if failure["failing"]:
        yield "small cases", f"{failure['failing']:,} of {failure['tried']:,} tried break it"
    elif failure["tried"]:
        yield "small cases", f"none of {failure['tried']:,} tried breaks it, only larger ones do"
    claim, when, condition = failure["region"].partition(" when ")
    yield f"fails {claim} when" if when else "fails", condition if when else claim
    yield "where", shorten_place(failure.get("line", ""))


def _is_drawn(failure: Plain) -> bool:
    """Whether what ranks yield shows the failure: something is drawn in text, or marked, or counted.

    What was asked of a sampler inside, and what came there, is in the text alone.
    """
    scene = failure.get("scene") or {}
    is_inside = any(one["experiment"] == INSIDE for one in failure["violations"][:1])
    return bool((failure["grid"] and not is_inside) or scene.get("marked") or scene.get("observed"))


def _pictures(code: str, plain: Plain | None) -> list[tuple[str, Markup]]:
    """Return the drawings with their captions; the first says most, the others are for the curious."""
    if not plain:
        return []
    scene = Scene.from_dict(dict(plain))
    drawn = (
        ("Before and after the interruption", pictures.timeline(scene)),
        ("How often each sample was drawn, and how often it should be", pictures.bars(scene)),
        ("Where each sample goes, epoch by epoch", pictures.fates(scene) if ORDER.fullmatch(code) else ""),
        ("What each rank got, step by step", pictures.grid(scene)),
    )
    fitting = [(caption, drawing) for caption, drawing in drawn if 0 < len(drawing) <= LARGEST_DRAWING]
    return [(caption, Markup(drawing)) for caption, drawing in fitting]  # noqa: S704  (made of escaped text)


def training_of(block: str) -> str:
    """Return the sentences on what happens in training; empty where the block had no room for them."""
    for section in _sections(block)[1:2]:
        starts = [number for number, line in enumerate(section) if line.startswith(TRAINING)]
        if starts:
            lines = " ".join(line.strip() for line in section[starts[-1] :])
            return lines.removeprefix(TRAINING.strip()).strip()
    return ""


def ways_of(block: str) -> list[tuple[str, str]]:
    """Return the commands that the last section of the block shows, each with its label."""
    ways: list[tuple[str, str]] = []
    for line in (_sections(block) or [[]])[-1]:
        label, text = line[:COLUMN].strip(), line[COLUMN:]
        if label in WAYS:
            ways += [(WAYS[label], text)] if WAYS[label] else []
        elif not label and ways and ways[-1][1].endswith("\\"):
            ways[-1] = (ways[-1][0], f"{ways[-1][1]}\n{text}")
        else:
            return []  # no commands, or a block of another version
    return ways


def _sections(block: str) -> list[list[str]]:
    """Return the parts of a block between empty lines, its rules left out."""
    lines = [line for line in block.splitlines() if not (line and set(line) == {"-"})]
    parts = "\n".join(lines).split("\n\n")
    return [part.splitlines() for part in parts if part]
