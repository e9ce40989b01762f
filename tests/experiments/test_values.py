"""What loaders yield tells which samples it holds, through the default collate function and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, default_collate

from samplercheck.experiments._values import UnclearError, indices_in
from samplercheck.targets.features import IdentityDataset


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
    "pairs as they are": lambda samples: [(i, str(i)) for i in samples],
    "pictures as they are": lambda samples: [[torch.full((3, 2), i), i] for i in samples],
    "texts as they are": lambda samples: [(f"{i}.jpg", torch.tensor(i)) for i in samples],
    "pairs as they are, somewhere": lambda samples: {"meta": [{"idx": i, "size": 7} for i in samples]},
    "a count beside them": lambda samples: (torch.tensor(samples), len(samples)),
    "a mask beside them": lambda samples: (torch.tensor(samples), torch.ones(len(samples), 3) > 0),
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
        {"x": torch.tensor([0.5, 1.0])},
        ("0.jpg", 0),
        {"x": 0, "text": "a"},
        [(0, 1), (2, 3)],
        [(0,), (1,)],
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


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ({"x": torch.tensor([0, 1]), "y": torch.tensor([1, 0])}, "x: 0, 1 against y: 1, 0"),
        ({"index": torch.tensor([0, 1]), "id": torch.tensor([1, 0])}, "index: 0, 1 against id: 1, 0"),
        ([torch.full((2, 3, 2), 5.0), torch.tensor([1, 1])], "5, 5 against 1, 1"),
        ([(torch.full((3, 2), 5.0), 1)], "5 against 1"),
    ],
)
def test_parts_that_disagree_are_told(item, told):
    with pytest.raises(UnclearError, match=f"^its parts disagree .{told}.$"):
        indices_in(item)


STREAMED = {
    "names": {"idx": 3, "text": "doc 3"},
    "names and tokens": {"idx": 3, "tokens": torch.tensor([101, 3, 102])},
    "names and features": {"idx": 3, "x": torch.full((4,), 7.0)},
    "names of another kind": Pair(torch.tensor(3), torch.tensor(0)),
    "whole numbers in names": Pair(3, 0),
    "a data class": Batch(torch.tensor(3), 7),
    "files": ("00000003.jpg", 3),
    "files with a tensor": ["00000003.jpg", torch.tensor(3)],
    "pictures": (torch.full((3, 2, 2), 3.0), 3),
    "noise": (torch.tensor([0.25, 0.5]), 3),
    "tokens": (torch.tensor([101, 3, 102]), 3),
    "nested": {"meta": {"id": 3, "path": "a"}, "label": 0},
    "floats": {"x": 3.0},
    "with a flag": {"x": 3, "is_last": False},
}


@pytest.mark.parametrize("item", STREAMED.values(), ids=STREAMED)
def test_what_a_stream_yields_is_one_sample(item):
    assert indices_in(item, lone=True) == 3


@pytest.mark.parametrize("item", [one for name, one in STREAMED.items() if "names" in name])
def test_a_number_with_a_name_is_one_sample_whoever_yields_it(item):
    assert indices_in(item) == 3


@pytest.mark.parametrize("collate", COLLATED.values(), ids=COLLATED)
def test_a_stream_may_yield_batches(collate):
    found = indices_in(collate([2, 4]), lone=True)
    assert found == (2 if collate is COLLATED["a count beside them"] else [2, 4])


def test_what_a_streams_sample_says_twice_must_agree():
    with pytest.raises(UnclearError, match="3 against 1"):
        indices_in((torch.full((3, 2, 2), 3.0), 1), lone=True)


@pytest.mark.parametrize("item", [{"text": "a"}, ("a", 0.5), ("a", True), {"x": torch.tensor(0.5)}, [], None])
def test_what_does_not_tell_is_never_guessed_of_a_stream_either(item):
    assert indices_in(item, lone=True) is None
