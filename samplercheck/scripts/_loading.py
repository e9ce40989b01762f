"""Family 8 in scripts: what comes through a DataLoader with workers.

Copied into scripts as they stand, like the functions of ``_bench``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator  # noqa: TC003  (copied into scripts as it stands)
from itertools import islice
from typing import Any

from samplercheck.scripts._bench import Bench, plain, shares
from samplercheck.scripts._given import Dataset
from samplercheck.scripts._partition import counts

__all__ = ["CHECKS"]


def is_loader(subject: Any) -> bool:
    """Whether this is a loader."""
    return hasattr(subject, "batch_sampler") and hasattr(subject, "dataset")


def loaders_in(subject: Any, deepest: int = 3) -> list[Any]:
    """Return the loaders of torch's that this is, or holds in its attributes."""
    from torch.utils.data import DataLoader

    if isinstance(subject, DataLoader) or not deepest:
        return [subject] if isinstance(subject, DataLoader) else []
    held = [one for one in getattr(subject, "__dict__", {}).values() if hasattr(type(one), "__iter__")]
    return [loader for one in held for loader in loaders_in(one, deepest - 1)]


def is_stream(subject: Any) -> bool:
    """Whether this is, or loads, an iterable dataset."""
    from torch.utils.data import IterableDataset

    loaded = [loader.dataset for loader in loaders_in(subject)]
    return any(isinstance(one, IterableDataset) for one in (subject, *loaded))


def loader_of(bench: Bench, rank: int, workers: int, prefetch: int, *, persistent: bool) -> Any:
    """Return a new object, put behind so many workers of a loader; a loader gets them itself."""
    from torch.utils.data import DataLoader

    subject = bench.build(rank, **({"num_workers": workers} if "num_workers" in bench.names else {}))
    how: Any = {"num_workers": workers, "persistent_workers": persistent}
    how["prefetch_factor"] = prefetch if workers else None
    if isinstance(subject, DataLoader):
        vars(subject).update(how)
        return subject, subject
    inner = loaders_in(subject)
    if inner or is_loader(subject) or ("num_workers" in bench.names and not is_stream(subject)):
        for one in inner if "num_workers" not in bench.names else []:
            one.num_workers = workers if one.num_workers else 0
        return subject, subject
    if not workers:
        return subject, subject
    if is_stream(subject):
        return subject, DataLoader(subject, batch_size=None, **how)
    dataset: Any = Dataset(bench.case)
    if bench.promise["batched"]:
        return subject, DataLoader(dataset, batch_sampler=subject, collate_fn=list, **how)
    return subject, DataLoader(dataset, batch_size=None, sampler=subject, **how)


def at_epoch(bench: Bench, rank: int, subject: Any, epoch: int) -> None:
    """Start an epoch of all that a loader has and that can be told."""
    stream = [subject.dataset] if is_loader(subject) and is_stream(subject) else []
    parts = [*stream, *(getattr(subject, name, None) for name in ("sampler", "batch_sampler"))]
    told = [part for part in parts if hasattr(part, "set_epoch")] if is_loader(subject) else []
    if bench.promise["epochs"] == "set_epoch" and told and not hasattr(subject, "set_epoch"):
        for part in told:
            part.set_epoch(epoch)
    else:
        bench.begin(rank, subject, epoch)


def epochs_with(bench: Bench, rank: int, workers: int, prefetch: int = 2, *, persistent: bool = False) -> Any:
    """Return the first two epochs through a loader; the first alone where workers are not kept."""
    subject, loader = loader_of(bench, rank, workers, prefetch, persistent=persistent)
    found = []
    for epoch in range(2 if persistent or not workers else 1):
        at_epoch(bench, rank, subject, epoch)
        found.append(bench.take(loader))
    return found


def ways(bench: Bench, rank: int) -> Any:
    """Return the passes without workers, and with them: started anew for each epoch, and kept."""
    number, found = bench.case["workers"], []
    for prefetch, persistent in ((2 if number == 1 else 1, False), (2 if number == 1 else 4, True)):
        way: dict[str, Any] = {"kept": persistent, "passes": [], "error": ""}
        try:
            way["passes"] = epochs_with(bench, rank, number, prefetch, persistent=persistent)
        except Exception as error:  # noqa: BLE001  (shown to the user)
            way["error"] = f"{type(error).__name__}: {error}"
        found.append(way)
    return {"home": epochs_with(bench, rank, 0), "ways": found, "stream": is_stream(bench.build(rank))}


