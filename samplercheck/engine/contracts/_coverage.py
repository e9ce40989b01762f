"""Signs of coverage: whether epochs hold each sample once, several times, or some of them alone.

Read by ``_signs`` of what one rank alone yields, and of the padding of several. Values alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from samplercheck.engine.contracts._changes import REPLACED
from samplercheck.engine.contracts._orders import Look, Passes, samples_of
from samplercheck.engine.contracts._sign import (
    BALANCES,
    BY_CHANCE,
    DRAWS,
    DRAWS_ON,
    GROWS,
    KEEPS,
    KEEPS_SHARES,
    OF_A_PART,
    ONCE,
    PARTS,
    PICKS,
    REPEATS,
    REPEATS_A_PART,
    RETURNS,
    SUBSET,
    WALKS,
    Sign,
)
from samplercheck.engine.contracts._walks import (
    FEW,
    MORE,
    begins_again,
    find_cycle,
    goes_round,
    mixes_copies,
)
from samplercheck.laws.law import GROUPING, Scope
from samplercheck.targets.features import feature
from samplercheck.values.contract import Contract
from samplercheck.values.report import Proposal
from samplercheck.values.trace import Trace

RANKS, BATCH = 3, 2
UNEVEN, TWICE = 26, 48
"""So many do not divide by the ranks, nor by the ranks and batches of two."""
REPEATED, LEFT_OUT, MOSTLY, RETURNING = 3, 12, 2, 8
"""Of a part of the dataset that is meant at least one in so many samples is left out; half is most of it.
What comes again, or is picked by its label, is meant from one in eight on."""
SHARED, GROUPS = GROUPING | {"datasets"}, frozenset({"labels", "datasets"})


def find_coverage(look: Look, contract: Contract, alone: Trace, scope: Scope) -> Sign | None:
    """Return what one rank alone does that yields not each sample once, where it is no slip."""
    passes, length = samples_of(alone, 0), alone.case.length
    counts = [Counter(one) for one in passes]
    repeated = min(sum(number > 1 for number in one.values()) for one in counts)
    left_out = [length - len(one) for one in counts]
    numbers = {number for one in counts for number in one.values()}
    differs = len({frozenset(one.items()) for one in counts}) == len(counts)
    goes_beyond = differs and min(map(len, passes)) >= MOSTLY * length
    fewest = 1 if "datasets" in scope.named and differs else REPEATED  # of datasets that are mixed few do
    # What draws does not take the very same samples in each epoch, in another order.
    is_chosen = any(one != passes[0] for one in passes) and all(one == counts[0] for one in counts)
    if repeated >= fewest and len(numbers) > 1 and (min(left_out) or goes_beyond) and not is_chosen:
        is_whole = not any(left_out) and _yields_all(look, contract)
        return RETURNS if is_whole else _find_draws(look, contract, scope)
    if len(numbers) == 1 and numbers != {1}:
        shuffled = look(contract, length, 1, shuffle=True) if "shuffle" in scope.named else alone
        (repeats,) = numbers
        is_meant = not any(left_out) or _come_as_often(look, contract, repeats, 2 * length)
        return _repetition(repeats, samples_of(shuffled, 0), left_out, length) if is_meant else None
    if numbers == {1} and min(left_out) * LEFT_OUT >= length:
        longer = look(contract, 2 * length, 1)
        if longer.is_whole and longer.has_steps:
            missing = 2 * length - len(set(samples_of(longer, 0)[0]))
            part = SUBSET if _is_one_part(passes, scope) else PARTS
            if part is PARTS:
                part = WALKS if begins_again(look, contract) else find_cycle(look, contract, length) or PARTS
            return part if missing * 2 >= left_out[0] * 3 else None
    if numbers == {1} and left_out == sorted({*left_out}, reverse=True) and left_out[0] * LEFT_OUT >= length:
        return GROWS
    if min(left_out) * (RETURNING if "labels" in scope.named else MOSTLY) >= length and _differ(passes):
        return PICKS if "labels" in scope.named else _find_draws(look, contract, scope)
    return None if any(left_out) else _find_whole(look, contract, alone, scope, repeated)


def _find_draws(look: Look, contract: Contract, scope: Scope) -> Sign:
    """Return draws with replacement, or those of single samples, of which a batch of few may hold none."""
    if scope.kind != "batches" or "batch_size" in scope.named:
        return DRAWS
    few = look(contract, RANKS, 1, epochs=MORE)
    batches = [size for one in few.of("epochs")[0].passes for size in one.sizes or ()] if few.is_whole else []
    return BY_CHANCE if min(batches, default=1) == 0 < max(batches, default=0) else DRAWS


def _is_one_part(passes: Passes, scope: Scope) -> bool:
    """Whether all epochs hold one part, of which each may drop what fills no batch."""
    dropped = max(BATCH, scope.own_batch.size) - 1 if scope.kind == "batches" else 0
    return len({*chain.from_iterable(passes)}) - min(map(len, passes)) <= dropped


def _find_whole(look: Look, contract: Contract, alone: Trace, scope: Scope, repeated: int) -> Sign | None:
    """Return what epochs that leave nothing out do besides; ``repeated`` is how many come more than once."""
    if contract.coverage == "sampled" and not repeated:
        return ONCE
    if _is_balanced(alone, scope):
        if _yields_all(look, contract):
            return replace(BALANCES, fields=RETURNS.fields)
        return replace(BALANCES, hides=not _is_even_without_labels(look, contract))
    return RETURNS if _come_again(look, contract, repeated, alone.case.length) else None


def _come_again(look: Look, contract: Contract, repeated: int, length: int) -> bool:
    """Whether a part of the samples comes again in each epoch, of more samples more."""
    if repeated * RETURNING < length:
        return False
    longer = look(contract, 2 * length, 1)
    counts = [Counter(one) for one in samples_of(longer, 0)] if longer.is_whole and longer.has_steps else []
    again = [sum(number > 1 for number in one.values()) for one in counts if len(one) == 2 * length]
    return len(again) == len(counts) > 0 and min(again) * 2 >= repeated * 3


def _yields_all(look: Look, contract: Contract) -> bool:
    """Whether no epoch of one rank leaves samples out, and several ranks cut nothing of what it yields.

    Ranks that leave samples out all the same have another reason, which is none to promise less.
    """
    alone = [look(contract, length, 1) for length in (*range(1, FEW + 1), TWICE)]
    if any(not one.is_whole or any(e.different < e.length for e in one.epochs) for one in alone):
        return False
    pairs = ((look(contract, UNEVEN + more, ranks) for ranks in (1, RANKS)) for more in range(RANKS))
    return all(
        one.total <= several.total
        for whole, dealt in pairs
        for one, several in zip(whole.epochs, dealt.epochs, strict=False)
    )


def _repetition(repeats: int, passes: Passes, left_out: list[int], length: int) -> Sign | None:
    """Return that each sample comes so often, or each of a part, of which epochs hold another one each."""
    if not any(left_out):
        each = Sign(fields={"repeats": repeats}, words=REPEATS.format(repeats=repeats))
        return RETURNS if goes_round(passes, length) or mixes_copies(passes, length) else each
    if min(left_out) * LEFT_OUT < length or not _differ(passes):
        return None
    words = REPEATS_A_PART.format(repeats=repeats)
    return Sign(fields={**OF_A_PART, "repeats": repeats}, words=words, allows=True)


def _come_as_often(look: Look, contract: Contract, repeats: int, length: int) -> bool:
    """Whether the samples of a part come as often among more of them: one that fills it all does not."""
    longer = look(contract, length, 1)
    counts = map(Counter, samples_of(longer, 0)) if longer.is_whole else []
    return {number for one in counts for number in one.values()} == {repeats}


def _differ(passes: Passes) -> bool:
    """Whether each epoch holds other samples than all others."""
    return len({frozenset(one) for one in passes}) == len(passes)


def find_draws_without_an_end(alone: Trace, scope: Scope) -> Sign | None:
    """Return that an endless pass draws: in its first laps samples come more often than there are laps.

    Datasets that are each gone through, and mixed, need few samples to show it.
    """
    taken, length = samples_of(alone, 0)[0], alone.case.length
    laps = range(1, len(taken) // length + 1)
    counts = [(lap, Counter(taken[: lap * length])) for lap in laps]
    often = max((sum(number > lap for number in one.values()) for lap, one in counts), default=0)
    if often < (1 if "datasets" in scope.named else REPEATED):
        return None
    unjudged = {"frequencies": "unjudged"} if SHARED & scope.named and "weights" not in scope.named else {}
    return replace(DRAWS_ON, fields={**DRAWS_ON.fields, **unjudged})


def _is_even_without_labels(look: Look, contract: Contract) -> bool:
    """Whether samples of one label, of which nothing is to be balanced, are all filled up or all cut."""
    looks = [
        look(contract, length, RANKS, features={"labels": [0] * length}) for length in (UNEVEN - 1, UNEVEN)
    ]
    is_filled = {epoch.total > one.case.length for one in looks for epoch in one.epochs}
    return len(is_filled) == 1


def with_ends(coverage: Sign | None, looks: Iterable[Trace], scope: Scope, *, varies: bool) -> list[Sign]:
    """Return the sign, of a part with its padding where that makes ranks equal in one of several lengths.

    It is padded by samples, or by whole batches, which are counted where they vary in size. Nothing pads what
    is evaluated in order, nor the shares of ranks that go by groups.
    """
    if coverage is None or (coverage not in (SUBSET, PARTS, GROWS) and "cycle" not in coverage.fields):
        return [coverage] if coverage else []
    looks = [*looks]
    by_batch = any(map(_repeats_batches, looks))
    if not by_batch and not any(map(_is_padded, looks)):
        kept = _keeps_ends(looks, scope)
        return [_join(coverage, kept) if kept else coverage]
    padded = {"tail": "pad", **({"tail_unit": "batch"} if by_batch and not varies else {})}
    words = f"{coverage.words} and fill it up"
    return [replace(coverage, fields={**coverage.fields, **padded}, words=words)]


def _join(one: Sign, other: Sign) -> Sign:
    return replace(one, fields={**one.fields, **other.fields}, words=f"{one.words} and {other.words}")


def _keeps_ends(looks: Iterable[Trace], scope: Scope) -> Sign | None:
    """Return that ranks differ by one sample of what is in order, or by their shares of the groups."""
    epochs = [epoch for one in looks for epoch in one.epochs if any(epoch.samples)]
    apart = max((max(one.samples) - min(one.samples) for one in epochs), default=0)
    if apart > BATCH and GROUPS & scope.named:
        return KEEPS_SHARES
    ascends = all(list(one.items) == sorted(one.items) for epoch in epochs for one in epoch.passes)
    return KEEPS if apart == 1 and ascends else None


def _repeats_batches(together: Trace) -> bool:
    """Whether ranks repeat as few whole batches as make their numbers of steps equal."""
    if not together.batched or any(len(set(one.steps)) > 1 for one in together.epochs):
        return False
    batches = [Counter(tuple(b) for one in epoch.passes for b in one.batches()) for epoch in together.epochs]
    again = [one - Counter(set(one)) for one in batches]
    samples = [sum(len(batch) * number for batch, number in one.items()) for one in again]
    is_whole = samples == [epoch.total - epoch.different for epoch in together.epochs]
    return is_whole and 0 < max(one.total() for one in again) < RANKS


def _is_padded(together: Trace) -> bool:
    """Whether ranks repeat as little as makes them equal."""
    often = [one.total - one.different for one in together.epochs]
    even = all(len(set(one.samples)) == 1 for one in together.epochs)
    return any(often) and max(often) < RANKS and even


def _is_balanced(alone: Trace, scope: Scope) -> bool:
    """Whether in each epoch no sample is left out, and labels of several sizes come equally often."""
    if "labels" not in scope.named:
        return False
    labels = feature(alone.case, "labels")
    sizes = set(Counter(labels).values())
    shares = [set(Counter(labels[i] for i in one).values()) for one in samples_of(alone, 0)]
    whole = all(epoch.different == alone.case.length for epoch in alone.epochs)
    return whole and len(sizes) > 1 and all(len(one) == 1 for one in shares)


def list_drawn(proposal: Proposal | None) -> frozenset[str]:
    """Return the laws that a target breaks by chance, as it draws with replacement; no walk does."""
    if proposal is None or proposal.hides or not {BALANCES.words, WALKS.words}.isdisjoint(proposal.signs):
        return frozenset()
    is_whole = proposal.contract.get("frequencies") == "at_least_once"
    draws = DRAWS.fields.items() <= proposal.contract.items() and not is_whole
    return REPLACED.intersection(proposal.settled) if draws else frozenset()
