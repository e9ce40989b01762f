"""``samplercheck laws`` and ``samplercheck explain``: all laws as a list, and the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from samplercheck.values.layout import printable, wrap

if TYPE_CHECKING:
    from samplercheck.laws.law import Law


@click.command("laws", short_help="List the laws with their statements.")
def list_laws() -> int:
    """List the laws of this version: code, name and statement."""
    from samplercheck.laws import ALL_LAWS

    for law in ALL_LAWS:
        note = " (advice)" if law.advice else ""
        click.echo(f"{law.code:<7}{printable(law.name)}{note}: {printable(law.consequence)}")
        for line in wrap(printable(law.statement), indent=7):
            click.echo(line)
    click.echo("\nsamplercheck explain CODE says more of one.")
    return 0


@click.command(short_help="The page of one law.")
@click.argument("code")
def command(code: str) -> int:
    """Say what a law demands, why it matters, how to fix and how to declare.

    CODE is a code or a name: SC104, equal-steps.
    """
    from samplercheck.laws.selection import find_law

    click.echo("\n".join(_page(find_law(code))))
    return 0


def _page(law: Law) -> list[str]:
    lines = [f"{law.code} {printable(law.name)}", "", *wrap(_prose(law.statement), indent=2)]
    breaks = "Advice: it never breaks a run." if law.advice else law.consequence
    for title, text in (
        ("When it is broken", breaks),
        ("Why it matters in training", law.why),
        ("How to fix it", law.fix),
        ("When it is intended", law.intended),
        ("What it looks at", f"experiments: {', '.join(law.reads)}"),
    ):
        if text:
            lines += ["", title, *wrap(_prose(text), indent=2)]
    return lines


def _prose(text: str) -> str:
    return printable(" ".join(text.split()))
