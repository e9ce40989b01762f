"""Law SC104: all ranks leave an epoch together.

Judged by the engine on every epoch of more than one rank. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._dealing import ALIKE, UNTAKEN, hint_at_alike, hint_at_untaken
from samplercheck.laws._passes import SKIPPED, full_step
from samplercheck.laws.law import GROUPING, Law, Scope, first_few
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import Owed
from samplercheck.values.record import Pass
from samplercheck.values.stream import Stream, StreamedEpoch
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import join_numbers, steps_of

# A pair has been named already; a longer list of ranks says more.
PAIR = 2
SHARED = "Where the order is padded or cut, before it is dealt out."
FILTERED = (
    "Where samples get lost before or as they are dealt out: a filter (filter first, then deal out), a "
    "range that ends too early, places that no rank takes."
)
OF_PART = (
    "What chooses or filters samples: do that first, then pad or cut what is left to a multiple of "
    "world_size, then deal it out."
)
BEHIND = f"{FILTERED} A rank seems to leave out some of what was dealt out to it."
DEALT = (
    "How the order is dealt out, by chunks of unequal sizes perhaps: shares differ also where length is a "
    "multiple of world_size."
)
LISTS = (
    "Whether all ranks make one list before they deal it out: what each draws by itself, such as how often a "
    "sample comes, makes lists of unlike lengths."
)
DRAWN = (
    "How many samples are drawn before they are dealt out: shares of datasets or labels that are rounded one "
    "by one need not add up to a multiple of world_size."
)
BATCHES = (
    "Whether the number of batches is a multiple of world_size: pad or cut the list of batches before it is "
    "dealt out; where each rank makes its own, let all agree on one number."
)
GROUPS = "How each group is filled up to whole global batches: a small one is repeated as often as it takes."
IN_TURN = (
    "How the order is dealt out: in turn, as by order[rank::world_size], ranks differ by one unit at most; "
    "blocks of ceil(n / world_size) leave the last ones short."
)
BY_SHARES = UNTAKEN
"""Where to look for what is wrong with shares: nowhere where a rank that is alone loses samples as well."""
DIVIDED = (FILTERED, OF_PART, BEHIND, DEALT, ALIKE, UNTAKEN, IN_TURN)
"""What is said of ranks that are uneven for another reason than what is left over."""
KEPT = 'If ranks are meant to differ by one unit, declare tail="keep".'
UNEVEN = "If no step waits for all ranks, declare even_steps=False."


def has_ends(scope: Scope) -> bool:
    """Whether ranks share epochs that end; a kept group may leave one uneven tail for each label."""
    contract = scope.contract
    kept_groups = contract.tail == "keep" and contract.tail_unit == "group"
    shares = contract.sharding == "ranks" and not contract.endless
    return shares and contract.even_steps and not kept_groups


def takes_steps(trace: Trace) -> bool:
    """Whether several ranks took part and any of them took a step."""
    if trace.owed.places == 1 or not trace.is_readable:
        return False
    for epoch in trace.taken:
        for one in epoch.passes:
            if one.steps:
                return True
    return False


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs which ranks leave at different steps, or with unlike numbers of samples."""
    owed, batched = trace.owed, trace.batched
    keeps = owed.tail == "keep"
    # Of batches whose size is the target's own nobody knows how much one of them, which is kept, may hold.
    has_own_size = keeps and batched and "batch_size" not in trace.named
    by_samples = not batched or (trace.contract.batches == "fixed" and not has_own_size)
    for epoch in trace.taken:
        samples, steps = epoch.samples, epoch.steps if batched else []
        if batched and max(steps) - min(steps) > keeps:
            yield _uneven(trace, epoch, steps, by_batch=True)
        elif by_samples and _differ(samples, owed):
            yield _uneven(trace, epoch, samples, by_batch=False)
        elif keeps and not min(samples) and any(samples) and _is_enough(trace):
            yield _empty(trace, epoch, samples.index(0))


