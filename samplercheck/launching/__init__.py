"""Launching: how processes of the kit's own are started, listened to and ended, and how they end with it.

Called in the process of the run and in what it starts: the supervised child, the server of a process
group, ranks. Imports the standard library alone.
"""

from __future__ import annotations

from samplercheck.launching._command import command
from samplercheck.launching._endings import has_ended, kill_group, let_go, status_of
from samplercheck.launching._lifeline import die_on_hangup, end_with_lifeline, take_lifeline
from samplercheck.launching._tail import Tail

__all__ = [
    "Tail",
    "command",
    "die_on_hangup",
    "end_with_lifeline",
    "has_ended",
    "kill_group",
    "let_go",
    "status_of",
    "take_lifeline",
]
