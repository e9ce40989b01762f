"""The page says all that a report does, escaped, and stays small whatever there is to say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from copy import deepcopy
from html.parser import HTMLParser
from itertools import pairwise, product
from typing import Any

import pytest

from samplercheck.reports.page import render
from samplercheck.reports.page._environment import shorten, visible
from tests.reports.page.real_runs import HARM, report_of
from tests.reports.screens import SCREENS
from tests.support import awkward, handmade

MEGABYTE = 1_000_000
LAWS = "https://samplercheck.readthedocs.io/laws/SC"


class Reader(HTMLParser):
    """Collects what a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.words = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.tags if name == tag]

    def has(self, words: str) -> bool:
        return " ".join(words.split()).lower() in " ".join(self.words.split()).lower()


def read(*reports: dict[str, Any]) -> Reader:
    page = render(list(reports))
    assert len(page.encode()) < MEGABYTE
    return Reader(page)


# What it says


def test_a_broken_run_says_what_is_broken_where_why_and_how_to_see_it_again() -> None:
    report = handmade.mixed()
    page = read(report)
    failure = report["results"][1]["failure"] or report["results"][0]["failure"]
    for words in (
        report["target"],
        "Broken",
        "1 law broken, 1 holds, 1 could not be checked.",
        "would hang",
        failure["message"],
    ):
        assert page.has(words)
    for words in (
        "length=3 world_size=2 batch_size=1 shuffle seed=7",
        handmade.EQUAL_STEPS.why,
        failure["hint"],
    ):
        assert page.has(words)
    assert page.has("\n".join(failure["grid"]))
    assert page.has(f"samplercheck explain {handmade.EQUAL_STEPS.code}")
    for words in ("not checked: no case exercised it", "issue 12", "mix them"):
        assert page.has(words)
    assert page.has(report["contract"])


def test_a_long_contract_has_places_where_its_line_may_end() -> None:
    contract = "coverage=<sampled>,order=free"
    page = render([handmade.mixed() | {"contract": contract}])
    assert "coverage=&lt;sampled&gt;,<wbr>order=free" in page
    assert Reader(page).has(contract)


def test_what_was_tried_and_what_was_not_is_on_the_page() -> None:
    report = handmade.mixed()
    page = read(report)
    for one in report["tried"]:
        assert page.has(one["scope"])
    assert page.has("120 of 200")
    assert all(page.has(words) for words in (*report["not_tried"], *report["notes"]))
    assert page.has("at most 1 in 1,000,000")


@pytest.mark.parametrize(
    ("report", "word"),
    [
        (handmade.clean(), "No law is broken"),
        (handmade.undecided(), "Undecided"),
        (handmade.report(), "Nothing to check"),
        ({**handmade.clean(), "interrupted": True}, "Interrupted"),
        ({**handmade.clean(), "baseline": {"known": [], "stale": ["SC104 in x"], "undecided": []}}, "stale"),
    ],
    ids=["clean", "undecided", "nothing", "interrupted", "stale"],
)
def test_the_verdict_is_that_of_the_exit_code(report: dict[str, Any], word: str) -> None:
    page = read(report)
    assert page.has(word)
    assert not page.has("law is broken.")
    assert page.has("it is not a proof") == (word == "No law is broken")


def test_a_known_failure_breaks_nothing_and_is_shown() -> None:
    report = handmade.report(handmade.broken(handmade.EQUAL_STEPS, handmade.uneven()))
    known = [["SC104", report["results"][0]["failure"]["id"]]]
    page = read({**report, "baseline": {"known": known, "stale": [], "undecided": []}})
    assert page.has("1 known to fail")
    assert page.has("known failure")
    assert not page.has("is broken.")


@pytest.mark.thorough
def test_every_link_leads_to_something_and_no_place_has_two_names() -> None:
    page = read(handmade.mixed(), handmade.clean(), report_of("order"))
    places = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(places)) == len(places)
    links = [one["href"] for one in page.all("a")]
    assert {one.removeprefix("#") for one in links if not one.startswith(LAWS)} <= set(places)
    assert len(links) == 5 + sum(one.startswith(LAWS) for one in links)


def test_the_verdict_comes_first_and_what_belongs_to_one_mistake_stands_together() -> None:
    page = read(SCREENS["two"])
    assert page.has("would hang: ranks take different numbers of steps (SC104)")
    listed = re.findall(r"SC\d{3}(?= [a-z-]+ *\n? *(?:would|loses|repeats|wrong))", page.words)
    assert listed[:3] == ["SC104", "SC105", "SC301"]
    assert page.has("has the same cause as SC104")


def test_an_index_of_several_targets_says_what_each_does_to_training_and_how_many_laws_hold() -> None:
    page = render([SCREENS["one"], SCREENS["clean"]])
    index = page.partition('<ul class="index">')[2].partition("</ul>")[0]
    assert "would hang (SC104, SC105): 2 laws broken, 24 hold." in index
    assert "19 laws held in the 77 cases below. It is not a proof." in index


@pytest.mark.parametrize("number", [pytest.param(1, marks=pytest.mark.thorough), 2])
def test_headings_go_down_step_by_step(number: int) -> None:
    page = read(*[report_of("order"), handmade.mixed()][:number])
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_report_of_the_format_before_maps_and_scenes_is_shown() -> None:
    old = json.loads(json.dumps(handmade.mixed()))
    del old["map"]
    for one in old["results"]:
        if one["failure"]:
            del one["failure"]["scene"]
    assert read(old).has("rank 1 1 - <- left the epoch")


# Pictures


