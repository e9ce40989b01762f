"""Target: what is tested, with its contract and its axes.

Made by users (``sc.target``) and by the command line; bound once for each run. Imports the values
below it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from samplercheck.targets.alone import contract_of_one_process
from samplercheck.targets.binding import Binding
from samplercheck.targets.locate import locate
from samplercheck.targets.splitters import Split, is_splitter, split_contract
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.errors import CaseError, TargetError
from samplercheck.values.layout import cut, printable
from samplercheck.values.owed import compute_owed

__all__ = ["Target", "as_target", "target"]

OF_RANKS = frozenset(
    {"sharding", "layout", "replicas", "reference", "tail", "tail_unit", "shuffles", "elastic"}
)
"""Fields that say something of ranks."""
OF_ONE = ("batch", "group")
"""Units of a tail that a process alone has as well."""
MOST_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class Target:
    """A factory of one rank's sampler, its name, its contract and its own axes.

    ``place`` is the text by which it was found, empty where it was handed in. ``is_assumed`` says that nobody
    gave the contract: it is that of a sampler of one process, as the factory knows nothing of ranks.
    """

    factory: Callable[..., Any]
    name: str
    contract: Contract = field(default_factory=Contract)
    axes: Mapping[str, Any] = field(default_factory=dict)
    place: str = field(default="", compare=False)
    is_assumed: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.factory):
            raise TargetError(
                f"{self.name} is {self.factory!r}, which cannot be called: use a class or function."
            )
        if not isinstance(self.contract, Contract):
            raise TargetError(
                f"contract={self.contract!r} is not a Contract: write samplercheck.Contract(...)."
            )
        if not isinstance(self.axes, Mapping):
            raise TargetError(f"axes={self.axes!r} is not a mapping: write axes={{'bucket': [1, 2, 8]}}.")
        for axis, values in self.axes.items():
            _check_axis(axis, values)

    def change_contract(self, changes: Mapping[str, Any]) -> Contract:
        """Return the contract with some fields changed; what is said of ranks is said of the default."""
        said = {name for name, value in changes.items() if value != "chunks"}  # one process has them, too
        if changes.get("tail_unit") in OF_ONE or changes.get("tail") == "keep":
            said -= {"tail", "tail_unit"}
        return (Contract() if self.is_assumed and OF_RANKS & said else self.contract).but(**changes)

    def with_default(self) -> Target:
        """Return the target with the default contract in the place of one that was assumed."""
        return replace(self, contract=Contract(), is_assumed=False) if self.is_assumed else self

    def bind(self) -> Binding:
        """Return the binding that builds this target; unknown parameters are a ``TargetError``."""
        binding = Binding(self.factory, self.contract, dict(self.axes), self.name)
        if self.contract.resume == "consumed" and "consumed" not in binding.named:
            raise TargetError(
                f'resume="consumed" needs a parameter consumed, consumed_samples or start_index, and '
                f"{self.name} has none: name it, or leave resume out."
            )
        reference = self.contract.reference
        if reference == "torch":
            factory = _torch_reference(self.contract)
            binding.reference = Binding(factory, self.contract, {}, "torch's DistributedSampler")
        elif reference is not None:
            factory = locate(reference) if isinstance(reference, str) else reference
            name = reference if isinstance(reference, str) else _name_of(reference)
            binding.reference = Binding(factory, self.contract, dict(self.axes), name)
        return binding


def target(
    factory: Callable[..., Any] | str,
    name: str | None = None,
    contract: Contract | None = None,
    axes: Mapping[str, Any] | None = None,
) -> Target:
    """Return a target.

    ``factory`` is a callable or text that names one (``package.module:attribute`` or
    ``path/to/file.py:attribute``). ``axes`` are its own options with the values to vary them over:
    a list is enumerated, a Hypothesis strategy is drawn from.
    """
    found = locate(factory) if isinstance(factory, str) else factory
    place = factory if isinstance(factory, str) else ""
    if isinstance(found, Target):  # text may name a target that a module has made
        own = as_target(found, contract, axes)
        return replace(own, name=name or own.name, place=place or own.place)
    text = name or place or _name_of(factory)  # type: ignore[arg-type]  # without a place it is not text
    if is_splitter(found):
        found, contract = Split(found), split_contract(contract)
    is_open = contract is None and callable(found)
    assumed = contract_of_one_process(found, axes or {}, text) if is_open else None
    return Target(
        factory=found,
        name=text,
        contract=contract or assumed or Contract(),
        axes=axes or {},
        place=place,
        is_assumed=assumed is not None,
    )


def as_target(
    given: Target | Callable[..., Any] | str,
    contract: Contract | None = None,
    axes: Mapping[str, Any] | None = None,
) -> Target:
    """Return ``given`` as a target, a contract or axes replacing its own."""
    if isinstance(given, Target):
        return replace(
            given,
            contract=contract or given.contract,
            axes=given.axes if axes is None else axes,
            is_assumed=given.is_assumed and contract is None,
        )
    return target(given, None, contract, axes)


def _torch_reference(contract: Contract) -> Callable[..., Any]:
    """Return the factory of torch's own sampler under a contract.

    Shuffling and dropping follow what is owed, so that a target which names neither is compared
    with the sampler that its contract describes.
    """
    from torch.utils.data import DistributedSampler

    def build(dataset: Any, dp_rank: int, dp_size: int, case: Case) -> Any:
        owed = compute_owed(case, contract, batched=False)
        return DistributedSampler(
            dataset,
            num_replicas=dp_size,
            rank=dp_rank,
            shuffle=owed.is_shuffled,
            seed=case.seed,
            drop_last=owed.tail == "drop",
        )

    return build


def _name_of(factory: Callable[..., Any]) -> str:
    module = getattr(factory, "__module__", None) or "?"
    return f"{module}:{getattr(factory, '__qualname__', type(factory).__name__)}"


def _check_axis(axis: str, values: Any) -> None:
    if hasattr(values, "map") and hasattr(values, "flatmap"):
        return  # a Hypothesis strategy, recognised without importing Hypothesis
    if isinstance(values, (str, bytes)) or not isinstance(values, (list, tuple, range)) or not len(values):
        raise TargetError(f"Axis {axis}={values!r} needs a list of values, such as [1, 2, 8].")
    for value in values:
        try:
            Case(length=0, options=(("value", value),))
        except CaseError:
            held = f"Axis {axis} holds {cut(printable(repr(value)), MOST_SHOWN)}"
            raise TargetError(f"{held}: use finite numbers, strings in UTF-8, bools or None.") from None
