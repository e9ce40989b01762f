"""The frontier: few cases beyond the small scope, each where a number triggers a kind of bug.

Called by the engine. A large batch, a seed of more than 31 bits, a sum of seed and epoch across 2^32, worlds
and lengths at powers of two and beside them, lengths across 2^15 and 2^16. No Hypothesis: what is drawn
depends on the target's names, the profile and the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import count
from random import Random

from samplercheck.search.axes import Options, batch_of
from samplercheck.search.profiles import COST_OF_A_RANK, COST_OF_COLLECTIVES, FEW, LARGEST_SEED, Profile
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.owed import LAPS, MOST_GROUPS, compute_owed, may_fill_batches, may_fill_groups

EPOCHS = 2
LIGHT = 20_000
"""Samples dealt out in a case that every law may judge."""
MOST_TURNS = 40
LONGEST_SWEPT, DEAREST_SWEPT = 400, 0.6
"""None of those has more samples than such a part of what the frontier may have."""
WORLDS = (16, 64, 8, 32, 128, 256, 512, 1_024)
BETWEEN = tuple(world for world in range(6, 49) if world & (world - 1))
BATCHES = (64, 128, 1_024, 256, 512, 32)
FEW_IN_BATCH, MANY_IN_BATCH = 16, 100
BITS = (31, 32, 63)
FIRST_BEYOND = (1, 2)
Size = tuple[int, int, int, int]
"""Length, world size, batch size and seed."""


def frontier_cases(
    binding: Binding,
    options: Options,
    profile: Profile,
    seed: int,
    *,
    stops: bool = False,
    collectives: bool = False,
) -> tuple[list[Case], list[Case]]:
    """Return cases that every law may judge, and heavy ones for the laws that need one pass of each epoch.

    All kinds take turns until the profile's budget is spent; what is too heavy for a target is left out.
    """
    random = Random(f"frontier {seed}")
    left = budget = profile.frontier // (COST_OF_COLLECTIVES if collectives else 1)
    affordable, contract = profile.frontier_total, binding.contract
    light: dict[Case, None] = {}
    heavy: dict[Case, None] = {}
    for turn in count():
        before = left
        for kind in _KINDS:
            case = _case(binding, options, kind(random, turn), random)
            # Endless passes are taken for as many steps as there are samples, and each may be a whole batch.
            times = LAPS * case.batch_size if contract.endless else 1
            cost = cost_of(case, contract, profile.steep) * times
            share = cost if cost <= LIGHT else cost // profile.light_by
            is_new = case not in light and case not in heavy
            if is_new and cost <= min(left, budget // 3) and share <= affordable:
                left -= cost
                affordable -= share
                if cost <= LIGHT:
                    light[case.but(stop=random.randint(0, 3) if stops else None)] = None
                else:
                    heavy[case] = None
        if turn >= MOST_TURNS or (left == before and turn >= len(WORLDS)) or left < budget // 10:
            break
    return sorted(light), sorted(heavy)


def sweep_cases(binding: Binding, options: Options, profile: Profile, seed: int) -> list[Case]:
    """Return cases of each number of ranks up to the widest and of as many lengths: arithmetic errs in few.

    Behind them come the powers of two, to 1,024 where large worlds are drawn. For the laws that need one pass
    of each epoch, and for no more than the frontier's time once more.
    """
    random, batches = Random(f"sweep {seed}"), Random(f"batches {seed}")
    affordable = profile.frontier_total
    near = profile.sweep * 4
    swept: dict[Case, None] = {}
    for size in _swept_sizes(random, batches, profile.sweep, near, max(near, profile.large_world)):
        case = _case(binding, options, size, random)
        case = case.but(drop_last=False) if case.world_size > profile.sweep else case
        cost = cost_of(case, binding.contract, profile.steep)
        affordable -= cost // profile.light_by
        if affordable < 0 or cost > profile.frontier_total * DEAREST_SWEPT:
            break
        swept[case] = None
    return sorted(swept)


def _swept_sizes(random: Random, batches: Random, sweep: int, near: int, widest: int) -> Iterator[Size]:
    for world in range(BETWEEN[0], sweep + 1):
        rounds = world * random.randint(1, 3) + random.randint(-2, 2)
        rounds = random.choice((random.randint(1, world), rounds))
        yield _whole_rounds().get(world, rounds), world, random.randint(1, 4), 0
        length, ranks = random.randint(13, LONGEST_SWEPT), random.randint(2, 16)
        few, many = random.randint(1, FEW_IN_BATCH), batches.randint(FEW_IN_BATCH, MANY_IN_BATCH)
        yield length, ranks, batches.choice((few, many)), 0
    for world in (one for one in sorted(WORLDS) if sweep < one <= widest):
        if world <= near:  # wider ones are dear where it has to be told whether luck made orders alike
            yield random.randint(1, FEW), world, 1, 0
        tail = random.randint(1, FEW)
        yield world + (world if near < world < widest else tail), world, 1, 0  # twice: without a tail


def cost_of(case: Case, contract: Contract, steep: tuple[int, int] | None = None) -> int:
    """Return the number of samples that ranks meet in a case, those included that fill up global batches.

    Of those that fill up each group half as many are expected as there may be. A rank costs something without
    samples, too. Longer cases than a ``steep`` one count several times, and those of smaller batches.
    """
    filled = compute_owed(case, contract, batched=False).padding if may_fill_batches(contract) else 0
    if may_fill_groups(contract):
        filled = min(case.length, MOST_GROUPS) * case.world_size * case.batch_size // 2
    length, batch_size = steep or (case.length or 1, 1)
    times = max(1, case.length // length) * max(1, batch_size // case.batch_size)
    return times * case.world_size * (case.length + filled + COST_OF_A_RANK)


def describe_frontier(cases: Iterable[Case]) -> str:
    """Return how far some cases reach: what was tried, and not what might have been."""
    tried = list(cases)
    if not tried:
        return "nothing that fits the budget"
    parts = [f"length to {max(case.length for case in tried):,}"]
    parts.append(f"world to {max(case.world_size for case in tried):,}")
    long = max(
        tried, key=lambda case: (case.world_size > 1 and case.length) and case.world_size * case.length
    )
    parts.append(f"both at once to world {long.world_size:,} with length {long.length:,}")
    batch, seed = max(case.batch_size for case in tried), max(case.seed for case in tried)
    parts += [f"batch to {batch:,}"] if batch > 1 else []
    parts += [f"seeds to {seed:,}" if seed < 2**31 else f"seeds of {seed.bit_length()} bits"] if seed else []
    return ", ".join(parts)


def _case(binding: Binding, options: Options, size: Size, random: Random) -> Case:
    """Return the case of a size, with what the target does not name pinned."""
    length, world, batch, seed = size
    named, step = binding.varied, binding.contract.replicas
    alone = binding.contract.sharding == "none"
    world_size = step * (1 if alone else max(1, world // step))
    return Case(
        length=length,
        world_size=world_size,
        batch_size=batch_of(binding, batch, world_size),
        shuffle="shuffle" in named and random.random() < 2 / 3,
        drop_last="drop_last" in named and random.random() < 1 / 2,
        seed=seed if "seed" in named else 0,
        epochs=EPOCHS,
        options=random.choice(options),
    )


def _beside(random: Random, number: int) -> int:
    """Return a number or, half of the time, one of its neighbours."""
    return max(1, number + random.choice((0, 0, -1, 1)))


def _pick(numbers: Sequence[int], turn: int) -> int:
    return numbers[turn % len(numbers)]


def _large_batch(random: Random, turn: int) -> Size:
    batch, beside = _pick(BATCHES, turn), _beside(random, _pick(BATCHES, turn))
    batch = batch if turn < len(BATCHES) else beside
    world = random.randint(1, 4)
    return batch * world * random.randint(1, 3) + random.randint(1, batch), world, batch, random.randint(0, 3)


def _large_seed(random: Random, turn: int) -> Size:
    bits = _pick(BITS, turn)
    low, high = (2**31, 2**32) if bits == BITS[0] else (2**32, LARGEST_SEED)
    return random.randint(2, 99), random.randint(1, 4), random.randint(1, 4), random.randint(low, high - 1)


def _sum_across(random: Random, turn: int) -> Size:
    """The last seed below a number of bits: with the epoch added it has one more."""
    seed = min(2 ** _pick((32, 31), turn) - 1, LARGEST_SEED)
    return random.randint(2, 99), random.randint(1, 4), random.randint(1, 4), seed


def _wide(random: Random, turn: int) -> Size:
    """A power of two of ranks, or one more or less, with from less than a sample to some for each."""
    world = _pick(WORLDS, turn) if turn < len(WORLDS) else _beside(random, _pick(WORLDS, turn))
    length = random.choice((random.randint(1, world), world * random.randint(1, 8) + random.randint(-1, 1)))
    return length, world, random.randint(1, 4), random.randint(0, 3)


def _wide_and_long(random: Random, turn: int) -> Size:
    """More than a thousand samples; mostly without a tail, which might bring again what a rank left out."""
    world = random.randint(65, 72) if turn == 0 else _beside(random, _pick((128, 96, 256, 72, 512), turn))
    length = random.randint(1_000, 1_100)
    length += -length % world * (turn % 3 > 0)
    return length, world, random.randint(1, 8), random.randint(0, 3)


def _many_rounds(random: Random, turn: int) -> Size:
    world = _beside(random, _pick(WORLDS[:5], turn))
    length = world * random.randint(1, 20 if turn == 0 else 100) + random.randint(-1, 1)
    return length, world, random.randint(1, 33), random.randint(0, 3)


def _across_bits(random: Random, turn: int) -> Size:
    """So many samples that their places, or products of two, need more bits; few ranks make it cheap.

    Of each number of bits one length is the first that does.
    """
    power, more = _pick((3 * 2**15, 2**15, 2**16), turn), random.randint(-1 if turn else 1, 40)
    length = power + (1 if turn in FIRST_BEYOND else more)
    return length, 1 + turn % 2, random.choice((64, 100, 128)), random.randint(0, 3)


def _power_of_samples(random: Random, turn: int) -> Size:
    length = 2 ** random.randint(5, 12)
    world = random.choice((1, 2, 4, 8, 3, 7))
    length = length if turn % 2 == 0 else _beside(random, length)
    return length, world, random.choice((1, 2, 4, 8, 5)), turn % 2


def _between(random: Random, turn: int) -> Size:
    """Worlds that are no power of two; every second time ``world * (length / world)`` is less than length."""
    world = random.choice(BETWEEN)
    length = random.randint(world, 12 * world)
    if turn % 2 == 0:
        length, world = random.choice(_rounded())
    return length, world, random.randint(1, 4), turn % 2


@cache
def _rounded() -> tuple[tuple[int, int], ...]:
    tried = ((length, world) for world in BETWEEN for length in range(world, 13 * world))
    return tuple((length, world) for length, world in tried if int(world * (length / world)) != length)


@cache
def _whole_rounds() -> dict[int, int]:
    """Return by world size the first whole rounds of which ``length * (1 / world)`` is no whole number."""
    tried = ((world, world * times) for times in range(8, 0, -1) for world in range(6, 256))
    return {world: length for world, length in tried if not (length * (1 / world)).is_integer()}


_KINDS: tuple[Callable[[Random, int], Size], ...] = (
    _large_batch,
    _large_seed,
    _sum_across,
    _wide,
    _wide_and_long,
    _power_of_samples,
    _across_bits,
    _many_rounds,
    _between,
)
