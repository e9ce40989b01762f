"""The world ``attached`` whose ranks gather by files: processes that no launcher brings together."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from samplercheck.errors import UsageError
from samplercheck.storage.report_reading import parse
from samplercheck.targets.target import as_target
from samplercheck.values.contract import Contract
from samplercheck.worlds.job.ranks import check_place, name_target
from tests.worlds.test_attached import ROOT, TARGETS, in_job, outcomes

if TYPE_CHECKING:
    from pathlib import Path

RANKS = 4
SOUND = "torch.utils.data:DistributedSampler"
BUG = "tests.zoo.rank_dependent_seed:bug"
ELSEWHERE = pytest.mark.skipif(sys.platform != "linux", reason="jobs are tried on Linux alone")
NO_LAUNCHER = ("MASTER_ADDR", "MASTER_PORT")


def start(
    where: Path, target: str, *words: str, gather: str = "shared", job: str = "1"
) -> list[subprocess.Popen[str]]:
    """Start the ranks of a job, which know their number, and the directory, and nothing else."""
    command = [sys.executable, "-m", "samplercheck", "run", target, "--world", "attached", "--gather", gather]
    started = []
    for rank in range(RANKS):
        plain = {name: value for name, value in os.environ.items() if name not in NO_LAUNCHER}
        place = {"RANK": str(rank), "WORLD_SIZE": str(RANKS), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        place["SLURM_JOB_ID"] = job
        with (where / f"said-{rank}").open("w") as said:
            words_of_all = [*command, *words, "--report", "out"]
            environment = {**plain, **place}
            started.append(
                subprocess.Popen(
                    words_of_all, cwd=where, env=environment, stdout=said, stderr=subprocess.STDOUT, text=True
                )
            )
    return started


def judge(where: Path, target: str, *words: str) -> tuple[list[int], dict]:
    """Run a job to its end; return the exit codes of its ranks and its report."""
    codes = [rank.wait(240) for rank in start(where, target, *words)]
    report = where / "out" / "report.json"
    assert report.exists(), said(where)
    return codes, parse(report.read_bytes())


def said(where: Path) -> str:
    return " ".join(" ".join(file.read_text() for file in sorted(where.glob("said-*"))).split())


@pytest.mark.slow
@ELSEWHERE
class TestJobs:
    """Ranks in processes of their own."""

    def test_a_sound_target_holds_in_all_sizes_and_nothing_is_left(self, tmp_path):
        codes, report = judge(tmp_path, SOUND)
        assert codes == [0] * RANKS, said(tmp_path)
        (phase,) = report["tried"]
        assert "world 1-4" in phase["scope"]
        assert any("process groups (SC901 to SC904)" in one for one in report["not_tried"])
        judged = outcomes(report)
        assert (judged["SC102"], judged["SC104"]) == ("holds", "holds")
        assert {judged.get(code) for code in ("SC901", "SC902", "SC903", "SC904")} <= {None, "not_applicable"}
        assert [one.name for one in (tmp_path / "shared").iterdir()] == []

    def test_a_broken_one_is_found_and_all_ranks_end_alike(self, tmp_path):
        codes, report = judge(tmp_path, BUG)
        assert codes == [1] * RANKS, said(tmp_path)
        broken = {code for code, one in outcomes(report).items() if one == "broken"}
        assert {"SC102", "SC103", "SC401"} <= broken
        failure = next(one["failure"] for one in report["results"] if one["code"] == "SC102")
        assert (failure["case"]["length"], failure["case"]["world_size"]) == (2, 2)

    def test_a_long_pass_is_judged_by_fingerprints(self, tmp_path):
        kept = ("--contract", "tail=keep", "--contract", "order=free")
        codes, report = judge(tmp_path, f"{TARGETS}:loses", "--length", "4.3e6", *kept)
        assert codes == [1] * RANKS, said(tmp_path)
        broken = {one["code"]: one["failure"] for one in report["results"] if one["outcome"] == "broken"}
        assert broken["SC102"]["violations"][0]["indices"] == [1_234_567]
        assert broken["SC103"]["violations"][0]["indices"] == [7]

    def test_a_rank_that_is_killed_ends_the_run_and_is_named(self, tmp_path):
        began = time.monotonic()
        codes, report = judge(tmp_path, f"{TARGETS}:dies_alone")
        assert time.monotonic() - began < 90
        assert codes == [130, 130, -9, 130], said(tmp_path)
        (note,) = (note for note in report["notes"] if "was lost" in note)
        assert note.startswith("rank 2 of the job (")
        assert re.search(r"silent for 1\d s", note)
        assert "world=4" in note
        assert report["interrupted"]
        assert [one.name for one in (tmp_path / "shared").iterdir()] == []

    def test_where_the_first_rank_is_killed_the_others_end_by_themselves(self, tmp_path):
        ranks = start(tmp_path, f"{TARGETS}:placed", "--profile", "strict")
        while not [log for log in tmp_path.glob("shared/*/rank-*.log") if log.stat().st_size > 20_000]:
            assert all(rank.poll() is None for rank in ranks), said(tmp_path)
            time.sleep(0.05)
        ranks[0].kill()
        began = time.monotonic()
        assert [rank.wait(240) for rank in ranks] == [-9, 4, 4, 4]
        assert time.monotonic() - began < 60
        assert "The first rank of the job has ended" in said(tmp_path)

    def test_a_target_that_asks_the_group_is_not_judged(self, tmp_path):
        codes, report = judge(tmp_path, f"{TARGETS}:asks")
        assert codes == [3] * RANKS
        assert {outcomes(report)[code] for code in ("SC102", "SC103", "SC104")} == {"unknown"}
        assert "the target asks torch.distributed (is_initialized)" in said(tmp_path)

    def test_a_target_without_its_place_is_refused_by_all(self, tmp_path):
        ranks = start(tmp_path, f"{TARGETS}:meets")
        assert [rank.wait(240) for rank in ranks] == [2] * RANKS
        assert "does not take its rank and world_size as arguments" in said(tmp_path)

    def test_two_jobs_in_one_directory_are_refused(self, tmp_path):
        jobs = [tmp_path / name for name in ("one", "two")]
        for where in jobs:
            where.mkdir()
        started = [start(where, SOUND, gather=str(tmp_path / "shared"), job=where.name) for where in jobs]
        codes = [[rank.wait(240) for rank in ranks] for ranks in started]
        assert sorted(codes) == [[0] * RANKS, [4] * RANKS], said(jobs[0]) + said(jobs[1])
        assert "give each job a directory of its own" in said(jobs[0]) + said(jobs[1])

    @pytest.mark.gloo
    def test_a_group_that_is_there_is_left_alone(self, tmp_path):
        done = in_job(tmp_path, "-m", TARGETS, str(tmp_path / "shared"))
        assert done.returncode == 0, done.stderr
        broken = "SC102,SC103"
        assert all(line.startswith("holds SC") and broken in line for line in done.stdout.splitlines())
        assert len(done.stdout.splitlines()) == RANKS


class TestPlace:
    """Which targets can be judged without a group, and by what ranks know that they have the same."""

    def test_one_that_takes_its_place_or_needs_none_can(self):
        check_place(as_target(SOUND).bind())
        check_place(as_target("torch.utils.data:SequentialSampler", Contract(sharding="none")).bind())
        with pytest.raises(UsageError, match="does not take its rank and world_size"):
            check_place(as_target(f"{TARGETS}:meets").bind())

    def test_the_name_of_a_target_changes_with_its_contract(self):
        one, two = (as_target(SOUND, contract).bind() for contract in (None, Contract(tail="pad")))
        assert name_target(one) == name_target(as_target(SOUND).bind())
        assert name_target(one) != name_target(two)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--gather", "shared"), "write --world attached as well"),
        (("--gather", "shared", "--world", "attached", "--infer"), "state it, or leave --infer out"),
    ],
)
def test_what_files_cannot_do_is_refused(words, why, tmp_path, monkeypatch):
    from tests.support.command_line import call

    monkeypatch.chdir(tmp_path)
    done = call("run", SOUND, *words)
    assert done.exit_code == 2
    assert why in " ".join(done.output.split())
