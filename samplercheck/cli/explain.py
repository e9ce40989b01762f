"""``samplercheck explain``: the page of one law, from the law itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from samplercheck.reports.text import printable, wrapped

if TYPE_CHECKING:
    from samplercheck.laws.law import Law

__all__ = ["command"]


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
    lines = [f"{law.code} {printable(law.name)}", "", *wrapped(_prose(law.statement), indent=2)]
    breaks = "Advice: it never breaks a run." if law.advice else law.consequence
    for title, text in (
        ("When it is broken", breaks),
        ("Why it matters in training", law.why),
        ("How to fix it", law.fix),
        ("When it is intended", law.intended),
        ("What it looks at", f"experiments: {', '.join(law.reads)}"),
    ):
        if text:
            lines += ["", title, *wrapped(_prose(text), indent=2)]
    return lines


def _prose(text: str) -> str:
    return printable(" ".join(text.split()))
