"""The work of a supervised child: one run, one careful look at a case, or several small runs.

Called by ``_child``. Here torch and the target are imported.
"""

from __future__ import annotations

import gc
import math
import os
from typing import TYPE_CHECKING, Any

from samplercheck import errors
from samplercheck.errors import SamplerCheckError, UsageError
from samplercheck.worlds.processes.black_box import IMPORTING, RUNNING

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.engine import Plan
    from samplercheck.report import Report
    from samplercheck.search.profiles import Progress
    from samplercheck.worlds.processes.black_box import BlackBox

    Plain = dict[str, Any]

__all__ = ["Work", "public_name"]

DEADLINE = "SAMPLERCHECK_DEADLINE"


class Work:
    """What a job asks for. ``give_up`` is called where nothing else ends what the target does."""

    def __init__(
        self, job: Plain, box: BlackBox, give_up: Callable[[str], None], show: Callable[[Progress], None]
    ) -> None:
        self._job = job
        self._box = box
        self._give_up = give_up
        self._show = show

    def answers(self) -> list[Plain]:
        """Return what became of each question of a job that asks several."""
        return [self._answer(question) for question in self._job["questions"]]

    def report(self) -> Plain:
        """Return the report of the run that a job is, or all that a certificate says of it."""
        if "certifies" in self._job:
            return self._examined()
        return self._carried_out(self._job)[0].to_dict()

    def _examined(self) -> Plain:
        from samplercheck.certifying.examine import examine
        from samplercheck.store import Store

        asked = self._job["certifies"]
        known = None if asked["directory"] is None else Store(asked["directory"])
        return examine(
            self._plan(self._job), allow_dirty=asked["allow_dirty"], store=known, progress=self._show
        )

    def look_carefully(self) -> None:
        """Run one case that has ended its process before."""
        from samplercheck.case import Case
        from samplercheck.targets import as_target
        from samplercheck.worlds import open_world, settings_for

        careful = self._job["careful"]
        arguments, settings = self._prepared(self._question_with(careful["case"]))
        settings = settings_for("simulated", {**settings, "careful": True})
        what = as_target(arguments["target"], arguments.get("contract"), arguments.get("axes"))
        with open_world("simulated", **settings) as world:
            world.trace(what.bind(), Case.parse(careful["case"]), tuple(careful["experiments"]))

    def _answer(self, question: Plain) -> Plain:
        """Return the report and the target's digest; the error of one question is no matter of the others."""
        from samplercheck.recording import source_digest
        from samplercheck.targets import as_target

        try:
            report, target = self._carried_out(question)
        except SamplerCheckError as error:
            return {"error": [public_name(error), str(error)]}
        return {"report": report.to_dict(), "source": source_digest(as_target(target).factory)}

    def _carried_out(self, question: Plain) -> tuple[Report, Any]:
        from samplercheck.engine import carry_out

        plan = self._plan(question)
        return carry_out(plan, self._show), plan.target

    def _plan(self, question: Plain) -> Plan:
        from samplercheck.engine import Plan
        from samplercheck.supervision._calls import known_faults

        arguments, settings = self._prepared(question)
        known = known_faults(self._job["known"], self._job["most_known"])
        return Plan(**arguments, world_settings={**settings, "known": known})

    def _prepared(self, question: Plain) -> tuple[Plain, Plain]:
        """Import the target of a run; return the run's arguments, and for themselves those of its worlds."""
        from samplercheck.supervision._calls import arguments_of

        self._box.enter_stage(IMPORTING)
        arguments = arguments_of(question)
        settings = {**_deadlines(), **arguments.pop("world_settings", {})}
        gc.freeze()  # what is imported stays, and need not be looked through for garbage again and again
        self._box.enter_stage(RUNNING)
        return arguments, {**settings, "black_box": self._box, "give_up": self._give_up}

    def _question_with(self, token: str) -> Plain:
        """Return the job itself or, of several questions, the one that asks for a case."""
        questions: list[Plain] = self._job.get("questions", [self._job])
        asked = (one for one in questions if token in one.get("request", {}).get("cases", ()))
        return next(asked, questions[0])


def public_name(error: SamplerCheckError) -> str:
    """Return the nearest class of an error that the parent knows."""
    return next(one.__name__ for one in type(error).__mro__ if hasattr(errors, one.__name__))


def _deadlines() -> Plain:
    """Read the processor seconds allowed between two signs of progress, where the user has set them."""
    text = os.environ.get(DEADLINE)
    if not text:
        return {}
    from samplercheck.worlds.in_rank.guard import Deadlines

    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{DEADLINE}={text!r} is no time: write seconds, as in 2.5.")
    return {"deadlines": Deadlines(seconds)}
