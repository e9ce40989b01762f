"""Scenes: from a trace, and what a law says of it, to the data that pictures are drawn from.

Called by the engine, once for each broken law, and by ``samplercheck show``. Pure: reads the trace and
holds no opinion but the law's. Imports values, laws and numpy, no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.scenes._choice import COUNTS_OF_A_PLACE, TOTALS, Picture, picture_of
from samplercheck.reports.scenes._columns import Column, columns_of
from samplercheck.reports.scenes._draws import counts_of_place, expected_counts, totals_of
from samplercheck.reports.scenes._marks import marks_of
from samplercheck.reports.scenes._trials import find_run
from samplercheck.reports.text import near
from samplercheck.scene import MOST_PASSES, Scene

if TYPE_CHECKING:
    from collections.abc import Iterable

    from samplercheck.finding import Violation
    from samplercheck.trace import Trace

    Counts = tuple[tuple[float, ...], tuple[float, ...]]

__all__ = ["scene_of", "scene_of_experiment"]

USUAL = "epochs"
TWINS = {"fresh": "in fresh processes", "simulated": "in simulation"}
"""The words for a case that is held against itself elsewhere."""


def scene_of(trace: Trace, violation: Violation, code: str) -> Scene | None:
    """Return what shows how this case breaks this law; None where nothing was recorded."""
    picture = picture_of(code)
    if violation.experiment == "draws":
        is_of_place = picture.name == COUNTS_OF_A_PLACE
        counts = counts_of_place(trace, violation) if is_of_place else expected_counts(trace)
        return None if counts is None else _scene(trace, (), counts=counts)
    columns = find_run(trace, violation, violation.experiment) or _epochs(trace, violation, picture)
    if all(column.is_empty for column in columns):
        return None
    columns = _select(columns, violation.epoch)
    marks = list(marks_of(trace, violation, columns, code))
    return _scene(trace, columns, marks, totals_of(trace) if picture.name == TOTALS else ((), ()))


def scene_of_experiment(trace: Trace, experiment: str) -> Scene:
    """Return what the ranks did in an experiment, without a word on what is right or wrong."""
    return _scene(trace, find_run(trace, None, experiment) or columns_of(trace, experiment))


def _epochs(trace: Trace, violation: Violation, picture: Picture) -> list[Column]:
    """Return all epochs and, where a law reads something else as well, what is to be held beside them."""
    usual = columns_of(trace, USUAL)
    if violation.experiment == USUAL:
        twin = trace.twins.get(picture.twin)
        return usual + (columns_of(twin, USUAL, where=TWINS[picture.twin]) if twin is not None else [])
    others = columns_of(trace, violation.experiment)
    epochs = {column.epoch for column in others}
    if violation.epoch in epochs:
        epochs = {violation.epoch}
        others = [column for column in others if column.epoch in epochs]
    return [column for column in usual if not epochs or column.epoch in epochs] + others


def _select(columns: list[Column], epoch: int | None) -> list[Column]:
    """Return as many columns as a scene holds, those around an epoch first."""
    anchors = [place for place, column in enumerate(columns) if column.epoch == epoch] or [0]
    return [columns[place] for place in sorted(near(anchors, len(columns))[:MOST_PASSES])]


def _scene(
    trace: Trace,
    columns: Iterable[Column],
    marked: Iterable[tuple[int, int, int]] = (),
    counts: Counts = ((), ()),
) -> Scene:
    return Scene(
        length=trace.case.length,
        world_size=trace.case.world_size,
        passes=tuple(column.seen() for column in columns),
        marked=tuple(sorted(set(marked))),
        observed=counts[0],
        expected=counts[1],
        token=trace.case.token,
    ).bounded()
