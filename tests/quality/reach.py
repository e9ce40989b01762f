"""How often a run tries a case that triggers a bug: the case lists of many seeds, without running a target.

    python -m tests.quality.reach [RUNS]

prints the share of runs for each profile and trigger. Held by ``test_reach.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import samplercheck as sc
from samplercheck.search.dear import for_dear_samples, within
from samplercheck.search.frontier import BETWEEN, frontier_cases, sweep_cases
from samplercheck.search.large import draw_large_cases
from samplercheck.search.profiles import Profile, find_profile
from samplercheck.search.small_scope import scope_of
from samplercheck.search.special import cases_of_epochs
from samplercheck.values.owed import far_epochs

if TYPE_CHECKING:
    from samplercheck.targets.binding import Binding
    from samplercheck.values.case import Case

OPTIONS = ((),)


def _last_epoch(case: Case) -> int:
    return max(case.epochs - 1, *far_epochs(case, sc.Contract()), 0)


def _has_epoch(case: Case, epoch: int) -> bool:
    return epoch < case.epochs or epoch in far_epochs(case, sc.Contract())


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0


def _is_rounded(case: Case) -> bool:
    return int(case.world_size * (case.length / case.world_size)) != case.length


REACHED: dict[str, Callable[[Case], bool]] = {
    "epoch >= 4": lambda case: _last_epoch(case) >= 4,
    "epoch 7": lambda case: _has_epoch(case, 7),
    "epoch 10": lambda case: _has_epoch(case, 10),
    "epoch 100": lambda case: _has_epoch(case, 100),
    "epoch >= 1,000": lambda case: _last_epoch(case) >= 1_000,
    "epoch >= 2^31": lambda case: _last_epoch(case) >= 2**31,
    "batch >= 34": lambda case: case.batch_size >= 34 and case.length >= case.batch_size,
    "batch 34 to 63": lambda case: 34 <= case.batch_size < 64 and case.length >= case.batch_size,
    "seed in 2^31..2^32": lambda case: 2**31 <= case.seed < 2**32,
    "seed + epoch across 2^32": lambda case: case.seed < 2**32 <= case.seed + case.epochs - 1,
    "length >= 1,000, world >= 65": lambda case: case.length >= 1_000 and case.world_size >= 65,
    "length > 10,000": lambda case: case.length > 10_000,
    "length > 2^15": lambda case: case.length > 2**15,
    "length > 2^16": lambda case: case.length > 2**16,
    "world 6 to 48, no power of two": lambda case: case.world_size in BETWEEN,
    "share rounded in floating point": lambda case: case.world_size > 5 and _is_rounded(case),
    "world 16": lambda case: case.world_size == 16,
    "world 64": lambda case: case.world_size == 64,
    "length a power of two >= 32": lambda case: case.length >= 32 and _is_power(case.length),
}


def target(length: int, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int) -> None:
    """Stand for any target that names all this; nothing runs it."""


def tried(binding: Binding, profile: Profile, seed: int) -> Iterable[Case]:
    """Return the cases of one run that partition laws judge, real groups left out."""
    yield from scope_of(binding, profile, OPTIONS).cases()
    yield from cases_of_epochs(binding, OPTIONS, profile.patience[0])
    for cases in frontier_cases(binding, OPTIONS, profile, seed):
        yield from cases
    yield from sweep_cases(binding, OPTIONS, profile, seed)
    large: list[Case] = []
    if profile.examples:
        draw_large_cases(binding, profile, seed, profile.examples, large.append)
    yield from within(large, profile.large_total, binding.contract)


def shares(name: str, runs: int, times: int = 1) -> dict[str, float]:
    """Return for each trigger the share of runs that try it, of targets that take so many times the usual."""
    binding, profile = sc.target(target).bind(), for_dear_samples(find_profile(name), times)
    hits = dict.fromkeys(REACHED, 0)
    for seed in range(runs):
        cases = list(tried(binding, profile, seed))
        for trigger, is_reached in REACHED.items():
            hits[trigger] += any(map(is_reached, cases))
    return {trigger: number / runs for trigger, number in hits.items()}


if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    table = {name: shares(name, runs) for name in ("quick", "standard")}
    for trigger in REACHED:
        print(f"{trigger:34s}", *(f"{name} {found[trigger]:6.0%}" for name, found in table.items()))
