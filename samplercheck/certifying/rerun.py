"""Rerun: whether a target that is judged again shows what its certificate says; and who has named it.

Called by ``verify``, with what the run has found. Runs nothing itself. Standard library alone.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from samplercheck.certifying.checks import Check
from samplercheck.certifying.expected import Expectation
from samplercheck.certifying.statement import IN_GROUPS, scope_statement

Plain = dict[str, Any]

SAFE_REFERENCES = (None, "torch")
OF_THE_MOMENT = frozenset(
    {"made", "tree", "environment", "versions", "not_tried", "notes", "digest", "result_digest"}
)
"""What another run of the same may say otherwise; the versions are compared before."""


def reason_not_to_rerun(scope: Plain, expected: Expectation) -> str:
    """Return what the caller has to name, as a certificate does not decide what is imported; else nothing."""
    predicate = scope["predicate"]
    if expected.target is None:
        return f"name its target yourself, with --target {predicate['place']}"
    reference = predicate["changes"].get("reference")
    if expected.contract is None and reference not in SAFE_REFERENCES:
        return f"name its contract yourself, with --contract reference={reference} and what else it has"
    return ""


def compare_rerun(scope: Plain, examined: Plain, reasons: list[tuple[str, str]]) -> Check:
    """Return whether a rerun found the same: every law holds, and all that is deterministic is as it was."""
    if reasons:
        return Check("rerun", ok=False, says="; ".join(text for _, text in reasons))
    then, again = _deterministic(scope), _deterministic(scope_statement(examined, datetime.now(timezone.utc)))
    other = sorted(name for name in then.keys() | again.keys() if then.get(name) != again.get(name))
    if other:
        return Check("rerun", ok=False, says=f"every law holds, but it is not the same in {', '.join(other)}")
    return Check("rerun", ok=True, says="the same results")


def _deterministic(scope: Plain) -> Plain:
    """Return what every run of the target with these versions finds again."""
    said = {name: value for name, value in scope["predicate"].items() if name not in OF_THE_MOMENT}
    groups = [phase["judged"] for phase in said["phases"] if phase["phase"] in IN_GROUPS]
    laws = [
        {
            **{name: value for name, value in law.items() if name != "reason"},
            "judged": law["judged"] - sum(judged.get(law["code"], 0) for judged in groups),
        }
        for law in said["laws"]
    ]
    phases = [phase for phase in said["phases"] if phase["phase"] not in IN_GROUPS]
    subject = sorted((one["name"], one["digest"]["sha256"]) for one in scope["subject"])
    return {**said, "laws": laws, "phases": phases, "source": subject}
