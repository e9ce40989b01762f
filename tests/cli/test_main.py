"""The front of the command line: verbs, errors, Ctrl-C and exit codes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
import pytest

import samplercheck as sc
from samplercheck import __version__
from samplercheck.cli.main import VERBS, Verbs, interruptible, run_verb
from samplercheck.values.errors import UsageError, WorldError
from samplercheck.worlds import open_world
from tests.support.command_line import ROOT, call, is_screen

if TYPE_CHECKING:
    from collections.abc import Callable


INTERRUPTED = """
import os, signal, sys

class Finder:
    module = sys.argv.pop(1)

    def find_spec(self, name, path=None, target=None):
        if name == self.module:
            os.kill(os.getpid(), getattr(signal, os.environ.get("ENDED_BY", "SIGINT")))

sys.meta_path.insert(0, Finder())
from samplercheck.__main__ import main
main()
"""
"""A command line which gets Ctrl-C when it is about to import a module."""


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def act() -> NoReturn:
        raise error

    return act


def test_help_names_every_verb_and_the_exit_codes() -> None:
    done = call("--help")
    assert done.exit_code == 0
    assert all(f"  {verb} " in done.output for verb in VERBS)
    assert "5 nothing to check" in done.output
    assert is_screen(done.output)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_of_80_columns(verb: str) -> None:
    done = call(verb, "--help")
    assert done.exit_code == 0
    assert is_screen(done.output)


def test_the_version_is_told() -> None:
    assert call("--version").output == f"samplercheck, version {__version__}\n"


@pytest.mark.thorough
def test_no_verb_at_all_is_usage_with_the_help() -> None:
    done = call()
    assert (done.exit_code, done.stdout) == (2, "")
    assert "  explain " in done.stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [("ru", ["run"]), ("run --prof", ["--profile"]), ("explain sc10", ["SC101", "SC102", "SC103"])],
)
def test_a_shell_completes_verbs_options_and_codes(words: str, completed: list[str]) -> None:
    asked = {"COMP_WORDS": f"samplercheck {words}", "COMP_CWORD": str(len(words.split()))}
    done = subprocess.run(
        [sys.executable, "-m", "samplercheck"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "_SAMPLERCHECK_COMPLETE": "bash_complete", **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.partition(",")[2] for line in done.stdout.split()][:3] == completed


def test_a_misspelt_verb_is_usage_with_the_nearest() -> None:
    done = call("explian", "SC104")
    assert done.exit_code == 2
    assert "Verb 'explian' does not exist. Did you mean 'explain'?" in done.output


def test_a_misspelt_option_is_usage_with_the_nearest() -> None:
    done = call("run", "mod:thing", "--slect", "SC104")
    assert done.exit_code == 2
    assert "--select" in done.output


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("Axis 'x' is wrong."), 2, "samplercheck: Axis 'x' is wrong.\n"),
        (WorldError("World 'nccl' needs GPUs."), 4, "samplercheck: World 'nccl' needs GPUs.\n"),
        (KeyboardInterrupt(), 130, "samplercheck: interrupted.\n"),
    ],
)
def test_an_error_is_a_message_and_an_exit_code(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_verb(raising(error)) == code
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("kind", [errno.EACCES, errno.ENAMETOOLONG, errno.ELOOP])
def test_a_place_that_cannot_be_used_is_usage(kind: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_verb(raising(OSError(kind, "Not that one", "x" * 5_000))) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert said.endswith("cannot be used: Not that one. Name another file or folder.")
    assert len(said) < 500
    assert run_verb(raising(OSError(kind, "Of no place"))) == 4


@pytest.mark.thorough
def test_links_that_lead_to_themselves_are_usage(tmp_path: Path) -> None:
    for name in ("loop.py", "report.json"):
        (tmp_path / name).symlink_to(name)
    for words in (
        ["run", str(tmp_path / "loop.py:x")],
        ["show", str(tmp_path / "loop.py:x")],
        ["report", str(tmp_path)],
        ["report", "--diff", str(tmp_path), str(tmp_path)],
    ):
        done = call(*words)
        assert (done.exit_code, "Traceback" in done.output) == (2, False), words


def test_a_fault_of_the_kit_shows_its_traceback_and_ends_with_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_verb(raising(ZeroDivisionError("caf\u00e9"))) == 4
    said = capsys.readouterr().err
    assert "Traceback (most recent call last)" in said
    last = " ".join(said.split())
    assert last.endswith("a fault of samplercheck itself, not of the target: ZeroDivisionError: caf\\xe9")


def test_click_keeps_its_own_errors() -> None:
    with pytest.raises(click.UsageError):
        run_verb(raising(click.UsageError("no")))


@pytest.mark.parametrize(
    ("words", "code"), [(["--help"], 0), (["explain", "SC999"], 2), (["run"], 2), (["explain", "SC104"], 0)]
)
def test_the_process_ends_with_the_exit_code(words: list[str], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "samplercheck", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process there")
@pytest.mark.parametrize(
    "module",
    ["click", "samplercheck.cli.main", "samplercheck.cli.run", "samplercheck.running.supervised", "tempfile"],
)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_while_the_command_is_being_imported_shows_no_traceback(module: str, name: str) -> None:
    words = [sys.executable, "-c", INTERRUPTED, module, "run", "mod:thing"]
    here = {**os.environ, "ENDED_BY": name}
    done = subprocess.run(words, cwd=ROOT, env=here, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "samplercheck: interrupted.\n")


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process there")
def test_ctrl_c_in_a_verb_is_an_exception_that_tidies_up(monkeypatch: pytest.MonkeyPatch) -> None:
    tidied = []

    @click.command()
    def verb() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            tidied.append(True)

    monkeypatch.setattr(Verbs, "get_command", lambda *_: verb)
    done = call("laws")
    assert (done.exit_code, done.stderr, tidied) == (130, "samplercheck: interrupted.\n", [True])


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process there")
def test_a_background_job_goes_on_ignoring_ctrl_c() -> None:
    program = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{INTERRUPTED}"
    words = [sys.executable, "-c", program, "samplercheck.cli.run", "run", "--profile"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'--profile' requires an argument" in done.stderr


@pytest.mark.parametrize("ctrl_c", [signal.default_int_handler, signal.SIG_IGN], ids=["heard", "ignored"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_what_ends_a_verb_is_no_finding_of_the_target_that_it_meets(name, ctrl_c):
    """A verb that runs a target in its own process, as infer and show do."""

    def ended(length):
        signal.raise_signal(getattr(signal, name))
        return range(length)

    before = signal.signal(signal.SIGINT, ctrl_c)
    try:
        with interruptible(), open_world("simulated") as world, pytest.raises(KeyboardInterrupt):
            world.trace(sc.target(ended).bind(), sc.Case(length=2), ("epochs",))
    finally:
        signal.signal(signal.SIGINT, before)
