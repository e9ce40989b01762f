"""Law SC306: with shuffling, which samples share a batch changes from epoch to epoch.

Judged by chance, and only where orders do change. Under a batch rule, or with groups, the rule
itself may force the same batches in every epoch (docs/rules.md C3): nothing is judged there. Nor is a batch
of all samples of a label or length, with which no other sample may belong.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._over_epochs import may_change_places
from samplercheck.laws._passes import alike, batches_of, luck, reshuffles
from samplercheck.laws.law import Law, Scope
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices

KEPT = (
    "whether samples are shuffled before they are cut into batches: here each batch keeps its samples, and "
    "only the order of the batches changes"
)
WINDOWS = (
    "whether each batch is meant to be a window of one series: then declare "
    'shuffles="chunks". Else shuffle samples before they are cut into batches.'
)


def applies(scope: Scope) -> bool:
    """Whether the target yields shuffled batches that nothing but chance composes."""
    contract = scope.contract
    finite = contract.coverage != "sampled" and not contract.endless
    unruled = contract.batch_rule is None and contract.tail_unit != "group" and contract.shuffles != "chunks"
    return reshuffles(scope) and scope.kind != "samples" and finite and unruled


def may_hold_whole_groups(contract: Contract) -> bool:
    """Whether each batch may be all samples of a label, or of a length, so that none is mixed."""
    return contract.batches == "variable"


def sees(trace: Trace) -> bool:
    """Whether some batch could have been composed otherwise, and the order changes."""
    if not trace.batched or not trace.owed.is_shuffled:
        return False
    # A rank that keeps its share, all of it in one batch, has nothing to mix that batch with.
    if trace.contract.shuffles == "share" and all(max(epoch.steps) == 1 for epoch in trace.epochs):
        return False
    return any(_witness(trace, course) is not None for course in trace.series)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one violation when no share of the data ever composes its batches otherwise."""
    kept = []
    for course in trace.series:
        witness = _witness(trace, course)
        if witness is None:
            continue
        if not _keeps_batches(course, sorted(witness[1])):
            return
        kept.append((course, *witness))
    for course, rank, batch in kept[:1]:
        yield Violation(
            found=(
                f"the samples {brief(sorted(batch))} share a batch in each of {len(course)} epochs, "
                f"and all other batches stay together too"
            ),
            rank=rank,
            epoch=course[1].number,
            indices=limit_indices(sorted(batch)),
            hint=WINDOWS if _are_windows(trace, course) else KEPT,
            chance=luck(len(course)),
        )


def _witness(trace: Trace, course: tuple[Epoch, ...]) -> tuple[int, list[int]] | None:
    """Return a rank and its batch of several distinct samples, beside which the first epoch has others.

    Of a target that asks for labels or lengths some of the others have those that are in the batch.
    """
    if not course[1:] or alike(course):
        return None
    first = course[0]
    yielded = {sample for one in first.passes for sample in one.items}
    for rank, pass_ in zip(first.ranks, first.passes, strict=True):
        for batch in batches_of(pass_):
            together = set(batch)
            apart = yielded - together
            if 1 < len(together) < len(yielded) and may_change_places(trace, together, apart):
                return rank, batch
    return None


def _are_windows(trace: Trace, course: tuple[Epoch, ...]) -> bool:
    """Whether batches of a target that asks for labels, one for each series perhaps, are in order."""
    batches = (batch for epoch in course for one in epoch.passes for batch in batches_of(one))
    return "labels" in trace.named and all(list(batch) == sorted(batch) for batch in batches)


def _keeps_batches(course: tuple[Epoch, ...], witness: list[int]) -> bool:
    """Whether all epochs compose their batches alike; one witness tells of most that do not."""
    first = course[0]
    return all(_has_batch(epoch, witness) for epoch in course[1:]) and all(
        epoch.batches == first.batches for epoch in course[1:]
    )


def _has_batch(epoch: Epoch, wanted: list[int]) -> bool:
    """Whether some rank yields these samples, in order of their numbers, as one batch."""
    sample = wanted[0]
    passes = (pass_ for pass_ in epoch.passes if sample in pass_.items)
    return any(sample in batch and sorted(batch) == wanted for one in passes for batch in batches_of(one))


LAW = Law(
    code="SC306",
    name="batches-mix",
    statement="With shuffling, which samples share a batch changes from epoch to epoch.",
    fault="the same samples share a batch every epoch",
    consequence="wrong order",
    judge=judge,
    applies=applies,
    sees=sees,
    to_the_end=True,
    on_sight=may_hold_whole_groups,
    follows=("SC301",),
    why=(
        "Only finished batches are shuffled, so each sample meets the same neighbours in every epoch. "
        "Gradients of a batch keep their bias, batch normalisation and contrastive losses see the same "
        "company forever."
    ),
    fix=(
        "Shuffle the samples (within buckets, where there are buckets) and cut them into batches in every "
        "epoch."
    ),
    intended='Declare order="free" where batches are composed once on purpose, as fixed token batches are.',
)
