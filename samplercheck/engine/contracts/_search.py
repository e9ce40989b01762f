"""The search for a contract: what a target seems to keep, and what it keeps beyond that.

Called by ``infer``. The contract is the one that a run proposes; stricter promises are tried on top of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from samplercheck.engine.contracts._changes import STRICTER, ContractChange, is_a_design
from samplercheck.engine.contracts._inference import InferenceVerdict, Refuted
from samplercheck.engine.contracts._judge import ContractJudge
from samplercheck.laws import disjoint
from samplercheck.values.contract import Contract
from samplercheck.values.errors import ContractError
from samplercheck.values.report import Proposal

LAPS = disjoint.LAW.code
"""The law that judges how ranks share the first lap of an endless walk in which they take turns."""

FREQUENCIES = ("coverage", "frequencies", "order", "shuffles")
"""Fields of which long runs alone may show something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredContract:
    """The end of a search; ``given_up`` are fields that promise something else than they were given.

    ``excused`` are laws that nothing but a bug might have broken, and that the contract says nothing of.
    """

    verdict: InferenceVerdict
    given_up: frozenset[str] = frozenset()
    refuted: dict[str, Refuted] = field(default_factory=dict)
    stricter: tuple[Refuted, ...] = ()
    excused: tuple[Refuted, ...] = ()

    @property
    def contract(self) -> Contract:
        """The contract that was found."""
        return self.verdict.contract


def search(
    judge: ContractJudge, given: Contract, named: frozenset[str], seems: Proposal | None = None
) -> InferredContract:
    """Return the strictest contract that holds, or the nearest one; fields that ``given`` sets stay.

    What the target ``seems`` to keep is judged by few cases, then with each stricter promise, and what is
    left of those by many. Where many refute a stricter promise none is made.
    """
    base = given if seems is None else given.but(**seems.contract)
    verdict = judge.briefly(base)
    assert verdict is not None, "the contract that was given, or seen, had been bound before"
    stricter: list[Refuted] = []
    for change in STRICTER if not verdict.failures else ():
        if change.needs <= named and not given.changes().keys() & change.fields.keys():
            verdict = _tighten(judge, verdict, change, stricter)
    many = judge.widely(verdict.contract)
    if many.failures and verdict.contract != base:
        added = verdict.contract.changes(base)
        stricter.append(many.refutes(_text(added)))
        many = judge.widely(base)
    return InferredContract(
        verdict=many,
        given_up=frozenset(base.changes(given)),
        refuted={} if many.failures else _find_refutations(judge, given, base, many.contract),
        stricter=() if many.failures else tuple(stricter),
        excused=_list_excused(judge, given, named, seems),
    )


def _list_excused(
    judge: ContractJudge, given: Contract, named: frozenset[str], seems: Proposal | None
) -> tuple[Refuted, ...]:
    """Return what a bug may have broken: what nobody would choose to excuse, or fails for its own reason."""
    if seems is None:
        return ()
    is_meant = is_a_design(given.but(**seems.contract), named)
    codes = {*seems.hides, *(() if is_meant else seems.doubted)}
    before = judge.briefly(given) if codes else None
    if before is None:
        return ()
    return before.list_refuted({code: one for code, one in before.failures.items() if code in codes})


def _tighten(
    judge: ContractJudge, verdict: InferenceVerdict, change: ContractChange, refuted: list[Refuted]
) -> InferenceVerdict:
    """Judge the contract with a stricter promise; return that, where it holds and was really judged."""
    contract = verdict.contract
    is_supposed = not change.supposes or change.supposes in verdict.held
    if contract.changes().keys() & change.fields.keys() or not is_supposed:
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


def _find_refutations(
    judge: ContractJudge, given: Contract, base: Contract, contract: Contract
) -> dict[str, Refuted]:
    """Return what refuted the given value of each field that it seems to keep another of, one at a time."""
    refuted = {}
    for name in base.changes(given):
        found = _try(judge, contract, {name: getattr(given, name)}, patiently=name in FREQUENCIES)
        if found is not None and found.failures:
            refuted[name] = found.refutes(_text({name: getattr(given, name)}))
    return refuted


def _try(
    judge: ContractJudge, contract: Contract, changes: Mapping[str, Any], *, patiently: bool = False
) -> InferenceVerdict | None:
    """Return what few cases say of the contract with some fields changed; None where it cannot be."""
    try:
        return judge.refute(contract.but(**changes), patiently=patiently)
    except ContractError:
        return None


def _text(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in changes.items())
