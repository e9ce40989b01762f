"""Loaded: the changes of what an object does in the workers of a DataLoader, one habit at a time.

And the change that judges what a target holds inside, without what the target makes of it. Listed with
their meaning in ``causes``. Imports torch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice
from types import SimpleNamespace
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from torch.utils.data._utils import worker

from samplercheck.experiments.loaders import loaders_in
from samplercheck.explain.change import Rebuild, otherwise_built, stand_before
from samplercheck.explain.seeds import seed_all
from samplercheck.explain.stand_ins import size_of
from samplercheck.targets.binding import Binding
from samplercheck.targets.inners import InnerBatchSampler, InnerSampler
from samplercheck.targets.proxy import Proxy
from samplercheck.values.case import Case
from samplercheck.values.owed import compute_owed

MOST, LOOKED_AT = 100_000, 4_096
TOLD = ("num_workers", "seed", "dataset")
"""What a worker is told of itself beside its number."""
NAMES = ("batch_sampler", "sampler", "inner", "base_sampler")
END = object()


class _Late(Proxy):
    """A pass is opened when its first item is asked for."""

    def __iter__(self) -> Iterator[Any]:
        yield from self.behind


class _Ending(Proxy):
    """A pass is opened as it always is, and when it is over it stays over."""

    def __iter__(self) -> Iterator[Any]:
        return _take_to_its_end(iter(self.behind))


def _take_to_its_end(opened: Iterator[Any]) -> Iterator[Any]:
    """Take a pass that is open; ``for`` and ``chain`` would call iter() on it once more."""
    while (item := next(opened, END)) is not END:
        yield item


class _Stream(Proxy, IterableDataset):  # type: ignore[type-arg]
    """A stream as it is."""


class _Split(_Stream):
    """Every worker yields its part of what it would yield, where that is all that the rank has."""

    def __iter__(self) -> Iterator[Any]:
        items: Iterator[Any] = iter(self.behind)
        info = get_worker_info()
        if info is None:
            return items
        begun, alone = list(islice(items, LOOKED_AT)), _take_as(None, self.behind)
        whole = chain(begun, items)
        return whole if len(begun) < len(alone) else islice(whole, info.id, None, info.num_workers)


class _DealtOut(_Stream):
    """Workers that would yield all the same yield their parts of what the rank yields without workers."""

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        if info is None:
            return iter(self.behind)
        parts = [
            _take_as(SimpleNamespace(id=number, **{name: getattr(info, name) for name in TOLD}), self.behind)
            for number in range(info.num_workers)
        ]
        first, *later = parts
        if not first or any(one != first for one in later):
            return iter(self.behind)
        return islice(_take_as(None, self.behind), info.id, None, info.num_workers)


class _SeededAlike(_Stream):
    """Workers have the seed of the case, in what they hear of themselves and in their generators."""

    def __init__(self, behind: Any, seed: int) -> None:
        super().__init__(behind)
        self.for_all = seed

    def __iter__(self) -> Iterator[Any]:
        if (info := get_worker_info()) is not None:
            seed_all(self.for_all)
            worker._worker_info = replace(info, seed=self.for_all)  # noqa: SLF001  (torch has no public way)
        return iter(self.behind)


def _take_as(info: Any, stream: Any) -> list[Any]:
    """Return what a copy of a stream yields, some of it at least, in a worker of which it hears this."""
    heard, worker._worker_info = worker._worker_info, info  # noqa: SLF001  (torch has no public way)
    try:
        return list(islice(copy.deepcopy(stream), LOOKED_AT))
    finally:
        worker._worker_info = heard  # noqa: SLF001  (the same)


class _Shared(_Stream):
    """Its epoch lies where workers see it that are running already."""

    def __init__(self, behind: Any) -> None:
        super().__init__(behind)
        number = torch.zeros((), dtype=torch.int64)
        self.number: torch.Tensor = number.share_memory_()  # type: ignore[no-untyped-call]  # untyped

    def go_to(self, epoch: int) -> None:
        """Put the object into an epoch, in all processes."""
        super().go_to(epoch)
        self.number.fill_(epoch)

    def __iter__(self) -> Iterator[Any]:
        self.behind.set_epoch(int(self.number))
        return iter(self.behind)


def _in_place_of_the_stream(stand_in: Callable[[Any], _Stream]) -> Rebuild:
    """Put a stand-in before a stream, also before that of a loader."""

    def put(subject: Any) -> Any:
        if isinstance(subject, IterableDataset):
            return stand_in(subject)
        for loader in loaders_in(subject):
            if isinstance(loader.dataset, IterableDataset):
                vars(loader)["dataset"] = stand_in(loader.dataset)
        return subject

    return stand_before(put)


def _seed_workers_alike(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    put = _in_place_of_the_stream(lambda behind: _SeededAlike(behind, case.seed))
    return put(binding, case, rank, turned)


def _in_place_of_the_sampler(stand_in: type[Proxy]) -> Rebuild:
    """Put a stand-in before a sampler, also before that of a loader; streams are opened by workers."""

    def put(subject: Any) -> Any:
        loaders = loaders_in(subject)
        for loader in loaders:
            name = "sampler" if loader.batch_sampler is None else "batch_sampler"
            vars(loader)[name] = stand_in(vars(loader)[name])
        return subject if loaders or isinstance(subject, IterableDataset) else stand_in(subject)

    return stand_before(put)


def _draw_apart(subject: Any) -> Any:
    """Give the samplers that share a generator with their loader another one in the same state."""
    for loader in loaders_in(subject):
        for holder in (loader.sampler, loader.batch_sampler, getattr(loader.batch_sampler, "sampler", None)):
            drawn_on = getattr(holder, "generator", None)
            if drawn_on is not None and drawn_on is loader.generator:
                vars(holder)["generator"] = drawn_on.clone_state()
    return subject


class _Drawn(Proxy):
    """The sampler of a loader, which says when it has handed out so many items."""

    def __init__(self, behind: Any, tell: Callable[[int], None]) -> None:
        super().__init__(behind)
        self.tell = tell

    def __iter__(self) -> Iterator[Any]:
        for number, item in enumerate(self.behind, 1):
            self.tell(number)
            yield item


def _noting(kind: type[Any]) -> type[Any]:
    """Return a class of loaders whose state is that of when no more was drawn than is delivered."""

    def note(loader: Any, number: int) -> None:
        loader.noted[number] = copy.deepcopy(kind.state_dict(loader))

    def sampler(loader: Any) -> Any:
        drawn_from = kind._index_sampler.fget(loader)  # noqa: SLF001  (what a loader iterates, whichever it has)
        return _Drawn(drawn_from, lambda number: note(loader, number))

    def pass_of(loader: Any) -> Iterator[Any]:
        loader.noted, loader.delivered = {}, 0
        for item in kind.__iter__(loader):
            loader.delivered += 1
            yield item

    def state_of(loader: Any) -> Any:
        return loader.noted.get(loader.delivered) or kind.state_dict(loader)

    own = {"noted": {}, "delivered": 0, "_index_sampler": property(sampler)}
    return type(kind.__name__, (kind,), {**own, "__iter__": pass_of, "state_dict": state_of})


def _draw_as_delivered(subject: Any) -> Any:
    """Have a loader note its state for each item; torchdata's own starts workers to tell it in advance."""
    holders = [one for one in type(subject).__mro__ if "state_dict" in vars(one)]
    is_told_by_workers = any(one.__module__.startswith("torchdata.") for one in holders[:1])
    if isinstance(subject, DataLoader) and holders and not is_told_by_workers:
        subject.__class__ = _noting(type(subject))
    return subject


