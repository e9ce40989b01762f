"""The supervised child: carries out one job, says what came of it, and ends.

Started by the parent through ``main``. Here, and not in the parent, torch and the target are
imported. It ends by itself when the parent does.
"""

from __future__ import annotations

import faulthandler
import json
import math
import os
import signal
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck import errors
from samplercheck.black_box import IMPORTING, RUNNING, BlackBox, frames_of_main_thread
from samplercheck.errors import SamplerCheckError, UsageError
from samplercheck.launching import end_with_lifeline, take_lifeline
from samplercheck.supervision._process import EVENTS, FRAMES, JOB, NOTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.search.progress import Progress

__all__ = ["main"]

EXIT_HUNG = 4
EVERY = 0.05
DEADLINE = "SAMPLERCHECK_DEADLINE"


def main(directory: str) -> None:
    """Carry out the job in ``directory``; never returns."""
    here = Path(directory)
    job = json.loads((here / JOB).read_text())
    box, events = BlackBox(here / NOTES), _Events(here / EVENTS)
    end_with_lifeline(take_lifeline())
    frames = (here / FRAMES).open("w")
    faulthandler.enable(frames, all_threads=False)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR2, frames, all_threads=False)
    try:
        _carry_out(job, box, events, here / FRAMES)
    except SamplerCheckError as error:
        events.say(error=[_public_name(error), str(error)])
    except KeyboardInterrupt:
        events.say(interrupted=True)
    except BaseException:  # noqa: BLE001  (the parent tells the user)
        events.say(fault=traceback.format_exc())
    # A target's threads, exit handlers and broken modules do not get to have the last word.
    os._exit(0)


def _carry_out(job: dict[str, Any], box: BlackBox, events: _Events, frames: Path) -> None:
    from samplercheck.engine import Plan, carry_out
    from samplercheck.supervision._calls import arguments_of, known_faults

    def give_up(_: str) -> None:
        """End; the black box knows why, and the frames of what hangs are left beside it."""
        with suppress(OSError):
            frames.write_text(frames_of_main_thread())
        os._exit(EXIT_HUNG)

    def prepared(question: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Import the target of a run; return the run's arguments, those of its worlds for themselves."""
        box.enter_stage(IMPORTING)
        arguments = arguments_of(question)
        settings = {**_deadlines(), **arguments.pop("world_settings", {})}
        box.enter_stage(RUNNING)
        return arguments, {**settings, "black_box": box, "give_up": give_up}

    if "careful" in job:
        arguments, settings = prepared(_question_of(job))
        _run_case(arguments, job["careful"], {**settings, "careful": True})
        events.say(survived=True)
        return
    known = known_faults(job["known"], job["most_known"])

    def answered(question: dict[str, Any]) -> dict[str, Any]:
        arguments, settings = prepared(question)
        report = carry_out(Plan(**arguments, world_settings={**settings, "known": known}), events.show)
        return {"report": report.to_dict(), "source": _source_of(arguments)}

    if "questions" in job:
        events.say(report={"answers": [_answer(answered, question) for question in job["questions"]]})
        return
    report = answered(job)["report"]
    events.flush()
    events.say(report=report)


def _answer(answered: Callable[[dict[str, Any]], dict[str, Any]], question: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one of several questions; its error is no matter of the others."""
    try:
        return answered(question)
    except SamplerCheckError as error:
        return {"error": [_public_name(error), str(error)]}


def _question_of(job: dict[str, Any]) -> dict[str, Any]:
    """Return the job itself or, of several questions, the one that the careful case belongs to."""
    for question in job.get("questions", ()):
        if job["careful"]["case"] in question.get("request", {}).get("cases", ()):
            return question  # type: ignore[no-any-return]  # plain data
    return job.get("questions", [job])[0]  # type: ignore[no-any-return]  # plain data


def _source_of(arguments: dict[str, Any]) -> str:
    from samplercheck.recording import source_digest
    from samplercheck.targets import as_target

    return source_digest(as_target(arguments["target"]).factory)


def _run_case(arguments: dict[str, Any], careful: dict[str, Any], settings: dict[str, Any]) -> None:
    """Run one case that has ended its process before."""
    from samplercheck.case import Case
    from samplercheck.targets import as_target
    from samplercheck.worlds import open_world, settings_for

    what = as_target(arguments["target"], arguments.get("contract"), arguments.get("axes"))
    with open_world("simulated", **settings_for("simulated", settings)) as world:
        world.trace(what.bind(), Case.parse(careful["case"]), tuple(careful["experiments"]))


def _deadlines() -> dict[str, Any]:
    """Read the processor seconds allowed between two signs of progress, where the user has set them."""
    text = os.environ.get(DEADLINE)
    if not text:
        return {}
    from samplercheck.worlds._guard import Deadlines

    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{DEADLINE}={text!r} is no time: write seconds, as in 2.5.")
    return {"deadlines": Deadlines(seconds)}


class _Events:
    """Says things to the parent, a line each; opened anew for each, as a target may close everything."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        self._waiting: Progress | None = None
        self._shown = 0.0

    def say(self, **event: Any) -> None:
        """Say one thing."""
        if os.getpid() != self._process:
            os._exit(0)  # a target has forked and the copy has come back into the search
        with self._path.open("ab") as file:
            file.write(json.dumps(event).encode() + b"\n")

    def show(self, progress: Progress) -> None:
        """Report progress, not too often; the last of each phase is never lost."""
        if self._waiting is not None and self._waiting.phase != progress.phase:
            self.flush()
        self._waiting = progress
        if time.monotonic() - self._shown >= EVERY:
            self.flush()

    def flush(self) -> None:
        """Report what has waited."""
        if self._waiting is not None:
            self.say(progress=[self._waiting.phase, self._waiting.done, self._waiting.planned])
            self._waiting = None
            self._shown = time.monotonic()


def _public_name(error: SamplerCheckError) -> str:
    """The nearest class that the parent knows."""
    return next(one.__name__ for one in type(error).__mro__ if hasattr(errors, one.__name__))
