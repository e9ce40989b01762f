"""``samplercheck audit``: judges what a training job was really trained on, by the ledgers that it wrote.

Runs nothing of the user's and imports no torch; numpy reads the ledgers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from samplercheck.cli.output import Output, report_options
from samplercheck.cli.values import colour_option, contract_from, contract_option
from samplercheck.values.contract import Contract


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@contract_option("What the loader promises, as for run.")
@click.option(
    "--length", type=click.IntRange(min=0), help="Samples of an epoch, if no sampler of torch tells."
)
@report_options
@colour_option
def command(folder: Path, **options: Any) -> int:
    """Judge what a job was trained on, by the ledgers of all its ranks and attempts in DIR.

    They are written by sc.watch(loader, ledger=DIR). What an attempt did after the checkpoint that a later
    one went on from does not count.
    """
    from samplercheck.training.audit import audit

    output = Output.of(options)
    output.prepare()
    contract = Contract.of(contract_from(options["contract"]))
    return output.show_alone(audit(folder, contract, length=options["length"]).to_dict())
