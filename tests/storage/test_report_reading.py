"""Reports are read with care: this format and the one before, nothing unknown, no contradiction."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from samplercheck import Case
from samplercheck.storage.report_file import as_json, save
from samplercheck.storage.report_reading import LARGEST_FILE, parse, read, report_paths
from samplercheck.values.errors import StoreError
from samplercheck.values.finding import Failure, Outcome, Violation
from samplercheck.values.report import LawResult, Report
from samplercheck.values.scene import Scene, SeenPass
from samplercheck.values.scope_map import ScopeCell
from tests.support import handmade
from tests.support.awkward import hostile, many
from tests.support.strategies import any_cases

if TYPE_CHECKING:
    from pathlib import Path

SEEN = SeenPass(
    experiment="resumed",
    label="epoch 0",
    epoch=0,
    ranks=(((0,), (1,)), ((-1,),)),
    stopped=1,
    ended=("", "no"),
)
SCENE = Scene(length=3, world_size=2, passes=(SEEN,), marked=((0, 1, 1),), observed=(1.0,), expected=(1.5,))


def full() -> dict[str, Any]:
    """A report that has everything, a baseline too."""
    one = handmade.broken(handmade.EQUAL_STEPS, handmade.uneven())
    plain = handmade.report(
        one,
        LawResult(
            law=handmade.APART, outcome=Outcome.HOLDS, advice=Violation(found="mind", indices=(10**30,))
        ),
        map=(
            ScopeCell(length=0, world_size=1, batch_size=1, shuffle=True, drop_last=False, tried=3, broken=1),
        ),
    )
    plain["results"][0]["failure"]["scene"] = SCENE.to_dict()
    return plain | {"baseline": {"known": [["SC104", "abcdefgh"]], "stale": ["one"], "undecided": []}}


@pytest.mark.parametrize(
    "make", [handmade.mixed, handmade.clean, handmade.undecided, full, lambda: many(500)]
)
def test_what_is_written_is_read_again(make, tmp_path: Path) -> None:
    path = save(make(), tmp_path)
    assert read(path) == make()
    assert as_json(read(path)) == path.read_text()


def test_hostile_texts_are_read_as_they_are_but_for_halves_of_surrogate_pairs() -> None:
    text = as_json(hostile())
    assert as_json(parse(text.encode())) == text
    assert parse(text.encode())["target"].startswith("<script>")


@settings(max_examples=25, deadline=None)
@given(any_cases())
def test_every_legal_case_fits_into_a_report(case: Case) -> None:
    failure = Failure(case=case, violation=Violation(found=""), realistic_case=case)
    plain = handmade.report(LawResult(law=handmade.RUNS, outcome=Outcome.BROKEN, failure=failure))
    (one,) = parse(as_json(plain).encode())["results"]
    assert Case.from_dict(one["failure"]["case"]) == case


def test_a_report_that_was_read_is_a_report_again() -> None:
    laws = {law.code: law for law in (handmade.EQUAL_STEPS, handmade.APART)}
    plain = parse(as_json({name: value for name, value in full().items() if name != "baseline"}).encode())
    again = Report.from_dict(plain, lambda data: laws[data["code"]])
    assert again.to_dict() == plain
    assert again.results[0].failure.scene == SCENE


def old() -> dict[str, Any]:
    """The report as format 1 had it: no map, no scenes."""
    plain = handmade.mixed()
    del plain["map"]
    for one in plain["results"]:
        if one["failure"]:
            del one["failure"]["scene"]
    return {**plain, "format": 1}


def test_a_report_of_format_1_is_upgraded() -> None:
    assert parse(as_json(old()).encode()) == handmade.mixed()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": 3}, r"has format 3; this version reads 1 to 2"),
        ({"format": 0}, r"has format 0"),
        ({"format": "2"}, r"Expected `int`, got `str` - at `\$.format`"),
        ({"news": 1}, r"unknown field `news`"),
        ({"target": 5}, r"Expected `str`, got `int` - at `\$.target`"),
        ({"seconds": "1"}, r"\$.seconds"),
        ({"seconds": -1}, r"\$.seconds"),
        ({"false_alarm_bound": 2}, r"\$.false_alarm_bound"),
        ({"results": None}, r"\$.results"),
        ({"notes": [1]}, r"\$.notes"),
        ({"outcome": "fine"}, r"\$.outcome"),
        ({"map": [{}]}, r"\$.map"),
        ({"outcome": "holds", "ok": True}, r"says outcome 'holds' and ok True; its results say 'broken'"),
        ({"ok": True}, r"changed it by hand"),
        ({"false_alarm_bound": 5e-324}, r"no run bounds it below 1e-100"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_with_its_place(change: dict[str, Any], why: str) -> None:
    with pytest.raises(StoreError, match=why):
        parse(as_json({**handmade.mixed(), **change}).encode())


def test_a_field_of_a_newer_version_names_both_versions() -> None:
    newer = {**handmade.clean(), "news": 1, "versions": {"samplercheck": "9.1\x1b[31m"}}
    with pytest.raises(
        StoreError, match=r"unknown field `news`.* made by samplercheck 9.1\\x1b.*update"
    ) as caught:
        parse(as_json(newer).encode())
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("name", ["id", "token"])
def test_a_case_that_is_not_what_it_is_called_is_refused(name: str) -> None:
    plain = handmade.mixed()
    plain["results"][0]["failure"][name] = "aaaaaaaa"
    with pytest.raises(StoreError, match=f"SC104: the case .* has the {name} aaaaaaaa"):
        parse(as_json(plain).encode())


def test_a_broken_law_without_a_failure_is_refused_and_a_failure_of_one_that_holds() -> None:
    plain = handmade.mixed()
    plain["results"][0]["failure"] = None
    with pytest.raises(StoreError, match="SC104: the outcome is 'broken', and it has no failure"):
        parse(as_json(plain).encode())
    plain = handmade.mixed()
    plain["results"][2]["failure"] = plain["results"][0]["failure"]
    with pytest.raises(StoreError, match="SC308: the outcome is 'holds'"):
        parse(as_json(plain).encode())


def test_a_mark_outside_of_all_passes_is_refused() -> None:
    plain = full()
    plain["results"][0]["failure"]["scene"]["marked"][0][0] = 1
    with pytest.raises(StoreError, match=r"SC104: the scene has 1 passes and marks \[1, 1, 1\] beyond them"):
        parse(as_json(plain).encode())


def test_an_illegal_case_is_refused() -> None:
    plain = handmade.mixed()
    plain["results"][0]["failure"]["realistic_case"]["world_size"] = 0
    with pytest.raises(StoreError, match="SC104: world_size=0 is not legal"):
        parse(as_json(plain).encode())


@pytest.mark.parametrize("field", ["ranks", "passes", "observed"])
def test_a_scene_beyond_its_bounds_is_refused(field: str) -> None:
    plain = full()
    scene = plain["results"][0]["failure"]["scene"]
    part = scene["passes"][0] if field == "ranks" else scene
    part[field] = part[field] * 3_000
    with pytest.raises(StoreError, match=rf"length <= \d+ - at .*{field}"):
        parse(as_json(plain).encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"format": 2, "seconds": NaN}',
        b'{"format": ' + b"9" * 5_000,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_what_is_no_report_is_an_error_that_names_the_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"report.json is no report of samplercheck"):
        read(tmp_path / "report.json")


def test_a_file_larger_than_any_report_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "report.json").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(StoreError, match=r"report\.json is no report .*: it is larger than 64,000,000 bytes"):
        read(tmp_path / "report.json")


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"report\.json is no report of samplercheck: No such file"):
        read(tmp_path / "report.json")


# Finding them


def test_reports_are_found_in_folders_and_below_each_once(tmp_path: Path) -> None:
    paths = [save(handmade.clean(), tmp_path / name) for name in ("b/deep/down", "a")]
    (tmp_path / "other.json").write_text(json.dumps({}))
    assert report_paths([tmp_path, tmp_path / "a", paths[0]]) == [paths[1].resolve(), paths[0].resolve()]
    assert report_paths([tmp_path / "nowhere"]) == []


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links here")
def test_a_folder_that_contains_itself_is_walked_once(tmp_path: Path) -> None:
    save(handmade.clean(), tmp_path / "a")
    (tmp_path / "a" / "again").symlink_to(tmp_path)
    assert len(report_paths([tmp_path])) == 1


def test_too_many_reports_are_refused(tmp_path: Path) -> None:
    for number in range(4):
        save(handmade.clean(), tmp_path / str(number))
    assert len(report_paths([tmp_path], most=4)) == 4
    with pytest.raises(StoreError, match="holds more than 3 reports: name fewer folders"):
        report_paths([tmp_path], most=3)
