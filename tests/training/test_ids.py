"""The ids of a batch: as many as samples, whole numbers as they are, and anything else by its text."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from samplercheck.training.ids import ids_of_index


@pytest.mark.parametrize(
    "index",
    [
        [3, 1, 2],
        (3, 1, 2),
        torch.tensor([3, 1, 2]),
        np.array([3, 1, 2], np.int32),
        list(np.array([3, 1, 2])),
        [torch.tensor(3), torch.tensor(1), torch.tensor(2)],
    ],
)
def test_whole_numbers_are_ids_whatever_holds_them(index):
    assert np.frombuffer(ids_of_index(index), np.int64).tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("index", "count"),
    [
        (7, 1),
        (np.int64(7), 1),
        ("seven", 1),
        (range(3), 3),
        ([], 0),
        (np.zeros((2, 2)), 2),
        (torch.ones(()), 1),
    ],
)
def test_ids_are_as_many_as_samples(index, count):
    assert len(ids_of_index(index)) == 8 * count


def test_what_is_no_whole_number_is_known_by_its_text():
    batches = [
        [True, False],
        [1, 0],
        [1.0, 0.0],
        ["1", "0"],
        [(1, 0), (0, 1)],
        [1, 2.5],
        [1, "0"],
        [2**70, 1],
    ]
    ids = [ids_of_index(batch) for batch in batches]
    assert {len(one) for one in ids} == {16}
    assert len(set(ids)) == len(ids)
    assert ids == [ids_of_index(batch) for batch in batches]
