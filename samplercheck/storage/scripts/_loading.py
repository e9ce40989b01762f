"""Loaders in scripts: what comes through a DataLoader, with workers and without.

Copied into scripts as they stand, like the functions of ``_setup``.
"""

from __future__ import annotations

import copy
from itertools import islice
from typing import TYPE_CHECKING, Any

from torch.utils.data import DataLoader, IterableDataset

from samplercheck.storage.scripts._setup import Setup, count, is_loader, plain

if TYPE_CHECKING:
    from collections.abc import Iterator


def find_loaders(subject: Any, deepest: int = 3) -> list[Any]:
    """Return the loaders of torch's that this is, or holds in its attributes."""
    if isinstance(subject, DataLoader) or not deepest:
        return [subject] if isinstance(subject, DataLoader) else []
    held = [value for value in getattr(subject, "__dict__", {}).values() if hasattr(type(value), "__iter__")]
    return [loader for value in held for loader in find_loaders(value, deepest - 1)]


def is_stream(subject: Any) -> bool:
    """Whether this is, or loads, an iterable dataset."""
    loaded = [loader.dataset for loader in find_loaders(subject)]
    return any(isinstance(part, IterableDataset) for part in (subject, *loaded))


def load_with(setup: Setup, rank: int, workers: int, prefetch: int = 2, *, kept: bool = False) -> Any:
    """Return a new object, and itself or a loader around it that has so many workers."""
    takes_workers = "num_workers" in setup.names
    subject = setup.build(rank, **({"num_workers": workers} if takes_workers else {}))
    how: dict[str, Any] = {"num_workers": workers, "persistent_workers": kept}
    how["prefetch_factor"] = prefetch if workers else None
    inner = find_loaders(subject)
    if inner == [subject]:
        vars(subject).update(how)
    elif inner or is_loader(subject) or not workers or (takes_workers and not is_stream(subject)):
        for loader in () if takes_workers else inner:
            loader.num_workers = workers if loader.num_workers else 0
    elif is_stream(subject):
        return subject, DataLoader(subject, batch_size=None, **how)
    elif setup.promise["batched"]:
        return subject, DataLoader(setup.dataset, batch_sampler=subject, collate_fn=list, **how)
    else:
        return subject, DataLoader(setup.dataset, batch_size=None, sampler=subject, **how)
    return subject, subject


def take_ways(setup: Setup, rank: int) -> list[Any]:
    """Return passes without workers, with workers that start for each epoch, and with kept ones."""
    number, ways = setup.case["workers"], []
    one = number == 1
    for workers, prefetch, kept in (
        (0, 2, False),
        (number, 2 if one else 1, False),
        (number, 2 if one else 4, True),
    ):
        (subject, loader), passes = load_with(setup, rank, workers, prefetch, kept=kept), []
        for epoch in range(2 if kept or not workers else 1):
            setup.begin(rank, subject, epoch)
            passes.append(setup.take(loader))
        ways.append(passes)
    return ways


def compare_ways(setup: Setup, rank: int) -> list[Any]:
    """Compare the passes with workers with those without; several workers share a stream out."""
    number, results = setup.case["workers"], []
    alone, *ways = take_ways(setup, rank)
    for passes in () if number > 1 and is_stream(setup.build(rank)) else ways:
        for epoch, (due, found) in enumerate(zip(alone, passes, strict=False)):
            # Workers draw on the global generator when they start; kept ones may not hear of an epoch.
            stands_still = setup.promise["epochs"] == "set_epoch" and found == passes[0]
            if not epoch or not (stands_still or setup.promise["ambient_rng"] == "shared"):
                results.append((f"epoch {epoch} with {number} workers", found, due))
    return results


def watch_kept_workers(setup: Setup, rank: int) -> list[str]:
    """Return whether workers that are kept repeat the first epoch, where it changes without workers."""
    (first, second), _, passes = take_ways(setup, rank)
    repeats = passes == [first, first] and second != first
    return [f"yields {first} again after set_epoch(1), with workers that are kept"] if repeats else []


def judge_workers(setup: Setup, ranks: list[Any]) -> Iterator[str]:
    """Yield what the workers of the ranks double or lose of a stream that they share out."""
    tail, spare = setup.promise["tail"], setup.promise["spare"]
    for share in setup.shares:
        before, *others = (count([ranks[rank][way][0] for rank in share]) for way in range(3))
        for after in others:
            if (after - before).total() > spare * (tail == "pad"):
                yield f"ranks {share} yield {sorted(after - before)} more often with workers than without"
            if (before - after).total() > spare * (tail == "drop"):
                yield f"ranks {share} do not yield {sorted(before - after)} with workers, and do without"


def resume_loader(setup: Setup, rank: int) -> list[Any]:
    """Stop a loader and resume it, with workers and without; return what comes then, and what was left."""
    results, stop = [], setup.case["stop"] or 1
    for workers in (0, setup.case["workers"]):
        passes: list[Any] = []
        state = None
        for steps in (setup.promise["most_steps"], stop, setup.promise["most_steps"]):
            subject, loader = load_with(setup, rank, workers)
            if state is not None:
                loader.load_state_dict(state)
            setup.begin(rank, subject, 0)
            opened = iter(loader)
            passes.append([plain(step) for step in islice(opened, steps)])
            state = copy.deepcopy(loader.state_dict()) if passes[1:] else None
        whole, begun, rest = passes
        found = whole if begun == whole == rest else begun + rest  # a pass ended at its end may begin again
        results.append((f"the epoch, resumed with {workers} workers,", found, whole))
    return results[1:] if results[0][1] == results[0][2] else []
