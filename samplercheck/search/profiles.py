"""Profiles: versioned lists of scopes and budgets, named on the command line and in reports.

Read by the engine and the search. And how far a phase of the search has come, as the command line
shows it. Imports the standard library alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from samplercheck.values.errors import UsageError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How far a run looks; what a profile does not say is as in the profile standard.

    The small scope is exhaustive: every length up to ``longest``, every world up to ``widest`` and
    so on. ``examples`` large cases follow, within ``large_length``, ``large_world`` and at most
    ``large_work`` samples dealt out to ranks in one of them. ``group_cases`` are chosen for real
    process groups, ``group_cases_asked`` where the user asks for such a world by name. ``patience``
    are the numbers of epochs by which frequencies are judged, one after the other. ``frontier`` is what the
    cases between the small scope and the large ones may cost, in samples that ranks meet; ``sweep`` is the
    widest of the worlds that are then tried one by one. They and the large
    ones may take ``frontier_seconds`` and ``large_seconds`` of a processor; what that pays for is in
    ``frontier_total`` and ``large_total``, once what a sample takes is known; it is ``light_by`` times less
    where few laws judge a case. ``steep`` are the length and the batch size that were measured of a target
    whose passes take more for each sample, the longer they are. Where the small scope takes more than
    ``small_seconds``, most laws judge a part of its cases. Under a ``strict`` profile a test of a law that
    stays undecided fails, under one that ``spawns`` loaders have a spawned worker in a case. ``modest``
    cases of modest size are drawn before the large ones, ``at_once`` so many with one value of each
    strategy; where a profile ``pairs``, a small scope that had to be cut is followed by cases in which every
    two values of the whole scope meet.
    """

    name: str
    version: int = 2
    longest: int = 12
    widest: int = 5
    batches: tuple[int, ...] = (1, 2, 3)
    seeds: tuple[int, ...] = (0, 1)
    epochs: int = 3
    examples: int = 112
    large_length: int = 10_000
    large_world: int = 1_024
    large_work: int = 48_000
    most_small: int = 12_000
    group_cases: int = 60
    group_cases_asked: int = 60
    patience: tuple[int, ...] = (48, 384, 3_072)
    frontier: int = 4_000_000
    sweep: int = 96
    large_seconds: float = 6.0
    frontier_seconds: float = 4.0
    frontier_total: int = sys.maxsize
    large_total: int = sys.maxsize
    light_by: int = 6
    steep: tuple[int, int] | None = None
    small_seconds: float = 6.0
    strict: bool = False
    spawns: bool = True
    modest: int = 0
    at_once: int = 1
    pairs: bool = False

    @property
    def label(self) -> str:
        """Name and version, as in ``standard@1``."""
        return f"{self.name}@{self.version}"


_QUICK = Profile(
    name="quick",
    spawns=False,
    examples=0,
    large_length=0,
    large_world=0,
    large_work=0,
    group_cases=0,
    group_cases_asked=20,
    patience=(48, 384),
    frontier=320_000,
    sweep=64,
    large_seconds=0.0,
    frontier_seconds=2.0,
    small_seconds=2.0,
)
_STRICT = Profile(name="strict", strict=True)
_NIGHTLY = Profile(
    name="nightly",
    longest=16,
    widest=8,
    batches=(1, 2, 3, 5),
    seeds=(0, 1, 2**31 - 1),
    epochs=4,
    examples=2_000,
    large_length=1_000_000,
    large_world=4_096,
    large_work=4_000_000,
    most_small=60_000,
    group_cases=200,
    group_cases_asked=200,
    patience=(48, 384, 3_072, 9_000),
    frontier=40_000_000,
    sweep=1_024,
    large_seconds=7_200.0,
    frontier_seconds=60.0,
)
_CERTIFY = Profile(
    name="certify",
    longest=24,
    widest=8,
    batches=(1, 2, 3, 4, 5),
    seeds=(0, 1, 2**31 - 1),
    epochs=4,
    examples=500,
    most_small=60_000,
    group_cases=100,
    group_cases_asked=100,
    strict=True,
    modest=19_500,
    pairs=True,
    frontier=40_000_000,
    sweep=256,
    large_seconds=150.0,
    frontier_seconds=40.0,
)

