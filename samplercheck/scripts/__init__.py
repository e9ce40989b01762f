"""Scripts: a failing case as plain Python, which needs torch and the user's module alone.

Called by the store. A script builds the target in each rank, prints what the ranks yield, carries out the
experiment that showed each broken law once more and judges it; it ends with 1 while one of them is broken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.scripts._promise import promise_of
from samplercheck.scripts._rendering import format_file, format_value
from samplercheck.scripts._running import check_import, in_processes, in_turn_or_group, judge, pretend_group
from samplercheck.scripts._setup import Setup, WrapperSetup
from samplercheck.scripts._table import CHECKS, ENDLESS, IN_GROUPS_ALONE, Check
from samplercheck.splitters import Split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.case import Case
    from samplercheck.recording import Recording
    from samplercheck.report import LawResult

__all__ = ["script_of"]

LARGE, ROUNDS = 24, 6
TRIES, FEW_TRIES, MOST_WORK = 20, 2, 3_000
SECONDS, SECONDS_TO_END = 300, 20
CERTAIN = 1e-13
KNOBS = ("batch_size", "drop_last", "shuffle")


def script_of(recording: Recording, case: Case, broken: Sequence[LawResult]) -> str:
    """Return the script of a case; empty where no script can show any of its laws broken."""
    in_groups = _needs_processes(recording, broken)
    found = [(result, _find_check(recording, case, result, in_groups=in_groups)) for result in broken]
    checks = [(result, check) for result, check in found if check is not None]
    if not checks or not recording.place or isinstance(recording.target.factory, Split):
        return ""
    results = [result for result, _ in checks]
    cases = [case, *([_enlarge(case)] if any(map(_is_luck, results)) else [])]
    constants = {
        "PLACE": recording.place,
        "PARAMETERS": recording.binding.parameters,
        "CASES": [
            {name: value for name, value in one.to_dict().items() if name != "format"} for one in cases
        ],
        "PROMISES": [promise_of(recording, one) for one in cases],
    }
    setup = WrapperSetup if {"sampler", "batch_sampler"} & recording.binding.named else Setup
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
    return format_file(_docstring(recording, case, results), constants, parts, ending)


def _needs_processes(recording: Recording, broken: Sequence[LawResult]) -> bool:
    """Whether ranks must be real: seen in a group, with collectives, or without a place passed by hand."""
    seen = {result.failure.world for result in broken if result.failure is not None}
    placed = {"rank", "world_size"} <= recording.binding.named or recording.target.contract.sharding == "none"
    asks_group = any(result.code in IN_GROUPS_ALONE for result in broken)
    return bool(seen - {"", "simulated"}) or recording.collectives or asks_group or not placed


def _find_check(recording: Recording, case: Case, result: LawResult, *, in_groups: bool) -> Check | None:
    """Return how a script judges a law in a case; None where it cannot."""
    assert result.failure is not None
    contract, promise = recording.target.contract, promise_of(recording, case)
    ways = [*["groups"] * in_groups, contract.coverage, result.failure.violation.experiment]
    check = next(
        (CHECKS[key] for way in (*ways, "") if (key := f"{result.code} {way}".strip()) in CHECKS), None
    )
    unknown = check is not None and check.needs and promise[check.needs] is None
    return None if unknown or (contract.endless and result.code == ENDLESS[-1]) else check


def _is_luck(result: LawResult) -> bool:
    return result.failure is not None and result.failure.violation.chance > CERTAIN


def _enlarge(case: Case) -> Case:
    """Return a larger dataset with the same remainders, in which luck shows nothing."""
    round_size = case.world_size * case.batch_size
    enough = max(LARGE, ROUNDS * round_size)
    more = max(0, -(-(enough - case.length) // round_size)) * round_size
    return case.but(length=case.length + more, features=()) if more else case


def _format_law(result: LawResult, check: Check) -> list[str]:
    """Return the lines that say how one law is judged."""
    message = _message(result)
    ignored = [name for name in KNOBS if message.startswith(f"{name} is ignored")]
    lines = {
        "name": format_value("", f"{result.code} {result.law.name}"),
        "statement": format_value("", result.law.statement),
        "experiment": check.experiment.__name__,
        "settings": format_value("", check.settings | ({"name": ignored[0]} if ignored else {})),
        "judge": check.judge.__name__,
        "asks": format_value("", check.asks),
        "cases": "2" if _is_luck(result) else "1",
    }
    entries = "\n".join(f'        "{name}": {text},' for name, text in lines.items())
    return ["    {", *entries.splitlines(), "    },"]


def _message(result: LawResult) -> str:
    return result.failure.message if result.failure is not None else ""


def _docstring(recording: Recording, case: Case, results: Sequence[LawResult]) -> str:
    laws = ", ".join(f"{result.code} {result.law.name}" for result in results)
    found = "\n".join(f"{result.code}: {_escape(_message(result))}" for result in results)
    versions = ", ".join(f"{name} {number}" for name, number in sorted(recording.versions.items()))
    return (
        f"Broken: {laws}, by {_escape(recording.place)}.\n\n"
        f"{found}\n\n"
        f"The case {case.id} ({_escape(case.token[:500])}), without samplercheck: run this file with Python\n"
        "where the target can be imported. It ends with 1 while the fault is there, with 0 when it is gone,\n"
        "with 3 where it cannot judge.\n"
        f"Recorded with {_escape(versions)}.\n"
    )


def _escape(text: str) -> str:
    """Return text that can stand in a docstring."""
    return text.encode("unicode_escape").decode("ascii").replace('"', "'")
