"""Passes that should be alike: whether they can be compared, and where they differ, in words.

Called by the laws on agreement, reproducibility and reuse (families 4 and 5, SC903). An exact
comparison needs an output that the contract determines; where only the members of an epoch are
promised, members are compared. May import numpy, values and ``words``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws.law import OF_ONE_EPOCH, Scope
from samplercheck.values.epoch import asked_once
from samplercheck.values.finding import Evidence, EvidenceKind, Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices, name_samples, pluralise

FEW = 64
MOST = 3
PARTITION = ("SC102", "SC103")
"""What has to hold for two passes to have the same members."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What was different about a pass: its experiment, in words for a reader, and what to look at.

    ``reordered`` is the harm where the ranks together yield the same samples, ``fault`` is what is wrong and
    ``event`` after what; "" is the law's own. ``kind`` is that of the evidence.
    """

    experiment: str
    when: str
    hint: str
    reordered: str = ""
    fault: str = ""
    event: str = ""
    kind: EvidenceKind = ""


def is_exact(trace: Trace) -> bool:
    """Whether every pass of an epoch is the same to the index, whatever ran before it.

    Not where passes draw on the process's generators, nor where they draw on one generator of the
    object's own ("advance"): torch's RandomSampler draws its last permutation at the end of a pass.
    """
    return not trace.contract.advances and not is_drawn_by_process(trace)


def can_compare(scope: Scope) -> bool:
    """Whether in some case two passes can be compared, to the index or by the members of the epoch."""
    contract = scope.contract
    known = contract.coverage == "once" and not contract.endless and contract.tail_unit != "group"
    exact = not contract.advances and not scope.may_draw_by_process
    return (exact or (known and contract.batches != "variable")) and OF_ONE_EPOCH not in scope.traits


def stays_in_step(trace: Trace) -> bool:
    """Whether passes that are opened in turns or given up can be compared in this case.

    Ranks that draw on shared generators get out of step by that: their shares then prove nothing.
    """
    alone = not is_drawn_by_process(trace) or trace.owed.places == 1
    return is_exact(trace) or (alone and trace.owed.total is not None)


def nth_passes(trace: Trace, experiment: str, number: int) -> list[Pass]:
    """Return the pass with this number of every rank; nothing when some rank did not get so far."""
    records = trace.of(experiment)
    if not records or not records[0].passes:
        return []
    try:
        return [record.passes[number] for record in records]
    except IndexError:
        return []


def yields_something(*columns: Sequence[Pass]) -> bool:
    """Whether any of the passes yielded anything."""
    for column in columns:
        for one in column:
            if one.steps:
                return True
    return False


def has_moved(trace: Trace) -> bool:
    """Whether building or iterating moved a generator of the process, on some rank."""
    return any([bool(record.notes.get("moved")) for record in trace.of("epochs")])


def is_drawn_by_process(trace: Trace) -> bool:
    """Whether passes may be drawn on the process's generators, by the contract and by what the trace shows.

    What may draw on them and does not is held to that: nothing around it decides its passes. Of a DataLoader
    nobody knows, as any draws a seed.
    """
    if trace.contract.ambient_rng == "independent":
        return False
    notes = [record.notes for record in trace.of("epochs")]
    return has_moved(trace) or any([one.get("loads") for one in notes])


@asked_once
def is_determined(trace: Trace) -> bool:
    """Whether a target built again yields the same: where not, SC402 says so and comparing proves nothing.

    Two random orders of two samples agree now and then; a target that draws on generators which
    are not its own is therefore not compared either.
    """
    shared = trace.contract.ambient_rng == "shared"
    if "again" in trace.faithful:
        return shared or not has_moved(trace)
    again, epochs = trace.of("again"), trace.of("epochs")
    for other, main in zip(again, epochs, strict=False):
        if not other.passes or not main.passes or not other.passes[0].same_as(main.passes[0]):
            return False
        if not shared and main.notes.get("moved"):
            return False
    return bool(again)


def compare(
    trace: Trace, found: Sequence[Pass], expected: Sequence[Pass], setting: Setting
) -> Iterator[Violation]:
    """Yield where passes differ: to the index where the contract determines it, else in their members."""
    if is_exact(trace):
        return contrasts(found, expected, setting, coverage=trace.contract.coverage)
    return member_contrasts(trace, found, expected, setting)


def contrasts(
    found: Sequence[Pass], expected: Sequence[Pass], setting: Setting, *, coverage: str = ""
) -> Iterator[Violation]:
    """Yield where the passes of some ranks differ, rank after rank."""
    pairs = enumerate(zip(found, expected, strict=True))
    apart = [(rank, left, right) for rank, (left, right) in pairs if not left.same_as(right)]
    harm = _lesser_harm(found, expected, setting, coverage) if apart and setting.reordered else ""
    for rank, left, right in apart[:MOST]:
        yield contrast(left, right, rank, setting, harm)


def _lesser_harm(found: Sequence[Pass], expected: Sequence[Pass], setting: Setting, coverage: str) -> str:
    """Return the harm of passes that lose nothing: another order, or other draws; otherwise nothing."""
    if _same_members(found, expected):
        return setting.reordered
    drawn = _total(expected)
    is_padded = coverage != "sampled" and drawn - len(np.unique(_join(expected))) < len(expected)
    return "" if is_padded or _total(found) != drawn else "not reproducible"


def contrast(found: Pass, expected: Pass, rank: int, setting: Setting, harm: str = "") -> Violation:
    """Return the first step in which a pass differs from the one that it should be."""
    step, epoch = found.first_difference(expected), expected.epoch
    return Violation(
        found=f"rank {rank} yielded {_words(expected, step)} in step {step} of epoch {epoch}, "
        f"and {_words(found, step)} {setting.when}",
        rank=rank,
        epoch=epoch,
        step=step,
        indices=limit_indices((*expected.at(step), *found.at(step))),
        hint=setting.hint,
        experiment=setting.experiment,
        consequence=harm,
        fault=setting.fault,
        event=setting.event,
        evidence=Evidence(kind=setting.kind),
    )


def member_contrasts(
    trace: Trace, found: Sequence[Pass], expected: Sequence[Pass], setting: Setting
) -> Iterator[Violation]:
    """Yield the first share whose pass has other members; where a tail is treated, another number of them.

    Where some usual pass is no epoch (SC102, SC103), none tells what another one should hold.
    """
    owed = trace.owed
    if owed.total is None or not found or not expected:
        return
    for ranks in trace.shares:
        left, right = [found[rank] for rank in ranks], [expected[rank] for rank in ranks]
        if _total(left) == _total(right) and _same_members(left, right):
            continue
        usual = [right, *_usual_passes(trace, ranks)]
        whole = owed.total == owed.appearances and all(_is_epoch(trace, one) for one in usual)
        is_shorter = _total(left) != _total(right) and len({_total(one) for one in usual}) == 1
        if not whole and not is_shorter:
            continue
        odd = _odd(left, right) if whole else []
        yield Violation(
            found=f"epoch {left[0].epoch} had {_unlike(left, right, odd)} {setting.when}",
            rank=ranks[0] if len(ranks) == 1 else None,
            epoch=left[0].epoch,
            indices=limit_indices(odd),
            hint=setting.hint,
            experiment=setting.experiment,
            fault=setting.fault,
            event=setting.event,
            evidence=Evidence(kind=setting.kind, supposes=PARTITION),
        )
        return


def _usual_passes(trace: Trace, ranks: Sequence[int]) -> list[list[Pass]]:
    """Return the passes of these ranks together, epoch after epoch, as far as all have come."""
    records = trace.of("epochs")
    if ranks[-1] >= len(records):
        return []
    return [list(together) for together in zip(*(records[rank].passes for rank in ranks), strict=False)]


def _words(one: Pass, step: int) -> str:
    """Say what a pass yielded in one step."""
    if step >= one.steps:
        return "nothing"
    return f"[{brief(one.at(step))}]" if one.sizes is not None else brief(one.at(step))


def _total(passes: Sequence[Pass]) -> int:
    return sum([len(one.items) for one in passes])


def _join(passes: Sequence[Pass]) -> NDArray[np.int64]:
    return np.concatenate([one.indices for one in passes])


def _is_epoch(trace: Trace, passes: Sequence[Pass]) -> bool:
    """Whether passes hold every sample of the dataset as often as is owed, and nothing else."""
    due = np.repeat(np.arange(trace.case.length), trace.owed.repeats)
    return np.array_equal(np.sort(_join(passes)), due)


def _same_members(left: Sequence[Pass], right: Sequence[Pass]) -> bool:
    if _total(left) <= FEW:
        indices = [sorted(index for one in side for index in one.items) for side in (left, right)]
        return indices[0] == indices[1]
    return np.array_equal(np.sort(_join(left)), np.sort(_join(right)))


def _unlike(left: Sequence[Pass], right: Sequence[Pass], odd: Sequence[int]) -> str:
    came, due = _total(left), _total(right)
    if came != due:
        return f"{pluralise(came, 'sample')} instead of {due}"
    return f"{name_samples(odd)} too often or not at all"


def _odd(left: Sequence[Pass], right: Sequence[Pass]) -> list[int]:
    """Return the samples that come more or less often than they should, ascending."""
    values, signs = _join([*left, *right]), np.ones(_total([*left, *right]), dtype=np.int64)
    signs[_total(left) :] = -1
    samples, places = np.unique(values, return_inverse=True)
    surplus = np.bincount(places, weights=signs, minlength=len(samples))
    return [int(sample) for sample in samples[surplus != 0]]
