"""What is said of one real sampler: how it is built, what its documentation promises, what breaks.

Read by ``tests/field/targets.py`` and ``test_field.py``. Packages are imported by name when a target is
built, so that none needs to be installed.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Sampler", "module"]


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """A real sampler under the contract that its documentation states.

    ``place`` is the module that it comes from. ``says`` is what the documentation promises, in short,
    and ``contract`` the same as fields. ``broken`` are the laws that it breaks, each triaged in
    FINDINGS.md under the heading ``name``; ``only`` judges a few laws, where one shadows all others.
    """

    name: str
    place: str
    build: Callable[..., Any]
    says: str
    contract: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, Any] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def target(self) -> sc.Target:
        """The sampler as a target of the kit."""
        return sc.target(self.build, name=self.name, contract=sc.Contract(**self.contract), axes=self.axes)


def module(place: str) -> Any:
    """Return a module by its dotted name."""
    return importlib.import_module(place)
