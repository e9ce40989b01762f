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
from samplercheck.certifying.expected import (
    Expectation,
    differences_of_faults,
    differences_of_laws,
    differences_of_phases,
)
from samplercheck.certifying.form import ResultStatement, ScopeStatement
from samplercheck.certifying.shapes import differences_of_results
from samplercheck.certifying.source import digest_of, files_beside, shadows_beside
from samplercheck.certifying.statement import (
    INSTALLED,
    PROJECT,
    Plain,
    as_text,
    digest_of_scope,
    result_statement,
)
from samplercheck.search.profiles import PROFILES
from samplercheck.targets.imports import package_folders
from samplercheck.values.errors import InputError

KNOWN = (PROFILES["certify"].label,)
AHEAD = timedelta(minutes=10)
MOST_SUBJECTS = 5_000
MOST_NAMED = 10
ANYTHING = Expectation()
NOT_BESIDE = "no other file runs before the target"
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
    expected: Expectation = ANYTHING,
    profiles: tuple[str, ...] = KNOWN,
) -> Verification:
    """Verify a certificate about what is ``expected``; ``version_of`` knows what is installed here."""
    forms = (
        _form("test statement", certificate.test, ResultStatement),
        _form("scope statement", certificate.scope, ScopeStatement),
    )
    if not all(check.ok for check in forms):
        return Verification(forms)  # nothing else in it can be read
    scope = json.loads(certificate.scope)
    predicate = scope["predicate"]
    found = (
        *forms,
        _whole(scope, certificate),
        Check("target", *expected.judge_target(scope, root)),
        Check("contract", *expected.judge_contract(predicate)),
        *_sources(scope["subject"], root),
        _beside(scope["subject"], root),
        _profile(predicate["profile"], profiles),
        _scope(predicate),
        _laws(predicate["laws"], any_versions=any_versions),
        _versions(predicate["versions"], version_of, any_versions=any_versions),
        _age(predicate["made"], now, max_age),
        _sensitivity(predicate, any_versions=any_versions),
        _tree(predicate["tree"]),
    )
    return Verification(found)


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


def _scope(predicate: Plain) -> Check:
    """Tell what was tried; whether these are the phases of its profile, and all of it says the same."""
    phases, laws = predicate["phases"], predicate["laws"]
    of_phases = differences_of_phases(phases, laws, predicate["profile"])
    other = "; ".join([*of_phases, *differences_of_results(predicate)])
    counts = ", ".join(f"{phase['cases']:,} {phase['phase']}" for phase in phases)
    first = next((phase["scope"] for phase in phases if phase["phase"] == "small scope"), "")
    axes = "".join(f"; {name}={values}" for name, values in predicate["axes"].items())
    strict = "strict; " if predicate.get("strict") else ""
    says = f"{strict}seed {predicate['seed']}{axes}; cases: {counts}; the small scope: {first}"
    return Check("scope", ok=not other, says=f"{says}: {other}" if other else says)


def _laws(laws: list[Plain], *, any_versions: bool) -> Check:
    """Whether it is about all laws of the kit, and they judge here as they have judged there."""
    other = "; ".join(differences_of_laws(laws))
    held = sum(law["outcome"] == "holds" for law in laws)
    says = f"{held} hold, {len(laws) - held} do not apply"
    return Check("laws", ok=not other or any_versions, says=f"{says}: {other}" if other else says)


def _beside(subjects: list[Plain], root: Path) -> Check:
    """Whether files that run before the target, unasked, are among those certified; tell those of pytest."""
    hooks, of_tests = files_beside(root)
    names = {subject["name"] for subject in subjects}
    own = [root / name for name in names if "\0" not in name and not name.startswith(("/", ".."))]
    hooks += [path.relative_to(root).as_posix() for path in shadows_beside(own, root)]
    new = [name for name in hooks if name not in names]
    if new:
        return Check("beside", ok=False, says=f"{_few(new)} may run before the target and is not certified")
    says = f"{_few(of_tests)} may change what pytest sees, and is not certified" if of_tests else NOT_BESIDE
    return Check("beside", ok=True, says=says)


def _few(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (" ..." if len(names) > MOST_NAMED else "")


def _sources(subjects: list[Plain], root: Path) -> Iterator[Check]:
    if len(subjects) > MOST_SUBJECTS:
        says = f"{len(subjects):,} files, and a certificate is about {MOST_SUBJECTS:,} at most"
        yield Check("source", ok=False, says=says)
        return
    changed = [problem for subject in subjects if (problem := _problem(subject, root))]
    yield from (Check("source", ok=False, says=problem) for problem in changed[:MOST_NAMED])
    if len(changed) > MOST_NAMED:
        yield Check("source", ok=False, says=f"and {len(changed) - MOST_NAMED:,} more")
    if not changed:
        yield Check("source", ok=True, says=f"{len(subjects)} files are those that were certified")


def _problem(subject: Plain, root: Path) -> str:
    """Return what is wrong with one source file; empty where it is as it was."""
    name = subject["name"]
    if "\0" in name:
        return f"{name} is no name"
    home = subject["annotations"].get("home")
    if home not in (INSTALLED, PROJECT):
        return f"{name} is of no home"
    homes = package_folders() if home == INSTALLED else (root,)
    paths = [path for home in homes if (path := (home / name).resolve()).is_relative_to(home.resolve())]
    if not paths:
        return f"{name} leads out of {root}"
    there = next((path for path in paths if path.is_file()), None)
    if there is None:
        return f"{name} is not in {homes[0]}"
    try:
        return "" if digest_of(there) == subject["digest"]["sha256"] else f"{name} has changed"
    except InputError as error:
        return str(error)


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


def _sensitivity(predicate: Plain, *, any_versions: bool) -> Check:
    """Whether the planted faults are those of the kit, and each was seen by the law that it was aimed at."""
    other = "; ".join(differences_of_faults(predicate["sensitivity"], predicate["laws"]))
    faults = predicate["sensitivity"]["faults"]
    seen = [fault for fault in faults if fault["law"] in fault["seen_by"]]
    counts = (predicate["sensitivity"]["planted"], predicate["sensitivity"]["caught"])
    ok = bool(faults) and len(seen) == len(faults) and counts == (len(faults), len(faults))
    ok = ok and (not other or any_versions)
    says = f"{len(seen)} of {len(faults)} planted faults were seen"
    return Check("sensitivity", ok=ok, says=f"{says}: {other}" if other else says)


def _tree(tree: Plain) -> Check:
    """Tell the commit; a dirty tree was allowed by who certified, and is no secret."""
    if not tree["commit"]:
        return Check("tree", ok=True, says="made outside of version control, or of an installed package")
    changed = f", with changes in {', '.join(tree['changed'])}" if tree["changed"] else ""
    return Check("tree", ok=True, says=f"commit {tree['commit'][:12]}{changed}")
