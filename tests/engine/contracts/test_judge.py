"""By which cases and experiments a contract is judged, where many are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
