"""The page of one case: what ``samplercheck show`` tells, with pictures.

Called by ``render_shown``. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from samplercheck.reports import pictures
from samplercheck.reports.page._environment import environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.reports.shown import Shown

__all__ = ["page_of_case"]

STOPPED = "The run that was stopped, below the one that nobody stopped"
DRAWN = (
    ("Where each sample went", pictures.fates),
    ("What each rank yielded, step by step", pictures.grid),
)


def page_of_case(shown: Shown) -> str:
    """Return the page; its pictures show as much as a scene holds, its text as much as the terminal."""
    told: dict[str, Any] = {
        "target": shown.target,
        "facts": shown.facts,
        "pictures": list(_pictures(shown.scene)),
        "epochs": [(heading, "\n".join(lines)) for heading, lines in shown.epochs],
        "troubles": ["\n".join(lines) for lines in shown.troubles],
    }
    return environment().get_template("show.html.jinja").render(told)


def _pictures(scene: dict[str, Any]) -> Iterator[tuple[str, Markup]]:
    timeline = pictures.timeline(scene)
    told = [(STOPPED, timeline)] if timeline else [(caption, draw(scene)) for caption, draw in DRAWN]
    for caption, drawing in told:
        if drawing:
            yield caption, Markup(drawing)  # noqa: S704  (pictures escape whatever they say)
