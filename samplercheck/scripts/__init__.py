"""Scripts: a failing case as plain Python, which needs torch and the user's module alone."""

from __future__ import annotations

__all__ = ["script_of"]


def script_of(recording, case, broken):
    return ""
