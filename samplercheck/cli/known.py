"""Known failures of configured targets: each case is run alone, before the search.

While it fails its law is left out of the run, with the reason; once it passes the entry is stale, and
the run says so. Imports cases; the store when an entry names a stored case.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from samplercheck.case import Case
from samplercheck.cli.complaints import complain
from samplercheck.errors import UsageError
from samplercheck.report import VACUOUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.cli.asking import PlannedRun
    from samplercheck.config import KnownEntry
    from samplercheck.engine.plan import Plan

    Judge = Callable[[Plan], dict[str, Any]]

__all__ = ["settle_known"]

_ID = re.compile(r"[a-z2-7]{8}")
EXIT_STALE = 1
EXIT_UNKNOWN = 3


def settle_known(run: PlannedRun, judge: Judge, today: date | None = None) -> tuple[Plan, int]:
    """Return the plan without the laws whose known failures still fail, and the exit code of the others."""
    codes = [0]
    reasons: dict[str, list[str]] = {}
    standing: dict[str, bool] = {}
    for entry in run.known:
        _check_date(entry, today or date.today())  # noqa: DTZ011  (the user's own calendar)
        code = _judge_entry(entry, run.plan, judge)
        codes.append(code)
        standing[entry.law] = standing.get(entry.law, True) and code == 0
        reasons.setdefault(entry.law, []).append(f"known failure {entry.case}: {entry.reason}")
    skips = {law: "; ".join(said) for law, said in reasons.items() if standing[law]}
    return replace(run.plan, skip={**run.plan.skip, **skips}), max(codes, key=(0, 3, 1).index)


def _judge_entry(entry: KnownEntry, plan: Plan, judge: Judge) -> int:
    """Run the case of an entry alone; return the exit code, 0 where it still fails."""
    case = _case_of(entry, plan)
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


def _case_of(entry: KnownEntry, plan: Plan) -> Case:
    """Return the case of an entry, by its token or by the id of a stored one."""
    if not _ID.fullmatch(entry.case.strip()):
        return Case.parse(entry.case)
    from samplercheck.store import Store

    store = plan.store or Store()
    case = store.find(entry.case.strip())
    if case is None:
        raise UsageError(
            f"Known failure {entry.case} of {entry.law}: no case with this id is stored in "
            f"{store.directory}. Commit {store.known / entry.case}.json, or write the token of the case."
        )
    return case


def _check_date(entry: KnownEntry, today: date) -> None:
    try:
        until = date.fromisoformat(entry.until) if isinstance(entry.until, str) else entry.until
    except ValueError:
        raise UsageError(f"Known failure of {entry.law}: until = {entry.until!r} is no date.") from None
    if until is not None and today > until:
        raise UsageError(
            f"Known failure {entry.case} of {entry.law} is past its date, {until}: fix the target and "
            "remove the entry, or give it another date."
        )
