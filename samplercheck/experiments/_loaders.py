"""Loaders: what a rank's subject is to a DataLoader, and the same passes with other workers.

Used by experiments, inside a rank of a simulated world. Imports torch on first use; whoever has a loader
has it loaded.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from samplercheck.features import IdentityDataset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from samplercheck.experiments._ports import Guard

__all__ = [
    "HOME",
    "ForWorkers",
    "Way",
    "adjusted",
    "holders_of_epochs",
    "is_loader",
    "is_of_torch",
    "roles_of",
    "ways_of",
    "with_workers",
    "wrapped",
]

SPAWNED_FROM = 3
"""A case with so many workers has a spawned one as well."""
SECONDS_TO_END = 2.0
STRETCH = 2.0


@dataclass(frozen=True, slots=True)
class Way:
    """How a loader is run: so many workers, so many batches ahead, kept from epoch to epoch or not.

    They are copies of this process, or ``spawned`` as fresh interpreters.
    """

    workers: int = 0
    prefetch: int | None = None
    persistent: bool = False
    spawned: bool = False

    @classmethod
    def of(cls, workers: int) -> Way:
        """Return the plainest way with this number of workers."""
        return cls(workers, 2 if workers else None)


HOME = Way()
"""Without workers, which all other ways are compared with."""


def ways_of(workers: int) -> tuple[Way, ...]:
    """Return the ways to run a loader with this number of workers."""
    if workers == 1:
        return (Way(1, 2), Way(1, 2, persistent=True))
    if workers >= SPAWNED_FROM:  # each of them takes seconds to start
        return (Way(workers, 2), Way(1, 2, spawned=True))
    return (Way(workers, 1), Way(workers, 4, persistent=True))


def is_loader(subject: Any) -> bool:
    """Whether this is a loader, whose sampler gets the set_epoch of training scripts."""
    return hasattr(subject, "batch_sampler") and hasattr(subject, "dataset")


@dataclass(frozen=True)
class ForWorkers:
    """What the workers of a loader get: under spawn it is pickled, and the loader is not."""

    dataset: Any
    collate_fn: Any
    worker_init_fn: Any

    @classmethod
    def of(cls, loader: Any) -> ForWorkers:
        """Return the parts of a loader."""
        return cls(*(getattr(loader, part.name, None) for part in fields(cls)))


def holders_of_epochs(loader: Any) -> list[Any]:
    """Return the parts of a loader to which training scripts send set_epoch: samplers, or its stream."""
    if not is_loader(loader):
        return []
    parts = [loader.dataset] if _is_stream(loader.dataset) else []
    parts += [getattr(loader, "sampler", None), loader.batch_sampler]
    return [part for part in parts if hasattr(part, "set_epoch")]


def roles_of(subject: Any) -> tuple[str, ...]:
    """Name what a subject is to a DataLoader: a loader, a stream or neither, and what comes with it."""
    loads = is_loader(subject)
    roles = ["loader"] if loads else []
    if _is_stream(subject.dataset if loads else subject):
        roles.append("stream")
    if loads and getattr(subject, "num_workers", None):
        roles.append("own_workers")
    if loads and hasattr(subject, "state_dict") and hasattr(subject, "load_state_dict"):
        roles.append("loader_state")
    return tuple(roles)


def adjusted(loader: Any, way: Way) -> Any:
    """Return a loader of torch's, or of a class derived from it, that goes this way from now on.

    Whatever number of workers it was built with. Other loaders go the way in which they were built.
    """
    if is_of_torch(loader):
        # A loader refuses some of this once it is built, and reads all of it when it is iterated.
        vars(loader).update(
            num_workers=way.workers, prefetch_factor=way.prefetch, persistent_workers=way.persistent
        )
        if way.spawned:
            loader.multiprocessing_context = "spawn"
    return loader


def is_of_torch(loader: Any) -> bool:
    """Whether this is a loader of torch's, whose workers can be chosen; torch is not loaded to find out."""
    data = sys.modules.get("torch.utils.data")
    return data is not None and isinstance(loader, data.DataLoader)


def wrapped(subject: Any, way: Way, length: int, *, batched: bool) -> Any:
    """Return a DataLoader of the kit's own around a stream, a sampler or a batch sampler."""
    from torch.utils.data import DataLoader

    how: dict[str, Any] = {
        "num_workers": way.workers, "prefetch_factor": way.prefetch, "persistent_workers": way.persistent,
        "multiprocessing_context": "spawn" if way.spawned else None,
    }  # fmt: skip
    if _is_stream(subject):
        return DataLoader(subject, batch_size=None, **how)
    dataset: Any = IdentityDataset(length)
    if batched:
        return DataLoader(dataset, batch_sampler=subject, collate_fn=list, **how)
    return DataLoader(dataset, batch_size=None, sampler=subject, **how)


@contextmanager
def with_workers(guard: Guard) -> Iterator[Callable[[], None]]:
    """Allow workers the time they need to start, and end those that are still there afterwards.

    What is handed out ends them sooner: a loader that is let go waits seconds for a worker that hangs.
    They are processes that were started meanwhile, whatever has become of their loaders. Warnings about
    forking beside threads and about many workers say nothing of the target.
    """
    from multiprocessing import active_children

    before = set(active_children())
    guard.stretch = STRETCH

    def end() -> None:
        for child in set(active_children()) - before:
            with suppress(OSError, ValueError):
                child.terminate()
                child.join(SECONDS_TO_END)

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*(multi-threaded|worker processes in total).*")
            yield end
    finally:
        guard.stretch = 1.0
        end()


def _is_stream(subject: Any) -> bool:
    """Whether this is an iterable dataset; torch is not loaded to find out."""
    data = sys.modules.get("torch.utils.data")
    return data is not None and isinstance(subject, data.IterableDataset)
