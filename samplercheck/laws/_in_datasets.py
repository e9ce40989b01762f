"""Samples of one dataset that come more or less often than others of it, whatever the rates of datasets.

Asked by law SC1001 where all that is promised is that samples come sooner or later. Imports values and numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws.frequencies import most_telling, shares_of, split_by_length
from samplercheck.targets.features import parts_of
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace


def off_in_a_dataset(trace: Trace, passes: list[NDArray[np.int64]]) -> Violation | None:
    """Say which sample comes more or less often than others of its dataset, where datasets may have rates."""
    if "datasets" not in trace.named or trace.contract.coverage != "sampled":
        return None
    if not any(map(len, passes)) or any(one.min(initial=0) < 0 for one in passes):
        return None
    first, parts = 0, parts_of(trace.case)
    for part in parts:
        last = first + len(part)
        inside = [one[(one >= first) & (one < last)] - first for one in passes]
        fair = np.full(len(part), 1 / len(part))
        odd = most_telling(shares_of(inside, fair), fair, among=len(parts) * split_by_length(inside))
        if odd is not None:
            often = "often" if odd.observed > odd.expected else "seldom"
            return Violation(
                found=(
                    f"sample {first + odd.what[0]} should be {odd.expected:.1%} of what is drawn from its "
                    f"dataset and was {odd.observed:.1%} over {len(passes)} passes"
                ),
                indices=(first + odd.what[0],),
                fault=f"draws some samples of a dataset too {often}",
                hint="how a sample of a dataset is chosen: here all of one should be equally likely",
                chance=odd.chance,
                experiment="draws",
            )
        first = last
    return None
