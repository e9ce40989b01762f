"""Scenes: from a trace, and what a law says of it, to the data that pictures are drawn from.

Called by the engine, once for each broken law, and by ``samplercheck show``. Pure: reads the trace and
holds no opinion but the law's. Imports values, laws and numpy, no torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from samplercheck.explain.scenes.columns import Column, columns_of
from samplercheck.explain.scenes.marks import marks_of
from samplercheck.explain.scenes.trials import find_run
from samplercheck.laws.frequencies import join_ranks, passes_of
from samplercheck.laws.law import Law
from samplercheck.laws.shares import expected_shares
from samplercheck.values.failure_form import MOST_PASSES, MOST_SAMPLES
from samplercheck.values.finding import Violation
from samplercheck.values.layout import near
from samplercheck.values.scene import Scene
from samplercheck.values.trace import Trace

Counts = tuple[tuple[float, ...], tuple[float, ...]]

USUAL = "epochs"
OF_WHOLE_PASSES = ("again", "few", "near", "pairs", "rising", "still", "successive")
"""What is found by a number for whole passes: no picture shows it."""
TWINS = {"fresh": "in fresh processes", "simulated": "in simulation"}
"""The words for a case that is held against itself elsewhere."""


def scene_of(trace: Trace, violation: Violation, law: Law) -> Scene | None:
    """Return what shows how this case breaks this law; None where nothing was recorded."""
    if violation.experiment == "draws":
        if violation.evidence.kind in OF_WHOLE_PASSES or trace.contract.comes_in_time:
            return None
        is_of_place = law.picture == "places"
        counts = _counts_of_place(trace, violation) if is_of_place else _counts_of_all(trace)
        return None if counts is None else _scene(trace, (), counts=counts)
    columns = find_run(trace, violation, violation.experiment) or _epochs(trace, violation, law)
    if all(column.is_empty for column in columns):
        return None
    columns = _select(columns, violation.evidence.epochs or (violation.epoch,))
    marks = list(marks_of(trace, violation, columns, law))
    return _scene(trace, columns, marks, _totals_of(trace) if law.picture == "totals" else ((), ()))


def scene_of_experiment(trace: Trace, experiment: str) -> Scene:
    """Return what the ranks did in an experiment, without a word on what is right or wrong."""
    return _scene(trace, find_run(trace, None, experiment) or columns_of(trace, experiment))


def _epochs(trace: Trace, violation: Violation, law: Law) -> list[Column]:
    """Return all epochs and, where a law reads something else as well, what is to be held beside them.

    Where nothing was yielded there, as of a target that is built with impossible values, epochs show nothing.
    """
    usual = columns_of(trace, USUAL)
    if violation.experiment == USUAL:
        twin = trace.twins.get(law.twin)
        return usual + (columns_of(twin, USUAL, where=TWINS[law.twin]) if twin is not None else [])
    others = columns_of(trace, violation.experiment)
    if not others:
        return []
    epochs = {column.epoch for column in others}
    if violation.epoch in epochs:
        epochs = {violation.epoch}
        others = [column for column in others if column.epoch in epochs]
    return [column for column in usual if not epochs or column.epoch in epochs] + others


def _select(columns: list[Column], epochs: Sequence[int | None]) -> list[Column]:
    """Return as many columns as a scene holds, those around some epochs first."""
    anchors = [place for place, column in enumerate(columns) if column.epoch in epochs] or [0]
    return [columns[place] for place in sorted(near(anchors, len(columns))[:MOST_PASSES])]


def _totals_of(trace: Trace) -> Counts:
    """Return how often all epochs together yielded each sample, and how often on average."""
    counts = sum((epoch.counts for epoch in trace.epochs), np.zeros(trace.case.length, np.int64))
    return _counts(counts, np.full(trace.case.length, counts.sum() / max(1, trace.case.length)))


def _counts_of_all(trace: Trace) -> Counts | None:
    """Return the counts of the first share of the data over all passes and ranks."""
    shares, passes = expected_shares(trace), join_ranks(passes_of(trace, trace.shares[0]))
    if shares is None or not passes:
        return None
    observed = _count_draws(np.concatenate(passes), trace.case.length)
    return _counts(observed, shares * observed.sum())


def _counts_of_place(trace: Trace, violation: Violation) -> Counts | None:
    """Return the counts at the place, or on the rank, that a violation names, over all passes."""
    length, rank = trace.case.length, violation.rank or 0
    ranks = next((ranks for ranks in trace.shares if rank in ranks), ())
    columns = passes_of(trace, ranks)
    if not columns or not length:
        return None
    place = slice(None) if violation.step is None else slice(violation.step, violation.step + 1)
    drawn = np.concatenate([one[place] for one in columns[ranks.index(rank)]])
    fair = np.full(length, len(drawn) / length)
    if trace.contract.shuffles == "share":  # among the samples that the rank keeps
        kept = _count_draws(np.concatenate(columns[ranks.index(rank)]), length) > 0
        fair = np.where(kept, len(drawn) / max(1, int(kept.sum())), 0.0)
    return _counts(_count_draws(drawn, length), fair)


def _count_draws(drawn: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return how often each sample of the dataset was drawn."""
    return np.bincount(drawn[(drawn >= 0) & (drawn < length)], minlength=length)


def _counts(observed: NDArray[np.integer], expected: NDArray[np.float64]) -> Counts:
    first = slice(0, MOST_SAMPLES)
    fair = [round(number, 3) for number in expected[first].tolist()]
    return tuple(map(float, observed[first].tolist())), tuple(fair)


def _scene(
    trace: Trace,
    columns: Iterable[Column],
    marked: Iterable[tuple[int, int, int]] = (),
    counts: Counts = ((), ()),
) -> Scene:
    return Scene(
        length=trace.case.length,
        world_size=trace.case.world_size,
        passes=tuple(column.to_seen_pass() for column in columns),
        marked=tuple(sorted(set(marked))),
        observed=counts[0],
        expected=counts[1],
        token=trace.case.token,
    ).trim()
