"""What is said of one real sampler: how it is built, what its documentation promises, what breaks.

Read by ``tests/field/targets.py`` and ``test_field.py``. Packages are imported by name when a target is
built, so that none needs to be installed.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch.utils.data import Sampler as TorchSampler

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Sampler", "module", "of_older_torch"]


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """A real sampler under the contract that its documentation states.

    ``place`` is the module that it comes from. ``says`` is what the documentation promises, in short,
    and ``contract`` the same as fields. ``broken`` are the laws that it breaks, each triaged in
    FINDINGS.md beside its ``name``, and ``strict`` those of which advice of that grade is given.
    ``only`` judges a few laws, where one shadows all others.
    """

    name: str
    place: str
    build: Callable[..., Any]
    says: str
    contract: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, Any] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def target(self) -> sc.Target:
        """The sampler as a target of the kit."""
        return sc.target(self.build, name=self.name, contract=sc.Contract(**self.contract), axes=self.axes)


def module(place: str) -> Any:
    """Return a module by its dotted name."""
    return importlib.import_module(place)


class Sourced(TorchSampler[Any]):
    """torch's Sampler as it was until 2.12: it takes a data source, and keeps none."""

    def __init__(self, data_source: Any = None) -> None:
        """Take what samplers written for it hand over."""


def of_older_torch(kind: Any) -> Any:
    """Return a class of samplers that hand their data source to torch's Sampler, which takes none."""
    name = f"{kind.__module__}.{kind.__qualname__}".replace(".", "_")
    if name not in globals():
        globals()[name] = type(name, (kind, Sourced), {"__module__": __name__})
    return globals()[name]
