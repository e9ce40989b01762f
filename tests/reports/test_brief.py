"""The first screen: golden screens at two widths, its size, and that nothing pushes it out of its frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.reports.brief import brief, fit_width, index_line
from tests.reports.screens import AGAIN, ONE, SCREENS
from tests.support import awkward, handmade
from tests.support.handmade import EQUAL_STEPS, broken, golden, report, uneven


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", SCREENS)
def test_the_first_screen_is_the_golden_one(name: str, width: int) -> None:
    text = brief(SCREENS[name], width=width)
    assert text == golden(f"screen_{name}_{width}")
    assert text.isascii()
    assert all(len(line) <= width for line in text.split("\n"))


@pytest.mark.parametrize("name", [name for name in SCREENS if name != "two"])
def test_what_one_mistake_does_fits_on_one_screen(name: str) -> None:
    assert len(brief(SCREENS[name]).split("\n")) <= 40


@pytest.mark.parametrize("name", SCREENS)
def test_the_verdict_comes_first_in_at_most_seven_lines(name: str) -> None:
    assert 1 <= len(brief(SCREENS[name]).partition("\n\n")[0].split("\n")) <= 7


def test_a_mistake_has_one_block_that_names_what_follows_with_its_case() -> None:
    text = brief(SCREENS["one"])
    assert text.count("BROKEN  SC") == 1
    for one in ONE[1:]:
        assert one.failure is not None
        assert f"{one.code} {one.law.name} {one.failure.case.id}" in text


def test_unrelated_mistakes_have_blocks_of_their_own() -> None:
    assert brief(SCREENS["two"]).count("BROKEN  SC") == 2


def test_one_crash_that_blocks_fifteen_laws_is_one_line() -> None:
    lines = [line for line in brief(SCREENS["crash"]).split("\n") if line.startswith("UNKNOWN")]
    assert len(lines) == 1
    assert "15 laws" in lines[0]


def test_a_command_is_never_cut() -> None:
    long = tuple(f"samplercheck replay {'x' * 40} \\" for _ in range(4))
    text = brief(report(broken(EQUAL_STEPS, replace(uneven(), again=long))))
    assert all(line in text for line in long)


def test_a_report_that_was_written_before_has_a_first_screen() -> None:
    plain = report(broken(EQUAL_STEPS, uneven()))
    for one in plain["results"]:
        del one["failure"]["again"], one["failure"]["follows"]
    assert "again" not in brief(plain)


def test_a_long_picture_shows_what_is_marked() -> None:
    rows = [f"rank {rank:>2}  0  1" + ("   <- again: 1" if rank == 30 else "") for rank in range(40)]
    drawn = replace(uneven(), grid=("step     0  1", *rows), again=AGAIN)
    text = brief(report(broken(EQUAL_STEPS, drawn)))
    assert "rank 30  0  1   <- again: 1" in text
    assert "rank 39" not in text
    assert len(text.split("\n")) <= 40


@given(awkward.reports(), st.sampled_from([72, 80, 120]))
def test_names_from_outside_cannot_widen_or_colour_the_screen(plain: dict[str, Any], width: int) -> None:
    text = brief(plain, width=width)
    assert text.isascii()
    assert "\x1b" not in text
    commands = [line for one in plain["results"] for line in (one["failure"] or {}).get("again", ())]
    widest = max([width, *(len(line) + 12 for line in commands)])
    assert all(len(line) <= widest for line in text.split("\n"))
    assert len(index_line(plain, width=width)) <= width


def test_an_interrupted_run_says_so_first() -> None:
    assert brief({**handmade.mixed(), "interrupted": True}).startswith("INTERRUPTED ")


def test_the_width_is_one_that_can_be_read() -> None:
    assert [fit_width(columns) for columns in (10, 100, 400)] == [72, 100, 120]
