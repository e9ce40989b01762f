"""Law SC309: shuffle, drop_last and batch_size have an effect where they must (docs/rules.md C12).

drop_last and batch_size are judged exactly; a shuffle that cannot be switched off is by how many
epochs are alike, one that cannot be switched on by chance as well. The effect of the seed is the
business of law seed-matters: judging it here as well would report one fault twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._ascending import out_of_order
from samplercheck.laws._layouts import out_of_place
from samplercheck.laws._passes import alike, can_be_shuffled, deficit, luck, telling_trace
from samplercheck.laws.law import GROUPING, Law, Scope
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import drop_last_matters, drops_by_argument
from samplercheck.values.record import Pass, Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices, pluralise


def applies(scope: Scope) -> bool:
    """Whether the target names an argument whose effect the contract determines."""
    contract, named = scope.contract, scope.named
    return (
        ("drop_last" in named and drops_by_argument(contract))
        or ("shuffle" in named and contract.order == "auto")
        or ("batch_size" in named and scope.kind != "samples" and _cuts_by_size(contract))
    )


def sees(trace: Trace) -> bool:
    """Whether an argument was turned where it must matter, or the batch size mattered, in readable passes."""
    if any(one.strange for name in ("epochs", "knobs") for record in trace.of(name) for one in record.passes):
        return False
    cuts = trace.batched and _cuts_by_size(trace.contract) and "batch_size" in _knobs(trace)
    mattered = cuts and trace.has_steps and not _is_same(trace, "batch_size")
    return mattered or any(MUST_MATTER[name](trace) for name in _knobs(trace))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield a violation for each argument that made no difference where it must."""
    for name in _knobs(trace):
        if _is_same(trace, name) and MUST_MATTER[name](trace):
            if name != "shuffle":
                yield _no_effect(trace, name, chance=_luck_of_groups(trace) if name == "batch_size" else 0.0)
            elif _is_always_shuffled(trace):
                yield from _always_shuffled(trace)
            elif _never_shuffles(trace):
                yield _never_shuffled_violation(trace)


def _knobs(trace: Trace) -> tuple[str, ...]:
    records = trace.of("knobs")
    return records[0].notes.get("knobs", ()) if records else ()


def _turned(record: Record, name: str) -> list[Pass]:
    """Return the passes with an argument turned: none if left out, several of the shuffle, which is last."""
    knobs = record.notes["knobs"]
    return record.passes[knobs.index(name) :] if name in knobs else []


def _is_same(trace: Trace, name: str) -> bool:
    """Whether every rank's first epoch is the same with the argument turned.

    A rank that leaves it out comes after one that it has made a difference to, perhaps in a later epoch.
    """
    turned = [_turned(record, name) for record in trace.of("knobs")]
    return all(turned) and all(
        one[0].same_as(left.passes[0]) for one, left in zip(turned, trace.of("epochs"), strict=True)
    )


def _drop_last_matters(trace: Trace) -> bool:
    return drop_last_matters(trace.case, trace.contract, batched=trace.batched)


def _cuts_by_size(contract: Contract) -> bool:
    """Whether batches are cut by their size alone; a rule or a label may cut them alike for any size."""
    ruled = contract.tail_unit == "group" or contract.batch_rule is not None or contract.order == "free"
    return contract.batches == "fixed" and not ruled


def _batch_size_matters(trace: Trace) -> bool:
    """Whether some rank fills a batch of the larger size, and nothing but its size cuts a batch.

    An endless pass has to fill it within a lap, as each may end in a short batch. Where there are groups, and
    no batch is full, they are what cuts; of draws the dataset may be.
    """
    size = trace.case.batch_size
    fills_all = trace.contract.coverage == "sampled" and trace.case.length <= size
    if not trace.batched or not _cuts_by_size(trace.contract) or fills_all:
        return False
    firsts = [one for record in trace.of("epochs") for one in record.passes[:1]]
    fullest = max((max(one.sizes or (0,)) for one in firsts), default=0)
    fills_one = any(_share_of(trace, one) >= trace.case.other_batch_size for one in firsts)
    return fills_one and (size <= fullest or not _may_group(trace))


def _share_of(trace: Trace, first: Pass) -> int:
    """Return how many samples a rank has of an epoch, or of each lap of an endless pass."""
    return trace.case.length // trace.owed.places if trace.contract.endless else len(first.items)


def _luck_of_groups(trace: Trace) -> float:
    """Return more than 0 where groups may be no larger than a batch: larger datasets then decide as well."""
    return luck(len(trace.of("epochs")[0].passes) + 1) if _may_group(trace) else 0.0


def _may_group(trace: Trace) -> bool:
    return not trace.named.isdisjoint((*GROUPING, "datasets"))


def _shuffle_matters(trace: Trace) -> bool:
    """Whether the argument asks for a shuffle of two samples or more."""
    asked = trace.contract.order == "auto" and trace.case.shuffle
    return asked and any(can_be_shuffled(trace, course[0]) for course in trace.series)


HARMS = {"batch_size": "wrong batches", "drop_last": "wrong step count"}
MUST_MATTER = {
    "batch_size": _batch_size_matters,
    "drop_last": _drop_last_matters,
    "shuffle": _shuffle_matters,
}


