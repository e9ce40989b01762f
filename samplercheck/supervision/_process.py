"""One supervised child process: started, listened to, and ended with everything that it has started.

Used by the parent. The child's standard streams are drained and only their ends kept, so that a
target may flood or close them; what it has to say comes as lines of a file. Standard library alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from samplercheck.black_box import BlackBox, frames_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["EVENTS", "FRAMES", "JOB", "NOTES", "ChildProcess"]

JOB, EVENTS, NOTES, FRAMES = "job.json", "events.jsonl", "black_box", "frames.txt"
KEPT = 4_096
CHUNK = 65_536
LAST_WORDS = 0.3
# The child takes over the parent's module path before it imports anything but sys.
BOOT = (
    f"import sys; sys.path[:] = sys.argv.pop(1).split({os.pathsep!r}); "
    "from samplercheck.supervision._child import main; main(sys.argv.pop(1))"
)


class ChildProcess:
    """A fresh process that carries out a job; its files lie in ``directory``.

    Its standard input is a lifeline: it ends, with all that it has started, when the parent does.
    Where there are process groups it leads one of its own; elsewhere what it has started stays.
    """

    def __init__(self, job: dict[str, Any], directory: Path) -> None:
        directory.mkdir()
        self._directory = directory
        self._events = directory / EVENTS
        self._heard = 0
        (directory / JOB).write_text(json.dumps(job))
        self._events.touch()
        self.box = BlackBox.create(directory / NOTES)
        self._process = subprocess.Popen(  # noqa: S603  (this interpreter, this package)
            [sys.executable, *_flags(), "-c", BOOT, os.pathsep.join(map(str, sys.path)), str(directory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
        self._tails = [_Tail(self._process.stdout), _Tail(self._process.stderr)]

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield what the child has said since the last question."""
        with self._events.open("rb") as file:
            file.seek(self._heard)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._heard += len(whole)
        for line in whole.splitlines():
            yield json.loads(line)

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended; it stays a zombie, so that its group keeps its number."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, options) is not None
        except ChildProcessError:  # this process ignores SIGCHLD: nothing is left to be waited for
            return True

    @property
    def status(self) -> str:
        """How the ended process ended: "SIGSEGV" or "exit status 3"."""
        code = self._process.wait()
        if code >= 0:
            return f"exit status {code}"
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"

    @property
    def last_words(self) -> tuple[str, ...]:
        """Return the last lines of its standard error."""
        return tuple(self._tails[1].text.splitlines()[-5:])

    @property
    def frames(self) -> tuple[str, ...]:
        """Return the Python frames of its main thread as its end found them, the innermost last."""
        return frames_in(self._directory / FRAMES)

    def interrupt(self) -> None:
        """Pass a Ctrl-C on."""
        if os.name == "posix":
            self._signal(signal.SIGINT)

    def ask_for_frames(self) -> None:
        """Let a process that stands still write down where it is, which needs no interpreter."""
        if hasattr(signal, "SIGUSR2"):
            self._signal(signal.SIGUSR2)
            time.sleep(LAST_WORDS)

    def end(self) -> None:
        """End the process and its group, now; return when nothing is left of it."""
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        for tail in self._tails:
            tail.close()
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        self.box.close()

    def _signal(self, number: int) -> None:
        if not self.has_ended:
            os.kill(self._process.pid, number)


class _Tail:
    """Drains a stream in a thread and keeps its end."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        assert stream is not None
        self._stream = stream
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, name="samplercheck-drain", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with suppress(OSError, ValueError):
            while data := os.read(self._stream.fileno(), CHUNK):
                self._kept = (self._kept + data)[-KEPT:]

    @property
    def text(self) -> str:
        """What was written last."""
        self._thread.join(LAST_WORDS)
        return self._kept.decode(errors="replace")

    def close(self) -> None:
        """Stop listening; a process that has left the group may still hold the other end."""
        self._thread.join(LAST_WORDS)
        if not self._thread.is_alive():
            self._stream.close()


def _flags() -> list[str]:
    """Return the interpreter's flags that change what a target does."""
    optimised = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
    return [*optimised, *(f"-W{one}" for one in sys.warnoptions)]
