"""``samplercheck.watch``: a loader that yields what it yields, and writes down what was delivered.

Called in users' training scripts, and by the start-up hook of ``samplercheck watch``. Imports torch.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torch.utils.data import (
    DataLoader,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    WeightedRandomSampler,
)

from samplercheck.training.ids import Ids, ids_given, ids_of_content, ids_of_index
from samplercheck.training.recorder import Recorder
from samplercheck.training.startup import DRILLED, watch_all
from samplercheck.training.taps import INDEX, NOTHING, tap_loader
from samplercheck.values.errors import UsageError

__all__ = ["watch"]

STATE, MARK = "loader", "samplercheck"
WATCHED = "_samplercheck_watched"
"""What a loader bears that its own script watches."""


def watch(
    loader: Any,
    ledger: str | Path,
    *,
    ids: str | Callable[[Any], Any] | None = None,
    exact: bool = False,
    name: str = "",
) -> Any:
    """Return a loader that yields what ``loader`` yields and writes into ``ledger`` what was delivered.

    ``loader`` is a DataLoader, a StatefulDataLoader, a sampler, a batch sampler or anything that can be
    iterated. Which samples a batch holds is read from the sampler; where there is none ``ids`` says it, as a
    key of the batch or a function of it, and otherwise the content does. ``exact`` keeps the ids themselves.
    ``name`` tells several loaders of a script apart, by default where this function was called. Of a class of
    DataLoaders each one is watched, as by ``samplercheck watch``; so callbacks of trainers do.
    """
    if isinstance(loader, type) and issubclass(loader, DataLoader):
        watch_all(loader, ledger, exact=exact)
        return loader
    if not hasattr(loader, "__iter__") and not hasattr(loader, "__getitem__"):
        raise UsageError(f"{loader!r} cannot be watched: give a loader, a sampler, or something to iterate.")
    if ids is not None and not isinstance(ids, str) and not callable(ids):
        raise UsageError(f"ids={ids!r} says nothing of a batch: give one of its keys, or a function of it.")
    if isinstance(loader, DataLoader):
        loader.__dict__[WATCHED] = True
    kind = StatefulWatchedLoader if hasattr(loader, "state_dict") else WatchedLoader
    if drilled := os.environ.get(DRILLED):
        ledger, exact = drilled, True
    recorder = _record(loader, ledger, ids, exact=exact, name=name or caller(1))
    return kind(loader, recorder, ids_given(ids) if ids is not None else None)


def watch_again(
    loader: Any, ledger: str, *, exact: bool, name: str, before: WatchedLoader | None
) -> WatchedLoader:
    """Return a watched loader that goes on with the ledger of one before it, if there was any."""
    recorder = (
        before.recorder if before is not None else _record(loader, ledger, None, exact=exact, name=name)
    )
    return WatchedLoader(loader, recorder, None)


def _record(loader: Any, ledger: str | Path, ids: Any, *, exact: bool, name: str) -> Recorder:
    reads = tap_loader(loader)
    source = "sampler" if reads or isinstance(loader, Sampler) else "content"
    traits = {**traits_of(loader), "ids": "given" if ids is not None else source}
    return Recorder(Path(ledger), name, exact=exact, traits=traits)


def caller(above: int) -> str:
    """Return the file and line from which a function was called."""
    frame = sys._getframe(above + 1)  # noqa: SLF001  (the one way that costs nothing)
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def _sampler_of(loader: Any) -> Any:
    """Return the innermost sampler of a loader, or what seems to be one."""
    seen = loader
    for _ in range(8):
        inners = (getattr(seen, name, None) for name in ("batch_sampler", "sampler"))
        inner = next((one for one in inners if one is not None), None)  # one without a length has no truth
        if inner is None:
            return seen
        seen = inner
    return seen


def steps_of(loader: Any) -> int | None:
    """Return how many steps a loader announces; None where it does not."""
    try:
        return len(loader)
    except (TypeError, NotImplementedError):
        return None


def epoch_of(loader: Any) -> int | None:
    """Return the epoch that a sampler or a loader says to be in."""
    for one in (_sampler_of(loader), getattr(loader, "batch_sampler", None), loader):
        epoch = getattr(one, "epoch", None)
        if isinstance(epoch, int) and not isinstance(epoch, bool) and epoch >= 0:
            return epoch
    return None


def traits_of(loader: Any) -> dict[str, Any]:
    """Return what is known of a loader and decides what it owes."""
    sampler = _sampler_of(loader)
    size, drops = getattr(loader, "batch_size", None), bool(getattr(loader, "drop_last", False))
    inner = getattr(loader, "batch_sampler", None)
    size = size if isinstance(size, int) else getattr(inner, "batch_size", None)
    drops = drops or bool(getattr(inner, "drop_last", False)) or bool(getattr(sampler, "drop_last", False))
    draws = isinstance(sampler, WeightedRandomSampler) or getattr(sampler, "replacement", False) is True
    length = None if draws else _length_of(sampler)
    return {
        "sampler": type(sampler).__name__,
        "batch_size": size if isinstance(size, int) and size > 0 else None,
        "drop_last": drops,
        "shuffled": _is_shuffled(sampler),
        "coverage": "sampled" if draws else "unknown" if length is None else "once",
        "length": length,
        "workers": getattr(loader, "num_workers", 0),
    }


def _is_shuffled(sampler: Any) -> bool | None:
    if isinstance(sampler, (RandomSampler, SequentialSampler)):
        return isinstance(sampler, RandomSampler)
    return sampler.shuffle if isinstance(sampler, DistributedSampler) else None


def _length_of(sampler: Any) -> int | None:
    """Return the number of samples from 0 up that an epoch owes, where the sampler is torch's own."""
    if type(sampler) is DistributedSampler:
        return len(sampler.dataset)  # type: ignore[arg-type]  # the sampler has asked for it as well
    if type(sampler) in (RandomSampler, SequentialSampler):
        length = len(sampler.data_source)
        return length if len(sampler) == length else None
    return None


