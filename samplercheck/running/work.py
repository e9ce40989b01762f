"""The work of a supervised child: plans carried out, a target examined, or one careful look at a case.

Called by ``_child``. Here torch and the target are imported.
"""

from __future__ import annotations

import gc
import math
import os
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from samplercheck.running.jobs import (
    Answer,
    DraftJob,
    ExamineJob,
    LookJob,
    RunJob,
    job_from_dict,
    unpack_plan,
)
from samplercheck.running.process import LIBRARIES
from samplercheck.values.errors import SamplerCheckError, UsageError
from samplercheck.worlds.processes.black_box import IMPORTING, RUNNING, BlackBox
from samplercheck.worlds.processes.bootstrap import import_object
from samplercheck.worlds.processes.spare import SpareProcess
from samplercheck.worlds.processes.workers import WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.engine.plan import Plan
    from samplercheck.running.jobs import PackedPlan
    from samplercheck.search.profiles import Progress
    from samplercheck.worlds.simulated import KnownFaults

    Plain = dict[str, Any]

DEADLINE = "SAMPLERCHECK_DEADLINE"


def load_libraries() -> None:
    """Import what every plan needs, torch too; a tenth of the time would go into looking for garbage."""
    gc.disable()
    with suppress(ImportError):  # what needs it says so
        for needed in LIBRARIES:
            import_object(needed)
    gc.freeze()
    gc.enable()


class JobWorker:
    """Carries out a job. ``give_up`` is called where nothing else ends what the target does."""

    def __init__(
        self, job: Plain, box: BlackBox, give_up: Callable[[str], None], show: Callable[[Progress], None]
    ) -> None:
        self._job = job_from_dict(job)
        self._box = box
        self._give_up = give_up
        self._show = show

    def carry_out(self) -> Plain:
        """Carry the job out and return what the parent is to hear."""
        job = self._job
        if isinstance(job, LookJob):
            self._look(job)
            return {"survived": True}
        if isinstance(job, ExamineJob):
            return {"report": self._examine(job)}
        if isinstance(job, DraftJob):
            from samplercheck.running.fixing.drafts import write_drafts

            plan = self._prepare(job.plan, job.known, job.most_known)
            return {"report": {"drafts": write_drafts(plan, job.remedies)}}
        return {"report": {"answers": [self._answer(job, plan).to_dict() for plan in job.plans]}}

    def _answer(self, job: RunJob, packed: PackedPlan) -> Answer:
        """Carry out one plan; its error does not keep the others from being carried out."""
        from samplercheck.engine import Jobs, as_carried_out, carry_out, serve_cases
        from samplercheck.engine.plan import target_of
        from samplercheck.running.inferring import with_inferred_contract
        from samplercheck.targets.provenance import code_digest, source_digest

        try:
            plan = with_inferred_contract(self._prepare(packed, job.known, job.most_known))
            factory = target_of(plan).factory
            code = code_digest(factory) if plan.cases else ""  # only replays compare it
            with ExitStack() as stack:
                ask = jobs = None
                if plan.jobs > 1 and not (job.known or plan.cases):  # what ends processes is met in this one
                    pool = WorkerPool(plan.jobs, serve_cases(plan))
                    jobs = Jobs(stack.enter_context(pool))
                if plan.explains and not plan.cases:
                    spare = SpareProcess(as_carried_out(plan, carry_out))
                    ask = stack.enter_context(spare).ask
                report = carry_out(plan, self._show, ask=ask, jobs=jobs).to_dict()
            return Answer(report=report, source=source_digest(factory), code=code)
        except SamplerCheckError as error:
            return Answer(error=error)

    def _examine(self, job: ExamineJob) -> Plain:
        from samplercheck.certifying.examine import examine

        plan = self._prepare(job.plan, job.known, job.most_known)
        return examine(
            replace(plan, store=None), allow_dirty=job.allow_dirty, store=plan.store, progress=self._show
        )

    def _look(self, job: LookJob) -> None:
        """Run one case that has ended its process before."""
        from samplercheck.engine.plan import target_of
        from samplercheck.values.case import Case
        from samplercheck.worlds import open_world, settings_for

        plan = self._prepare(job.plan)
        settings = settings_for("simulated", {**plan.world_settings, "careful": True})
        with open_world("simulated", **settings) as world:
            world.trace(target_of(plan).bind(), Case.parse(job.case), tuple(job.experiments))

    def _prepare(
        self, packed: PackedPlan, known: tuple[Plain, ...] = (), most_known: int | None = None
    ) -> Plan:
        """Import the target of a plan; return the plan with the settings of worlds in this process."""
        self._box.enter_stage(IMPORTING)
        load_libraries()
        plan = unpack_plan(packed).resolve()
        settings = {**_deadlines(), **plan.world_settings}
        gc.freeze()  # what is imported stays, and need not be looked through for garbage again and again
        self._box.enter_stage(RUNNING)
        faults = _faults_of(known, most_known)
        settings.update(black_box=self._box, give_up=self._give_up, known=faults)
        return replace(plan, world_settings=settings)


def _faults_of(known: tuple[Plain, ...], most: int | None) -> KnownFaults | None:
    """Return the cases that may not be run again, None where there are none."""
    from samplercheck.values.case import Case
    from samplercheck.values.record import Fault
    from samplercheck.worlds.simulated import KnownFaults

    if not known and most is None:
        return None
    answers: dict[Case, Fault | str] = {}
    for lesson in known:
        fault, case = lesson["fault"], Case.parse(lesson["case"])
        if fault is None:
            answers[case] = lesson["unknown"]
        else:
            answers[case] = Fault(**{**fault, "traceback": tuple(fault["traceback"])})
    return KnownFaults(answers, most)


def _deadlines() -> Plain:
    """Read the processor seconds allowed between two signs of progress, where the user has set them."""
    text = os.environ.get(DEADLINE)
    if not text:
        return {}
    from samplercheck.worlds.in_rank.deadlines import Deadlines

    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{DEADLINE}={text!r} is no time: write seconds, as in 2.5.")
    return {"deadlines": Deadlines(seconds)}
