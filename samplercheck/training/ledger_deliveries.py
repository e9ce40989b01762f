"""The steps between two places in a ledger: what histories hold of it.

Made by ``course``; read by the laws of histories, each time in one way through that part of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.training.ledger_file import EVALUATED, Kind
from samplercheck.training.ledger_reader import JobLedger
from samplercheck.values.deliveries import WINDOW, Deliveries, Numbers, Window

FEW = 2**10
"""So many steps are read at once where their samples are read with them."""


class LedgerDeliveries(Deliveries):
    """The batches between two places in a ledger; with ``evaluated`` those without gradients as well."""

    __slots__ = ("_begin", "_end", "_evaluated", "_ledger")

    def __init__(self, ledger: JobLedger, begin: int, end: int, *, evaluated: bool) -> None:
        super().__init__()
        self._ledger, self._begin, self._end, self._evaluated = ledger, begin, end, evaluated

    @property
    def has_ids(self) -> bool:
        """Whether the samples themselves are known."""
        return self._ledger.has_ids

    def windows(self, most: int = WINDOW) -> Iterator[Window]:
        """Yield all steps, at most so many at once."""
        for cells in self._ledger.windows(self._begin, self._end, most):
            chosen = np.flatnonzero(self._choose(cells))
            if len(chosen):
                counts, sums, orders = (cells[name][chosen] for name in ("count", "first", "order"))
                yield Window(counts.astype(np.int64), sums, orders)

    def ids(self) -> Iterator[Numbers]:
        """Yield all samples, some at once, where they are known."""
        at = self._ledger.count_samples(self._begin)
        for cells in self._ledger.windows(self._begin, self._end, FEW):
            batches = cells["kind"] == Kind.BATCH
            counts = cells["count"][batches]
            after = at + int(counts.sum(dtype=np.int64))
            yield self._ledger.ids(at, after)[np.repeat(self._choose(cells)[batches], counts)]
            at = after

    def _choose(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        chosen: NDArray[np.bool_] = cells["kind"] == Kind.BATCH
        return chosen if self._evaluated else chosen & ((cells["flags"] & EVALUATED) == 0)
