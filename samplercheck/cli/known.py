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
from samplercheck.finding import VACUOUS

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.cli.asking import Asked
    from samplercheck.config import KnownEntry
    from samplercheck.supervision.request import RunRequest

    Judge = Callable[[RunRequest], dict[str, Any]]

__all__ = ["settled"]

_ID = re.compile(r"[a-z2-7]{8}")
EXIT_STALE = 1
EXIT_UNKNOWN = 3


def settled(one: Asked, judge: Judge, today: date | None = None) -> tuple[RunRequest, int]:
    """Return the run without the laws whose known failures still fail, and the exit code of the others."""
    codes = [0]
    reasons: dict[str, list[str]] = {}
    standing: dict[str, bool] = {}
    for entry in one.known:
        _check_date(entry, today or date.today())  # noqa: DTZ011  (the user's own calendar)
        code = _judged(entry, one.request, judge)
        codes.append(code)
        standing[entry.law] = standing.get(entry.law, True) and code == 0
        reasons.setdefault(entry.law, []).append(f"known failure {entry.case}: {entry.reason}")
    skips = {law: "; ".join(said) for law, said in reasons.items() if standing[law]}
    return replace(one.request, skip={**one.request.skip, **skips}), max(codes, key=(0, 3, 1).index)


def _judged(entry: KnownEntry, request: RunRequest, judge: Judge) -> int:
    case = _case_of(entry, request)
    alone = replace(request, cases=(case.token,), select=(entry.law,), skip={}, directory=None)
    result = judge(alone)["results"][0]
    if result["outcome"] == "broken":
        return 0
    name = f"{result['code']} {result['name']} of {request.target}"
    if result["outcome"] == "unknown" and result["reason"] != VACUOUS:
        complain(f"{name} is unknown in the known failure {entry.case}: {result['reason']}.")
        return EXIT_UNKNOWN
    what = "holds" if result["outcome"] == "holds" else result["reason"]
    complain(f"STALE: {name} {what} in the known failure {entry.case}: remove it ({entry.reason}).")
    return EXIT_STALE


def _case_of(entry: KnownEntry, request: RunRequest) -> Case:
    """Return the case of an entry, by its token or by the id of a stored one."""
    if not _ID.fullmatch(entry.case.strip()):
        return Case.parse(entry.case)
    from samplercheck.store import Store

    store = Store(request.directory or ".samplercheck")
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
            f"Known failure {entry.case} of {entry.law} is past its date, {until}: mend the target and "
            "remove the entry, or give it another date."
        )
