"""Output: where the reports of one command go: to the screen in one form, and to files.

Used by ``run``. Reports are plain data here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import click

from samplercheck.cli.screen import columns, show
from samplercheck.reports.brief import brief, index_line
from samplercheck.reports.github import MOST_ANNOTATIONS, workflow_lines
from samplercheck.reports.publish import folder_name, publish, tell_step
from samplercheck.reports.standing import exit_code
from samplercheck.reports.terminal import concise, describe_timings, full
from samplercheck.storage.atomic import check_directory
from samplercheck.storage.report_file import NAME, as_json, save

FORMATS = ("brief", "full", "concise", "json", "github")
_OPTIONS = (
    click.option("--report", type=click.Path(path_type=Path), metavar="DIR", help="Write the report there."),
    click.option("--format", "style", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True),
    click.option("-v", "--verbose", is_flag=True, help="Whole blocks and all that was tried: --format full."),
)


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb the options that say where its report goes and how much of it is shown."""
    return reduce(lambda made, option: option(made), reversed(_OPTIONS), command)


@dataclass(kw_only=True)
class Output:
    """What is to be done with reports, and the reports that have come so far.

    ``several`` says that the command names more than one target, ``selected`` that it does not ask
    for all laws, ``stored`` that failing cases are kept where ``replay`` finds them.
    """

    style: str = "brief"
    directory: Path | None = None
    colour: bool = False
    several: bool = False
    selected: bool = False
    stored: bool = False
    reports: list[dict[str, Any]] = field(default_factory=list)
    annotated: int = 0
    saved: int = 0

    @classmethod
    def of(cls, options: Mapping[str, Any], **more: Any) -> Output:
        """Return what the options --format or -v, --report and --no-color ask for."""
        return cls(
            style="full" if options["verbose"] else options["style"],
            directory=options["report"],
            colour=not options["no_color"],
            **more,
        )

    def prepare(self) -> None:
        """Make the directory for reports; where none can be written, say so before a long search."""
        if self.directory is not None:
            fix = "Name a directory that can be made or written, as in --report out."
            check_directory(self.directory, "--report", fix, "" if self.several else NAME)

    def take(self, report: dict[str, Any]) -> None:
        """Show one report, then save it; JSON waits for the last one.

        Of several targets there is one line at first, the index of what ``close`` shows.
        """
        self.reports.append(report)
        if self._is_index:
            self._show(index_line(report, width=columns()))
        elif self.style != "json":
            self._show(self._text(report))
            self._show_timings(report)
            if self.several:
                click.echo()
        if self.directory is not None:
            own = folder_name(len(self.reports), report) if self.several else ""
            save(report, self.directory / own)
            self.saved += 1

    def close(self) -> None:
        """Show what waited: one document, a list where several targets were named, or the screen of each.

        Then write the renderings.

        Where a report could not be saved there are none: they would say more than is on disk.
        """
        if self.style == "json" and self.reports:
            click.echo(as_json(self.reports if self.several else self.reports[0]), nl=False)
        for report in self.reports if self._is_index else ():
            self._show(f"\n{'-' * (columns() - 2)}\n{self._text(report)}")
            self._show_timings(report)
        if self.directory is not None and self.reports and self.saved == len(self.reports):
            publish(self.reports, self.directory)
        if self.directory is not None or self.style == "github":
            tell_step(self.reports, os.environ)

    def show_alone(self, report: dict[str, Any]) -> int:
        """Show and save the only report of a command; return the exit code."""
        self.take(report)
        self.close()
        return exit_code(report)

    @property
    def _is_index(self) -> bool:
        return self.several and self.style == "brief"

    def _show(self, text: str) -> None:
        show(text, colour=self.colour and self.style != "github")

    def _show_timings(self, report: dict[str, Any]) -> None:
        if text := describe_timings(report):
            self._show(text)

    def _text(self, report: dict[str, Any]) -> str:
        if self.style == "brief":
            return brief(report, width=columns())
        if self.style == "full":
            return full(report, selected=self.selected, stored=self.stored)
        if self.style == "concise":
            return concise(report)
        assert self.style == "github"  # json is shown when all reports are there
        lines = workflow_lines(report, MOST_ANNOTATIONS - self.annotated)
        self.annotated += len(lines)
        return "\n".join([*lines, concise(report)])
