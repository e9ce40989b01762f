"""``samplercheck verify``: whether a certificate can be believed; torch is not waited for.

Imports the kit's values alone, but for a rerun, which belongs to ``running.supervised``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.values import contract_from, contract_option
from samplercheck.values import exits
from samplercheck.values.contract import Contract
from samplercheck.values.errors import UsageError
from samplercheck.values.layout import printable, row

if TYPE_CHECKING:
    from samplercheck.engine.plan import Plan

_AGE = re.compile(r"(\d{1,6})\s*(h|d|w)")
_OWN = re.compile(r"(?:^|,)\s*(frequencies|batch_rule)=([\w.]+:[\w.]+)(?=,|$)")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


@click.command()
@click.argument("certificate", type=click.Path(path_type=Path, exists=True))
@click.option("--rerun", is_flag=True, help="Judge the target again; takes minutes, runs its code.")
@click.option("--target", metavar="TARGET", help="The target that it must be about; --rerun needs it.")
@contract_option("The whole contract that it must state.")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The directory of the project, where it is not found.",
)
@click.option("--max-age", metavar="AGE", help="Refuse a certificate older than this: 90d, 12h, 4w.")
@click.option("--any-versions", is_flag=True, help="Accept other versions of packages than it names.")
def command(certificate: Path, **options: Any) -> int:
    """Check CERTIFICATE, certificate.intoto.json or its folder.

    Its two statements must be unchanged and its source that of the tree; laws, phases and planted faults
    must be those that its profile has here, and versions those of this machine. It prints which target and
    contract the certificate is about, what was tried and when: say by the options what you expect. Only a
    signature says who made it.
    """
    from samplercheck.certifying.certify import verify

    most, rerun, promised = options["max_age"], options["rerun"], _contract_of(options["contract"])
    found = verify(
        certificate,
        rerun,
        root=options["root"],
        max_age=None if most is None else age_from(most),
        any_versions=options["any_versions"],
        target=options["target"],
        contract=promised if options["contract"] else None,
        examine=_examine,
    )
    for check in found.checks:
        said = f"{'ok' if check.ok else 'REFUSED':8} {check.name}"
        click.echo("\n".join(row(said, printable(check.says), indent=0, column=26)))
    refused = dict.fromkeys(check.name for check in found.refused)
    unnamed = [name for name in ("target", "contract") if not options[name]]
    click.echo(f"NOT VERIFIED: {', '.join(refused)}" if refused else _verdict(unnamed, rerun=rerun))
    return exits.HOLDS if found.ok else exits.BROKEN


def _contract_of(words: Sequence[str]) -> Contract:
    """Return the contract that ``--contract`` states; nothing is imported for a function that it names."""
    named = {name: _Named(*place.split(":")) for word in words for name, place in _OWN.findall(word)}
    fields = contract_from(filter(None, (_OWN.sub("", word).strip(",") for word in words)))
    return Contract.of({**fields, **named})


class _Named:
    """What stands for a function that a text names."""

    def __init__(self, module: str, name: str) -> None:
        self.__module__, self.__qualname__ = module, name

    def __call__(self, *_: object) -> object:
        raise UsageError(f"{self.__module__}:{self.__qualname__} is named, and not called.")


def age_from(text: str) -> timedelta:
    """Return the time that a number and a unit stand for."""
    match = _AGE.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"--max-age {text!r} is no age: write hours, days or weeks, as in 12h, 90d or 4w.")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _examine(plan: Plan) -> dict[str, Any]:
    from samplercheck.cli.screen import open_progress
    from samplercheck.running.supervised import examine_supervised

    with open_progress(colour=True) as progress:
        return examine_supervised(plan, progress, allow_dirty=True)


def _verdict(unnamed: Sequence[str], *, rerun: bool) -> str:
    """Say that nothing was refused; and what nobody has asked for, so that any would have done."""
    flags = ", ".join(f"--{name}" for name in unnamed)
    if rerun:
        return "VERIFIED, and found again"
    text = "VERIFIED, but for who made it: see docs/certificates.md"
    return f"{text}\nAny {' and '.join(unnamed)} would have done: name yours ({flags})." if unnamed else text
