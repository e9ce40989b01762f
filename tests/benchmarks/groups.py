"""What a case costs in real process groups, here and with what torch brings along; prints a table.

Run by hand: ``PYTHONPATH=. python tests/benchmarks/groups.py``; torch's own test classes need
expecttest. Every case is the same: build a DistributedSampler, take an epoch of eight steps (or as many
as ``BENCHMARK_STEPS`` says), and meet in an all_gather of one integer at every step; samplercheck's ranks
meet once more, to agree that the epoch is over. Timings are noisy, so all ways take turns in one process,
and medians count.

Warm means: a case of this world has been run before. First means: no rank of this world is there yet;
samplercheck's server, which has torch loaded, is (a world of one rank has been run before).
"""

from __future__ import annotations

import logging
import os
import signal
import statistics
import tempfile
import time
import unittest
from datetime import timedelta
from pathlib import Path

WORLDS = (2, 4)
ROUNDS = 3
WARM_CASES = 100
PATIENCE = 10.0
"""Seconds that a collective is waited for; torch waits for 120 in its tests and for 1800 elsewhere."""
LONGEST = 900

SETTINGS = {
    "BENCHMARK_PATIENCE": str(PATIENCE),
    "DISTRIBUTED_TESTS_DEFAULT_TIMEOUT": str(int(12 * PATIENCE)),
    "GLOO_SOCKET_IFNAME": "lo",
    "OMP_NUM_THREADS": "1",
}
Ended = tuple[float, str]


class Spawn:
    """``torch.multiprocessing.spawn``, which opens a gloo group for each case."""

    name = "torch.multiprocessing.spawn"

    def __init__(self, world_size: int) -> None:
        self._world_size = world_size

    def passes(self) -> Ended:
        from torch.utils.data import DistributedSampler

        return self._run(DistributedSampler)

    def short(self) -> Ended:
        from tests.benchmarks.group_bodies import Short

        return self._run(Short)

    def _run(self, kind: type) -> Ended:
        from torch.multiprocessing import spawn  # type: ignore[attr-defined]  # public all the same

        from tests.benchmarks.group_bodies import spawned

        with tempfile.TemporaryDirectory() as directory:
            store = str(Path(directory) / "store")
            started = time.perf_counter()
            try:
                patience = timedelta(seconds=PATIENCE)
                spawn(spawned, (self._world_size, store, patience, kind), nprocs=self._world_size)
                error = ""
            except Exception as caught:  # noqa: BLE001  (a short rank is to be noticed, by one rank or another)
                error = str(caught)
            return time.perf_counter() - started, error

    def close(self) -> None:
        """Nothing is left."""


class TorchTest:
    """A test class of torch's own, whose tests are run one by one."""

    def __init__(self, kind: type[unittest.TestCase]) -> None:
        self._kind = kind
        self.name = kind.__mro__[2].__name__

    def passes(self) -> Ended:
        return self._run("test_passes")

    def short(self) -> Ended:
        return self._run("test_short")

    def _run(self, test: str) -> Ended:
        result = unittest.TestResult()
        case = self._kind(test)
        started = time.perf_counter()
        case.run(result)
        seconds = time.perf_counter() - started
        notes = [note for _, note in (*result.errors, *result.failures)]
        return seconds, "".join([*notes, *("skipped: " + why for _, why in result.skipped)])

    def close(self) -> None:
        """End the processes that a class keeps; those of a failed one do not end by themselves."""
        for process in getattr(self._kind, "processes", ()):
            process.kill()
            process.join()


class Pool:
    """samplercheck's warm pool; all sizes of world share one server."""

    name = "samplercheck"

    def __init__(self, world, world_size: int) -> None:
        from torch.utils.data import DistributedSampler

        import samplercheck as sc
        from tests.benchmarks.group_bodies import STEPS, Meeting, Short

        def bound(kind: type) -> sc.Target:
            def build(length, num_replicas, rank):
                return kind(range(length), num_replicas, rank, shuffle=False)

            return sc.target(build, name=kind.__name__).bind()

        self._world = world
        self._case = sc.Case(length=STEPS * world_size, world_size=world_size, batch_size=1, epochs=1)
        self._bindings = {kind: bound(kind) for kind in (DistributedSampler, Short, Meeting)}
        self._sound, self._short, self._meeting = self._bindings.values()

    def passes(self) -> Ended:
        return self._run(self._sound)

    def short(self) -> Ended:
        return self._run(self._short)

    def hangs(self) -> Ended:
        """The failing case for one who cannot see the collective: only the ranks' standing still shows it."""
        return self._run(self._meeting, ("epochs",))

    def _run(self, binding, experiments=("in_step",)) -> Ended:
        started = time.perf_counter()
        trace = self._world.trace(binding, self._case, experiments, "sampler")
        seconds = time.perf_counter() - started
        assert not trace.not_carried, trace.not_carried
        uneven = [record.notes.get("uneven") for record in trace.records.get("in_step", ())]
        return seconds, trace.deadlock or (f"uneven: {uneven[0]}" if any(uneven) else "")

    def close(self) -> None:
        """The world ends its ranks."""


