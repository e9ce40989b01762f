"""The page: reports as one HTML file that needs no network, and no script to be read.

Called by ``samplercheck report`` with the plain data of reports. Pure; imports neither torch nor numpy,
and jinja2 on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from samplercheck.explain.pictures.shown import Shown


def render(reports: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of these reports, at most a megabyte; what has no room is counted and named."""
    from samplercheck.reports.page._page import page_of

    return page_of(reports)


def render_shown(shown: Shown) -> str:
    """Return the page of one case, for ``samplercheck show --html``."""
    from samplercheck.reports.page._page import page_of_case

    return page_of_case(shown)
