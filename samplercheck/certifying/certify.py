"""``certify`` and ``verify``: the public ways to a certificate, and to whether one can be believed.

The public ``sc.certify`` and ``sc.verify``. What runs a sampler, and with it torch, is imported on first
use: to verify takes neither, but for a rerun.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from samplercheck import __version__
from samplercheck.certifying.certificate import Certificate, reasons_against
from samplercheck.certifying.checks import Check, Verification, check_certificate
from samplercheck.certifying.expected import Expectation
from samplercheck.certifying.statement import Plain, scope_statement
from samplercheck.engine.plan import Plan
from samplercheck.search.profiles import Progress
from samplercheck.targets.imports import project_root
from samplercheck.targets.locate import relocate
from samplercheck.targets.target import Target
from samplercheck.values.choices import SAFE_REFERENCES
from samplercheck.values.contract import Contract
from samplercheck.values.errors import UsageError
from samplercheck.worlds import GROUPS

__all__ = ["certify", "now", "verify"]

PROFILE = "certify"
OF_THE_MOMENT = frozenset(
    {"made", "tree", "environment", "versions", "not_tried", "notes", "digest", "result_digest", "target"}
)
"""What another run of the same may say otherwise; the versions are compared before."""


def certify(
    target: Target | Callable[..., Any] | str,
    contract: Contract | None = None,
    *,
    axes: Mapping[str, Any] | None = None,
    seed: int = 0,
    allow_dirty: bool = False,
    progress: Callable[[Progress], None] | None = None,
    strict: bool = False,
) -> Certificate:
    """Judge a target by the profile certify, from scratch, and return its certificate.

    Every law must hold or not apply, nothing may be skipped, undecided or known to fail, and every fault
    that is planted into the target must be seen; ``NotCertified`` says what was in the way. The target
    must be found by name, its source must be in files, and those in a commit, unless ``allow_dirty``.
    What is of the grade "strict" is listed in it as advice; with ``strict`` it is in the way. All of it
    runs in this process and takes minutes.
    """
    from samplercheck.certifying.examine import examine
    from samplercheck.storage.store import Store

    plan = Plan(target=target, contract=contract, axes=axes, profile=PROFILE, seed=seed, strict=strict)
    store = Store.nearest(Path.cwd())
    return Certificate.of(examine(plan, allow_dirty=allow_dirty, store=store, progress=progress), now())


def verify(
    certificate: Certificate | str | Path,
    rerun: bool = False,  # noqa: FBT001, FBT002  (the public signature)
    *,
    root: str | Path | None = None,
    max_age: timedelta | None = None,
    any_versions: bool = False,
    target: str | None = None,
    contract: Contract | None = None,
    examine: Callable[[Plan], Plain] | None = None,
) -> Verification:
    """Hold a certificate, or the one at a path, against the tree, the versions and the calendar.

    ``target`` and ``contract`` are those that you expect it to be about. ``root`` is the project's folder,
    that of the working directory unless told. With ``rerun`` the target, which you have to name, is judged
    again, if nothing else speaks against the certificate, and must give the same results; ``examine``
    carries that out, in this process unless told.
    """
    given = certificate if isinstance(certificate, Certificate) else Certificate.read(certificate)
    home = Path(root) if root is not None else project_root(Path.cwd())
    expected = Expectation.of(target, contract)
    found = check_certificate(
        given,
        home,
        now(),
        _version_here,
        max_age=max_age,
        any_versions=any_versions,
        expected=expected,
    )
    if not (rerun and found.ok):
        return found
    scope = json.loads(given.scope)
    if why_not := reason_not_to_rerun(scope, expected):
        raise UsageError(
            f"The certificate does not decide what is imported: {why_not}. Name what you mean: --target, and "
            "--contract where it is not the default."
        )
    examined = (examine or _examine_here)(_plan_of(scope["predicate"], home))
    return Verification((*found.checks, compare_rerun(scope, examined, reasons_against(examined))))


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
    groups = [phase["judged"] for phase in said["phases"] if phase["phase"] in GROUPS]
    laws = [
        {
            **{name: value for name, value in law.items() if name != "reason"},
            "judged": law["judged"] - sum(judged.get(law["code"], 0) for judged in groups),
        }
        for law in said["laws"]
    ]
    phases = [phase for phase in said["phases"] if phase["phase"] not in GROUPS]
    subject = sorted((one["name"], one["digest"]["sha256"]) for one in scope["subject"])
    return {**said, "laws": laws, "phases": phases, "source": subject}


def now() -> datetime:
    """Return the moment, to the second."""
    return datetime.now(timezone.utc).replace(microsecond=0)


def _plan_of(said: Plain, home: Path) -> Plan:
    """Return the run that a scope describes; a file is named as seen from the project's root."""
    return Plan(
        target=relocate(said["place"], home),
        contract=said["changes"],
        axes=said["axes"],
        changes=True,
        profile=said["profile"].partition("@")[0],
        seed=said["seed"],
        strict=said.get("strict", False),
    )


def _examine_here(plan: Plan) -> Plain:
    from samplercheck.certifying.examine import examine

    return examine(plan, allow_dirty=True)


def _version_here(name: str) -> str:
    """Return the version of what is installed here, without importing it; empty where it is not."""
    if name in ("python", "samplercheck"):
        return platform.python_version() if name == "python" else __version__
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
