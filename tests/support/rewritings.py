"""Rewritings of a target that change nothing of what its ranks yield: the kit has to say the same of both.

Each takes a factory and returns another, or None where it does not fit the factory's signature.
"""

from __future__ import annotations

import functools
import inspect
import os
from typing import TYPE_CHECKING, Any

import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset

if TYPE_CHECKING:
    from collections.abc import Callable

    Factory = Callable[..., Any]

__all__ = ["REWRITINGS"]

PLACES = {"rank", "world_size"}
OTHER_NAMES = {
    "rank": "process_index",
    "world_size": "num_processes",
    "length": "dataset_length",
    "seed": "random_seed",
}


def _signed(build: Factory, parameters: list[inspect.Parameter]) -> Factory:
    """Give a function the signature by which the kit knows what to hand it."""
    build.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return build


def _parameters(factory: Factory) -> list[inspect.Parameter]:
    return list(inspect.signature(factory).parameters.values())


def _without_places(factory: Factory, find: Callable[[], tuple[int, int]]) -> Factory | None:
    parameters = _parameters(factory)
    if not {one.name for one in parameters} >= PLACES:
        return None

    def build(*given: Any, **named: Any) -> Any:
        rank, world_size = find()
        bound = signature.bind(*given, **named)
        return factory(**bound.arguments, rank=rank, world_size=world_size)

    left = [one for one in parameters if one.name not in PLACES]
    signature = inspect.Signature(left)
    return _signed(build, left)


def reads_the_environment(factory: Factory) -> Factory | None:
    """Find rank and world size where torchrun leaves them."""
    return _without_places(factory, lambda: (int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])))


def asks_the_group(factory: Factory) -> Factory | None:
    """Ask the process group for both, as samplers do that are given neither."""
    return _without_places(factory, lambda: (dist.get_rank(), dist.get_world_size()))


def is_named_otherwise(factory: Factory) -> Factory | None:
    """Call the parameters by other names that people use."""
    parameters = _parameters(factory)
    others = [one.replace(name=OTHER_NAMES.get(one.name, one.name)) for one in parameters]
    if others == parameters:
        return None
    names = {other.name: one.name for one, other in zip(parameters, others, strict=True)}
    signature = inspect.Signature(others)

    def build(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        return factory(**{names[name]: value for name, value in bound.arguments.items()})

    return _signed(build, others)


def takes_keywords_alone(factory: Factory) -> Factory | None:
    """Take every parameter by its name."""
    named = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in _parameters(factory)]

    def build(**given: Any) -> Any:
        return factory(**given)

    return _signed(build, named)


def is_an_object(factory: Factory) -> Factory | None:
    """Be an object that is called."""

    class Builds:
        def __call__(self, *given: Any, **named: Any) -> Any:
            return factory(*given, **named)

    call = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    _signed(Builds.__call__, [call, *_parameters(factory)])
    return Builds()


def is_a_partial(factory: Factory) -> Factory | None:
    """Have an argument bound that says nothing."""

    def build(nothing: None, *given: Any, **named: Any) -> Any:
        return factory(*given, **named)

    first = inspect.Parameter("nothing", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return functools.partial(_signed(build, [first, *_parameters(factory)]), None)


class Hands:
    """Hand everything on to a sampler of somebody else's."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __iter__(self) -> Any:
        return iter(self.inner)

    def __getattr__(self, name: str) -> Any:
        if name == "inner" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.inner, name)


class HandsWithLength(Hands):
    """One whose length is known."""

    def __len__(self) -> int:
        length: int = self.inner.__len__()  # len() would refuse what a bug returns
        return length


def is_wrapped(factory: Factory) -> Factory | None:
    """Have the sampler in a wrapper that hands everything on."""
    parameters = _parameters(factory)

    def build(*given: Any, **named: Any) -> Any:
        sampler = factory(*given, **named)
        if isinstance(sampler, (IterableDataset, DataLoader)):  # which are known by their class
            return sampler
        return (HandsWithLength if hasattr(sampler, "__len__") else Hands)(sampler)

    return _signed(build, parameters)


REWRITINGS: dict[str, Callable[[Factory], Factory | None]] = {
    function.__name__: function
    for function in (
        reads_the_environment,
        asks_the_group,
        is_named_otherwise,
        takes_keywords_alone,
        is_an_object,
        is_a_partial,
        is_wrapped,
    )
}
