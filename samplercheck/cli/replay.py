"""``samplercheck replay``: runs stored failures, or cases named by a token, again.

The process that runs this imports neither torch, numpy nor hypothesis: each run has a child process.
"""

from __future__ import annotations

import time
from pathlib import Path

import click

from samplercheck.cli.complaints import complain
from samplercheck.cli.run import worst_exit
from samplercheck.cli.screen import show
from samplercheck.cli.values import contract_from
from samplercheck.values.errors import UsageError

EXIT_NOTHING = 5


@click.command(short_help="Run stored failures again: are they fixed?")
@click.argument("what", metavar="[ID / TOKEN / FILE / DIR]", required=False)
@click.option("--target", metavar="TARGET", help="Run this one, whatever the files say.")
@click.option("--contract", multiple=True, metavar="FIELD=VALUE", help="Of what a TOKEN is replayed for.")
@click.option("--world", metavar="NAME", help="Where its ranks run: simulated, gloo or nccl.")
@click.option("--strict", is_flag=True, help="What is of the grade strict fails, too.")
@click.option("--prune", is_flag=True, help="Remove what is fixed from its file, and empty files.")
@click.option(
    "--emit-test", type=click.Path(path_type=Path), metavar="FILE", help="Write a regression test for pytest."
)
@click.option("--no-color", is_flag=True, help="No colour; NO_COLOR does the same.")
def command(
    what: str | None,
    target: str | None,
    contract: tuple[str, ...],
    world: str | None,
    *,
    strict: bool,
    prune: bool,
    emit_test: Path | None,
    no_color: bool,
) -> int:
    """Run failures again, three times in fresh processes each.

    Without an argument all that are stored in the nearest .samplercheck, upwards; else the ID of a
    stored case, its FILE, a DIR of such files, or a TOKEN such as "SC104?n=3,world=2,batch=1" (with
    --target).
    """
    from samplercheck.reports.replayed import replay_line, replay_summary
    from samplercheck.running.replaying import cases_of, replay_all, select_cases
    from samplercheck.storage.store import Store

    started, store, changes = time.monotonic(), Store.nearest(Path.cwd()), contract_from(contract)
    subjects = select_cases(cases_of(what, store), target)
    if not subjects:
        complain(f"no failing case is stored in {what or store.directory}: nothing to replay.")
        return EXIT_NOTHING
    if emit_test is not None and emit_test.exists():
        raise UsageError(f"--emit-test {str(emit_test)!r} exists, and nothing is written over: name another.")
    verdicts = replay_all(subjects, target, changes, store.project, world, strict=strict)
    for verdict in verdicts:
        show(replay_line(verdict), colour=not no_color)
    code = worst_exit([one.exit_code for one in verdicts])
    show(replay_summary(verdicts, time.monotonic() - started, code), colour=not no_color)
    if emit_test is not None:
        from samplercheck.running.replaying import regression_test
        from samplercheck.storage.report_file import save_text

        save_text(regression_test(verdicts, world), emit_test)
        left = sum(not one.runs for one in verdicts)
        click.echo(f"wrote {emit_test}{f', without {left} that could not be run' if left else ''}")
    if prune:
        from samplercheck.running.replaying import prune_fixed

        for line in prune_fixed(verdicts):
            click.echo(line)
    return code
