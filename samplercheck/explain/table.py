"""Table: the fields of many cases as columns of numbers, of which conditions ask.

Made by ``conditions`` and ``larger``. Pure. Imports numpy and values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.targets.features import feature
from samplercheck.values.case import Case

Column = NDArray[np.int64]

LARGEST = 2**62


class Table:
    """The fields of many cases as columns of numbers."""

    def __init__(self, cases: Sequence[Case], features: Iterable[str] = ()) -> None:
        self.cases = cases
        self.length = _column([case.length for case in cases])
        self.world = _column([case.world_size for case in cases])
        self.batch = _column([case.batch_size for case in cases])
        self.seed = _column([min(case.seed, LARGEST) for case in cases])
        self.epochs = _column([case.epochs for case in cases])
        self.shuffle = np.array([case.shuffle for case in cases], dtype=bool)
        self.drop_last = np.array([case.drop_last for case in cases], dtype=bool)
        self.whole = self.world * self.batch
        self.share = -(-self.length // self.world)
        self.features = {name: [feature(case, name) for case in cases] for name in features}
        self._options: dict[str, list[Any]] = {}
        self._numbers: dict[str, Column] = {}

    def highest(self, name: str) -> Column:
        """The largest value of a feature in each case, 0 where there is none."""
        numbers = ([one for one in values if not isinstance(one, str)] for values in self.features[name])
        return _column([int(max(values, default=0)) for values in numbers])

    def option(self, name: str) -> list[Any]:
        """The value of one of the target's own axes in each case."""
        if name not in self._options:
            self._options[name] = [case.option(name) for case in self.cases]
        return self._options[name]

    def number(self, name: str) -> Column:
        """The value of one of those axes whose values are all whole numbers."""
        if name not in self._numbers:
            self._numbers[name] = _column(self.option(name))
        return self._numbers[name]


def _column(numbers: list[int]) -> Column:
    return np.array(numbers, dtype=np.int64)
