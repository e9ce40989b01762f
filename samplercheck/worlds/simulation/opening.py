"""Opening simulated groups through torch.distributed, and standing in for what would open real ones.

Used by the simulated world. While it is open, ``torch.distributed.new_group`` makes simulated groups
whatever backend is asked for, and ``get_backend`` names the backend that a target on the CPU meets
in training. Imports torch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import SimpleNamespace
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from samplercheck.worlds.simulation.collective_log import CollectiveLog
from samplercheck.worlds.simulation.collectives import BACKEND, SimulatedGroup

ACCELERATORS = ("cuda", "xpu", "mtia")
NO_STACK = SimpleNamespace(format_stack=lambda *_, **__: [])
"""Where none of them is open, torch keeps each global seed for later, with the stack of its caller, which
takes longer to write than a pass and which nobody reads."""


def open_group(world_size: int, log: CollectiveLog) -> SimulatedGroup:
    """Initialise torch.distributed with a simulated group of this size."""
    if BACKEND not in dist.Backend.backend_list:
        dist.Backend.register_backend(BACKEND, _create, extended_api=True, devices=["cpu"])
    hook = sys.excepthook
    store = log.store = _Store(log)
    with store.quiet():
        dist.init_process_group(BACKEND, store=store, rank=0, world_size=world_size, pg_options=log)
    sys.excepthook = hook  # torch wraps it once more for each initialisation
    group = dist.group.WORLD
    assert isinstance(group, SimulatedGroup)
    return group


def _create(options: Any, log: CollectiveLog | None) -> SimulatedGroup:
    if not options.global_ranks_in_group:
        assert log is not None
        return SimulatedGroup(log, range(options.group_size))
    world = dist.group.WORLD
    assert isinstance(world, SimulatedGroup)
    return world.part(tuple(options.global_ranks_in_group))


_Base: Any = distributed_c10d.Store


class _Store(_Base):  # type: ignore[misc]  # untyped
    """Stands where the ranks of a real group meet; simulated ranks never do."""

    def __init__(self, log: CollectiveLog) -> None:
        super().__init__()
        self._log = log
        self._is_quiet = False

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Let torch itself ask, which it does with TORCH_DIST_INIT_BARRIER=1 when it opens a group."""
        self._is_quiet = True
        try:
            yield
        finally:
            self._is_quiet = False

    def _refuse(self, *_: Any, **__: Any) -> Any:
        if not self._is_quiet:
            self._log.refuse("used the store of the process group, or opened a real group")
        return 0

    add = append = check = compare_set = delete_key = get = multi_get = multi_set = _refuse
    num_keys = set = wait = queue_push = queue_pop = queue_len = _refuse


class StandIns:
    """Replaces functions of torch.distributed by ones that know simulated groups, and puts them back.

    Groups are kept and handed out again: to a rank that makes the same group in its next run, and to
    targets that keep a group in a cache, which here all ranks share.
    """

    def __init__(self) -> None:
        self._pool: dict[tuple[tuple[int, ...], int], SimulatedGroup] = {}
        self._kept: list[tuple[Any, str, Any]] = []

    def install(self) -> None:
        """Put the stand-ins where targets look for the functions."""
        for name, make in (("new_group", self._new_group), ("get_backend", self._get_backend)):
            original = getattr(distributed_c10d, name)
            for module in (dist, distributed_c10d):
                self._put(module, name, make(original))
        for accelerator in (getattr(torch, name, None) for name in ACCELERATORS):
            if hasattr(accelerator, "traceback"):
                self._put(accelerator, "traceback", NO_STACK)

    def _put(self, module: Any, name: str, stand_in: Any) -> None:
        self._kept.append((module, name, getattr(module, name)))
        setattr(module, name, stand_in)

    def remove(self) -> None:
        """Put torch's own functions back."""
        for module, name, original in self._kept:
            setattr(module, name, original)
        self._kept.clear()
        self._pool.clear()

    def _new_group(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def new_group(
            ranks: Any = None,
            timeout: Any = None,
            backend: Any = None,
            pg_options: Any = None,
            use_local_synchronization: bool = False,  # noqa: FBT001, FBT002  (torch's signature)
            **others: Any,
        ) -> Any:
            world = dist.group.WORLD
            if not isinstance(world, SimulatedGroup):
                return original(ranks, timeout, backend, pg_options, use_local_synchronization, **others)
            group = self._find_earlier(world, ranks, as_given=not others.get("sort_ranks", True))
            if group is None:
                with world.log.store.quiet():
                    group = original(ranks, timeout, BACKEND, None, use_local_synchronization, **others)
                if isinstance(group, SimulatedGroup):
                    world.log.strays.remove(group)
                    self._pool[group.members, group.number] = group
            if isinstance(group, SimulatedGroup):
                group.backend = str(backend or world.backend).lower()
            return group

        return new_group

    def _find_earlier(self, world: SimulatedGroup, ranks: Any, *, as_given: bool) -> SimulatedGroup | None:
        """Return the group that an earlier run has made in the same way."""
        members = world.members if ranks is None else tuple(ranks if as_given else sorted(ranks))
        log = world.log
        group = self._pool.get((members, log.made.get(members, 0) + 1))
        if group is None or log.place not in members or not group.is_open:
            return None
        log.number(members)
        return group

    def _get_backend(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def get_backend(group: Any = None) -> Any:
            asked = dist.group.WORLD if group is None else group
            if isinstance(asked, SimulatedGroup) and asked.is_open:
                return dist.Backend(asked.backend)
            return original(group)

        return get_backend
