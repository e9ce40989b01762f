"""The action of GitHub hands on what it is given as words, not as code, and keeps the exit code."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
RECORDER = '#!/bin/sh\nprintf "%s\\n" "$@" > "$SAID"\nexit "$CODE"\n'

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the runner's bash is that of Linux here")


def judge(tmp_path: Path, code: int = 0, **given: str) -> tuple[list[str], str]:
    """What the step that judges calls Python with, and what it tells the steps after it."""
    stub = tmp_path / "bin" / "python"
    stub.parent.mkdir()
    stub.write_text(RECORDER)
    stub.chmod(0o755)
    step = next(one for one in ACTION["runs"]["steps"] if one.get("id") == "judge")
    values = {"TARGETS": "", "WORDS": "", "REPORT": "out", "BY_PYTEST": "false"}
    assert step["env"].keys() == values.keys()
    surroundings = {
        "PATH": f"{stub.parent}{os.pathsep}{os.environ['PATH']}",
        "SAID": str(tmp_path / "said"),
        "CODE": str(code),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    subprocess.run(command, cwd=tmp_path, env={**surroundings, **values, **given}, check=True)
    return (tmp_path / "said").read_text().splitlines(), (tmp_path / "output").read_text()


def test_configured_targets_are_judged_where_none_is_named(tmp_path: Path) -> None:
    words, output = judge(tmp_path)
    assert words == ["-m", "samplercheck", "run", "--format", "github", "--report", "out"]
    assert output == "exit-code=0\n"


def test_targets_are_lines_and_stay_words(tmp_path: Path) -> None:
    words, output = judge(tmp_path, 1, TARGETS="a.py:A\nb c.py:$(touch evil)\n", WORDS="--profile quick")
    assert words[3:5] == ["a.py:A", "b c.py:$(touch evil)"]
    assert words[-2:] == ["--profile", "quick"]
    assert output == "exit-code=1\n"
    assert not (tmp_path / "evil").exists()


def test_a_test_suite_is_run_by_pytest(tmp_path: Path) -> None:
    words, _ = judge(tmp_path, BY_PYTEST="true", TARGETS="tests/samplers", WORDS="-n 2")
    assert words == ["-m", "pytest", "tests/samplers", "--samplercheck-report", "out", "-n", "2"]


def steps_of(job: dict[str, Any]) -> list[dict[str, Any]]:
    return job["steps"] if isinstance(job.get("steps"), list) else []


def test_no_expression_is_written_into_a_script() -> None:
    """What a runner replaces in a script is code there; through the environment it is a value."""
    for path in [ROOT / "action.yml", *(ROOT / ".github" / "workflows").glob("*.yml")]:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
        for job in [read["runs"]] if "runs" in read else read["jobs"].values():
            for step in steps_of(job):
                allowed = "${{ matrix." in step.get("run", "")
                assert "${{" not in step.get("run", "") or allowed, path
