"""What every script begins with: the target, its dataset, and how one rank builds and iterates it.

Copied into scripts as it stands, like the experiments and judges beside it. What is copied uses the standard
library, torch, and the datasets and samplers of ``features``, which are copied as well.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import BatchSampler, IterableDataset

from samplercheck.targets.features import IdentityDataset
from samplercheck.targets.inners import InnerBatchSampler, InnerSampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def load(place: str) -> Callable[..., Any]:
    """Return the target: package.module:attribute or path/to/file.py:attribute."""
    module_name, _, attribute = place.rpartition(":")
    sys.path.insert(0, str(Path.cwd()))
    if module_name.endswith(".py"):
        sys.path.append(str(Path(module_name).resolve().parent))
        spec = importlib.util.spec_from_file_location(Path(module_name).stem, module_name)
        assert spec is not None, f"{module_name} cannot be loaded"
        assert spec.loader is not None
        found: Any = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = found
        spec.loader.exec_module(found)
    else:
        found = importlib.import_module(module_name)
    for name in attribute.split("."):
        found = getattr(found, name)
    is_target = hasattr(found, "factory") and hasattr(found, "contract")  # made by samplercheck.target
    return found.factory if is_target else found  # type: ignore[no-any-return]


class Setup:
    """One case of one target: builds and iterates its object in each rank, as a training script would.

    ``parameters`` maps the target's parameters to what they mean, ``promise`` is what its contract says.
    """

    def __init__(
        self, place: str, case: dict[str, Any], parameters: dict[str, str], promise: dict[str, Any]
    ) -> None:
        self.place, self.case, self.parameters, self.promise = place, case, parameters, promise
        self.names, self.factory = list(parameters.values()), load(place)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.place, self.case, self.parameters, self.promise)

    def value(self, name: str, rank: int, _changes: dict[str, Any]) -> Any:
        """Return what is passed for a parameter in one rank."""
        if name in ("lengths", "labels", "weights"):
            return getattr(self.dataset, name)
        step, replicas = self.promise["ranks_per_place"], self.promise["replicas"]
        places = {"rank": rank // step, "world_size": self.case["world_size"] // step, "global_rank": rank}
        others = {"epoch": 0, "consumed": 0, "replicas": replicas, "num_workers": self.case["workers"]}
        made = {"dataset": self.dataset, "case": SimpleNamespace(**self.case)}
        return {**self.case, **places, **others, **made}[name]

    @property
    def dataset(self) -> Any:
        """A new dataset whose samples are their own indices."""
        return IdentityDataset(self.case["length"], self.case["seed"], tuple(self.case["features"].items()))

    def build(self, rank: int, /, **changes: Any) -> Any:
        """Return the object of one rank, some arguments changed; one that is None is left out."""
        if self.promise["ambient_rng"] == "shared":
            seed_generators(1)
        values = {
            parameter: changes[name] if name in changes else self.value(name, rank, changes)
            for parameter, name in self.parameters.items()
            if name not in changes or changes[name] is not None
        }
        values.update(self.case["options"])
        first = [values.pop(parameter) for parameter in self.promise["positional"] if parameter in values]
        return self.factory(*first, **values)

    def begin(self, rank: int, subject: Any, epoch: int) -> Any:
        """Start an epoch as the contract says, and return the object to iterate."""
        if self.promise["epochs"] != "set_epoch":
            return subject
        parts = [subject]
        if is_loader(subject) and not hasattr(subject, "set_epoch"):
            stream = subject.dataset if isinstance(subject.dataset, IterableDataset) else None
            parts = [stream, getattr(subject, "sampler", None), subject.batch_sampler]
        inner = [part.sampler for part in parts if isinstance(part, BatchSampler)]  # scripts call that
        parts = [part for part in parts if hasattr(part, "set_epoch")] or inner[:1]
        parts = [part for part in parts if hasattr(part, "set_epoch")]
        for part in parts:
            part.set_epoch(epoch)
        return self.build(rank, epoch=epoch) if epoch and "epoch" in self.names and not parts else subject

    def take(self, subject: Any, limit: int | None = None) -> list[Any]:
        """Return the steps of one pass, or the first of them: samples, or batches as lists."""
        most = self.promise["most_steps"]
        steps = [plain(step) for step in islice(subject, most + 1 if limit is None else limit)]
        assert len(steps) <= most or self.promise["endless"], f"still yielding after {most} steps"
        return steps[:most]

    def passes(self, rank: int, epochs: int, subject: Any = None, /, **changes: Any) -> list[list[Any]]:
        """Return the passes of one object over several epochs."""
        subject = self.build(rank, **changes) if subject is None else subject
        found = []
        for epoch in self.visits(epochs):
            try:
                subject = self.begin(rank, subject, epoch)
                found.append(self.take(subject))
            except Exception as error:
                refuses = epoch >= 2**31 or isinstance(error, (ValueError, AssertionError, OverflowError))
                if epoch < epochs or not refuses:  # of those far ahead a target may have none
                    raise
                break
        return found

    def visits(self, epochs: int) -> tuple[int, ...]:
        """Return the epochs of a run; one of all the case's epochs goes on to far ones."""
        return (*range(epochs), *(self.promise["far_epochs"] if epochs == self.case["epochs"] else ()))

    @property
    def shares(self) -> list[list[int]]:
        """The ranks that share an epoch: one list of all places in the data, or each rank by itself."""
        ranks = list(range(self.case["world_size"]))
        alone = self.promise["sharding"] == "none"
        return [[rank] for rank in ranks] if alone else [ranks[:: self.promise["replicas"]]]


