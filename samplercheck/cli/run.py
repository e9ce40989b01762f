"""``samplercheck run``: judges targets, one after the other, and ends with the worst exit code.

The process that runs this imports neither torch, numpy nor hypothesis: the run itself belongs to
``running.supervised``, which returns plain data.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from samplercheck.cli.asking import PlannedRun, describe_settings, plan_runs, read_options
from samplercheck.cli.known import settle_known
from samplercheck.cli.main import run_verb
from samplercheck.cli.output import Output, report_options
from samplercheck.cli.screen import open_progress
from samplercheck.cli.streams import complain
from samplercheck.cli.values import axis_option, colour_option, contract_option
from samplercheck.reports.standing import exit_code
from samplercheck.running.attached import attached_process, check_gather, is_attached, run_attached
from samplercheck.running.config import read_config
from samplercheck.running.config.settings import environment
from samplercheck.values import exits
from samplercheck.values.errors import StoreError, TargetError, UsageError
from samplercheck.values.exits import worst_exit
from samplercheck.values.layout import printable, wrap
from samplercheck.values.wording import pluralise


@click.command()
@click.argument("targets", metavar="[TARGET]...", nargs=-1)
@click.option(
    "--discover", metavar="PACKAGE", help="Judge the samplers and streams of a package, or below a directory."
)
@click.option("--profile", help="quick, standard (the default), strict or nightly.")
@click.option(
    "--world",
    "worlds",
    multiple=True,
    metavar="NAMES",
    help="auto, simulated, gloo, nccl, or attached to a job.",
)
@click.option("--gather", metavar="DIR", help="With --world attached: ranks meet by files in DIR.")
@click.option(
    "--max-ranks", type=click.IntRange(min=1), metavar="NUMBER", help="The most processes of a real group."
)
@click.option("--max-memory", metavar="SIZE", help="Memory limit of a rank in a real group: 512M, 2G.")
@click.option("--select", multiple=True, metavar="LAW", help="Only this law or family: SC104, SC1.")
@click.option("--skip", multiple=True, metavar="LAW=REASON", help="Leave a law out, and say why.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the large search; the default is 0.")
@click.option(
    "--max-time",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Seconds after which the search beyond the small cases ends.",
)
@click.option(
    "--max-cases",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="The most cases of the large search.",
)
@click.option("--length", metavar="N", help="Only this size, however large: 1e8 samples.")
@click.option("--world-size", metavar="N", help="With --length: this many ranks.")
@click.option("--batch-size", metavar="N", help="With --length: this many samples in a batch.")
@click.option("--jobs", metavar="N", help="Processes that share the cases: a number, or auto.")
@click.option(
    "--shard", metavar="I/N", help="Only this part of the cases: 2/4, auto or auto/4; report joins them."
)
@contract_option()
@axis_option()
@click.option("--baseline", is_flag=True, help="Failures stored in .samplercheck/known do not count.")
@click.option("--strict", is_flag=True, help="Count advice of the grade strict as failures.")
@click.option("--infer", is_flag=True, help="Judge by the contract that the target seems to keep.")
@report_options
@click.option("--timings", is_flag=True, help="Show where the time went: phases, experiments, laws.")
@click.option("--show-config", is_flag=True, help="Show the settings and where they come from; run nothing.")
@colour_option
def command(targets: tuple[str, ...], **options: Any) -> int:
    """Judge each TARGET by all laws of a profile.

    A TARGET is package.module:attribute, path/to/file.py:attribute or a name from
    [tool.samplercheck.targets] in pyproject.toml; without any, all of these are judged. With several,
    --report writes a folder for each, pages for all of them, and the exit code is the worst. With
    --discover all that can be built by name are judged, and the others are listed with the reason.
    """
    config = read_config(Path.cwd())
    said = (read_options(options), environment(os.environ))
    if options["show_config"]:
        click.echo("\n".join(describe_settings(config, *said)))
        return 0
    package = options.pop("discover")
    runs = plan_runs((*targets, *(_discover(package) if package else ())), options, config, *said)
    output = Output.of(
        options,
        several=len(runs) > 1,
        selected=any(one.plan.select for one in runs),
        stored=all(one.plan.store is not None and one.plan.store.is_nearest(Path.cwd()) for one in runs),
    )
    for run in runs:
        check_gather(run.plan)
    if any(is_attached(one.plan) for one in runs):
        return _run_in_job(runs, output, options["gather"] or "")
    output.prepare()
    codes: list[int] = []
    refused: dict[Any, str] = {}
    judge = partial(_judge_if_bound, refused) if package else _judge
    for run in runs:
        code = run_verb(judge, run, output, options["baseline"])
        codes += [code] * (run.plan.target not in refused)
        if code == exits.INTERRUPTED:
            break
    code = _write_files(output.close, worst_exit(codes))
    _list_refused(refused, len(runs))
    return code


def _run_in_job(runs: Sequence[PlannedRun], output: Output, gather: str) -> int:
    """Judge targets in the ranks of a job: the first one alone speaks and writes, all end alike."""
    with attached_process(gather) as leads:
        if leads:
            output.prepare()
        codes = [run_verb(_judge_in_job, run, output if leads else None) for run in runs]
        code = worst_exit(codes)
        code = _write_files(output.close, code) if leads else code
        sys.stdout.flush()
    os._exit(code)  # at once: a launcher ends the ranks that end later than the first


def _judge_in_job(run: PlannedRun, output: Output | None) -> int:
    if output is None:
        return exit_code(run_attached(run.plan).to_dict())
    with open_progress(colour=output.colour) as progress:
        report = run_attached(run.plan, progress).to_dict()
    return _write_files(partial(output.take, report), exit_code(report))


def _discover(package: str) -> list[str]:
    """Return the targets of a package or of a directory; none is a mistake."""
    from samplercheck.targets.discovery import discover_folder, discover_package

    folder = Path(package)
    found = discover_folder(folder) if folder.is_dir() else discover_package(package)
    if not found:
        what = f"the directory {package!r}" if folder.is_dir() else repr(package)
        raise UsageError(
            f"{what} defines no class that comes from torch's Sampler or IterableDataset: name another "
            "package, or what builds a sampler, as in samplercheck run package.module:function."
        )
    return found


def _judge_if_bound(refused: dict[Any, str], run: PlannedRun, *rest: Any) -> int:
    """Judge a target that was found; one that cannot be built by name is noted with the reason."""
    try:
        return _judge(run, *rest)
    except TargetError as error:
        refused[run.plan.target] = _say_briefly(error)
        return exits.NOTHING


def _say_briefly(error: TargetError) -> str:
    """Return the first line of an error and, where what it announces comes below, the last one as well."""
    first, _, rest = str(error).partition("\n")
    return f"{first} {rest.splitlines()[-1].strip()}" if rest and first.endswith(":") else first


def _list_refused(refused: dict[Any, str], found: int) -> None:
    if refused:
        click.echo(f"\nNot judged: {len(refused)} of {pluralise(found, 'target')} found here.", err=True)
    for name, why in refused.items():
        click.echo("\n".join([f"  {printable(name)}", *wrap(why, indent=4, most=3)]), err=True)


def _judge(run: PlannedRun, output: Output, baseline: bool) -> int:  # noqa: FBT001  (called through ``run_verb``)
    from samplercheck.running.supervised import run_supervised

    plan, known = settle_known(run, run_supervised)
    with open_progress(colour=output.colour) as progress:
        report = run_supervised(plan, progress)
    if baseline:
        from samplercheck.running.replaying import compare_with_known, replay_all  # which imports numpy

        report = compare_with_known(report, plan, replay_all)
    code = worst_exit([known, exit_code(report)])
    return _write_files(partial(output.take, report), code)


def _write_files(write: Callable[[], None], code: int) -> int:
    """Return the exit code when files are written: what the screen shows stays the verdict."""
    try:
        write()
    except StoreError as error:
        complain(error)
        return code or exits.FAULT
    return code
