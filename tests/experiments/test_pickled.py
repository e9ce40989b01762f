"""What is pickled: a sampler as it is, of a loader what its workers get."""

from __future__ import annotations

import weakref
from typing import Any

import pytest
from torch.utils.data import DataLoader

import samplercheck as sc
from samplercheck import Outcome


class Watched(DataLoader[int]):
    """A loader that cannot be pickled, because it holds a weak reference."""

    def __init__(self, dataset: Any, **options: Any) -> None:
        super().__init__(dataset, **options)
        self.watched = weakref.ref(dataset.__class__)


def watched(dataset: Any) -> Any:
    return Watched(dataset)


def with_a_lambda(dataset: Any) -> Any:
    return Watched(dataset, collate_fn=lambda samples: samples)


@pytest.mark.thorough
@pytest.mark.parametrize(("build", "outcome"), [(watched, Outcome.HOLDS), (with_a_lambda, Outcome.BROKEN)])
def test_of_a_loader_that_cannot_be_pickled_only_what_workers_get_must_be(build, outcome):
    contract = sc.Contract.single_process(epochs="fixed")
    (result,) = sc.run(build, contract, profile="quick", select=["SC504"]).results
    assert result.outcome is outcome
