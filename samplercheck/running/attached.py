"""Attached runs: every rank of a job calls the same, the first one searches, and all come to the same report.

Called by ``run`` and the command line where the world is "attached". There is no supervised child: the
process that is a rank of the job is the one that runs the target. Imports the engine, and with it torch.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from samplercheck.engine.plan import Plan
from samplercheck.values.errors import SamplerCheckError, UsageError
from samplercheck.worlds import ATTACHED, OTHER_NAMES

if TYPE_CHECKING:
    from samplercheck.search.profiles import Show
    from samplercheck.values.report import Report


def is_attached(plan: Plan) -> bool:
    """Whether a plan takes place in the ranks of a job."""
    names = (plan.worlds,) if isinstance(plan.worlds, str) else tuple(plan.worlds or ())
    return ATTACHED in [OTHER_NAMES.get(name, name) for name in names]


def check_gather(plan: Plan) -> None:
    """Refuse what ranks that meet by files cannot do."""
    if not plan.world_settings.get("gather"):
        return
    if not is_attached(plan):
        raise UsageError("--gather is for the ranks of a job: write --world attached as well.")
    if plan.infers:
        raise UsageError("--gather sends no contract that is inferred: state it, or leave --infer out.")


@contextmanager
def attached_process(gather: str) -> Iterator[bool]:
    """Be a rank of a job to the end of this process; say whether it is the first one, which alone reports.

    A launcher that ends the job, because one rank has ended, is left waiting until all has been said; before
    the ranks have met there is nothing to say, and no handler of Python's would be called while they meet.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    from samplercheck.worlds.job.session import LeadingSession, join_job

    session = join_job(gather)
    if is_main:
        signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        yield isinstance(session, LeadingSession)
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # also while the interpreter ends
        session.close()


def run_attached(plan: Plan, progress: Show | None = None) -> Report:
    """Carry a plan out in the ranks of the job, all of which call this; return its report in each of them."""
    from samplercheck.engine import carry_out
    from samplercheck.engine.plan import target_of
    from samplercheck.running.inferring import with_inferred_contract
    from samplercheck.running.jobs import error_from, law_of, public_name
    from samplercheck.values.report import Report
    from samplercheck.worlds.job.letters import Finish
    from samplercheck.worlds.job.session import FollowingSession, join_job

    session = join_job(plan.world_settings.get("gather", ""))
    if isinstance(session, FollowingSession):
        finish = session.follow(lambda: target_of(plan).bind())
        if finish.error[0]:
            raise error_from(*finish.error)
        return Report.from_dict(finish.report, law_of)
    try:
        report = carry_out(with_inferred_contract(plan), progress)
    except BaseException as error:
        known = error if isinstance(error, SamplerCheckError) else SamplerCheckError(repr(error))
        session.hub.end(Finish(error=(public_name(known), str(error))))
        raise
    session.hub.end(Finish(report=report.to_dict()))
    return report
