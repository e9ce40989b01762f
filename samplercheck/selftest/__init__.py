"""Selftest: planted bugs and sound samplers that come with the kit, judged on this machine.

It tells whether this installation can see: every bug must be seen by its law, and no sound sampler be
accused. Called by the command line; imports torch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from samplercheck.contract import Contract
from samplercheck.engine import cases_to_look_at, look, probe
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.law import always
from samplercheck.search.profiles import find_profile
from samplercheck.selftest import bugs, samplers
from samplercheck.targets import Target
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from samplercheck.laws.law import Law
    from samplercheck.worlds import HomeWorld

__all__ = ["PAIRS", "Pair", "Told", "selftest"]

LAWS = {law.code: law for law in ALL_LAWS}
PROFILE = "certify"
ANY = "SC101"
"""A law that looks at every small case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A planted bug, the law that must see it, and the sound sampler that it was made from."""

    law: str
    bug: type[Any]
    sound: type[Any]
    contract: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one sampler: which law looked at it, whether that was right, and what was seen."""

    name: str
    law: str
    ok: bool
    says: str


_DRAWN = {"sharding": "none", "coverage": "sampled", "order": "shuffled", "resume": "none"}
_STREAM = {"tail": "keep", "order": "free", "epochs": "fixed"}

PAIRS = (
    Pair(law="SC001", bug=bugs.NeedsASampleForEachRank, sound=samplers.Dealing),
    Pair(law="SC003", bug=bugs.TakesAnyRank, sound=samplers.Dealing),
    Pair(law="SC102", bug=bugs.LosesTheTail, sound=samplers.Dealing),
    Pair(law="SC104", bug=bugs.KeepsTheUnevenTail, sound=samplers.Dealing),
    Pair(law="SC201", bug=bugs.TellsTheTotal, sound=samplers.Dealing),
    Pair(law="SC301", bug=bugs.ForgetsTheEpoch, sound=samplers.Dealing),
    Pair(law="SC302", bug=bugs.ShufflesAlways, sound=samplers.Dealing),
    Pair(law="SC303", bug=bugs.IgnoresTheSeed, sound=samplers.Dealing),
    Pair(law="SC402", bug=bugs.ShufflesByTheProcess, sound=samplers.Dealing),
    Pair(law="SC501", bug=bugs.IsItsOwnIterator, sound=samplers.Dealing),
    Pair(law="SC504", bug=bugs.HoldsALambda, sound=samplers.Dealing),
    Pair(law="SC601", bug=bugs.CutsBatchesAcrossRanks, sound=samplers.Batching),
    Pair(law="SC701", bug=bugs.ResumesOneTooFar, sound=samplers.Resuming),
    Pair(law="SC802", bug=bugs.YieldsInEveryWorker, sound=samplers.Streaming, contract=_STREAM),
    Pair(law="SC904", bug=bugs.SkipsTheBroadcast, sound=samplers.Agreeing),
    Pair(law="SC1001", bug=bugs.IgnoresWeights, sound=samplers.Weighing, contract=_DRAWN),
)
"""One bug at least of every family of laws."""


def selftest(pairs: tuple[Pair, ...] = PAIRS, laws: tuple[Law, ...] = ALL_LAWS) -> Iterator[Told]:
    """Judge every bug and every sound sampler by ``laws``, and tell of each what was seen."""
    with open_world("simulated") as world:
        for pair in pairs:
            yield _bug_told(pair, laws, world)
        for pair in {pair.sound: pair for pair in pairs}.values():
            yield from _sound_told(pair, laws, world)


def _bug_told(pair: Pair, laws: tuple[Law, ...], world: HomeWorld) -> Told:
    page = _looked_at(pair.bug, pair, laws, world, pair.law).get(pair.law)
    smallest = page.smallest if page is not None else None
    ok = smallest is not None
    says = f"seen in {smallest.case.token}" if smallest is not None else "NOT SEEN"
    return Told(pair.bug.__name__, pair.law, ok, says)


def _sound_told(pair: Pair, laws: tuple[Law, ...], world: HomeWorld) -> Iterator[Told]:
    """Tell of a sound sampler which laws accuse it, or are undecided where they should not be."""
    pages = _looked_at(pair.sound, pair, laws, world)
    accused = [code for code, page in pages.items() if page.smallest is not None or page.reasons]
    judged = sum(page.judged > 0 for page in pages.values())
    for code in accused:
        yield Told(pair.sound.__name__, code, ok=False, says="ACCUSED, and it is sound")
    if not accused:
        yield Told(pair.sound.__name__, "", bool(judged), f"sound by {judged} laws")


def _looked_at(
    kind: Callable[..., Any], pair: Pair, laws: tuple[Law, ...], world: HomeWorld, until: str = ""
) -> dict[str, Any]:
    """Return what the laws say of one sampler: until one is broken, or in all cases in which any would be."""
    target = Target(factory=kind, name=kind.__name__, contract=Contract(**pair.contract))
    binding = target.bind()
    scope = probe(world, binding, ())
    own = () if LAWS[pair.law].wants is always and not until else (pair.law,)
    asked = own if until else (ANY, *own)
    cases = [cases_to_look_at(LAWS[code], binding, find_profile(PROFILE), scope) for code in asked]
    return look(world, binding, scope, laws, chain(*cases), until=until).pages
