"""``report`` from the command line: what it writes, what it refuses, what it compares."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from samplercheck.reports.publish import RENDERINGS
from samplercheck.reports.summary import render
from samplercheck.storage.report_file import save
from tests.support import handmade
from tests.support.awkward import hostile
from tests.support.command_line import call, is_screen

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two shards of one run and a report of another target, each in its directory."""
    monkeypatch.chdir(tmp_path)
    save(handmade.clean(), tmp_path / "a")
    save({**handmade.undecided(), "seed": 1}, tmp_path / "b")
    save({**handmade.mixed(), "target": "other:Sampler"}, tmp_path / "deep" / "c")
    return tmp_path


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.thorough
def test_it_ends_as_a_run_would_where_that_is_asked_for(shards: Path) -> None:
    assert call("report", "a", "deep", "-o", "out").exit_code == 0
    assert call("report", "a", "--exit-code").exit_code == 0
    assert call("report", "b", "--exit-code").exit_code == 3
    assert call("report", "a", "b", "deep", "-o", "new", "--exit-code").exit_code == 1


def test_a_missing_shard_is_said_on_the_screen(shards: Path) -> None:
    plain = handmade.clean()
    plain.update(shard={"of": 3, "parts": [2]}, seed=5)
    for one in plain["results"]:
        one["tally"] = {**TALLY, "judged": one["judged"]} if one["judged"] else None
    save(plain, shards / "one")
    done = call("report", "one", "-o", "out", "--exit-code")
    assert done.exit_code == 3
    assert "2 shards of 3 missing (1, 3): not all" in " ".join(done.stdout.split())


TALLY = {
    "tried": 1,
    "wide": 1,
    "wide_unjudged": 0,
    "reasons": {},
    "unjudged": {},
    "blockers": [],
    "cut": "",
    "on_sight": False,
    "in_small_scope": False,
}


def test_one_directory_is_rendered_where_it_is(shards: Path) -> None:
    done = call("report", "a")
    assert (done.exit_code, done.stderr) == (0, "")
    assert is_screen(done.stdout)
    assert "2 hold   0 BROKEN" in done.stdout
    assert "1 report. In 'a':\n  junit.xml, summary.md, badge.json, results.sarif, index.html" in done.stdout
    assert names(shards / "a") == {"report.json", *RENDERINGS}
    assert call("report", "a/report.json").exit_code == 0


def test_shards_of_one_run_are_merged_and_targets_stay_apart(shards: Path) -> None:
    done = call("report", "a", "b", "deep", "--output", "out")
    assert done.exit_code == 0
    assert "3 reports, merged into 2. In 'out':\n  report.json, junit.xml" in done.stdout
    folders = ("1-mypkg.samplers-CyclicSampler", "2-other-Sampler")
    assert names(shards / "out") == {*(f"{folder}/report.json" for folder in folders), *RENDERINGS}
    report = json.loads((shards / "out" / folders[0] / "report.json").read_text())
    assert (report["outcome"], report["seed"], report["tried"][0]["cases"]) == ("unknown", 0, 390)
    before = {name: (shards / "out" / name).read_bytes() for name in names(shards / "out")}
    assert call("report", "out").exit_code == 0
    assert {name: (shards / "out" / name).read_bytes() for name in names(shards / "out")} == before
    assert call("report", "deep", "b", "a", "-o", "out").exit_code == 0
    assert {name: (shards / "out" / name).read_bytes() for name in names(shards / "out")} == before