def _differ(samples: list[int], owed: Owed) -> bool:
    """Whether ranks hold unlike numbers of samples: by more than one unit, short or not, where it is kept."""
    most, fewest = max(samples), min(samples)
    if owed.tail != "keep":
        return most != fewest
    return -(-most // owed.unit) - -(-fewest // owed.unit) > 1


def _is_enough(trace: Trace) -> bool:
    owed = trace.owed
    known = trace.contract.coverage == "once" and trace.contract.batches == "fixed"
    return known and trace.case.length >= owed.places * owed.unit


def _where_to_look(trace: Trace, epoch: Epoch | StreamedEpoch, *, by_batch: bool) -> str:
    """Say what to look at: the tail, or what comes before it or behind it where that is not the tail."""
    owed, decides = trace.owed, trace.named & {"lengths", *GROUPING}
    if isinstance(epoch, Epoch) and (alike := hint_at_alike(epoch)):
        return alike
    is_grouped = trace.contract.tail_unit == "group" and owed.tail == "pad"
    if is_grouped or (by_batch and "batch_sampler" in trace.named):
        return GROUPS if is_grouped else BATCHES
    whole = owed.places * full_step(trace)
    is_cut_at_will = trace.batched and (trace.contract.batches == "variable" or decides)
    if is_cut_at_will or (owed.appearances % whole and _may_be_the_tail(trace, epoch, whole)):
        batches = SKIPPED if trace.contract.empty_batches else BATCHES
        return batches if by_batch and is_cut_at_will else SHARED
    if trace.contract.coverage == "sampled":
        return DRAWN if all(_is_one_list(one.samples) for one in trace.taken) else LISTS
    if sum(epoch.samples) >= owed.appearances:
        return IN_TURN if owed.appearances % whole else DEALT
    return _hint_at_filter(trace, epoch)


def _may_be_the_tail(trace: Trace, epoch: Epoch | StreamedEpoch, whole: int) -> bool:
    """Whether what is left over of whole rounds may be why ranks differ: as it is cut, or padded, wrongly.

    It is not where uneven ends are kept, and where more samples are missing than are left over.
    """
    owed = trace.owed
    if trace.contract.coverage == "once" and sum(epoch.samples) < owed.appearances // whole * whole:
        return False
    return owed.tail != "keep"


def _is_one_list(samples: list[int]) -> bool:
    """Whether ranks may have taken turns in one list of samples."""
    return samples == sorted(samples, reverse=True) and samples[0] - samples[-1] <= 1


def _hint_at_filter(trace: Trace, epoch: Epoch | StreamedEpoch) -> str:
    """Return where to look where fewer samples come than there are, though they could be shared evenly."""
    apart = max(epoch.samples) - min(epoch.samples)
    if trace.contract.coverage == "subset" and apart <= trace.owed.unit:
        return OF_PART
    return hint_at_untaken(trace, epoch) or (BEHIND if apart > trace.owed.unit else FILTERED)


def _uneven(trace: Trace, epoch: Epoch | StreamedEpoch, numbers: list[int], *, by_batch: bool) -> Violation:
    """Return that ranks differ, with what to declare where that is meant: the next word that allows it."""
    keeps, hint = trace.owed.tail == "keep", _where_to_look(trace, epoch, by_batch=by_batch)
    most, fewest = max(numbers), min(numbers)
    ahead, behind = numbers.index(most), numbers.index(fewest)
    pair = sorted([(epoch.ranks[ahead], most), (epoch.ranks[behind], fewest)])
    first, second = pair
    found = (
        f"rank {first[0]} yields {steps_of(first[1], batched=by_batch)}, rank {second[0]} yields {second[1]} "
        f"in epoch {epoch.number}"
    )
    if len(numbers) > PAIR:
        found += f" (all ranks: {join_numbers(numbers)})"
    short, long = epoch.passes[behind], epoch.passes[ahead]
    same_steps = short.steps == long.steps
    meant = UNEVEN if keeps else KEPT if most - fewest == 1 else ""
    if same_steps:
        found += f", in {steps_of(short.steps, batched=True)} each"
    return Violation(
        found=found,
        rank=epoch.ranks[behind],
        epoch=epoch.number,
        step=_first_unlike(short, long) if same_steps else short.steps,
        hint=f"{hint} {meant}" if meant else hint,
        consequence="uneven batches" if same_steps else "uneven steps" if keeps else "",
        fault="ranks get different numbers of samples" if same_steps else "",
        evidence=Evidence(kind="divided" if hint in DIVIDED else "", law=_told_by(trace, epoch, same_steps)),
    )


def _told_by(trace: Trace, epoch: Epoch | StreamedEpoch, same_steps: bool) -> str:  # noqa: FBT001
    """Return the law that says the same of a last batch that is not filled up, as whole ones are promised."""
    owed = trace.owed
    is_short = owed.total is not None and owed.appearances <= epoch.total < owed.total
    return "SC105" if same_steps and is_short and trace.contract.tail_unit == "batch" else ""


def _first_unlike(one: Pass | Stream, other: Pass | Stream) -> int | None:
    """Return the first step in which two passes of as many batches hold batches of unlike sizes, if known."""
    if isinstance(one, Stream) or isinstance(other, Stream):
        return None
    sizes = zip(one.sizes or (), other.sizes or (), strict=True)
    return next(step for step, (left, right) in enumerate(sizes) if left != right)


def _empty(trace: Trace, epoch: Epoch | StreamedEpoch, place: int) -> Violation:
    rank = epoch.ranks[place]
    return Violation(
        found=f"rank {rank} yields nothing in epoch {epoch.number}, "
        f"and {trace.case.length} samples are enough for {len(epoch.ranks)} ranks",
        rank=rank,
        epoch=epoch.number,
        step=0,
        hint="How the order is dealt out: single units, in turn, leave no rank without one.",
        # There was one for each rank; where it is missing, that is why.
        evidence=Evidence(supposes=("SC102",)),
    )


LAW = Law(
    code="SC104",
    name="equal-steps",
    statement=(
        "All ranks yield the same number of items and of batches in an epoch, unless the contract keeps "
        "the uneven tail."
    ),
    fault="ranks take different numbers of steps",
    consequence="would hang",
    judge=judge,
    applies=has_ends,
    sees=takes_steps,
    of_streams=True,
    by_some_ranks=True,
    why=(
        "Every training step ends in a collective. A rank that runs out of batches leaves the epoch, the "
        "others wait for it in their next step, and the job hangs until the process group times out. "
        "Which rank is named in the log is chance; the cause is the sampler's arithmetic."
    ),
    fix="Cut or pad the one order that all ranks share to whole global batches first, then deal it out.",
    intended=(
        'Declare tail="keep" for evaluation in which ranks may differ by one unit. Where they may differ by '
        "more, as no step waits for all ranks (or a join context lets one leave), add even_steps=False."
    ),
)
