"""What rank processes alone show, and only behind others in the same process, is said to depend on these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.engine._group_history import depends_on_others
from samplercheck.storage.store import Store
from samplercheck.values.finding import Outcome

BUILT: list[int] = []
TURNED: list[int] = []
SO_MANY = 200
"""More objects than the cases of process groups make, and fewer than those in simulation."""
MANY = 4
"""More objects than one case makes in a rank, and fewer than all of them do."""


class Forgets:
    """Once many were built in its process, or always, the first sample is another."""

    always = False

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        BUILT.append(length)
        self.length, self.rank, self.world_size = length, rank, world_size

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        total = -(-self.length // self.world_size) * self.world_size
        ids = [index % self.length for index in range(total)]
        if self.length > 1 and (self.always or len(BUILT) > MANY):
            ids[0] = 1
        return iter(ids[self.rank :: self.world_size])


class AlwaysWrong(Forgets):
    always = True


class TurnsRound(DistributedSampler[int]):
    """Turns the order round once many were built in its process; ``in_groups`` it begins elsewhere, too."""

    in_groups = False

    def __init__(self, dataset: object, num_replicas: int, rank: int, *, shuffle: bool = True) -> None:
        super().__init__(dataset, num_replicas, rank, shuffle)  # type: ignore[arg-type]
        TURNED.append(rank)

    def __iter__(self) -> Iterator[int]:
        order = [*super().__iter__()]
        if self.in_groups and torch.distributed.get_backend() == "gloo":
            order.append(order.pop(0))
        return iter(order[::-1] if len(TURNED) > SO_MANY else order)


class TurnsRoundThere(TurnsRound):
    in_groups = True


def look(kind: type[Forgets], folder: Path) -> sc.Report:
    target = sc.target(f"{__name__}:{kind.__name__}")
    plan = Plan(
        target=target, profile="quick", worlds=("gloo",), select=["SC102", "SC103"], store=Store(folder)
    )
    return carry_out(plan)


@pytest.mark.thorough
@pytest.mark.gloo
def test_what_fails_behind_others_in_its_rank_process_says_so_and_has_no_script(tmp_path: Path) -> None:
    failures = {one.code: one.failure for one in look(Forgets, tmp_path).failures}
    for code, other in (("SC102", "SC103"), ("SC103", "SC102")):
        failure = failures[code]
        assert failure is not None
        assert failure.cause == "It depends on what ran before in this process."
        assert failure.also == (other,)
    assert [*tmp_path.rglob("*.json")]
    assert not [*tmp_path.rglob("*.py")]


@pytest.mark.thorough
@pytest.mark.gloo
def test_what_fails_by_itself_is_not_blamed_on_others(tmp_path: Path) -> None:
    failures = [one.failure for one in look(AlwaysWrong, tmp_path).failures]
    assert failures
    assert [one.cause for one in failures if one is not None and "ran before" in one.cause] == []


@pytest.mark.thorough
@pytest.mark.gloo
@pytest.mark.parametrize(("kind", "is_told"), [(TurnsRound, False), (TurnsRoundThere, True)])
def test_a_group_is_not_blamed_for_what_others_have_left_in_the_simulation(
    kind: type[TurnsRound], *, is_told: bool
) -> None:
    target = f"{__name__}:{kind.__name__}"
    report = sc.run(target, profile="quick", worlds=("simulated", "gloo"), isolate=True)
    assert {"SC302", "SC901"} <= {one.code for one in report.failures}
    told = {one.code: one.failure.follows for one in report.failures if one.failure}
    assert told["SC901"] == ("" if is_told else "SC302")


@pytest.mark.parametrize(
    ("again", "alone", "depends"),
    [("b" * 5, "hh", True), ("bbhbb", "hh", False), ("b" * 5, "hb", False), ("b" * 5, "h?", False)],
)
def test_others_are_blamed_where_each_trial_says_so(again: str, alone: str, *, depends: bool) -> None:
    said = {"b": Outcome.BROKEN, "h": Outcome.HOLDS, "?": Outcome.UNKNOWN}
    told = (iter([said[one] for one in text]) for text in (again, alone))
    assert depends_on_others(*(one.__next__ for one in told)) is depends
