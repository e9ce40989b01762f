"""What fixtures give to users' own tests: ``run`` with the session's settings, and ranks to call.

Made by the fixtures in ``pytest_plugin``. Imports the engine, worlds and torch when they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.pytesting._runs import with_warnings
from samplercheck.pytesting.items import group_marks
from samplercheck.pytesting.options import options_of
from samplercheck.pytesting.session import giving_up, runs_in
from samplercheck.running.config.settings import OF_A_TARGET
from samplercheck.values.errors import UsageError, WorldError, did_you_mean
from samplercheck.worlds import GROUPS, World, open_simulation, open_world, settings_for

if TYPE_CHECKING:
    from samplercheck.values.report import Report

TIMEOUT = 60.0
MOST_RANKS = 16
PLUGIN = "samplercheck.pytest_plugin"
FIXTURE = "process_group"


@dataclass(frozen=True)
class Kit:
    """What the fixture ``samplercheck`` is: ``run``, for one test."""

    _request: pytest.FixtureRequest

    def run(self, target: Any, contract: Any = None, **settings: Any) -> Report:
        """Judge a target and return the report, as ``samplercheck.run`` does.

        Profile, worlds, seed, budgets and ``world_settings`` that are not given are the session's; its
        command line and environment come first. Failing cases are stored in the session's ``store``, if
        no other is given, and the report is among the session's.
        """
        from samplercheck.running.run import run

        config = self._request.config
        runs = runs_in(config)
        usual = dict(runs.world_settings)
        if settings.get("isolate"):
            del usual["give_up"]  # the child has its own
        settings["world_settings"] = {**usual, **(settings.get("world_settings") or {})}
        settings["store"] = settings.get("store") or runs.store()
        with with_warnings():
            report = run(target, contract, **{**settings, **_session_settings(config, settings)})
        runs.add(f"{self._request.node.nodeid} {len(runs.answers)}", report)
        if report.interrupted:
            raise KeyboardInterrupt
        return report


def _session_settings(config: pytest.Config, settings: dict[str, Any]) -> dict[str, Any]:
    options = options_of(config)
    chosen = options.choose()
    names = {name.replace("-", "_"): name for name in (*OF_A_TARGET, "shard")}
    return {
        argument: (chosen[name] or None) if name == "worlds" else chosen[name]
        for argument, name in names.items()
        if name in options.said or settings.get(argument) is None
    }


@dataclass(frozen=True)
class Ranks:
    """The ranks of one world; ``run`` calls a function in each of them."""

    world_size: int
    _open: Callable[[], AbstractContextManager[World]]

    def run(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> list[Any]:
        """Call ``function(*arguments, **named)`` in every rank and return the results, by rank.

        ``torch.distributed`` tells the function its rank. Raises RankError where a rank raises, hangs,
        dies or never stops waiting.
        """
        __tracebackhide__ = True
        from samplercheck.worlds.calling import call

        with self._open() as world:
            return call(world, function, self.world_size, arguments, named)


@dataclass(frozen=True)
class SimulatedWorlds:
    """What the fixture ``simulated_world`` is: a way to get simulated ranks."""

    _config: pytest.Config

    def __call__(self, world_size: int, *, timeout: float = TIMEOUT) -> Ranks:
        """Return ranks that are run one after the other in this process."""
        _check_size(world_size)
        settings = {"deadlines": _deadlines(timeout), "give_up": giving_up(self._config)}
        return Ranks(world_size, lambda: open_simulation(settings))


@dataclass(frozen=True)
class ProcessGroups:
    """What the fixture ``process_group`` is: a way to get ranks that are processes, warm for a session."""

    _config: pytest.Config
    _open: dict[tuple[str, float], Any] = field(default_factory=dict)

    def __call__(self, world_size: int, backend: str = "gloo", *, timeout: float = TIMEOUT) -> Ranks:
        """Return the ranks of a real process group; the test is skipped where there is none here."""
        _check_size(world_size)
        if backend not in GROUPS:
            raise UsageError(f"There is no backend {backend!r} of groups. {did_you_mean(backend, GROUPS)}")
        return Ranks(world_size, lambda: nullcontext(self._world(backend, timeout, world_size)))

    def _world(self, backend: str, timeout: float, world_size: int) -> Any:
        world = self._open.get((backend, timeout))
        if world is None:
            settings = settings_for(backend, runs_in(self._config).world_settings)
            ranks = {"max_ranks": MOST_RANKS} if backend == "gloo" else {}
            world = open_world(backend, deadlines=_deadlines(timeout), **{**ranks, **settings})
            if world.unavailable:
                pytest.skip(world.unavailable)
            self._open[backend, timeout] = world.__enter__()
        if world_size > world.most_ranks:
            raise WorldError(
                f"At most {world.most_ranks} ranks run and this group has {world_size}: allow more "
                f"with SAMPLERCHECK_MAX_RANKS={world_size}, or max-ranks in [tool.samplercheck]."
            )
        return world

    def close(self) -> None:
        """End all ranks."""
        for world in self._open.values():
            world.__exit__(None, None, None)
        self._open.clear()


def open_groups(config: pytest.Config) -> Iterator[ProcessGroups]:
    """Yield process groups, and end them afterwards."""
    groups = ProcessGroups(config)
    try:
        yield groups
    finally:
        groups.close()


def _check_size(world_size: Any) -> None:
    if isinstance(world_size, bool) or not isinstance(world_size, int) or world_size < 1:
        raise UsageError(f"world_size={world_size!r} is no number of ranks: write a whole number from 1 up.")


def _deadlines(seconds: float) -> Any:
    """Return the deadlines of a function that may take its time: so long it may compute, or sleep."""
    from samplercheck.worlds.in_rank.deadlines import Deadlines

    return Deadlines(seconds, wall_factor=1.0)


def mark_group_item(item: pytest.Item) -> None:
    """Give an item that uses the plugin's own ``process_group`` the marks of process groups."""
    info: Any = getattr(item, "_fixtureinfo", None)
    if info is not None and _uses_ours(info.name2fixturedefs.get(FIXTURE, ())):
        for mark in group_marks(item.config):
            item.add_marker(mark)


def _uses_ours(definitions: Sequence[Any]) -> bool:
    """Whether the last definition is the plugin's, or asks for the one that it overrides, and so on."""
    for one in reversed(definitions):
        if one.func.__module__ == PLUGIN:
            return True
        if FIXTURE not in one.argnames:
            return False
    return False
