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

from samplercheck.reports.publish import RENDERINGS
from samplercheck.storage.report_reading import read
from samplercheck.values.exits import worst_exit
from tests.support.command_line import ROOT, a_target, call, is_screen
from tests.support.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

QUICK = ("--profile", "quick")
LONGEST_WAIT = 60


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of its own, because a run stores its failing cases where it is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "law", "code"), [("raising", "SC104", 3), ("sound", "SC404", 5)])
def test_what_is_undecided_or_does_not_apply_has_its_exit_code(target: str, law: str, code: int) -> None:
    done = call("run", a_target(target), *QUICK, "--select", law)
    assert done.exit_code == code
    assert done.stdout.endswith(f"exit {code}\n")


def test_a_sound_target_ends_with_0_and_its_progress_is_on_stderr() -> None:
    done = call("run", a_target("sound"), *QUICK, "--select", "SC104")
    assert done.exit_code == 0
    assert done.stdout.startswith("HOLDS ")
    assert "1 law held in the 205 cases below. It is not a proof." in " ".join(done.stdout.split())
    assert done.stderr == (
        "small scope: 65 of 65 cases\nepochs: 3 of 3 cases\n"
        "frontier: 10 of 10 cases\nwide: 127 of 127 cases\n"
    )


def test_a_run_of_one_size_tries_that_size_alone() -> None:
    done = call("run", a_target("sound"), "--length", "1e3", "--world-size", "5", "--world", "simulated")
    assert done.exit_code == 0
    assert is_screen(done.stdout)
    assert "1 case of length 1,000, world 5" in done.stdout
    assert "every other size" in done.stdout


@pytest.mark.thorough
def test_a_size_that_breaks_a_law_is_stored_and_replayed() -> None:
    words = ("--length", "1001", "--world-size", "4", "--world", "simulated", "--select", "SC104")
    done = call("run", a_target("uneven"), *words)
    assert done.exit_code == 1
    assert "case      length=1001 world_size=4" in done.stdout
    assert call("replay").exit_code == 1


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        (("--world-size", "4"), "add --length"),
        (("--length", "many"), "write 1e8"),
        (("--length", "0"), "from 1 up"),
        (("--length", "1e3", "--shard", "1/2"), "leave --shard out"),
    ],
)
def test_a_size_that_means_nothing_is_refused(words: tuple[str, ...], fix: str) -> None:
    done = call("run", a_target("sound"), *words)
    assert done.exit_code == 2
    assert fix in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "config", "code"), [((), "", 0), (("--strict",), "", 1), ((), "strict = true", 1)]
)
def test_what_is_strict_fails_a_run_by_its_option_or_its_configuration(
    words: tuple[str, ...], config: str, code: int, elsewhere: Path
) -> None:
    (elsewhere / "pyproject.toml").write_text(f"[tool.samplercheck]\n{config}\n")
    done = call("run", a_target("uneven"), *QUICK, "--select", "SC003", *words)
    assert done.exit_code == code
    assert ("advice" in done.stdout) == (code == 0)
    assert ("BROKEN  Accepts an invalid rank or size" in done.stdout) == (code == 1)


@pytest.mark.thorough
def test_a_broken_law_is_a_block_a_file_and_a_command_that_draws_the_same_picture(elsewhere: Path) -> None:
    done = call("run", a_target("uneven"), *QUICK, "--skip", "SC105=issue 12", "--report", "out")
    assert done.exit_code == 1
    assert "BROKEN  Ranks take different numbers of steps" in done.stdout
    assert "rank 0  0  2  4   <- waits at step 2\n    rank 1  1  3  -   <- left the epoch\n" in done.stdout
    assert "SKIPPED     SC105: issue 12" in done.stdout
    assert is_screen(done.stdout)
    report = json.loads((elsewhere / "out" / "report.json").read_text())
    assert read(elsewhere / "out" / "report.json") == report
    assert report["outcome"] == "broken"
    assert {one.name for one in (elsewhere / "out").iterdir()} == {"report.json", *RENDERINGS}
    drawn = call("show", a_target("uneven"), "-n", "1", "-w", "2")
    assert "    step    0\n    rank 0  0\n    rank 1  -\n" in drawn.output


@pytest.mark.thorough
def test_contract_and_axis_reach_the_run_of_every_target_and_a_bad_target_stops_no_other() -> None:
    words = ("--contract", "evaluation", "--axis", "bucket=1,2", "--select", "SC102", "--format", "json")
    done = call("run", a_target("bucketde"), a_target("bucketed"), *QUICK, *words)
    (report,) = json.loads(done.stdout)
    assert report["contract"] == "Contract(tail='keep')"
    assert "bucket 1, 2" in report["tried"][0]["scope"]
    assert report["target"] == "bucketed"
    assert done.exit_code == 2
    assert "Did you mean 'bucketed'" in " ".join(done.stderr.split())


