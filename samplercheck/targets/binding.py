"""Binding: from a target's parameter names to the values of a case and a rank.

Used by ``Seat`` inside a rank and by the engine to learn which names a target has. Imports the
values below it alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from samplercheck.targets._forwarded import VARIADIC, parameters_of
from samplercheck.targets.adapter import advise_on_parameter
from samplercheck.targets.features import (
    INNERS,
    OF_PARTS,
    IdentityDataset,
    feature,
    takes_shuffle_or_an_inner,
)
from samplercheck.targets.meanings import BOUND, REQUIRED, SHARDS, has_own_value
from samplercheck.values.case import Case
from samplercheck.values.choices import FEATURES
from samplercheck.values.contract import Contract
from samplercheck.values.errors import ContractError, TargetError, did_you_mean
from samplercheck.values.sizes import OF_ONE

_DATA_PARALLEL = re.compile("(data_parallel|dp)_(rank|size|world_size)")
_RANKED = ("rank", "world_size", "global_rank", *INNERS, "dataset")


class Binding:
    """A factory with the plan that binds its parameters.

    ``named`` holds the bound names (not the synonyms) that the factory accepts, behind ``**kwargs`` too, and
    ``signature`` all of its parameters. If it ``deals_by_place``, rank and world size are those of the places
    in the data, not of the processes. ``own_batch`` is the size of batches where none can be asked for.
    ``saved`` is the state to resume from where another process stopped, None where one will go on from here.
    """

    def __init__(
        self, factory: Callable[..., Any], contract: Contract, axes: dict[str, Any], name: str
    ) -> None:
        self.factory = factory
        self.contract = contract
        self.axes = axes
        self.name = name
        self.reference: Binding | None = None
        self.saved: tuple[tuple[bytes, int, int], ...] | None = ()
        parameters, self._behind = parameters_of(factory, name)
        self.signature = inspect.Signature(parameters)
        self._by_name: dict[str, inspect.Parameter] = {}
        self._options: list[str] = []
        self._positional: dict[str, Any] = {}
        self._unknown: list[str] = []
        for parameter in parameters:
            self._plan(parameter)
        self._check_axes(parameters)
        if self._unknown:  # not earlier: the adapter passes on all others, which are bound by now
            bound = [parameter.name for parameter in self._by_name.values()]
            own = bound, self._options, {**REQUIRED, **BOUND}
            raise TargetError(advise_on_parameter(name, parameters, self._unknown, *own))
        self.named = frozenset(self._by_name)
        self.deals_by_place = {"global_rank", "rank"} <= self.named or any(
            _DATA_PARALLEL.fullmatch(parameter.name) for parameter in self._by_name.values()
        )
        self._ranked = {name: self._by_name[name].name for name in _RANKED if name in self._by_name}
        self._lists = [self._by_name[name].name for name in FEATURES if name in self._by_name]
        self._inners = [name for name in INNERS if name in self._ranked]
        self.own_batch, self._rank = OF_ONE, -1
        self._case: Case | None = None
        self._common, self._values = dict[str, Any](), dict[str, Any]()

    def _plan(self, parameter: inspect.Parameter) -> None:
        name = parameter.name
        if parameter.kind in VARIADIC:
            return
        bound = self._meaning(parameter)
        if name in self.axes:
            if bound is not None:
                raise TargetError(
                    f"Axis {name!r} of {self.name} is a name that the kit binds and varies itself: "
                    "rename the parameter or leave the axis out."
                )
            self._options.append(name)
        elif bound is not None:
            twin = next((self._by_name[other] for other in _alike(bound) if other in self._by_name), None)
            if twin is not None and name in self._behind and _optional(parameter):
                return
            if twin is not None:
                raise TargetError(
                    f"Parameters {twin.name!r} and {name!r} of {self.name} both mean {bound!r}: keep one."
                )
            self._by_name[bound] = parameter
        elif not _optional(parameter):
            self._unknown.append(name)
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            self._positional[name] = parameter.default

    def _meaning(self, parameter: inspect.Parameter) -> str | None:
        """Return what a parameter is bound to, None for one that is the target's own."""
        bound = BOUND.get(parameter.name) or self._meaning_beside_others(parameter)
        if bound in FEATURES and "datasets" in self.signature.parameters:  # one for each dataset
            return None if _optional(parameter) else "shares"
        counts = self.contract.resume == "consumed"
        if (bound == "consumed" and not counts) or (bound in FEATURES and has_own_value(parameter.default)):
            return None
        is_spare = bound in ("global_rank", "replicas") and self.contract.replicas == 1
        if (is_spare or (bound == "batch_sampler" and "sampler" in self._by_name)) and _optional(parameter):
            return None
        return None if bound in INNERS and takes_shuffle_or_an_inner(self.signature.parameters) else bound

    def _meaning_beside_others(self, parameter: inspect.Parameter) -> str | None:
        """Return what a shard is, or what must be given is likely to be, where no other one is called so."""
        others = self.signature.parameters
        known, place = set(map(BOUND.get, others)), set(SHARDS.values())
        is_shard = place == {SHARDS[name] for name in others if name in SHARDS} and place.isdisjoint(known)
        bound = SHARDS.get(parameter.name) if is_shard else None
        bound = bound or (None if _optional(parameter) else REQUIRED.get(parameter.name))
        return None if bound in known or bound in self._by_name else bound

    def _check_axes(self, parameters: list[inspect.Parameter]) -> None:
        known = [item.name for item in parameters if item.kind not in VARIADIC]
        open_ended = any(item.kind is inspect.Parameter.VAR_KEYWORD for item in parameters)
        for axis in self.axes:
            if axis in known:
                continue
            if not open_ended:
                raise TargetError(
                    f"Axis {axis!r} is not a parameter of {self.name}. {did_you_mean(axis, known)}"
                )
            self._options.append(axis)

    @property
    def parameters(self) -> dict[str, str]:
        """What each parameter that the kit binds is bound to."""
        return {parameter.name: name for name, parameter in self._by_name.items()}

    @property
    def varied(self) -> frozenset[str]:
        """The names that vary with the case: those of the target, and of the batches that it wraps."""
        return self.named | {"batch_size"} if "batch_sampler" in self.named else self.named

    @property
    def positional(self) -> tuple[str, ...]:
        """The parameters that cannot be passed by name, in their order."""
        return tuple(self._positional)

    @property
    def can_find_its_place(self) -> bool:
        """Whether the factory takes rank and world size but, by their default None, can do without."""
        place = [self._by_name.get(name) for name in ("rank", "world_size")]
        return all(parameter is not None and parameter.default is None for parameter in place)

    def build(self, case: Case, rank: int, changes: dict[str, Any]) -> Any:
        """Return the target's object for one rank; a changed value of None leaves the argument out."""
        if self._case is not case or self._rank != rank or self._inners:
            self._values = self._rank_values(case, rank)
        values = self._values
        if changes or self._lists:
            values = dict(values)
            for parameter in self._lists:  # a target may sort its list in place
                values[parameter] = list(values[parameter])
            for name, value in changes.items():
                if value is None:
                    values.pop(self._by_name[name].name)
                else:
                    values[self._by_name[name].name] = value
            for name in self._inners:  # the inner sampler gets the same changes
                if name not in changes:
                    values[self._ranked[name]] = self.inner_of(name, case, changes)
        if self._positional:
            ordered = [values.get(name, default) for name, default in self._positional.items()]
            rest = {name: value for name, value in values.items() if name not in self._positional}
            return self.factory(*ordered, **rest)
        return self.factory(**values)

    def _rank_values(self, case: Case, rank: int) -> dict[str, Any]:
        if self._case is not case:
            self._common = self.values_in(case)
            self._case = case
        self._rank = rank
        values = dict(self._common)
        step = self.contract.replicas if self.deals_by_place else 1
        place = {"rank": rank // step, "world_size": case.world_size // step, "global_rank": rank}
        for name, parameter in self._ranked.items():
            if name in place:
                values[parameter] = place[name]
            elif name == "dataset":  # each rank has its own, as in training
                values[parameter] = IdentityDataset(case.length, case.seed, case.features)
            else:
                values[parameter] = self.inner_of(name, case)
        return values

    def inner_of(self, name: str, case: Case, changes: dict[str, Any] | None = None) -> Any:
        """Return what a wrapper wraps in a case, with changes of the wrapper's own arguments."""
        from samplercheck.targets.inners import inner_of  # which imports torch

        return inner_of(name, case, self.contract, changes)

    def values_in(self, case: Case) -> dict[str, Any]:
        """Return what parameters get in a case, without those that a rank has of its own."""
        known = {
            "length": case.length,
            "replicas": self.contract.replicas,
            "batch_size": case.batch_size,
            "shuffle": case.shuffle,
            "drop_last": case.drop_last,
            "seed": case.seed,
            "num_workers": case.workers,
            "case": case,
            **dict.fromkeys(("epoch", "consumed"), 0),
        }
        values: dict[str, Any] = {}
        for name, parameter in self._by_name.items():
            if name in known:
                values[parameter.name] = known[name]
            elif name in FEATURES:
                values[parameter.name] = feature(case, name)
            elif name in OF_PARTS:
                values[parameter.name] = OF_PARTS[name](case)
        options = dict(case.options)
        for name in self._options:
            if name not in options:
                raise TargetError(
                    f"The case has no value for axis {name!r} of {self.name}: add {name}!VALUE."
                )
            values[name] = options[name]
        return values


def _alike(bound: str) -> tuple[str, ...]:
    """Return the names that mean the same: a wrapper wraps one thing."""
    return INNERS if bound in INNERS else (bound,)


def _optional(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty or parameter.kind in VARIADIC


def check_tail(binding: Binding, *, batched: bool) -> None:
    """Refuse a batch sampler that names drop_last under an explicit ``tail="pad"`` (docs/rules.md B3).

    Of a part of the dataset nobody knows the size, nor what is dropped: its padding may be declared.
    """
    pads = binding.contract.tail == "pad" and binding.contract.coverage != "subset"
    if batched and pads and "drop_last" in binding.named:
        raise ContractError(
            f'tail="pad" contradicts the parameter drop_last of {binding.name}, a batch sampler: '
            'declare tail="auto", or wrap it in a function that does not name drop_last.'
        )
