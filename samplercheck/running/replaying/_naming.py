"""Which target a case is replayed for, and who says so: never a case file alone.

A file may come from a stranger: what it names is imported only where the command line, the project's
configuration or its tests name it too, or where this user's own run has written the file, which its
stamp tells. The configuration and the tests of somebody else's directory count for nothing, as git has
it. Imports no target.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from samplercheck.running.config import read_config
from samplercheck.running.replaying._subjects import ReplayCase
from samplercheck.storage.case_file import Breach
from samplercheck.storage.signing import belongs_to_user, is_stamp
from samplercheck.targets.locate import open_path, relocate
from samplercheck.values.choices import SAFE_REFERENCES
from samplercheck.values.contract import Contract
from samplercheck.values.errors import InputError, TargetError
from samplercheck.values.guarded import parse_python, read_guarded
from samplercheck.values.layout import printable

Found = tuple[str, dict[str, Any]]
"""The text that names a target, and what of its contract is changed."""

CALLS = ("target", "parametrize_with_laws", "run", "replay")
MOST_TESTS = 5_000
LARGEST_TEST = 1_000_000
LONGEST = 10.0
"""Seconds for which tests are read: some texts take a parser seconds."""
WHAT = "Python"


def find_target(case: ReplayCase, target: str | None, project: Path) -> Found:
    """Return the target of a case with its contract; one that nothing here names is a ``TargetError``.

    ``project`` is the directory of the store; the working directory may lie below it.
    """
    breach = case.breach
    if breach is None:
        if target is None:
            raise TargetError("A token names no target: add --target package.module:attribute.")
        return target, {}
    is_own = is_of_user(case, project)
    if target is not None:
        is_same = is_own and target == breach.place and not breach.lacking
        return _own(breach, project) if is_same else (target, _harmless(breach))
    configured = _find_configured(breach, project)
    if configured is not None:
        return configured
    if is_own:
        return _own(breach, project)
    if breach.place and is_in_tests(breach.place, project):
        return _as_recorded(breach, _harmless(breach), project)
    raise TargetError(_refusal(breach, project))


def named_as(case: ReplayCase, target: str | None, project: Path) -> str:
    """Return what a target that was run is called: a file's own word for it counts where others know it."""
    if target is not None or case.breach is None:
        return target or ""
    breach = case.breach
    is_known = breach.target == breach.place or breach.target in read_config(project, belongs_to_user).targets
    return breach.target if is_known else breach.place


def refused_reference(case: ReplayCase, contract: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the note on a reference that a file names and that was not imported for it, if there is one."""
    named = case.breach.contract.get("reference") if case.breach is not None else None
    if named in SAFE_REFERENCES or "reference" in contract:
        return ()
    said = printable(str(named))
    why = "the file alone names it, and a file does not decide what is imported"
    return (f"judged without the reference {said}: {why}. If you know it: --contract reference={said}",)


def say_other_contract(case: ReplayCase, contract: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the note on a contract that is not the recorded one: what it excuses is not fixed."""
    recorded = dict(case.breach.contract) if case.breach is not None else contract
    if {**recorded, "reference": None} == {**contract, "reference": None}:
        return ()
    now, before = (_name_contract(one) for one in (contract, recorded))
    return (f"judged by {now}, and recorded under {before}: that may be all that has changed",)


def _name_contract(contract: Mapping[str, Any]) -> str:
    said = ",".join(f"{name}={printable(str(value))}" for name, value in contract.items())
    return f"the contract {said}" if said else "the default contract"


def is_of_user(case: ReplayCase, project: Path) -> bool:
    """Whether a run of this user's has left the case in this directory."""
    breach = case.breach
    if breach is None or not breach.place:
        return False
    return is_stamp(breach.stamp, project, *breach.stamped(case.case.id))


def _own(breach: Breach, project: Path) -> Found:
    """Return the target of a run of this user's, with all that was promised."""
    return _as_recorded(breach, dict(breach.contract), project)


def _as_recorded(breach: Breach, contract: dict[str, Any], project: Path) -> Found:
    """Return the target as it was recorded, found from the directory in which it was."""
    if breach.lacking:
        fields_lost = printable(", ".join(breach.lacking))
        raise TargetError(
            f"The contract of {printable(breach.target)} had {fields_lost}, which no file can hold: name a "
            "samplercheck.target that declares it, with --target."
        )
    open_path(project)
    if isinstance(contract.get("reference"), str):
        contract["reference"] = relocate(contract["reference"], project)
    return relocate(breach.place, project), contract


def _harmless(breach: Breach) -> dict[str, Any]:
    """Return the contract of a file without a reference that would be imported."""
    return {
        name: value
        for name, value in breach.contract.items()
        if name != "reference" or value in SAFE_REFERENCES
    }


def _find_configured(breach: Breach, project: Path) -> Found | None:
    """Return the target of the project's configuration that a breach is about."""
    for target in read_config(project, belongs_to_user).targets.values():
        if {breach.place, breach.target} & {target.name, target.factory, target.reference}:
            target.open_path()
            contract = target.contract or Contract()
            return target.reference, contract.changes()
    return None


def is_in_tests(place: str, project: Path) -> bool:
    """Whether the project's tests hand this text to the kit, as in ``parametrize_with_laws("a.b:c")``."""
    until = time.monotonic() + LONGEST
    for path in _tests(project):
        if time.monotonic() > until:
            return False
        with suppress(InputError):  # what Python cannot read names nothing
            content = read_guarded(path, WHAT, LARGEST_TEST)
            tree = parse_python(content, path, WHAT) if b"samplercheck" in content else None
            if tree is not None and place in _texts_handed_over(tree):
                return True
    return False


def _tests(project: Path) -> Iterator[Path]:
    paths = chain(project.glob("test_*.py"), project.glob("tests/**/*.py"))
    own = (path for path in paths if belongs_to_user(path))
    return islice(own, MOST_TESTS) if belongs_to_user(project) else iter(())


def _texts_handed_over(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _last_name(node.func) in CALLS:
            for given in (*node.args, *(one.value for one in node.keywords)):
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    yield given.value


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _refusal(breach: Breach, project: Path) -> str:
    name = printable(breach.place or breach.target)
    if not breach.place:
        return (
            f"{name} cannot be found by a text: name the target with --target package.module:attribute, "
            "and its contract by a samplercheck.target there."
        )
    others = "" if belongs_to_user(project) else f" {printable(project)} is somebody else's, and not asked."
    return (
        f"{name} is named by the file alone, and a file does not decide what is imported.{others} "
        f"If you know it: --target {name}, or name it in [tool.samplercheck.targets]."
    )
