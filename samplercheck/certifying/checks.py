"""Checks: whether a certificate agrees with itself, with the source, with this kit and with the calendar.

Called by ``verify``, which must not wait for torch: nothing here runs a sampler. The moment and the
versions are handed in. Imports msgspec and the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec

from samplercheck.certifying.certificate import Certificate
from samplercheck.certifying.form import ResultStatement, ScopeStatement
from samplercheck.certifying.source import digest_of
from samplercheck.certifying.statement import as_text, digest_of_scope, result_digest, result_statement
from samplercheck.search.profiles import PROFILES
from samplercheck.targets.imports import package_folders

Plain = dict[str, Any]

KNOWN = (PROFILES["certify"].label,)
AHEAD = timedelta(minutes=10)
NOT_COMPARED = ("platform",)
"""Versions that are shown and not compared."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: whether it is as it should be, and what was seen."""

    name: str
    ok: bool
    says: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of a certificate."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the certificate."""
        return all(check.ok for check in self.checks)

    @property
    def refused(self) -> tuple[Check, ...]:
        """What speaks against it."""
        return tuple(check for check in self.checks if not check.ok)


def check_certificate(
    certificate: Certificate,
    root: Path,
    now: datetime,
    version_of: Callable[[str], str],
    *,
    max_age: timedelta | None = None,
    any_versions: bool = False,
    profiles: tuple[str, ...] = KNOWN,
) -> Verification:
    """Return the verification of a certificate; ``version_of`` knows what is installed here."""
    forms = tuple(_forms(certificate))
    if not all(check.ok for check in forms):
        return Verification(forms)  # nothing else in it can be read
    scope = json.loads(certificate.scope)
    predicate = scope["predicate"]
    found = (
        *forms,
        _whole(scope, certificate),
        *_sources(scope["subject"], root),
        _profile(predicate["profile"], profiles),
        _versions(predicate["versions"], version_of, any_versions=any_versions),
        _age(predicate["made"], now, max_age),
        _sensitivity(predicate),
        _tree(predicate["tree"]),
    )
    return Verification(found)


def reason_not_to_import(scope: Plain, root: Path) -> str:
    """Return why what a scope statement names may not be imported: its file is none that was digested."""
    module = scope["predicate"]["place"].rpartition(":")[0]
    names = [file["name"] for file in scope["subject"]]
    if module.endswith(".py"):
        file = (root / module).resolve()
        known = any((root / name).resolve() == file for name in names)
    else:
        ends = [f"{module.replace('.', '/')}{end}" for end in (".py", "/__init__.py")]
        known = any(f"/{name}".endswith(f"/{end}") for name in names for end in ends)
    return "" if known else f"{module} is none of the files that it is about"


def compare_rerun(predicate: Plain, examined: Plain, reasons: list[tuple[str, str]]) -> Check:
    """Return whether a rerun found the same: every law holds, and the deterministic part is as it was."""
    if reasons:
        return Check("rerun", ok=False, says="; ".join(text for _, text in reasons))
    ok = result_digest(examined) == predicate["result_digest"]
    says = "the same results" if ok else "every law holds, but not with the same counts"
    return Check("rerun", ok=ok, says=says)


def _forms(certificate: Certificate) -> Iterator[Check]:
    for name, content, form in (
        ("test statement", certificate.test, ResultStatement),
        ("scope statement", certificate.scope, ScopeStatement),
    ):
        yield _form(name, content, form)


