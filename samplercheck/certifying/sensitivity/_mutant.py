"""Mutant: what the target builds, with one thing wrong with it.

Base of the planted faults; runs inside a rank, where the target itself would. Whatever a fault does not
change is the target's own. Imports torch only where it is there already.
"""

from __future__ import annotations

import inspect
import sys
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from samplercheck.experiments.loaders import HOME, adjust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from samplercheck.binding import Binding

__all__ = ["Mutant", "Planting", "asked"]


class Mutant:
    """The target's object behind one fault; a fault overrides what it changes.

    ``said`` holds what the kit has bound, by the names that the kit gives it, ``number`` how many
    objects were built before.
    """

    def __init__(self, subject: Any, said: dict[str, Any], number: int) -> None:
        self.subject = subject
        self.number = number
        self.place: int = _place(said)
        self.world: int = said.get("world_size") or asked("get_world_size", 1)
        self.epoch: int = said.get("epoch") or 0

    @classmethod
    def turned(cls, said: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG003  (faults read it)
        """Return the arguments that the target gets instead of what the kit has bound."""
        return {}

    def steps(self) -> Iterable[Any]:
        """Return the steps of a pass; a fault that changes them overrides this."""
        return self.altered(map(_kept, iter(self.subject)))

    def altered(self, steps: Iterator[Any]) -> Iterable[Any]:
        """Return other steps than the target's own."""
        return steps

    def goes_to(self, epoch: int) -> None:
        """Stand in for set_epoch."""
        self.epoch = epoch
        self.subject.set_epoch(epoch)

    def saves(self) -> Any:
        """Stand in for state_dict."""
        return self.subject.state_dict()

    def loads(self, state: Any) -> None:
        """Stand in for load_state_dict."""
        self.subject.load_state_dict(state)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.steps())

    def __len__(self) -> int:
        return len(self.subject)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "subject" not in vars(self):
            raise AttributeError(name)
        theirs = getattr(self.subject, name)
        return getattr(self, _INSTEAD[name]) if name in _INSTEAD else theirs


_INSTEAD = {"set_epoch": "goes_to", "state_dict": "saves", "load_state_dict": "loads"}


class Planting:
    """A factory like the target's own that builds mutants; it takes the same arguments."""

    def __init__(self, binding: Binding, kind: type[Mutant]) -> None:
        self.__signature__ = inspect.signature(binding.factory)
        self._factory: Callable[..., Any] = binding.factory
        self._kind = kind
        self._built = 0
        self._parameters = {name: parameter for parameter, name in binding.parameters.items()}

    def __call__(self, *ordered: Any, **named: Any) -> Mutant:
        given = self.__signature__.bind(*ordered, **named)
        said = {
            name: given.arguments[parameter]
            for name, parameter in self._parameters.items()
            if parameter in given.arguments
        }
        for name, value in self._kind.turned(said).items():
            given.arguments[self._parameters[name]] = value
        subject = self._factory(*given.args, **given.kwargs)
        self._built += 1
        return self._kind(adjust(subject, HOME), said, self._built)


def _kept(step: Any) -> Any:
    """Return a step that stays as it is when the target fills its list with the next one."""
    return step if type(step) is int else deepcopy(step)


def _place(said: dict[str, Any]) -> int:
    for name in ("rank", "global_rank"):
        if said.get(name) is not None:
            return int(said[name])
    return asked("get_rank", 0)


def asked(question: str, otherwise: int) -> int:
    """Return what the process group says of this rank."""
    group = sys.modules.get("torch.distributed")
    if group is None or not group.is_initialized():
        return otherwise
    return int(getattr(group, question)())