class WrapperSetup(Setup):
    """One case of a wrapper, which gets a sound sampler or batch sampler to wrap."""

    def value(self, name: str, rank: int, changes: dict[str, Any]) -> Any:
        """Return what is passed for a parameter; what is wrapped changes its arguments with the wrapper's."""
        if name not in ("sampler", "batch_sampler"):
            return super().value(name, rank, changes)
        size = max(1, changes.get("batch_size", self.case["batch_size"]))
        case: Any = SimpleNamespace(**{**self.case, **changes, "batch_size": size})
        kind = InnerSampler if name == "sampler" else InnerBatchSampler
        return kind.of(case, SimpleNamespace(**self.promise))  # type: ignore[arg-type]


def is_loader(subject: Any) -> bool:
    """Whether this is a loader."""
    return hasattr(subject, "batch_sampler") and hasattr(subject, "dataset")


def plain(step: Any) -> Any:
    """Return a sample or a batch as plain numbers, where it is one."""
    if isinstance(step, dict):  # the part that says which samples a batch holds, or the first
        step = next((step[name] for name in ("index", "idx", "id", *step) if name in step), step)
    step = step.tolist() if hasattr(step, "tolist") else step
    return [plain(part) for part in step] if isinstance(step, (list, tuple)) else step


def samples(steps: list[Any]) -> list[Any]:
    """Return the samples of a pass, batches opened."""
    return [sample for step in steps for sample in (step if isinstance(step, list) else [step])]


def count(passes: list[Any]) -> Counter[Any]:
    """Return how often each sample comes in some passes."""
    return Counter(sample for steps in passes for sample in samples(steps))


def each_epoch(setup: Setup, ranks: list[Any]) -> Iterator[tuple[int, list[int], list[Any]]]:
    """Yield each epoch of the ranks that share it: its number, the ranks and their passes."""
    for share in setup.shares:
        numbers = setup.visits(setup.case["epochs"])
        for place, passes in enumerate(zip(*[ranks[rank] for rank in share], strict=False)):
            yield numbers[place] if place < len(numbers) else place, share, list(passes)


def seed_generators(state: int) -> None:
    """Put the global generators of the process into a state."""
    random.seed(state)
    torch.manual_seed(state)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(state)


def enter(setup: Setup, rank: int, start: int) -> None:
    """Set what a launcher sets for a rank, and its generators; each rank has its own state."""
    world_size, node_size = setup.case["world_size"], setup.promise["node_size"]
    node, local = divmod(rank, node_size)
    places = {"RANK": rank, "WORLD_SIZE": world_size, "LOCAL_RANK": local, "LOCAL_WORLD_SIZE": node_size}
    places |= {"GROUP_RANK": node, "NODE_RANK": node}
    os.environ.update({name: str(place) for name, place in places.items()})
    seed_generators(start if setup.promise["ambient_rng"] == "shared" else 1000 * start + rank)
