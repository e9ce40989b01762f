"""Scripts: a failing case as plain Python, which needs torch and the user's module alone.

Called by the store. A script builds the target in each rank, prints what the ranks yield and judges the
laws that were broken; it ends with 1 while one of them is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.scripts import (
    _asking,
    _batches,
    _bench,
    _conduct,
    _elastic,
    _groups,
    _loading,
    _main,
    _orders,
    _partition,
    _processes,
    _resuming,
    _reuse,
    _stops,
    _weights,
)
from samplercheck.scripts._promise import promise_of
from samplercheck.scripts._rendering import file_of
from samplercheck.splitters import Split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.case import Case
    from samplercheck.recording import Provenance
    from samplercheck.report import LawResult

__all__ = ["script_of"]

LARGE, ROUNDS = 24, 6
TRIES, FEW_TRIES, MOST_WORK = 20, 2, 3_000
SECONDS, SECONDS_TO_END = 300, 20
FAMILIES = (_partition, _orders, _conduct, _reuse, _batches, _resuming, _stops, _elastic, _loading, _weights)
CHECKS: dict[str, Any] = {code: check for family in FAMILIES for code, check in family.CHECKS.items()}
CERTAIN = 1e-13
NEEDS_TOTAL = ("SC102", "SC105", "SC106", "SC107")
NEEDS_TORCH_REFERENCE = ("SC203", "SC307")
"""Where a contract names another reference, a script would have to bind that as well."""
KNOBS = ("batch_size", "drop_last", "shuffle")


def script_of(provenance: Provenance, case: Case, broken: Sequence[LawResult]) -> str:
    """Return the script of a case; empty where no script can show any of its laws broken."""
    in_groups = _needs_processes(provenance, broken)
    checks = {**CHECKS, **_groups.CHECKS} if in_groups else CHECKS
    told = [one for one in broken if one.code in checks and _can_tell(provenance, case, one)]
    if not told or not provenance.place or isinstance(provenance.target.factory, Split):
        return ""
    knobs = tuple(name for one in told for name in KNOBS if _found(one).startswith(f"{name} is ignored"))
    cases = [case, *([_larger(case)] if any(_is_luck(one) for one in told) else [])]
    run = "in_processes" if in_groups else "in_turn_unless_asked"
    constants: dict[str, Any] = {
        "ASKED": [],
        "LONGEST_WAIT": _processes.LONGEST_WAIT,
        "MOST_SHOWN": _main.MOST_SHOWN,
        "PLACE": provenance.place,
        "PARAMETERS": provenance.binding.parameters,
        "CASES": [_plain(one) for one in cases],
        "PROMISES": [promise_of(provenance, one, knobs) for one in cases],
    }
    parts = [*_bench.PARTS, *_processes.PARTS, *_main.PARTS]
    parts += [part for one in told for part in _parts(checks[one.code])]
    if not in_groups:
        constants["SECONDS_IN_PROCESSES"] = _asking.SECONDS_IN_PROCESSES
        parts += list(_asking.PARTS)
    return file_of(_docstring(provenance, case, told), constants, parts, _ending(told, checks, case, run))


def _parts(check: tuple[Any, Any, tuple[Any, ...]]) -> list[Any]:
    experiment, judge, others = check
    return [*others, experiment, judge]


def _needs_processes(provenance: Provenance, broken: Sequence[LawResult]) -> bool:
    """Whether ranks must be real: seen in a group, with collectives, or without a place passed by hand."""
    seen = {one.failure.world for one in broken if one.failure is not None}
    named, contract = provenance.binding.named, provenance.target.contract
    placed = {"rank", "world_size"} <= named or contract.sharding == "none"
    asks_group = any(one.code in ("SC903", "SC904") for one in broken)
    return bool(seen - {"", "simulated"}) or provenance.collectives or asks_group or not placed


def _can_tell(provenance: Provenance, case: Case, result: LawResult) -> bool:
    """Whether a script can judge this law under this contract."""
    contract, code = provenance.target.contract, result.code
    promise = promise_of(provenance, case, ())
    if contract.endless and code == "SC002":
        return False
    if code in NEEDS_TOTAL and promise["total"] is None:
        return contract.batches == "variable" and code == "SC102" and promise["tail"] != "drop"
    if code in ("SC103", "SC401") and promise["most"] is None:
        return code == "SC103" and bool(contract.endless or promise["padding"] or promise["drawn"])
    needed = {"SC604": promise["rule"], "SC1001": promise["shares"]}
    if code in needed and needed[code] is None:
        return False
    return code not in NEEDS_TORCH_REFERENCE or contract.reference == "torch"


def _found(result: LawResult) -> str:
    return result.failure.message if result.failure is not None else ""


def _is_luck(result: LawResult) -> bool:
    return result.failure is not None and result.failure.violation.chance > CERTAIN


def _larger(case: Case) -> Case:
    """Return a larger dataset with the same remainders, in which luck shows nothing."""
    round_size = case.world_size * case.batch_size
    enough = max(LARGE, ROUNDS * round_size)
    more = max(0, -(-(enough - case.length) // round_size)) * round_size
    return case.but(length=case.length + more, features=()) if more else case


def _plain(case: Case) -> dict[str, Any]:
    plain = case.to_dict()
    return {name: plain[name] for name in plain if name != "format"}


def _docstring(provenance: Provenance, case: Case, told: Sequence[LawResult]) -> str:
    laws = ", ".join(f"{one.code} {one.law.name}" for one in told)
    found = "\n".join(f"{one.code}: {_text(_found(one))}" for one in told)
    versions = ", ".join(f"{name} {number}" for name, number in sorted(provenance.versions.items()))
    return (
        f"Broken: {laws}, by {_text(provenance.place)}.\n\n"
        f"{found}\n\n"
        f"The case {case.id} ({_text(case.token[:500])}), without samplercheck: run this file with Python\n"
        "where the target can be imported. It ends with 1 while the fault is there, with 0 when it is gone,\n"
        "with 3 where it cannot judge.\n"
        f"Recorded with {_text(versions)}.\n"
    )


def _text(text: str) -> str:
    """Return text that can stand in a docstring."""
    return text.encode("unicode_escape").decode("ascii").replace('"', "'")


def _ending(told: Sequence[LawResult], checks: dict[str, Any], case: Case, run: str) -> list[str]:
    """Return the lines that judge."""
    work = case.length * case.world_size * case.epochs
    tries = 1 if run == "in_processes" or case.workers else TRIES if work <= MOST_WORK else FEW_TRIES
    seconds = SECONDS_TO_END if any(one.code in ("SC001", "SC002") for one in told) else SECONDS
    lines = ["laws = ["]
    for one in told:
        experiment, check, _ = checks[one.code]
        number = 2 if _is_luck(one) else 1
        label, statement = f"{one.code} {one.law.name}", one.law.statement
        names = f"{experiment.__name__}, {check.__name__}, {number}, {tries}"
        lines += [f"    ({label!r},", f"     {statement!r},", f"     {names}),"]
    return [
        *lines,
        "]",
        *(["listen()"] if run == "in_turn_unless_asked" else []),
        "check_import(PLACE)",
        "benches = [Bench(PLACE, case, PARAMETERS, promise) for case, promise in zip(CASES, PROMISES)]",
        f"sys.exit(main(benches, {run}, laws, {seconds}))",
    ]
