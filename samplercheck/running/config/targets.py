"""Configured targets: ``[tool.samplercheck.targets.NAME]``, checked without importing them.

Made from the tables of pyproject.toml. Imports values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samplercheck.running.config.known import KnownFailure, known
from samplercheck.running.config.settings import OF_A_TARGET, Layer, check_keys, read_settings, table, texts
from samplercheck.targets.locate import open_path, relocate
from samplercheck.values.choices import PRESETS
from samplercheck.values.contract import Contract
from samplercheck.values.errors import ContractError, UsageError, did_you_mean

KEYS = ("factory", "contract", "axes", "select", "skip", "known-failures", *OF_A_TARGET)
SCALARS = (bool, int, float, str)


@dataclass(frozen=True, kw_only=True)
class ConfiguredTarget:
    """A target of the project, its factory as text, and how it is judged; ``root`` has pyproject.toml."""

    name: str
    factory: str
    root: Path
    contract: Contract | None = None
    axes: Mapping[str, list[Any]] = field(default_factory=dict)
    select: tuple[str, ...] = ()
    skip: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, tuple[KnownFailure, ...]] = field(default_factory=dict)
    settings: Layer = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The factory as it is found from the working directory."""
        return relocate(self.factory, self.root)

    @property
    def store(self) -> str:
        """The directory of the project's stored cases."""
        return ".samplercheck" if self.root == Path.cwd() else str(self.root / ".samplercheck")

    def open_path(self) -> None:
        """Let modules of the project be found from any directory below it."""
        open_path(self.root)


def read_target(name: str, given: Any, where: str, root: Path) -> ConfiguredTarget:
    """Return the target that a table describes."""
    said = table(given, where)
    check_keys(said, KEYS, where)
    return ConfiguredTarget(
        name=name,
        factory=_factory(said.get("factory"), where),
        root=root,
        contract=_contract(said["contract"], f"{where}: contract") if "contract" in said else None,
        axes=_axes(said.get("axes", {}), f"{where}.axes"),
        select=texts(said.get("select", []), f"{where}: select"),
        skip=_skips(said.get("skip", {}), f"{where}.skip"),
        known=_read_known(said.get("known-failures", {}), f"{where}.known-failures"),
        settings=read_settings(said, where),
    )


def _factory(value: Any, where: str) -> str:
    if not isinstance(value, str) or not all(value.rpartition(":")[::2]):
        raise UsageError(
            f"{where}: factory is {value!r} and has to name the target, "
            'as in factory = "mypkg.samplers:BucketSampler".'
        )
    return value


def _contract(value: Any, where: str) -> Contract:
    """Return a contract: fields in a table, a preset's name, or both with the key ``preset``."""
    fields = {"preset": value} if isinstance(value, str) else dict(table(value, where))
    preset = fields.pop("preset", None)
    if preset is not None and preset not in PRESETS:
        raise UsageError(f"{where}: there is no preset {preset!r}. {did_you_mean(str(preset), PRESETS)}")
    try:
        made: Contract = Contract(**fields) if preset is None else getattr(Contract, preset)(**fields)
    except ContractError as error:
        raise ContractError(f"{where}: {error}") from None
    return made


def _axes(value: Any, where: str) -> dict[str, list[Any]]:
    axes = table(value, where)
    for name, values in axes.items():
        is_list = isinstance(values, list) and values and all(isinstance(one, SCALARS) for one in values)
        if not is_list or not name.isidentifier():
            raise UsageError(f"{where}: {name} = {values!r} has to be a list of values, as in [1, 2, 8].")
    return axes


def _skips(value: Any, where: str) -> dict[str, str]:
    skips = table(value, where)
    for law, reason in skips.items():
        if not isinstance(reason, str) or not reason.strip():
            raise UsageError(f'{where}: {law} needs a reason for the report, as in {law} = "issue 12".')
    return skips


def _read_known(value: Any, where: str) -> dict[str, tuple[KnownFailure, ...]]:
    """Return the entries of each law: one table, or a list of tables."""
    entries: dict[str, tuple[KnownFailure, ...]] = {}
    for law, given in table(value, where).items():
        several = given if isinstance(given, list) and given else [given]
        entries[law] = tuple(_read_entry(entry, f"{where}.{law}") for entry in several)
    return entries


def _read_entry(value: Any, where: str) -> KnownFailure:
    entry = table(value, where)
    check_keys(entry, ("case", "reason", "until"), where)
    for key in ("case", "reason"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise UsageError(
                f'{where}: {key} is missing: write {{ case = "n=3,world=2", reason = "issue 12" }}.'
            )
    try:
        return known(entry["case"], reason=entry["reason"], until=entry.get("until"))
    except UsageError as error:
        raise type(error)(f"{where}: {error}") from None
