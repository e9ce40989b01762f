"""Change: one thing made different in a case, in how the target is built, or in the object it builds.

Applied by ``cause``. A change gives a case and a binding to run instead, or nothing where it cannot
be made. Imports the binding and values.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from samplercheck.targets.binding import Binding
from samplercheck.targets.features import feature, with_values
from samplercheck.values.case import Case
from samplercheck.values.limits import most_steps

Rebuild = Callable[[Binding, Case, int, dict[str, Any]], Any]

FAR = 12_345
CONTAINERS = (dict, list, set)
OF_OTHERS = ("builtins", "abc", "typing", "collections", "torch", "numpy")
"""Packages whose classes are left alone."""


class Changed(Binding):
    """A binding whose objects are built otherwise; ``rebuild`` gets the original, to build with."""

    def __init__(self, binding: Binding, rebuild: Rebuild) -> None:
        self.__dict__.update(binding.__dict__)
        self._rebuild = rebuild
        self._original = binding

    def build(self, case: Case, rank: int, changes: dict[str, Any]) -> Any:
        """Return the object of one rank, built the other way."""
        return self._rebuild(self._original, case, rank, changes)


@dataclass(frozen=True, slots=True)
class Change:
    """What is made different: the words for it, the case to run instead, and how to build.

    ``case`` returns the case itself where it is so already, and None where the change cannot be made.
    ``needs`` are bound names without which it makes no sense for a target.
    """

    text: str
    case: Callable[[Case], Case | None] = lambda case: case
    rebuild: Rebuild | None = None
    needs: tuple[str, ...] = ()

    def binding(self, binding: Binding) -> Binding:
        """Return the binding that builds the changed way."""
        return binding if self.rebuild is None else Changed(binding, self.rebuild)

    def is_made_in(self, case: Case) -> bool:
        """Whether a case is as the change makes it, so that nothing is left to be made different."""
        return self.rebuild is None and self.case(case) == case


def otherwise_built(text: str, rebuild: Rebuild, *needs: str) -> Change:
    """Return a change of how the target's objects are built or used."""
    return Change(text, rebuild=rebuild, needs=needs)


def stand_before(stand_in: Callable[[Any], Any]) -> Rebuild:
    """Let an object be used through a stand-in."""
    return lambda binding, case, rank, turned: stand_in(binding.build(case, rank, turned))


def stand_before_new(stand_in: Callable[[Callable[[], Any]], Any]) -> Rebuild:
    """Let a stand-in be used that makes objects when it wants one."""
    return lambda binding, case, rank, turned: stand_in(lambda: binding.build(case, rank, turned))


def stand_before_whole(stand_in: Callable[[Callable[[], Any], int], Any]) -> Rebuild:
    """Let a stand-in be used that takes a pass at once, of an endless one no more than is looked at."""
    return lambda binding, case, rank, turned: stand_in(
        lambda: binding.build(case, rank, turned), most_steps(case, binding.contract) + 1
    )


def flip(name: str) -> Change:
    """Return the change of a flag of the case to its opposite."""
    return Change(
        f"{name} flipped", case=lambda case: case.but(**{name: not getattr(case, name)}), needs=(name,)
    )


without_drop_last = Change(
    "drop_last off",
    case=lambda case: case.but(drop_last=False) if case.drop_last else None,
    needs=("drop_last",),
)


def at_most(name: str, most: int) -> Change:
    """Return the change of a size of the case to a bound that it is beyond."""

    def cap(case: Case) -> Case | None:
        if getattr(case, name) <= most:
            return case
        return _of_length(case, most) if name == "length" else case.but(**{name: most})

    return Change(f"{name} {most:,}", case=cap, needs=("seed",) if name == "seed" else ())


def _fill(case: Case, multiple: int) -> Case:
    return _of_length(case, case.length + -case.length % multiple)


def _at_least(case: Case, length: int) -> Case | None:
    return _of_length(case, max(case.length, length)) if case.length else None


def _of_length(case: Case, length: int) -> Case:
    """Return the case with so many samples, its own features repeated."""
    if length == case.length:
        return case
    features = {
        name: [values[place % case.length] for place in range(length)] for name, values in case.features
    }
    return case.but(length=length, features=features)


def _with_feature(case: Case, name: str, value: int) -> Case | None:
    """Return the case in which every sample has the same value; None without samples."""
    return with_values(case, name, [value] * case.length) if case.length else None


def _one_over(case: Case) -> Case | None:
    """Return the case with a sample that is left over; None for one rank, to which any number divides."""
    if case.world_size == 1:
        return None
    return case if case.length % case.world_size else _of_length(case, case.length + 1)


def _fill_up_labels(case: Case) -> Case:
    """Return the case with every sample, and its label, as many times as a round of batches has samples."""
    times = case.world_size * case.batch_size
    labels = [label for label in feature(case, "labels") for _ in range(times)]
    return case.but(length=len(labels), features={"labels": labels}) if times > 1 else case


