"""The summary of a run: golden screens, exit codes, and what a clean run may claim."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from samplercheck.reports.standing import exit_code
from samplercheck.reports.terminal import concise, full, summary
from samplercheck.values.finding import Outcome
from samplercheck.values.report import LawResult
from tests.support import handmade

SCREENS = {"mixed": handmade.mixed(), "clean": handmade.clean(), "undecided": handmade.undecided()}


@pytest.mark.parametrize("name", SCREENS)
def test_the_summary_is_the_golden_one(name: str) -> None:
    text = summary(SCREENS[name])
    assert text == handmade.golden(f"summary_{name}")
    assert text.isascii()
    assert all(len(line) <= 80 for line in text.split("\n"))


def test_the_full_report_is_the_blocks_and_then_the_summary() -> None:
    report = handmade.mixed()
    assert full(report) == f"{handmade.golden('block_broken')}\n\n{summary(report)}"


def sharing(*, known: str = "") -> dict[str, Any]:
    """A report of three broken laws, of which the first and the last have the same cause."""
    laws = [replace(handmade.EQUAL_STEPS, code=code, name=code) for code in ("SC104", "SC105", "SC201")]
    also = [("SC201",), (), ("SC104",)]
    failures = [replace(handmade.uneven(), cause="A tail.", also=others) for others in also]
    report = handmade.report(*map(handmade.broken, laws, failures))
    if known:
        standing = {"known": [[known, failures[0].case.id]], "stale": [], "undecided": []}
        report["baseline"] = standing
    return report


def told_blocks(report: dict[str, Any]) -> list[str]:
    return re.findall(r"^BROKEN  (\w+) \w+ +would hang +case", full(report), re.MULTILINE)


def test_laws_with_the_same_cause_share_the_block_of_the_first() -> None:
    report = sharing()
    assert told_blocks(report) == ["SC104", "SC105"]
    assert [bool(one["failure"]["text"]) for one in report["results"]] == [True] * 3
    assert summary(report).count("BROKEN  SC") == 3


def test_a_law_has_a_block_of_its_own_where_the_one_that_names_it_is_known() -> None:
    assert told_blocks(sharing(known="SC104")) == ["SC105", "SC201"]


def test_the_concise_report_names_each_law_that_needs_a_look_and_ends() -> None:
    lines = concise(handmade.mixed()).split("\n")
    assert [line.split()[0] for line in lines if line[:1].isupper()] == [
        *["BROKEN", "UNKNOWN", "ADVICE", "SKIPPED"]
    ]
    assert lines[-1] == "12.4 s    seed 0    exit 1"
    assert "tried" not in concise(handmade.mixed())


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (handmade.clean(), 0),
        (handmade.mixed(), 1),
        (handmade.undecided(), 3),
        (handmade.report(), 5),
        ({**handmade.clean(), "interrupted": True}, 130),
    ],
)
def test_the_exit_code_follows_the_outcome(report: dict[str, Any], code: int) -> None:
    assert exit_code(report) == code
    assert summary(report).endswith(f"exit {code}")


@pytest.mark.parametrize(
    "report",
    [handmade.mixed(), handmade.undecided(), handmade.report(), {**handmade.clean(), "interrupted": True}],
)
def test_only_a_clean_run_says_that_nothing_was_broken(report: dict[str, Any]) -> None:
    assert "It is not a proof." not in summary(report)


def test_a_clean_run_says_what_it_left_out() -> None:
    skipped = LawResult(
        law=handmade.RUNS, outcome=Outcome.NOT_APPLICABLE, reason="skipped", skipped="issue 12"
    )
    report = handmade.report(LawResult(law=handmade.EQUAL_STEPS, outcome=Outcome.HOLDS), skipped)
    assert "no law of standard@1, apart from the skipped ones, was broken" in summary(report)
    assert "no selected law of standard@1 was broken" in summary(handmade.clean(), selected=True)


def test_an_interrupted_run_says_so_first() -> None:
    assert "INTERRUPTED" in summary({**handmade.mixed(), "interrupted": True}).split("\n")[2]


def test_a_failure_of_the_large_search_has_no_share_of_small_cases() -> None:
    report = handmade.mixed()
    report["results"][0]["failure"]["failing"] = 0
    assert "would hang" in summary(report)
    assert "in larger cases" in summary(report)
    assert "0 of 195" not in summary(report)


def test_a_failure_of_a_real_group_names_the_world() -> None:
    report = handmade.mixed()
    report["results"][0]["failure"].update(failing=0, world="gloo")
    assert "in gloo" in summary(report)
    assert "in larger cases" not in summary(report)


def test_names_from_outside_cannot_widen_or_colour_the_screen() -> None:
    report = handmade.mixed()
    report["target"] = "\x1b[31m" + "x" * 300
    report["results"][0]["name"] = "n\u00e9" * 60
    report["results"][0]["failure"]["tried"] = 10**12
    text = concise(report)
    assert text.isascii()
    assert "\x1b" not in text
    assert all(len(line) <= 80 for line in text.split("\n"))
