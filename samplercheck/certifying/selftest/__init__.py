"""Selftest: the kit's planted faults in sound samplers that come with it, judged on this machine.

It tells whether this installation can see: every fault must be seen by the law that it is aimed at, and no
sound sampler be accused. Called by the command line; imports torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from samplercheck.certifying.faults import KNOWN_FAULTS, LAWS, plant
from samplercheck.certifying.faults.mutant import KnownFault
from samplercheck.certifying.selftest import samplers
from samplercheck.engine import cases_to_look_at, look, probe
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.in_range import LAW as LOOKS_AT_ALL
from samplercheck.laws.law import Law, Scope, always
from samplercheck.search.profiles import find_profile
from samplercheck.targets.target import Target
from samplercheck.values.contract import Contract
from samplercheck.worlds import HomeWorld, open_simulation

PROFILE = find_profile("certify")


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one fault or sound sampler: which law looked at it, whether that was right, and why."""

    name: str
    law: str
    ok: bool
    says: str


def _promise(kind: type[Any], **contract: Any) -> Target:
    """Return a sampler under the contract that it keeps."""
    return Target(factory=kind, name=kind.__name__, contract=Contract(**contract))


SOUND = (
    _promise(samplers.Dealing),
    _promise(samplers.Batching),
    _promise(samplers.Resuming),
    _promise(samplers.Refusing, foreign_state="refused"),
    _promise(samplers.Streaming, tail="keep", order="free", epochs="fixed"),
    _promise(samplers.Agreeing),
    _promise(samplers.Weighing, sharding="none", coverage="sampled", order="shuffled", resume="none"),
)


def selftest(
    sound: Sequence[Target] = SOUND,
    laws: tuple[Law, ...] = ALL_LAWS,
    faults: Sequence[KnownFault] = KNOWN_FAULTS,
) -> Iterator[Finding]:
    """Judge each fault, planted into the first sampler that it fits, and each sampler as it is."""
    with open_simulation() as world:
        for target in sound:
            scope = probe(world, target.bind(), ())
            fitting = [fault for fault in faults if fault.is_for(scope, LAWS)]
            faults = [fault for fault in faults if fault not in fitting]
            for fault in fitting:
                aimed = tuple(law for law in laws if law.code == fault.aim)
                for result in plant([fault], target, scope, world, aimed, PROFILE):
                    says = f"seen in {result.case}" if result.is_caught else f"NOT SEEN in {target.name}"
                    yield Finding(result.fault.name, result.fault.aim, result.is_caught, says)
            yield from _judge_sound(target, scope, world, laws, fitting)


def _judge_sound(
    target: Target, scope: Scope, world: HomeWorld, laws: tuple[Law, ...], faults: list[KnownFault]
) -> Iterator[Finding]:
    """Tell which laws accuse a sound sampler, or are undecided, in small cases and those of its faults."""
    codes = dict.fromkeys(
        [LOOKS_AT_ALL.code, *(fault.aim for fault in faults if LAWS[fault.aim].wants is not always)]
    )
    binding = target.bind()
    cases = chain(*(cases_to_look_at(LAWS[code], binding, PROFILE, scope) for code in codes))
    pages = look(world, binding, scope, laws, cases).pages
    accused = [code for code, page in pages.items() if page.smallest is not None or page.reasons]
    judged = sum(page.judged > 0 for page in pages.values())
    for code in accused:
        yield Finding(target.name, code, ok=False, says="ACCUSED, and it is sound")
    if not accused:
        yield Finding(target.name, "", bool(judged), f"sound by {judged} laws")
