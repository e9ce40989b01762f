"""The baseline: known failures that are committed, beside which only new ones break a run.

A failure is known when its very case lies among the known ones, so that a law which begins to fail in
a smaller case is new again. Known cases that the run did not meet are replayed: what is fixed is stale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.errors import UsageError
from samplercheck.replaying._subjects import Subject
from samplercheck.replaying._verdicts import ERROR, FAILED, FIXED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from samplercheck.replaying._verdicts import Verdict
    from samplercheck.store import Store

__all__ = ["with_baseline"]


def with_baseline(
    report: dict[str, Any],
    store: Store,
    target: str,
    replay_all: Callable[[Sequence[Subject], str | None], list[Verdict]],
) -> dict[str, Any]:
    """Return a report with the standing of the known failures of its target, "baseline".

    ``known`` are the failures of the run that are no news, ``stale`` the entries that are to be
    removed, ``undecided`` those of which nothing is certain; ``target`` is replayed where it takes one.
    """
    judged = {one["code"] for one in report["results"] if not one["skipped"]}
    met = {
        (one["code"], one["failure"]["id"])
        for one in report["results"]
        if one["outcome"] == "broken" and one["failure"]
    }
    entries = [
        Subject(case=case, law=breach.law, breach=breach, path=path, is_known=True)
        for path, case, breach in store.list_known(report["target"])
        if breach.law in judged
    ]
    if not entries and not store.known.is_dir():
        raise UsageError(f"--baseline needs {store.known}, which does not exist: move known failures there.")
    known = [one for one in entries if (one.law, one.case.id) in met]
    verdicts = replay_all([one for one in entries if one not in known], target)
    standing = {
        "known": [[one.law, one.case.id] for one in known],
        "stale": [_line(one, "holds in this case now") for one in verdicts if one.word == FIXED],
        "undecided": [_line(one, one.why) for one in verdicts if one.word not in (FIXED, FAILED)],
    }
    return {**report, "baseline": standing}


def _line(verdict: Verdict, what: str) -> str:
    subject = verdict.subject
    assert isinstance(subject, Subject)
    word = "undecided: " if verdict.word == ERROR else "" if verdict.word == FIXED else "flaky: "
    return f"{subject.law} in the known failure {subject.case.id} {word}{what}: {subject.path}"
