"""Planted: one fault that is put into the target on purpose, the law that must see it, and when it fits.

Each file of this package lists its faults last. What a fault means for a contract is decided before
anything is run: one that would change nothing there does not fit. Imports laws alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from samplercheck.laws.law import always

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.certifying.sensitivity._mutant import Mutant
    from samplercheck.laws.law import Law, Scope

__all__ = ["Planted", "is_plain", "sets_epochs", "shuffles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A fault: its name, what it does in one sentence, the code of the law that must see it, and its mutant.

    It ``fits`` a target under whose contract the fault cannot be without effect.
    """

    name: str
    says: str
    aim: str
    kind: type[Mutant]
    fits: Callable[[Scope], bool] = always

    def is_for(self, scope: Scope, laws: dict[str, Law]) -> bool:
        """Whether the law applies to this target and the fault has an effect on it."""
        return laws[self.aim].applies(scope) and self.fits(scope)


def is_plain(scope: Scope) -> bool:
    """Whether the target yields indices and not what a loader has made of them."""
    return "loader" not in scope.traits


def sets_epochs(scope: Scope) -> bool:
    """Whether epochs are begun through the object itself, or by building it for one."""
    return is_plain(scope) and scope.contract.epochs == "set_epoch" and "set_epoch" in scope.traits


def shuffles(scope: Scope) -> bool:
    """Whether some case promises an order that changes with the epoch, and by nothing but the epoch."""
    own = scope.contract.ambient_rng == "independent" and not scope.contract.endless
    return own and scope.can_shuffle and sets_epochs(scope)
