"""``samplercheck audit``: judges what a training job was really trained on, by the ledgers that it wrote.

Runs nothing of the user's and imports no torch; numpy reads the ledgers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from samplercheck.cli.output import FORMATS, Output
from samplercheck.cli.values import contract_from, contract_option
from samplercheck.reports.standing import exit_code
from samplercheck.values.contract import Contract


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@contract_option("What the loader promises, as for run.")
@click.option(
    "--length", type=click.IntRange(min=0), help="Samples of an epoch, if no sampler of torch says it."
)
@click.option("--report", type=click.Path(path_type=Path), metavar="DIR", help="Write the report there.")
@click.option("--format", "style", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True)
@click.option("-v", "--verbose", is_flag=True, help="Whole blocks and all that was read: --format full.")
@click.option("--no-color", is_flag=True, help="No colour; NO_COLOR does the same.")
def command(folder: Path, **options: Any) -> int:
    """Judge the history of a job by the ledgers in DIR, of all its ranks and attempts.

    They are written by sc.watch(loader, ledger=DIR). What an attempt did after the checkpoint that a later
    one went on from does not count.
    """
    from samplercheck.training.audit import audit

    output = Output.of(options)
    output.prepare()
    report = audit(
        folder, Contract.of(contract_from(options["contract"])), length=options["length"]
    ).to_dict()
    output.take(report)
    output.close()
    return exit_code(report)
