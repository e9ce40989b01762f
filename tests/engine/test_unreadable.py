"""Pictures with labels tell nobody which samples they are: that is said, and nothing else is made of it."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from tests.support.complaints import complaints


class Labelled:
    """The commonest dataset there is."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, place: int) -> tuple[torch.Tensor, int]:
        return torch.full((3, 2, 2), float(self.dataset[place])), self.dataset[place] % 2


def loader(dataset: Any, rank: int, world_size: int) -> Any:
    labelled: Any = Labelled(dataset)
    sampler: Any = DistributedSampler(labelled, world_size, rank, shuffle=False)
    return DataLoader(labelled, sampler=sampler)


def test_what_cannot_be_read_is_told_with_the_way_out_and_leaves_other_laws_undecided() -> None:
    target = sc.target(loader, name="labelled", contract=sc.Contract(order="sequential"))
    plan = Plan(target=target, profile="quick", select=("SC101", "SC103", "SC302"), explains=False)
    report = carry_out(plan)
    (failure,) = [result.failure for result in report.failures]
    assert failure is not None
    assert failure.message.endswith("step 1 is a list, and its parts disagree (2 against 0)")
    assert "call the part idx" in failure.hint
    undecided = complaints(report)
    assert undecided.keys() == {"SC101", "SC302"}
    assert undecided["SC302"].endswith(" cases: the target yields what could not be read (SC101)")
