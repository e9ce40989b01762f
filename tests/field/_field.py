"""What is said of one real sampler: how it is built, what its documentation promises, what breaks.

Read by ``tests/field/targets.py`` and ``test_field.py``. Packages are imported by name when a target is
built, so that none needs to be installed.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch.utils.data import Sampler as TorchSampler

import samplercheck as sc
from samplercheck.targets.locate import load_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Sampler", "module", "of_older_torch"]


@dataclass(frozen=True, kw_only=True)
class Sampler:
    """A real sampler under the contract that its documentation states.

    ``place`` is the module that it comes from, by name or path, ``build`` its class there, or a function
    where the class needs more than the kit binds by name. ``says`` is what the documentation promises, in
    short, and ``contract`` the same as fields. ``broken`` are the laws that it breaks, each triaged in
    FINDINGS.md beside its ``name`` and shown by its script in ``plain/``, and ``strict`` those of which there
    is advice of that grade. ``only`` judges a few laws, where one shadows all others.
    """

    name: str
    place: str
    build: Callable[..., Any] | str
    says: str
    contract: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, Any] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def target(self) -> sc.Target:
        """The sampler as a target of the kit."""
        place = file_of(self.place) if self.place.endswith(".py") else self.place
        built = f"{place}:{self.build}" if isinstance(self.build, str) else self.build
        return sc.target(built, name=self.name, contract=sc.Contract(**self.contract), axes=self.axes)


def module(place: str) -> Any:
    """Return a module by its dotted name, or by its path: the file without what its package imports."""
    return load_file(file_of(place)) if place.endswith(".py") else importlib.import_module(place)


def file_of(place: str) -> Path:
    """Return where a file of an installed package lies, by its path below the package's parent."""
    package, _, rest = place.partition("/")
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"there is no package {package}")
    return Path(spec.submodule_search_locations[0]) / rest


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