def _number_by_number(case: Case) -> Case:
    """Return the case with its labels numbered from the most common to the rarest."""
    labels = feature(case, "labels")
    ranked = sorted(set(labels), key=lambda label: (-labels.count(label), label))
    return case.but(features={**dict(case.features), "labels": [ranked.index(label) for label in labels]})


def _number_without_gaps(case: Case) -> Case:
    """Return the case with its labels numbered in their order, so that each number has samples."""
    labels = feature(case, "labels")
    used = sorted(set(labels))
    return case.but(features={**dict(case.features), "labels": [used.index(label) for label in labels]})


def _in_one_piece(case: Case) -> Case:
    """Return the case with its labels in order, so that the samples of each lie side by side."""
    return case.but(features={**dict(case.features), "labels": sorted(feature(case, "labels"))})


whole_rounds = Change("length a multiple of world_size", case=lambda case: _fill(case, case.world_size))
whole_batches = Change(
    "length a multiple of world_size * batch_size",
    case=lambda case: _fill(case, case.world_size * case.batch_size),
    needs=("batch_size",),
)
whole_shares = Change(
    "length a multiple of world_size * workers",
    case=lambda case: _fill(case, case.world_size * max(1, case.workers)),
)
not_divided = Change("one sample more, which world_size does not divide", case=_one_over)
as_many_as_ranks = Change(
    "at least one sample for each rank", case=lambda case: _at_least(case, case.world_size)
)
as_many_as_a_batch = Change(
    "at least one full batch", case=lambda case: _at_least(case, case.batch_size), needs=("batch_size",)
)
a_batch_for_each_rank = Change(
    "at least one full batch for each rank",
    case=lambda case: _at_least(case, case.world_size * case.batch_size),
    needs=("batch_size",),
)
two_samples = Change("two samples instead of one", case=lambda case: _at_least(case, 2))
asked_to_shuffle = Change("shuffle=True", case=lambda case: case.but(shuffle=True), needs=("shuffle",))
seed_0 = Change("seed 0", case=lambda case: case.but(seed=0), needs=("seed",))
seed_1 = Change("seed 1 instead of 0", case=lambda case: case.but(seed=case.seed or 1), needs=("seed",))
other_seed = Change("another seed", case=lambda case: case.but(seed=case.seed + FAR), needs=("seed",))
other_batch = Change(
    "another batch_size",
    case=lambda case: case.but(batch_size=case.batch_size - 1 or 2),
    needs=("batch_size",),
)
weights_alike = Change(
    "all weights alike", case=lambda case: _with_feature(case, "weights", 1), needs=("weights",)
)
datasets_alike = Change(
    "all datasets of one weight", case=lambda case: _with_feature(case, "weights", 1), needs=("shares",)
)
whole_labels = Change(
    "as many samples of each label as fill whole rounds of batches",
    case=_fill_up_labels,
    needs=("labels", "batch_size"),
)
labels_alike = Change(
    "every sample of one label", case=lambda case: _with_feature(case, "labels", 0), needs=("labels",)
)
lengths_1 = Change(
    "every sample of length 1", case=lambda case: _with_feature(case, "lengths", 1), needs=("lengths",)
)
lengths_longest = Change(
    "every sample as long as the longest",
    case=lambda case: _with_feature(case, "lengths", max(feature(case, "lengths"), default=1)),
    needs=("lengths",),
)
rarest_last = Change(
    "labels numbered from the most common to the rarest", case=_number_by_number, needs=("labels",)
)
all_labels_used = Change(
    "labels numbered without a gap, each with samples", case=_number_without_gaps, needs=("labels",)
)
labels_in_one_piece = Change("the samples of each label side by side", case=_in_one_piece, needs=("labels",))


def _containers_of(kind: type) -> Iterator[tuple[type, str, Any]]:
    """Yield the containers that a class, or one that it inherits from, keeps for all its objects."""
    for one in kind.__mro__:
        if one.__module__.partition(".")[0] not in OF_OTHERS:
            for name, value in list(vars(one).items()):
                if isinstance(value, CONTAINERS) and not name.startswith("__"):
                    yield one, name, value


def _build_apart(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    """Build an object while its classes have copies of their containers, which it then keeps."""
    subject = binding.build(case, rank, turned)
    shared = list(_containers_of(type(subject)))
    own = {name: copy.deepcopy(value) for _, name, value in reversed(shared)}
    if not own:
        return subject
    for kind, name, _ in shared:
        setattr(kind, name, own[name])
    try:
        subject = binding.build(case, rank, turned)
    finally:
        for kind, name, value in shared:
            setattr(kind, name, value)
    kept = getattr(subject, "__dict__", None)
    if kept is not None:
        kept.update({name: value for name, value in own.items() if name not in kept})
    return subject


own_containers = otherwise_built(
    "lists, sets and dictionaries of the class copied for each object", _build_apart
)
