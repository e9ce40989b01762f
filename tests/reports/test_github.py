"""Annotations of a GitHub workflow: one line each, escaped, at most ten."""

from __future__ import annotations

from samplercheck.reports.github import LONGEST, workflow_lines
from tests.support import handmade


def test_broken_laws_are_errors_undecided_ones_warnings_and_advice_is_a_notice() -> None:
    first, second, third = workflow_lines(handmade.mixed())
    advice = "::notice title=SC308 seeds-do-not-overlap advice"
    assert third.startswith(f"{advice}::mypkg.samplers:CyclicSampler: Seed 1")
    assert first == (
        "::error title=SC104 ranks take different numbers of steps (would hang)::"
        "mypkg.samplers:CyclicSampler: All ranks yield the same number of items and of batches in an epoch. "
        "Found: rank 0 yields 2 items, rank 1 yields 1 in epoch 0. In the case length=3 world_size=2 "
        "batch_size=1 shuffle seed=7"
    )
    title = "::warning title=SC301 reshuffles undecided"
    assert second == f"{title}::mypkg.samplers:CyclicSampler: not checked: no case exercised it"


def test_beyond_ten_the_last_one_counts_the_rest() -> None:
    report = handmade.mixed()
    report["results"] *= 7
    lines = workflow_lines(report)
    assert len(lines) == 10
    more = "12 more laws are broken or undecided, or give advice: see the log"
    assert lines[-1] == f"::notice title=samplercheck::{more}"
    assert workflow_lines(report, 0) == []


def test_a_message_cannot_open_a_command_of_its_own() -> None:
    report = handmade.mixed()
    report["results"][0]["failure"]["message"] = "100%\n::set-env name=X::y"
    report["results"][0]["fault"] = "a:b,c%"
    line = workflow_lines(report)[0]
    assert "\n" not in line
    assert "100%25 ::set-env" in line
    assert line.startswith("::error title=SC104 a%3Ab%2Cc%25 (would hang)::")


def test_a_broken_law_ends_with_the_address_of_its_page_where_one_is_known() -> None:
    report = handmade.mixed() | {"documentation": "https://docs.example.org/"}
    report["results"][0]["failure"]["message"] = "so much " * 200
    first, *others = workflow_lines(report)
    assert first.endswith(" https://docs.example.org/laws/SC104.html")
    assert len(first.rpartition("::")[2]) <= LONGEST
    assert others == workflow_lines(handmade.mixed())[1:]
