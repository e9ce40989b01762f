"""What every test process needs: Ctrl-C that works, also where the suite runs in the background."""

from __future__ import annotations

import signal

pytest_plugins = ["pytester"]

# Shells start background jobs with SIGINT ignored, and children inherit that: tests that interrupt
# a child would wait in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
