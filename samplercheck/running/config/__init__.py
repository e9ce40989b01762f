"""Configuration: ``[tool.samplercheck]`` in pyproject.toml, the environment, and who overrules whom.

Read by the command line and by the pytest plugin, once for each command and session. What is misspelt is an
error that names the nearest. Imports values and the names of profiles and worlds: no torch, no numpy, no
target; tomli before Python 3.11.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samplercheck.running.config.settings import (
    SETTINGS,
    Chosen,
    Layer,
    check_keys,
    effective,
    read_settings,
    table,
)
from samplercheck.running.config.targets import ConfiguredTarget, read_target
from samplercheck.values.errors import UsageError, did_you_mean
from samplercheck.values.guarded import parse_guarded, read_guarded
from samplercheck.values.layout import cut

NAME = "pyproject.toml"
SECTION = "tool.samplercheck"
WHAT = "TOML"
LARGEST_FILE = 1_000_000
MOST_PARTS = 100
LONGEST_ERROR = 1_500
_DEEP_KEY = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]+[ \t]*\.[ \t]*){{{MOST_PARTS}}}""")


@dataclass(frozen=True, kw_only=True)
class Config:
    """What a project says: general settings, and its targets by name; ``path`` is None where none does."""

    path: Path | None = None
    settings: Layer = field(default_factory=dict)
    targets: Mapping[str, ConfiguredTarget] = field(default_factory=dict)

    def target(self, name: str) -> ConfiguredTarget:
        """Return a configured target."""
        if name not in self.targets:
            raise UsageError(
                f"No target {name!r} is configured in {self.path}. {did_you_mean(name, self.targets)} "
                "One that is not configured is written as package.module:attribute."
            )
        return self.targets[name]

    def choose(self, *before: Layer, target: ConfiguredTarget | None = None) -> dict[str, Chosen]:
        """Return the settings that hold, of a target or in general; layers ``before`` overrule the file."""
        return effective(*before, *([] if target is None else [target.settings]), self.settings)


def read_config(directory: Path, is_trusted: Callable[[Path], bool] = lambda _: True) -> Config:
    """Return the configuration of the nearest pyproject.toml, upwards, that has one and ``is_trusted``.

    One that somebody else has put above a directory is an error: it says what is imported, and what left out.
    """
    for folder in (directory.resolve(), *directory.resolve().parents):
        path = folder / NAME
        tool = _section(path) if path.exists() and is_trusted(folder) and is_trusted(path) else None
        if tool is not None:
            _refuse_strangers(path, directory)
            return _config(table(tool, SECTION), path)
    return Config()


def _refuse_strangers(path: Path, directory: Path) -> None:
    from samplercheck.storage.signing import is_of_project

    if not is_of_project(path, directory):
        raise UsageError(
            f"{path} is somebody else's, neither yours nor of who owns {directory}, and would decide what is "
            f"imported and judged here. Write a {NAME} of your own there, with a section [{SECTION}]."
        )


def _section(path: Path) -> Any:
    """Return the content of the kit's section, None where a file has none."""
    content = parse_guarded(read_guarded(path, WHAT, LARGEST_FILE), path, WHAT, _parse)
    tool = content.get("tool")
    return tool.get("samplercheck") if isinstance(tool, dict) else None


def _parse(content: bytes) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = content.decode("utf-8")
    if _DEEP_KEY.search(text):
        raise ValueError(f"a key has more than {MOST_PARTS} parts")  # which takes TOML readers their square
    return tomllib.loads(text)


def _config(tool: dict[str, Any], path: Path) -> Config:
    try:
        check_keys(tool, (*SETTINGS, "targets"), SECTION)
        general = read_settings(tool, SECTION)
        named = table(tool.get("targets", {}), f"{SECTION}.targets")
        targets = {
            name: read_target(name, given, f"{SECTION}.targets.{name}", path.parent)
            for name, given in named.items()
        }
    except UsageError as error:
        raise type(error)(cut(f"{path}: {error}", LONGEST_ERROR)) from None
    return Config(path=path, settings=general, targets=targets)
