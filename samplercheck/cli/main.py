"""The ``samplercheck`` command: finds the verb, turns errors into messages and exit codes.

Called by ``samplercheck.__main__``. A verb's module is imported when the verb is used: ``--help``
must not wait for torch.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn

import click

from samplercheck import __version__
from samplercheck.cli.streams import Outlet, complain, hold, refuse
from samplercheck.storage.atomic import blame_place
from samplercheck.values import exits
from samplercheck.values.errors import SamplerCheckError, UsageError, did_you_mean
from samplercheck.values.exits import ENDINGS
from samplercheck.values.layout import cut, printable

LONGEST_NAME = 300

VERBS = {
    "run": ("samplercheck.cli.run", "Judge targets by all laws of a profile."),
    "replay": ("samplercheck.cli.replay", "Run stored failures again and say which are fixed."),
    "explain": ("samplercheck.cli.explain", "Explain one law: what it demands, why, how to fix it."),
    "laws": ("samplercheck.cli.explain:list_laws", "List the laws with their statements."),
    "show": ("samplercheck.cli.show", "Draw which rank gets which sample in one case."),
    "infer": ("samplercheck.cli.infer", "Find the strictest contract that a target keeps."),
    "compare": ("samplercheck.cli.compare", "Compare two samplers, or two versions of one."),
    "watch": ("samplercheck.cli.watch", "Run a training job, and write down what it is trained on."),
    "fix": ("samplercheck.cli.fix", "Write a wrapper that fixes a target, tried on all laws."),
    "audit": ("samplercheck.cli.audit", "Judge what a training job was really trained on."),
    "drill": ("samplercheck.cli.drill", "Kill a training job, start it again, compare its data."),
    "report": ("samplercheck.cli.report", "Render reports, merge those of shards, compare two."),
    "init": ("samplercheck.cli.init", "Write a test and a configuration for a target."),
    "certify": ("samplercheck.cli.certify", "Make a certificate: two in-toto statements."),
    "verify": ("samplercheck.cli.verify", "Check a certificate against the source."),
    "selftest": ("samplercheck.cli.selftest", "Check that known bugs are detected on this machine."),
    "doctor": ("samplercheck.cli.doctor", "Print versions, backends and what may cause trouble."),
}


class Verbs(click.Group):
    """A group whose commands are imported on demand and whose errors end in exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (the signature is click's)
        """Return the verbs in the order in which one meets them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's too)
        """Import the module of a verb."""
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name or "command")
        command.short_help = VERBS[cmd_name][1]  # what a shell shows that completes verbs
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's too)
        """List the verbs without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, short) for verb, (_, short) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; one that does not exist is an error that names the nearest."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            ctx.fail(f"Verb {args[0]!r} does not exist. {did_you_mean(args[0], VERBS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Carry out a verb; every way to end has its exit code."""
        ctx.exit(run_verb(interruptible()(super().invoke), ctx))

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Carry out a command line and exit; click's own errors read like the kit's."""
        try:
            sys.exit(super().main(*args, **{**extra, "standalone_mode": False}))
        except click.ClickException as error:
            refuse(error)
            sys.exit(error.exit_code)
        except click.Abort:  # what click makes of Ctrl-C outside of a verb
            complain("interrupted.")
            sys.exit(exits.INTERRUPTED)


def run_verb(act: Callable[..., Any], *arguments: Any) -> int:
    """Return the exit code of an act: its own number, or what its error stands for."""
    try:
        return int(act(*arguments) or 0)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        complain("interrupted.")
        return exits.INTERRUPTED
    except UsageError as error:
        complain(error)
        return exits.USAGE
    except SamplerCheckError as error:
        complain(error)
        return exits.FAULT
    except Exception as error:  # noqa: BLE001  (the last place to tell a fault from a finding)
        of_system = error.__context__ if isinstance(error, RuntimeError) else error  # of pathlib
        if isinstance(of_system, OSError) and _is_of_a_named_place(of_system):
            return exits.USAGE
        click.echo(traceback.format_exc().encode("ascii", "backslashreplace").decode(), err=True)
        complain(f"a fault of samplercheck itself, not of the target: {type(error).__name__}: {error}")
        return exits.FAULT


def _is_of_a_named_place(error: OSError) -> bool:
    """Whether a place that was named can be no file or is closed to this user, which is then said."""
    name = cut(printable(error.filename), LONGEST_NAME)
    blamed = blame_place(error, f"{name!r} cannot be used: {error.strerror}. Name another file or folder.")
    if not error.filename or not isinstance(blamed, UsageError):
        return False
    complain(blamed)
    return True


def _press_ctrl_c(*_: object) -> None:
    """End as Ctrl-C does: what runs a target within knows by that signal that it is the user's own."""
    if callable(signal.getsignal(signal.SIGINT)):
        signal.raise_signal(signal.SIGINT)
    raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and a terminal that goes away raise KeyboardInterrupt within.

    What is ignored stays ignored, as under nohup; outside the process just ends.
    """
    before = {number: signal.getsignal(number) for number in ENDINGS}
    heard = [number for number, handler in before.items() if handler == signal.SIG_DFL or callable(handler)]
    for number in heard:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _press_ctrl_c)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit codes: 0 every law holds, 1 broken, 2 usage, 3 undecided, 4 internal error, "
    "5 nothing to check, 130 interrupted.",
)
@click.version_option(__version__, prog_name="samplercheck")
@click.pass_context
def samplercheck(ctx: click.Context) -> None:
    """Test custom PyTorch samplers for correctness.

    Begin with: samplercheck run package.module:YourSampler
    """
    if ctx.invoked_subcommand is None:
        from samplercheck.cli.asking import propose_found

        click.echo(f"{ctx.get_help()}{propose_found()}", err=True)
        ctx.exit(exits.USAGE)


def main() -> None:
    """Run the command line and exit, with the verdict also where stdout could not take it all."""
    stdout = hold()
    try:
        samplercheck(prog_name="samplercheck")
    except SystemExit as end:
        sys.exit(_final_code(end.code, stdout))


def _final_code(code: Any, stdout: Outlet | None) -> Any:
    """Return the exit code: who closes a pipe has read enough, other losses are no success."""
    sys.stdout.flush()
    lost = None if stdout is None else stdout.failure
    if lost is None or isinstance(lost, BrokenPipeError):
        return code
    complain(f"stdout: {lost.strerror}. Make room, or send it elsewhere.")
    return code or exits.FAULT
