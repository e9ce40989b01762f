"""Options: what a session says of all its runs: command line of pytest, environment, pyproject.toml.

Read where items are made and runs are carried out. Imports configuration and the names of worlds.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from samplercheck.pytesting.marking import LawSuite, check_worlds
from samplercheck.running.config import Config, read_config
from samplercheck.running.config.settings import Chosen, effective, environment, layer, world_settings
from samplercheck.search.profiles import find_profile
from samplercheck.storage.atomic import check_directory
from samplercheck.storage.store import NAME
from samplercheck.values.errors import UsageError
from samplercheck.values.shard import parse_shard

PROJECT = pytest.StashKey[Config]()
GROUP_MARK = "samplercheck_pg"
NODE = "samplercheck"
PREFIX = f"{NODE}::"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the session says, on the command line before the environment; a suite may say what it does not.

    ``without_groups`` says that the marks of this session leave process groups out.
    """

    said: Mapping[str, Chosen]
    project: Config
    report: Path | None
    full_trace: bool
    without_groups: bool
    store: Path

    def choose(self, suite: LawSuite | None = None) -> dict[str, Any]:
        """Return the settings of a suite: what the session says goes first, the project's usual ones last."""
        own = [] if suite is None else [suite.said, suite.settings]
        return {name: one.value for name, one in effective(self.said, *own, self.project.settings).items()}

    @property
    def world_settings(self) -> dict[str, int]:
        """What is said of process groups on this machine."""
        return world_settings(self.choose())


def options_of(config: pytest.Config) -> Options:
    """Return the options of a session."""
    report = config.getoption("samplercheck_report")
    project = project_of(config)
    root = config.rootpath if project.path is None else project.path.parent  # as the command line has it
    spoken = {
        "profile": config.getoption("samplercheck_profile"),
        "worlds": tuple(config.getoption("samplercheck_world") or ()) or None,
        "seed": config.getoption("samplercheck_seed"),
        "strict": config.getoption("samplercheck_strict") or None,
        "shard": config.getoption("samplercheck_shard"),
    }
    return Options(
        said={**_surrounding(), **layer("command line", spoken)},
        project=project,
        report=Path(config.invocation_params.dir, report) if report else None,
        full_trace=config.getoption("samplercheck_full_trace"),
        without_groups=GROUP_MARK in (config.getoption("markexpr", "") or ""),
        store=root / NAME,
    )


def project_of(config: pytest.Config) -> Config:
    """Return what pyproject.toml says, read once; a mistake in it is an error of collecting."""
    if PROJECT not in config.stash:
        try:
            config.stash[PROJECT] = read_config(config.rootpath)
        except UsageError as error:
            raise pytest.Collector.CollectError(str(error)) from None
    return config.stash[PROJECT]


def _surrounding() -> Mapping[str, Chosen]:
    try:
        return environment(os.environ)
    except UsageError as error:
        raise pytest.Collector.CollectError(str(error)) from None


def check_options(config: pytest.Config) -> None:
    """Refuse a profile or a world that does not exist, and a directory that cannot be written."""
    _take_chosen(config)
    try:
        options = options_of(config)
        chosen = options.choose()
        find_profile(chosen["profile"])
        check_worlds(chosen["worlds"])
        if chosen["shard"]:
            parse_shard(chosen["shard"], os.environ)
        if options.report is not None and not hasattr(config, "workerinput"):
            fix = "Name a directory that can be made or written."
            check_directory(options.report, "--samplercheck-report", fix)
    except (UsageError, pytest.Collector.CollectError) as error:
        raise pytest.UsageError(str(error)) from None


def _take_chosen(config: pytest.Config) -> None:
    """Take names of items, as ``samplercheck::bucket``, from the arguments, which pytest takes for paths."""
    chosen = [one for one in config.args if one.startswith(PREFIX)]
    if not chosen:
        return
    others = [one for one in config.args if one not in chosen]
    config.args[:] = others
    config.option.samplercheck = True
    config.option.samplercheck_chosen = chosen
    config.option.samplercheck_alone = not others