PROFILES = {one.name: one for one in (_QUICK, Profile(name="standard"), _STRICT, _NIGHTLY, _CERTIFY)}

LARGEST_SEED = 2**63 - 2**16  # the epochs are added to it
FEW, FEW_RANKS = 40, 8
COST_OF_A_RANK = 100
COST_OF_A_LOADER = 20
WIDEST_OF_LOADERS = 3
COST_OF_RESUMING = 3
COST_OF_BATCHES = 2
COST_OF_A_BATCH = 8
COST_OF_STREAMS = 3
COST_OF_COLLECTIVES = 80
MODEST_LENGTH, MODEST_WORLD, MODEST_WORK = 1_000, 64, 2_000
MODEST_AT_ONCE = 20  # a draw of Hypothesis costs as much as a modest case


def for_loaders(profile: Profile) -> Profile:
    """Return a profile that looks less far: through a DataLoader a pass costs many times as much."""
    return replace(
        profile,
        widest=min(profile.widest, WIDEST_OF_LOADERS),
        seeds=profile.seeds[:1],
        examples=profile.examples // 2,
        most_small=profile.most_small // COST_OF_A_LOADER // 2,
        large_length=profile.large_length // COST_OF_A_LOADER,
        large_world=profile.large_world // COST_OF_A_LOADER,
        large_work=profile.large_work // COST_OF_A_LOADER,
        patience=profile.patience[:2],
        frontier=profile.frontier // COST_OF_A_LOADER,
        sweep=profile.sweep // COST_OF_A_LOADER,
        modest=profile.modest // COST_OF_A_LOADER // 2,
    )


def for_resuming(profile: Profile) -> Profile:
    """Return a profile whose large cases are long or have many ranks, and seldom both.

    A target with a state is stopped and resumed besides, and nearly always counts in Python as it yields.
    """
    return _costing(profile, COST_OF_RESUMING)


def for_batches(profile: Profile, *, sized: bool) -> Profile:
    """Return a profile with smaller large cases: batches are put together in Python.

    Without a batch size of the case's own (``sized``) they may be as many as the samples.
    """
    return replace(
        _costing(profile, COST_OF_BATCHES),
        large_length=profile.large_length if sized else profile.large_length // COST_OF_A_BATCH,
    )


def for_streams(profile: Profile) -> Profile:
    """Return a profile with smaller large cases: every rank of a stream reads what it leaves to others."""
    return _costing(profile, COST_OF_STREAMS)


def _costing(profile: Profile, times: int) -> Profile:
    return replace(profile, large_work=profile.large_work // times, frontier=profile.frontier // times)


def modestly(profile: Profile, *, collectives: bool = False) -> Profile:
    """Return a profile whose drawn cases are modest and many; fewer where a target uses collectives."""
    return replace(
        profile,
        examples=profile.modest // COST_OF_COLLECTIVES if collectives else profile.modest,
        large_length=min(profile.large_length, MODEST_LENGTH),
        large_world=min(profile.large_world, MODEST_WORLD),
        large_work=min(profile.large_work, MODEST_WORK),
        at_once=MODEST_AT_ONCE,
    )


def affordable(length: int, most: int, work: int | None) -> int:
    """Return how many ranks a dataset of this length may have, at most ``most``; 0 where none.

    A rank costs something even without samples: short datasets do not make wide worlds free.
    """
    return most if work is None else min(most, work // (length + COST_OF_A_RANK))


def find_profile(name: str) -> Profile:
    """Return a profile by its name."""
    if name not in PROFILES:
        raise UsageError(f"Profile {name!r} does not exist. {did_you_mean(name, PROFILES)}")
    return PROFILES[name]


FORECAST = "forecast"
IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Progress:
    """The phase ("stored", "small scope", "large"), the cases done and the cases planned.

    ``done`` equals ``planned`` at the end of a phase that was not cut. In the ``FORECAST``, before them all,
    ``seconds`` are those that all phases together may take; in a long ``IMPORT``, those that it has taken.
    ``about`` is what of a phase is going on, where that takes long.
    """

    phase: str
    done: int
    planned: int
    seconds: float = 0.0
    about: str = ""


Show = Callable[[Progress], None]
"""What hears of progress."""
