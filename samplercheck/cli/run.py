"""``samplercheck run``: judges targets, one after the other, and ends with the worst exit code.

The process that runs this imports neither torch, numpy nor hypothesis: the run itself belongs to
``supervision``, which returns plain data.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.complaints import complain
from samplercheck.cli.main import EXIT_FAULT, ended
from samplercheck.cli.output import FORMATS, Output
from samplercheck.cli.screen import open_progress
from samplercheck.cli.values import axes_from, contract_from, names_from, size_from, skips_from
from samplercheck.errors import StoreError
from samplercheck.reports.terminal import exit_code
from samplercheck.supervision.request import RunRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["command", "worst_exit"]

AS_GIVEN = ("profile", "select", "seed", "max_time", "max_cases")
BADNESS = (0, 5, 3, 1, 2, 4, 130)


def worst_exit(codes: Sequence[int]) -> int:
    """Return the exit code of several runs: the one that most needs a person."""
    return max(codes, key=BADNESS.index, default=5)


@click.command(short_help="Judge targets by all laws of a profile.")
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--profile", default="standard", show_default=True, help="quick, standard, strict or nightly.")
@click.option("--world", "worlds", multiple=True, metavar="NAMES", help="Of auto, simulated, gloo, nccl.")
@click.option("--max-ranks", type=click.IntRange(min=1), metavar="NUMBER", help="Of processes in groups.")
@click.option("--max-memory", metavar="SIZE", help="A rank's own in process groups, as in 512M or 2G.")
@click.option("--select", multiple=True, metavar="LAW", help="Only this law or family: SC104, SC1.")
@click.option("--skip", multiple=True, metavar="LAW=REASON", help="Leave a law out, and say why.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the large search.")
@click.option("--max-time", type=click.FloatRange(min=0), metavar="SECONDS", help="Cuts the large search.")
@click.option("--max-cases", type=click.IntRange(min=0), metavar="NUMBER", help="Cuts the large search.")
@click.option("--contract", multiple=True, metavar="FIELD=VALUE", help="Or a preset: evaluation, repeated=3.")
@click.option("--axis", multiple=True, metavar="NAME=1,2,8", help="Values of a parameter of the target.")
@click.option("--report", type=click.Path(path_type=Path), metavar="DIR", help="Write report.json there.")
@click.option("--format", "style", type=click.Choice(FORMATS), default="full", show_default=True)
@click.option("--no-color", is_flag=True, help="No colour, no bars; NO_COLOR does the same.")
def command(targets: tuple[str, ...], **options: Any) -> int:
    """Judge each TARGET by all laws of a profile.

    A TARGET is package.module:attribute or path/to/file.py:attribute. With several, --report writes
    a folder for each and the exit code is the worst.
    """
    contract = contract_from(options["contract"])
    axes, skip = axes_from(options["axis"]), skips_from(options["skip"])
    worlds, settings = names_from(options["worlds"]), _world_settings(**options)
    colour = not options["no_color"]
    output = Output(
        style=options["style"],
        directory=options["report"],
        colour=colour,
        several=len(targets) > 1,
        selected=bool(options["select"]),
    )
    output.prepare()

    def judge(target: str) -> int:
        request = RunRequest(
            target=target,
            contract=contract,
            axes=axes,
            skip=skip,
            worlds=worlds,
            world_settings=settings,
            **{name: options[name] for name in AS_GIVEN},
        )
        return _judge(request, output)

    codes: list[int] = []
    for target in targets:
        codes.append(ended(judge, target))
        if codes[-1] == BADNESS[-1]:
            break
    output.close()
    return worst_exit(codes)


def _world_settings(*, max_ranks: int | None, max_memory: str | None, **_: Any) -> dict[str, int]:
    """Return what was said of process groups; the rest is left to the worlds."""
    said = {"max_ranks": max_ranks, "memory": None if max_memory is None else size_from(max_memory)}
    return {name: value for name, value in said.items() if value is not None}


def _judge(request: RunRequest, output: Output) -> int:
    from samplercheck.supervision import run_supervised

    with open_progress(colour=output.colour) as progress:
        report = run_supervised(request, progress)
    code = exit_code(report)
    try:
        output.take(report)
    except StoreError as error:  # the screen shows what was found: it stays the verdict
        complain(error)
        return code or EXIT_FAULT
    return code
