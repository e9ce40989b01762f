"""Streams: a stdout and a stderr that outlast a closed pipe or a full disk, for the verdict's sake.

Used by ``main``, around everything that prints. What cannot be written is dropped from then on and
the reason kept, so that a run goes on and its exit code still says what was found.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

LAST_STREAM = 2


class Outlet(io.FileIO):
    """The end of a stream: takes everything, and after its first failure writes nothing more.

    ``failure`` is that failure, None as long as all has been written.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self.failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write, and return how much was taken."""
        if self.failure is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def hold() -> Outlet | None:
    """Put outlets behind stdout and stderr, and return stdout's; a terminal may go away too.

    A stream that the caller has closed on purpose leads nowhere.
    """
    _take_free_numbers()
    _, outlet = _hold_stream("stderr"), _hold_stream("stdout")
    return outlet


def _take_free_numbers() -> None:
    """Keep the numbers of closed streams from files that are opened later, or output would land in these."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= LAST_STREAM:
        pass
    os.close(number)


def _hold_stream(name: str) -> Outlet | None:
    stream = getattr(sys, name)
    if stream is None:
        setattr(sys, name, open(os.devnull, "w", encoding="ascii"))  # noqa: PTH123, SIM115  (open to the end)
        return None
    if stream.isatty() and sys.platform == "win32":  # a console there is no file
        return None
    outlet = Outlet(stream.fileno())
    buffer = io.BufferedWriter(outlet)
    setattr(sys, name, io.TextIOWrapper(buffer, stream.encoding, stream.errors, line_buffering=True))
    return outlet
