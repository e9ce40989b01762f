"""Loaders: what a rank's subject is to a DataLoader, and the same passes with other workers.

Used by experiments, inside a rank of a simulated world; what tags items runs in workers, too. Imports torch
on first use; code that has a loader has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from samplercheck.targets.features import IdentityDataset
from samplercheck.targets.proxy import set_epoch_of

SPAWNED_FROM = 3
"""A case with so many workers has a spawned one as well."""
DEEPEST = 3
MOST_HELD = 16
LOADED = 2
"""The batch size of the kit's own loader around a sampler."""
PLAIN = frozenset((int, bool, float, str, type(None), range, IdentityDataset))


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


def keeps_state(subject: Any) -> bool:
    """Whether this can be saved and resumed."""
    return hasattr(subject, "state_dict") and hasattr(subject, "load_state_dict")


def loaders_in(subject: Any) -> list[Any]:
    """Return the torch loaders that a subject is, or holds as a loader of the user's own does.

    It looks into attributes, into small collections that one holds, and into such loaders.
    """
    data = sys.modules.get("torch.utils.data")
    found: list[Any] = []
    if data is not None:
        _find(subject, data.DataLoader, found, DEEPEST)
    return found


def _find(subject: Any, kind: type, found: list[Any], deepest: int) -> None:
    """Add what a subject is or holds; called for everything that is built, so it must be quick."""
    if isinstance(subject, kind):
        if not any(loader is subject for loader in found):
            found.append(subject)
    elif deepest:
        own = type(subject)
        if own is dict or own is list or own is tuple:
            held = (subject.values() if own is dict else subject) if len(subject) <= MOST_HELD else ()
        else:
            held = getattr(subject, "__dict__", {}).values()
        for part in held:
            if type(part) not in PLAIN and hasattr(type(part), "__iter__"):
                _find(part, kind, found, deepest - 1)


def setters_of(subject: Any) -> list[Callable[[int], Any]]:
    """Return what training scripts call to start an epoch: of the object itself, or of the parts of a loader.

    Those are its stream, its sampler and its batch sampler.
    """
    own = set_epoch_of(subject)
    if own is not None or not is_loader(subject):
        return [] if own is None else [own]
    parts = [subject.dataset] if is_stream(subject.dataset) else []
    parts += [getattr(subject, "sampler", None), subject.batch_sampler]
    found: list[Callable[[int], Any]] = []
    for setter in filter(None, map(set_epoch_of, parts)):
        if setter not in found:
            found.append(setter)
    return found


def follow(subject: Any, other: Any) -> Any:
    """Return a loader whose parts are put into the epochs of those of another one; anything else as it is."""
    for name in ("dataset", "sampler", "batch_sampler") if is_loader(subject) else ():
        part, its = getattr(subject, name, None), getattr(other, name, None)
        setter, epoch = set_epoch_of(part), getattr(its, "epoch", None)
        if setter is not None and isinstance(epoch, int):
            setter(epoch)
    return subject


def roles_of(subject: Any, inner: Sequence[Any] | None = None) -> tuple[str, ...]:
    """Name what a subject is to a DataLoader: a loader, a stream or neither, and what comes with it.

    A loader of the user's own comes with the ``inner`` ones that it opens. Where there are none, whatever
    does its work may deal samples out as the workers of a stream do.
    """
    loads = inner is not None or is_loader(subject)
    parts = inner or ([subject] if is_loader(subject) else [])
    streams = any(is_stream(part.dataset) for part in parts) if loads else is_stream(subject)
    which = {
        "loader": loads,
        "stream": streams or (loads and not parts),
        "own_workers": any(getattr(part, "num_workers", None) for part in parts),
        "loader_state": loads and keeps_state(subject),
        "own_loader": loads and not is_of_torch(subject),
        "own_set_epoch": hasattr(subject, "set_epoch"),
    }
    return tuple(role for role, applies in which.items() if applies)


def adjust(loader: Any, way: Way) -> Any:
    """Return a torch loader, or one of a class derived from it, that goes this way from now on.

    Whatever number of workers it was built with. Those inside a loader of the user's own stay as they
    were built: where they have workers, only their number changes. Other loaders stay as they are.
    """
    if is_of_torch(loader):
        # A loader refuses some of this once it is built, and reads all of it when it is iterated.
        vars(loader).update(
            num_workers=way.workers, prefetch_factor=way.prefetch, persistent_workers=way.persistent
        )
        if way.spawned:
            loader.multiprocessing_context = "spawn"
        return loader
    for inner in loaders_in(loader):
        if inner.num_workers:
            vars(inner)["num_workers"] = way.workers
    return loader


def is_of_torch(loader: Any) -> bool:
    """Whether this is a torch loader, whose workers can be chosen; torch is not loaded to find out."""
    data = sys.modules.get("torch.utils.data")
    return data is not None and isinstance(loader, data.DataLoader)


class _OneByOne:
    """A loader of batches whose samples are passed on one by one."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.loader)


def wrap(subject: Any, way: Way, length: int, *, batched: bool) -> Any:
    """Return what yields the steps of a stream, a sampler or a batch sampler through a DataLoader of the kit.

    What the workers of a stream yield is tagged, but for spawned ones, which would have to import the kit. A
    sampler gets the ordinary one, which makes batches of its samples and opens it once in every pass.
    """
    from torch.utils.data import DataLoader

    how: dict[str, Any] = {
        "num_workers": way.workers, "prefetch_factor": way.prefetch, "persistent_workers": way.persistent,
        "multiprocessing_context": "spawn" if way.spawned else None,
    }  # fmt: skip
    if is_stream(subject):
        return DataLoader(subject, batch_size=None, collate_fn=None if way.spawned else tag, **how)
    dataset: Any = IdentityDataset(length)
    if batched:
        return DataLoader(dataset, batch_sampler=subject, collate_fn=list, **how)
    return _OneByOne(DataLoader(dataset, batch_size=LOADED, sampler=subject, collate_fn=list, **how))


def is_stream(subject: Any) -> bool:
    """Whether this is an iterable dataset; torch is not loaded to find out."""
    data = sys.modules.get("torch.utils.data")
    if data is None:
        return False
    if subject.__class__ is type(subject):  # no stand-in: its class has the answer, and asking is slow
        return _is_stream_class(type(subject))  # type: ignore[arg-type]  # a class is hashable
    return isinstance(subject, data.IterableDataset)


def is_dataset(subject: Any) -> bool:
    """Whether this is a dataset of torch that is read by positions; torch is not loaded to find out."""
    data = sys.modules.get("torch.utils.data")
    return data is not None and isinstance(subject, data.Dataset) and not is_stream(subject)


@lru_cache(maxsize=64)
def _is_stream_class(own: type) -> bool:
    return issubclass(own, sys.modules["torch.utils.data"].IterableDataset)


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
