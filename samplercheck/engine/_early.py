"""Cases of process groups that are carried out early, while this process goes on searching in simulation.

Opened by the process groups of a run; which cases, the phases say. Ranks are processes of their own, so that
this one would do nothing but wait for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from samplercheck.engine._judging import met_deadline
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.trace import Trace
from samplercheck.worlds import SeparateWorld, Spare

Asked = tuple[Case, tuple[str, ...]]
"""A case, and the experiments by which it is carried out."""


class _Forks:
    """How often this process has been copied since this was imported."""

    number = 0

    @classmethod
    def count(cls) -> None:
        cls.number += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_Forks.count)


def count_forks() -> int:
    """Return how often this process has been copied until now."""
    return _Forks.number


class EarlyWorld:
    """A world of process groups whose cases may be carried out before they are asked for.

    Once ``begin`` was called, one thread does all that is asked of the world, in order. Where ranks hang,
    deadlock or could not be had it does nothing more early: what comes then is asked for one by one.
    """

    def __init__(self, world: SeparateWorld) -> None:
        self.name, self.most_ranks, self.unavailable = world.name, world.most_ranks, world.unavailable
        self._world = world
        self._thread: ThreadPoolExecutor | None = None
        self._binding: Binding | None = None
        self._early: dict[tuple[Case, tuple[str, ...], str], Future[Trace | None]] = {}
        self._is_over = False

    def __enter__(self) -> EarlyWorld:
        self._world.__enter__()
        self.unavailable = self._world.unavailable
        return self

    def __exit__(self, *reason: object) -> None:
        if self._thread is not None:
            self._world.stop()
            self._thread.shutdown(cancel_futures=True)
        self._world.__exit__(*reason)

    def begin(self, binding: Binding, asked: Iterable[Asked], kind: str) -> None:
        """Begin to carry out cases, each by these experiments."""
        self._thread, self._binding = ThreadPoolExecutor(1, "samplercheck-early"), binding
        for case, experiments in asked:
            self._early[case, experiments, kind] = self._thread.submit(
                self._go_early, binding, case, experiments, kind
            )

    def _go_early(self, *asked: Any) -> Trace | None:
        if self._is_over:
            return None
        trace = self._world.trace(*asked)
        if met_deadline(trace) or trace.deadlock or trace.not_carried:
            self._is_over = True
        return trace

    def prepare(self, binding: Binding) -> None:
        """Send the target there."""
        self._act(self._world.prepare, binding)

    def hurry(self, deadlines: Any) -> None:
        """Wait no longer than this for ranks from now on, and do nothing more early."""
        self._is_over = True
        self._act(self._world.hurry, deadlines)

    def trace(
        self,
        binding: Binding,
        case: Case,
        experiments: Sequence[str],
        kind: str = "",
        spare: Spare = "usual",  # noqa: ARG002  (nothing is left out in real ranks)
    ) -> Trace:
        """Return the trace of a case that was carried out early, or carry it out."""
        is_same = binding is self._binding
        early = self._early.pop((case, tuple(experiments), kind), None) if is_same else None
        trace = None if early is None else early.result()
        return self._act(self._world.trace, binding, case, experiments, kind) if trace is None else trace

    def _act(self, act: Callable[..., Any], *asked: Any) -> Any:
        return act(*asked) if self._thread is None else self._thread.submit(act, *asked).result()
