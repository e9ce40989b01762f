"""Law SC302: without shuffling, every epoch is the dataset's own order, dealt out by the layout.

What that means under each layout is decided by docs/rules.md C1; nothing here is left to chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samplercheck.laws._ascending import first_descent, out_of_order
from samplercheck.laws._layouts import first_misplaced, out_of_place
from samplercheck.laws._passes import alike, is_mixed, step_apart
from samplercheck.laws.law import GROUPING, Law, Scope
from samplercheck.targets.features import feature
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices, pluralise

BY = "orders samples by {} without shuffle, too"


def applies(scope: Scope) -> bool:
    """Whether some case promises the dataset's own order."""
    contract = scope.contract
    return scope.can_be_sequential and contract.coverage != "sampled" and not contract.endless


def sees(trace: Trace) -> bool:
    """Whether the order is promised, and an epoch has two samples that could stand in another one."""
    return trace.owed.is_sequential and any(is_mixed(epoch) for epoch in trace.epochs)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first sample of the first epoch out of order, or the first epoch unlike the first."""
    for course in trace.series:
        # A subset is in order where each epoch is: another epoch may hold other samples.
        if trace.contract.coverage == "subset":
            found = next(filter(None, (_disorder(trace, epoch) for epoch in course)), None)
        else:
            found = _disorder(trace, course[0]) or _change(trace, course)
        if found:
            name = _ordered_by(trace, course)
            yield replace(found, grade="strict", fault=BY.format(name)) if name else found
            return


def _ordered_by(trace: Trace, course: tuple[Epoch, ...]) -> str:
    """Name the labels or lengths by which all epochs are ordered alike, as buckets are: a design, not a slip.

    Passes are sorted by them, or of samples that have the same ones the order is the dataset's own.
    """
    names = sorted(GROUPING & trace.named)
    is_asked = "shuffle" in trace.named and trace.contract.order == "auto"
    if not (names and is_asked and course[0].is_in_range and alike(course)):
        return ""
    values = list(zip(*(feature(trace.case, name) for name in names), strict=True))
    strays = 0
    for pass_ in course[0].passes:
        found = [values[index] for index in pass_.items]
        if found not in (sorted(found), sorted(found, reverse=True)):
            last: dict[tuple[float, ...], int] = {}
            for index, its in zip(pass_.items, found, strict=True):
                strays += last.get(its, -1) >= index
                last[its] = index
    is_mixed_up = strays > out_of_place(trace, course[0]) or len(set(values)) == 1
    return "" if is_mixed_up else " and ".join(names)


def _disorder(trace: Trace, epoch: Epoch) -> Violation | None:
    owed, contract = trace.owed, trace.contract
    allowed = out_of_place(trace, epoch)
    strays = out_of_order(epoch, owed.repeats, allowed)
    if strays:
        return _descent(trace, epoch, strays, allowed)
    # Where no total is known (groups, variable batches, subsets), no position is known either.
    if contract.layout == "any" or owed.total is None:
        return None
    wrong = first_misplaced(trace, epoch)
    if wrong is None:
        return None
    rank = epoch.ranks[wrong.place]
    return Violation(
        found=(
            f"rank {rank} yielded {wrong.found} at position {wrong.position} of epoch {epoch.number}, "
            f"where the {contract.layout} layout puts {wrong.expected}"
        ),
        rank=rank,
        epoch=epoch.number,
        step=epoch.passes[wrong.place].step_of(wrong.position),
        indices=(wrong.found,),
        hint='how the order is dealt out. If no layout is meant, declare layout="any"',
    )


def _descent(trace: Trace, epoch: Epoch, strays: list[int], allowed: int) -> Violation:
    place = next(place for place, number in enumerate(strays) if number)
    one, rank = epoch.passes[place], epoch.ranks[place]
    position = first_descent(one) or 0
    before, after = one.items[position - 1], one.items[position]
    return Violation(
        found=f"rank {rank} yielded {after} after {before} in epoch {epoch.number}, {_promise(trace)}",
        rank=rank,
        epoch=epoch.number,
        step=one.step_of(position),
        indices=(before, after),
        hint=_hint(trace),
        detail=f"{pluralise(sum(strays), 'sample')} out of order on all ranks; padding explains {allowed}",
    )


def _change(trace: Trace, course: tuple[Epoch, ...]) -> Violation | None:
    first = course[0]
    later = next((epoch for epoch in course[1:] if _is_reordered(trace, first, epoch)), None)
    if later is None:
        return None
    pairs = zip(first.passes, later.passes, strict=True)
    place = next(place for place, (mine, its) in enumerate(pairs) if mine.items != its.items)
    rank, now, then = first.ranks[place], later.passes[place], first.passes[place]
    return Violation(
        found=(
            f"rank {rank} yielded {brief(now.items) or 'nothing'} in epoch {later.number} but "
            f"{brief(then.items) or 'nothing'} in epoch {first.number}, {_promise(trace)}"
        ),
        rank=rank,
        epoch=later.number,
        step=step_apart(now, then),
        indices=limit_indices(now.items),
        hint=_hint(trace),
    )


def _is_reordered(trace: Trace, first: Epoch, epoch: Epoch) -> bool:
    """Whether more samples stand elsewhere than pad an epoch; where batches are cut is another law's."""
    pairs = [(one.items, other.items) for one, other in zip(first.passes, epoch.passes, strict=True)]
    if any(len(one) != len(other) for one, other in pairs):
        return True
    apart = [zip(one, other, strict=True) for one, other in pairs if one != other]
    return sum(mine != its for both in apart for mine, its in both) > trace.owed.padding


def _promise(trace: Trace) -> str:
    if trace.contract.order == "auto" and "shuffle" in trace.named:
        return "although shuffle=False"
    return "although nothing promises a shuffle"


def _hint(trace: Trace) -> str:
    if trace.contract.order != "auto":
        return (
            "where the order is made: it is not the dataset's own. If that is meant, declare "
            'order="shuffled" or order="free"'
        )
    if "shuffle" in trace.named:
        return (
            "where the order is made for shuffle=False: it is to be the dataset's own in every epoch. "
            'Another one that is meant (buckets, by length) is declared with order="free"'
        )
    return (
        "where the order is made: no parameter shuffle asks for another one. If it is meant to shuffle, "
        'declare order="shuffled", or name the parameter shuffle'
    )


LAW = Law(
    code="SC302",
    name="keeps-dataset-order",
    former="stands-still",
    statement="Without shuffling, every epoch is the dataset's own order, dealt out by the declared layout.",
    fault="reorders the dataset without being asked",
    consequence="wrong order",
    judge=judge,
    applies=applies,
    sees=sees,
    to_the_end=True,
    follows=("SC102", "SC103"),
    why=(
        "Evaluation and prediction write their results back by position. When shuffle=False is not obeyed, "
        "predictions meet the labels of other samples, and metrics are wrong without any error."
    ),
    fix="Read the shuffle argument where the order is made; without it, use range(len(dataset)).",
    intended=(
        "An order by labels or lengths without shuffle, the same in every epoch, as of buckets, is advice. "
        'Declare order="shuffled" for a sampler that always shuffles, order="free" for any other order of '
        'its own, and layout="any" where it does not matter which rank gets which positions.'
    ),
)
