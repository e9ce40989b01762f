"""``samplercheck selftest``: planted faults and sound samplers, judged on this machine.

Imports torch when the verb is used.
"""

from __future__ import annotations

import time

import click

from samplercheck.cli.main import EXIT_FAULT
from samplercheck.values.layout import WIDTH, cut


@click.command(short_help="Find planted bugs: can this installation see?")
def command() -> int:
    """Plant faults into samplers that come with the kit: every fault must be seen, no sound one accused."""
    from samplercheck.certifying.selftest import selftest

    started = time.monotonic()
    told = []
    for one in selftest():
        told.append(one)
        click.echo(cut(f"{'ok' if one.ok else 'FAILED':7} {one.law:7} {one.name:27} {one.says}", WIDTH))
    blind = sum(not one.ok for one in told)
    seconds = f"{time.monotonic() - started:.1f} s"
    if blind:
        click.echo(f"\nThis installation cannot be trusted: {blind} of {len(told)} are wrong. {seconds}")
        return EXIT_FAULT
    click.echo(f"\nThis installation sees: {len(told)} of {len(told)} are as they should be. {seconds}")
    return 0
