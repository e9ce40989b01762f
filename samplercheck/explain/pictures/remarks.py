"""Remarks: the words at the end of a row that say what is wrong with it, and which samples are missing.

Called by ``table``. Each remark is a fact of the trace, not an opinion. Reads arrays of the trace;
imports values and the facts that scenes mark.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from samplercheck.explain.scenes.columns import describe_end
from samplercheck.explain.scenes.marks import (
    MOST_LOOKED_AT,
    find_arrivals,
    leavers,
    outside,
    sharing_ranks,
    steps_with,
)
from samplercheck.values.finding import Violation
from samplercheck.values.record import Fault, Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, name_samples

LENGTHS, DRAWS, FEW = "lengths", "draws", 3


class RankPass(NamedTuple):
    """One pass that a rank took in the experiment; None for one that it failed to take.

    ``fault`` is what stopped its rank, with the last pass of each.
    """

    rank: int
    number: int
    taken: Pass | None
    fault: Fault | None = None


@dataclass(slots=True)
class Remarks:
    """What there is to say: by row, and of no row at all. ``focus`` are the steps to be shown."""

    rows: dict[int, str] = field(default_factory=dict)
    missing: str = ""
    focus: list[int] = field(default_factory=list)


def remark_on(trace: Trace, violation: Violation, rows: list[RankPass]) -> Remarks:
    """Return the remarks on the passes that a violation is about; the first remark on a row stays."""
    remarks = Remarks(focus=[] if violation.step is None else [violation.step])
    passes = {place: row.taken for place, row in enumerate(rows) if row.taken is not None}
    _add_ends(trace, violation, rows, remarks)
    if violation.experiment == LENGTHS:
        _add_lengths(trace, rows, passes, remarks)
    if violation.experiment == DRAWS and not violation.chance:
        _add_draws(violation, passes, remarks)
    _add_counts(trace, violation, rows, remarks)
    # Where len() was asked, it is a length that says so, and perhaps nobody went on.
    if violation.experiment != LENGTHS and not violation.indices and violation.step is not None:
        gone = [place for place in leavers(passes, violation.step) if passes[place].ending == "finished"]
        for place, one in passes.items():
            if place in gone:
                remarks.rows.setdefault(place, "left the epoch")
            elif gone and one.steps > violation.step:
                remarks.rows.setdefault(place, f"waits at step {violation.step}")
    # Frequencies are of all passes, and no single row shows them.
    is_said = any(rows[place].rank == violation.rank for place in remarks.rows)
    if violation.rank is not None and violation.experiment != DRAWS and not is_said:
        _point(violation, rows, remarks)
    return remarks


def _add_ends(trace: Trace, violation: Violation, rows: list[RankPass], remarks: Remarks) -> None:
    """Say what ended the last pass of a rank, or what it yielded that is no sample of the dataset."""
    strangers = outside(trace, violation)
    for place, row in enumerate(rows):
        here = _samples_in(row.taken, strangers) if row.taken is not None else []
        words = describe_end(row.fault, row.taken) or (
            f"not in the dataset: {brief(here, 3)}" if here else ""
        )
        if words:
            remarks.rows[place] = words


def _samples_in(one: Pass, samples: tuple[int, ...] | list[int]) -> list[int]:
    return [sample for sample in samples if (one.indices == sample).any()]


def _add_lengths(trace: Trace, rows: list[RankPass], passes: dict[int, Pass], remarks: Remarks) -> None:
    """Name the answers of len() on the ranks whose passes have another number of steps."""
    for place, pass_ in passes.items():
        answers = trace.of(LENGTHS)[rows[place].rank].lengths
        values = list(dict.fromkeys(answer.value for answer in answers if answer.epoch == pass_.epoch))
        if set(values) - {pass_.steps, None}:
            lengths = ", then ".join(str(value) for value in values if value is not None)
            remarks.rows.setdefault(place, f"len() is {lengths}")


def _add_draws(violation: Violation, passes: dict[int, Pass], remarks: Remarks) -> None:
    """Mark the draws of what is never to be drawn: that alone is certain, whatever else draws may show."""
    for place, one in passes.items():
        came = _samples_in(one, violation.indices)
        if came:
            remarks.rows.setdefault(place, f"drawn: {brief(came, 3)}")
            remarks.focus += steps_with(one, came[0], 1)


def _add_counts(trace: Trace, violation: Violation, rows: list[RankPass], remarks: Remarks) -> None:
    """Find the samples of the violation that came again or not at all in the epoch that the ranks share."""
    shared = _sharing_passes(trace, violation, rows)
    if not shared or _is_about_a_batch(trace, violation, rows):
        return
    missing, again = [], defaultdict[int, dict[int, None]](dict)
    for sample in dict.fromkeys(violation.indices[:MOST_LOOKED_AT]):
        if not 0 <= sample < trace.case.length:
            continue
        came, surplus = find_arrivals(trace, shared, sample)
        missing += [] if came else [sample]
        for step, place in surplus if violation.epoch is not None else ():
            again[place][sample] = None
            remarks.focus.append(step)
    for place in sorted(again):
        remarks.rows.setdefault(place, f"again: {brief(list(again[place]), 3)}")
    if missing:
        more = len(dict.fromkeys(violation.indices)) > MOST_LOOKED_AT
        named = f"samples {', '.join(map(str, missing[:FEW]))} ..." if more else name_samples(missing)
        remarks.missing = f"missing: {named}"


def _is_about_a_batch(trace: Trace, violation: Violation, rows: list[RankPass]) -> bool:
    """Whether a violation is about one batch as a whole, where samples may come as often as they like."""
    if trace.owed.most is not None or violation.step is None:
        return False
    mine = [row.taken for row in rows if row.rank == violation.rank and row.taken is not None]
    return any(one.sizes is not None and one.at(violation.step) == violation.indices for one in mine)


def _sharing_passes(trace: Trace, violation: Violation, rows: list[RankPass]) -> dict[int, Pass]:
    """Return the passes, by row, of the ranks that share an epoch; nothing unless all are whole.

    Of a violation that names no epoch, the passes of all epochs.
    """
    sharing = sharing_ranks(trace, violation) if violation.indices else ()
    mine = [(place, row) for place, row in enumerate(rows) if row.rank in sharing]
    ranks = [row.rank for _, row in mine]
    if sorted(ranks if violation.epoch is not None else set(ranks)) != sorted(sharing):
        return {}
    whole = {place: row.taken for place, row in mine if row.taken and row.taken.ending == "finished"}
    return whole if len(whole) == len(mine) else {}


def _point(violation: Violation, rows: list[RankPass], remarks: Remarks) -> None:
    """Where nothing else is to be said, point to the row of the rank that the violation names."""
    places = [place for place, row in enumerate(rows) if row.rank == violation.rank]
    places = [place for place in places if rows[place].number in violation.evidence.passes] or places
    if places:
        remarks.rows[places[-1]] = "here" if violation.step is None else f"step {violation.step}"
