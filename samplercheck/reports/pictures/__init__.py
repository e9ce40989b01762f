"""Pictures: scenes as SVG that may stand inside of any page.

Called by the HTML page, ``samplercheck show --html`` and notebooks, with a scene as
``report.json`` holds it. Each picture is empty where the scene has nothing of it. Imports values alone.
"""

from __future__ import annotations

from samplercheck.reports.pictures._fates import bars, fates
from samplercheck.reports.pictures._grid import grid
from samplercheck.reports.pictures._timeline import timeline

__all__ = ["bars", "fates", "grid", "timeline"]
