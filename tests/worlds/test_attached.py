"""The world ``attached``: real jobs of four ranks, started by torchrun on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from samplercheck.engine import Plan, carry_out
from samplercheck.errors import JobError, UsageError
from samplercheck.storage.report_reading import parse
from samplercheck.worlds import check_world
from samplercheck.worlds.job.place import place_from
from samplercheck.worlds.job.ranks import sizes_of

ROOT = Path(__file__).parents[2]
TARGETS = "tests.support.job_targets"
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4"]
ELSEWHERE = pytest.mark.skipif(sys.platform != "linux", reason="jobs are tried on Linux alone")
jobs = [pytest.mark.gloo, pytest.mark.slow, ELSEWHERE]


def in_job(where: Path, *words: str, ranks: int = 4) -> subprocess.CompletedProcess:
    """Run a program in the ranks of a job; its own words stay those of the first rank."""
    command = [*TORCHRUN[:-1], str(ranks), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, cwd=where, env=environment, capture_output=True, text=True, timeout=240, check=False
    )


def judge(where: Path, target: str, *words: str) -> tuple[subprocess.CompletedProcess, dict]:
    own = ("--world", "attached", "--report", "out")
    done = in_job(where, "-m", "samplercheck", "run", target, *own, *words)
    report = where / "out" / "report.json"
    assert report.exists(), done.stderr
    return done, parse(report.read_bytes())


def exits(done: subprocess.CompletedProcess) -> list[str]:
    """The exit codes that torchrun tells of ranks that did not end with 0."""
    return [
        line.split(":")[1].split()[0] for line in done.stderr.splitlines() if line.startswith("  exitcode")
    ]


def outcomes(report: dict) -> dict[str, str]:
    return {one["code"]: one["outcome"] for one in report["results"]}


class TestPlace:
    """Which rank this is, by the variables of what has started it."""

    @pytest.mark.parametrize(
        ("variables", "expected"),
        [
            (
                {"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "MASTER_ADDR": "a", "MASTER_PORT": "5"},
                (3, 8, 1, "a", 5),
            ),
            (
                {
                    "SLURM_PROCID": "3",
                    "SLURM_NTASKS": "8",
                    "SLURM_LOCALID": "1",
                    "SLURM_STEP_NODELIST": "node[07-09,12]",
                    "SLURM_JOB_ID": "12",
                },
                (3, 8, 1, "node07", 20_084),
            ),
            (
                {
                    "SLURM_PROCID": "0",
                    "SLURM_NTASKS": "1",
                    "SLURM_STEP_NODELIST": "one,two",
                    "SLURM_JOB_ID": "1",
                },
                (0, 1, 0, "one", 20_007),
            ),
            (
                {
                    "OMPI_COMM_WORLD_RANK": "2",
                    "OMPI_COMM_WORLD_SIZE": "4",
                    "OMPI_COMM_WORLD_LOCAL_RANK": "2",
                    "OMPI_COMM_WORLD_LOCAL_SIZE": "4",
                    "MASTER_PORT": "7",
                },
                (2, 4, 2, "127.0.0.1", 7),
            ),
        ],
    )
    def test_it_is_read_from_the_variables_of_each_launcher(self, variables, expected):
        place = place_from(variables)
        assert (place.rank, place.size, place.local, place.address, place.port) == expected

    @pytest.mark.parametrize(
        ("variables", "said"),
        [
            ({}, "needs the ranks of a job, and this process is not one of them: start it by torchrun"),
            ({"RANK": "4", "WORLD_SIZE": "4", "MASTER_ADDR": "a"}, "RANK=4 is no rank of WORLD_SIZE=4"),
            ({"RANK": "x", "WORLD_SIZE": "4"}, "RANK='x' is no number"),
            (
                {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "8", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"},
                "does not say where the first is: set MASTER_ADDR",
            ),
        ],
    )
    def test_what_is_no_place_is_refused(self, variables, said):
        with pytest.raises(JobError, match=said):
            place_from(variables)


def test_a_job_is_tried_in_eight_sizes_at_most_and_as_a_whole():
    assert [sizes_of(size) for size in (1, 2, 4)] == [(1,), (1, 2), (1, 2, 3, 4)]
    assert sizes_of(64) == (1, 2, 3, 4, 5, 6, 7, 64)


def test_its_other_name_is_torchrun_and_it_stands_alone():
    assert check_world("torchrun") == "attached"
    with pytest.raises(UsageError, match="name no other beside it"):
        carry_out(Plan(target=sizes_of, worlds=("attached", "gloo")))


class TestJobs:
    """What torchrun starts, and how it ends."""

    pytestmark = jobs

    @pytest.mark.parametrize("target", ["sound", "meets"])
    def test_a_sound_target_holds_and_one_rank_alone_speaks(self, tmp_path, target):
        done, report = judge(tmp_path, f"{TARGETS}:{target}", "--select", "SC1", "--select", "SC9")
        assert (done.returncode, exits(done)) == (0, [])
        assert done.stdout.count("HOLDS") == 1
        assert report["outcome"] == "holds"
        (phase,) = report["tried"]
        assert phase["phase"] == "attached"
        assert "world 1-4" in phase["scope"]
        assert report["not_tried"][0].startswith("simulation, and with it the small scope")
        assert outcomes(report)["SC901"] == "not_applicable"

    def test_a_broken_one_is_found_and_all_ranks_end_alike(self, tmp_path):
        done, report = judge(tmp_path, "tests.zoo.rank_dependent_seed:bug")
        assert exits(done) == ["1", "1", "1", "1"]
        broken = {code for code, one in outcomes(report).items() if one == "broken"}
        assert {"SC102", "SC103", "SC401"} <= broken
        failure = next(one["failure"] for one in report["results"] if one["code"] == "SC102")
        assert failure["world"] == "attached"
        assert failure["case"]["world_size"] == 2

    def test_a_long_pass_is_judged_in_all_ranks_of_the_job(self, tmp_path):
        kept = ("--contract", "tail=keep", "--contract", "order=free")
        done, report = judge(tmp_path, f"{TARGETS}:loses", "--length", "4.3e6", *kept)
        broken = {one["code"]: one["failure"] for one in report["results"] if one["outcome"] == "broken"}
        assert exits(done) == ["1", "1", "1", "1"]
        assert {code: one["case"]["world_size"] for code, one in broken.items()} == {"SC102": 4, "SC103": 4}
        assert broken["SC102"]["violations"][0]["indices"] == [1_234_567]
        assert broken["SC103"]["violations"][0]["indices"] == [7]

    def test_ranks_that_enter_different_collectives_end_in_a_finding(self, tmp_path):
        done, report = judge(tmp_path, "tests.zoo.empty_ranks_skip_the_broadcast:bug", "--select", "SC904")
        assert outcomes(report) == {"SC904": "broken"}, done.stderr

    def test_a_rank_that_is_killed_ends_the_run_and_is_named(self, tmp_path):
        began = time.monotonic()
        done, report = judge(tmp_path, f"{TARGETS}:dies")
        assert time.monotonic() - began < 120
        assert report["interrupted"]
        (note,) = (note for note in report["notes"] if "was lost" in note)
        assert note.startswith("rank 2 of the job (")
        assert "world=4" in note
        assert sum(one["cases"] for one in report["tried"]) > 0
        assert sorted(exits(done)) == ["-9", "130", "130", "130"]

    def test_in_a_program_with_a_group_every_rank_gets_the_report(self, tmp_path):
        done = in_job(tmp_path, "-m", TARGETS)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[0] == "holds"
        assert "SC102" in done.stdout

    def test_a_mistake_of_the_user_is_told_once_by_each_rank_and_ends_all(self, tmp_path):
        done = in_job(tmp_path, "-m", "samplercheck", "run", f"{TARGETS}:nowhere", "--world", "attached")
        assert done.returncode != 0
        assert exits(done) == ["2", "2", "2", "2"]
        assert "nowhere" in done.stderr


@ELSEWHERE
@pytest.mark.thorough
def test_a_job_of_two_ranks_tries_a_sound_target(tmp_path):
    words = ("run", "torch.utils.data:DistributedSampler", "--world", "attached", "--select", "SC103")
    done = in_job(tmp_path, "-m", "samplercheck", *words, ranks=2)
    assert done.returncode == 0, done.stderr
    assert "HOLDS" in done.stdout


@pytest.mark.thorough
def test_a_process_that_is_no_rank_is_told_what_to_do(tmp_path):
    plain = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")}
    words = [sys.executable, "-m", "samplercheck", "run", f"{TARGETS}:sound", "--world", "torchrun"]
    environment = {**plain, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "start it by torchrun" in " ".join(done.stderr.split())
    assert json.dumps(done.stdout) == '""'


@pytest.mark.thorough
def test_ranks_that_do_not_meet_are_told_what_they_need(tmp_path):
    place = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0"}
    words = [sys.executable, "-m", "samplercheck", "run", f"{TARGETS}:sound", "--world", "attached"]
    environment = {**os.environ, **place, "PYTHONPATH": str(ROOT), "GLOO_SOCKET_IFNAME": "nowhere0"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    said = " ".join(done.stderr.split())
    assert "set GLOO_SOCKET_IFNAME to the network interface" in said
    assert "a fault of samplercheck itself" not in said
