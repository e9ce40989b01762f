"""Contract: what a target promises, with presets; an impossible combination is an error when built.

Read by ``owed.py`` (what the promise means for one case), the laws and the engine. What each field
means to the last sample is decided by ``owed.py``. Imports the ready batch rules alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from samplercheck.values import choices
from samplercheck.values._contradictions import contradictions
from samplercheck.values.batch_rules import READY, ready_rule
from samplercheck.values.errors import ContractError, did_you_mean

__all__ = ["CHOICES", "Contract"]


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What a target promises; the default is what ``torch.utils.data.DistributedSampler`` does.

    sharding: "ranks" share one epoch; "none": every rank sees it all.
    coverage: each sample "once", "subset" (at most once, or ``repeats`` times) or "sampled" (drawn).
    frequencies: "weights", "uniform", a function, "at_least_once", "eventually"; a "fixed" part; "unjudged".
    cycle: how many epochs in a row hold every sample together, each of them a subset.
    tail: what does not divide is "pad", "drop" or "keep"; "auto" drops with drop_last, else pads.
    tail_unit: what is padded, dropped or kept: a "sample", a whole global "batch", or a "group".
    tail_first: whether the tail is padded or dropped before samples are repeated.
    top_up: whether variable batches are filled up with single samples that come elsewhere as well.
    empty_batches: whether variable batches may be empty, as draws of Poisson sampling may be.
    even_steps: whether ranks take as many steps, but for a kept unit; False where none waits for another.
    repeats: how many times each sample appears in an epoch.
    order: "shuffled", "sequential", "free"; "auto" is shuffled when shuffle, else sequential.
    shuffles: the whole "dataset", "chunks" of it (or what a buffer holds), or each rank's own "share".
    layout: which rank gets which positions of the order: "strided", "contiguous" or "any".
    epochs: a new one starts by "set_epoch", every iteration ("advance"), "either", or never ("fixed").
    after_break: the pass after one that was given up is the "next" epoch, the same "again", or its "rest".
    batches: "fixed" (every batch full but the last) or "variable".
    endless: never stops; judged on its first passes.
    batch_rule: a predicate over (batch, features), one of ``samplercheck.rules``, or the text of one.
    resume: "state_dict", "consumed" (a constructor argument), "none"; "auto": state_dict if present.
    at_end: a state saved at an epoch's end leads to the empty "rest" of it, or to the "next" epoch.
    elastic: a run resumed in a world of another size continues the epoch.
    foreign_state: one saved in another place may be "any", or is "refused"; "rank_0" saves for all ranks.
    replicas: how many consecutive ranks share one place in the data.
    ambient_rng: "independent" of the process's own generators, or "shared": seeded alike on all ranks.
    spawn: whether workers may be spawned, which get a pickled copy; False where they are forked, or none.
    keeps_workers: whether they may be persistent, kept over epochs; False where each epoch starts new ones.
    reference: "torch" (index for index DistributedSampler's), or a target to compare with.
    """

    sharding: choices.Sharding = "ranks"
    coverage: choices.Coverage = "once"
    frequencies: choices.Frequencies | Callable[..., Any] = "weights"
    tail: choices.Tail = "auto"
    tail_unit: choices.TailUnit = "sample"
    tail_first: bool = False
    top_up: bool = False
    empty_batches: bool = False
    even_steps: bool = True
    repeats: int = 1
    cycle: int = 1
    order: choices.Order = "auto"
    shuffles: choices.Shuffles = "dataset"
    layout: choices.Layout = "any"
    epochs: choices.Epochs = "set_epoch"
    after_break: choices.AfterBreak = "next"
    batches: choices.Batches = "fixed"
    endless: bool = False
    batch_rule: Callable[..., bool] | str | None = None
    resume: choices.Resume = "auto"
    at_end: choices.AtEnd = "rest"
    elastic: bool = False
    foreign_state: choices.ForeignState = "any"
    replicas: int = 1
    ambient_rng: choices.AmbientRng = "independent"
    spawn: bool = True
    keeps_workers: bool = True
    reference: str | Callable[..., Any] | None = None

    if not TYPE_CHECKING:  # type checkers and signatures have the fields themselves

        def __new__(cls, **given: Any) -> Contract:
            """Refuse an unknown field name, with the nearest that is."""
            names = [item.name for item in fields(cls)]
            for name in given:
                if name not in names:
                    guess = did_you_mean(name, names)
                    raise ContractError(f"Contract field {name!r} does not exist. {guess}")
            return object.__new__(cls)

    def __post_init__(self) -> None:
        if isinstance(self.batch_rule, str):
            object.__setattr__(self, "batch_rule", ready_rule(self.batch_rule))
        self._check_values()
        for reason, broken in contradictions(self).items():
            if broken:
                raise ContractError(f"Nothing can keep this contract: {reason}")

    def _check_values(self) -> None:
        for name, known in CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                guess = did_you_mean(str(value), known)
                raise ContractError(f"Contract field {name}={value!r} is not a choice. {guess}")
        for name in ("repeats", "cycle", "replicas"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ContractError(f"Contract field {name}={value!r} must be an integer from 1 up.")
        for name in (item.name for item in fields(self) if isinstance(item.default, bool)):
            if not isinstance(getattr(self, name), bool):
                value = getattr(self, name)
                raise ContractError(f"Contract field {name}={value!r} is not a bool: use True or False.")
        if self.frequencies not in choices.FREQUENCIES and not callable(self.frequencies):
            words = ", ".join(map(repr, choices.FREQUENCIES))
            own = choices.OWN_FUNCTION if ":" in str(self.frequencies) else ""
            raise ContractError(f"Contract field frequencies={self.frequencies!r} is none of {words}.{own}")
        if self.batch_rule is not None and not callable(self.batch_rule):
            raise ContractError(f"Contract field batch_rule={self.batch_rule!r} is not callable: use one.")
        if self.reference is not None and not (isinstance(self.reference, str) or callable(self.reference)):
            raise ContractError(
                f'Contract field reference={self.reference!r} must be "torch", '
                "'package.module:attribute' or a callable."
            )

    @property
    def promises_frequencies(self) -> bool:
        """Whether it says how often samples come: of draws unless left open, of a subset where declared."""
        if self.coverage == "sampled":
            return self.frequencies not in ("at_least_once", "unjudged")
        return self.coverage == "subset" and self.frequencies not in ("weights", "fixed", "unjudged")

    @property
    def comes_in_time(self) -> bool:
        """Whether every sample comes sooner or later, at whatever rate."""
        return self.frequencies == "eventually"

    @property
    def keeps_part(self) -> bool:
        """Whether every epoch holds the same part of the dataset."""
        return self.frequencies == "fixed"

    @property
    def repeats_some(self) -> bool:
        """Whether every sample comes in every epoch, and some more often."""
        return self.frequencies == "at_least_once"

    @property
    def sets_epochs(self) -> bool:
        """Whether set_epoch starts an epoch."""
        return self.epochs in ("set_epoch", "either")

    @property
    def advances(self) -> bool:
        """Whether every iteration starts one, if nothing else has."""
        return self.epochs in ("advance", "either")

    @property
    def counts_breaks(self) -> bool:
        """Whether a pass that was broken off counts as an epoch."""
        return self.advances and self.after_break == "next"

    @property
    def begins_again(self) -> bool:
        """Whether passes advance, and one that was broken off is begun again."""
        return self.advances and self.after_break == "again"

    @property
    def is_one_walk(self) -> bool:
        """Whether all passes are one walk, which a new iterator goes on with where the last one stopped."""
        return self.after_break == "rest"

    @classmethod
    def torch(cls, **changes: Any) -> Contract:
        """Return the default plus agreement with DistributedSampler, index for index."""
        return cls.of({"reference": "torch", "layout": "strided"}, changes)

    @classmethod
    def evaluation(cls, **changes: Any) -> Contract:
        """Return the contract of distributed evaluation: no sample twice, ranks may differ by one."""
        return cls.of({"tail": "keep"}, changes)

    @classmethod
    def weighted(cls, **changes: Any) -> Contract:
        """Return the contract of one process that draws with replacement, as in WeightedRandomSampler."""
        return cls.single_process(**{"coverage": "sampled", **changes})

    @classmethod
    def repeated(cls, repeats: int, **changes: Any) -> Contract:
        """Return the contract of repeated augmentation: each sample ``repeats`` times an epoch."""
        return cls.of({"repeats": repeats}, changes)

    @classmethod
    def single_process(cls, **changes: Any) -> Contract:
        """Return the contract of a plain sampler without ranks, such as RandomSampler."""
        base = {"sharding": "none", "order": "free", "epochs": "advance"}
        return cls.of({**base, "ambient_rng": "shared"}, changes)

    @classmethod
    def of(cls, *layers: dict[str, Any]) -> Contract:
        """Return a contract from field values, later layers over earlier ones; a walk shares no draws."""
        merged: dict[str, Any] = {}
        for layer in layers:
            merged.pop("ambient_rng" if layer.get("after_break") == "rest" else "", None)
            merged.update(layer)
        return cls(**merged)

    def but(self, **changes: Any) -> Contract:
        """Return the same contract with some fields changed."""
        return self.of({item.name: getattr(self, item.name) for item in fields(self)}, changes)

    def changes(self, base: Contract | None = None) -> dict[str, Any]:
        """Return the fields that differ from another contract, or the default; a ready rule as its text."""
        other = base or Contract()
        pairs = ((item.name, getattr(self, item.name)) for item in fields(self))
        return {name: _as_text(value) for name, value in pairs if value != getattr(other, name)}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a callable is named as ``module:qualname``, a ready rule is its text."""
        return {item.name: _plain(getattr(self, item.name)) for item in fields(self)}

    @property
    def text(self) -> str:
        """The contract as one would write it: only what differs from the default."""
        parts = [f"{name}={_plain(value)!r}" for name, value in self.changes().items()]
        return f"Contract({', '.join(parts)})"


def _endless(cls: type[Contract], /, **changes: Any) -> Contract:
    """Return the contract of a training sampler that never stops."""
    return cls.of({"endless": True, "epochs": "fixed"}, changes)


_KINDS = get_type_hints(Contract)
CHOICES = {name: get_args(kind) for name, kind in _KINDS.items() if get_origin(kind) is Literal}
"""The words that a field may have, of those that have words."""
_of_init = signature(Contract.__init__)
# What a REPL shows: the fields, which __new__ hides.
Contract.__signature__ = _of_init.replace(  # type: ignore[attr-defined]  # inspect reads it
    parameters=tuple(_of_init.parameters.values())[1:]
)
# "endless" is a field and a preset: on an instance the value, on the class this function.
Contract.endless = classmethod(_endless)  # type: ignore[assignment]  # that is the point


def _as_text(value: Any) -> Any:
    return str(value) if type(value) in READY else value


def _plain(value: Any) -> Any:
    value = _as_text(value)
    if callable(value):
        return choices.name_function(value)
    return value
