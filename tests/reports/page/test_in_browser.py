"""The page in a real Chromium: it loads nothing, complains of nothing, harms nobody, and can be read."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.reports.page import render
from samplercheck.reports.page._environment import shorten, visible
from tests.reports.page.real_runs import HARM, REPORTS, report_of
from tests.support import awkward, handmade
from tests.support.browser import Browser, Tab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Open = Callable[..., Tab]

pytestmark = pytest.mark.xdist_group("browser")
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
AXE = os.environ.get("SAMPLERCHECK_AXE", "")
PHONE = 390
DRAWN = ("clean", "uneven", "resume", "order", "frequencies")
CLICK = """new Promise((done) => {
    const button = document.querySelector("button.copy");
    const command = button.parentElement.querySelector("code").textContent;
    button.click();
    setTimeout(() => done([button.textContent, command]), 200);
})"""
LOOKS = [
    pytest.param({"dark": False}, id="light"),
    pytest.param({"dark": True}, id="dark"),
    pytest.param({"width": PHONE}, id="phone"),
]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open the page of some reports; what the browser says of it is asked afterwards."""
    tabs: list[Tab] = []

    def open_page(*reports: dict[str, Any], bypass: bool = False, **how: Any) -> Tab:
        path = tmp_path / f"{len(tabs)}.html"
        path.write_text(render(list(reports)), encoding="utf-8")
        tabs.append(Tab(browser, **how))
        if bypass:
            tabs[-1].call("Page.setBypassCSP", enabled=True)
        tabs[-1].open(path)
        return tabs[-1]

    yield open_page
    for tab in tabs:
        assert tab.complaints == []
        assert len(tab.requests) == 1
        tab.close()


def everything() -> list[dict[str, Any]]:
    """Reports of all kinds."""
    return [*map(report_of, REPORTS), handmade.mixed(), handmade.undecided(), awkward.hostile()]


@pytest.mark.thorough
@pytest.mark.parametrize("look", LOOKS)
def test_the_page_can_be_read_by_whoever_sees_little(opened: Open, look: dict[str, Any]) -> None:
    assert opened(*everything(), **look).value(LOOK) == []


