"""``samplercheck run``: judges targets, one after the other, and ends with the worst exit code.

The process that runs this imports neither torch, numpy nor hypothesis: the run itself belongs to
``supervision``, which returns plain data.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.asking import PlannedRun, describe_settings, plan_runs, read_options
from samplercheck.cli.complaints import complain
from samplercheck.cli.known import settle_known
from samplercheck.cli.main import EXIT_FAULT, run_verb
from samplercheck.cli.output import FORMATS, Output
from samplercheck.cli.screen import open_progress
from samplercheck.reports.standing import exit_code
from samplercheck.running.config import environment, read_config
from samplercheck.values.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from samplercheck.engine.plan import Plan

BADNESS = (0, 5, 3, 1, 2, 4, 130)


def worst_exit(codes: Sequence[int]) -> int:
    """Return the exit code of several runs: the one that most needs a person."""
    return max(codes, key=BADNESS.index, default=5)


@click.command(short_help="Judge targets by all laws of a profile.")
@click.argument("targets", metavar="[TARGET]...", nargs=-1)
@click.option("--profile", help="quick, standard (the default), strict or nightly.")
@click.option("--world", "worlds", multiple=True, metavar="NAMES", help="Of auto, simulated, gloo, nccl.")
@click.option("--max-ranks", type=click.IntRange(min=1), metavar="NUMBER", help="Of processes in groups.")
@click.option("--max-memory", metavar="SIZE", help="A rank's own in process groups, as in 512M or 2G.")
@click.option("--select", multiple=True, metavar="LAW", help="Only this law or family: SC104, SC1.")
@click.option("--skip", multiple=True, metavar="LAW=REASON", help="Leave a law out, and say why.")
@click.option("--seed", type=click.IntRange(min=0), help="Of the large search; 0 unless told.")
@click.option("--max-time", type=click.FloatRange(min=0), metavar="SECONDS", help="Cuts the large search.")
@click.option("--max-cases", type=click.IntRange(min=0), metavar="NUMBER", help="Cuts the large search.")
@click.option("--contract", multiple=True, metavar="FIELD=VALUE", help="Or a preset: evaluation, repeated=3.")
@click.option("--axis", multiple=True, metavar="NAME=1,2,8", help="Values of a parameter of the target.")
@click.option(
    "--baseline", is_flag=True, help="Only failures that .samplercheck/known does not hold break it."
)
@click.option("--strict", is_flag=True, help="Advice of the grade strict breaks the run too.")
@click.option("--infer", is_flag=True, help="Judge by the contract that the target seems to keep.")
@click.option("--report", type=click.Path(path_type=Path), metavar="DIR", help="Write the report there.")
@click.option("--format", "style", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True)
@click.option("-v", "--verbose", is_flag=True, help="Whole blocks and all that was tried: --format full.")
@click.option("--show-config", is_flag=True, help="Show settings and their origins; run nothing.")
@click.option("--no-color", is_flag=True, help="No colour, no bars; NO_COLOR does the same.")
def command(targets: tuple[str, ...], **options: Any) -> int:
    """Judge each TARGET by all laws of a profile.

    A TARGET is package.module:attribute, path/to/file.py:attribute or a name from
    [tool.samplercheck.targets] in pyproject.toml; without any, all of these are judged. With several,
    --report writes a folder for each, pages for all of them, and the exit code is the worst.
    """
    config = read_config(Path.cwd())
    said = (read_options(options), environment(os.environ))
    if options["show_config"]:
        click.echo("\n".join(describe_settings(config, *said)))
        return 0
    runs = plan_runs(targets, options, config, *said)
    output = Output(
        style="full" if options["verbose"] else options["style"],
        directory=options["report"],
        colour=not options["no_color"],
        several=len(runs) > 1,
        selected=any(one.plan.select for one in runs),
        stored=all(_is_found(one.plan) for one in runs),
    )
    output.prepare()
    codes: list[int] = []
    for run in runs:
        codes.append(run_verb(_judge, run, output, options["baseline"]))
        if codes[-1] == BADNESS[-1]:
            break
    return _write_files(output.close, worst_exit(codes))


def _is_found(plan: Plan) -> bool:
    """Whether ``replay`` finds the failing cases of a run from this directory."""
    return plan.store is not None and plan.store.is_nearest(Path.cwd())


def _judge(run: PlannedRun, output: Output, baseline: bool) -> int:  # noqa: FBT001  (called through ``run_verb``)
    from samplercheck.running.supervised import run_supervised

    plan, known = settle_known(run, run_supervised)
    with open_progress(colour=output.colour) as progress:
        report = run_supervised(plan, progress)
    if baseline:
        report = _compare_with_known(report, plan)
    code = worst_exit([known, exit_code(report)])
    return _write_files(partial(output.take, report), code)


def _write_files(write: Callable[[], None], code: int) -> int:
    """Return the exit code when files are written: what the screen shows stays the verdict."""
    try:
        write()
    except StoreError as error:
        complain(error)
        return code or EXIT_FAULT
    return code


def _compare_with_known(report: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """Return the report with what is known of the failures in it."""
    from samplercheck.running.replaying import compare_with_known, replay_all

    return compare_with_known(report, plan, replay_all)
