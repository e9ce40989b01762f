"""Every command that README and docs print is run, in a directory of the reader's, and ends as a verb may.

The reader's package, training job, reports and ledger are there; words that stand for the reader's own are
replaced (``INSTEAD``). Commands of the tutorial are run by ``test_docs`` in their order.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import ROOT, commands

HERE = Path(__file__).parent
UNEVEN = "mypkg.samplers:Uneven"
INSTEAD = {
    "[--format": "--format",
    "markdown]": "markdown",
    "COMMAND": "python train.py 2",
    "DIR": "ledger",
    "ID": "{id}",
    "OLD": "mypkg.old:Sampler",
    "PACKAGE": "mypkg",
    "TARGET": UNEVEN,
    "../before/.venv/bin/python": sys.executable,
    "1e8": "1e6",
    "artefact/.samplercheck/failures": "artefact",
    "artefact/failures": "artefact",
    "nightly": "quick",
    "pl5qwvbe": "{id}",
}
ELSEWHERE = {
    "certify": "takes minutes; the tutorial's is run there",
    "verify": "checks what certify wrote; the tutorial's is run there",
    "nccl": "asks for GPUs",
}
SETTINGS = """[tool.samplercheck]
profile = "quick"

[tool.samplercheck.targets.bucket]
factory = "mypkg.samplers:BucketSampler"

[tool.samplercheck.targets.uneven]
factory = "mypkg.samplers:Uneven"
"""
ENDINGS = {0, 1, 3, 5}
"""All that say something of a target or a job; not 2, usage, and not 4, a fault of the kit."""


def run(words: list[str], where: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the kit as it stands on a page."""
    starts = {"python": [sys.executable], "torchrun": [sys.executable, "-m", "torch.distributed.run"]}
    words = [part for word in words for part in starts.get(word, [word])]
    path = os.pathsep.join([str(where), str(ROOT), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "samplercheck", *words],
        cwd=where,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the reader's directory, with what earlier commands have left there."""
    place = tmp_path_factory.mktemp("reader")
    shutil.copytree(HERE / "mypkg", place / "mypkg")
    for name in ("old", "new"):
        again = "from mypkg.samplers import MySampler as Sampler\n"
        (place / "mypkg" / f"{name}.py").write_text(again, encoding="utf-8")
    shutil.copy(HERE / "train.py", place)
    (place / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
    for name in ("before", "out", "after"):
        assert run(["run", UNEVEN, "--report", name], place).returncode == 1
    for name in ("artefact", ".samplercheck/known"):
        shutil.copytree(place / ".samplercheck" / "failures", place / name)
    for number in range(1, 5):
        asked = ["run", UNEVEN, "--shard", f"{number}/4", "--report", f"shard-{number}"]
        assert run(asked, place).returncode in ENDINGS
    assert run(["watch", "--ledger", "ledger", "--", "python", "train.py", "2"], place).returncode == 0
    assert run(["audit", "ledger", "--report", "ledger"], place).returncode == 0
    return place


def replace_words(command: str, stored: str) -> list[str]:
    """Return the words of a command with those of this reader in place of those that stand for any."""
    found = (INSTEAD.get(word, word).replace("{id}", stored) for word in shlex.split(command)[1:])
    return [part for word in found for part in (shlex.split(word) if word.startswith("python ") else [word])]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "command"), commands())
def test_every_command_runs_as_it_is_printed(page: str, command: str, reader: Path, tmp_path: Path) -> None:
    if page == "tutorial.md":
        pytest.skip("test_docs runs the tutorial's commands in their order")
    for word, why in ELSEWHERE.items():
        if word in command:
            pytest.skip(why)
    place = tmp_path / "here"
    shutil.copytree(reader, place)
    if " watch " in command:
        shutil.rmtree(place / "ledger")
    report = json.loads((place / "before" / "report.json").read_text(encoding="utf-8"))
    stored = next(one["failure"]["id"] for one in report["results"] if one["failure"])
    done = run(replace_words(command, stored), place)
    assert done.returncode in ENDINGS, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout or done.stderr or [*(place / "ledger").glob("*.ledger")]
