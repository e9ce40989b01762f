"""Open MPI's mpirun starts four ranks on this machine."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.engines.launched import check_loss, check_verdicts, marks

if TYPE_CHECKING:
    from pathlib import Path

MISSING = pytest.mark.skipif(shutil.which("mpirun") is None, reason="no mpirun here: install openmpi-bin")
pytestmark = [*marks, MISSING]
AS_ROOT = ["--allow-run-as-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
MPIRUN = ["mpirun", *AS_ROOT, "--oversubscribe", "-n", "4"]
# Where a rank is lost, mpirun ends the others, by default a second later: too soon on a busy machine.
PATIENT = ["--mca", "odls_base_sigkill_timeout", "5"]


def test_its_ranks_judge_as_simulation_does(tmp_path: Path) -> None:
    check_verdicts(tmp_path, MPIRUN)


def test_a_rank_that_is_killed_is_named_where_mpirun_gives_the_others_time(tmp_path: Path) -> None:
    ended = check_loss(tmp_path, [*MPIRUN, *PATIENT])
    assert "INTERRUPTED dies" in ended.words