def _always_shuffled(trace: Trace) -> Iterator[Violation]:
    """Yield that epochs are shuffled alike without a shuffle, with the chance that they only look so.

    An unshuffled order that is wrong may be that of one shuffled epoch, hardly that of many.
    """
    pairs = [
        (one.passes[epoch], other)
        for one, turned in zip(trace.of("epochs"), trace.of("knobs"), strict=True)
        for epoch, other in enumerate(_turned(turned, "shuffle"))
    ]
    if all(left.same_as(right) for left, right in pairs):
        moves = not any(alike(course) for course in trace.series)
        alike_epochs = len(_turned(trace.of("knobs")[0], "shuffle")) if moves else 1
        yield _no_effect(trace, "shuffle", chance=luck(alike_epochs + 1))


def _no_effect(trace: Trace, name: str, *, chance: float = 0.0) -> Violation:
    value, other = getattr(trace.case, name), trace.case.turned(name)
    records = trace.of("epochs")
    rank = max(range(len(records)), key=lambda each: len(records[each].passes[0].items))
    one = records[rank].passes[0]
    return Violation(
        found=(
            f"{name} is ignored: with {value} as with {other} rank {rank} yielded "
            f"{_amount(one)} in epoch 0: {brief(one.items) or 'nothing'}"
        ),
        rank=rank,
        epoch=0,
        indices=limit_indices(one.items),
        hint=f"where {name} is used, or lost on its way there",
        fault=f"{name} has no effect where it should",
        consequence=HARMS.get(name, ""),
        chance=chance,
        experiment="knobs",
        evidence=_told_by(trace) if name == "drop_last" else Evidence(kind="ignored", argument=name),
    )


def _told_by(trace: Trace) -> Evidence:
    """Name the law that says the same of one of the two values: what is always dropped, or always padded."""
    if trace.contract.coverage == "once" and not trace.is_streamed and trace.epochs:
        first, repeats = trace.epochs[0], trace.owed.repeats
        if deficit(first, repeats):
            return Evidence(kind="told", argument="drop_last", law="SC102")
        if first.highest > repeats:
            return Evidence(kind="told", argument="drop_last", law="SC103")
    return Evidence(kind="ignored", argument="drop_last")


def _amount(one: Pass) -> str:
    samples = pluralise(len(one.items), "sample")
    return samples if one.sizes is None else f"{samples} in {pluralise(len(one.sizes), 'batch', 'batches')}"


def _orders(trace: Trace, rank: int) -> list[Pass]:
    """Return the rank's passes that a shuffle orders independently: epochs or, if they are fixed, seeds.

    Never both: where seed and epoch are added, one order would count as evidence twice (docs/rules.md C5).
    """
    left, seeds = trace.of("epochs")[rank].passes, trace.of("seeds")
    if trace.contract.epochs != "fixed":
        return left
    return [left[0], *(seeds[rank].passes if seeds else ())]


def _never_shuffles(trace: Trace) -> bool:
    return all(
        one.same_as(_turned(turned, "shuffle")[0])
        for rank, turned in enumerate(trace.of("knobs"))
        for one in _orders(trace, rank)
    )


def _is_always_shuffled(trace: Trace) -> bool:
    """Whether the pass that both values of shuffle gave cannot be an unshuffled one: always shuffled."""
    contract, owed = trace.contract, trace.owed
    if contract.coverage == "sampled" or contract.endless:
        return False
    firsts = [course[0] for course in trace.series if course]
    return any(out_of_order(first, owed.repeats, out_of_place(trace, first)) for first in firsts)


def _never_shuffled_violation(trace: Trace) -> Violation:
    rank, one = telling_trace(trace)
    orders = len(_orders(trace, rank))
    return Violation(
        found=(
            f"shuffle is ignored: rank {rank} yielded {brief(one.items)} with shuffle=False, "
            f"and the same with shuffle=True, {pluralise(orders, 'time')} out of {orders}"
        ),
        rank=rank,
        epoch=0,
        indices=limit_indices(one.items),
        hint="where the order is made: the shuffle argument does not come into it",
        fault="shuffle has no effect where it should",
        chance=luck(orders + 1),
        experiment="knobs",
        evidence=Evidence(kind="ignored", argument="shuffle"),
    )


LAW = Law(
    code="SC309",
    name="arguments-have-effect",
    former="knobs-count",
    statement=(
        "Every one of shuffle, drop_last, seed, batch_size that the target accepts has an effect where it "
        "must."
    ),
    fault="an argument has no effect",
    consequence="wrong order",
    judge=judge,
    reads=("epochs", "knobs", "seeds"),
    same_is_wrong=True,
    applies=applies,
    sees=sees,
    follows=("SC102", "SC103"),
    why=(
        "An argument that is accepted and ignored is believed: the configuration says one thing and the run "
        "does another. Training without a shuffle, or with another batch size than the log says, raises no "
        "error."
    ),
    fix="Pass the argument on to where it is used, or take it out of the signature.",
    intended=(
        "Wrap the sampler in a function that does not name the argument, or declare the tail or the order "
        "which it always has."
    ),
)
