"""``samplercheck watch``: runs a training command whose loaders are watched without a line of code.

Each Python process of the command is told by its environment; nothing is installed, nothing is left behind.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from contextlib import suppress
from pathlib import Path

import click

from samplercheck.cli.streams import complain
from samplercheck.training.job import ATTEMPT
from samplercheck.training.startup import open_hook
from samplercheck.values.errors import UsageError

PATIENCE = 30.0
SIGNALLED = 128


@click.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "--ledger", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Write it there."
)
@click.option("--exact", is_flag=True, help="Keep the ids themselves, so that the audit can name them.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def command(ledger: Path, *, exact: bool, command: tuple[str, ...]) -> int:
    """Run COMMAND as it is; every DataLoader that one of its Python processes iterates is watched.

    As in: samplercheck watch --ledger DIR -- torchrun --nproc-per-node 2 train.py. The exit code is that of
    the command. Afterwards: samplercheck audit DIR.
    """
    before = set(ledger.glob("*.ledger"))
    with open_hook(ledger, exact=exact) as environment:
        code = _run(command, {**os.environ, **environment, ATTEMPT: secrets.token_hex(8)})
    if set(ledger.glob("*.ledger")) <= before:
        complain(
            f"nothing was written to {str(ledger)!r}: no DataLoader was iterated in a Python process that "
            "can import samplercheck and reads PYTHONPATH."
        )
    return code


def _run(words: tuple[str, ...], environment: dict[str, str]) -> int:
    """Return the exit code of a command; when this process is interrupted, the command is ended first."""
    try:
        job = subprocess.Popen(words, env=environment)  # noqa: S603  (what the user asks for)
    except OSError as error:
        raise UsageError(
            f"{words[0]!r} cannot be run: {error.strerror}. Name a program, as in: "
            "samplercheck watch --ledger DIR -- python train.py."
        ) from None
    try:
        code = job.wait()
    except KeyboardInterrupt:
        job.terminate()
        with suppress(subprocess.TimeoutExpired):
            job.wait(PATIENCE)
        raise
    finally:
        job.kill()
        job.wait()
    return code if code >= 0 else SIGNALLED - code
