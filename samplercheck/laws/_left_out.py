"""Samples that never come, though the contract says that each does sooner or later.

Asked by law SC1001 of each share of the data. Imports values and numpy.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws.frequencies import CERTAIN
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import limit_indices, name_samples

ALWAYS = "in every epoch"
SELDOM = 0.02
"""What comes eventually is on average in at least this share of the passes."""


def may_tell(trace: Trace) -> bool:
    """Whether a sample that comes seldom would have come by now, unless by a luck beyond belief."""
    number = max((len(one.passes) for one in trace.of("draws")), default=0)
    return trace.case.length * (1 - SELDOM) ** number * CERTAIN <= 1


def never_came(trace: Trace, ranks: tuple[int, ...], expected: NDArray[np.float64]) -> Violation | None:
    """Say which samples never come, where each was promised to come sooner or later."""
    records = trace.of("draws")
    if len(records) <= ranks[-1]:
        return None
    passes = [one for rank in ranks for one in records[rank].passes]
    came = frozenset().union(*(one.items for one in passes))
    missing = [index for index in np.flatnonzero(expected).tolist() if index not in came]
    number = len(records[ranks[0]].passes)
    if not (came and missing):
        return None
    hint = f"how samples are chosen, and what is cut: each is to come in one of {1 / SELDOM:.0f} passes"
    seen = _violation(missing, f"in {number} passes", hint)
    return replace(seen, event=ALWAYS, chance=min(1.0, trace.case.length * (1 - SELDOM) ** number))


def left_out_in_turn(trace: Trace, ranks: tuple[int, ...], expected: NDArray[np.float64]) -> Violation | None:
    """Say which samples of a subset never come, where its passes take the same ones again and again."""
    records = trace.of("draws")
    if trace.contract.coverage != "subset" or len(records) <= ranks[-1]:
        return None
    parts = [
        frozenset().union(*(one.items for one in together))
        for together in zip(*(records[rank].passes for rank in ranks), strict=False)
    ]
    half = len(parts) // 2
    period = next((one for one in range(1, half + 1) if parts[one:] == parts[:-one]), 0)
    came = frozenset().union(*parts[:period])
    missing = [index for index in np.flatnonzero(expected).tolist() if index not in came]
    if not (period and came and missing):
        return None
    again = "all take the same samples" if period == 1 else f"every {period} take the same samples again"
    hint = "how the part is chosen: another one in each epoch, at random or going on where the last ended"
    return _violation(missing, f"in {len(parts)} passes, of which {again}", hint)


def _violation(missing: list[int], where: str, hint: str) -> Violation:
    return Violation(
        found=f"{name_samples(missing)} never came {where}",
        indices=limit_indices(missing),
        fault="never yields some samples",
        consequence="loses data",
        hint=hint,
        evidence=Evidence(kind="left out"),
        experiment="draws",
    )
