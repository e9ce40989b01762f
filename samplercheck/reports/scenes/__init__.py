"""Scenes: from a trace, and what a law says of it, to the data that pictures are drawn from.

Called by the engine, once for each broken law, and by ``samplercheck show``. Pure: reads the trace and
holds no opinion but the law's. Imports values, laws and numpy, no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.scenes._columns import Column, columns_of, kept, seen
from samplercheck.reports.scenes._draws import draws_scene, totals_of
from samplercheck.reports.scenes._marks import marks_of
from samplercheck.reports.scenes._moves import is_about_next, moved
from samplercheck.reports.scenes._trials import resumed, some_resumed
from samplercheck.reports.scenes._ways import delivered, ways
from samplercheck.scene import Scene

if TYPE_CHECKING:
    from samplercheck.finding import Violation
    from samplercheck.trace import Trace

__all__ = ["Column", "is_about_next", "scene_of", "scene_of_experiment", "stopped_columns", "told_run"]

USUAL = "epochs"
TOLD = {"workers": ways, "delivered": delivered, "elastic": moved}
"""Experiments whose passes are no epochs in their order, and what tells of them."""
TWINS = {"SC402": ("fresh", "in fresh processes"), "SC901": ("simulated", "in simulation")}
"""Laws that hold a case against itself elsewhere: where, and the words for it."""


def scene_of(trace: Trace, violation: Violation, code: str) -> Scene | None:
    """Return what shows how this case breaks this law; None where nothing was recorded."""
    if violation.experiment == "draws":
        return draws_scene(trace, violation, code)
    columns = stopped_columns(trace, violation) or _usual(trace, violation, code)
    if not any(one is not None for column in columns for one in column.passes):
        return None
    columns = kept(columns, violation.epoch)
    marked = tuple(marks_of(trace, violation, columns, code))
    observed, expected = totals_of(trace) if code == "SC106" else ((), ())
    return _scene(trace, columns, marked, observed=observed, expected=expected)


def scene_of_experiment(trace: Trace, experiment: str) -> Scene:
    """Return what the ranks did in an experiment, without a word on what is right or wrong."""
    return _scene(trace, told_run(trace, experiment) or columns_of(trace, experiment), ())


def told_run(trace: Trace, experiment: str) -> list[Column]:
    """Return the passes of runs that went another way than through the epochs; of very many, of one run."""
    tell = TOLD.get(experiment)
    return tell(trace, None) if tell is not None else some_resumed(trace, experiment)


def stopped_columns(trace: Trace, violation: Violation) -> list[Column]:
    """Return the passes of runs that went another way than from the first step to the last."""
    tell = TOLD.get(violation.experiment, resumed)
    return tell(trace, violation)


def _usual(trace: Trace, violation: Violation, code: str) -> list[Column]:
    """Return all epochs and, where a law reads something else as well, what is to be held beside them."""
    usual = columns_of(trace, USUAL)
    if violation.experiment == USUAL:
        name, where = TWINS.get(code, ("", ""))
        return usual + (columns_of(trace.twins[name], USUAL, where=where) if name in trace.twins else [])
    others = columns_of(trace, violation.experiment)
    epochs = {column.epoch for column in others}
    if violation.epoch in epochs:
        epochs = {violation.epoch}
        others = [column for column in others if column.epoch in epochs]
    return [column for column in usual if not epochs or column.epoch in epochs] + others


def _scene(
    trace: Trace,
    columns: list[Column],
    marked: tuple[tuple[int, int, int], ...],
    *,
    observed: tuple[float, ...] = (),
    expected: tuple[float, ...] = (),
) -> Scene:
    return Scene(
        length=trace.case.length,
        world_size=trace.case.world_size,
        passes=tuple(map(seen, columns)),
        marked=tuple(sorted(set(marked))),
        observed=observed,
        expected=expected,
        token=trace.case.token,
    ).bounded()
