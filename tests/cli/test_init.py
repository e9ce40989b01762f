"""``init``: what it writes, that what it writes works, and that it writes over nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from samplercheck.cli.init import WORKFLOW, _short
from samplercheck.running.config import read_config
from tests.support.command_line import call

if TYPE_CHECKING:
    from pathlib import Path

SAMPLERS = """
import random

def strided(length, rank, world_size, bucket=4, mode="fast"):
    padded = -(-length // world_size) * world_size
    return [index % length for index in range(rank, padded, world_size)]


def uneven(length, rank, world_size):
    return range(rank, length, world_size)


def mixed(length, rank, world_size, epoch):
    order = random.Random(epoch).sample(range(length), length)
    padded = -(-length // world_size) * world_size
    return [order[index % length] for index in range(rank, padded, world_size)]


def unbound(rank, world_size, tokens):
    return []
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a file of samplers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "init_samplers.py").write_text(SAMPLERS)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "short"),
    [
        ("mypkg.samplers:BucketSampler", "bucket_sampler"),
        ("mypkg:make_sampler", "make_sampler"),
        ("mypkg:Outer.Inner", "inner"),
        ("mypkg:DPSampler", "dp_sampler"),
        ("lib/x.py:Sampler2D", "sampler2_d"),
    ],
)
def test_a_target_has_a_short_name(target: str, short: str) -> None:
    assert _short(target) == short


def test_a_test_and_a_section_are_written_and_said(project: Path) -> None:
    done = call("init", "init_samplers.py:strided")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "wrote      tests/test_strided.py",
        "added      [tool.samplercheck.targets.strided] to pyproject.toml",
        "now run    pytest, or samplercheck run strided",
    ]
    target = read_config(project).target("strided")
    assert target.factory == "init_samplers.py:strided"
    section = (project / "pyproject.toml").read_text()
    assert '# axes = { bucket = [4], mode = ["fast"] }\n' in section
    test = (project / "tests" / "test_strided.py").read_text()
    assert "# Varied by name: length, rank, world_size." in test


@pytest.mark.thorough
def test_a_contract_that_excuses_what_may_be_a_bug_is_asked_for_and_not_declared(project: Path) -> None:
    done = call("init", "init_samplers.py:uneven")
    assert done.exit_code == 0, done.output
    assert "asks       whether it is meant to evaluate (with uneven ends): see" in done.stderr
    assert read_config(project).target("uneven").contract is None
    question = (
        "# Is it meant to evaluate (with uneven ends)? Then declare {}; "
        "if not, SC104 and SC105 are the bug.\n"
    )
    section = (project / "pyproject.toml").read_text()
    assert question.format("this") + '# contract = { tail = "keep" }\n' in section
    test = (project / "tests" / "test_uneven.py").read_text()
    assert question.format("contract=sc.Contract(tail='keep')") in test
    assert '":uneven")\n' in test
    assert call("run", "uneven", "--profile", "quick", "--select", "SC104").exit_code == 1


def test_what_is_asked_is_declared_by_taking_the_comment_away(project: Path) -> None:
    call("init", "init_samplers.py:uneven")
    path = project / "pyproject.toml"
    path.write_text(path.read_text().replace("# contract", "contract"))
    contract = read_config(project).target("uneven").contract
    assert contract is not None
    assert contract.text == "Contract(tail='keep')"


def test_a_contract_that_excuses_no_loss_is_declared_with_a_comment(project: Path) -> None:
    done = call("init", "init_samplers.py:mixed")
    assert done.exit_code == 0, done.output
    contract = read_config(project).target("mixed").contract
    assert contract is not None
    assert contract.text == "Contract(order='shuffled')"
    said = "# It seems to shuffle without being asked: remove the contract if that is not meant.\n"
    assert said + 'contract = { order = "shuffled" }\n' in (project / "pyproject.toml").read_text()
    test = (project / "tests" / "test_mixed.py").read_text()
    assert said in test
    assert ", contract=sc.Contract(order='shuffled'))" in test


def test_a_commented_axis_is_ready_to_be_used(project: Path) -> None:
    call("init", "init_samplers.py:strided")
    path = project / "pyproject.toml"
    path.write_text(path.read_text().replace("# axes", "axes"))
    assert read_config(project).target("strided").axes == {"bucket": [4], "mode": ["fast"]}


def test_nothing_is_written_over(project: Path) -> None:
    call("init", "init_samplers.py:strided")
    test, section = project / "tests" / "test_strided.py", project / "pyproject.toml"
    test.write_text("# mine\n")
    before = section.read_text()
    done = call("init", "init_samplers.py:strided")
    assert done.exit_code == 0
    assert done.stderr.splitlines()[:2] == [
        "left       tests/test_strided.py, which exists",
        "left       pyproject.toml, which has [tool.samplercheck.targets.strided]",
    ]
    assert (test.read_text(), section.read_text()) == ("# mine\n", before)


@pytest.mark.parametrize("before", ["[project]\nname = 'x'\n", "[project]\nname = 'x'", ""])
def test_a_section_is_added_behind_what_is_there(project: Path, before: str) -> None:
    path = project / "pyproject.toml"
    path.write_text(before)
    call("init", "init_samplers.py:strided")
    assert path.read_text().startswith(before)
    assert list(read_config(project).targets) == ["strided"]


def test_a_file_that_cannot_be_added_to_is_left_and_the_section_is_shown(project: Path) -> None:
    path = project / "pyproject.toml"
    path.write_text("[tool]\nsamplercheck = { seed = 1 }\n")
    done = call("init", "init_samplers.py:strided")
    assert done.exit_code == 2
    assert path.read_text() == "[tool]\nsamplercheck = { seed = 1 }\n"
    assert "Add by hand" in done.stderr
    assert "[tool.samplercheck.targets.strided]" in done.stderr


def test_from_below_all_goes_to_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    done = call("init", "../init_samplers.py:strided")
    assert done.exit_code == 0
    assert done.stderr.startswith("wrote      ../tests/test_strided.py\n")
    assert (project / "tests" / "test_strided.py").is_file()
    assert read_config(project).target("strided").factory == "init_samplers.py:strided"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("init_samplers.py:strode", "has no attribute 'strode'. Did you mean 'strided'"),
        ("init_samplers.py:unbound", "Parameter 'tokens' of init_samplers.py:unbound has no default"),
    ],
)
def test_a_target_that_cannot_be_bound_writes_nothing(project: Path, target: str, said: str) -> None:
    done = call("init", target)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
    assert sorted(path.name for path in project.iterdir() if path.suffix) == ["init_samplers.py"]


def test_the_workflow_goes_to_stdout_alone(project: Path) -> None:
    done = call("init", "--ci", "github")
    assert (done.exit_code, done.stdout, done.stderr) == (0, WORKFLOW, "")
    both = call("init", "init_samplers.py:strided", "--ci", "github")
    assert both.stdout == WORKFLOW
    assert (project / "tests" / "test_strided.py").is_file()
    assert "samplercheck run --format github" in WORKFLOW


def test_something_has_to_be_asked_for() -> None:
    done = call("init")
    assert done.exit_code == 2
    assert "samplercheck init package.module:attribute" in " ".join(done.stderr.split())
