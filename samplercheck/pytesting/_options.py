"""Options: what a session says of all its runs, from the command line of pytest.

Read where items are made and runs are carried out. Imports profiles and the names of worlds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import pytest

from samplercheck.errors import UsageError
from samplercheck.marking import check_worlds
from samplercheck.search.profiles import find_profile

if TYPE_CHECKING:
    from samplercheck.marking import LawSuite

__all__ = ["Options", "check_options", "options_of"]

DEFAULT_PROFILE = "standard"
GROUP_MARK = "samplercheck_pg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line says; what is None is left to each suite.

    ``without_groups`` says that the marks of this session leave process groups out.
    """

    profile: str | None
    worlds: tuple[str, ...] | None
    seed: int
    report: Path | None
    full_trace: bool
    without_groups: bool
    store: Path

    def profile_of(self, suite: LawSuite) -> str:
        """Return the profile that a suite is judged by: the command line's word goes first."""
        return self.profile or suite.profile or DEFAULT_PROFILE

    def worlds_of(self, suite: LawSuite) -> tuple[str, ...] | None:
        """Return the worlds that a suite is run in, None for those that are usual."""
        return self.worlds or suite.worlds


def options_of(config: pytest.Config) -> Options:
    """Return the options of a session."""
    report = config.getoption("samplercheck_report")
    return Options(
        profile=config.getoption("samplercheck_profile"),
        worlds=tuple(config.getoption("samplercheck_world") or ()) or None,
        seed=config.getoption("samplercheck_seed"),
        report=Path(config.invocation_params.dir, report) if report else None,
        full_trace=config.getoption("samplercheck_full_trace"),
        without_groups=GROUP_MARK in (config.getoption("markexpr", "") or ""),
        store=config.rootpath / ".samplercheck",
    )


def check_options(config: pytest.Config) -> None:
    """Refuse a profile or a world that does not exist, and a directory that cannot be written."""
    options = options_of(config)
    try:
        if options.profile is not None:
            find_profile(options.profile)
        check_worlds(options.worlds or ())
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    if options.report is None or hasattr(config, "workerinput"):
        return
    try:
        options.report.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=options.report).close()
    except OSError as error:
        raise pytest.UsageError(
            f"--samplercheck-report {str(options.report)!r} cannot be written to: {error.strerror}. "
            "Name a directory that can be made or written."
        ) from None
