"""``samplercheck drill``: kills a training command at chosen steps, and compares what it is trained on.

The command runs in processes of its own, of which none is left; this one imports no torch.
"""

from __future__ import annotations

import os
import shlex
import signal
from pathlib import Path
from typing import Any

import click

from samplercheck.cli.output import Output, report_options
from samplercheck.cli.values import colour_option, contract_from, contract_option
from samplercheck.values.contract import Contract
from samplercheck.values.errors import UsageError

SIGNALS = ("KILL", "TERM")


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--kills", default=5, show_default=True, type=click.IntRange(1, 1000), help="How many trainings to kill."
)
@click.option("--at", multiple=True, metavar="STEP", help="Kill there instead: 17, 17+, 17/4 (twice).")
@click.option("--seed", default=0, show_default=True, help="Seed by which the steps are chosen.")
@click.option("--again", metavar="CMD", help="The command that resumes, if it is a different one.")
@click.option("--resume-world", type=click.IntRange(min=1), metavar="N", help="Resume with this many ranks.")
@click.option(
    "--signal",
    "number",
    default="KILL",
    show_default=True,
    type=click.Choice(SIGNALS),
    help="The signal that is sent; a job may answer TERM.",
)
@click.option(
    "--promise",
    type=click.Choice(("same-order", "once")),
    help="What must be the same; the default is what two undisturbed runs keep.",
)
@click.option("--patience", default=300.0, show_default=True, help="Seconds of silence that count as a hang.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep ledgers, checkpoints and output there.",
)
@contract_option("What the loader promises, as for run.")
@click.option("--length", type=click.IntRange(min=0), help="Samples of an epoch, as for audit.")
@report_options
@colour_option
@click.argument("words", metavar="COMMAND", nargs=-1, required=True, type=click.UNPROCESSED)
def command(words: tuple[str, ...], **options: Any) -> int:
    """Run the training COMMAND undisturbed; then kill it at chosen steps and start it again.

    As in: samplercheck drill -- torchrun --nproc-per-node 2 train.py --output {dir}. It has to be a small
    job of a few epochs that saves checkpoints and goes on from them. {dir} is a directory of each training;
    without it each runs in a copy of the current directory.
    """
    if os.name != "posix":
        raise UsageError(
            "A drill ends whole groups of processes, which Windows does not have: run it on Linux or macOS, "
            "or in WSL."
        )
    from samplercheck.training.drills import Drill, carry_out
    from samplercheck.training.drills.kills import Kill

    output = Output.of(options)
    output.prepare()
    asked = Drill(
        words=words,
        again=tuple(shlex.split(options["again"] or "")),
        kills=options["kills"],
        at=tuple(map(Kill.parse, options["at"])),
        seed=options["seed"],
        world=options["resume_world"],
        signal=getattr(signal, f"SIG{options['number']}"),
        promise=options["promise"],
        contract=Contract.of(contract_from(options["contract"])),
        length=options["length"],
        keep=options["keep"],
        patience=options["patience"],
    )
    return output.show_alone(carry_out(asked, lambda text: click.echo(text, err=True)).to_dict())