def unlike_home(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """Through a DataLoader the batches are the sampler's, whatever the workers."""
    number = bench.case["workers"]
    for rank, one in enumerate(ranks):
        for way in one["ways"]:
            passes, first = way["passes"], way["passes"][:1]
            if way["error"]:
                yield f"rank {rank} ends without workers, and with {number}: {way['error']}"
            told = 0 if one["stream"] and number > 1 else 1 if bench.promise["ambient"] == "shared" else 2
            for epoch, (home, found) in enumerate(zip(one["home"][:told], passes, strict=False)):
                kept = bench.promise["epochs"] == "set_epoch" and way["kept"] and epoch and [found] == first
                if home != found and not kept:
                    yield f"epoch {epoch}: rank {rank} yields {found} with {number} workers, {home} without"


def unshared(bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """The workers of one rank split a stream between them: nothing twice, nothing lost."""
    promise, number = bench.promise, bench.case["workers"]
    for share in shares(bench):
        before = counts([ranks[rank]["home"][0] for rank in share])
        for way in range(2):
            if any(ranks[rank]["ways"][way]["error"] for rank in share):
                continue
            after = counts([ranks[rank]["ways"][way]["passes"][0] for rank in share])
            together = len(share) * number * promise["unit"]
            divides = promise["total"] is not None and promise["appearances"] % together == 0
            allowed = 0 if divides else together - 1
            more, less = after - before, before - after
            if more.total() > (allowed if promise["tail"] == "pad" else 0):
                yield f"ranks {share} yield {sorted(more)} more often with {number} workers than without"
            if less.total() > (allowed if promise["tail"] == "drop" else 0):
                yield f"ranks {share} do not yield {sorted(less)} with {number} workers, and do without"


def unmoved(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """set_epoch takes effect where workers are kept."""
    for rank, one in enumerate(ranks):
        home = one["home"]
        for way in one["ways"]:
            repeats = way["kept"] and len(way["passes"]) > 1 and way["passes"] == [home[0], home[0]]
            if repeats and home[1] != home[0]:
                yield f"rank {rank} yields {home[0]} again after set_epoch(1), with workers that are kept"


def delivered(bench: Bench, rank: int) -> Any:
    """Return, without and with workers, a whole pass, its first steps and what comes after their state."""
    found = []
    for workers in (0, bench.case["workers"]):
        _, whole = loader_of(bench, rank, workers, 2, persistent=False)
        at_epoch(bench, rank, whole, 0)
        way = [bench.take(whole)]
        _, stopped = loader_of(bench, rank, workers, 2, persistent=False)
        at_epoch(bench, rank, stopped, 0)
        opened = iter(stopped)
        way.append([plain(step) for step in islice(opened, bench.case["stop"] or 1)])
        state = copy.deepcopy(stopped.state_dict())
        _, goes_on = loader_of(bench, rank, workers, 2, persistent=False)
        goes_on.load_state_dict(state)
        at_epoch(bench, rank, goes_on, 0)
        found.append([*way, bench.take(goes_on)])
    return found


def ahead(_bench: Bench, ranks: list[Any]) -> Iterator[str]:
    """A state counts what the training loop has received, not what workers have fetched."""
    for rank, (home, (whole, begun, rest)) in enumerate(ranks):
        if home[1] + home[2] == home[0] and begun + rest != whole and not (begun == whole == rest):
            yield f"rank {rank} goes on with {rest} after {begun}, where the epoch is {whole}"


LOADING = (is_loader, loaders_in, is_stream, loader_of, at_epoch)
WAYS = (*LOADING, epochs_with)
CHECKS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "SC801": (ways, unlike_home, WAYS),
    "SC802": (ways, unshared, (*WAYS, counts)),
    "SC803": (ways, unmoved, WAYS),
    "SC804": (delivered, ahead, LOADING),
}
