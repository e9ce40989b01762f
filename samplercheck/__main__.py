"""The command line's front door: ``samplercheck`` and ``python -m samplercheck``.

Imports nothing but signals before it has seen to Ctrl-C: the rest takes long enough to be interrupted.
"""

from __future__ import annotations

import os
import signal

__all__ = ["main"]

EXIT_INTERRUPTED = 130


def main() -> None:
    """Import and run the command line; Ctrl-C before and after the verb itself ends the process at once."""
    # Raised in the middle of an import, KeyboardInterrupt would be shown as a traceback, or get lost.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _leave)
    from samplercheck.cli.main import main as carry_out

    carry_out()


def _leave(*_: object) -> None:
    """Say that the run was interrupted, and end.

    There is nothing to tidy up: verbs take Ctrl-C as an exception while they run.
    """
    try:
        os.write(2, b"samplercheck: interrupted.\n")
    finally:
        os._exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
