"""Law SC603: at every step the ranks' batches have one size.

Judged by the engine on every epoch of several ranks with fixed batches. Imports values.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._passes import yields_batches
from samplercheck.laws.law import Law, Scope, first_few
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import join_numbers


def applies(scope: Scope) -> bool:
    """Whether ranks step through fixed batches together; kept groups may leave a tail for each label."""
    contract = scope.contract
    kept_groups = contract.tail == "keep" and contract.tail_unit == "group"
    fixed = contract.batches == "fixed" and "batch_size" in scope.named
    return scope.kind != "samples" and contract.sharding == "ranks" and fixed and not kept_groups


def sees(trace: Trace) -> bool:
    """Whether several ranks took part and any yielded a batch."""
    return trace.owed.places > 1 and yields_batches(trace)


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs with a step in which ranks hold batches of unlike sizes."""
    last = 1 if trace.owed.tail == "keep" else 0  # a kept tail makes each rank's last batch as short as it is
    for epoch in trace.epochs:
        first = epoch.passes[0].sizes
        if all(one.sizes == first for one in epoch.passes[1:]):
            continue
        step = _first_uneven(epoch, last)
        if step is not None:
            yield _violation(epoch, step)


def _first_uneven(epoch: Epoch, last: int) -> int | None:
    """Return the first step in which ranks that take it hold unlike numbers of samples."""
    for step in range(max(epoch.steps)):
        if len({one.sizes[step] for one in epoch.passes if one.sizes and step < len(one.sizes) - last}) > 1:
            return step
    return None


def _violation(epoch: Epoch, step: int) -> Violation:
    sizes = [one.sizes[step] if one.sizes and step < len(one.sizes) else 0 for one in epoch.passes]
    behind = sizes.index(min(sizes))
    return Violation(
        found=f"in step {step} of epoch {epoch.number} the ranks hold {join_numbers(sizes)} samples",
        rank=epoch.ranks[behind],
        epoch=epoch.number,
        step=step,
        hint="Where steps are planned: in each, all ranks are to take as many samples of the one order.",
    )


LAW = Law(
    code="SC603",
    name="equal-step-sizes",
    former="even-global-steps",
    statement=(
        "At every step all ranks hold batches of the same size, except a shorter last step where the "
        "contract allows it."
    ),
    fault="batch sizes differ between ranks at a step",
    consequence="wrong gradients",
    judge=judge,
    applies=applies,
    sees=sees,
    follows=("SC601", "SC104"),
    why=(
        "Gradients are averaged over the ranks, not over the samples: in a step in which one rank holds two "
        "samples and another eight, each of the two counts four times as much. Collectives over outputs "
        "(all_gather of embeddings) hang or fail on unlike shapes."
    ),
    fix="Make the steps first, as wide as all ranks together, and give each rank its part of every step.",
    intended='Declare tail="keep" for an uneven last step, batches="variable" for batches by budget.',
)
