"""Renderings are written whole, and the summary goes where GitHub looks for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from samplercheck.reports.publish import RENDERINGS, STEP_SUMMARY, folder_name, publish, tell_step
from samplercheck.reports.summary import render
from samplercheck.values.errors import StoreError
from tests.support import handmade
from tests.support.awkward import hostile

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("make", [handmade.mixed, hostile])
def test_every_rendering_is_a_file_and_nothing_else_is_left(make, tmp_path: Path) -> None:
    publish([make()], tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(RENDERINGS)
    assert (tmp_path / "out" / "summary.md").read_text() == render([make()])
    assert json.loads((tmp_path / "out" / "badge.json").read_text())["color"] == "red"
    assert (tmp_path / "out" / "junit.xml").read_bytes().startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    assert "</html>" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_one_error_and_the_earlier_ones_stay(tmp_path: Path) -> None:
    publish([handmade.clean()], tmp_path)
    (tmp_path / "summary.md").unlink()
    (tmp_path / "summary.md").mkdir()
    with pytest.raises(StoreError, match=r"cannot be written to '.*summary.md': Is a directory"):
        publish([handmade.mixed()], tmp_path)
    assert json.loads((tmp_path / "badge.json").read_text())["color"] == "brightgreen"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(RENDERINGS)


def test_the_summary_is_added_to_what_the_step_has_said(tmp_path: Path) -> None:
    place = tmp_path / "step.md"
    place.write_text("before\n")
    tell_step([handmade.clean()], {STEP_SUMMARY: str(place)})
    tell_step([handmade.mixed()], {STEP_SUMMARY: str(place)})
    assert place.read_text() == f"before\n{render([handmade.clean()])}\n{render([handmade.mixed()])}\n"


def test_without_a_step_or_a_report_nothing_is_said(tmp_path: Path) -> None:
    place = tmp_path / "step.md"
    tell_step([handmade.clean()], {})
    tell_step([handmade.clean()], {STEP_SUMMARY: ""})
    tell_step([], {STEP_SUMMARY: str(place)})
    assert not place.exists()


def test_a_summary_that_cannot_be_added_names_the_variable(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="which GITHUB_STEP_SUMMARY names: Is a directory"):
        tell_step([handmade.clean()], {STEP_SUMMARY: str(tmp_path)})


def test_folders_have_names_that_every_system_takes() -> None:
    assert folder_name(3, {"target": "../../etc: passwd"}) == "3-etc-passwd"
    assert folder_name(1, {"target": "\u00e9\n"}) == "1-target"
    assert len(folder_name(1, {"target": "x" * 300})) == 82
