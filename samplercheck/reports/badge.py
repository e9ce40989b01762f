"""``badge.json``: the verdict in one line and one colour, as shields.io's endpoint badges read it.

Called where reports are published, with plain data. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from samplercheck.reports.standing import RunVerdict, Standing, tally, verdict
from samplercheck.values import exits
from samplercheck.values.wording import pluralise


def render(reports: Sequence[dict[str, Any]]) -> str:
    """Return the JSON text of the badge of all reports together."""
    what = verdict(reports)
    badge = {
        "schemaVersion": 1,
        "label": "samplercheck",
        "message": _message(what, reports),
        "color": what.colour,
    }
    return json.dumps(badge, indent=2) + "\n"


def _message(what: RunVerdict, reports: Sequence[dict[str, Any]]) -> str:
    laws = tally(reports)
    broken, unknown, known = laws[Standing.BROKEN], laws[Standing.UNKNOWN], laws[Standing.KNOWN]
    if what.code == exits.BROKEN:
        return f"{pluralise(broken, 'law')} broken" if broken else "known failures are stale"
    if what.code == exits.UNDECIDED:
        return f"{pluralise(unknown, 'law')} undecided" if unknown else "known failures are undecided"
    if what.code == exits.HOLDS:
        besides = f", {pluralise(known, 'known failure')}" if known else ""
        return f"{laws[Standing.HOLDS]} hold{besides}"
    return what.title
