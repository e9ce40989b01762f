"""Known failures, and what becomes of stored ones: which break a run, which are stale, which are removed.

A failure is known when its very case lies among the known ones, so that a law which begins to fail in
a smaller case is new again. Known cases that the run did not meet are replayed: what is fixed is stale.
What is fixed is removed from its file only when asked for: that a case has passed once is no reason to
forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from samplercheck.engine.plan import Plan
from samplercheck.running.replaying._subjects import ReplayCase
from samplercheck.running.replaying._verdicts import ADVICE, ERROR, FAILED, FIXED, HOLDS, ReplayVerdict
from samplercheck.storage.atomic import write_whole
from samplercheck.storage.case_file import Breach, StoredCase, read_case
from samplercheck.storage.store import Store, remove_scripts
from samplercheck.values.errors import UsageError

GONE = (FIXED, HOLDS)
"""The words for what does not fail any more."""


def compare_with_known(
    report: dict[str, Any],
    plan: Plan,
    replay_all: Callable[[Sequence[ReplayCase], str | None], list[ReplayVerdict]],
) -> dict[str, Any]:
    """Return a report with the standing of the known failures of its target, "baseline".

    ``known`` are the failures of the run that are not new, ``stale`` the entries that are to be
    removed, ``undecided`` those of which nothing is certain. Known cases that the run did not
    try are replayed.
    """
    store = plan.store or Store()
    judged = {one["code"] for one in report["results"] if not one["skipped"]}
    met = {
        (one["code"], one["failure"]["id"])
        for one in report["results"]
        if one["outcome"] == "broken" and one["failure"]
    }
    entries = [
        ReplayCase(case=case, law=breach.law, breach=breach, path=path, is_known=True)
        for path, case, breach in store.list_known(report["target"])
        if breach.law in judged
    ]
    if not entries and not store.known.is_dir():
        raise UsageError(f"--baseline needs {store.known}, which does not exist: move known failures there.")
    known = [one for one in entries if (one.law, one.case.id) in met]
    verdicts = replay_all([one for one in entries if one not in known], plan.name)
    standing = {
        "known": [[one.law, one.case.id] for one in known],
        "stale": [_line(one, "holds in this case now") for one in verdicts if one.word in GONE],
        "undecided": [_line(one, one.why) for one in verdicts if one.word not in (*GONE, FAILED, ADVICE)],
    }
    return {**report, "baseline": standing}


def _line(verdict: ReplayVerdict, what: str) -> str:
    subject = verdict.subject
    assert isinstance(subject, ReplayCase)
    word = "undecided: " if verdict.word == ERROR else "" if verdict.word in GONE else "flaky: "
    return f"{subject.law} in the known failure {subject.case.id} {word}{what}: {subject.path}"


def prune_fixed(verdicts: Sequence[ReplayVerdict]) -> Iterator[str]:
    """Take what is fixed out of its files; yield a line for each that changes."""
    fixed: dict[Path, set[tuple[str, str]]] = {}
    for verdict in verdicts:
        subject = verdict.subject
        if isinstance(subject, ReplayCase) and subject.path and subject.breach and verdict.word == FIXED:
            for path in (subject.path, *subject.copies):
                fixed.setdefault(path, set()).add(_failure(subject.breach))
    for path, gone in fixed.items():
        stored = read_case(path)
        left = tuple(one for one in stored.broken if _failure(one) not in gone)
        for target in {one.target for one in stored.broken} - {one.target for one in left}:
            remove_scripts(path.parent, stored.case.id, target)
        if left:
            write_whole(path, StoredCase(stored.case, left).encode())
            yield f"took {len(gone)} of {len(stored.broken)} failures out of {path}"
            continue
        path.unlink()
        yield f"removed {path}"


def _failure(one: Breach) -> tuple[str, str]:
    """Return what tells a failure from the others of its file."""
    return one.target, one.law
