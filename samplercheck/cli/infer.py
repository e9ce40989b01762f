"""``samplercheck infer``: the strictest contract that a target keeps, ready to paste.

Imports torch, in this process, once its options have been read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.screen import open_progress, show
from samplercheck.cli.values import axes_from, axis_option, colour_option, contract_from, contract_option
from samplercheck.values import exits
from samplercheck.values.layout import after_colon, printable, row, wrap
from samplercheck.values.report import as_option, say_doubt
from samplercheck.values.wording import join_words, pluralise

if TYPE_CHECKING:
    from samplercheck.engine.contracts import Inference, Refuted

COLUMN = 30
WEAKER = "Paste what is weaker only where you mean it: a bug may have written it."
SCOPE = "{cases} in simulated ranks, {asked}; run tries more"
NONE_FITS = "It breaks this contract, and shows no sign of another one:"
BROKEN = "Broken under it:"
STILL = "Broken under it, too; fix that first:"
EXCUSES = "It would excuse what a bug may have written; declare it only if that is meant:"
SEEMS = "It seems to {signs}:"


@click.command()
@click.argument("target")
@contract_option("Keep this field of the contract as given.")
@axis_option()
@click.option("--profile", default="quick", show_default=True, help="The profile whose small cases check it.")
@click.option("--seed", default=0, show_default=True, help="Seed of the search.")
@colour_option
def command(target: str, **options: Any) -> int:
    """Propose the strictest contract that TARGET keeps, with what refuted stricter ones.

    It begins with the default contract, gives up as few promises as it must, and then tries what
    is stricter. The exit code is 1 if no contract describes the target, or if it breaks a law that none
    excuses, and 3 if laws stay undecided.
    """
    contract, axes = contract_from(options["contract"]), axes_from(options["axis"])
    from samplercheck.engine.plan import Plan, target_of
    from samplercheck.running.inferring import inference_of

    with open_progress(colour=not options["no_color"]) as progress:
        found = inference_of(
            target_of(Plan(target=target, contract=contract, axes=axes, changes=True)),
            seed=options["seed"],
            profile=options["profile"],
            progress=progress,
        )
    show("\n".join(_lines(found)), colour=not options["no_color"])
    if found.left or found.excused or found.anyway:
        return exits.BROKEN
    return exits.UNDECIDED if found.unsure else 0


def _lines(found: Inference) -> Iterator[str]:
    yield printable(found.target)
    yield ""
    if found.signs:
        yield from wrap(printable(SEEMS.format(signs=join_words(found.signs))), indent=2)
        yield ""
    if found.left and not found.signs:
        yield from wrap(NONE_FITS, indent=2)
        yield ""
    yield from _contract(found)
    if found.weaker:  # to be asked before the contract is pasted
        yield from ("", *wrap(say_doubt(found.doubted) if found.doubted else WEAKER, indent=2))
    for broken, title in ((found.excused, EXCUSES), (found.left, STILL if found.signs else BROKEN)):
        if broken:
            yield from ("", *wrap(title, indent=2))
            yield from _list_broken(broken)
    if not (found.left or found.excused):
        yield from _list_refutations(found)
    if found.anyway:
        yield from ("", "  broken, whatever is promised")
        yield from _list_broken(found.anyway)
    yield ""
    if found.promises:
        yield from row(
            "as an option",
            f"--contract {as_option({one.field: one.value for one in found.promises})}",
            column=COLUMN,
        )
    for code, reason in found.unsure.items():
        yield from row(f"undecided {code}", after_colon(reason), column=COLUMN)
    cases, asked = pluralise(found.cases, "case"), pluralise(found.asked, "contract")
    yield from row("tried", SCOPE.format(cases=cases, asked=asked), column=COLUMN)


def _list_refutations(found: Inference) -> Iterator[str]:
    refuted = [one.refuted for one in found.promises if one.refuted is not None]
    for title, several in (("refuted", refuted), ("stricter, and refuted too", found.stricter)):
        if several:
            yield from ("", f"  {title}")
        for one in several:
            yield f"    {printable(one.promise)}"
            yield from _list_broken((one,), indent=6)


def _contract(found: Inference) -> Iterator[str]:
    """Yield the contract as one pastes it, a promise a line."""
    if not found.promises:
        yield "    sc.Contract()"
        return
    yield "    sc.Contract("
    for one in found.promises:
        yield f"        {one.field}={one.value!r}," + ("  # weaker than the default" if one.is_weaker else "")
    yield "    )"


def _list_broken(broken: tuple[Refuted, ...], indent: int = 4) -> Iterator[str]:
    for one in broken:
        seen = f"{one.code} {one.name} in {one.token}: {after_colon(one.found)}"
        yield from wrap(printable(seen), indent=indent, most=3)
