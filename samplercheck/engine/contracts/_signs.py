"""Signs: what the passes of a target say it is, whatever it was asked to be.

Read where a contract is proposed. Each names the fields of a contract that would declare what was seen.
What passes look like decides alone, in cases that are large enough to show it, and never which laws
would then hold: so a bug is not declared away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from samplercheck.engine.contracts._orders import LENGTH, Look, Passes, add_order, samples_of
from samplercheck.engine.contracts._sign import (
    ALONE,
    APART,
    BALANCES,
    DRAWS,
    DROPS,
    DROPS_BATCHES,
    DROPS_GROUPS,
    DROPS_STEPS,
    ENDLESS,
    FILLS_BATCHES,
    FILLS_GROUPS,
    GOES_ON,
    GROWS,
    IN_TURN,
    KEEPS,
    KEEPS_BATCHES,
    PARTS,
    REPEATS,
    SUBSET,
    VARIES,
    WALKS,
    Sign,
)
from samplercheck.laws.law import Scope
from samplercheck.targets.features import feature, groups_of
from samplercheck.values.contract import Contract
from samplercheck.values.trace import Trace

LONGER, RANKS, BATCH = 48, 3, 2
GLOBAL_BATCH = RANKS * BATCH
UNEVEN, ROUNDS_AND_MORE = 26, 28
"""So many do not divide by the ranks, nor by the ranks and batches of two. Of the former, rounds of batches
leave out as many as rounds of samples do, of the latter more."""
FEW, MORE, FEWEST, REPEATED, LEFT_OUT = 9, 12, 20, 3, 12
"""Of a part of the dataset that is meant at least one in so many samples is left out."""
BATCHING = frozenset({"batch_size", "batch_sampler"})
OWN_PLACE = frozenset({"rank", "global_rank"})
"""Without one of these nobody takes a part; how many ranks there are may decide sizes alone."""
GROUPS = frozenset({"labels", "datasets"})
PLACE = OWN_PLACE | {"world_size"}


def find_signs(look: Look, given: Contract, scope: Scope) -> list[Sign]:
    """Return the signs that a target gives, those of its order last; none where its passes fail."""
    found: list[Sign] = []
    alone, contract = look(given, LENGTH, 1), given
    if [fault.kind for fault in alone.faults] == ["endless"] and not given.endless:
        found, contract = [ENDLESS], given.but(**ENDLESS.fields)
        alone = look(contract, LENGTH, 1)
    together = look(contract, UNEVEN, RANKS)
    if not (alone.is_whole and together.is_whole and alone.is_readable and alone.has_steps):
        return []
    passes = samples_of(alone, 0)
    if found:
        found = [IN_TURN if _is_dealt_in_turn(together) else ENDLESS, GOES_ON]
    coverage = None if found else _coverage(look, contract, alone, scope)
    longer = (look(contract, UNEVEN + more, RANKS) for more in range(1, RANKS))
    found += [] if coverage is None else [_with_padding(coverage, chain([together], longer))]
    varies = scope.kind == "batches" and (_varies(alone) or _is_cut_at_will(look, contract, scope))
    if not found and not varies:
        found += _tails(look, contract, together, scope)
    if not OWN_PLACE & scope.named and "finds_place" not in scope.traits:
        found += _placeless(together, passes)
    if varies:
        found += [VARIES] if found else [VARIES, *_varying_tail(look, contract)]
    return add_order(look, contract, alone, scope, found)


def _coverage(look: Look, contract: Contract, alone: Trace, scope: Scope) -> Sign | None:
    """Return what one rank alone does that yields not each sample once, where it is no slip."""
    passes = samples_of(alone, 0)
    counts = [Counter(one) for one in passes]
    repeated = min(sum(number > 1 for number in one.values()) for one in counts)
    left_out = [LENGTH - len(one) for one in counts]
    numbers = {number for one in counts for number in one.values()}
    if repeated >= REPEATED and min(left_out) and len(numbers) > 1:
        return DRAWS
    if not any(left_out) and len(numbers) == 1 and numbers != {1}:
        repeats = numbers.pop()
        return Sign(fields={"repeats": repeats}, words=REPEATS.format(repeats=repeats))
    if numbers == {1} and min(left_out) * LEFT_OUT >= LENGTH:
        longer = look(contract, LONGER, 1)
        if longer.is_whole and longer.has_steps:
            missing = LONGER - len(set(samples_of(longer, 0)[0]))
            part = SUBSET if len({frozenset(one) for one in passes}) == 1 else PARTS
            if part is PARTS and _begins_again(look, contract):
                part = WALKS
            return part if missing * LENGTH >= left_out[0] * (LONGER - LENGTH // 2) else None
    if numbers == {1} and left_out == sorted({*left_out}, reverse=True) and left_out[0] * LEFT_OUT >= LENGTH:
        return GROWS
    is_meant = _is_balanced(alone, scope) and _is_even_without_labels(look, contract)
    return BALANCES if is_meant else None


def _begins_again(look: Look, contract: Contract) -> bool:
    """Whether an epoch of few samples may hold the end of one walk and the beginning of the next."""
    looks = [look(contract, length, 1, epochs=MORE) for length in range(2, FEW + 1)]
    return any(len(epoch.distinct) < epoch.total for one in looks for epoch in one.epochs)


def _is_even_without_labels(look: Look, contract: Contract) -> bool:
    """Whether samples of one label, of which nothing is to be balanced, are all filled up or all cut."""
    looks = [
        look(contract, length, RANKS, features={"labels": [0] * length}) for length in (UNEVEN - 1, UNEVEN)
    ]
    is_filled = {epoch.total > one.case.length for one in looks for epoch in one.epochs}
    return len(is_filled) == 1


def _with_padding(coverage: Sign, looks: Iterable[Trace]) -> Sign:
    """Return the sign of a part, with its padding where that makes ranks equal in one of several lengths."""
    if coverage not in (SUBSET, PARTS, GROWS) or not any(map(_is_padded, looks)):
        return coverage
    return replace(
        coverage, fields={**coverage.fields, "tail": "pad"}, words=f"{coverage.words} and fill it up"
    )


def _is_padded(together: Trace) -> bool:
    """Whether ranks repeat as little as makes them equal."""
    often = [one.total - len(one.distinct) for one in together.epochs]
    even = all(len(set(one.samples)) == 1 for one in together.epochs)
    return any(often) and max(often) < RANKS and even


def _is_balanced(alone: Trace, scope: Scope) -> bool:
    """Whether in each epoch no sample is left out, and labels of several sizes come equally often."""
    if "labels" not in scope.named:
        return False
    labels = feature(alone.case, "labels")
    sizes = set(Counter(labels).values())
    shares = [set(Counter(labels[i] for i in one).values()) for one in samples_of(alone, 0)]
    whole = all(len(epoch.distinct) == LENGTH for epoch in alone.epochs)
    return whole and len(sizes) > 1 and all(len(one) == 1 for one in shares)


def _is_dealt_in_turn(together: Trace) -> bool:
    """Whether the ranks take one stream in turn, as far as one lap shows it: it holds every sample once."""
    taken = [samples_of(together, rank)[0] for rank in range(RANKS)]
    lap = [sample for turn in zip(*taken, strict=False) for sample in turn]
    return sorted(lap[:UNEVEN]) == list(range(UNEVEN))


def _tails(look: Look, contract: Contract, together: Trace, scope: Scope) -> list[Sign]:
    """Return what happens to what does not divide: by samples, batches, steps or groups."""
    found = list(_tail(together, scope))
    if found == [DROPS] and _keeps_rounds(look(contract, ROUNDS_AND_MORE, RANKS), GLOBAL_BATCH):
        found = [DROPS_BATCHES]
    if found in ([], [DROPS_BATCHES]) and BATCHING & scope.named and _drops_steps(look, contract):
        found = [DROPS_STEPS]
    return [*found, *(_tail_of_groups(look, contract, scope) if GROUPS & scope.named else ())]


def _tail(together: Trace, scope: Scope) -> Iterator[Sign]:
    """Yield what happens to what does not divide, where nothing else is lost or repeated."""
    if any(len(epoch.ranks) < RANKS for epoch in together.epochs):
        return
    totals = {epoch.total for epoch in together.epochs}
    apart = max(max(epoch.samples) - min(epoch.samples) for epoch in together.epochs)
    if totals == {-(-UNEVEN // GLOBAL_BATCH) * GLOBAL_BATCH} and not apart and BATCHING & scope.named:
        yield FILLS_BATCHES
    if any(len(epoch.distinct) < epoch.total for epoch in together.epochs):
        return
    if totals == {UNEVEN} and apart:
        yield KEEPS if apart == 1 or "batch_size" not in scope.named else KEEPS_BATCHES
    if totals == {UNEVEN - UNEVEN % RANKS} and not apart and "drop_last" not in scope.named:
        yield DROPS


def _tail_of_groups(look: Look, contract: Contract, scope: Scope) -> list[Sign]:
    """Return that labels or datasets are filled up or cut each by itself, which is not what all are."""
    traces = [look(contract, length, RANKS) for length in range(UNEVEN, ROUNDS_AND_MORE + 1)]
    if not all(one.is_whole for one in traces):
        return []
    unit = GLOBAL_BATCH if scope.kind == "batches" else RANKS
    parts = [Counter(groups_of(one.case, scope.named)).values() for one in traces]
    filled = [sum(-(-size // unit) * unit for size in sizes) for sizes in parts]
    cut = [sum(size // unit * unit for size in sizes) for sizes in parts]
    epochs = [(number, epoch) for number, one in enumerate(traces) for epoch in one.epochs]
    if all(len(epoch.distinct) == epoch.length and epoch.total == filled[at] for at, epoch in epochs):
        return [FILLS_GROUPS]
    once = all(len(epoch.distinct) == epoch.total == cut[at] for at, epoch in epochs)
    return [DROPS_GROUPS] if once and "drop_last" not in scope.named else []


def _keeps_rounds(together: Trace, size: int) -> bool:
    """Whether whole rounds of so many samples are all that is left."""
    total = together.case.length // size * size
    return together.is_whole and all(one.total == len(one.distinct) == total for one in together.epochs)


def _drops_steps(look: Look, contract: Contract) -> bool:
    """Whether ranks take a multiple of 2, 3 or 4 steps, as gradients of so many are added up."""
    traces = [look(contract, GLOBAL_BATCH * number, RANKS) for number in (5, 6, 7, 9)]
    return any(all(_keeps_rounds(one, GLOBAL_BATCH * steps) for one in traces) for steps in (2, 3, 4))


def _varying_tail(look: Look, contract: Contract) -> Iterator[Sign]:
    """Yield that batches of several sizes are left out, where that makes the numbers of steps equal.

    How many batches there are, samples alone do not say: of several lengths one leaves some out.
    """
    traces = [look(contract, length, RANKS) for length in range(FEWEST, ROUNDS_AND_MORE + 1)]
    epochs = [(trace.case.length, epoch) for trace in traces if trace.is_whole for epoch in trace.epochs]
    even = all(len(set(epoch.steps)) == 1 and len(epoch.distinct) == epoch.total for _, epoch in epochs)
    if even and any(epoch.total < length for length, epoch in epochs):  # drop_last, if any, is not asked for
        yield DROPS


def _placeless(together: Trace, passes: Passes) -> Iterator[Sign]:
    """Yield that each rank goes through the whole, and whether each would do so in its own way."""
    ranks = [samples_of(together, rank) for rank in range(RANKS)]
    if all(len(one[0]) >= UNEVEN * len(passes[0]) // LENGTH - 1 for one in ranks):
        yield ALONE
        if any(one != ranks[0] for one in ranks):
            yield APART


def _is_cut_at_will(look: Look, contract: Contract, scope: Scope) -> bool:
    """Whether a short batch comes anywhere, where no rank waits for it or nobody says how large it is."""
    if "batch_size" in scope.named and (PLACE & scope.named or "finds_place" in scope.traits):
        return False
    uneven = look(contract, UNEVEN - 1, 1)
    return uneven.is_whole and uneven.is_readable and _varies(uneven)


def _varies(alone: Trace) -> bool:
    """Whether batches before the last are of several sizes."""
    return any(one.sizes is not None and len(set(one.sizes[:-1])) > 1 for one in alone.of("epochs")[0].passes)
