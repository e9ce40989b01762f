"""Small jobs of real trainers (``jobs/``), killed and started again, break what was triaged and no more.

Run by pytest where their packages are installed; slow. FINDINGS.md says of every broken law what it is.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samplercheck.training.drills import Drill, carry_out
from samplercheck.training.drills.kills import Kill
from tests.support.texts import block_in_text

JOBS = Path(__file__).with_name("jobs")
ROOT = Path(__file__).parents[2]
TRAINERS = ROOT / "examples" / "trainers"
FOUND = [
    ("torchdata", "stateful.py", [], set()),
    ("accelerate", "accelerated.py", [], {"SC1101", "SC1102", "SC1108"}),
    ("accelerate", "accelerated.py", ["--seedable"], set()),
    ("transformers", "transformed.py", [], set()),
    ("pytorch_lightning", "lightened.py", [], {"SC1101", "SC1102", "SC1108"}),
    ("pytorch_lightning", "lightened.py", ["--stateful"], set()),
]


ANOTHER_ORDER = {"SC1101", "SC1102", "SC1108"}
"""Of Lightning's jobs of several ranks, whatever their loader: FINDINGS.md says more."""


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("package", "file", "words", "laws"), FOUND)
def test_a_job_of_a_real_trainer_breaks_what_was_triaged(
    package: str, file: str, words: list[str], laws: set[str], workers: int, ranks: int
) -> None:
    pytest.importorskip(package)
    if ranks > 1 and package == "pytorch_lightning":
        laws = ANOTHER_ORDER
    torchrun = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks))
    start = (sys.executable, *(torchrun if ranks > 1 else ()), str(JOBS / file))
    # In the midst of the second of three epochs of 12 steps, or 6 of two ranks, behind a checkpoint.
    kill = Kill.parse("18" if ranks == 1 else "10")
    command = (*start, "{dir}", "--workers", str(workers), *words)
    report = carry_out(Drill(words=command, at=(kill,), promise="same-order"), print)
    assert {one.code for one in report.failures} == laws, str(report)
    assert report.failures or report.ok


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "file", "twin"),
    [
        ("pytorch_lightning", "lightning_callback.py", "reseeded"),
        ("transformers", "transformers_callback.py", "repeats"),
    ],
)
def test_a_callback_of_the_examples_keeps_a_ledger_and_judges_it(
    package: str, file: str, twin: str, tmp_path: Path
) -> None:
    pytest.importorskip(package)
    sound = run_example(file, tmp_path / "sound")
    assert "HOLDS" in sound, sound
    assert "in the 3 epochs below" in sound, sound
    assert len([*(tmp_path / "sound" / "ledger").glob("*.ledger")]) == 1
    assert block_in_text(TRAINERS / file) in run_example(file, tmp_path / "broken", twin)


@pytest.mark.slow
def test_what_accelerate_prepares_is_sound_and_twice_prepared_is_not(tmp_path: Path) -> None:
    pytest.importorskip("accelerate")
    said = run_example("accelerate_prepare.py", tmp_path / "here")
    assert "prepared: holds\nprepared_twice: SC102\n" in said
    assert block_in_text(TRAINERS / "accelerate_prepare.py") in said


def run_example(file: str, where: Path, *words: str) -> str:
    """Run a script of the examples in a directory of its own and return what it printed."""
    where.mkdir()
    done = subprocess.run(
        [sys.executable, str(TRAINERS / file), *words],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
