"""By which cases and experiments a contract is judged, where many are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import DataLoader

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.engine.contracts import ContractJudge, RecordedWorld
from samplercheck.worlds import open_world

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.values.trace import Trace

DRAWN = Contract(coverage="sampled", frequencies="eventually")


class NotedWorld(RecordedWorld):
    """Notes which experiments were asked for."""

    def __init__(self, world: Any) -> None:
        super().__init__(world)
        self.asked: dict[Case, set[str]] = {}

    def trace(self, binding: Any, case: Case, experiments: Sequence[str], *others: Any) -> Trace:
        self.asked[case] = {*experiments}
        return super().trace(binding, case, experiments, *others)


def draws(length: int, rank: int, world_size: int, epoch: int) -> list[int]:
    return [epoch % max(1, length)] * (-(-length // world_size))


def test_of_very_many_epochs_it_is_judged_how_often_samples_come_and_nothing_else() -> None:
    near, far = (Case(length=4, epochs=epochs) for epochs in (2, 400))
    with open_world("simulated") as world:
        noted = NotedWorld(world)
        ContractJudge(noted, sc.target(draws), few=1).closely(DRAWN, [near, far])
    assert noted.asked[far] == {"draws"}
    assert noted.asked[near] > {"epochs", "abandoned"}


class KeepsItsWorkers(DataLoader):
    """A loader that goes on with its workers has one iterator, which a second ``iter`` starts again."""

    def __init__(self, dataset, batch_size, num_workers=0):  # type: ignore[no-untyped-def]
        super().__init__(dataset, batch_size, num_workers=num_workers, persistent_workers=num_workers > 0)


def test_a_loader_that_keeps_its_workers_is_judged_in_them_by_what_is_about_workers_alone() -> None:
    loaded = Case(length=8, batch_size=2, epochs=2, stop=1, workers=1)
    whole = Contract.single_process(tail="keep")
    with open_world("simulated") as world:
        noted = NotedWorld(world)
        found = ContractJudge(noted, sc.target(KeepsItsWorkers), few=1).closely(whole, [loaded])
    assert found == {}
    assert "interleaved" not in noted.asked[loaded]
    assert "workers" in noted.asked[loaded]
