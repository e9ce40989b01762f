"""The supervised child: carries out one job, says what came of it, and ends.

Started by the parent through ``main``: plans are carried out, a target is examined, or a case looked at once.
Here, and not in the parent, torch and the target are imported. It ends by itself when the parent does.
"""

from __future__ import annotations

import gc
import json
import math
import os
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from samplercheck.engine.plan import Plan
from samplercheck.running.jobs import (
    Answer,
    DraftJob,
    ExamineJob,
    Job,
    LookJob,
    PackedPlan,
    Plain,
    SearchJob,
    public_name,
    unpack_plan,
)
from samplercheck.running.watch import EVENTS, FRAMES, JOB, KEPT, LIBRARIES, NOTES
from samplercheck.values.errors import SamplerCheckError, UsageError
from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.black_box import IMPORTING, RUNNING, BlackBox
from samplercheck.worlds.processes.bootstrap import import_object, write_frames_to
from samplercheck.worlds.processes.private import PrivateDirectory
from samplercheck.worlds.processes.spare import SpareProcess
from samplercheck.worlds.processes.workers import WorkerPool

if TYPE_CHECKING:
    from samplercheck.search.profiles import Progress, Show
    from samplercheck.values.report import Report
    from samplercheck.worlds.simulation.known_faults import KnownFaults

DEADLINE = "SAMPLERCHECK_DEADLINE"
EVERY = 0.05
GARBAGE = 10_000
"""So many objects more than were let go start a collection: cases make hundreds, few of them in cycles."""


def main(directory: str) -> None:
    """Carry out the job in ``directory``; never returns."""
    here = PrivateDirectory.home = Path(directory)
    box, events = BlackBox(here / NOTES), _Events(here / EVENTS)
    lifetime.end_with_lifeline(lifetime.take_lifeline())
    give_up = write_frames_to(here / FRAMES)
    try:
        job: Job = msgspec.convert(json.loads((here / JOB).read_text()), Job)
        said = JobWorker(job, box, give_up, events.show, events.keep).carry_out()
        events.flush()
        events.say(**said)
    except SamplerCheckError as error:
        events.say(error=[public_name(error), str(error)])
    except KeyboardInterrupt:
        events.say(interrupted=True)
    except BaseException:  # noqa: BLE001  (the parent tells the user)
        events.say(fault=traceback.format_exc())
    os._exit(0)  # no thread, exit handler or broken module of a target runs after this


class _Events:
    """Says things to the parent, a line each; opened again for each, as a target may close everything."""

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
        if progress.about or time.monotonic() - self._shown >= EVERY:
            self.flush()

    def keep(self, said: Plain) -> None:
        """Put by what the parent is to hear if this process does not live to say it."""
        new = self._path.with_name(f"{KEPT}.new")
        new.write_text(json.dumps(said))
        new.replace(self._path.with_name(KEPT))

    def flush(self) -> None:
        """Report what has waited."""
        if self._waiting is not None:
            self.say(progress=list(astuple(self._waiting)))
            self._waiting = None
            self._shown = time.monotonic()


def load_libraries() -> None:
    """Import what every plan needs, torch too; a tenth of the time would go into looking for garbage."""
    gc.disable()
    with suppress(ImportError):  # what needs it says so
        for needed in LIBRARIES:
            import_object(needed)
    gc.freeze()
    gc.enable()


@dataclass(frozen=True)
class JobWorker:
    """Carries out a job. ``give_up`` is called where nothing else ends what the target does."""

    _job: Job
    _box: BlackBox
    _give_up: Callable[[str], None]
    _show: Show
    _keep: Callable[[Plain], None]

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

            plan = self._prepare(job.plans[0], job)
            return {"report": {"drafts": write_drafts(plan, job.remedies)}}
        return {"report": {"answers": [self._answer(job, plan).to_dict() for plan in job.plans]}}

    def _answer(self, job: SearchJob, packed: PackedPlan) -> Answer:
        """Carry out one plan; its error does not keep the others from being carried out."""
        from samplercheck.engine import Jobs, as_carried_out, carry_out, serve_cases
        from samplercheck.engine.plan import target_of
        from samplercheck.running.inferring import with_inferred_contract
        from samplercheck.targets.provenance import code_digest, source_digest

        try:
            plan = with_inferred_contract(self._prepare(packed, job))
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
                # Of several plans an interruption leaves none, and given cases are soon through.
                keep = self._put_by if len(job.plans) == 1 and not plan.cases else None
                report = carry_out(plan, self._show, ask=ask, jobs=jobs, keep=keep).to_dict()
            return Answer(report=report, source=source_digest(factory), code=code)
        except SamplerCheckError as error:
            return Answer(error=error)

    def _put_by(self, report: Report) -> None:
        self._keep({"answers": [Answer(report=report.to_dict()).to_dict()]})

    def _examine(self, job: ExamineJob) -> Plain:
        from samplercheck.certifying.examine import examine

        plan = self._prepare(job.plans[0], job)
        return examine(
            replace(plan, store=None), allow_dirty=job.allow_dirty, store=plan.store, progress=self._show
        )

    def _look(self, job: LookJob) -> None:
        from samplercheck.engine.plan import target_of
        from samplercheck.values.case import Case
        from samplercheck.worlds import open_simulation

        plan = self._prepare(job.plan)
        with open_simulation({**plan.world_settings, "careful": True}) as world:
            world.trace(target_of(plan).bind(), Case.parse(job.case), tuple(job.experiments))

    def _prepare(self, packed: PackedPlan, job: SearchJob | None = None) -> Plan:
        """Import the target of a plan; return the plan with the settings of worlds in this process."""
        self._box.enter_stage(IMPORTING)
        load_libraries()
        plan = unpack_plan(packed).resolve()
        settings = {**_deadlines(), **plan.world_settings}
        gc.freeze()  # what is imported stays, and need not be looked through for garbage again and again
        gc.set_threshold(GARBAGE)
        self._box.enter_stage(RUNNING)
        faults = None if job is None else _faults_of(job.known, job.most_known)
        settings.update(black_box=self._box, give_up=self._give_up, known=faults)
        settings["screens"] = job is None or job.screens
        return replace(plan, world_settings=settings)


def _faults_of(known: tuple[Plain, ...], most: int | None) -> KnownFaults | None:
    """Return the cases that may not be run again, None where there are none."""
    from samplercheck.values.case import Case
    from samplercheck.values.record import Fault
    from samplercheck.worlds.simulation.known_faults import KnownFaults

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
