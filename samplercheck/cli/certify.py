"""``samplercheck certify``: makes a certificate of one target, or says why there is none.

The process that runs this imports neither torch nor the target: ``running.supervised`` examines it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from samplercheck.cli.asking import PlannedRun, plan_one
from samplercheck.cli.screen import columns, open_progress, show
from samplercheck.cli.streams import complain
from samplercheck.cli.values import axis_option, colour_option, contract_option
from samplercheck.engine.plan import Plan
from samplercheck.storage.atomic import check_directory
from samplercheck.values import exits
from samplercheck.values.errors import UsageError
from samplercheck.values.layout import printable, row
from samplercheck.values.wording import LATER_PHASES, join_words

ENDED = "the other phases were not tried, as they could not change that (samplercheck run {} tries them)."
EXITS = {"broken": exits.BROKEN, "undecided": exits.UNDECIDED, "blind": exits.FAULT}


@click.command()
@click.argument("target")
@click.option("--output", type=click.Path(path_type=Path), default=".", metavar="DIR", help="Write it there.")
@contract_option()
@axis_option()
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the large search; the default is 0.")
@click.option("--strict", is_flag=True, help="Count what is of the grade strict, too.")
@click.option("--allow-dirty", is_flag=True, help="Certify what is in no commit; the certificate says so.")
@click.option("-v", "--verbose", is_flag=True, help="Where it is refused: whole blocks, all that was tried.")
@colour_option
def command(target: str, **options: Any) -> int:
    """Judge TARGET by the profile certify, plant faults into it, and write a certificate.

    It takes minutes. There is no certificate if a law is broken, skipped or undecided, if a failure is
    listed as known, if a planted fault is not noticed, or if the source is in no file or no commit. What is
    of the grade strict is listed as advice; only with --strict does it count.
    """
    from samplercheck.certifying.certificate import Certificate, reasons_against
    from samplercheck.certifying.certify import now
    from samplercheck.running.supervised import examine_supervised

    plan = _fix_plan(plan_one(target, options))
    check_directory(options["output"], "--output", "Name a directory.")
    with open_progress(colour=not options["no_color"]) as progress:
        examined = examine_supervised(plan, progress, allow_dirty=options["allow_dirty"])
    reasons = reasons_against(examined)
    if reasons:
        axes = [f"--axis {shlex.quote(one)}" for one in options["axis"]]
        _refuse(examined, reasons, axes, verbose=options["verbose"], colour=not options["no_color"])
        return exits.INTERRUPTED if examined["report"]["interrupted"] else EXITS[reasons[0][0]]
    certificate = Certificate.of(examined, now())
    path = certificate.save(options["output"])
    click.echo("\n".join(_lines(examined, path)))
    return 0


def _fix_plan(run: PlannedRun) -> Plan:
    """Return the plan that every certificate has; refuse what makes a run say less than everything."""
    left = {
        "leaves laws out": [*run.plan.skip, *run.plan.select],
        "declares known failures": list(run.known),
    }
    for what, laws in left.items():
        if laws:
            raise UsageError(
                f"{run.plan.name} cannot be certified: its configuration {what} ({', '.join(laws)}), "
                "and a certificate is about all laws. Remove that from pyproject.toml."
            )
    if run.plan.shard is not None:
        raise UsageError(
            f"{run.plan.name} cannot be certified: {run.plan.shard.text} is a part of the cases, and a "
            "certificate is about all of them. Remove shard from pyproject.toml and SAMPLERCHECK_SHARD."
        )
    return replace(run.plan, profile="certify", worlds=None, max_time=None, max_cases=None)


def _refuse(
    examined: dict[str, Any],
    reasons: list[tuple[str, str]],
    axes: Sequence[str],
    *,
    verbose: bool,
    colour: bool,
) -> None:
    """Show what is broken, and say why there is no certificate: of several broken laws in one sentence."""
    if reasons[0][0] != "blind":
        show(_screen(examined["report"], verbose=verbose), colour=colour)
    report = examined["report"]
    broken = [one["code"] for one in report["results"] if one["outcome"] == "broken"]
    told = [f"{join_words(broken)} are broken"] if broken[1:] else []
    told += [text for kind, text in reasons if not (told and kind == "broken")]
    for text in told:
        complain(f"no certificate: {text}.")
    if any(text.startswith(LATER_PHASES) for text in report["not_tried"]):
        complain(ENDED.format(printable(" ".join([report["target"], *_name_contract(report), *axes]))))


def _name_contract(report: dict[str, Any]) -> list[str]:
    """Return how the command line names the contract of a report; nothing where it cannot."""
    from samplercheck.reports.remedy import name_contract

    words = name_contract(report["contract"])
    return [words] if words.startswith("--") else []


def _screen(report: dict[str, Any], *, verbose: bool) -> str:
    if verbose:
        from samplercheck.reports.terminal import full

        return full(report, stored=False)
    from samplercheck.reports.brief import brief

    return brief(report, width=columns())


def _lines(examined: dict[str, Any], path: Path) -> list[str]:
    from samplercheck.certifying.statement import SCOPE_FILE
    from samplercheck.reports.standing import describe_advice

    sensitivity, tree = examined["sensitivity"], examined["tree"]
    held = sum(one["outcome"] == "holds" for one in examined["report"]["results"])
    commit = f", commit {tree['commit'][:12]}" if tree["commit"] else ""
    told = [
        ("CERTIFIED", f"{examined['report']['target']} by {examined['report']['profile']}"),
        ("contract", " ".join(_name_contract(examined["report"])) or examined["report"]["contract"]),
        ("laws", f"{held} hold"),
        *(
            ("advice", f"{one['code']} {one['name']}: {describe_advice(one)}")
            for one in examined["report"]["results"]
            if one["advice"]
        ),
        *(("tried", f"{one['cases']:,} cases, {one['scope']}") for one in examined["phases"]),
        ("noticed", f"{sensitivity['caught']} of {sensitivity['planted']} faults planted into it"),
        ("source", f"{len(examined['sources'])} files{commit}"),
        ("DIRTY", ", ".join(tree["changed"])),
        ("written", f"{path} and {SCOPE_FILE} beside it"),
        ("next", f"samplercheck verify {path}"),
    ]
    return [line for label, text in told for line in row(label, printable(text), indent=0, column=12)]
