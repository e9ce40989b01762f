"""Processes of the kit: how they are started, what they note for those who outlive them, how they end.

Used by supervised runs and by the worlds of real process groups. Importing it imports nothing heavy.
"""

from __future__ import annotations

import signal

ENDINGS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals by which somebody ends a program."""
