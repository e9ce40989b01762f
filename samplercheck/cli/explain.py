"""``samplercheck laws`` and ``samplercheck explain``: all laws as a list, and the page of one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from samplercheck.values.layout import printable, wrap
from samplercheck.values.site import find_site, page_of

if TYPE_CHECKING:
    from samplercheck.laws.law import Law

HISTORY = "what a job was trained on, by its ledgers: samplercheck audit, samplercheck drill"


@click.command("laws")
def list_laws() -> int:
    """List the laws of this version: code, name and statement."""
    from samplercheck.laws import ALL_LAWS
    from samplercheck.laws.history import HISTORY_LAWS

    for law in (*ALL_LAWS, *HISTORY_LAWS):
        note = " (advice)" if law.advice else ""
        click.echo(f"{law.code:<7}{printable(law.name)}{note}: {printable(law.consequence)}")
        for line in wrap(printable(law.statement), indent=7):
            click.echo(line)
    click.echo("\nsamplercheck explain CODE says more of one.")
    return 0


def _complete_code(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the codes of laws that begin so, with their names, for a shell that completes words."""
    from samplercheck.laws import ALL_LAWS
    from samplercheck.laws.history import HISTORY_LAWS

    codes = {law.code: law.name for law in (*ALL_LAWS, *HISTORY_LAWS)}
    return [CompletionItem(code, help=name) for code, name in codes.items() if code.startswith(begun.upper())]


@click.command()
@click.argument("code", shell_complete=_complete_code)
def command(code: str) -> int:
    """Say what a law demands, why it matters, how to fix it, how to declare an intention.

    CODE is a code or a name: SC104, equal-steps.
    """
    from samplercheck.laws.selection import find_law

    law = find_law(code)
    address = page_of(find_site(os.environ), law.code)
    click.echo("\n".join([*_page(law), *(["", "On the web", f"  {address}"] if address else [])]))
    return 0


def _page(law: Law) -> list[str]:
    lines = [f"{law.code} {printable(law.name)}", "", *wrap(_prose(law.statement), indent=2)]
    breaks = "Advice: it never breaks a run." if law.advice else law.consequence
    for title, text in (
        ("When it is broken", breaks),
        ("Why it matters in training", law.why),
        ("How to fix it", law.fix),
        ("When it is intended", law.intended),
        ("What it looks at", f"experiments: {', '.join(law.reads)}" if law.reads else HISTORY),
    ):
        if text:
            lines += ["", title, *wrap(_prose(text), indent=2)]
    return lines


def _prose(text: str) -> str:
    return printable(" ".join(text.split()))
