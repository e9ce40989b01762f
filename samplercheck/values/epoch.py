"""Epoch: one epoch of the ranks that share it, with counts that tiny cases and large ones get quickly.

Made by traces, read by laws. May import numpy and the values below it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from samplercheck.values.record import LONG, Pass

if TYPE_CHECKING:
    from samplercheck.values.trace import Trace

FEW, PART = 64, 2**16
Answer = TypeVar("Answer")
Asked = ParamSpec("Asked")


class once(Generic[Answer]):  # noqa: N801  (named as what it is used as, a decorator)
    """A property worked out once; that of ``functools`` takes a lock in Python 3.11, in every case."""

    def __init__(self, work_out: Callable[[Any], Answer]) -> None:
        self._work_out, self._name, self.__doc__ = work_out, work_out.__name__, work_out.__doc__

    def __get__(self, holder: Any, kind: type) -> Answer:
        """Work it out and keep it where it is found before this is asked again."""
        answer: Answer = self._work_out(holder)
        holder.__dict__[self._name] = answer
        return answer


def asked_once(
    question: Callable[Concatenate[Trace, Asked], Answer],
) -> Callable[Concatenate[Trace, Asked], Answer]:
    """Decorate what several laws ask of a trace: the answer is kept with it, and goes with it."""

    @wraps(question)
    def ask(trace: Trace, /, *asked: Asked.args, **more: Asked.kwargs) -> Answer:
        key = (question, *asked, *more.items())
        if key not in trace.answers:
            trace.answers[key] = question(trace, *asked, **more)
        answer: Answer = trace.answers[key]
        return answer

    return ask


class Epoch:
    """One epoch of the ranks that share it: pure questions over their passes."""

    def __init__(self, number: int, ranks: tuple[int, ...], passes: tuple[Pass, ...], length: int) -> None:
        self.number = number
        self.ranks = ranks
        self.passes = passes
        self.length = length
        # The number of samples that all ranks yielded.
        self.total = sum([len(pass_.items) for pass_ in passes])
        # Sets of Python integers are faster than numpy in the many tiny cases of a search.
        self.is_short = self.total <= FEW
        self.distinct: set[int] = set().union(*[pass_.items for pass_ in passes]) if self.is_short else set()
        # Whether every index is one of the dataset.
        self.is_in_range = self._is_in_range()

    @property
    def indices(self) -> NDArray[Any]:
        """All samples of the epoch, rank after rank; a new copy each time where ranks share it."""
        if len(self.passes) == 1:
            return self.passes[0].indices
        if self.total >= LONG:
            return np.concatenate([pass_.indices for pass_ in self.passes])
        return np.frombuffer(b"".join([pass_.items for pass_ in self.passes]), dtype=np.int64)

    @once
    def different(self) -> int:
        """The number of different samples of the dataset that were yielded."""
        is_known = self.is_short and self.is_in_range
        return len(self.distinct) if is_known else int(np.count_nonzero(self.counts))

    @once
    def highest(self) -> int:
        """How often the most frequent sample of the dataset was yielded."""
        if not self.is_short or not self.is_in_range:
            return int(self.counts.max(initial=0))
        if len(self.distinct) == self.total:
            return min(1, self.total)
        items = b"".join([pass_.items for pass_ in self.passes])
        return max(map(array("q", items).count, self.distinct))

    @property
    def steps(self) -> list[int]:
        """The number of steps of each rank."""
        return [pass_.steps for pass_ in self.passes]

    @property
    def samples(self) -> list[int]:
        """The number of samples of each rank."""
        return [len(pass_.items) for pass_ in self.passes]

    def _is_in_range(self) -> bool:
        if self.is_short:
            return not self.distinct or (min(self.distinct) >= 0 and max(self.distinct) < self.length)
        return all(
            pass_.indices.min() >= 0 and pass_.indices.max() < self.length
            for pass_ in self.passes
            if pass_.items
        )

    @once
    def counts(self) -> NDArray[np.int32]:
        """How often each sample of the dataset was yielded; strays outside the dataset are left out.

        All epochs of a trace keep them: in a quarter of the room that those of numpy take.
        """
        if self.total > PART:
            counts = np.zeros(self.length, np.int32)
            for one in self.passes:
                _add_counts(counts, one, is_in_range=self.is_in_range)
            fits = counts.max(initial=0) <= np.iinfo(np.int16).max
            return counts.astype(np.int16) if fits else counts
        indices = self.indices
        if not self.is_in_range:
            indices = indices[(indices >= 0) & (indices < self.length)]
        return np.bincount(indices, minlength=self.length).astype(np.int32)

    @once
    def batches(self) -> list[tuple[int, ...]]:
        """The composition of every batch, order inside and among batches left out, all ranks."""
        return sorted(tuple(sorted(batch.tolist())) for pass_ in self.passes for batch in pass_.batches())

    def same_order(self, other: Epoch) -> bool:
        """Whether every rank yielded the same in both epochs."""
        return all([own.same_as(pass_) for own, pass_ in zip(self.passes, other.passes, strict=True)])

    def members(self, place: int) -> NDArray[np.int64]:
        """The distinct samples of one place, ascending."""
        return np.unique(self.passes[place].indices)


def _add_counts(counts: NDArray[np.int32], one: Pass, *, is_in_range: bool) -> None:
    """Count a long pass part by part: beside the counts nothing of its size is made."""
    for begin in range(0, len(one.items), PART):
        part = one.indices[begin : begin + PART]
        part = part if is_in_range else part[(part >= 0) & (part < len(counts))]
        np.add.at(counts, part, np.int32(1))