def _form(name: str, content: bytes, form: Any) -> Check:
    """Whether a file is of its schema, and written as the kit writes it: no byte may be another."""
    try:
        plain = json.loads(content)
        msgspec.convert(plain, form)
        exact = as_text(plain).encode() == content
    except (ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        return Check(name, ok=False, says=f"not of its schema: {error}")
    return Check(name, ok=exact, says="of its schema" if exact else "not written as the kit writes it")


def _whole(scope: Plain, certificate: Certificate) -> Check:
    """Whether the digest is that of the scope, and the test statement the one that follows from it."""
    if scope["predicate"]["digest"] != digest_of_scope(scope):
        return Check("digest", ok=False, says="the scope statement was changed after it was made")
    if certificate.test != as_text(result_statement(scope)).encode():
        return Check("digest", ok=False, says="the test statement is not that of this scope statement")
    return Check("digest", ok=True, says=f"both statements as made, {scope['predicate']['digest'][:12]}")


def _sources(subjects: list[Plain], root: Path) -> Iterator[Check]:
    changed = [problem for subject in subjects if (problem := _problem(subject, root))]
    yield from (Check("source", ok=False, says=problem) for problem in changed)
    if not changed:
        yield Check("source", ok=True, says=f"{len(subjects)} files are those that were certified")


def _problem(subject: Plain, root: Path) -> str:
    """Return what is wrong with one source file; empty where it is as it was."""
    name = subject["name"]
    homes = package_folders() if subject["annotations"].get("home") == "installed" else (root,)
    paths = [path for home in homes if (path := (home / name).resolve()).is_relative_to(home.resolve())]
    if not paths:
        return f"{name} leads out of {root}"
    there = next((path for path in paths if path.is_file()), None)
    if there is None:
        return f"{name} is not in {homes[0]}"
    return "" if digest_of(there) == subject["digest"]["sha256"] else f"{name} has changed"


def _profile(profile: str, known: tuple[str, ...]) -> Check:
    ok = profile in known
    return Check("profile", ok=ok, says=profile if ok else f"{profile} is none of {', '.join(known)}")


def _versions(then: Mapping[str, str], version_of: Callable[[str], str], *, any_versions: bool) -> Check:
    """Whether what was tested runs here on the same versions; of Python's, the last number may differ."""
    compared = [name for name in sorted(then) if name not in NOT_COMPARED]
    here = {name: version_of(name) for name in compared}
    other = [name for name in compared if _comparable(name, then[name]) != _comparable(name, here[name])]
    if not other:
        return Check("versions", ok=True, says=", ".join(f"{name} {then[name]}" for name in compared))
    differences = ", ".join(f"{name} {then[name]}, here {here[name] or 'none'}" for name in other)
    return Check("versions", ok=any_versions, says=f"certified with {differences}")


def _comparable(name: str, version: str) -> str:
    return version.rpartition(".")[0] if name == "python" else version


def _age(made: str, now: datetime, most: timedelta | None) -> Check:
    try:
        moment = datetime.strptime(made, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return Check("age", ok=False, says=f"{made} is no moment")
    age = now - moment
    if age < -AHEAD:
        return Check("age", ok=False, says=f"made {made}, which is still to come")
    ok = most is None or age <= most
    return Check("age", ok=ok, says=f"made {made}, {max(age.days, 0)} days ago" + ("" if ok else ": too old"))


def _sensitivity(predicate: Plain) -> Check:
    """Whether every planted fault was seen by the law that it was aimed at."""
    faults = predicate["sensitivity"]["faults"]
    seen = [fault for fault in faults if fault["law"] in fault["seen_by"]]
    counts = (predicate["sensitivity"]["planted"], predicate["sensitivity"]["caught"])
    ok = bool(faults) and len(seen) == len(faults) and counts == (len(faults), len(faults))
    return Check("sensitivity", ok=ok, says=f"{len(seen)} of {len(faults)} planted faults were seen")


def _tree(tree: Plain) -> Check:
    """Tell the commit; a dirty tree was allowed by who certified, and is no secret."""
    if not tree["commit"]:
        return Check("tree", ok=True, says="made outside of version control, or of an installed package")
    changed = f", with changes in {', '.join(tree['changed'])}" if tree["changed"] else ""
    return Check("tree", ok=True, says=f"commit {tree['commit'][:12]}{changed}")
