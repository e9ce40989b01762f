"""What every script goes on with: the building and iterating of one rank's object.

The functions and classes of this file are copied into scripts as they stand, and run there: they use
the standard library, torch and what the script's head imports, nothing of this package.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import sys
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from samplercheck.scripts._given import PARTS as GIVEN
from samplercheck.scripts._given import Dataset, Inner, InnerBatches, feature

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PARTS"]


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
    is_wrapped = type(found).__module__ == "samplercheck.targets"  # made by samplercheck.target
    return found.factory if is_wrapped else found  # type: ignore[no-any-return]


class Bench:
    """One case of one target: builds and iterates its object in each rank, as a training script would.

    ``parameters`` maps the target's parameters to what they are bound to, ``promise`` is what its
    contract means in this case.
    """

    def __init__(
        self, place: str, case: dict[str, Any], parameters: dict[str, str], promise: dict[str, Any]
    ) -> None:
        self.place, self.case, self.parameters, self.promise = place, case, parameters, promise
        self.factory = load(place)

    def __reduce__(self) -> tuple[Any, ...]:
        return Bench, (self.place, self.case, self.parameters, self.promise)

    def value(self, name: str, rank: int) -> Any:
        """Return what a parameter is bound to in one rank."""
        case, step = self.case, self.promise["ranks_per_place"]
        makers: dict[str, Callable[[], Any]] = {
            "dataset": lambda: Dataset(case),
            "rank": lambda: rank // step,
            "world_size": lambda: case["world_size"] // step,
            "global_rank": lambda: rank,
            "replicas": lambda: self.promise["replicas"],
            "num_workers": lambda: case["workers"],
            "epoch": lambda: 0,
            "consumed": lambda: 0,
            "case": lambda: SimpleNamespace(**case),
        }
        if name in makers:
            return makers[name]()
        return feature(case, name) if name in ("lengths", "labels", "weights") else case[name]

    def inner(self, **turned: Any) -> Any:
        """Return what a wrapper wraps, its arguments turned with the wrapper's."""
        case = {**self.case, **turned}
        shuffle = case["shuffle"] or self.promise["order"] == "shuffled"
        inner = Inner(case["length"], shuffle=shuffle, seed=case["seed"])
        if "batch_sampler" not in self.names:
            return inner
        how = {"varies": self.promise["variable"], "drop_last": case["drop_last"]}
        return InnerBatches(inner, max(1, case["batch_size"]), **how)

    @property
    def wraps(self) -> str:
        """The name by which the target takes what it wraps."""
        return "batch_sampler" if "batch_sampler" in self.names else "sampler"

    def build(self, rank: int, /, **changes: Any) -> Any:
        """Return the object of one rank, some arguments changed; one that is None is left out."""
        if self.promise["ambient"] == "shared":
            seed_generators(1)
        bound = {name: self.value(name, rank) for name in self.names if name not in (*changes, self.wraps)}
        knobs = ("shuffle", "seed", "batch_size", "drop_last")
        turned = {name: changes[name] for name in knobs if name in changes}
        bound = {self.wraps: self.inner(**turned), **bound, **changes}
        values = {
            parameter: bound[name]
            for parameter, name in self.parameters.items()
            if not (name in changes and changes[name] is None)
        }
        values.update(self.case["options"])
        first = [values.pop(parameter) for parameter in self.promise["positional"] if parameter in values]
        return self.factory(*first, **values)

    @property
    def names(self) -> list[str]:
        """What the target's parameters are bound to."""
        return list(self.parameters.values())

    def begin(self, rank: int, subject: Any, epoch: int) -> Any:
        """Start an epoch as the contract says, and return the object to iterate."""
        if self.promise["epochs"] != "set_epoch":
            return subject
        holders = [subject]
        if hasattr(subject, "batch_sampler") and not hasattr(subject, "set_epoch"):
            holders = [getattr(subject, name, None) for name in ("sampler", "batch_sampler")]
        for holder in holders:
            if hasattr(holder, "set_epoch"):
                holder.set_epoch(epoch)
                return subject
        return self.build(rank, epoch=epoch) if "epoch" in self.names and epoch else subject

    def take(self, subject: Any, limit: int | None = None) -> list[Any]:
        """Return the steps of one pass, or the first of them: samples, or batches as lists."""
        most = self.promise["most_steps"]
        steps = [plain(step) for step in islice(iter(subject), most + 1 if limit is None else limit)]
        assert len(steps) <= most or self.promise["endless"], f"still yielding after {most} steps"
        return steps[:most]

    def passes(self, rank: int, epochs: int, subject: Any = None, /, **changes: Any) -> list[list[Any]]:
        """Return the passes of one object over several epochs."""
        subject = self.build(rank, **changes) if subject is None else subject
        found = []
        for epoch in range(epochs):
            subject = self.begin(rank, subject, epoch)
            found.append(self.take(subject))
        return found


def plain(step: Any) -> Any:
    """Return a sample or a batch as plain numbers, where it is one."""
    if isinstance(step, dict):  # the part that says which samples a batch holds, or the first
        step = next((step[name] for name in ("index", "idx", "id", *step) if name in step), step)
    step = step.tolist() if hasattr(step, "tolist") else step
    return [plain(one) for one in step] if isinstance(step, (list, tuple)) else step


def samples(steps: list[Any]) -> list[Any]:
    """Return the samples of a pass, batches opened."""
    return [one for step in steps for one in (step if isinstance(step, list) else [step])]


def seed_generators(state: int) -> None:
    """Put the global generators of the process into a state."""
    random.seed(state)
    torch.manual_seed(state)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(state)


def shares(bench: Bench) -> list[list[int]]:
    """Return the ranks that share an epoch: one list of all places, or each rank by itself."""
    world = range(bench.case["world_size"])
    if bench.promise["sharding"] == "none":
        return [[rank] for rank in world]
    return [list(world)[:: bench.promise["replicas"]]]


def take_place(bench: Bench, rank: int) -> None:
    """Set the variables that launchers set for a rank."""
    os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
    os.environ["WORLD_SIZE"] = str(bench.case["world_size"])


def in_turn(bench: Bench, experiment: Callable[[Bench, int], Any], start: int) -> list[Any]:
    """Return what an experiment finds in each rank, one after the other; each has its own random state."""
    found = []
    for rank in range(bench.case["world_size"]):
        take_place(bench, rank)
        seed_generators(start if bench.promise["ambient"] == "shared" else 1000 * start + rank)
        found.append(experiment(bench, rank))
    return found


PARTS: tuple[Any, ...] = (
    *GIVEN,
    load,
    Bench,
    plain,
    samples,
    seed_generators,
    shares,
    take_place,
    in_turn,
)
