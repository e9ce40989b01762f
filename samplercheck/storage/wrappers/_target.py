"""What is known of a target that a wrapper is written for: its parameters, methods and contract.

Made in the process that has imported the target.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from samplercheck.targets.binding import Binding
from samplercheck.targets.features import INNERS
from samplercheck.targets.locate import Place
from samplercheck.targets.provenance import Provenance
from samplercheck.values.choices import FEATURES
from samplercheck.values.contract import Contract

PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True, kw_only=True)
class Wrapped:
    """A target and an object that it has built, which shows its methods; None where none was built."""

    provenance: Provenance
    example: Any = None

    @property
    def binding(self) -> Binding:
        """How the target's parameters are bound."""
        return self.provenance.binding

    @property
    def contract(self) -> Contract:
        """What the target promises."""
        return self.provenance.target.contract

    @property
    def place(self) -> Place:
        """Where it is imported from."""
        return Place.of(self.provenance.place)

    @property
    def can_be_imported(self) -> bool:
        """Whether a file of its own can import it by plain names."""
        names = [*self.place.importable.split("."), *self.place.attribute.split(".")]
        return bool(self.provenance.place) and all(name.isidentifier() for name in names)

    @property
    def batched(self) -> bool:
        """Whether it yields batches."""
        return self.provenance.kind == "batches"

    @property
    def is_sampler(self) -> bool:
        """Whether it is neither a loader nor a stream."""
        return not self.provenance.traits & {"loader", "stream"}

    @property
    def is_loader(self) -> bool:
        """Whether it is a loader of samples, with a state."""
        ends = not self.contract.endless and self.contract.resume == "state_dict"
        return "loader" in self.provenance.traits and ends and self.can("load_state_dict")

    @property
    def moved(self) -> tuple[str, ...]:
        """The generators of the process that it draws from."""
        return tuple(sorted(one[6:] for one in self.provenance.traits if one.startswith("moves ")))

    def name_of(self, meaning: str) -> str:
        """Return the parameter that is bound to a meaning; empty where it has none."""
        return next((name for name, bound in self.binding.parameters.items() if bound == meaning), "")

    def has(self, *meanings: str) -> bool:
        """Return whether all of these are parameters."""
        return self.binding.named.issuperset(meanings)

    def can(self, method: str) -> bool:
        """Return whether its object has a method."""
        return hasattr(self.example, method)

    @property
    def saved_for(self) -> tuple[str, ...]:
        """The arguments with which alone a state of it may be loaded, as far as they are plain numbers."""
        ranks = () if self.contract.elastic else ("world_size",)
        own = () if self.contract.elastic or self.contract.foreign_state == "rank_0" else ("rank",)
        names = [self.name_of(one) for one in (*own, *ranks, "length", "batch_size", "seed")]
        dataset = self.name_of("dataset")
        return (*filter(None, names), *([f"len({dataset})"] if dataset else []))

    @property
    def groups(self) -> bool:
        """Whether it goes by what samples are like, which a wrapper that orders them would undo."""
        return bool(self.binding.named.intersection(FEATURES)) or self.contract.batch_rule is not None

    @property
    def held(self) -> tuple[str, ...]:
        """The attributes of its object that take set_epoch."""
        return tuple(name for name, value in getattr(self.example, "__dict__", {}).items() if _takes(value))

    @property
    def inners(self) -> tuple[str, ...]:
        """The parameters that get a sampler to be wrapped."""
        return tuple(name for name, bound in self.binding.parameters.items() if bound in INNERS)

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """Its parameters that a wrapper takes: all that are bound or varied, others with plain defaults."""
        needed = {*self.binding.parameters, *self.binding.axes}
        return [
            one
            for one in self.binding.signature.parameters.values()
            if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
            and (one.name in needed or isinstance(one.default, PLAIN))
        ]


def _takes(value: Any) -> bool:
    return callable(getattr(value, "set_epoch", None)) and not isinstance(value, type)