class Passing:
    """One pass: an iterator that hands out what another one does, and tells the recorder."""

    def __init__(self, inner: Iterator[Any], recorder: Recorder, read: Callable[[Any], Ids]) -> None:
        self._inner, self._recorder, self._read = inner, recorder, read
        self._turn, self._steps, self._is_over = recorder.place[0], 0, False

    def __iter__(self) -> Passing:
        return self

    def __next__(self) -> Any:
        try:
            item = next(self._inner)
        except StopIteration:
            self._end(is_whole=True)
            raise
        self._recorder.deliver(self._read(item))
        self._steps += 1
        return item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __del__(self) -> None:
        self._end(is_whole=False)

    def _end(self, *, is_whole: bool) -> None:
        if not self.__dict__.get("_is_over", True):
            self._is_over = True
            self._recorder.end(self._turn, self._steps, is_whole=is_whole)


class WatchedLoader:
    """A watched loader: it has all that the loader has, and the ``recorder`` that keeps its ledger."""

    def __init__(self, loader: Any, recorder: Recorder, given: Callable[[Any], Ids] | None) -> None:
        self._loader, self.recorder, self._given = loader, recorder, given

    def is_of(self, loader: Any) -> bool:
        """Whether it is this loader that is watched."""
        return self._loader is loader

    def __iter__(self) -> Iterator[Any]:
        return self.start(lambda: iter(self._loader))

    def start(self, iterate: Callable[[], Iterator[Any]]) -> Passing:
        """Return a pass over an iterator of the loader, which is made now."""
        self.recorder.begin(epoch_of(self._loader), steps_of(self._loader))
        inner = iterate()
        if self._given is not None:
            return Passing(inner, self.recorder, self._given)
        if not isinstance(self._loader, DataLoader):
            return Passing(
                inner, self.recorder, ids_of_index if isinstance(self._loader, Sampler) else ids_of_content
            )

        def read(batch: Any) -> Ids:
            index = getattr(inner, INDEX, NOTHING)
            return ids_of_content(batch) if index is NOTHING else ids_of_index(index)

        return Passing(inner, self.recorder, read)

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_loader"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_loader", "recorder", "_given"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._loader, name, value)


class StatefulWatchedLoader(WatchedLoader):
    """A watched loader that keeps its place: its state carries a mark, by which a ledger knows it again."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the loader and a mark."""
        number = secrets.randbits(63)
        self.recorder.mark(number)
        return {STATE: self._loader.state_dict(), MARK: number}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load a state of this, or one of the loader alone."""
        if state.keys() == {STATE, MARK}:
            self.recorder.load(int(state[MARK]))
            state = state[STATE]
        self._loader.load_state_dict(state)
