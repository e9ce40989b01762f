"""``samplercheck laws``: the list of all laws, from the laws themselves."""

from __future__ import annotations

import click

from samplercheck.reports.text import printable, wrap

__all__ = ["command"]


@click.command(short_help="List the laws with their statements.")
def command() -> int:
    """List the laws of this version: code, name and statement."""
    from samplercheck.laws import ALL_LAWS

    for law in ALL_LAWS:
        note = " (advice)" if law.advice else ""
        click.echo(f"{law.code:<7}{printable(law.name)}{note}: {printable(law.consequence)}")
        for line in wrap(printable(law.statement), indent=7):
            click.echo(line)
    click.echo("\nsamplercheck explain CODE says more of one.")
    return 0
