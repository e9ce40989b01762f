"""The first screen: golden screens at two widths, its size, and that nothing pushes it out of its frame."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.explain.words import LUCK
from samplercheck.reports.brief import brief, fit_width, index_line
from samplercheck.reports.headline import MOST_LINES, verdict_rows
from samplercheck.reports.mistake_lines import list_others
from samplercheck.reports.mistake_words import list_advice
from samplercheck.reports.mistakes import list_mistakes
from samplercheck.reports.naming import COLUMN, name_place
from samplercheck.reports.notebook import report_html
from samplercheck.reports.occurrence import LONG_RULE, describe_region, describe_when
from samplercheck.reports.page import render as render_page
from samplercheck.reports.standing import fault_of
from samplercheck.reports.summary import render as render_summary
from samplercheck.reports.verdict import verdict_of
from samplercheck.values.case import LEAST_REALISTIC
from samplercheck.values.finding import Outcome
from samplercheck.values.layout import case_in_brief, case_text, sentence
from samplercheck.values.report import LawResult
from samplercheck.values.wording import UNSEEDED
from tests.reports.screens import SCREENS, run
from tests.support import awkward, handmade
from tests.support.handmade import EQUAL_STEPS, RESHUFFLES, broken, golden, report, uneven

LONG = f"exactly when {' and '.join(['length % 3 > 1'] * 8)}"
THE_SMALLEST = "the smallest: length=1 world_size=2 batch_size=1"
AT_LEAST = "at least when length >= 8"
FIX = "Join all passes to one order."
IN_BRIEF = "; the smallest: length=1 world_size=2"
NO_RULE = f"no rule known; {THE_SMALLEST}"


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


@pytest.mark.parametrize("name", SCREENS)
def test_pages_notebooks_and_summaries_begin_with_no_more_rows_than_the_screen(name: str) -> None:
    plain = SCREENS[name]
    page = render_page([plain]).partition('<ul class="counts">')[0]
    notebook = report_html(plain).partition("</style>")[2].partition("samplercheck-soft")[0]
    summary = render_summary([plain]).partition("\n| target |")[0]
    rows = {page.count("<dt>"), notebook.count("<div><b>"), summary.count("\n- ")}
    assert rows == {len(verdict_rows(verdict_of(plain)))}
    assert 1 + max(rows) <= MOST_LINES
    assert [text for _, text in verdict_rows(verdict_of(plain)) if text.endswith("...")] == []


def an_advice(code: str, fault: str = "", **seen: Any) -> dict[str, Any]:
    """What is said of a law that is no failure, but one of a strict run where a case shows it."""
    shown = {"case": {"length": seen.get("length", 4)}, "violations": [{"fault": fault, **seen}]}
    return {
        "code": code,
        "name": code,
        "advice": None if fault else seen,
        "advised": shown if fault else None,
    }


def test_the_first_advice_is_about_what_trainings_do() -> None:
    odd = an_advice("SC003", "accepts an invalid rank or size", experiment="nonsense")
    empty = an_advice("SC001", "raises ValueError", experiment="epochs", length=0)
    meant = an_advice("SC701", found="rank 0 begins again")
    real = an_advice("SC707", "a state changes after it was handed out", experiment="saved")
    assert list_advice({"results": [empty, odd, meant, real]}).startswith(
        "a state changes after it was handed"
    )
    assert list_advice({"results": [odd, meant, empty]}).startswith("accepts an invalid rank or size (SC003")


@pytest.mark.slow
@pytest.mark.parametrize("name", SCREENS)
def test_the_stored_reports_are_what_runs_say_today(name: str) -> None:
    assert run(name) == SCREENS[name]


def test_a_mistake_has_one_block_that_names_what_follows_with_its_case() -> None:
    text = " ".join(brief(SCREENS["one"]).split())
    assert text.count("BROKEN ") == 2
    rest = [one for one in SCREENS["one"]["results"] if one["failure"] and one["code"] != "SC104"]
    assert [one["code"] for one in rest] == ["SC105"]
    for one in rest:
        assert f"also {fault_of(one)} ({one['code']}, case {one['failure']['id']})" in text


def test_the_verdict_on_one_mistake_says_what_it_does_when_and_why() -> None:
    labels = [line[:COLUMN].strip() for line in brief(SCREENS["one"]).partition("\n\n")[0].split("\n")]
    assert labels == ["BROKEN", "training", "when", "fix", "where"]


def test_unrelated_mistakes_have_blocks_of_their_own_and_the_verdict_says_when_each_fails() -> None:
    head, *parts = brief(SCREENS["two"]).split("\n\n")
    faults = ("ranks take different numbers of steps", "epochs have the same order")
    blocks = [part for part in parts if part.startswith("BROKEN")]
    assert [part.lower().startswith(f"broken  {fault}") for part, fault in zip(blocks, faults, strict=True)]
    text = " ".join(head.split())
    seems = "if meant to evaluate: --contract tail=keep; training would hang"
    whens = ("whenever length is no multiple of world_size", "always with 2 or more samples, seed 0 and")
    assert all(f"{fault} (SC" in text for fault in faults)
    fix = "fix Pad the order to a multiple of world_size before dealing it out."
    where = "where screens.py:48: return iter(order[self.rank :: self.world_size])"
    assert f"{fix} {where} {seems} and wrong order: epochs have the same order (SC301)" in text
    assert all(when in " ".join(" ".join(parts).split()) for when in whens)


def test_the_first_mistake_keeps_its_when_and_its_fix_and_the_others_are_counted() -> None:
    region = "exactly when length % (world_size * batch_size) != 0 and drop_last and world_size >= 2"
    laws = [replace(EQUAL_STEPS, code=f"SC10{number}") for number in range(1, 6)]
    plain = report(*(broken(law, replace(uneven(), region=region)) for law in laws))
    lines = brief(plain).partition("\n\n")[0].split("\n")
    text = " ".join(" ".join(lines).split())
    assert len(lines) <= 7
    when = "when always on 2 or more ranks with drop_last where length is no multiple of "
    assert f"(SC101) {when}world_size * batch_size look at Where the order is cut" in text
    assert text.endswith("and 4 more: would hang (SC102, SC103, SC104, SC105)")  # one fix may remedy several
    fix = "Extend the order with its own beginning until world_size divides it, and then deal it out to ranks"
    plain = report(*(broken(law, replace(uneven(), region=region, fix=fix, cause="odd")) for law in laws))
    text = " ".join(brief(plain).partition("\n\n")[0].split())
    when = "when only where length is no multiple of world_size * batch_size, not always"
    assert f"(SC101) {when} fix {fix}." in text  # a sentence of what to do comes before a whole condition
    assert text.endswith("4 more mistakes: would hang (SC102, SC103, SC104, SC105)")


def test_what_the_proposed_contract_settles_comes_behind_and_has_a_block_only_where_data_is_lost() -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{number}") for number in (1, 2, 3)]
    plain = report(*(broken(law, uneven()) for law in laws))
    assert brief(plain).count("  found  ") == 2
    assert re.search(r"\nBROKEN  .+ \(SC103\) .+\n        in 56 of 195 small cases", brief(plain))
    proposal = {"words": "tail=keep", "left": ["SC102"], "settled": ["SC101", "SC103"], "signs": []}
    text = brief({**plain, "proposal": proposal})
    assert text.count("  found  ") == 1
    assert text.index("SC102 equal-steps\n") < text.index("SC101 equal-steps, holds with --contract")
    assert "        SC103 equal-steps, holds with --contract tail=keep" in text
    doubted = brief({**plain, "proposal": {**proposal, "doubted": ["SC103"]}})
    assert doubted.count("  found  ") == 2
    alone = brief({**plain, "proposal": {**proposal, "settled": ["SC101", "SC102", "SC103"], "left": []}})
    assert alone.count("  found  ") == 1
    assert "with --contract tail=keep all laws hold" in " ".join(alone.split())


def test_of_equal_harm_what_no_contract_settles_comes_first() -> None:
    meant, wrong = (replace(EQUAL_STEPS, code=code) for code in ("SC102", "SC702"))
    plain = report(broken(meant, uneven()), broken(wrong, uneven()))
    settled = {"settled": ["SC102"], "doubted": ["SC102"]}
    proposal = {"words": "tail=drop", "left": ["SC702"], "signs": [], **settled}
    assert [one.lead["code"] for one in list_mistakes(plain)] == ["SC102", "SC702"]
    assert [one.lead["code"] for one in list_mistakes({**plain, "proposal": proposal})] == ["SC702", "SC102"]
    hang = replace(meant, consequence="wrong order")
    graver = report(broken(meant, uneven()), broken(replace(hang, code="SC702"), uneven()))
    assert [one.lead["code"] for one in list_mistakes({**graver, "proposal": proposal})] == ["SC102", "SC702"]


def test_what_breaks_under_the_proposed_contract_alone_is_told_in_words() -> None:
    still = replace(EQUAL_STEPS, code="SC301", fault="epochs have the same order")
    plain = report(broken(EQUAL_STEPS, uneven()), LawResult(law=still, outcome=Outcome.HOLDS))
    proposal = {"words": "coverage=sampled", "left": ["SC301"], "settled": ["SC104"], "signs": []}
    text = " ".join(brief({**plain, "proposal": {**proposal, "found": {"SC301": "the same"}}}).split())
    assert "coverage=sampled only SC301 is broken even so would hang: epochs have the same order" in text


def test_what_the_same_cause_breaks_in_many_more_cases_says_in_which() -> None:
    lead = replace(
        uneven(), failing=10, tried=90, region="exactly when drop_last", also=("SC301",), cause="odd"
    )
    wide = replace(uneven(), failing=40, tried=90, region="exactly when shuffle", also=("SC104",))
    plain = report(broken(EQUAL_STEPS, lead), broken(RESHUFFLES, wide))
    head, _, rest = brief(plain).partition("\n\n")
    told = "and wrong order: epochs have the same order (SC301), always with shuffle"
    assert told in " ".join(head.split())
    case = plain["results"][1]["failure"]["id"]
    also = f"also epochs have the same order (SC301, case {case}), for the same cause: always with shuffle"
    assert also in " ".join(rest.split())
    alike = report(broken(EQUAL_STEPS, lead), broken(RESHUFFLES, replace(wide, failing=11)))
    assert "always with shuffle" not in brief(alike)


def test_of_many_laws_that_the_same_cause_breaks_more_widely_the_rows_stay_short() -> None:
    codes = [f"SC30{number}" for number in range(1, 7)]
    lead = replace(uneven(), failing=10, tried=90, region=LONG, also=tuple(codes), cause="odd: it is")
    wide = replace(uneven(), failing=40, tried=90, region=LONG, also=("SC104",))
    others = [broken(replace(RESHUFFLES, code=code), wide) for code in codes]
    text = brief(report(broken(EQUAL_STEPS, lead), *others))
    assert text.count("\n") < 40
    assert all(f"({code}" in text for code in codes)


def test_what_follows_under_the_proposed_contract_has_no_block_of_its_own() -> None:
    laws = [replace(EQUAL_STEPS, code=code, fault=f"breaks {code}") for code in ("SC106", "SC301", "SC401")]
    holds = [LawResult(law=law, outcome=Outcome.HOLDS) for law in laws]
    plain = report(broken(EQUAL_STEPS, uneven()), *holds)
    left = ["SC104", *(law.code for law in laws)]
    follows = {"SC106": "SC301", "SC401": "SC104"}
    proposal = {"words": "tail=drop", "left": left, "settled": [], "signs": [], "follows": follows}
    text = brief({**plain, "proposal": proposal})
    assert [line.split("  ")[1] for line in text.split("\n") if line.startswith("BROKEN  ")][1:] == [
        "Ranks take different numbers of steps",
        "Breaks SC301",
    ]
    assert "also      even with that contract, breaks SC401 (SC401)" in text
    assert "also      breaks SC106 (SC106): follows from SC301" in text


def test_of_many_ranks_that_wait_the_one_that_left_is_drawn_too() -> None:
    waits = [f"rank {rank}  {rank}   <- waits at step 0" for rank in range(8)]
    grid = ("step    0", *waits, "rank 8  -   <- left the epoch")
    text = brief(report(broken(EQUAL_STEPS, replace(uneven(), grid=grid))))
    drawn = [line.strip() for line in text.split("\n") if line.startswith("    ")]
    assert [line for line in drawn if line in (*grid, "...")] == [*grid[:6], "...", grid[-1]]


@pytest.mark.parametrize(
    ("region", "failing", "says"),
    [
        (
            AT_LEAST,
            40,
            f"always with 8 or more samples, perhaps in other cases (40 of 65 small cases){IN_BRIEF}",
        ),
        (
            AT_LEAST,
            44,
            f"always with 8 or more samples, sometimes in other cases (44 of 65 small cases){IN_BRIEF}",
        ),
        ("exactly when length >= 8", 40, "always with 8 or more samples"),
        ("in every case", 65, "always"),
        (
            *("only when length >= 8", 40),
            "in 40 of the 43 small cases with 8 or more samples, and in no others",
        ),
        (
            *("only when length >= 8", 43),
            "in all small cases with 8 or more samples (43 of 65); larger ones may differ",
        ),
        ("", 62, f"in 62 of 65 small cases, {NO_RULE}"),
        (LONG, 40, f"in 40 of 65 small cases, no short rule; {THE_SMALLEST}"),
        ("", 40, f"in 40 of 65 small cases, {NO_RULE}"),
        ("", 9, f"in 9 of 65 small cases, {NO_RULE}"),
        ("", 1, f"in 1 of 65 small cases, {NO_RULE}"),
    ],
)
def test_when_never_says_more_than_the_cases_do(region: str, failing: int, says: str) -> None:
    failure = replace(uneven(), region=region, failing=failing, tried=65, inside=43)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_when(one) == says
    assert describe_when({**one, "event": "after a stop and resume"}) == f"after a stop and resume: {says}"


def test_what_several_epochs_have_to_be_together_is_not_said_to_begin_with_the_last_of_them() -> None:
    failure = replace(uneven(), region="not before epoch 3, exactly when length >= 8", failing=40, tried=65)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_when(one) == "not before epoch 3: always with 8 or more samples"
    together = {**one, "event": "in 4 epochs together"}
    assert describe_when(together) == "in 4 epochs together: always with 8 or more samples"


LARGER = {"longest": 12, "larger": 116, "larger_tried": 118}


@pytest.mark.parametrize(
    ("region", "more", "says"),
    [
        ("", LARGER, f"in 9 of 65 small cases (of at most 12 samples) and 116 of 118 larger ones, {NO_RULE}"),
        (
            "only when length >= 8",
            {"larger": 116, "larger_tried": 118, "inside": 11},
            "in 9 of the 11 small cases with 8 or more samples (116 of 118 larger cases), and in no others",
        ),
        ("", {"longest": 12}, f"in 9 of 65 small cases (of at most 12 samples), {NO_RULE}"),
        (
            AT_LEAST,
            LARGER | {"divided": 4},
            (
                "always with 8 or more samples, sometimes in other cases (9 of 65 small cases and 116 of 118 "
                f"larger ones, also where length is a multiple of world_size){IN_BRIEF}"
            ),
        ),
    ],
)
def test_how_small_cases_are_is_said_and_what_larger_ones_show(
    region: str, more: dict[str, int], says: str
) -> None:
    failure = replace(uneven(), region=region, **{"failing": 9, "tried": 65, "inside": 8} | more)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_when(one) == says


@pytest.mark.parametrize(
    ("length", "world_size", "says"),
    [(1, 1, "seldom, in no usual small case"), (5, 1, "only in larger cases")],
)
def test_a_case_of_one_sample_beside_the_small_scope_is_not_called_larger(
    length: int, world_size: int, says: str
) -> None:
    case = Case(length=length, world_size=world_size, epochs=2, stop=1)
    failure = replace(uneven(), case=case, region="", failing=0, tried=65)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_when(one).startswith(f"{says}, such as length={length}")


def test_what_the_kit_has_made_up_is_called_so() -> None:
    case = uneven().case.but(features={"labels": [0]})
    failure = replace(uneven(), case=case, region="", failing=9, tried=65)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_when(one).startswith("with made-up labels in 9 of 65 small cases, no rule known")


@pytest.mark.parametrize(
    ("least", "says"), [(1, "with DataLoader workers"), (2, "with 2 or more DataLoader workers")]
)
def test_what_no_small_case_shows_and_one_with_workers_does_is_due_to_them(least: int, says: str) -> None:
    case = Case(length=3, world_size=1, batch_size=1, workers=least)
    failure = replace(uneven(), case=case, realistic_case=None, failing=0, tried=65, workers=least)
    (one,) = report(broken(replace(EQUAL_STEPS, event="after a stop and resume"), failure))["results"]
    assert describe_when(one) == f"after a stop and resume: {says}"
    (one,) = report(broken(replace(EQUAL_STEPS, event="in a DataLoader with workers"), failure))["results"]
    assert describe_when(one).count("workers") == 1


@pytest.mark.parametrize(
    ("least", "says"), [(1, "with persistent workers"), (2, "with 2 or more persistent workers")]
)
def test_what_comes_before_is_that_of_the_failure_where_it_has_one(least: int, says: str) -> None:
    kept = replace(uneven().violation, event="with persistent workers")
    failure = replace(uneven(), failing=0, tried=0, workers=least, violation=kept)
    (one,) = report(broken(replace(EQUAL_STEPS, event="in a DataLoader with workers"), failure))["results"]
    assert describe_when(one) == says


@pytest.mark.parametrize(
    ("region", "failing", "says"),
    [
        ("exactly when length >= 8", 40, "always with 8 or more samples (40 of 65 small cases)"),
        (
            *("at least when length >= 8", 40),
            "always with 8 or more samples, perhaps in other cases (40 of 65 small cases)",
        ),
        (
            *("only when length >= 8", 40),
            "in 40 of 65 small cases, only with 8 or more samples",
        ),
        ("in every case", 62, "always (62 of 65 small cases; the others could not be judged)"),
        (LONG, 9, f"{LONG} (9 of 65 small cases)"),
        ("", 62, f"in 62 of 65 small cases, {NO_RULE}"),
    ],
)
def test_the_block_says_when_in_the_words_that_stand_above_it(region: str, failing: int, says: str) -> None:
    failure = replace(uneven(), region=region, failing=failing, tried=65)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_region(one).startswith(says)


def test_what_no_small_case_can_show_leaves_none_that_could_not_be_judged() -> None:
    failure = replace(uneven(), region="in every case", failing=0, tried=65)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_region(one) == "always"


def test_later_mistakes_are_told_and_not_drawn_where_the_screen_is_too_long() -> None:
    drawn = broken(RESHUFFLES, replace(uneven(), line="samplers.py:31: return iter(order)"))
    short = broken(RESHUFFLES, uneven())
    first, later = brief(report(broken(EQUAL_STEPS, uneven()), short)).split("\n\nBROKEN ")[1:]
    assert "rank 0  0  2" in first
    assert "rank 0  0  2" in later  # a block that is short with its picture
    long = replace(uneven(), again=("samplercheck replay \\", "    cphqoxd5") * 4)
    first, later = brief(report(broken(EQUAL_STEPS, long), drawn)).split("\n\nBROKEN ")[1:]
    assert "rank 0  0  2" in first
    assert "rank 0  0  2" not in later
    assert "\n  found     Rank 0 yields 2 items, rank 1 yields 1 in epoch 0" in later
    assert "\n  where     samplers.py:31: return iter(order)\n" in later


KEEPS = "samplers.py:38: self.seen += 1; this changes self.seen"
RUNS = "samplers.py:38: self.seen += 1; it runs only in failing cases (12 compared)"
DRAWS = "samplers.py:38: random.shuffle(order); this uses a global generator"


@pytest.mark.parametrize(
    ("lines", "causes", "number"),
    [
        ((RUNS, KEEPS), ("", ""), 1),
        ((DRAWS, DRAWS), ("", ""), 1),
        ((DRAWS, DRAWS), ("The order depends on generators", "It draws from one"), 1),
        ((RUNS, KEEPS), ("The seed is odd", ""), 1),
        ((RUNS, KEEPS), ("The seed is odd", "It counts passes"), 2),
        ((RUNS, RUNS), ("", ""), 2),
        ((DRAWS, KEEPS), ("", ""), 2),
        ((RUNS, KEEPS.replace("38", "39")), ("", ""), 2),
        (("samplers.py:9: yield one; the rank yields this",) * 2, ("", ""), 2),
    ],
)
def test_what_one_line_draws_or_leaves_behind_is_one_mistake(
    lines: tuple[str, str], causes: tuple[str, str], number: int
) -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{at}", fault=f"fault {at}") for at in (1, 2)]
    seen = [replace(uneven(), line=line, cause=its) for line, its in zip(lines, causes, strict=True)]
    plain = report(*map(broken, laws, seen))
    assert len(list_mistakes(plain)) == number
    said = "also fault 2 (SC102, case cphqoxd5): by the same line of code"
    assert (said in " ".join(brief(plain).split())) == (number == 1)


@pytest.mark.parametrize(
    ("fixes", "causes", "number"),
    [
        ((FIX, FIX), ("One is odd", "Another is odd"), 1),
        ((FIX, "Pad the order."), ("One is odd", "Another is odd"), 2),
        ((FIX, FIX), ("One is odd", ""), 2),  # of which nothing was tested
        (("", ""), ("One is odd", "Another is odd"), 2),
    ],
)
def test_what_one_fix_of_tested_causes_deals_with_is_one_mistake(
    fixes: tuple[str, str], causes: tuple[str, str], number: int
) -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{at}", fault=f"fault {at}") for at in (1, 2)]
    seen = [replace(uneven(), fix=fix, cause=its) for fix, its in zip(fixes, causes, strict=True)]
    plain = report(*map(broken, laws, seen))
    assert len(list_mistakes(plain)) == number
    said = "also fault 2 (SC102, case cphqoxd5): with the same fix"
    assert (said in " ".join(brief(plain).split())) == (number == 1)


@pytest.mark.parametrize("number", [3, 6, 10, 14, 18])
def test_many_mistakes_fit_on_one_screen_the_worst_in_a_block_and_each_other_in_a_line(number: int) -> None:
    when = "always on 2 or more ranks"
    laws = [replace(EQUAL_STEPS, code=f"SC1{one:02}", fault=f"fault {one}") for one in range(number)]
    long = replace(uneven(), region="exactly when world_size >= 2", again=("samplercheck replay \\",) * 4)
    text = brief(report(*(broken(law, long) for law in laws)))
    head, first, *_ = text.split("\n\n")
    assert len(text.split("\n")) <= 40 + max(0, number - 12)
    assert len(head.split("\n")) <= 7
    assert first.startswith("BROKEN  Fault 0 ")
    assert all(f"\nBROKEN  Fault {one} " in text for one in range(number))
    assert (f"\n        {when}\n" in text) == (number < 14)
    assert re.search(r"\n        Add --select SC1\d\d for that one alone, --verbose for all in full.\n", text)


def test_what_a_mistake_of_known_cause_breaks_as_well_is_no_block_of_its_own() -> None:
    again = replace(
        EQUAL_STEPS, code="SC402", consequence="not reproducible", fault="differs when built again"
    )
    found = {"SC402": "Rank 0 yields another order (length=4)."}
    proposal = {"words": "tail=keep", "settled": ["SC104"], "left": ["SC301", "SC402"], "found": found}
    for cause, blocks in (("It draws from a global generator.", 0), ("", 1)):
        draws = replace(uneven(), cause=cause, also=("SC402",))
        whole = report(broken(EQUAL_STEPS, uneven()), broken(RESHUFFLES, draws), broken(again, uneven()))
        text = brief({**whole, "proposal": {**proposal, "signs": ["keep uneven ends"]}})
        assert text.count("broken with --contract tail=keep") == blocks
        assert "SC402" in text


def test_no_half_of_a_formula_is_told() -> None:
    either = "(drop_last and length % world_size != 0 and length // world_size % batch_size == 0)"
    rest = "(not drop_last and ceil(length / world_size) % batch_size == 0 and length // batch_size % 7 != 0)"
    region = f"in the first of 40 epochs, exactly when {either} or {rest}"
    failure = replace(uneven(), region=region, failing=20, tried=65)
    text = brief(report(broken(EQUAL_STEPS, failure), broken(RESHUFFLES, uneven())))
    assert f"only in the first of 40 epochs: in 20 of 65 small cases, {LONG_RULE}" in " ".join(text.split())
    product = replace(failure, region="exactly when length % (world_size * batch_size) != 0")
    text = brief(report(broken(EQUAL_STEPS, product)))
    assert text.count("whenever length is no multiple of world_size * batch_size") == 2


def test_where_a_law_fails_in_two_ways_the_one_shown_has_the_condition_and_the_rest_a_line() -> None:
    region = "exactly when length >= 8"
    failure = replace(uneven(), failing=40, alike=30, tried=65, region=region, other="ends early")
    text = brief(report(broken(EQUAL_STEPS, failure)))
    assert "when      always with 8 or more samples (30 of 65 small cases)" in text
    assert "also      in 10 other small cases ends early" in text


def test_of_laws_with_one_cause_the_one_that_names_it_and_fails_more_often_is_told_first() -> None:
    dropped = replace(uneven(), failing=4, also=("SC301",))
    recurs = replace(uneven(), failing=90, also=("SC106",), cause="the order does not depend on the epoch")
    loses = replace(EQUAL_STEPS, code="SC106", consequence="loses data")
    order = replace(EQUAL_STEPS, code="SC301", consequence="wrong order")
    (mistake,) = list_mistakes(report(broken(loses, dropped), broken(order, recurs)))
    assert mistake.lead["code"] == "SC301"
    seldom = replace(recurs, failing=3)
    (mistake,) = list_mistakes(report(broken(loses, dropped), broken(order, seldom)))
    assert mistake.lead["code"] == "SC106"
    assert mistake.explained["cause"] == recurs.cause


def test_of_a_law_with_cases_of_its_own_the_verdict_says_what_is_in_them() -> None:
    failure = {"tried": 0, "failing": 0, "world": "simulated", "region": "", "case": {"workers": 2}}
    assert describe_when({"failure": failure}) == "with DataLoader workers"
    kept = "with persistent workers"
    assert describe_when({"failure": failure, "event": kept}) == kept
    two = {**failure, "workers": 2}
    assert describe_when({"failure": two}) == "with 2 or more DataLoader workers"
    for event in (kept, "in a DataLoader with workers"):
        said = event.replace("with ", "with 2 or more ")
        assert describe_when({"failure": two, "event": event}) == said
        assert describe_region({"failure": two, "event": event}) == said
    assert describe_when({"failure": {**failure, "case": {"workers": 0}}}) == ""
    larger = {**failure, "tried": 40, "region": "exactly when length > 12"}
    assert describe_region({"failure": larger}) == "whenever length > 12"


def test_what_no_offered_contract_excuses_comes_first_though_it_does_less_harm() -> None:
    padded = replace(EQUAL_STEPS, code="SC103", consequence="repeats data")
    spoilt = replace(EQUAL_STEPS, code="SC505", consequence="wrong batches")
    plain = report(broken(padded, uneven()), broken(spoilt, uneven()))
    proposal = {"words": "tail_unit=batch", "settled": ["SC103"], "doubted": ["SC103"], "left": ["SC505"]}
    text = brief({**plain, "proposal": {**proposal, "signs": ["fill batches"]}})
    head = text.partition("\n\n")[0]
    assert "1 mistake, 2 of 2 laws broken." in head
    assert "even so" not in head  # it is said first
    assert "training    wrong batches" in head
    assert "if meant    to fill batches: --contract tail_unit=batch" in head
    assert text.index("SC505 equal-steps") < text.index("SC103 equal-steps")


@pytest.mark.parametrize("cause", ["", "The seed of the order differs by rank."])
def test_what_a_contract_turns_into_another_mistake_comes_first_where_its_cause_is_known(cause: str) -> None:
    lost = replace(EQUAL_STEPS, code="SC102", consequence="loses data")
    repeated = replace(EQUAL_STEPS, code="SC105", consequence="repeats data")
    plain = report(broken(lost, replace(uneven(), cause=cause)), broken(repeated, uneven()))
    found = {"SC102": "in epoch 0 sample 1 came 2 of 3 times (length=4 world_size=2 shuffle)"}
    left = {"left": ["SC102", "SC105"], "settled": [], "doubted": [], "found": found}
    told = list_mistakes({**plain, "proposal": {"words": "repeats=3", "signs": ["repeat"], **left}})
    assert [one.lead["code"] for one in told] == (["SC102", "SC105"] if cause else ["SC105", "SC102"])


def test_what_only_tiny_datasets_show_comes_after_the_other_mistakes() -> None:
    tiny = replace(uneven(), case=Case(length=1, world_size=3), realistic_case=None, shown=None)
    order = replace(EQUAL_STEPS, code="SC302", consequence="wrong order")
    mistakes = list_mistakes(report(broken(EQUAL_STEPS, tiny), broken(order, uneven())))
    assert [one.lead["code"] for one in mistakes] == ["SC104", "SC302"]  # a crash is worse than any order
    lost = replace(EQUAL_STEPS, consequence="loses data")
    mistakes = list_mistakes(report(broken(lost, tiny), broken(order, uneven())))
    assert [one.lead["code"] for one in mistakes] == ["SC302", "SC104"]
    mistakes = list_mistakes(report(broken(EQUAL_STEPS, uneven()), broken(order, uneven())))
    assert [one.lead["code"] for one in mistakes] == ["SC104", "SC302"]


def test_what_is_found_and_drawn_is_of_one_case_that_is_named() -> None:
    for name in ("one", "two", "crash"):
        text = brief(SCREENS[name])
        for one in SCREENS[name]["results"]:
            if one["failure"] and one["code"] in ("SC104", "SC301", "SC001"):
                failure = one["failure"]
                case = failure["realistic_case"]
                assert case["length"] >= LEAST_REALISTIC
                assert sentence(failure["shown"]["found"]).rstrip(".") in " ".join(text.split())
                case_row, beside = f"  case      {case_text(case)}\n", f"({case_in_brief(case)})."
                assert (case_row if one["code"] != "SC301" else beside) in text
                assert failure["id"] in text or failure["token"] in text


@pytest.mark.parametrize(
    ("again", "line"),
    [
        ("replay abcdefgh", "replay abcdefgh  # the smallest: n=1,world=2,batch=1"),
        (f"replay {'a' * 20}", f"replay {'a' * 20}  # the smallest case"),
        (f"replay {'a' * 40}", f"replay {'a' * 40}"),
        ('replay "SC104?n=1,world=2,batch=1"', 'replay "SC104?n=1,world=2,batch=1"'),
    ],
)
def test_a_command_that_runs_another_case_than_the_one_shown_says_which(again: str, line: str) -> None:
    command = f"samplercheck {again}"
    shown = brief(report(broken(EQUAL_STEPS, replace(uneven(), again=(command,)))), width=80)
    assert f"\n  again     samplercheck {line}\n" in shown
    if "replay a" in line:  # a case that neither this row nor the one on when names has a row of its own
        known = replace(uneven(), again=(command,), region="exactly when length >= 1")
        is_told = "n=1,world=2" in line
        row = "\n  smallest  length=1 world_size=2 batch_size=1 ("
        assert (row in brief(report(broken(EQUAL_STEPS, known)), width=80)) is not is_told
    alone = replace(uneven(), again=(command,), shown=None, realistic_case=None)
    assert f"\n  again     {command}\n" in brief(report(broken(EQUAL_STEPS, alone)), width=80)


def test_one_fault_that_blocks_sixteen_laws_is_one_line() -> None:
    lines = [line for line in brief(SCREENS["hang"]).split("\n") if line.startswith("not checked")]
    assert len(lines) == 1
    assert "16 laws" in lines[0]
    assert "1 of 3 laws broken" in brief(SCREENS["hang"])


def test_a_clean_screen_says_what_was_not_tried_and_a_broken_one_how_much() -> None:
    assert "\nnot tried   real process groups" in brief(SCREENS["clean"])
    number = len(SCREENS["one"]["not_tried"])
    assert number > 1
    assert f"{number} things not tried (--verbose)" in brief(SCREENS["one"]).rsplit("\n", 1)[1]


def test_the_chance_of_a_false_alarm_is_told_where_luck_could_explain_what_was_found() -> None:
    assert [name for name in SCREENS if "\nchance " in brief(SCREENS[name])] == ["two"]


def test_a_target_is_never_cut_on_its_left() -> None:
    folder = "a-folder-with-a-name/" * 3
    plain = {**SCREENS["one"], "where": f"{folder}samplers.py:12"}
    assert brief(plain).startswith("BROKEN      ceil_chunk_clamp: ")
    wide = brief(plain, width=90)
    assert wide.startswith("BROKEN      ceil_chunk_clamp in ")
    assert "samplers.py: " in wide


def test_a_command_is_never_cut() -> None:
    long = tuple(f"samplercheck replay {'x' * 40} \\" for _ in range(4))
    text = brief(report(broken(EQUAL_STEPS, replace(uneven(), again=long))))
    assert all(line in text for line in long)


def test_a_report_that_was_written_before_has_a_first_screen() -> None:
    plain = report(broken(EQUAL_STEPS, uneven()))
    for one in plain["results"]:
        del one["failure"]["again"], one["failure"]["follows"], one["failure"]["shown"], one["fault"]
    del plain["where"]
    assert "again" not in brief(plain)
    assert "The law equal-steps is broken" in brief(plain)


def test_a_long_picture_shows_what_is_marked() -> None:
    rows = [f"rank {rank:>2}  0  1" + ("   <- again: 1" if rank == 30 else "") for rank in range(40)]
    drawn = replace(uneven(), grid=("step     0  1", *rows))
    text = brief(report(broken(EQUAL_STEPS, drawn)))
    assert "rank 30  0  1   <- again: 1" in text
    assert "rank 39" not in text
    assert len(text.split("\n")) <= 40


@pytest.mark.thorough
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


def test_a_failure_with_a_remedy_names_the_verb_that_tries_it() -> None:
    treatable = broken(EQUAL_STEPS, replace(uneven(), remedies=("one order dealt out",)))
    both = "samplercheck explain SC104; samplercheck fix pkg:Sampler"
    assert verdict_of(report(treatable, target="pkg:Sampler")).more == both
    explain = both.partition(";")[0]
    assert verdict_of(report(broken(EQUAL_STEPS, uneven()), target="pkg:Sampler")).more == explain
    for unknown in ({"target": "a sampler"}, {"target": "pkg:S", "contract": "Contract(tail='keep')"}):
        assert verdict_of(report(treatable, **unknown)).more == explain


def test_the_verb_is_named_where_it_may_help_with_what_is_worst_and_says_how_much_it_tries() -> None:
    treatable = broken(EQUAL_STEPS, replace(uneven(), remedies=("one order dealt out",)))
    lesser = broken(RESHUFFLES, replace(uneven(), remedies=("own shuffle",)))
    text = brief(report(treatable, target="pkg:Sampler"))
    assert "\n  try       samplercheck fix pkg:Sampler  # tries up to 16 wrappers\n" in text
    both = brief(report(treatable, lesser, target="pkg:Sampler"))
    assert "samplercheck fix pkg:Sampler  # tries up to 17 wrappers\n" in both
    worst = broken(EQUAL_STEPS, uneven())
    assert "samplercheck fix" not in brief(report(worst, lesser, target="pkg:Sampler"))


def test_a_wrong_length_is_a_mistake_of_its_own_where_what_it_follows_from_is_early_alone() -> None:
    loses = replace(EQUAL_STEPS, code="SC102", consequence="loses data", fault="never yields some samples")
    length = replace(EQUAL_STEPS, code="SC201", consequence="wrong step count", fault="len() is larger")
    early = broken(loses, replace(uneven(), region="in the first of 40 epochs, exactly when length >= 1"))
    always = broken(length, replace(uneven(), region="exactly when length >= 1", follows="SC102"))
    warm_up = report(early, always)
    assert [one.lead["code"] for one in list_mistakes(warm_up)] == ["SC102", "SC201"]
    head = brief(warm_up).partition("\n\n")[0]
    assert "\nand         wrong step count: rank 0 yields 2 items, rank 1 yields 1 (SC201)" in head
    lost = broken(loses, replace(uneven(), region="exactly when length >= 1"))
    assert [one.lead["code"] for one in list_mistakes(report(lost, always))] == ["SC102"]
    in_groups = broken(length, replace(uneven(), region="", failing=0, tried=0, follows="SC102"))
    assert [one.lead["code"] for one in list_mistakes(report(early, in_groups))] == ["SC102"]


def test_one_reason_for_many_undecided_laws_names_the_first_of_them() -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{number}") for number in range(1, 9)]
    why = "World 'nccl' needs 1 GPU and found 0."
    results = [LawResult(law=law, outcome=Outcome.UNKNOWN, reason=why) for law in laws]
    told = report(*results)
    assert verdict_of(told).why == f"{why} (8 laws from SC101 on)"
    text = brief({**told, "not_tried": [f"nccl: {why[:-1]}", "process groups of gloo"]})
    assert text.count(why[:-1]) == 1
    assert "\nnot tried   process groups of gloo\n" in text


def test_two_blocks_that_are_a_few_lines_too_long_for_a_screen_are_told_on_it() -> None:
    two = deepcopy(SCREENS["two"])
    two["results"] = [one for one in two["results"] if one["outcome"] != "unknown"]
    for one in (one for one in two["results"] if one["failure"]):
        one["failure"] |= {"again": [], "evidence": "", "region": "exactly when length >= 2"}
    text = brief(two)
    assert len(text.splitlines()) <= 40
    assert "samplercheck explain SC104" not in text
    assert "  cause     The tail that world_size does not divide" in text
    assert text.count("BROKEN  ") == 3


def test_a_row_is_cut_only_where_the_screen_has_no_line_left_for_it() -> None:
    two = deepcopy(SCREENS["two"])
    two["results"] = [one for one in two["results"] if one["outcome"] != "unknown"]
    cause = "What some ranks take of the one order is not what others leave of it by far"
    for one in (one for one in two["results"] if one["failure"]):
        one["failure"] |= {"again": [], "evidence": "", "region": "exactly when length >= 2", "cause": cause}
    assert "cause     What some ranks take" in (text := brief(two))
    assert len(text.splitlines()) == 40 or "by far." in " ".join(text.split())


@pytest.mark.parametrize("site", ["", "https://docs.example.org/"])
def test_each_block_links_the_page_of_its_law_where_the_site_is_known(site: str) -> None:
    text = brief({**SCREENS["two"], "documentation": site})
    told = [line.split()[-1] for line in text.splitlines() if line.startswith("  more ")]
    assert told == ["SC104"]
    text = brief({**SCREENS["one"], "documentation": site})
    assert ("\n            https://docs.example.org/laws/SC104.html\n" in text) == bool(site)
    assert ("https://" in text) == bool(site)


def test_where_space_is_short_the_block_leaves_out_what_the_verdict_says() -> None:
    fix = "Extend the order with its own beginning until world_size divides it, then deal it out to the ranks"
    seen = {"fix": fix, "line": "samplers.py:31: return iter(order)", "cause": "The tail is odd"}
    short = brief(report(broken(EQUAL_STEPS, replace(uneven(), **seen))))
    assert " ".join(short.split()).count(fix) == 2
    again = ("samplercheck replay \\",) * 30
    long = replace(uneven(), **seen, again=again)
    text = " ".join(brief(report(broken(EQUAL_STEPS, long))).split())
    assert text.count(fix) == text.count("samplers.py:31") == 1


def test_what_a_target_seems_to_mean_is_said_before_the_condition() -> None:
    region = "at least when length >= 6 and 2 * length > world_size"
    laws = [replace(EQUAL_STEPS, code=f"SC10{number}", consequence="loses data") for number in (2, 3)]
    plain = report(*(broken(law, replace(uneven(), region=region)) for law in laws))
    contract = {"words": "coverage=sampled,order=shuffled", "settled": ["SC102", "SC103"], "left": ["SC301"]}
    proposal = {**contract, "signs": ["draw with replacement"], "doubted": ["SC102"]}
    head = " ".join(brief({**plain, "proposal": proposal}).partition("\n\n")[0].split())
    assert "if meant to draw with replacement: --contract coverage=sampled" in head


def test_the_contract_that_lines_speak_of_is_named_where_the_head_had_no_room() -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{number}", name="a-law-with-a-long-name") for number in (1, 2, 3)]
    plain = report(*(broken(law, uneven()) for law in laws))
    words = "coverage=sampled,frequencies=unjudged,order=shuffled,tail=keep"
    proposal = {"words": words, "left": ["SC101"], "settled": ["SC102", "SC103"], "signs": ["draw"]}
    text = brief({**plain, "proposal": proposal})
    assert text.count("holds with that contract") == 2
    assert text.replace(" ", "").replace("\n", "").count(words) == 1
    assert "1 mistake, 3 of 3 laws broken." in text


def test_mistakes_without_a_block_are_a_line_each_where_space_is_short_and_the_picture_stays() -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{number}") for number in range(1, 6)]
    steps = ("step    0", *(f"rank {rank}  {rank}   <- waits at step 0" for rank in range(5)))
    again = ("samplercheck replay \\",) * 6
    plain = report(*(broken(law, replace(uneven(), grid=steps, again=again)) for law in laws))
    settled = {"settled": [one.code for one in laws[1:]], "left": ["SC101"], "signs": []}
    long = {**plain, "proposal": {"words": "tail=keep", **settled}, "notes": ["a note"] * 3}
    text = brief(long)
    lines = text.splitlines()
    fault = "BROKEN  Ranks take different numbers of steps ({})"
    at = lines.index(next(line for line in lines if line.startswith(fault.format("SC102"))))
    named = [fault.format(f"SC10{number}") for number in (2, 3, 4, 5)]
    assert [line.partition(")")[0] + ")" for line in lines[at : at + 4]] == named
    assert lines[at + 4] == "        These 4 hold with --contract tail=keep"
    assert text.count("<- waits at step 0") >= 4
    assert len(lines) <= 40


def test_what_the_proposed_contract_excuses_is_told_in_few_lines_behind_the_real_mistake() -> None:
    repeats = replace(EQUAL_STEPS, code="SC103", consequence="repeats data")
    plain = report(broken(repeats, uneven()), LawResult(law=RESHUFFLES, outcome=Outcome.HOLDS))
    found = {"found": {"SC301": "rank 0 yields 1, 0 twice"}, "hints": {"SC301": "the seed"}, "doubted": []}
    proposal = {"words": "coverage=sampled", "signs": ["draw"], "settled": ["SC103"], "left": ["SC301"]}
    text = brief({**plain, "proposal": {**proposal, **found}})
    assert text.index("SC301 reshuffles") < text.index("SC103 equal-steps")
    assert "SC103 equal-steps, holds with" in text
    assert "<- waits" not in text
    assert text.count("Add --select SC103 for that one alone, --verbose for all in full.") == 1


@pytest.mark.parametrize(("tried", "lines"), [(0, 1), (260, 2)])
def test_a_line_below_a_mistake_does_not_repeat_after_what_it_shows(tried: int, lines: int) -> None:
    failure = replace(uneven(), region="", failing=tried // 20, tried=tried)
    plain = report(broken(replace(EQUAL_STEPS, event="in a second pass"), failure))
    named = list_others(plain, ([], list_mistakes(plain)), "", 78, in_lines=True, whens=2)
    assert len(named) == lines


def test_an_excused_mistake_that_may_lose_data_is_told_in_few_lines_where_space_is_short() -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{number}") for number in (1, 2, 3)]
    grid = ("step    0", *(f"rank {rank}  {rank}   <- here" for rank in range(6)))
    again = ("samplercheck replay x",)
    plain = report(*(broken(law, replace(uneven(), grid=grid, again=again)) for law in laws))
    proposal = {"words": "tail=keep", "left": ["SC101"], "settled": ["SC102", "SC103"], "signs": []}
    text = brief({**plain, "proposal": {**proposal, "doubted": ["SC102"]}, "notes": ["a note"] * 3})
    block = text.partition("SC102 equal-steps, holds with --contract tail=keep\n")[2].partition("\n\n")[0]
    labels = [line.split()[0] for line in block.splitlines() if line[2:12].strip()]
    assert labels == ["found", "when", "again"]
    assert "(length=" in block


def test_a_region_that_leaves_luck_aside_is_said_in_words_alone() -> None:
    failure = replace(uneven(), region=f"exactly when length >= 2{LUCK}", failing=43, tried=65, inside=43)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_when(one) == "always with 2 or more samples, except by chance"
    assert describe_region(one) == "always with 2 or more samples, except by chance (43 of 65 cases)"


def test_where_what_wraps_a_sampler_is_wrong_it_is_said_with_what_it_was_not_tried() -> None:
    plain = report(broken(EQUAL_STEPS, uneven()))
    untried = f"{UNSEEDED}: ranks may overlap"
    assert f"not tried   {untried}\n" in brief({**plain, "not_tried": ["resuming", untried]})
    assert "not tried   " not in brief({**plain, "not_tried": ["resuming"]})


def test_one_case_that_was_tried_is_no_cases() -> None:
    said = report(broken(EQUAL_STEPS, uneven()))
    said["tried"] = [{**said["tried"][0], "cases": 1, "planned": 1}]
    assert "\n1 case tried" in brief(said)


def test_above_an_empty_dataset_is_no_exception_that_anybody_would_think_of() -> None:
    failure = replace(uneven(), region="in every case; undecided where length == 0", failing=60, tried=65)
    (one,) = report(broken(EQUAL_STEPS, failure))["results"]
    assert describe_when(one) == "always"
    assert describe_region(one) == "always, except for an empty dataset (60 of 65 small cases)"


def test_another_mistake_of_known_cause_names_its_line() -> None:
    line = "pkg/samplers.py:41: np.random.shuffle(blocks); this uses a global generator"
    other = replace(uneven(), cause="It draws from a global generator.", line=line)
    mistakes = list_mistakes(report(broken(EQUAL_STEPS, uneven()), broken(RESHUFFLES, other)))
    assert [name_place(one) for one in mistakes] == ["", "see samplers.py:41"]
