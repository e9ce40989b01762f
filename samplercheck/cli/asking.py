"""From the words of ``run`` to what is asked of each target: by name from pyproject.toml, or as written.

Used by ``run``. Command line, environment and pyproject.toml meet here. Imports configuration and values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samplercheck.cli.values import axes_from, contract_from, names_from, size_from, skips_from
from samplercheck.config import SECTION, layer
from samplercheck.errors import UsageError
from samplercheck.supervision.request import RunRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from samplercheck.config import Chosen, Config, ConfiguredTarget, KnownEntry

    Layer = Mapping[str, Chosen]

__all__ = ["Asked", "asked", "settings_shown", "spoken"]

COLUMN = 14


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A run of one target, and the known failures that the project declares for it."""

    request: RunRequest
    known: tuple[KnownEntry, ...] = ()


def spoken(options: Mapping[str, Any]) -> Layer:
    """Return the settings that the command line says."""
    memory = options["max_memory"]
    return layer(
        "command line",
        {
            "profile": options["profile"],
            "worlds": names_from(options["worlds"]) or None,
            "seed": options["seed"],
            "max-time": options["max_time"],
            "max-cases": options["max_cases"],
            "max-ranks": options["max_ranks"],
            "max-memory": None if memory is None else size_from(memory),
        },
    )


def asked(words: tuple[str, ...], options: Mapping[str, Any], config: Config, *said: Layer) -> list[Asked]:
    """Return what is asked of each target, of all that are configured where none is named."""
    if not words and not config.targets:
        raise UsageError(
            "No target is named, and none is configured: write samplercheck run package.module:attribute, "
            f"or add [{SECTION}.targets.NAME] to pyproject.toml."
        )
    return [_asked(word, options, config, *said) for word in words or tuple(config.targets)]


def _asked(word: str, options: Mapping[str, Any], config: Config, *said: Layer) -> Asked:
    target = _configured(word, config)
    chosen = {name: one.value for name, one in config.chosen(*said, target=target).items()}
    worlds = {"max_ranks": chosen["max-ranks"], "memory": chosen["max-memory"]}
    own = _own(target, word)
    request = RunRequest(
        target=own["target"],
        contract={**own["contract"], **contract_from(options["contract"])},
        axes={**own["axes"], **axes_from(options["axis"])},
        select=options["select"] or own["select"],
        skip={**own["skip"], **skips_from(options["skip"])},
        worlds=tuple(chosen["worlds"]),
        profile=chosen["profile"],
        seed=chosen["seed"],
        max_time=chosen["max-time"],
        max_cases=chosen["max-cases"],
        world_settings={name: value for name, value in worlds.items() if value is not None},
        **own["place"],
    )
    return Asked(request=request, known=() if target is None else target.known)


def _configured(word: str, config: Config) -> ConfiguredTarget | None:
    """Return the configured target that a word names; None for one that is written out."""
    if word in config.targets or (config.targets and word.replace("-", "_").isidentifier()):
        return config.target(word)
    return None


def _own(target: ConfiguredTarget | None, word: str) -> dict[str, Any]:
    """Return what a target brings along from pyproject.toml."""
    if target is None:
        return {"target": word, "contract": {}, "axes": {}, "select": (), "skip": {}, "place": {}}
    target.open_path()
    contract = target.contract
    return {
        "target": target.reference,
        "contract": {} if contract is None else contract.to_dict(),
        "axes": target.axes,
        "select": target.select,
        "skip": target.skip,
        "place": {"directory": target.store},
    }


def settings_shown(config: Config, *said: Layer) -> Iterator[str]:
    """Return the settings that hold, and where each of them comes from, as lines."""
    yield f"{'configuration':{COLUMN}}{config.path or 'none: no pyproject.toml has [' + SECTION + ']'}"
    general = config.chosen(*said)
    yield from _rows(general)
    for target in config.targets.values():
        yield ""
        yield f"{'target':{COLUMN}}{target.name}"
        yield f"{'factory':{COLUMN}}{target.factory}"
        yield from _rows(
            {name: one for name, one in config.chosen(*said, target=target).items() if one != general[name]}
        )
        yield from _parts(target)


def _rows(settings: Mapping[str, Chosen]) -> Iterator[str]:
    """Return a line for each setting; "usual" and "not set" leave it to the profile."""
    for name, (value, origin) in settings.items():
        yield f"{name:{COLUMN}}{_shown(value):{COLUMN}}{origin}"


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "usual"
    return "not set" if value is None else str(value)


def _parts(target: ConfiguredTarget) -> Iterator[str]:
    if target.contract is not None:
        yield f"{'contract':{COLUMN}}{target.contract.text}"
    for axis, values in target.axes.items():
        yield f"{'axis':{COLUMN}}{axis} = {values}"
    if target.select:
        yield f"{'select':{COLUMN}}{', '.join(target.select)}"
    for law, reason in target.skip.items():
        yield f"{'skip':{COLUMN}}{law}: {reason}"
    for entry in target.known:
        until = f" (until {entry.until})" if entry.until else ""
        yield f"{'known failure':{COLUMN}}{entry.law} in {entry.case}: {entry.reason}{until}"
