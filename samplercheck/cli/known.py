"""Known failures of configured targets: each case is run alone, before the search.

While it fails its law is left out of the run, with the reason; once it passes the entry is stale, and
the run says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

from samplercheck.cli.asking import PlannedRun
from samplercheck.cli.streams import complain
from samplercheck.engine.plan import Plan
from samplercheck.running.config.known import KnownFailure, standing_of
from samplercheck.values import exits
from samplercheck.values.errors import UsageError

Judge = Callable[[Plan], dict[str, Any]]

CODES = {"fails": exits.HOLDS, "undecided": exits.UNDECIDED, "stale": exits.BROKEN}
"""Exit codes, the worst last."""


def settle_known(run: PlannedRun, judge: Judge, today: date | None = None) -> tuple[Plan, int]:
    """Return the plan without the laws whose known failures still fail, and the exit code of the others."""
    day = today or date.today()  # noqa: DTZ011  (the user's calendar)
    codes = [0]
    skips: dict[str, str] = {}
    for law, entries in run.known.items():
        found = [_judge_entry(law, entry, run.plan, judge, day) for entry in entries]
        codes += found
        if not any(found):
            skips[law] = "; ".join(entry.text for entry in entries)
    return replace(run.plan, skip={**run.plan.skip, **skips}), max(codes, key=[*CODES.values()].index)


def _judge_entry(law: str, entry: KnownFailure, plan: Plan, judge: Judge, today: date) -> int:
    """Run the case of an entry alone; return the exit code, 0 where it still fails."""
    from samplercheck.storage.store import Store

    try:
        entry.check_date(today)
        alone = entry.plan_alone(plan, law, plan.store or Store())
    except UsageError as error:
        raise type(error)(f"{law}: {error}") from None
    result = judge(alone)["results"][0]
    standing = standing_of(result["outcome"], result["reason"])
    name = f"{result['code']} {result['name']} of {plan.name}"
    if standing == "undecided":
        complain(f"{name} is unknown in the known failure {entry.case}: {result['reason']}.")
    elif standing == "stale":
        what = "holds" if result["outcome"] == "holds" else result["reason"]
        complain(f"STALE: {name} {what} in the known failure {entry.case}: remove it ({entry.reason}).")
    return CODES[standing]
