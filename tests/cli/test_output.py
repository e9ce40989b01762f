"""Reports go to the screen in one form and to files, in an order that loses none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from samplercheck.cli.output import Output
from samplercheck.reports.brief import brief
from samplercheck.reports.publish import RENDERINGS
from samplercheck.reports.terminal import concise, full
from samplercheck.values.errors import StoreError, UsageError
from tests.support import handmade

if TYPE_CHECKING:
    from pathlib import Path


def test_json_is_one_document_that_waits_for_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(style="json")
    output.take(handmade.clean())
    assert capsys.readouterr().out == ""
    output.close()
    assert json.loads(capsys.readouterr().out) == handmade.clean()


def test_json_of_several_targets_is_a_list_even_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(style="json", several=True)
    output.take(handmade.clean())
    output.close()
    assert json.loads(capsys.readouterr().out) == [handmade.clean()]


def test_json_of_no_report_is_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Output(style="json").close()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("brief", brief(handmade.mixed())),
        ("full", full(handmade.mixed())),
        ("concise", concise(handmade.mixed())),
    ],
)
def test_text_is_shown_at_once(style: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Output(style=style).take(handmade.mixed())
    assert capsys.readouterr().out == f"{text}\n"


def test_of_several_targets_an_index_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(several=True)
    output.take(handmade.mixed())
    output.take({**handmade.clean(), "target": "other:Sampler"})
    index = capsys.readouterr().out.split("\n")
    assert [line.split()[0] for line in index if line] == ["BROKEN", "HOLDS"]
    assert "would hang" in index[0]
    output.close()
    shown = capsys.readouterr().out
    assert brief(handmade.mixed()) in shown
    assert brief({**handmade.clean(), "target": "other:Sampler"}) in shown


def test_annotations_of_all_targets_together_are_at_most_ten(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(style="github", several=True)
    for _ in range(7):
        output.take(handmade.mixed())
    lines = capsys.readouterr().out.split("\n")
    assert sum(line.startswith("::") for line in lines) == 10
    assert sum(line.endswith("exit 1") for line in lines) == 7


def test_each_of_several_targets_has_a_folder(tmp_path: Path) -> None:
    output = Output(style="json", several=True, directory=tmp_path)
    output.take(handmade.mixed())
    output.take({**handmade.clean(), "target": "../../etc: passwd"})
    folders = sorted(one.name for one in tmp_path.iterdir())
    assert folders == ["1-mypkg.samplers-CyclicSampler", "2-etc-passwd"]
    assert json.loads((tmp_path / "2-etc-passwd" / "report.json").read_text())["ok"] is True


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("taken", "File exists"),
        ("taken/out", "Not a directory"),
        ("full", "its report.json is a directory"),
        ("x" * 300, "File name too long"),
    ],
)
def test_a_place_where_no_report_can_be_written_is_usage(place: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "full" / "report.json").mkdir(parents=True)
    with pytest.raises(UsageError, match=f"cannot be written to: {why}. Name a directory"):
        Output(directory=tmp_path / place).prepare()


def test_a_place_for_reports_is_made_and_nothing_left_in_it(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "report.json").write_text("of the run before")
    for place in ("there", "not/yet"):
        Output(directory=tmp_path / place).prepare()
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == ["report.json"]
    assert (tmp_path / "not" / "yet").is_dir()


def test_a_report_that_cannot_be_saved_has_been_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(StoreError, match="cannot be written"):
        Output(directory=tmp_path / "taken").take(handmade.clean())
    assert "2 laws held" in capsys.readouterr().out


@pytest.mark.thorough
def test_renderings_of_all_reports_are_written_at_the_end(tmp_path: Path) -> None:
    output = Output(style="concise", several=True, directory=tmp_path)
    output.take(handmade.mixed())
    output.take(handmade.clean())
    assert not [one for one in tmp_path.iterdir() if one.is_file()]
    output.close()
    assert {one.name for one in tmp_path.iterdir() if one.is_file()} == set(RENDERINGS)
    assert (tmp_path / "junit.xml").read_text().count("<testsuite ") == 2


def test_what_could_not_be_saved_is_not_rendered_either(tmp_path: Path) -> None:
    (tmp_path / "2-mypkg.samplers-CyclicSampler").write_text("mine")
    output = Output(style="concise", several=True, directory=tmp_path)
    output.take(handmade.clean())
    with pytest.raises(StoreError, match="cannot be written"):
        output.take(handmade.mixed())
    output.close()
    assert not (tmp_path / "badge.json").exists()


def test_a_run_without_any_report_leaves_earlier_renderings_alone(tmp_path: Path) -> None:
    (tmp_path / "badge.json").write_text("of the run before")
    Output(directory=tmp_path).close()
    assert (tmp_path / "badge.json").read_text() == "of the run before"


@pytest.mark.parametrize(
    ("options", "told"), [({"style": "github"}, True), ({"directory": "out"}, True), ({}, False)]
)
def test_a_step_of_github_is_told_where_files_or_annotations_are_asked_for(
    options: dict, told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "step.md")
    output = Output(
        **{name: tmp_path / value if name == "directory" else value for name, value in options.items()}
    )
    output.take(handmade.clean())
    output.close()
    assert (tmp_path / "step.md").exists() is told
