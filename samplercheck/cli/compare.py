"""``samplercheck compare``: two samplers, or one in two installed versions, asked the same.

Imports torch, in this process, once its options have been read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.screen import columns, show
from samplercheck.cli.values import axes_from, axis_option, colour_option, contract_from, contract_option
from samplercheck.values import exits
from samplercheck.values.layout import row
from samplercheck.values.wording import join_words, pluralise

if TYPE_CHECKING:
    from samplercheck.running.comparing.comparison import Aspect, Comparison

COLUMN = 24


@click.command()
@click.argument("old")
@click.argument("new", required=False)
@click.option("--old-python", metavar="PROGRAM", default="", help="The interpreter that has OLD.")
@click.option("--cases", type=click.IntRange(min=1), metavar="NUMBER", help="Compare only this many cases.")
@click.option("--profile", default="quick", show_default=True, help="Whose small scope is compared.")
@contract_option("What both promise, as for run.")
@axis_option("Values of a parameter of both.")
@colour_option
def command(old: str, new: str | None, **options: Any) -> int:
    """Compare OLD with NEW: lengths, coverage, order, and the states of each loaded by the other.

    Without NEW it is OLD itself, as it is installed here, beside the one in --old-python. Says for each
    question in how many cases they differ, the smallest such case and which cases these are. The exit code
    is 0 if they do the same, 1 if they differ, 3 if no order could be compared.
    """
    if new is None and not options["old_python"]:
        raise click.UsageError("Missing argument 'NEW'. Only with --old-python is it OLD itself.")
    contract, axes = contract_from(options["contract"]), axes_from(options["axis"])
    from samplercheck.running.comparing.comparison import compare

    found = compare(
        old,
        new or old,
        contract=contract,
        axes=axes,
        profile=options["profile"],
        most=options["cases"],
        python=options["old_python"],
    )
    show("\n".join(_lines(found, columns())), colour=not options["no_color"])
    if not found.is_alike:
        return exits.BROKEN
    return 0 if found.questions["order"].compared else exits.UNDECIDED


def _lines(found: Comparison, width: int) -> Iterator[str]:
    rows = [
        ("OLD", found.old.words),
        ("NEW", found.new.words),
        ("tried", f"{pluralise(found.cases, 'case')} in simulated ranks: {found.scope}"),
        *(("note", note) for note in found.notes),
        (_verdict(found), ""),
    ]
    for label, text in rows:
        yield from row(label, text, indent=0, column=COLUMN, width=width) or ["", label, ""]
    for question in found.questions.values():
        for label, text in _answer(question):
            yield from row(label, text, column=COLUMN, width=width)


def _verdict(found: Comparison) -> str:
    different = [question.label for question in found.questions.values() if question.different]
    if different:
        return f"DIFFERENT in {join_words(different)}"
    return "ALIKE" if found.questions["order"].compared else "UNDECIDED: no order could be compared"


def _answer(question: Aspect) -> Iterator[tuple[str, str]]:
    if not question.different:
        alike = f"alike in {pluralise(question.compared, 'case')}" if question.compared else "not compared"
        yield question.label, alike
        return
    yield question.label, f"different in {question.different} of {pluralise(question.compared, 'case')}"
    assert question.smallest is not None
    yield "  which", question.region
    yield "  smallest case", question.smallest.token
    yield "  there", question.found