def passing(ways: list) -> dict[str, tuple[float, float]]:
    """Return for each way its first case and the median of the others; all take turns."""
    firsts: dict[str, float] = {}
    others: dict[str, list[float]] = {way.name: [] for way in ways}
    for _ in range(ROUNDS):
        for way in ways:
            few = way.name not in (KEPT, Pool.name)
            for _ in range(1 if few else WARM_CASES):
                seconds, error = way.passes()
                assert not error, (way.name, error)
                if way.name in firsts or few:
                    others[way.name].append(seconds)
                firsts.setdefault(way.name, seconds)
    return {name: (firsts[name], statistics.median(seconds)) for name, seconds in others.items()}


KEPT = "MultiProcContinuousTest"


def failing(way, run) -> tuple[float, str]:
    """Return how long a failing case takes to be known, and the next one to run, if it does."""
    seconds, error = run()
    assert error, f"{way.name} has not noticed that a rank is a step short"
    after, why = way.passes()
    return seconds, "never (skipped)" if why.startswith("skipped") else shown(after)


def shown(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1e3:.2f} ms"


def give_up(*_) -> None:
    """End what takes too long; unittest takes every other exception for the failure of a test."""
    raise KeyboardInterrupt(f"not done within {LONGEST} s")


def main() -> None:
    """Print the table."""
    os.environ.update(SETTINGS)
    logging.disable()
    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LONGEST)
    from torch.multiprocessing import set_start_method

    import samplercheck as sc
    from samplercheck.worlds import open_world
    from tests.benchmarks import group_bodies, group_cases

    set_start_method("spawn", force=True)  # as torch's test classes do in a process of their own
    rows: dict[str, list[str]] = {}
    with open_world("gloo") as world:
        warm_up = sc.target(lambda rank: [rank], name="warm-up").bind()
        world.trace(warm_up, sc.Case(length=1, world_size=1, batch_size=1), ("in_step",), "sampler")
        for size in WORLDS:
            ways: list = [
                Spawn(size),
                TorchTest(getattr(group_cases, f"EachOf{size}")),
                TorchTest(getattr(group_cases, f"KeptOf{size}")),
                Pool(world, size),
            ]
            try:
                measure(ways, rows)
            finally:
                for way in ways:
                    way.close()
    steps = f"an epoch of {group_bodies.STEPS} steps, a collective at each"
    print(f"{steps:66}" + "".join(f"{f'world {size}':>18}" for size in WORLDS))
    for name, cells in rows.items():
        print(f"{name:66}" + "".join(f"{cell:>18}" for cell in cells))


def measure(ways: list, rows: dict[str, list[str]]) -> None:
    """Add the column of one world size."""

    def add(what: str, name: str, cell: str) -> None:
        rows.setdefault(f"{what}: {name}", []).append(cell)

    costs = passing(ways)
    for name, (first, warm) in costs.items():
        add("passing case, " + ("warm" if name in (KEPT, Pool.name) else "each"), name, shown(warm))
        if name in (KEPT, Pool.name):
            add("first case", name, shown(first))
    add("ratio to samplercheck", ways[0].name, f"{costs[ways[0].name][1] / costs[Pool.name][1]:.0f}")
    for way in ways[::-1]:  # a MultiProcessTestCase that fails ends all children of this process
        known, after = failing(way, way.short)
        add("a rank a step short, until known", way.name, shown(known))
        add("the next case after that", way.name, after)
    known, after = failing(ways[-1], ways[-1].hangs)
    add("the same inside the target, until known", Pool.name, shown(known))
    add("the next case after that, in a new group", Pool.name, after)


if __name__ == "__main__":
    main()
