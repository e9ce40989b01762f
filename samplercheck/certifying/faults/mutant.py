"""Mutant: what the target builds, with one thing wrong with it, and the fault that is wrong with it.

Base of the planted faults. A mutant runs inside a rank, where the target itself would; whatever a fault does
not change is the target's own. What a fault means for a contract is decided before anything is run: one
that would change nothing there does not fit. Imports torch only where it is there already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from samplercheck.experiments.loaders import HOME, adjust
from samplercheck.laws.law import Law, Scope
from samplercheck.targets.binding import Binding
from samplercheck.targets.proxy import Proxy
from samplercheck.values.wording import uncapitalise


class Mutant(Proxy):
    """The target's object behind one fault; a fault overrides what it changes, and says it in its docstring.

    ``bound`` holds what the kit has bound, by the names that the kit gives it, ``number`` how many
    objects were built before. ``instead`` names an argument that the target gets with this value in place of
    the bound one.
    """

    instead: tuple[str, Any] = "", None

    def __init__(self, behind: Any, bound: dict[str, Any], number: int) -> None:
        super().__init__(behind)
        self.number = number
        self.place: int = _find_place(bound)
        self.world: int = bound.get("world_size") or ask_group("get_world_size", 1)
        self.epoch = bound.get("epoch") or 0

    @classmethod
    def change_arguments(cls, bound: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments that the target gets instead of what the kit has bound."""
        name, value = cls.instead
        return {name: value} if name in bound else {}

    def steps(self) -> Iterable[Any]:
        """Return the steps of a pass."""
        return self.change_steps(map(_copy_step, self.behind))

    def change_steps(self, steps: Iterator[Any]) -> Iterable[Any]:
        """Return other steps than the target's own."""
        return steps

    def __iter__(self) -> Iterator[Any]:
        return iter(self.steps())


class MutantFactory:
    """A factory like the target's own that builds mutants; it takes the same arguments."""

    def __init__(self, binding: Binding, kind: type[Mutant]) -> None:
        self.__signature__ = binding.signature
        self._factory: Callable[..., Any] = binding.factory
        self._kind = kind
        self._built = 0
        self._parameters = {name: parameter for parameter, name in binding.parameters.items()}

    def __call__(self, *ordered: Any, **named: Any) -> Mutant:
        given = self.__signature__.bind(*ordered, **named)
        bound = {
            name: given.arguments[parameter]
            for name, parameter in self._parameters.items()
            if parameter in given.arguments
        }
        for name, value in self._kind.change_arguments(bound).items():
            given.arguments[self._parameters[name]] = value
        subject = self._factory(*given.args, **given.kwargs)
        self._built += 1
        return self._kind(adjust(subject, HOME), bound, self._built)


@dataclass(frozen=True, slots=True)
class KnownFault:
    """A fault: its name, the law that must see it, its mutant, and where it has an effect.

    ``words`` say what it does, where that is not what its mutant says of itself.
    """

    name: str
    aim: str
    kind: type[Mutant]
    fits: Callable[[Scope], bool]
    words: str = ""

    @property
    def says(self) -> str:
        """What the fault does, in words."""
        return self.words or uncapitalise(self.kind.__doc__ or self.name).removesuffix(".")

    def is_for(self, scope: Scope, laws: dict[str, Law]) -> bool:
        """Whether the law applies to this target and the fault has an effect on it."""
        return laws[self.aim].applies(scope) and self.fits(scope)


def is_plain(scope: Scope) -> bool:
    """Whether the target yields indices and not what a loader has made of them."""
    return "loader" not in scope.traits


def sets_epochs(scope: Scope) -> bool:
    """Whether epochs start through the object itself, or by building it for one."""
    return is_plain(scope) and scope.contract.sets_epochs and "set_epoch" in scope.traits


def shuffles(scope: Scope) -> bool:
    """Whether some case promises an order that changes with the epoch, and by nothing but the epoch."""
    own = scope.contract.ambient_rng == "independent" and not scope.contract.endless
    return own and scope.can_shuffle and sets_epochs(scope)


def ask_group(question: str, otherwise: int) -> int:
    """Return what the process group says of this rank."""
    group = sys.modules.get("torch.distributed")
    if group is None or not group.is_initialized():
        return otherwise
    return int(getattr(group, question)())


def _copy_step(step: Any) -> Any:
    """Return a step that stays as it is when the target fills its list with the next one.

    A tensor is cloned: a deep copy of one that is a view copies all that it is a view of.
    """
    if type(step) is int:
        return step
    return step.clone() if hasattr(step, "clone") else deepcopy(step)


def _find_place(bound: dict[str, Any]) -> int:
    for name in ("rank", "global_rank"):
        if bound.get(name) is not None:
            return int(bound[name])
    return ask_group("get_rank", 0)
