"""What is pickled: a sampler as it is, of a loader what its workers get."""

from __future__ import annotations

import multiprocessing
import threading
import warnings
import weakref
from typing import Any

import pytest
from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc
from samplercheck import Outcome
from samplercheck.experiments import pickled
from samplercheck.experiments.pickled import copy_by_pickle


class Watched(DataLoader[int]):
    """A loader that cannot be pickled, because it holds a weak reference."""

    def __init__(self, dataset: Any, **options: Any) -> None:
        super().__init__(dataset, **options)
        self.watched = weakref.ref(dataset.__class__)


def watched(dataset: Any) -> Any:
    return Watched(dataset)


def with_a_lambda(dataset: Any) -> Any:
    return Watched(dataset, collate_fn=lambda samples: samples)


def with_a_worker(dataset: Any) -> Any:
    return Watched(dataset, collate_fn=lambda samples: samples, num_workers=1)


def asked_for_workers(dataset: Any, num_workers: int) -> Any:
    return Watched(dataset, collate_fn=lambda samples: samples, num_workers=num_workers)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("build", "outcome", "is_advised"),
    [
        (watched, Outcome.HOLDS, False),
        (with_a_lambda, Outcome.HOLDS, True),
        (with_a_worker, Outcome.BROKEN, False),
        (asked_for_workers, Outcome.BROKEN, False),
    ],
)
def test_of_a_loader_that_cannot_be_pickled_only_what_workers_get_must_be(build, outcome, is_advised):
    contract = sc.Contract.single_process(epochs="fixed")
    (result,) = sc.run(build, contract, profile="quick", select=["SC504"]).results
    assert result.outcome is outcome
    assert bool(result.advised) is is_advised


class Warns:
    """Is loaded with the warning that torch gives before 2.6, or with another."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __setstate__(self, state: dict[str, str]) -> None:
        vars(self).update(state)
        warnings.warn(self.text, FutureWarning, stacklevel=1)


def test_what_torch_says_of_its_own_loading_is_no_error_of_the_target(monkeypatch):
    monkeypatch.setattr(pickled, "IS_WARNING", True)
    text = "You are using `torch.load` with `weights_only=False` (the current default value), which ..."
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert copy_by_pickle(Warns(text)).text == text
        with pytest.raises(FutureWarning, match="of the target"):
            copy_by_pickle(Warns("of the target"))


class SharesItsEpoch(DistributedSampler[int]):
    """Keeps its epoch in memory that the processes share which get a copy."""

    def __init__(self, dataset: Any, num_replicas: int, rank: int, seed: int = 0) -> None:
        super().__init__(dataset, num_replicas, rank, seed=seed)
        self.shared = multiprocessing.Value("q", 0)

    def set_epoch(self, epoch: int) -> None:
        self.shared.value = epoch

    def __iter__(self) -> Any:
        self.epoch = self.shared.value
        return super().__iter__()


class LosesItsEpoch(SharesItsEpoch):
    """Begins with the first epoch wherever it is copied to."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.shared = multiprocessing.Value("q", 0)


class HoldsALock(DistributedSampler[int]):
    """Holds a lock that only the threads of its process share."""

    def __init__(self, dataset: Any, num_replicas: int, rank: int) -> None:
        super().__init__(dataset, num_replicas, rank)
        self.lock = threading.Lock()


def of_a_function(dataset: Any, rank: int, world_size: int) -> Any:
    class Local(SharesItsEpoch):
        """Cannot be imported by its name."""

    return Local(dataset, world_size, rank)


TARGETS = {
    SharesItsEpoch: Outcome.HOLDS,
    of_a_function: Outcome.HOLDS,
    LosesItsEpoch: Outcome.BROKEN,
    HoldsALock: Outcome.BROKEN,
}


@pytest.mark.parametrize(("build", "outcome"), TARGETS.items())
def test_what_multiprocessing_shares_is_shared_with_the_copy_too(build, outcome):
    (result,) = sc.run(build, sc.Contract(order="shuffled"), profile="quick", select=["SC504"]).results
    assert result.outcome is outcome