def _bare(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    """Return the target's own sampler inside; the target itself where it holds none that is a share.

    One that yields all on every rank keeps many a law because it has nothing to do with ranks.
    """
    subject = binding.build(case, rank, turned)
    inner = _inner_of(subject)
    return inner if inner is not None and _is_dealt(binding, case, turned) else subject


def _inner_of(subject: Any) -> Any:
    """Return what an object holds and iterates; nothing where the kit has made it, which makes it sound."""
    if isinstance(getattr(subject, "dataset", None), IterableDataset):
        return None
    held = [getattr(subject, "__dict__", {}).get(prefix + name) for name in NAMES for prefix in ("", "_")]
    inner = next((one for one in held if hasattr(one, "__iter__")), None)
    return None if isinstance(inner, (InnerSampler, InnerBatchSampler)) else inner


def _is_dealt(binding: Binding, case: Case, turned: dict[str, Any]) -> bool:
    """Whether what all ranks have inside is together as much as they owe."""
    inners = [_inner_of(binding.build(case, rank, turned)) for rank in range(case.world_size)]
    items = [item for inner in inners if inner is not None for item in islice(inner, MOST)]
    sizes = [size_of(item) for item in items]
    owed = compute_owed(case, binding.contract, batched=any(size is not None for size in sizes))
    found = sum(1 if size is None else size for size in sizes)
    return owed.total is not None and found * owed.places == owed.total * case.world_size


opened_late = otherwise_built("passes opened at their first item", _in_place_of_the_sampler(_Late))
ended = otherwise_built("iterators that stay at their end", _in_place_of_the_sampler(_Ending))
drawn_apart = otherwise_built("a generator of the sampler's own", stand_before(_draw_apart))
split = otherwise_built("the stream split between the workers", _in_place_of_the_stream(_Split))
dealt_out = otherwise_built(
    "what the rank yields without workers dealt out to them", _in_place_of_the_stream(_DealtOut)
)
workers_seeded_alike = otherwise_built("one seed in all workers", _seed_workers_alike)
epoch_shared = otherwise_built("the epoch in shared memory", _in_place_of_the_stream(_Shared))
drawn_as_delivered = otherwise_built(
    "the state of when the sampler had handed out no more than is delivered", stand_before(_draw_as_delivered)
)
inner_bare = otherwise_built("the sampler inside by itself", _bare)
