"""Which target a case is replayed for, and who says so: never a case file alone.

A file may come from a stranger: what it names is imported only where the command line, the project's
configuration or its tests name it too, or where this user's own run has written the file, which its
stamp tells. Imports no target.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from samplercheck.running.config import read_config
from samplercheck.storage.signing import is_stamp
from samplercheck.targets.locate import open_path, relocate
from samplercheck.values.contract import Contract
from samplercheck.values.errors import TargetError
from samplercheck.values.layout import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from samplercheck.running.replaying._subjects import ReplayCase
    from samplercheck.storage.case_file import Breach

    Found = tuple[str, dict[str, Any]]
    """The text that names a target, and what of its contract is changed."""

CALLS = ("target", "parametrize_with_laws", "run", "replay")
MOST_TESTS = 5_000
LARGEST_TEST = 1_000_000
SAFE_REFERENCES = (None, "torch")
"""References that lead to no import of a user's module."""


def find_target(case: ReplayCase, target: str | None, project: Path) -> Found:
    """Return the target of a case with its contract; one that nothing here names is a ``TargetError``.

    ``project`` is the directory of the store; the working directory may lie below it.
    """
    breach = case.breach
    if breach is None:
        if target is None:
            raise TargetError("A token names no target: add --target package.module:attribute.")
        return target, {}
    said = (breach.place, breach.contract, case.case.id, breach.law)
    is_own = bool(breach.place) and is_stamp(breach.stamp, project, *said)
    if target is not None:
        is_same = is_own and target == breach.place and not breach.lacking
        return _own(breach, project) if is_same else (target, _harmless(breach))
    configured = _find_configured(breach, project)
    if configured is not None:
        return configured
    if is_own:
        return _own(breach, project)
    if breach.place and breach.place in texts_in_tests(project):
        return _as_recorded(breach, _harmless(breach), project)
    raise TargetError(_refusal(breach))


def _own(breach: Breach, project: Path) -> Found:
    """Return the target of a run of this user's, with all that was promised."""
    return _as_recorded(breach, dict(breach.contract), project)


def _as_recorded(breach: Breach, contract: dict[str, Any], project: Path) -> Found:
    """Return the target as it was recorded, found from the directory in which it was."""
    _check_whole(breach)
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


def _check_whole(breach: Breach) -> None:
    if breach.lacking:
        fields_lost = printable(", ".join(breach.lacking))
        raise TargetError(
            f"The contract of {printable(breach.target)} had {fields_lost}, which no file can hold: name a "
            "samplercheck.target that declares it, with --target."
        )


def _find_configured(breach: Breach, project: Path) -> Found | None:
    """Return the target of the project's configuration that a breach is about."""
    for target in read_config(project).targets.values():
        if {breach.place, breach.target} & {target.name, target.factory, target.reference}:
            target.open_path()
            contract = target.contract or Contract()
            return target.reference, contract.changes()
    return None


def texts_in_tests(project: Path) -> set[str]:
    """Return the texts that the project's tests hand to the kit, as in ``parametrize_with_laws("a.b:c")``."""
    found: set[str] = set()
    for path in _tests(project):
        try:
            text = path.read_text(encoding="utf-8")
            if "samplercheck" in text:
                found |= set(_texts_handed_over(ast.parse(text)))
        except (OSError, ValueError, SyntaxError, RecursionError):
            continue  # what Python cannot read names nothing
    return found


def _tests(project: Path) -> Iterator[Path]:
    paths = [*sorted(project.glob("test_*.py")), *sorted(project.glob("tests/**/*.py"))]
    for path in paths[:MOST_TESTS]:
        if path.is_file() and path.stat().st_size <= LARGEST_TEST:
            yield path


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


def _refusal(breach: Breach) -> str:
    name = printable(breach.place or breach.target)
    if not breach.place:
        return (
            f"{name} cannot be found by a text: name the target with --target package.module:attribute, "
            "and its contract by a samplercheck.target there."
        )
    return (
        f"{name} is named by the file alone, and a file does not decide what is imported. "
        f"If you know it: --target {name}, or name it in [tool.samplercheck.targets]."
    )
