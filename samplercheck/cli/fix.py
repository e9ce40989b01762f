"""``samplercheck fix``: a wrapper under which the laws hold that a target breaks, tried before it is printed.

The process that runs this imports neither torch nor the target: every run is supervised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from samplercheck.cli.asking import plan_one
from samplercheck.cli.screen import columns, open_progress, show
from samplercheck.cli.values import axis_option, colour_option, contract_option
from samplercheck.explain.remedies import Remedy
from samplercheck.reports.headline import verdict_lines
from samplercheck.reports.standing import Plain, exit_code, proposal_of
from samplercheck.reports.verdict import verdict_of
from samplercheck.values import exits
from samplercheck.values.errors import UsageError
from samplercheck.values.layout import row
from samplercheck.values.wording import join_words, pluralise

if TYPE_CHECKING:
    from samplercheck.running.fixing import Fix, TriedWrapper

COLUMN = 12
ORDER = (
    "the wrapper takes from it which samples an epoch has and puts them in an order of its own: batches that "
    "it makes of samples of like length or label are lost"
)
NONE_HOLDS = "none of {tried} keeps all laws, and none is printed that breaks one which the target keeps"
NOTHING_KNOWN = "no wrapper is known that could help: it must be a sampler that a file can import by its name"


@click.command()
@click.argument("target")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write it to a new file.")
@click.option("--profile", help="quick, standard (the default), strict or nightly.")
@click.option(
    "--world", "worlds", multiple=True, metavar="NAMES", help="Where ranks run: auto, simulated, gloo, nccl."
)
@click.option("--select", multiple=True, metavar="LAW", help="Only this law or family: SC104, SC1.")
@click.option("--skip", multiple=True, metavar="LAW=REASON", help="Leave a law out, and say why.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the large search; the default is 0.")
@contract_option()
@axis_option()
@click.option("--strict", is_flag=True, help="Count advice of the grade strict as failures.")
@colour_option
def command(target: str, output: Path | None, **options: Any) -> int:
    """Find what is wrong with TARGET and print a wrapper under which all laws hold.

    A wrapper is a small class of plain torch code around TARGET. It is run by the same laws, contract and
    profile as TARGET before it is printed, and not printed where it breaks a law that TARGET keeps. Where
    laws stay broken under it, they are named. No file of yours is changed. The exit code is 0 if all laws
    hold with the wrapper, or without one, and 1 if some stay broken.
    """
    if output is not None and output.exists():
        raise UsageError(f"--output {str(output)!r} exists, and nothing is written over: name another file.")
    run = plan_one(target, options)
    from samplercheck.running.fixing import find_fix

    with open_progress(colour=not options["no_color"]) as progress:
        found = find_fix(run.plan, progress)
    width = columns()
    lines = verdict_lines(verdict_of(found.before), width=width)
    for label, text in _tell(found):
        lines += row(label, text, indent=0, column=COLUMN, width=width)
    show("\n".join(lines), colour=not options["no_color"])
    if found.best is None:
        return exit_code(found.before)
    _deliver(found.best, output)
    return 0 if found.best.holds else exit_code(found.before)


def _describe(found: Fix) -> str:
    if exit_code(found.before) != exits.BROKEN:
        return "there is nothing to fix"
    if found.best is not None:
        return _result(found.best)
    return NONE_HOLDS.format(tried=pluralise(found.tried, "wrapper")) if found.tried else NOTHING_KNOWN


def _tell(found: Fix) -> Iterator[tuple[str, str]]:
    """Yield what was tried: all wrappers in few cases, some by a profile; and what came of it."""
    if found.tried:
        yield "tried", f"{pluralise(found.tried, 'wrapper')} in the cases that failed"
    for number, one in enumerate(found.rounds, start=1):
        yield "", f"{number}. in the profile {one.profile}: {one.does}; {_name_left(one.left)}"
    yield "wrapper", _describe(found)
    if found.best is not None:
        if Remedy.ORDERED.value in found.best.remedies:  # no law knows what an order is for
            yield "order", ORDER
        yield "contract", _name_contract(found.before)


def _name_left(left: Sequence[str] | None) -> str:
    if left is None:
        return "cannot be judged"
    return f"does not keep {join_words(left)}" if left else "keeps all laws"


def _name_contract(before: Plain) -> str:
    """Say that a wrapper keeps the contract of the run, where the target seems to keep another one."""
    proposal = proposal_of(before)
    if not proposal["words"]:
        return ""
    meant = f"to {join_words(list(proposal['signs']))}" if proposal["signs"] else "otherwise"
    return (
        f"the wrapper keeps the contract of this run; if the target is meant {meant}, "
        f"add --contract {proposal['words']}"
    )


def _result(trial: TriedWrapper) -> str:
    laws = sum(one["outcome"] == "holds" for one in trial.report["results"])
    cases = sum(one["cases"] for one in trial.report["tried"])
    where = f"in {cases:,} cases of the profile {trial.report['profile']}"
    if trial.holds:
        return f"with it all {pluralise(laws, 'law')} hold {where}"
    breaks = "breaks" if len(trial.still) == 1 else "break"
    return f"with it {join_words(trial.still)} still {breaks}, and {laws} laws hold {where}"


def _deliver(trial: TriedWrapper, output: Path | None) -> None:
    if output is None:
        click.echo(f"\n{trial.text}", nl=False)
        return
    from samplercheck.storage.report_file import save_text

    save_text(trial.text, output)
    click.echo(f"wrote {output}")