@pytest.mark.thorough
def test_orders_resumes_and_frequencies_have_pictures_of_their_own() -> None:
    captions = {
        "order": "Where each sample goes",
        "resume": "Before and after the interruption",
        "frequencies": "How often each sample was drawn",
        "uneven": "What each rank got",
    }
    for name, caption in captions.items():
        page = render([report_of(name)])
        first = page.index("<figcaption><b>")
        assert page[first:].startswith(f"<figcaption><b>{caption}")


@pytest.mark.thorough
def test_epochs_that_show_nothing_of_a_failure_are_not_drawn() -> None:
    told = deepcopy(report_of("uneven"))
    for one in filter(None, (result["failure"] for result in told["results"])):
        one["grid"], one["scene"]["marked"] = [], []
    inside = deepcopy(told)
    for one in filter(None, (result["failure"] for result in inside["results"])):
        one["grid"] = ["epoch set on the wrapper     0 1", "epoch of the sampler inside  0 0   <- differs"]
        one["violations"][0]["experiment"] = "wrapped"
    assert "What each rank got" in render([report_of("uneven")])
    assert "What each rank got" not in render([inside])
    assert "epoch of the sampler inside  0 0   " in render([inside])
    assert "What each rank got" not in render([told])


@pytest.mark.thorough
def test_a_broken_run_has_a_map_with_a_picture_for_each_knob() -> None:
    page = read(report_of("uneven"))
    maps = [one["aria-label"] for one in page.all("svg") if "sc-heat" in one.get("class", "")]
    laws = {code for square in report_of("uneven")["map"] for code in square["laws"]}
    assert len(maps) == 2 * 3 * (1 + len(laws))
    assert all("the first at length 1, world size 2" in one for one in maps)
    assert page.has("a law is broken in every case")
    assert not page.has("a law is broken in some cases")


# What it is made of


def test_a_broken_law_links_its_page_where_the_site_is_known() -> None:
    page = read({**handmade.mixed(), "documentation": "https://docs.example.org/"})
    outside = [one["href"] for one in page.all("a") if not one["href"].startswith("#")]
    assert outside == ["https://docs.example.org/laws/SC104.html"]
    assert page.has("SC104 equal-steps")


@pytest.mark.thorough
def test_nothing_is_loaded_and_nothing_runs_but_the_script_of_the_page() -> None:
    page = read(report_of("uneven"), report_of("harm"), awkward.hostile())
    assert len(page.all("script")) == 1
    assert "src" not in page.all("script")[0]
    assert not {tag for tag, _ in page.tags} & {"img", "iframe", "object", "embed", "base", "form"}
    assert [one["href"] for one in page.all("link")] == ["data:,"]
    assert all(one["href"].startswith(("#", LAWS)) for one in page.all("a"))
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert page.has(str(visible(shorten(HARM, 200))))


def test_text_that_hides_is_written_out() -> None:
    assert visible("a\u202eb\x00\x1b[31m\udc80\u200b") == "a\\u202eb\\x00\\x1b[31m\\udc80\\u200b"
    assert visible("Größe\n\t日本") == "Größe\n\t日本"
    assert render([{**handmade.clean(), "target": "x\udc80\u202e"}]).encode()


# Its size


@pytest.mark.thorough
def test_five_hundred_failures_are_shortened_and_the_page_says_so() -> None:
    page = read(awkward.many(500))
    told = len([one for one in page.all("article") if one["class"] == "failure"])
    named = len([one for one in page.all("li") if "-f" in one.get("id", "")])
    assert told > 10
    assert told + named == 500
    assert page.has(f"{told} failures are shown above, {named} are named here")


@pytest.mark.thorough
def test_reports_without_room_are_counted_and_those_with_failures_go_first() -> None:
    reports = [{**report_of("clean"), "target": f"clean:{number}"} for number in range(60)]
    page = read(*reports, handmade.mixed())
    told = [one["id"] for one in page.all("article") if one["class"] == "report"]
    assert told[-1] == "r60"
    assert 5 < len(told) < 61
    assert page.has(f"{61 - len(told)} reports are not on it")
    assert page.has("clean:59")


def test_the_largest_map_that_a_run_makes_is_drawn_and_a_larger_one_is_named() -> None:
    knobs = list(product(range(5), (False, True), (False, True)))
    names = ("length", "world_size", "batch_size", "shuffle", "drop_last")
    squares = [
        {**dict(zip(names, (length, world, *knob), strict=True)), "tried": 3, "broken": 3}
        for length in range(25)
        for world in range(1, 9)
        for knob in knobs
    ]
    page = read({**handmade.clean(), "map": squares})
    assert len([one for one in page.all("svg") if "sc-heat" in one["class"]]) == len(knobs)
    page = read({**handmade.clean(), "map": squares * 2})
    assert page.has("too large to be drawn here")
    assert page.has("No law is broken")


def test_a_report_that_is_too_large_by_itself_keeps_its_verdict() -> None:
    report = {**handmade.mixed(), "not_tried": ["'" * 500] * 500, "notes": ["&" * 500] * 500}
    report["results"] = [*report["results"], *({**one, "name": "<" * 80} for one in report["results"] * 90)]
    page = read(report)
    assert page.has("Broken")
    assert page.has("is too much for this page")
    assert page.has("What is broken")


@pytest.mark.thorough
@pytest.mark.parametrize("size", [5, 300])
def test_endless_words_are_cut_and_the_cut_is_said(size: int) -> None:
    report = awkward.hostile()
    report["target"] = "x" * 3_000_000
    report["results"] *= size
    report["notes"] *= size
    page = read(report)
    assert page.has("letters left out")


def test_the_page_needs_neither_torch_nor_numpy() -> None:
    code = (
        "import sys, samplercheck.reports.page as page; page.render([]);"
        "print({'torch', 'numpy', 'hypothesis', 'pytest'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
