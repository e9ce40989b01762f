"""Signs of walks: epochs one after the other go through the dataset, a part each, or a pass never ends.

Read by ``_coverage`` and ``_signs`` of what one rank alone yields. Values alone.
"""

from __future__ import annotations

from itertools import accumulate, chain, pairwise

from samplercheck.engine.contracts._orders import Look, Passes, samples_of, usual_length
from samplercheck.engine.contracts._sign import CYCLES, ENDLESS, OF_A_PART, Sign
from samplercheck.laws.law import Scope
from samplercheck.values.contract import Contract
from samplercheck.values.limits import FURTHER
from samplercheck.values.trace import Trace

FEW, MORE = 9, 12
"""Up to so many samples, and so many epochs, show where a walk begins again."""


def begins_again(look: Look, contract: Contract) -> bool:
    """Whether an epoch of few samples may hold the end of one walk and the beginning of the next."""
    every = (look(contract, length, 1, epochs=MORE) for length in range(2, FEW + 1))
    looks = [one for one in every if one.is_whole]
    repeats = any(epoch.different < epoch.total for one in looks for epoch in one.epochs)
    return repeats or any(map(_crosses_a_lap, looks))


def find_cycle(look: Look, contract: Contract, length: int) -> Sign | None:
    """Return that so many epochs in a row go through the dataset, but for a rest that lacks or comes twice.

    Parts that are drawn have more samples in common, and those of labels are as many as there are labels.
    """
    looks = [look(contract, one, 1, epochs=MORE) for one in (length, 2 * length)]
    numbers = range(2, MORE // 2 + 1)
    number = next((one for one in numbers if all(_is_cycle(trace, one) for trace in looks)), 0)
    words = CYCLES.format(number=number)
    return Sign(fields={**OF_A_PART, "cycle": number}, words=words, allows=True) if number else None


def _is_cycle(trace: Trace, number: int) -> bool:
    """Whether each so many epochs of one rank hold the dataset, but for a rest that they cannot share."""
    parts = [set(one) for one in samples_of(trace, 0)] if trace.is_whole else []
    cycles = [parts[at : at + number] for at in range(0, len(parts) - number + 1, number)]
    unions = [(len(set().union(*one)), sum(map(len, one))) for one in cycles]
    most = trace.case.length
    return bool(unions) and all(most - met < number and taken - met < number for met, taken in unions)


def _crosses_a_lap(trace: Trace) -> bool:
    """Whether epochs one after the other are laps of every sample, of which one ends within an epoch."""
    passes, length = samples_of(trace, 0), trace.case.length
    walk, ends = [*chain.from_iterable(passes)], {*accumulate(map(len, passes))}
    borders = range(length, len(walk) + 1, length)
    laps = [sorted(walk[border - length : border]) for border in borders]
    return len(laps) > 1 and not ends.issuperset(borders) and all(one == [*range(length)] for one in laps)


def goes_round(passes: Passes, length: int) -> bool:
    """Whether each epoch is laps of every sample, in orders of their own: copies are no neighbours."""
    laps = [[one[at : at + length] for at in range(0, len(one), length)] for one in passes]
    whole = all(sorted(lap) == list(range(length)) for one in laps for lap in one)
    return whole and all(len({*map(tuple, one)}) == len(one) for one in laps)


def mixes_copies(passes: Passes, length: int) -> bool:
    """Whether copies are shuffled as samples are: no lap holds all, and few are neighbours."""
    near = max(sum(one == other for one, other in pairwise(epoch)) for epoch in passes)
    return 2 * near < length and all(len({*one[:length]}) < length for one in passes)


def look_at_ends(look: Look, given: Contract, scope: Scope) -> tuple[Trace, Contract, list[Sign]]:
    """Return what one rank alone does where it is not cut, by which contract, and whether it never ends."""
    alone = look(given, usual_length(scope), 1)
    says_how = given.endless or {"tail", "cycle"} & given.changes().keys()
    if [fault.kind for fault in alone.faults] != ["endless"] or says_how:
        return alone, given, []
    contract, endless = given.but(repeats=FURTHER), given.but(**ENDLESS.fields)
    if (alone := look(contract, usual_length(scope), 1)).is_whole:
        return alone, contract, []
    return look(endless, usual_length(scope), 1), endless, [ENDLESS]
