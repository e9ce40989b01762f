"""The large search: cases far beyond the small scope, drawn through Hypothesis.

Called by the engine. What is drawn depends on the target's names, the profile and the seed alone.
Hypothesis mixes constants of whatever local modules are loaded into the numbers that it draws, so
that the same run would differ between processes; it draws coin tosses here, which no constant
touches, and the numbers are made from them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from samplercheck.search.axes import batch_of, draw, is_strategy
from samplercheck.search.profiles import (
    COST_OF_A_BATCH,
    COST_OF_A_RANK,
    FEW,
    FEW_RANKS,
    LARGEST_SEED,
    Profile,
    affordable,
)
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.owed import may_fill_batches

TOSSES = 48
FEW_COPIES = 2
LARGE_BATCH = 33


def draw_large_cases(
    binding: Binding,
    profile: Profile,
    seed: int,
    examples: int,
    use: Callable[[Case], None],
    *,
    stops: bool = False,
) -> None:
    """Hand ``examples`` large cases of a target to ``use``; ``stops`` asks for a place to stop in each.

    A run that is stopped at one place costs a tenth of one that is stopped at all that are interesting.
    """
    left = examples

    def use_some(drawn: tuple[int, dict[str, Any]]) -> None:
        nonlocal left
        random = Random(drawn[0])
        for _ in range(min(profile.at_once, left)):
            left -= 1
            case = _case(random, binding, profile, drawn[1])
            use(case.but(stop=_stop(random, case)) if stops else case)

    draw(_strategy(binding), use_some, examples=-(-examples // profile.at_once), seed=seed)


def _strategy(binding: Binding) -> SearchStrategy[tuple[int, dict[str, Any]]]:
    """Draw a number, from which cases are made, and a value of each axis that is a strategy."""
    tosses = st.lists(st.booleans(), min_size=TOSSES, max_size=TOSSES)
    axes = {name: values for name, values in sorted(binding.axes.items()) if is_strategy(values)}
    return st.tuples(tosses.map(_number), st.fixed_dictionaries(axes))


def _number(tossed: list[bool]) -> int:
    return sum(toss << place for place, toss in enumerate(tossed))


def _case(random: Random, binding: Binding, profile: Profile, drawn: dict[str, Any]) -> Case:
    """Make a case: sizes that divide, that nearly divide, and any others; small ones often."""
    named, step = binding.varied, binding.contract.replicas
    batch, longest = binding.own_batch.size, profile.large_length
    if "batch_size" in named:  # a batch costs what several samples do
        power = 2 ** random.randint(5, 10) + random.randint(-1, 1)
        batch = random.choice((random.randint(1, 4), random.randint(1, LARGE_BATCH), power))
        batch = min(batch, max(1, longest // COST_OF_A_BATCH))
        longest = min(longest, longest // COST_OF_A_BATCH * batch)
    length = random.choice((random.randint(0, FEW), random.randint(0, longest)))
    most = max(1, affordable(length, profile.large_world, profile.large_work) // step)
    if binding.contract.sharding == "none":
        most = min(most, FEW_COPIES)  # every rank yields everything: more of them say no more
    fills, is_sized = may_fill_batches(binding.contract), "batch_size" in named
    if fills and not is_sized:
        most = min(most, max(1, isqrt(profile.large_work // batch) // step))
    power = min(most, 2 ** random.randint(3, 10) + random.choice((0, 0, -1, 1)))
    world = step * random.choice(
        (
            random.randint(1, min(FEW_RANKS, most)),
            min(random.randint(1, most), random.randint(1, most)),
            power,
        )
    )
    batch = batch if is_sized else batch_of(binding, batch, world)
    if fills and is_sized:  # what is repeated for that is dealt out, too
        batch = min(batch, max(1, (profile.large_work // world - length - COST_OF_A_RANK) // world))
    if random.random() < 1 / 3:  # beside a whole number of global batches
        length = length // (world * batch) * world * batch + random.randint(-1, 1)
        length = min(max(0, length), profile.large_length)
    options = {
        name: drawn[name] if name in drawn else random.choice(list(values))
        for name, values in binding.axes.items()
    }
    return Case(
        length=length,
        world_size=world,
        batch_size=batch,
        shuffle="shuffle" in named and random.random() < 1 / 2,
        drop_last="drop_last" in named and random.random() < 1 / 2,
        seed=_seed(random) if "seed" in named else 0,
        epochs=random.randint(2, 4),
        options=options,  # type: ignore[arg-type]  # a case takes mappings
    )


def _stop(random: Random, case: Case) -> int:
    """Return where a pass of one rank is stopped: near its beginning, or anywhere."""
    each = case.length // (case.world_size * case.batch_size)
    return random.choice((random.randint(0, min(2, each)), random.randint(0, each)))


def _seed(random: Random) -> int:
    return random.choice(
        (
            random.randint(0, 3),
            random.randint(0, 2**31 - 1),
            random.randint(2**31, 2**32 - 1),
            2 ** random.randint(31, 32) - random.randint(1, 3),
            random.randint(0, LARGEST_SEED),
        )
    )
