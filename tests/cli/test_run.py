"""``run`` from the command line: exit codes, screens, files, errors with their fix."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from samplercheck.cli.run import worst_exit
from tests.cli.places import ROOT, a_target, call, is_screen

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ("--profile", "quick")
LONGEST_WAIT = 60


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of its own, because a run stores its failing cases where it is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "law", "code"),
    [("sound", "SC104", 0), ("uneven", "SC104", 1), ("raising", "SC104", 3), ("sound", "SC404", 5)],
)
def test_the_exit_code_is_the_outcome(target: str, law: str, code: int) -> None:
    done = call("run", a_target(target), *QUICK, "--select", law)
    assert done.exit_code == code
    assert done.output.endswith(f"exit {code}\n")


def test_a_broken_law_is_shown_as_a_block_and_the_command_in_it_draws_the_same_picture() -> None:
    done = call("run", a_target("uneven"), *QUICK, "--select", "SC104")
    assert "BROKEN  SC104 equal-steps" in done.stdout
    assert "    step    0\n    rank 0  0\n    rank 1  -   <- left the epoch\n" in done.stdout
    assert is_screen(done.stdout)
    drawn = call("show", a_target("uneven"), "-n", "1", "-w", "2")
    assert "    step    0\n    rank 0  0\n    rank 1  -\n" in drawn.output


def test_progress_goes_to_stderr_one_line_for_each_phase() -> None:
    done = call("run", a_target("sound"), *QUICK, "--select", "SC104")
    assert done.stderr == "small scope: 65 of 65 cases\n"


def test_json_is_one_document_and_a_list_for_several_targets() -> None:
    one = json.loads(call("run", a_target("sound"), *QUICK, "--select", "SC104", "--format", "json").stdout)
    assert (one["format"], one["ok"], one["results"][0]["code"]) == (1, True, "SC104")
    words = (a_target("sound"), a_target("uneven"), *QUICK, "--select", "SC104", "--format", "json")
    done = call("run", *words)
    assert [report["outcome"] for report in json.loads(done.stdout)] == ["holds", "broken"]
    assert done.exit_code == 1


def test_a_report_is_written_for_one_target_and_a_folder_for_each_of_several(elsewhere: Path) -> None:
    call("run", a_target("uneven"), *QUICK, "--select", "SC104", "--report", "out")
    assert json.loads((elsewhere / "out" / "report.json").read_text())["outcome"] == "broken"
    call("run", a_target("sound"), a_target("uneven"), *QUICK, "--select", "SC104", "--report", "both")
    reports = sorted((elsewhere / "both").glob("*/report.json"))
    assert [json.loads(path.read_text())["outcome"] for path in reports] == ["holds", "broken"]


def test_a_report_that_cannot_be_written_is_said_after_the_screen(elsewhere: Path) -> None:
    (elsewhere / "taken").write_text("mine")
    done = call("run", a_target("sound"), *QUICK, "--select", "SC104", "--report", "taken")
    assert done.exit_code == 2
    assert "1 hold" in done.stdout
    assert "cannot be written" in done.stderr


def test_github_gets_annotations_and_then_the_short_summary() -> None:
    done = call("run", a_target("uneven"), *QUICK, "--select", "SC104", "--format", "github")
    assert done.stdout.startswith("::error title=SC104 equal-steps would hang::")
    assert done.stdout.endswith("exit 1\n")


def test_a_target_that_cannot_be_found_does_not_keep_the_others_from_being_judged() -> None:
    done = call("run", a_target("suond"), a_target("sound"), *QUICK, "--select", "SC104", "--format", "concise")
    assert done.exit_code == 2
    assert "Did you mean 'sound'" in done.stderr
    assert "1 hold" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([a_target("suond")], "has no attribute 'suond'. Did you mean 'sound'"),
        (["tests.cli.tragets:sound"], "Did you mean 'targets'"),
        (["no colon"], "write package.module:attribute"),
        ([a_target("unnamed")], "Parameter 'wrold_size'"),
        ([a_target("sound"), "--select", "equal-step"], "equal-steps"),
        ([a_target("sound"), "--skip", "SC14=why"], "Law 'SC14' does not exist"),
        ([a_target("sound"), "--skip", "SC104"], "needs a reason"),
        ([a_target("sound"), "--contract", "tial=keep"], "Did you mean 'tail'"),
        ([a_target("sound"), "--axis", "buket=1,2"], "Axis 'buket' is no parameter"),
        ([a_target("sound"), "--profile", "quik"], "Did you mean 'quick'"),
        ([a_target("sound"), "--world", "simulatd"], "simulated"),
    ],
)
def test_a_misspelling_is_usage_with_the_fix_named(words: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = call("run", *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_skipped_law_is_shown_with_its_reason() -> None:
    words = ("--select", "SC1", "--skip", "SC104=issue 12", "--skip", "SC105=issue 12")
    done = call("run", a_target("uneven"), *QUICK, *words)
    assert "SKIPPED SC104 equal-steps" in done.stdout
    assert "issue 12" in done.stdout
    assert "2 skipped" in done.stdout


def test_contract_and_axis_reach_the_run() -> None:
    words = ("--contract", "evaluation", "--select", "SC104", "--format", "json")
    assert json.loads(call("run", a_target("uneven"), *QUICK, *words).stdout)["contract"] == "Contract(tail='keep')"
    words = ("--axis", "bucket=1,2", "--select", "SC102", "--format", "json")
    report = json.loads(call("run", a_target("bucketed"), *QUICK, *words).stdout)
    assert "bucket 1, 2" in report["tried"][0]["scope"]
    assert report["target"] == "bucketed"


@pytest.mark.parametrize(
    ("codes", "worst"), [([], 5), ([0, 5], 5), ([0, 3, 5], 3), ([3, 1], 1), ([1, 2], 2), ([2, 4], 4), ([4, 130], 130)]
)
def test_the_worst_exit_code_of_several_runs_wins(codes: list[int], worst: int) -> None:
    assert worst_exit(codes) == worst


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a process group are of Unix")
def test_an_interrupted_run_writes_what_it_knows_and_ends_with_130(elsewhere: Path) -> None:
    mark = elsewhere / "mark"
    words = ["run", a_target("loud"), "--profile", "nightly", "--report", "out"]
    with subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-m", "samplercheck", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "SAMPLERCHECK_TEST_MARK": str(mark)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        until = time.monotonic() + LONGEST_WAIT
        while not mark.exists() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(1.0)
        os.killpg(process.pid, signal.SIGINT)
        said, complained = process.communicate(timeout=LONGEST_WAIT)
    assert process.returncode == 130, complained
    assert "INTERRUPTED" in said
    assert json.loads((elsewhere / "out" / "report.json").read_text())["interrupted"] is True
