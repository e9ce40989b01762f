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
from samplercheck.running.config.targets import KnownEntry
from samplercheck.values.errors import UsageError
from samplercheck.values.finding import VACUOUS

Judge = Callable[[Plan], dict[str, Any]]

EXIT_STALE = 1
EXIT_UNKNOWN = 3


def settle_known(run: PlannedRun, judge: Judge, today: date | None = None) -> tuple[Plan, int]:
    """Return the plan without the laws whose known failures still fail, and the exit code of the others."""
    codes = [0]
    reasons: dict[str, list[str]] = {}
    standing: dict[str, bool] = {}
    for entry in run.known:
        code = _judge_entry(entry, run.plan, judge, today or date.today())  # noqa: DTZ011  (the user's calendar)
        codes.append(code)
        standing[entry.law] = standing.get(entry.law, True) and code == 0
        reasons.setdefault(entry.law, []).append(f"known failure {entry.case}: {entry.reason}")
    skips = {law: "; ".join(said) for law, said in reasons.items() if standing[law]}
    return replace(run.plan, skip={**run.plan.skip, **skips}), max(codes, key=(0, 3, 1).index)


def _judge_entry(entry: KnownEntry, plan: Plan, judge: Judge, today: date) -> int:
    """Run the case of an entry alone; return the exit code, 0 where it still fails."""
    from samplercheck.pytesting.marking import known
    from samplercheck.storage.store import Store

    try:
        failure = known(entry.case, reason=entry.reason, until=entry.until)
        failure.check_date(today)
        case = failure.find_case(plan.store or Store())
    except UsageError as error:
        raise type(error)(f"{entry.law}: {error}") from None
    alone = replace(plan, cases=(case,), select=(entry.law,), skip={}, store=None)
    result = judge(alone)["results"][0]
    if result["outcome"] == "broken":
        return 0
    name = f"{result['code']} {result['name']} of {plan.name}"
    if result["outcome"] == "unknown" and result["reason"] != VACUOUS:
        complain(f"{name} is unknown in the known failure {entry.case}: {result['reason']}.")
        return EXIT_UNKNOWN
    what = "holds" if result["outcome"] == "holds" else result["reason"]
    complain(f"STALE: {name} {what} in the known failure {entry.case}: remove it ({entry.reason}).")
    return EXIT_STALE