@pytest.mark.thorough
def test_what_is_wrong_with_a_page_is_seen(browser: Browser, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    words = "<p>word</p>" * 10
    bad.write_text(
        f"<h1>a</h1><h3>b</h3>{words}<p style='color:#999'>pale</p><svg></svg><button></button>"
        "<a href='#' style='outline:none'>here</a><p style='width:3000px'>wide</p>"
        "<img src=nothing.png alt=nothing><script>console.log(1); nobody.is.here</script>"
    )
    tab = Tab(browser)
    tab.open(bad)
    assert [Path(one).name for one in tab.requests] == ["bad.html", "nothing.png"]
    assert {"consoleAPICalled", "nobody"} <= set(
        re.findall("consoleAPICalled|nobody", " ".join(tab.complaints))
    )
    complaints = " ".join(tab.value(LOOK))
    for words in (
        "contrast 2.85: pale",
        "h3 after h1",
        "without words",
        "without a name",
        "not seen",
        "wider",
    ):
        assert words in complaints
    tab.close()


@pytest.mark.skipif(not AXE, reason="SAMPLERCHECK_AXE does not name axe.min.js: npm pack axe-core has it")
@pytest.mark.parametrize(
    ("names", "look"),
    [
        pytest.param(("uneven",), {}, id="one report"),
        pytest.param(DRAWN, {"dark": True}, id="dark", marks=pytest.mark.thorough),
        pytest.param(DRAWN, {"width": PHONE}, id="phone", marks=pytest.mark.thorough),
    ],
)
def test_axe_finds_nothing(opened: Open, names: tuple[str, ...], look: dict[str, Any]) -> None:
    tab = opened(*map(report_of, names), bypass=True, **look)
    tab.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.value(Path(AXE).read_text(encoding="utf-8") + "; 1")
    found = tab.value("axe.run(document).then((told) => [told.violations, told.passes.length])")
    violations = [(one["id"], one["nodes"][0]["html"][:200]) for one in found[0]]
    assert violations == []
    assert found[1] > 10


@pytest.mark.parametrize("bypass", [False, True], ids=["as it is", "without its content security policy"])
def test_hostile_names_and_messages_do_no_harm(opened: Open, *, bypass: bool) -> None:
    tab = opened(report_of("harm"), awkward.hostile(), bypass=bypass)
    assert tab.value("typeof window.harmed") == "undefined"
    assert tab.value("document.querySelectorAll('img, iframe, link[rel=stylesheet]').length") == 0
    assert tab.value("document.scripts.length") == 1
    assert tab.value("document.querySelectorAll('h2')[0].textContent") == visible(shorten(HARM, 200))
    outside = tab.value("[...document.querySelectorAll('a:not([href^=\"#\"])')].map((one) => one.href)")
    assert {one.rpartition("/laws/")[0] for one in outside} <= {"https://samplercheck.readthedocs.io"}
    tab.value(
        "document.querySelectorAll('a[href^=\"#\"], button, summary').forEach((one) => one.click())"
    )
    assert tab.value("typeof window.harmed") == "undefined"
    assert tab.value("location.pathname").endswith(".html")


def test_the_policy_of_the_page_stops_scripts_that_are_not_its_own(opened: Open) -> None:
    tab = opened(handmade.mixed())
    harm = "<p id=harm onclick=window.harmed=1>x</p>"
    tab.value(f"document.body.insertAdjacentHTML('beforeend', '{harm}')")
    tab.value("document.getElementById('harm').click()")
    assert tab.value("typeof window.harmed") == "undefined"
    assert any("Content Security Policy" in one for one in tab.complaints)
    tab.forget()


def test_without_scripts_all_of_it_is_there_but_the_buttons(opened: Open) -> None:
    with_scripts, without = opened(handmade.mixed()), opened(handmade.mixed(), scripts=False)
    words = "document.querySelector('main').innerText.replaceAll(/^Copy$\\n?/gm, '')"
    assert without.value(words) == with_scripts.value(words)
    buttons = "[...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).length"
    assert with_scripts.value(buttons) > 0
    assert without.value(buttons) == 0


def test_a_button_copies_its_command(opened: Open) -> None:
    tab = opened(handmade.mixed())
    tab.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    told = tab.value(CLICK)
    assert told[0] in ("Copied", "Selected")
    if told[0] == "Selected":
        assert tab.value("getSelection().toString()") == told[1]
    else:
        assert tab.value("navigator.clipboard.readText()") == told[1]


@pytest.mark.thorough
def test_where_scripts_run_the_map_shows_a_single_law(opened: Open) -> None:
    report = report_of("uneven")
    laws = sorted({code for square in report["map"] for code in square["laws"]})
    assert len(laws) > 1
    maps = "[...document.querySelectorAll('.map')].filter((one) => one.checkVisibility())"
    shown = f"{maps}.map((one) => one.dataset.law)"
    assert opened(report, scripts=False).value(shown) == [""]
    tab = opened(report)
    choices = "document.querySelector('.choose select')"
    assert tab.value(f"[...{choices}.options].map((one) => one.value)") == ["", *laws]
    tab.value(f"{choices}.value = '{laws[-1]}'; {choices}.dispatchEvent(new Event('change'))")
    assert tab.value(shown) == [laws[-1]]


@pytest.mark.thorough
def test_it_is_dark_where_the_reader_is_and_light_on_paper(opened: Open) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    assert opened(handmade.clean()).value(colour) == "rgb(253, 253, 251)"
    dark = opened(handmade.clean(), dark=True)
    assert dark.value(colour) == "rgb(22, 22, 21)"
    dark.call("Emulation.setEmulatedMedia", media="print")
    assert dark.value(colour) == "rgb(255, 255, 255)"
    assert dark.printed().startswith(b"%PDF")


@pytest.mark.thorough
def test_links_lead_to_their_failure(opened: Open) -> None:
    tab = opened(report_of("uneven"))
    tab.value("document.querySelector('.broken-laws a').click()")
    assert tab.value("document.querySelector(location.hash).getBoundingClientRect().top") < 100
