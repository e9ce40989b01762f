"""``badge.json`` is what shields.io reads, and green only where every law holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from samplercheck.reports.badge import render
from tests.support import handmade
from tests.support.awkward import hostile, many

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "shields-endpoint.json").read_text())


def baseline(**parts: Any) -> dict[str, Any]:
    """The mixed report beside a baseline that knows its failure; without the undecided law."""
    report = handmade.mixed()
    report["results"] = [one for one in report["results"] if one["outcome"] != "unknown"]
    known = [["SC104", report["results"][0]["failure"]["id"]]]
    return report | {"baseline": {"known": known, "stale": [], "undecided": [], **parts}}


def nothing() -> dict[str, Any]:
    """A report in which no law applied."""
    return handmade.report()


@pytest.mark.parametrize(
    ("reports", "message", "colour"),
    [
        ([handmade.clean()], "2 hold", "brightgreen"),
        ([handmade.clean(), handmade.clean()], "4 hold", "brightgreen"),
        ([handmade.clean(), handmade.undecided()], "1 law undecided", "yellow"),
        ([handmade.mixed(), handmade.undecided()], "1 law broken", "red"),
        ([many(500)], "500 laws broken", "red"),
        ([{**handmade.clean(), "interrupted": True}, handmade.mixed()], "interrupted", "orange"),
        ([nothing()], "nothing to check", "lightgrey"),
        ([], "nothing to check", "lightgrey"),
        ([nothing(), handmade.clean()], "2 hold", "brightgreen"),
        ([baseline()], "1 hold, 1 known failure", "brightgreen"),
        ([baseline(stale=["x"])], "known failures are stale", "red"),
        ([baseline(undecided=["x"])], "known failures are undecided", "yellow"),
        ([hostile()], "1 law broken", "red"),
    ],
)
def test_the_badge_says_the_verdict(reports: list[dict[str, Any]], message: str, colour: str) -> None:
    badge = json.loads(render(reports))
    jsonschema.validate(badge, SCHEMA)
    assert badge == {"schemaVersion": 1, "label": "samplercheck", "message": message, "color": colour}
