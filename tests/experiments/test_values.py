"""What loaders yield tells which samples it holds, through the default collate function and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, default_collate

from samplercheck.experiments._values import indices_in
from samplercheck.features import IdentityDataset


class Pair(NamedTuple):
    idx: torch.Tensor
    label: torch.Tensor


@dataclass
class Batch:
    idx: torch.Tensor
    size: int


class Wrapping:
    """A dataset that makes samples of what the kit's own dataset holds."""

    def __init__(self, make):
        self.inner = IdentityDataset(5)
        self.make = make

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, place):
        return self.make(self.inner[place])


SAMPLES = {
    "numbers in names": lambda i: {"x": i},
    "names in names": lambda i: {"data": {"idx": i, "label": i % 2}, "text": "a"},
    "pairs": lambda i: (i, i),
    "floats in names": lambda i: {"x": float(i)},
    "rows": lambda i: torch.tensor([i]),
    "images": lambda i: torch.full((3, 2, 2), i),
    "arrays": lambda i: {"x": np.full(4, i), "y": i},
    "named tuples": lambda i: Pair(torch.tensor(i), torch.tensor(7)),
}


@pytest.mark.parametrize("make", SAMPLES.values(), ids=SAMPLES)
def test_indices_come_back_through_the_default_collate_function(make):
    found = [indices_in(batch) for batch in DataLoader(Wrapping(make), batch_size=2)]
    assert found == [[0, 1], [2, 3], [4]]


COLLATED = {
    "not at all": lambda samples: [{"idx": i} for i in samples],
    "columns": lambda samples: torch.tensor(samples)[:, None],
    "a data class": lambda samples: Batch(torch.tensor(samples), len(samples)),
    "names": lambda samples: {"ids": samples, "count": torch.tensor([len(samples)])},
    "a list of collections": lambda samples: [default_collate(samples), {"more": default_collate(samples)}],
    "arrays": lambda samples: (np.array(samples), np.array(samples)),
}


@pytest.mark.parametrize("collate", COLLATED.values(), ids=COLLATED)
def test_indices_come_back_through_custom_collate_functions(collate):
    found = [indices_in(batch) for batch in DataLoader(IdentityDataset(5), batch_size=2, collate_fn=collate)]
    assert found == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize(
    "item",
    [
        {"x": torch.tensor([0, 1]), "y": torch.tensor([1, 0])},
        {"index": torch.tensor([0, 1]), "id": torch.tensor([1, 0])},
        {"x": torch.tensor([0.5, 1.0])},
        {"x": "text"},
        {},
        [],
        [[0]],
        [[0, 1], [2, 3]],
        torch.tensor([[0, 1], [2, 3]]),
        torch.tensor([0.0, 1.0]),
        {"x": torch.tensor([float("nan"), float("inf")])},
        "text",
        None,
        object(),
    ],
)
def test_what_does_not_tell_is_never_guessed(item):
    assert indices_in(item) is None


def test_an_empty_batch_of_rows_holds_nothing():
    assert indices_in(torch.empty((0, 1), dtype=torch.int64)) == []
