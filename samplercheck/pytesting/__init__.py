"""What the pytest plugin does once a session has items of samplercheck; its hooks end here.

Called by ``pytest_plugin`` alone. Items ask questions, runs answer them. Imports pytest; the engine,
and with it torch, when the first item is run.
"""

from __future__ import annotations

from samplercheck.pytesting._asking import check_asked, running
from samplercheck.pytesting._configured import add_configured
from samplercheck.pytesting._fixtures import Kit, ProcessGroups, SimulatedWorlds, mark_group_item, open_groups
from samplercheck.pytesting._items import parametrize
from samplercheck.pytesting._known import check_known
from samplercheck.pytesting._options import check_options
from samplercheck.pytesting._session import close_runs, open_runs, take_in, write_summary

__all__ = [
    "Kit",
    "ProcessGroups",
    "SimulatedWorlds",
    "add_configured",
    "check_asked",
    "check_known",
    "check_options",
    "close_runs",
    "mark_group_item",
    "open_groups",
    "open_runs",
    "parametrize",
    "running",
    "take_in",
    "write_summary",
]
