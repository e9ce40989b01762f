"""``samplercheck report``: pages from reports on disk, of shards that belong together, or what changed.

Judges nothing and imports neither torch, numpy nor hypothesis: reports are read where they were not made.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from samplercheck.cli.screen import show
from samplercheck.cli.values import colour_option
from samplercheck.reports.publish import RENDERINGS, folder_name, publish, tell_step
from samplercheck.reports.standing import Plain
from samplercheck.reports.standing import exit_code as of_report
from samplercheck.reports.terminal import verdicts
from samplercheck.storage.report_file import NAME, save
from samplercheck.values import exits
from samplercheck.values.errors import UsageError
from samplercheck.values.exits import worst_exit
from samplercheck.values.wording import pluralise


@click.command()
@click.argument("places", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Write there.")
@click.option(
    "--diff", nargs=2, type=click.Path(path_type=Path), metavar="A B", help="What changed from A to B."
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "markdown", "sarif"]),
    help="Of --diff: text (the default) or markdown. sarif alone prints SARIF and writes nothing.",
)
@click.option("--exit-code", is_flag=True, help="End as run would with what the reports say together.")
@colour_option
def command(
    places: tuple[Path, ...],
    *,
    output: Path | None,
    diff: tuple[Path, Path] | None,
    style: str | None,
    exit_code: bool,
    no_color: bool,
) -> int:
    """Render every report.json in each DIR and below: JUnit, Markdown, badge, SARIF and HTML files.

    Reports of one target, contract and profile under the same versions are merged; those of shards become
    the report of all cases, which says where a shard is missing. The files are written into DIR; with
    --output, which several DIRs need, there, and the merged report.json too. The exit code is 0 whatever the
    reports say, unless --exit-code asks for it; with --diff it is 1 where a law is newly broken.
    """
    if diff is not None:
        if places or output is not None:
            raise UsageError("--diff takes two directories, no others and no --output: leave those out.")
        if style == "sarif":
            raise UsageError("--diff has no SARIF: choose --format text or markdown.")
        return _compare(*diff, markdown=style == "markdown")
    if style in ("text", "markdown"):
        raise UsageError(f"--format {style} is for --diff alone, as files have their own: leave it out.")
    if not places:
        raise UsageError("Nothing to read: name a directory with a report.json, as run --report DIR makes.")
    if style is not None:
        return _print_sarif(places, output)
    if output is None and len(places) > 1:
        raise UsageError(f"{len(places)} directories need one for their pages: name it with --output.")
    code = _render(places, output, colour=not no_color)
    return code if exit_code else 0


def _render(places: Sequence[Path], output: Path | None, *, colour: bool) -> int:
    from samplercheck.reports.merge import merge

    if output is not None:
        _check_apart(output, places)
    read = _read(places)
    reports = merge(read)
    if output is not None:
        _save(reports, output)
    where = output or (places[0] if places[0].is_dir() else places[0].parent)
    publish(reports, where)
    for report in reports:
        show(f"{verdicts(report)}\n", colour=colour)
    merging = f", merged into {len(reports)}" if len(reports) < len(read) else ""
    files = [*([NAME] if output is not None else []), *RENDERINGS]
    click.echo(f"{pluralise(len(read), 'report')}{merging}. In {str(where)!r}:\n  {', '.join(files)}")
    tell_step(reports, os.environ)
    return worst_exit([of_report(report) for report in reports])


def _print_sarif(places: Sequence[Path], output: Path | None) -> int:
    from samplercheck.reports.merge import merge
    from samplercheck.reports.sarif import render

    if output is not None:
        raise UsageError("--format sarif prints: redirect it into a file, and leave out --output.")
    click.echo(render(merge(_read(places))), nl=False)
    return 0


def _compare(before: Path, after: Path, *, markdown: bool) -> int:
    from samplercheck.reports.diff import as_markdown, as_text, compare

    diff = compare(_read([before]), _read([after]))
    click.echo(as_markdown(diff) if markdown else as_text(diff), nl=not markdown)
    return exits.BROKEN if diff.is_worse else 0


def _read(places: Sequence[Path]) -> list[Plain]:
    """Return all reports of these places; a place without any is a mistake."""
    from samplercheck.storage.report_reading import read, report_paths

    for place in places:
        if not report_paths([place]):
            what = f"holds no {NAME}" if place.exists() else "does not exist"
            raise UsageError(f"{str(place)!r} {what}: name a directory that run --report DIR has made.")
    return [read(path) for path in report_paths(places)]


def _check_apart(output: Path, places: Sequence[Path]) -> None:
    """Refuse to write merged reports where the next command would read them with their own parts."""
    where = output.resolve()
    for place in (one.resolve() for one in places):
        if where == place or where in place.parents or place in where.parents:
            raise UsageError(
                f"--output {str(output)!r} and {str(place)!r} lie in one another: what is merged would be "
                "counted twice by the next command. Name a directory elsewhere."
            )


def _save(reports: Sequence[Plain], output: Path) -> None:
    from samplercheck.storage.report_reading import report_paths

    folders = [output / folder_name(number, one) for number, one in enumerate(reports, 1)]
    folders = folders if len(reports) > 1 else [output]
    others = set(report_paths([output])) - {(folder / NAME).resolve() for folder in folders}
    if others:
        raise UsageError(f"--output {str(output)!r} holds other reports, as {str(min(others))!r}: empty it.")
    for folder, report in zip(folders, reports, strict=True):
        save(report, folder)
