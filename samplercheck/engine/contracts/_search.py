"""The search for a contract: the fewest promises given up, then what is stricter than the default.

Called by ``infer``. Best first over the changes, by the number of laws still broken and the price.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from samplercheck.engine.contracts._changes import STRICTER, WEAKER, ContractChange, is_a_design
from samplercheck.engine.contracts._inference import InferenceVerdict, Refuted
from samplercheck.engine.contracts._judge import ContractJudge
from samplercheck.laws import disjoint
from samplercheck.values.contract import Contract
from samplercheck.values.errors import ContractError

LAPS = disjoint.LAW.code
"""The law that judges how ranks share the first lap of an endless walk in which they take turns."""
MOST_ASKED = 120
MOST_ROUNDS = 4
DEAREST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredContract:
    """The end of a search; ``given_up`` are fields that promise something else than they were given."""

    verdict: InferenceVerdict
    given_up: frozenset[str] = frozenset()
    refuted: dict[str, Refuted] = field(default_factory=dict)
    stricter: tuple[Refuted, ...] = ()

    @property
    def contract(self) -> Contract:
        """The contract that was found."""
        return self.verdict.contract


def search(
    judge: ContractJudge, given: Contract, named: frozenset[str], hint: Mapping[str, Any] | None = None
) -> InferredContract:
    """Return the strictest contract that holds, or the nearest one; fields that ``given`` sets stay.

    It is searched for by few cases, a ``hint`` first. What the whole profile refutes of it adds cases to
    those, and it is searched for again.
    """
    found = _search_briefly(judge, given, named, hint or {})
    for _ in range(MOST_ROUNDS):
        whole = judge.thoroughly(found.contract)
        if whole is None or whole.failures.keys() <= found.verdict.failures.keys():
            return replace(found, verdict=found.verdict if whole is None else whole)
        found = _search_briefly(judge, given, named, hint or {})
    return found


def _search_briefly(
    judge: ContractJudge, given: Contract, named: frozenset[str], hint: Mapping[str, Any]
) -> InferredContract:
    fixed = given.changes()
    free = [one for one in WEAKER if not fixed.keys() & one.fields.keys()]
    changes = [one for one in free if one.needs <= named and not one.lacks & named]
    verdict = _take_hint(judge, given, hint) or _weaken(judge, given, changes)
    if verdict.failures:
        return InferredContract(verdict=verdict)
    verdict = _restore(judge, given, verdict, changes)
    given_up = frozenset(verdict.contract.changes(given))
    stricter: list[Refuted] = []
    for change in STRICTER:
        if change.needs <= named and not fixed.keys() & change.fields.keys():
            verdict = _tighten(judge, verdict, change, stricter)
    refuted = _find_refutations(judge, given, verdict.contract)
    return InferredContract(verdict=verdict, given_up=given_up, refuted=refuted, stricter=tuple(stricter))


def _take_hint(judge: ContractJudge, given: Contract, hint: Mapping[str, Any]) -> InferenceVerdict | None:
    """Return what is said of the contract that a hint gives, if the target keeps it."""
    tried = _try(judge, given, hint) if hint else None
    return None if tried is None or tried.failures else tried


def _weaken(judge: ContractJudge, given: Contract, changes: list[ContractChange]) -> InferenceVerdict:
    """Judge the cheapest contract under which nothing breaks, or the one that breaks the fewest laws."""
    start = judge.briefly(given)
    assert start is not None, "the contract that was given had been bound before"
    nearest = start
    line = [(len(start.failures), 0, 0, given)]
    seen, count = {given.text}, 0
    while line and judge.asked < MOST_ASKED:
        _, price, _, contract = heapq.heappop(line)
        verdict = judge.briefly(contract)
        if verdict is None:
            continue
        if not verdict.failures and _is_shown(verdict):
            return verdict
        if verdict.failures and verdict.failures.keys() <= start.failures.keys():
            nearest = min(nearest, verdict, key=lambda one: len(one.failures))
        for change, next_one in _neighbours(verdict, changes):
            total = price + change.price
            if total > DEAREST or next_one.text in seen:
                continue
            seen.add(next_one.text)
            found = judge.briefly(next_one)
            if found is not None:
                count += 1
                heapq.heappush(line, (len(found.failures), total, count, next_one))
    return nearest


def _is_shown(verdict: InferenceVerdict) -> bool:
    """Whether the laws by which what was given up must be seen have had something to judge."""
    return all(
        not one.shows or one.shows in verdict.held
        for one in WEAKER
        if all(getattr(verdict.contract, name) == value for name, value in one.fields.items())
    )


def _neighbours(
    verdict: InferenceVerdict, changes: list[ContractChange]
) -> Iterator[tuple[ContractChange, Contract]]:
    """Yield the contracts one change away that could fix one of the broken laws."""
    families = {code[2:-2] for code in verdict.failures}
    for change in changes:
        fits = change.fixes <= verdict.failures.keys() and change.kind in ("", verdict.kind)
        if fits and families & set(change.families):
            changed = _with(verdict.contract, change.fields)
            if changed is not None:
                yield change, changed


def _restore(
    judge: ContractJudge, given: Contract, verdict: InferenceVerdict, changes: list[ContractChange]
) -> InferenceVerdict:
    """Take back what was not needed after all, or need not have given up so much, until nothing is left."""
    contract = verdict.contract
    for name in contract.changes(given):
        for value in (getattr(given, name), *_cheaper(changes, name, getattr(contract, name))):
            tried = _try(judge, contract, {name: value})
            if tried is not None and not tried.failures and _is_shown(tried):
                return _restore(judge, given, tried, changes)
    return verdict


def _cheaper(changes: list[ContractChange], name: str, value: Any) -> list[Any]:
    """Return the values of a field that give up less than this one."""
    prices = {one.fields[name]: one.price for one in changes if one.fields.keys() == {name}}
    return [one for one, price in prices.items() if price < prices.get(value, 0)]


def _tighten(
    judge: ContractJudge, verdict: InferenceVerdict, change: ContractChange, refuted: list[Refuted]
) -> InferenceVerdict:
    """Judge the contract with a stricter promise; return that, where it holds and was really judged."""
    contract = verdict.contract
    if contract.changes().keys() & change.fields.keys():
        return verdict
    found = _try(judge, contract, change.fields)
    if found is None:
        return verdict
    if found.failures:
        refuted.append(found.refutes(_text(change.fields)))
        return verdict
    is_shown = not change.shows or change.shows in found.held
    if "layout" in change.fields:
        is_shown = is_shown and _is_layout_seen(judge, contract, change, found)
    return found if is_shown else verdict


def _is_layout_seen(
    judge: ContractJudge, contract: Contract, change: ContractChange, found: InferenceVerdict
) -> bool:
    """Whether another layout would have been refuted: where both hold, none was seen."""
    if contract.endless:  # of its layouts a law looks at turns alone
        return change.fields["layout"] == "strided" and LAPS in found.held
    other = "contiguous" if change.fields["layout"] == "strided" else "strided"
    tried = _try(judge, contract, {"layout": other})
    return tried is not None and bool(tried.failures)


def _find_refutations(judge: ContractJudge, given: Contract, contract: Contract) -> dict[str, Refuted]:
    """Return what refuted the default of each field that has another value, one at a time.

    Also where that would be no design: a promise is shown with what speaks against the stricter one.
    """
    refuted = {}
    for name in contract.changes(given):
        stricter = _possible(contract, {name: getattr(given, name)})
        found = judge.briefly(stricter) if stricter is not None else None
        if found is not None and found.failures:
            refuted[name] = found.refutes(_text({name: getattr(given, name)}))
    return refuted


def _try(judge: ContractJudge, contract: Contract, changes: Mapping[str, Any]) -> InferenceVerdict | None:
    """Return what few cases say of the contract with some fields changed; None where it cannot be."""
    changed = _with(contract, changes)
    return judge.briefly(changed) if changed is not None else None


def _with(contract: Contract, changes: Mapping[str, Any]) -> Contract | None:
    """Return the contract with some fields changed; None where nobody could keep it, or would choose it."""
    changed = _possible(contract, changes)
    return changed if changed and (is_a_design(changed) or not is_a_design(contract)) else None


def _possible(contract: Contract, changes: Mapping[str, Any]) -> Contract | None:
    """Return the contract with some fields changed; None where they contradict each other."""
    try:
        return contract.but(**changes)
    except ContractError:
        return None


def _text(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in changes.items())
