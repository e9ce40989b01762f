"""The ``samplercheck`` command: finds the verb, turns errors into messages and exit codes.

Entry point of the console script and of ``python -m samplercheck``. A verb's module is imported
when the verb is used: ``--help`` must not wait for torch.
"""

from __future__ import annotations

import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from samplercheck import __version__
from samplercheck.errors import SamplerCheckError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EXIT_FAULT", "EXIT_INTERRUPTED", "EXIT_USAGE", "main", "samplercheck"]

EXIT_USAGE = 2
EXIT_FAULT = 4
EXIT_INTERRUPTED = 130

VERBS = {
    "run": ("samplercheck.cli.run", "Judge targets by all laws of a profile."),
    "explain": ("samplercheck.cli.explain", "The page of one law."),
    "laws": ("samplercheck.cli.laws", "List the laws with their statements."),
    "show": ("samplercheck.cli.show", "Draw which rank gets which sample in one case."),
    "doctor": ("samplercheck.cli.doctor", "Versions, backends and what may get in the way."),
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
        command: click.Command = import_module(VERBS[cmd_name][0]).command
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
        ctx.exit(ended(super().invoke, ctx))


def ended(act: Callable[..., Any], *arguments: Any) -> int:
    """Return the exit code of an act: its own number, or what its error stands for."""
    try:
        return int(act(*arguments) or 0)
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except KeyboardInterrupt:
        click.echo("samplercheck: interrupted.", err=True)
        return EXIT_INTERRUPTED
    except UsageError as error:
        complain(error)
        return EXIT_USAGE
    except SamplerCheckError as error:
        complain(error)
        return EXIT_FAULT
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  (the last place to tell a fault from a finding)
        click.echo(traceback.format_exc().encode("ascii", "backslashreplace").decode(), err=True)
        complain(f"a fault of samplercheck itself, not of the target: {type(error).__name__}: {error}")
        return EXIT_FAULT


def complain(what: object) -> None:
    """Print a message to stderr."""
    click.echo(f"samplercheck: {what}".encode("ascii", "backslashreplace").decode(), err=True)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Exit codes: 0 every law holds, 1 broken, 2 usage, 3 undecided, 4 a fault of the kit "
    "or the machine, 5 nothing to check, 130 interrupted.",
)
@click.version_option(__version__, prog_name="samplercheck")
def samplercheck() -> None:
    """Test custom PyTorch samplers for correctness.

    Begin with: samplercheck run package.module:YourSampler
    """


def main() -> None:
    """Run the command line and exit."""
    samplercheck(prog_name="samplercheck")
