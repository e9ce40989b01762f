"""What each launcher starts, and what has to come of it: a sound target, a broken one, a rank that dies.

A launcher is the words before the command. Its ranks write the report of the first one to ``out``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.storage.report_reading import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[2]
SOUND, DIES = (f"tests.support.job_targets:{name}" for name in ("sound", "dies"))
BROKEN = "tests.zoo.rank_dependent_seed:bug"
RUN = (sys.executable, "-m", "samplercheck", "run")
MODULE = ("-m", "samplercheck", "run")
ATTACHED = ("--world", "attached", "--report", "out")
LONGEST = 240
marks = [
    pytest.mark.gloo,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="jobs are tried on Linux alone"),
]


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a launched command has ended, and the report that it wrote, if any."""

    code: int
    words: str
    seconds: float
    report: dict[str, Any] | None

    @property
    def lost(self) -> list[str]:
        """The notes that name ranks that were lost."""
        assert self.report is not None, self.words
        return [note for note in self.report["notes"] if "was lost" in note]


def settings(**more: str) -> dict[str, str]:
    """The environment of a launched command: this checkout, and one thread for each rank."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "NO_COLOR": "1", **more}


def launch(
    where: Path, *words: str, environment: Mapping[str, str] | None = None, longest: float = LONGEST
) -> Ended:
    """Run a command to its end."""
    began = time.monotonic()
    done = subprocess.run(
        words,
        cwd=where,
        env=settings(**(environment or {})),
        capture_output=True,
        text=True,
        timeout=longest,
        check=False,
    )
    seconds = time.monotonic() - began
    return Ended(
        code=done.returncode, words=done.stdout + done.stderr, seconds=seconds, report=read(where / "out")
    )


def read(where: Path) -> dict[str, Any] | None:
    """The report in a directory, if there is one."""
    file = where / "report.json"
    return parse(file.read_bytes()) if file.exists() else None


def findings(report: dict[str, Any] | None) -> dict[str, tuple[str, Any]]:
    """The smallest failing case, of however many epochs, and the samples of its first violation, by law."""
    assert report is not None
    broken = [one for one in report["results"] if one["outcome"] == "broken"]
    return {
        one["code"]: (
            one["failure"]["token"].partition(",epochs=")[0],
            one["failure"]["violations"][0].get("indices"),
        )
        for one in broken
    }


@cache
def simulated() -> dict[str, tuple[str, Any]]:
    """What simulation finds in the broken target."""
    with TemporaryDirectory() as where:
        ended = launch(Path(where), *RUN, BROKEN, "--world", "simulated", "--report", "out")
        assert ended.code == 1, ended.words
        return findings(ended.report)


def check_verdicts(
    where: Path, launcher: Sequence[str], environment: Mapping[str, str] | None = None
) -> None:
    """A sound target holds, a broken one has the findings of simulation; the exit codes say so."""
    for name, target, code in (("sound", SOUND, 0), ("broken", BROKEN, 1)):
        (where / name).mkdir()
        ended = launch(where / name, *launcher, *RUN, target, *ATTACHED, environment=environment)
        assert ended.code == code, ended.words
        assert ended.report is not None
        (phase,) = ended.report["tried"]
        assert (phase["phase"], phase["cases"] > 30) == ("attached", True)
        assert "world 1-4" in phase["scope"]
        assert findings(ended.report) == (simulated() if code else {})


def check_loss(where: Path, launcher: Sequence[str], environment: Mapping[str, str] | None = None) -> Ended:
    """A rank that is killed ends the run soon, and the report names it."""
    ended = launch(where, *launcher, *RUN, DIES, *ATTACHED, environment=environment)
    assert ended.code != 0, ended.words
    (note,) = ended.lost
    assert note.startswith("rank 2 of the job (")
    assert "world=4" in note
    assert ended.report is not None
    assert ended.report["interrupted"]
    assert ended.seconds < 120
    return ended
