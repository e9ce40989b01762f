"""A real Slurm on this machine: srun starts four ranks, an array of jobs shares the cases."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.launched import (
    BROKEN,
    LONGEST,
    RUN,
    check_loss,
    check_verdicts,
    findings,
    launch,
    marks,
    read,
    simulated,
)
from tests.engines.slurm import NEEDED, Cluster, find

MISSING = [name for name in NEEDED if find(name) is None]
ABSENT = f"no {', '.join(MISSING)} here: install slurmctld, slurmd, slurm-client and munge"
pytestmark = [*marks, pytest.mark.skipif(bool(MISSING), reason=ABSENT)]
SRUN = ["srun", "-n", "4"]
SHARDS = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="slurm-") as where:
        Path(where).chmod(0o755)  # munged refuses a socket that others cannot come to
        with Cluster(Path(where)) as opened:
            yield opened


def test_the_ranks_of_srun_judge_as_simulation_does(cluster: Cluster, tmp_path: Path) -> None:
    check_verdicts(tmp_path, SRUN, cluster.environment)


def test_a_rank_that_is_killed_ends_the_step_and_is_named(cluster: Cluster, tmp_path: Path) -> None:
    check_loss(tmp_path, SRUN, cluster.environment)


def test_an_array_of_jobs_shares_the_cases_out_and_its_reports_join(cluster: Cluster, tmp_path: Path) -> None:
    command = f"{' '.join(RUN)} {BROKEN} --world simulated --shard auto --report out/$SLURM_ARRAY_TASK_ID"
    said = cluster.call("sbatch", "--wait", f"--array=0-{SHARDS - 1}", "--wrap", command, where=tmp_path)
    shards = [read(tmp_path / "out" / str(number)) for number in range(SHARDS)]
    assert all(shards), said + "".join(file.read_text() for file in tmp_path.glob("slurm-*"))
    assert [one["shard"] for one in shards if one] == [
        {"of": SHARDS, "parts": [i + 1]} for i in range(SHARDS)
    ]
    joined = launch(
        tmp_path, sys.executable, "-m", "samplercheck", "report", "out", "-o", "all", "--exit-code"
    )
    assert joined.code == 1, joined.words
    assert joined.seconds < LONGEST
    assert findings(read(tmp_path / "all")) == simulated()
