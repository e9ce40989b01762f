"""``summary.md`` says the verdict in less than 60 KB, and counts what it leaves out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.reports.summary import render
from tests.support import handmade
from tests.support.awkward import hostile, many, without_code

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 60_000


def test_a_broken_run_is_a_table_a_remark_for_each_law_and_a_folded_block() -> None:
    text = render([handmade.mixed()])
    assert text.startswith("## samplercheck: BROKEN\n")
    assert f"| `{handmade.TARGET}` | `standard@1` | 1 | 1 | 1 | 0 | 1 | 0 |" in text
    case = handmade.mixed()["results"][0]["failure"]["id"]
    wrong = "would hang: ranks take different numbers of steps"
    assert f"| `SC104 equal-steps` | {wrong} | `{handmade.TARGET}` | `{case}` | 56 of 195 |" in text
    assert "- undecided: `SC301 reshuffles` of" in text
    assert "- skipped: `SC001 runs` of" in text
    assert "- advice: `SC308 seeds-do-not-overlap` of" in text
    assert "- not tried: real process groups" in text
    assert "120 cases of 200, the rest was cut" in text
    block = handmade.mixed()["results"][0]["failure"]["text"]
    assert f"```text\n{block}\n```\n</details>" in text


def test_a_clean_run_says_that_it_is_no_proof() -> None:
    text = render([handmade.clean()])
    assert text.startswith("## samplercheck: every law holds\n")
    assert "No law was broken on the cases that were tried. It is not a proof." in text
    assert "broken law" not in text


@pytest.mark.parametrize(
    ("report", "title"),
    [
        (handmade.undecided(), "undecided"),
        ({**handmade.clean(), "interrupted": True}, "interrupted"),
        (handmade.report(), "nothing to check"),
    ],
)
def test_what_is_no_success_does_not_look_like_one(report: dict[str, Any], title: str) -> None:
    text = render([report])
    assert text.startswith(f"## samplercheck: {title}\n")
    assert "not a proof" not in text


def test_known_and_stale_failures_are_remarks() -> None:
    report = handmade.mixed()
    case = report["results"][0]["failure"]["id"]
    report["baseline"] = {"known": [["SC104", case]], "stale": ["SC105 holds now"], "undecided": []}
    text = render([report])
    assert f"- known failure: `SC104 equal-steps` of `{handmade.TARGET}`: {case}" in text
    assert "stale&#58" not in text
    assert "stale: SC105 holds now" in text
    assert "<details>" not in text


@pytest.mark.thorough
@pytest.mark.parametrize(
    "make",  # where it is wanted: every session collects all tests
    [
        lambda: [many(500)],
        lambda: [many(5, target=f"pkg.module_{number}:Sampler") for number in range(100)],
        lambda: [many(1, target="x" * 3_000 + str(number)) for number in range(500)],
        lambda: [hostile()] * 50,
    ],
    ids=["one target", "many targets", "long names", "hostile"],
)
def test_hundreds_of_failures_fit_and_what_is_left_out_is_counted(
    make: Callable[[], list[dict[str, Any]]],
) -> None:
    reports = make()
    text = render(reports)
    assert len(text.encode()) < LIMIT
    total = sum(one["outcome"] == "broken" for report in reports for one in report["results"])
    (rows,) = re.findall(r"^\| broken law .*\n\|[- |]+\n((?:\|.*\n)*)", text, flags=re.MULTILINE)
    (left,) = re.findall(r"^(\d+) more broken laws?: see report.json", text, flags=re.MULTILINE) or ["0"]
    assert rows.count("\n") + int(left) == total
    (left,) = re.findall(r"^(\d+) more failures?: see report.json", text, flags=re.MULTILINE) or ["0"]
    assert text.count("<details>") + int(left) == total
    assert text.count("<details>") == text.count("</details>\n") > 0


def test_hostile_texts_are_neither_html_nor_markdown() -> None:
    text = render([hostile()])
    assert text.isascii()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    outside = without_code(text)
    assert set(re.findall(r"<[^>]*>", outside)) == {"<details>", "</details>", "<summary>", "</summary>"}
    assert not re.search(r"[\[\]@`]|https?:", outside)
    assert [line for line in outside.splitlines() if line.startswith("#")] == ["## samplercheck: BROKEN"]


def test_a_broken_law_links_its_page_where_the_site_is_known() -> None:
    text = render([handmade.mixed() | {"documentation": "https://docs.example.org/"}])
    assert "| [`SC104 equal-steps`](https://docs.example.org/laws/SC104.html) | would hang" in text
