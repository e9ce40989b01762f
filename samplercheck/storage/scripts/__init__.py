"""Scripts: a failing case as plain Python, which needs torch and the user's module alone.

Called by the store. A script builds the target in each rank, prints what the ranks yield, carries out the
experiment that showed each broken law once more and judges it; it ends with 1 while one of them is broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.storage.scripts._promise import promise_of
from samplercheck.storage.scripts._rendering import format_file, format_value
from samplercheck.storage.scripts._running import (
    check_import,
    in_processes,
    in_turn_or_group,
    judge,
    pretend_group,
)
from samplercheck.storage.scripts._setup import Setup, WrapperSetup
from samplercheck.storage.scripts._table import CHECKS, ENDLESS, Recipe
from samplercheck.targets.splitters import Split
from samplercheck.values.finding import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.targets.provenance import Provenance
    from samplercheck.values.case import Case
    from samplercheck.values.report import LawResult

__all__ = ["script_of"]

LARGE, ROUNDS = 24, 6
TRIES, FEW_TRIES, MOST_WORK = 20, 2, 3_000
SECONDS, SECONDS_TO_END = 300, 20
RECURS = "recurs"
CERTAIN = 1e-13


def script_of(provenance: Provenance, case: Case, broken: Sequence[LawResult]) -> str:
    """Return the script of a case; empty where no script can show any of its laws broken."""
    in_groups = _needs_processes(provenance, broken)
    found = [(result, _find_check(provenance, case, result, in_groups=in_groups)) for result in broken]
    checks = [(result, check) for result, check in found if check is not None]
    if not checks or not provenance.place or isinstance(provenance.target.factory, Split):
        return ""
    results = [result for result, _ in checks]
    cases = [case, *([_enlarge(case)] if any(map(_is_luck, results)) else [])]
    nodes = {"node_size": case.world_size} if _is_seen_in_groups(broken) else {}
    constants = {
        "PLACE": provenance.place,
        "PARAMETERS": provenance.binding.parameters,
        "CASES": [
            {name: value for name, value in one.to_dict().items() if name != "format"} for one in cases
        ],
        "PROMISES": [promise_of(provenance, one) | nodes for one in cases],
    }
    setup = WrapperSetup if {"sampler", "batch_sampler"} & provenance.binding.named else Setup
    run = in_processes if in_groups else in_turn_or_group
    parts = [setup, check_import, run, judge, *([] if in_groups else [pretend_group])]
    parts += [part for _, check in checks for part in (check.experiment, check.judge)]
    work = case.length * case.world_size * case.epochs
    tries = 1 if in_groups or case.workers else TRIES if work <= MOST_WORK else FEW_TRIES
    seconds = SECONDS_TO_END if any(result.code in ENDLESS for result in results) else SECONDS
    ending = [
        "laws = [",
        *(line for result, check in checks for line in _format_law(result, check)),
        "]",
        *([] if in_groups else ["pretend_group()"]),
        "check_import(PLACE)",
        "both = zip(CASES, PROMISES, strict=True)",
        f"setups = [{setup.__name__}(PLACE, case, PARAMETERS, promise) for case, promise in both]",
        f"sys.exit(judge(setups, {run.__name__}, laws, {tries}, {seconds}))",
    ]
    return format_file(_docstring(provenance, case, results), constants, parts, ending)


def _needs_processes(provenance: Provenance, broken: Sequence[LawResult]) -> bool:
    """Whether ranks must be real: seen in a group, with collectives, or without a place passed by hand."""
    binding, contract = provenance.binding, provenance.target.contract
    placed = {"rank", "world_size"} <= binding.named or contract.sharding == "none"
    asks_group = any(result.law.needs_groups for result in broken)
    return _is_seen_in_groups(broken) or provenance.collectives or asks_group or not placed


def _is_seen_in_groups(broken: Sequence[LawResult]) -> bool:
    """Whether some law was seen broken in real processes, which are all on one node."""
    return any(one.failure is not None and one.failure.world not in ("", "simulated") for one in broken)


def _find_check(provenance: Provenance, case: Case, result: LawResult, *, in_groups: bool) -> Recipe | None:
    """Return how a script judges a law in a case; None where it cannot."""
    assert result.failure is not None
    contract, promise = provenance.target.contract, promise_of(provenance, case)
    violation = result.failure.violation
    ways = [*["groups"] * in_groups, violation.evidence.kind, contract.coverage, violation.experiment]
    check = next(
        (CHECKS[key] for way in (*ways, "") if (key := f"{result.code} {way}".strip()) in CHECKS), None
    )
    unknown = check is not None and check.needs and promise[check.needs] is None
    return None if unknown or (contract.endless and result.code == ENDLESS[-1]) else check


def _is_luck(result: LawResult) -> bool:
    if result.failure is None:
        return False
    violation = result.failure.violation
    return violation.chance > CERTAIN or violation.evidence.kind == RECURS


def _enlarge(case: Case) -> Case:
    """Return a larger dataset with the same remainders, in which luck shows nothing."""
    round_size = case.world_size * case.batch_size
    enough = max(LARGE, ROUNDS * round_size)
    more = max(0, -(-(enough - case.length) // round_size)) * round_size
    return case.but(length=case.length + more, features=()) if more else case


def _format_law(result: LawResult, check: Recipe) -> list[str]:
    """Return the lines that say how one law is judged."""
    evidence = Evidence() if result.failure is None else result.failure.violation.evidence
    settings = check.settings | ({"name": evidence.argument} if evidence.kind == "ignored" else {})
    asks = check.asks | ({RECURS: True} if evidence.kind == RECURS else {})
    lines = {
        "name": format_value("", f"{result.code} {result.law.name}"),
        "statement": format_value("", result.law.statement),
        "experiment": check.experiment.__name__,
        "settings": format_value("", settings),
        "judge": check.judge.__name__,
        "asks": format_value("", asks),
        "cases": "2" if _is_luck(result) else "1",
    }
    entries = "\n".join(f'        "{name}": {text},' for name, text in lines.items())
    return ["    {", *entries.splitlines(), "    },"]


def _message(result: LawResult) -> str:
    return result.failure.message if result.failure is not None else ""


def _docstring(provenance: Provenance, case: Case, results: Sequence[LawResult]) -> str:
    laws = ", ".join(f"{result.code} {result.law.name}" for result in results)
    found = "\n".join(f"{result.code}: {_escape(_message(result))}" for result in results)
    versions = ", ".join(f"{name} {number}" for name, number in sorted(provenance.versions.items()))
    return (
        f"Broken: {laws}, by {_escape(provenance.place)}.\n\n"
        f"{found}\n\n"
        f"The case {case.id} ({_escape(case.token[:500])}), without samplercheck: run this file with Python\n"
        "where the target can be imported. It ends with 1 while the fault is there, with 0 when it is gone,\n"
        "with 3 where it cannot judge.\n"
        f"Recorded with {_escape(versions)}.\n"
    )


def _escape(text: str) -> str:
    """Return text that can stand in a docstring."""
    return text.encode("unicode_escape").decode("ascii").replace('"', "'")
