"""From the ledger to the results: one outcome for each law, the failure of each broken one.

Called by ``run`` at the end. Imports values, laws and the failure block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from samplercheck.engine._explaining import Explanation
from samplercheck.engine._groups import with_groups
from samplercheck.engine._page import Page, Witness
from samplercheck.engine._search import Search
from samplercheck.explain.pictures import draw_picture
from samplercheck.explain.scenes import scene_of
from samplercheck.laws import complete
from samplercheck.laws.equal_steps import BY_SHARES
from samplercheck.laws.law import Law, Scope
from samplercheck.reports.block import failure_block
from samplercheck.reports.ways import Ways, again_lines
from samplercheck.storage.store import Scripts, Store
from samplercheck.targets.locate import path_from_here
from samplercheck.targets.provenance import Provenance
from samplercheck.values.case import Case
from samplercheck.values.finding import EvidenceKind, Failure, Outcome, Violation
from samplercheck.values.law_result import LawTally
from samplercheck.values.report import LawResult
from samplercheck.values.trace import Trace

Drawn = TypeVar("Drawn")

NOT_EXPLAINED = Explanation()
FOUND_OUT = {one.name for one in fields(Explanation)} & {one.name for one in fields(Failure)}
"""What an explanation says that a failure has by the same name."""
NOT_FOR_IT = "does not apply to this contract and these parameters"
AFRESH = "in each new process"
NO_GROUP = "needs a process group, and none is among the worlds of this run (--world gloo)"
YIELDS_NOTHING = "the target yielded nothing in any case, so there was nothing to judge"
NO_SIMULATION = "needs simulation, and it is not among the worlds of this run (--world auto)"


def results_of(
    search: Search,
    chosen: tuple[Law, ...],
    skipped: dict[str, tuple[Law, str]],
    explained: Mapping[str, Explanation],
    *,
    interrupted: bool,
) -> tuple[LawResult, ...]:
    """Return the results of all chosen and skipped laws, in the order of their codes."""
    results = [
        LawResult(law=law, outcome=Outcome.NOT_APPLICABLE, reason="skipped", skipped=reason)
        for law, reason in skipped.values()
    ]
    cut = _why_cut(search, interrupted=interrupted)
    told = frozenset(search.ledger.pages) | frozenset(skipped)
    for law in chosen:
        page = search.ledger.pages.get(law.code)
        unasked = search.unasked.get(law.code, "")
        if page is None or (unasked and not page.judged):
            reason = unasked or _why_not(law, search.scope)
            results.append(LawResult(law=law, outcome=Outcome.NOT_APPLICABLE, reason=reason))
        else:
            its = explained.get(law.code, NOT_EXPLAINED)
            results.append(_result(search, page, page.sum_up(cut, search.binding.contract), its, told))
    return tuple(sorted(results, key=lambda result: (len(result.code), result.code)))


def with_blocks(
    results: Iterable[LawResult], target: str, ways_of: Callable[[Case, str], Ways]
) -> tuple[LawResult, ...]:
    """Return the results with the block of each failure, once it is known how its case is seen again."""
    results, told = tuple(results), []
    for result in results:
        failure = result.failure
        if failure is not None:
            names = _names_beside(failure.case, results)
            ways = replace(ways_of(failure.case, result.law.code), file_alone=failure.needs_others)
            text = failure_block(result.law, target, failure, ways, names)
            failure = replace(failure, text=text, again=tuple(again_lines(result.law, failure, ways)))
        told.append(replace(result, failure=failure))
    return tuple(told)


def _names_beside(case: Case, results: Iterable[LawResult]) -> dict[str, str]:
    """Return the names of the broken laws by their codes, each with its smallest case unless it is this."""
    return {
        one.code: f"{one.code} {one.law.name}"
        + (f" (case {one.failure.case.id})" if one.failure.case != case else "")
        for one in results
        if one.failure is not None
    }


def _why_not(law: Law, scope: Scope) -> str:
    """Say why a law that was chosen took no part in the search."""
    if law.applies(scope):
        return NO_SIMULATION
    return NO_GROUP if law.applies(with_groups(scope)) else NOT_FOR_IT


def _why_cut(search: Search, *, interrupted: bool) -> str:
    """Say why the required part of the search is not complete; empty when it is."""
    if interrupted:
        return "the run was interrupted"
    if search.has_given_up:
        return (
            f"the search ended early: the target hung or crashed in {len(search.hung)} cases (SC001, SC002)"
        )
    if search.ledger.small and search.shard.is_whole and not search.has_yielded:
        return YIELDS_NOTHING
    return ""


def _result(
    search: Search, page: Page, tally: LawTally, explained: Explanation, told: frozenset[str]
) -> LawResult:
    """Return the result of one law; that of a part of the cases keeps what the others are added to."""
    is_part, notes = not search.shard.is_whole, search.moved
    is_broken, strict = page.smallest is not None, search.ledger.advised.get(page.law.code)
    outcome, reason = tally.outcome(told, is_broken=is_broken, is_part=is_part)
    advised = None
    if strict is not None and outcome is not Outcome.BROKEN:
        advised = replace(_failure(strict, NOT_EXPLAINED, notes), tried=page.tried)
    failure = _failure(page, explained, notes, **_count_larger(search, page)) if is_broken else None
    return LawResult(
        law=page.law,
        outcome=outcome,
        reason=reason,
        failure=failure and _acquit_dealing(search, failure),
        advice=page.advice or (advised.violation if advised else None),
        advised=advised,
        judged=page.judged,
        broken=page.broken,
        unjudged=page.unjudged.total(),
        tally=tally if is_part else None,
    )


def _acquit_dealing(search: Search, failure: Failure) -> Failure:
    """Return where else to look than how ranks deal, where a rank that is alone loses samples, too."""
    lost = search.ledger.pages.get(complete.LAW.code)
    first = lost.smallest if lost else None
    if lost is None or first is None or first.case.world_size > 1 or failure.violation.hint != BY_SHARES:
        return failure
    violation = replace(failure.violation, hint=lost.advise(first.violations[0]))
    return replace(failure, violation=violation, violations=(violation, *failure.violations[1:]))


def _count_larger(search: Search, page: Page) -> dict[str, Any]:
    """Count the larger cases that could be judged, and fail; nothing in a part, or if not all fail alike."""
    longest = max((case.length for case in search.ledger.small), default=0)
    if not search.shard.is_whole or len(page.faults) > 1 or not page.failing:
        return {}
    aside = {*page.beyond.undecided}
    larger = [at for at, case in enumerate(search.ledger.beyond) if case.length > longest and at not in aside]
    failing = len({*page.beyond.failing} & {*larger})
    return {"longest": longest, "larger": failing, "larger_tried": len(larger)}


def _failure(page: Page, told: Explanation, notes: set[str], **counts: Any) -> Failure:
    witness, best = page.smallest, page.example
    assert witness is not None
    assert best is not None
    if not told.region and page.law.twin == "fresh" and "fresh" in witness.trace.twins:
        told = replace(told, region=AFRESH)
    if not told.experiments and page.law.hears_all:
        told = replace(told, experiments=tuple(witness.trace.records))
    telling = _choose_telling(page.law, witness, best)
    words = _words_of(page, best.violations[0].evidence.kind, told)
    first = replace(witness.violations[0], hint=page.advise(telling), **words)
    # What the smallest case alone would have meant, the case that is shown says otherwise.
    kinds = {telling.evidence.kind, best.violations[0].evidence.kind}
    may_be_meant = kinds == {"meant"} and first.hint in (telling.hint, told.fix)
    return Failure(
        case=witness.case,
        violation=first,
        realistic_case=best.case if best is page.realistic else None,
        shown=best.violations[0] if best is page.realistic else None,
        grid=_draw(draw_picture, best, page.law, notes) or (),
        failing=page.broken,
        tried=page.tried,
        violations=(first, *witness.violations[1:]),
        world=witness.trace.world,
        divided=sum(number for (_, kind), number in page.hints.items() if kind == "divided"),
        workers=min((case.workers for case in page.own), default=0),
        usual="" if told.fix or first.hint else page.law.fix,
        meant=telling.evidence.argument if may_be_meant else "",
        scene=_draw(scene_of, best, page.law, notes),
        **counts,
        **{name: getattr(told, name) for name in FOUND_OUT},
    )


def _choose_telling(law: Law, smallest: Witness, shown: Witness) -> Violation:
    """Return the violation whose hint is given: that of the smallest case, unless it is about that alone.

    One rank alone acquits the dealing, which an exception is not about. Few samples may be in order by luck.
    """
    first = smallest.violations[0]
    is_lucky = first.evidence.kind == "unshuffled" != shown.violations[0].evidence.kind
    is_about_it_alone = first.hint not in {one.hint for one in shown.violations}
    acquits_dealing = smallest.case.world_size == 1 and bool(first.hint) and not law.despite_faults
    return shown.violations[0] if is_about_it_alone and (is_lucky or not acquits_dealing) else first


def _words_of(page: Page, kind: EvidenceKind, told: Explanation) -> dict[str, Any]:
    """Return the words that are clearer than those of the law: what was found out, or is so in all cases."""
    found = {name: text for name in ("event", "fault", "consequence") if (text := getattr(told, name))}
    fault = dict(page.law.clearer).get(kind, "")
    is_always_so = {one for _, one in page.hints} <= {kind, ""}
    return {"fault": fault, **found} if fault and is_always_so else found


def _draw(
    picture: Callable[[Trace, Violation, Law], Drawn], witness: Witness, law: Law, notes: set[str]
) -> Drawn | None:
    """Return a picture; what was recorded in a way that it cannot show is a note, and costs no report."""
    try:
        return picture(witness.trace, witness.violations[0], law)
    except (LookupError, ValueError, ArithmeticError) as error:
        kind, where = type(error).__name__, witness.case.token
        notes.add(f"The picture of {law.code} in the case {where} cannot be drawn ({kind}: {error})")
        return None


def ways_of(
    case: Case,
    code: str,
    recording: Provenance,
    store: Store | None,
    scripts: Scripts,
    site: str = "",
) -> Ways:
    """Return the ways for a law in one case; ``scripts`` has the cases that were stored."""
    known = Ways(
        place=recording.place, contract=recording.contract, is_whole=not recording.lacking, site=site
    )
    if store is None or case not in scripts:
        return known
    file, script = path_from_here(str(store.failures / f"{case.id}.json")), scripts[case].get(code)
    return replace(
        known,
        stored=case.id if store.is_nearest(Path.cwd()) else file,
        is_shared=store.is_shared(case.id),
        file=file,
        script=path_from_here(str(script)) if script is not None else "",
    )