def test_the_summary_of_a_step_is_added_to(shards: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shards / "step.md"))
    call("report", "a")
    assert (shards / "step.md").read_text() == f"{render([handmade.clean()])}\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "Nothing to read: name a directory"),
        (("a", "b"), "2 directories need one for their pages: name it with --output."),
        (("nowhere",), "'nowhere' does not exist"),
        (("empty",), "'empty' holds no report.json"),
        (("a", "empty", "-o", "out"), "'empty' holds no report.json"),
        (("a", "-o", "a"), "lie in one another"),
        (("a", "-o", "a/out"), "lie in one another"),
        (("deep/c", "-o", "deep"), "lie in one another"),
        (("a", "-o", "b", "--format", "text"), "--format text is for --diff"),
        (("a", "-o", "b", "--format", "sarif"), "--format sarif prints"),
        (("--diff", "a", "b", "--format", "sarif"), "--diff has no SARIF"),
        (("a", "-o", "deep"), "holds other reports"),
        (("a", "--diff", "a", "b"), "--diff takes two directories"),
        (("--diff", "a", "nowhere"), "'nowhere' does not exist"),
    ],
)
def test_what_cannot_be_carried_out_is_usage(words: tuple[str, ...], why: str, shards: Path) -> None:
    (shards / "empty").mkdir()
    before = names(shards)
    done = call("report", *words)
    assert done.exit_code == 2
    assert why in " ".join(done.stderr.split())
    assert names(shards) == before


def test_a_file_that_is_no_report_is_an_error_that_names_it(shards: Path) -> None:
    (shards / "b" / "report.json").write_text('{"format": 2, "\\u001b[31mnews": 1}')
    done = call("report", "b")
    assert done.exit_code == 2
    assert "b/report.json is no report of samplercheck" in " ".join(done.stderr.split())
    assert "\x1b" not in done.stderr
    assert names(shards / "b") == {"report.json"}


def test_sarif_is_printed_and_nothing_is_written(shards: Path) -> None:
    before = names(shards)
    done = call("report", "a", "deep", "--format", "sarif")
    assert done.exit_code == 0
    (run,) = json.loads(done.stdout)["runs"]
    assert {one["ruleId"] for one in run["results"]} >= {"SC104"}
    assert names(shards) == before


def test_a_strangers_report_can_be_rendered_without_harm_to_the_screen(shards: Path) -> None:
    save(hostile(), shards / "stranger")
    done = call("report", "stranger")
    assert done.exit_code == 0
    assert is_screen(done.stdout)
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("before", "after", "code", "counts"),
    [
        ("a", "mixed", 1, "1 new, 0 fixed, 0 still, 1 no longer tried"),
        ("mixed", "a", 0, "0 new, 1 fixed, 0 still, 1 no longer tried"),
        ("a", "a", 0, "nothing is broken in either, and nothing is no longer tried"),
    ],
)
def test_a_diff_ends_with_1_where_something_is_new(
    before: str, after: str, code: int, counts: str, shards: Path
) -> None:
    save({**handmade.mixed(), "contract": "Contract()"}, shards / "mixed")
    held = names(shards)
    text = call("report", "--diff", before, after)
    assert (text.exit_code, text.stdout.splitlines()[0]) == (code, counts)
    assert is_screen(text.stdout)
    markdown = call("report", "--diff", before, after, "--format", "markdown")
    assert (markdown.exit_code, markdown.stdout.splitlines()[0]) == (code, f"## samplercheck: {counts}")
    assert names(shards) == held


WITHOUT_BYTECODE = ("-B",)
"""A full disk cuts what is compiled short, too, and the next import of it fails."""
FULL_DISK = """
import resource, sys
from samplercheck.cli.main import samplercheck
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
samplercheck(["report", "a"], prog_name="samplercheck")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are of Unix")
def test_a_disk_that_runs_full_is_one_error_and_leaves_what_was_there(shards: Path) -> None:
    call("report", "a")
    before = {name: (shards / "a" / name).read_bytes() for name in names(shards / "a")}
    full = [sys.executable, *WITHOUT_BYTECODE, "-c", FULL_DISK]
    done = subprocess.run(full, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "cannot be written to 'a/results.sarif': File too large. Name a directory" in " ".join(
        done.stderr.split()
    )
    assert done.stderr.count("samplercheck:") == 1
    assert {name: (shards / "a" / name).read_bytes() for name in names(shards / "a")} == before
