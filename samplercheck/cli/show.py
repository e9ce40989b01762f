"""``samplercheck show``: one case in simulated ranks, drawn; it judges nothing.

Imports torch, in this process, once its options have been read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.screen import show
from samplercheck.cli.values import axes_from, axis_option, colour_option, contract_from, contract_option
from samplercheck.values.case import Case
from samplercheck.values.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from samplercheck.explain.pictures.shown import Shown
    from samplercheck.targets.target import Target
    from samplercheck.values.trace import Trace

DEFAULT_LENGTH = 10
DEFAULT_RANKS = 2
FIELDS = ("length", "world_size", "batch_size", "shuffle", "drop_last", "seed", "epochs")
KNOBS = ("batch_size", "shuffle", "drop_last", "seed")


@click.command()
@click.argument("target")
@click.option("-n", "--length", type=int, help=f"Samples in the dataset; the default is {DEFAULT_LENGTH}.")
@click.option("-w", "--world-size", type=int, help=f"Ranks; the default is {DEFAULT_RANKS}.")
@click.option("-b", "--batch-size", type=int, help="Samples in a batch.")
@click.option("--shuffle", is_flag=True, default=None, help="Shuffle the samples.")
@click.option("--drop-last", is_flag=True, default=None, help="Drop a tail that ranks cannot share.")
@click.option("--seed", type=int, help="Seed of the shuffle; the default is 0.")
@click.option("--epochs", type=int, help="Epochs to draw; the default is 3.")
@click.option("--case", "token", metavar="TOKEN", help="A whole case instead: n=3,world=2,batch=1.")
@contract_option()
@axis_option("The value of a parameter of the target.", metavar="NAME=VALUE")
@click.option("--experiment", default="epochs", show_default=True, help="What the ranks do.")
@click.option("--html", metavar="FILE", help="Write the same with pictures as one page, too.")
@colour_option
def command(target: str, **options: Any) -> int:
    """Run one case of TARGET in simulated ranks and draw who gets which sample.

    It shows and does not judge: that is what `samplercheck run` does.
    """
    given = {name: options[name] for name in FIELDS if options[name] is not None}
    if options["token"] is not None and given:
        raise UsageError(f"--case says all of the case: leave {', '.join(given)} out, or --case.")
    plain = {"length": DEFAULT_LENGTH, "world_size": DEFAULT_RANKS, **given}
    case = Case(**plain) if options["token"] is None else Case.parse(options["token"])
    contract, axes = contract_from(options["contract"]), axes_from(options["axis"])
    from samplercheck.engine.plan import Plan, target_of
    from samplercheck.explain.pictures.shown import show_case

    found = target_of(Plan(target=target, contract=contract, axes=axes, changes=True))
    case = case.but(options=_options(found, case))
    trace = _trace(found, case, options["experiment"])
    idle = [name for name in KNOBS if name in given and name not in trace.named]
    view = show_case(found.name, found.contract.text, trace, options["experiment"], idle)
    show("\n".join(view.lines), colour=not options["no_color"])
    if options["html"] is not None:
        _write(view, Path(options["html"]))
    return int(not trace.is_whole)


def _options(target: Target, case: Case) -> dict[str, Any]:
    """Return the value of each axis: the case's own, or the first of the axis."""
    values: dict[str, Any] = {}
    known = dict(case.options)
    for name in known:
        if name not in target.axes:
            raise UsageError(f"{name!r} in the case is no axis of {target.name}. Add --axis {name}=VALUE.")
    for name, axis in target.axes.items():
        if name not in known and not isinstance(axis, (list, tuple, range)):
            raise UsageError(f"Axis {name!r} of {target.name} is drawn at random: add --axis {name}=VALUE.")
        values[name] = known[name] if name in known else axis[0]
    return values


def _trace(target: Target, case: Case, experiment: str) -> Trace:
    """Run the experiment, after those that come before it in a run, so that it meets the same process."""
    from samplercheck.engine import refuse_shared_place
    from samplercheck.experiments import EXPERIMENTS
    from samplercheck.worlds import open_simulation

    if experiment not in EXPERIMENTS:
        raise UsageError(f"Experiment {experiment!r} does not exist. {did_you_mean(experiment, EXPERIMENTS)}")
    names = list(EXPERIMENTS)
    binding = target.bind()
    refuse_shared_place(binding, case.options)
    with open_simulation() as world:
        return world.trace(binding, case, names[: names.index(experiment) + 1])


def _write(view: Shown, path: Path) -> None:
    """Write the page, whole or not at all, and say where it is."""
    from samplercheck.reports.page import render_shown
    from samplercheck.storage.report_file import save_text

    save_text(render_shown(view), path, "page", "Name a file in a directory with room.")
    click.echo(f"\nthe same with pictures: {path}", err=True)
