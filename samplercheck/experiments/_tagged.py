"""Tagged: which worker of a DataLoader yielded an item of a stream, noted beside the items.

Runs in workers, which are copies of a rank's process, and in the rank. Imports torch on first use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class ByWorker:
    """A loader of a stream whose workers tag what they yield; ``by`` notes whose each item is."""

    def __init__(self, loader: Any) -> None:
        self.loader, self.dataset, self.batch_sampler = loader, loader.dataset, loader.batch_sampler
        self.by: list[int] = []

    def __iter__(self) -> Iterator[Any]:
        self.by.clear()
        for worker, item in self.loader:
            self.by.append(worker)
            yield item


def tag(item: Any) -> tuple[int, Any]:
    """Return an item of a stream as a loader converts it, behind the number of the worker that yields it."""
    from torch.utils.data import default_convert, get_worker_info

    worker = get_worker_info()
    return (worker.id if worker else 0), default_convert(item)  # type: ignore[no-untyped-call]  # torch gives it no types
