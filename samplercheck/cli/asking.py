"""From the words of ``run`` to the plan for each target: by name from pyproject.toml, or as written.

Used by ``run``. Command line, environment and pyproject.toml meet here. Imports configuration and values.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samplercheck.cli.values import axes_from, contract_from, names_from, skips_from
from samplercheck.engine.plan import Plan
from samplercheck.running.config import SECTION, Config, read_config
from samplercheck.running.config.known import KnownFailure
from samplercheck.running.config.settings import (
    SETTINGS,
    Chosen,
    Layer,
    count_jobs,
    environment,
    layer,
    memory_from,
    plan_fields,
    read_jobs,
    world_settings,
)
from samplercheck.running.config.targets import ConfiguredTarget
from samplercheck.values.errors import UsageError
from samplercheck.values.sizes import Sizes, read_size, sizes_from

COLUMN = 14
MOST_PROPOSED = 8


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """The plan for one target, and the known failures that the project declares for it."""

    plan: Plan
    known: Mapping[str, tuple[KnownFailure, ...]] = field(default_factory=dict)


def read_options(options: Mapping[str, Any]) -> Layer:
    """Return the settings that the command line says; what a verb has no option for is not said."""
    memory, jobs = options.get("max_memory"), options.get("jobs")
    said = {name: options.get(name.replace("-", "_")) for name in SETTINGS}
    said["worlds"] = names_from(options.get("worlds", ())) or None
    said["max-memory"] = None if memory is None else memory_from(memory)
    said["strict"] = options.get("strict") or None
    said["jobs"] = None if jobs is None else read_jobs(jobs, "--jobs")
    return layer("command line", said)


def plan_runs(
    words: tuple[str, ...], options: Mapping[str, Any], config: Config, *said: Layer
) -> list[PlannedRun]:
    """Return the plan for each target, for all that are configured where none is named."""
    if not words and not config.targets:
        raise UsageError(
            "No target is named, and none is configured: write samplercheck run package.module:attribute, "
            f"or add [{SECTION}.targets.NAME] to pyproject.toml.{propose_found()}"
        )
    return [_plan_run(word, options, config, *said) for word in words or tuple(config.targets)]


def plan_one(target: str, options: Mapping[str, Any]) -> PlannedRun:
    """Return the plan for the one target of a verb, by its options, the environment and pyproject.toml."""
    said = read_options(options), environment(os.environ)
    return plan_runs((target,), options, read_config(Path.cwd()), *said)[0]


def propose_found() -> str:
    """Return commands for what this directory defines, empty where it defines nothing."""
    from samplercheck.targets.discovery import discover_folder

    found = discover_folder(Path())
    if not found:
        return ""
    lines = [f"    samplercheck run {shlex.quote(one)}" for one in found[:MOST_PROPOSED]]
    if len(found) > 1:
        lines.append(f"    samplercheck run --discover .    # all {len(found)}")
    return "\n".join(["\nThis directory defines:\n", *lines])


def _plan_run(word: str, options: Mapping[str, Any], config: Config, *said: Layer) -> PlannedRun:
    from samplercheck.storage.store import Store

    target = _find_configured(word, config)
    chosen = {name: one.value for name, one in config.choose(*said, target=target).items()}
    gather = options.get("gather")
    if target is not None:
        target.open_path()
    own = target or ConfiguredTarget(name=word, factory=word, root=Path.cwd())
    plan = Plan(
        target=word if target is None else target.reference,
        contract={**(own.contract.to_dict() if own.contract else {}), **contract_from(options["contract"])},
        axes={**own.axes, **axes_from(options["axis"])},
        changes=True,
        select=options.get("select") or own.select,
        skip={**own.skip, **skips_from(options.get("skip", ()))},
        infers=options.get("infer", False),
        times=options.get("timings", False),
        jobs=count_jobs(chosen["jobs"]),
        sizes=_read_sizes(options),
        store=Store(own.store),
        world_settings={**world_settings(chosen), **({} if gather is None else {"gather": gather})},
        **plan_fields(chosen, os.environ),
    )
    return PlannedRun(plan=plan, known=own.known)


def _read_sizes(options: Mapping[str, Any]) -> Sizes | None:
    """Return the one size that a run is asked for, None where it looks at many."""
    said = {name: options.get(name) for name in ("length", "world_size", "batch_size")}
    return sizes_from(
        **{
            name: None if text is None else read_size(text, f"--{name.replace('_', '-')}")
            for name, text in said.items()
        }
    )


def _find_configured(word: str, config: Config) -> ConfiguredTarget | None:
    """Return the configured target that a word names; None for one that is written out."""
    if word in config.targets or (config.targets and word.replace("-", "_").isidentifier()):
        return config.target(word)
    return None


def describe_settings(config: Config, *said: Layer) -> Iterator[str]:
    """Return the settings that hold, and where each of them comes from, as lines."""
    yield f"{'configuration':{COLUMN}}{config.path or 'none: no pyproject.toml has [' + SECTION + ']'}"
    general = config.choose(*said)
    yield from _rows(general)
    for target in config.targets.values():
        yield ""
        yield f"{'target':{COLUMN}}{target.name}"
        yield f"{'factory':{COLUMN}}{target.factory}"
        yield from _rows(
            {name: one for name, one in config.choose(*said, target=target).items() if one != general[name]}
        )
        yield from _parts(target)


def _rows(settings: Mapping[str, Chosen]) -> Iterator[str]:
    """Return a line for each setting; "usual" and "not set" leave it to the profile."""
    for name, (value, origin) in settings.items():
        yield f"{name:{COLUMN}}{_as_text(value):{COLUMN}}{origin}"


def _as_text(value: Any) -> str:
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
    for law, entries in target.known.items():
        for entry in entries:
            until = f" (until {entry.until})" if entry.until else ""
            yield f"{'known failure':{COLUMN}}{law} in {entry.case}: {entry.reason}{until}"
