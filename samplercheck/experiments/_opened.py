"""Opened: which loaders of torch's opened a pass meanwhile, whoever holds or makes them.

Used by experiments, inside a rank. What a loader of one's own has inside is known by what it opens when it
is iterated; where it keeps it is its own business. torch is not loaded to find out.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["OpenedLoaders"]


class OpenedLoaders:
    """Within it each loader of torch's that opens a pass is noted; entered for every case, so it is quick."""

    __slots__ = ("_kind", "_opening")

    def __enter__(self) -> list[Any]:
        opened: list[Any] = []
        module = sys.modules.get("torch.utils.data.dataloader")
        # What torch, and whatever derives from it, iterates.
        self._kind = kind = getattr(module, "_BaseDataLoaderIter", None)
        if kind is not None:
            self._opening = opening = kind.__init__

            def noted(iterator: Any, loader: Any) -> None:
                opened.append(loader)
                opening(iterator, loader)

            kind.__init__ = noted
        return opened

    def __exit__(self, *_: object) -> None:
        if self._kind is not None:
            self._kind.__init__ = self._opening
