"""The form of ``[tool.samplercheck]`` in pyproject.toml, as types: editors check and complete by its schema.

``.ci/schemas`` publishes them as JSON Schema. What is said in words beside a value, ``read_config`` checks.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from samplercheck.values import choices
from samplercheck.values.contract import CHOICES, Contract
from samplercheck.values.report_form import Seconds

Factory = Annotated[str, Meta(pattern=r"^.+:.+$(?!\n)")]
ShardName = Annotated[str, Meta(pattern=r"^(auto|[0-9]{1,6})/[0-9]{1,6}$(?!\n)|^auto$(?!\n)")]
Words = str | list[str]
Worlds = Literal["auto"] | choices.WorldName
Natural = Annotated[int, Meta(ge=0)]
Ranks = Annotated[int, Meta(ge=1)]
Scalar = bool | int | float | str


class ConfigPart(msgspec.Struct, forbid_unknown_fields=True, rename="kebab"):
    """A table: it has the keys of its class and no others."""


class KnownTable(ConfigPart):
    """A case in which a law is known to be broken, why, and until when that may last."""

    case: str
    reason: str
    until: str | None = None


class SettingsTable(ConfigPart):
    """How far a run looks, and where."""

    profile: choices.ProfileName | None = None
    worlds: Worlds | list[Worlds] | None = None
    seed: Natural | None = None
    max_time: Seconds | None = None
    max_cases: Natural | None = None
    strict: bool | None = None


def _type_of(name: str) -> Any:
    """Return what TOML may say of a field of contracts; a callable is named by text."""
    if name in CHOICES:
        return Literal[CHOICES[name]]
    if name == "frequencies":
        return choices.Frequencies
    return type(value) if isinstance(value := getattr(Contract(), name), (bool, int)) else str


_FIELDS: list[tuple[str, Any, Any]] = [("preset", choices.Preset, None)]
_FIELDS += [(one.name, _type_of(one.name), None) for one in fields(Contract)]
ContractTable = msgspec.defstruct("ContractTable", _FIELDS, forbid_unknown_fields=True)


class TargetTable(SettingsTable, kw_only=True):
    """A target of the project: its factory, its contract, and how it is judged."""

    factory: Factory
    contract: choices.Preset | ContractTable | None = None  # type: ignore[valid-type]  # made of the fields of Contract
    axes: dict[str, list[Scalar]] = {}
    select: Words = []
    skip: dict[str, str] = {}
    known_failures: dict[str, KnownTable | list[KnownTable]] = {}


class ProjectTable(SettingsTable):
    """The section [tool.samplercheck] of pyproject.toml."""

    max_ranks: Ranks | None = None
    max_memory: str | Natural | None = None
    shard: ShardName | None = None
    jobs: Ranks | Literal["auto"] | None = None
    targets: dict[str, TargetTable] = {}