SLOW = pytest.mark.slow  # each starts a process


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tests.support.tragets:sound"], "Did you mean 'targets'"),
        pytest.param(
            ["tests.support.targets.sound"], "Did you mean 'tests.support.targets:sound'", marks=SLOW
        ),
        pytest.param(["nowhere/targets.py:sound"], "'nowhere' holds no Python file.", marks=SLOW),
        ([a_target("sound"), "--contract", "tail"], "write tail=VALUE"),
        pytest.param([a_target("unnamed")], "Parameter 'wrold_size'", marks=SLOW),
        ([a_target("sound"), "--select", "equal-step"], "equal-steps"),
        pytest.param([a_target("sound"), "--skip", "SC14=why"], "Law 'SC14' does not exist", marks=SLOW),
        ([a_target("sound"), "--skip", "SC104"], "needs a reason"),
        ([a_target("sound"), "--contract", "tial=keep"], "Did you mean 'tail'"),
        pytest.param([a_target("sound"), "--axis", "buket=1,2"], "'buket' is not a parameter", marks=SLOW),
        pytest.param([a_target("sound"), "--profile", "quik"], "Did you mean 'quick'", marks=SLOW),
        pytest.param([a_target("sound"), "--world", "gloo,ncl"], "Did you mean 'nccl'", marks=SLOW),
        ([a_target("sound"), "--max-memory", "much"], "as in 512M"),
    ],
)
def test_a_misspelling_is_usage_with_the_fix_named(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    done = call("run", *words)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_an_impossible_report_is_noticed_before_the_search(elsewhere: Path) -> None:
    (elsewhere / "taken").write_text("mine")
    done = call("run", a_target("sound"), "--report", "taken")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("samplercheck: --report 'taken' cannot be written to: File exists. Name a")


@pytest.mark.parametrize(("tail", "code"), [pytest.param("pad", 1, marks=SLOW), ("keep", 4)])
def test_a_report_lost_after_the_search_is_no_success_and_takes_no_verdict(
    tail: str, code: int, elsewhere: Path
) -> None:
    (elsewhere / "out").mkdir()
    for place in ("1-bucketed", "2-bucketed"):
        (elsewhere / "out" / place).write_text("a file where the folder of a target belongs")
    words = ("--select", "SC104", "--axis", "bucket=1", "--contract", f"tail={tail}", "--report", "out")
    done = call("run", a_target("bucketed"), a_target("bucketed"), *QUICK, *words)
    assert done.exit_code == code
    assert done.stdout.count(f"exit {code % 4}\n") == 2
    assert done.stderr.count("The report cannot be written to 'out/") == 2


@pytest.mark.thorough
def test_a_verdict_survives_a_directory_in_which_no_case_can_be_stored(elsewhere: Path) -> None:
    (elsewhere / ".samplercheck").write_text("a file where the folder belongs")
    done = call("run", a_target("uneven"), *QUICK, "--select", "SC104")
    assert done.exit_code == 1
    assert "BROKEN  Ranks take different numbers of steps" in done.stdout
    assert "cannot be stored in" in done.stdout
    assert "Run in a directory that can be written." in " ".join(done.stdout.split())


@pytest.mark.thorough
def test_worlds_and_their_settings_reach_the_run() -> None:
    words = ("--world", "simulated,gloo", "--max-ranks", "2", "--max-memory", "4G", "--select", "SC902")
    done = call("run", a_target("sound"), *QUICK, *words, "--format", "json")
    report = json.loads(done.stdout)
    assert (done.exit_code, report["results"][0]["reason"]) == (0, "")
    assert [one["phase"] for one in report["tried"]] == ["small scope", "gloo"]
    assert "world 1-2" in report["tried"][-1]["scope"]


@pytest.mark.parametrize(
    ("codes", "worst"),
    [([], 5), ([0, 5], 5), ([0, 3, 5], 3), ([3, 1], 1), ([1, 2], 2), ([2, 4], 4), ([4, 130], 130)],
)
def test_the_worst_exit_code_of_several_runs_wins(codes: list[int], worst: int) -> None:
    assert worst_exit(codes) == worst


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="signals to a process group are of Unix")
def test_an_interrupted_run_writes_what_it_knows_and_ends_with_130(elsewhere: Path) -> None:
    mark = elsewhere / "mark"
    words = ["run", a_target("loud"), "--profile", "nightly", "--report", "out"]
    with subprocess.Popen(
        [sys.executable, "-m", "samplercheck", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "SAMPLERCHECK_TEST_MARK": str(mark)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert until(mark.exists, LONGEST_WAIT)
        time.sleep(1.0)
        os.killpg(process.pid, signal.SIGINT)
        said, complained = process.communicate(timeout=LONGEST_WAIT)
    assert process.returncode == 130, complained
    assert "INTERRUPTED" in said
    assert read(elsewhere / "out" / "report.json")["interrupted"] is True
    assert json.loads((elsewhere / "out" / "badge.json").read_text())["message"] == "interrupted"


DISCOVERED = """\
from torch.utils.data import Sampler

class Strided(Sampler):
    def __init__(self, length, rank, world_size):
        padded = range(-(-length // world_size) * world_size)
        self.own = [i % length for i in padded[rank::world_size]]
    def __iter__(self):
        return iter(self.own)
    def __len__(self):
        return len(self.own)

class NeedsMore(Sampler):
    def __init__(self, dataset, tokenizer):
        self.length = len(dataset)
    def __iter__(self):
        return iter(range(self.length))
"""


def test_without_a_target_what_the_directory_defines_is_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my samplers.py").write_text(DISCOVERED)
    for words in (("run",), ()):
        done = call(*words)
        assert done.exit_code == 2
        assert "    samplercheck run 'my samplers.py:Strided'\n" in done.stderr
        assert done.stderr.endswith("    samplercheck run --discover .    # all 2\n")


def test_what_is_discovered_is_judged_or_listed_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(DISCOVERED)
    done = call("run", "--discover", ".", *QUICK, "--select", "SC104", "--max-cases", "5")
    assert done.exit_code == 0
    assert "HOLDS       Strided in own.py" in done.stdout
    assert "Not judged: 1 of 2 targets found here.\n  own.py:NeedsMore\n" in done.stderr
    assert "'tokenizer'" in done.stderr
    (tmp_path / "own.py").write_text("")
    assert call("run", "--discover", ".").exit_code == 2


def test_what_cannot_be_imported_is_listed_with_what_python_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("import no_such_module\n" + DISCOVERED)
    done = call("run", "--discover", ".", *QUICK)
    said = " ".join(done.stderr.split())
    assert "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'" in said
