"""``samplercheck selftest``: planted faults and sound samplers, judged on this machine.

Imports torch when the verb is used.
"""

from __future__ import annotations

import time

import click

from samplercheck.values import exits
from samplercheck.values.layout import WIDTH, cut


@click.command()
def command() -> int:
    """Plant known bugs into samplers of this package: each bug must be found, and no correct sampler fail."""
    from samplercheck.certifying.selftest import selftest

    started = time.monotonic()
    told = []
    for one in selftest():
        told.append(one)
        click.echo(cut(f"{'ok' if one.ok else 'FAILED':7} {one.law:7} {one.name:27} {one.says}", WIDTH))
    blind = sum(not one.ok for one in told)
    seconds = f"{time.monotonic() - started:.1f} s"
    if blind:
        click.echo(f"\nDo not trust this installation: {blind} of {len(told)} checks failed. {seconds}")
        return exits.FAULT
    click.echo(f"\nThis installation detects known bugs: all {len(told)} checks passed. {seconds}")
    return 0
