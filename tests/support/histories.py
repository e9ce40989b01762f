"""Histories written by hand: their steps are held in arrays, and no ledger has them."""

from __future__ import annotations

from typing import Any

import samplercheck as sc
from samplercheck.values.deliveries import WINDOW, Deliveries, Window
from samplercheck.values.history import History, Stretch, TrainedEpoch


class HeldDeliveries(Deliveries):
    """Steps that are few enough to be held in arrays."""

    def __init__(self, window, ids=None):
        super().__init__()
        self._window, self._ids = window, ids

    @property
    def has_ids(self):
        return self._ids is not None

    def windows(self, most=WINDOW):
        counts, sums, orders = self._window
        for at in range(0, len(counts), most):
            yield Window(counts[at : at + most], sums[at : at + most], orders[at : at + most])

    def ids(self):
        if self._ids is not None:
            yield self._ids


def a_history(epochs, **said):
    """A history of whole epochs, each given by the steps of its ranks."""
    told = tuple(
        TrainedEpoch(
            number=number,
            stretches=tuple(
                Stretch(attempt=0, rank=rank, epoch=number, taken=one, steps=len(one), has_ended=True)
                for rank, one in enumerate(ranks)
            ),
            world=len(ranks),
            is_sure=True,
            is_whole=True,
        )
        for number, ranks in enumerate(epochs)
    )
    usual: dict[str, Any] = {
        "length": None,
        "owed": None,
        "batch_size": 1,
        "drop_last": False,
        "shuffled": True,
        "sampler": "",
        "draws": False,
        "tells_apart": True,
        "seams": (),
        "passes": (),
    }
    return History(contract=sc.Contract(), epochs=told, **usual | said)
