"""A diff says of every law that was or is broken, or is no longer tried, which of these it is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from samplercheck.reports.diff import MOST_ROWS, as_markdown, as_text, compare
from samplercheck.values.layout import WIDTH
from tests.support import handmade
from tests.support.awkward import hostile, many, without_code

Plain = dict[str, Any]


def a_report(outcome: str | None, **changes: Any) -> Plain:
    """A report with SC104 of this outcome, or without it, and SC001, which holds."""
    report = {**handmade.clean(), **changes}
    report["results"] = [dict(one) for one in report["results"] if outcome or one["code"] != "SC104"]
    if outcome == "skipped":
        report["results"][1].update(outcome="not_applicable", skipped="issue 12")
    elif outcome == "broken":
        report["results"][1] = {**handmade.mixed()["results"][0]}
    elif outcome:
        report["results"][1]["outcome"] = outcome
    return report


def changes_of(before: Plain, after: Plain) -> list[tuple[str, str]]:
    return [(one.word, one.what) for one in compare([before], [after]).changes]


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ("holds", "broken", "new"),
        ("unknown", "broken", "new"),
        ("skipped", "broken", "new"),
        (None, "broken", "new"),
        ("broken", "holds", "fixed"),
        ("broken", "broken", "still"),
        ("broken", None, "no longer tried"),
        ("broken", "unknown", "no longer tried"),
        ("broken", "skipped", "no longer tried"),
        ("broken", "not_applicable", "no longer tried"),
        ("holds", None, "no longer tried"),
        ("holds", "unknown", "no longer tried"),
        ("holds", "skipped", "no longer tried"),
        ("holds", "holds", None),
        ("unknown", "holds", None),
        ("skipped", "holds", None),
        ("unknown", "unknown", None),
        (None, "holds", None),
    ],
)
def test_every_change_of_an_outcome_has_its_word(
    before: str | None, after: str | None, word: str | None
) -> None:
    diff = compare([a_report(before)], [a_report(after)])
    assert [(one.word, one.what) for one in diff.changes] == ([(word, "SC104 equal-steps")] if word else [])
    assert diff.is_worse is (word == "new")


def test_a_target_that_is_gone_is_no_longer_tried_and_a_new_one_that_is_broken_is_new() -> None:
    diff = compare([a_report("holds")], [a_report("broken", target="other:Sampler")])
    assert [(one.word, one.what, one.target) for one in diff.changes] == [
        ("new", "SC104 equal-steps", "other:Sampler"),
        ("no longer tried", "SC001 runs", handmade.TARGET),
        ("no longer tried", "SC104 equal-steps", handmade.TARGET),
    ]


def test_another_promise_is_another_thing_to_keep() -> None:
    after = a_report("broken", contract="Contract(tail='drop')")
    assert ("new", "SC104 equal-steps") in changes_of(a_report("broken"), after)


def test_seeds_profiles_and_versions_are_compared_across() -> None:
    after = a_report("broken", seed=5, profile="nightly@1", versions={"torch": "3"})
    assert changes_of(a_report("broken"), after) == [("still", "SC104 equal-steps")]


def test_of_several_reports_of_one_target_the_worst_result_counts() -> None:
    both = [a_report("holds"), a_report("broken", profile="quick@1")]
    assert [one.word for one in compare(both, [a_report("broken")]).changes] == ["still"]
    assert compare([a_report("holds")], both).is_worse


def test_a_phase_that_tried_cases_before_and_none_now_is_no_longer_tried() -> None:
    after = a_report("holds")
    after["tried"] = [after["tried"][0], {**after["tried"][1], "cases": 0}]
    (change,) = compare([a_report("holds")], [after]).changes
    assert (change.word, change.what) == ("no longer tried", "phase 'large'")
    assert change.note == "it tried drawn: length to 10,000"


def test_an_interrupted_run_did_not_try_the_rest() -> None:
    after = a_report("holds", interrupted=True)
    assert changes_of(a_report("holds"), after) == [("no longer tried", "the rest of the search")]


def test_the_text_says_the_worst_first() -> None:
    before = [a_report("holds"), a_report("broken", target="b:B"), a_report("broken", target="c:C")]
    after = [a_report("broken"), a_report("holds", target="b:B"), a_report("skipped", target="c:C")]
    text = as_text(compare(before, after))
    case = handmade.mixed()["results"][0]["failure"]["id"]
    assert text.splitlines() == [
        "1 new, 1 fixed, 0 still, 1 no longer tried",
        "",
        "NEW",
        "  SC104 equal-steps               mypkg.samplers:CyclicSampler: would hang,",
        f"                                  case {case}",
        "",
        "FIXED",
        "  SC104 equal-steps               b:B",
        "",
        "NO LONGER TRIED",
        "  SC104 equal-steps               c:C: skipped: issue 12; before, it was",
        "                                  broken",
    ]


def test_no_change_is_said_in_words() -> None:
    diff = compare([handmade.clean()], [handmade.clean()])
    assert as_text(diff) == "nothing is broken in either, and nothing is no longer tried"
    assert as_markdown(diff).startswith("## samplercheck: nothing is broken in either")


def test_the_markdown_is_a_table() -> None:
    text = as_markdown(compare([a_report("holds")], [a_report("broken")]))
    case = handmade.mixed()["results"][0]["failure"]["id"]
    assert text.splitlines() == [
        "## samplercheck: 1 new, 0 fixed, 0 still, 0 no longer tried",
        "",
        "|  | law | target |  |",
        "| --- | --- | --- | --- |",
        f"| new | `SC104 equal-steps` | `mypkg.samplers:CyclicSampler` | would hang, case {case} |",
    ]


def test_hostile_texts_and_hundreds_of_failures_keep_their_shape() -> None:
    diff = compare([handmade.clean()], [hostile(), many(500)])
    text, markdown = as_text(diff), as_markdown(diff)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= WIDTH + 2
    assert len(markdown) < 150_000
    assert f"{len(diff.changes) - MOST_ROWS} more changes." in markdown
    assert not re.search(r"[<>`@]", without_code(markdown))
