"""The built site: its links lead somewhere, it asks no other site, and everybody can read it.

``SAMPLERCHECK_SITE`` names the folder that ``sphinx-build`` wrote; ``.ci/run`` builds it. Without it, or
without a browser, these tests are skipped.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag

import pytest

from samplercheck.laws import ALL_LAWS
from samplercheck.laws.history import HISTORY_LAWS
from samplercheck.values.site import page_of
from tests.support.browser import Tab

if TYPE_CHECKING:
    from tests.support.browser import Browser

SITE = Path(os.environ.get("SAMPLERCHECK_SITE", "nowhere"))
AXE = os.environ.get("SAMPLERCHECK_AXE", "")
KINDS = (
    *("index", "tutorial", "laws/SC104"),
    *("reference/command-line", "reference/api", "trophies/index"),
)
LOOKS = [
    pytest.param({"width": 1280}, id="desktop"),
    pytest.param({"width": 1280, "dark": True}, id="dark"),
    pytest.param({"width": 390}, id="phone"),
    pytest.param({"width": 390, "dark": True}, id="dark-phone"),
]

pytestmark = [
    pytest.mark.skipif(not SITE.is_dir(), reason="SAMPLERCHECK_SITE names no built site"),
    pytest.mark.xdist_group("browser"),
]


def test_every_link_to_the_site_itself_leads_somewhere() -> None:
    texts = {page.resolve(): page.read_text(encoding="utf-8") for page in SITE.rglob("*.html")}
    assert len(texts) > 80
    lost = set()
    for page, text in texts.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            address, mark = urldefrag(unquote(link))
            if re.match(r"[a-z]+:", address):
                continue
            there = (page.parent / address.partition("?")[0]).resolve() if address else page.resolve()
            marked = (
                not mark or there.suffix != ".html" or f'id="{mark}"' in there.read_text(encoding="utf-8")
            )
            if not there.is_file() or not marked:
                lost.add((page.relative_to(SITE).as_posix(), link))
    assert lost == set()


def test_every_law_has_its_page_where_messages_link_it() -> None:
    for law in (*ALL_LAWS, *HISTORY_LAWS):
        assert (SITE / page_of("https://docs.example.org/", law.code).split("/", 3)[3]).is_file()


@pytest.mark.skipif(not AXE, reason="SAMPLERCHECK_AXE does not name axe.min.js: npm pack axe-core has it")
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_and_no_other_site_is_asked(
    browser: Browser, kind: str, look: dict[str, Any]
) -> None:
    tab = Tab(browser, **look)
    tab.open(SITE / f"{kind}.html")
    assert [one for one in tab.requests if not one.startswith(("file:", "data:"))] == []
    tab.value(Path(AXE).read_text(encoding="utf-8") + "; 1")
    found = tab.value("axe.run(document).then((told) => [told.violations, told.passes.length])")
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found[0]] == []
    assert found[1] > 10
    assert tab.value("document.documentElement.scrollWidth - innerWidth") <= 0
    tab.close()


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("SC104", "laws/SC104.html"),
        ("equal-steps", "laws/SC104.html"),
        ("ranks take different numbers of steps", "laws/SC104.html"),
        ("SC1101", "laws/SC1101.html"),
    ],
)
def test_from_a_law_in_a_log_the_search_leads_to_its_fix_without_a_network(
    browser: Browser, words: str, page: str
) -> None:
    tab = Tab(browser)
    tab.open(SITE / "index.html")
    field = "document.querySelector('.sidebar-search')"
    tab.value(f"{field}.value = {words!r}; {field}.form.requestSubmit()")
    addresses = "[...document.querySelectorAll('ul.search li a')].map((one) => one.getAttribute('href'))"
    found: list[str] = []
    for _ in range(300):
        time.sleep(0.1)
        found, before = tab.value(addresses), found
        if found and found == before:
            break
    assert page in [one.partition("?")[0].partition("#")[0] for one in found[:3]], found
    tab.value(f"document.querySelector('ul.search li a[href^=\"{page}\"]').click()")
    told = ""
    for _ in range(300):
        time.sleep(0.1)
        there = f"document.body && location.pathname.endsWith({page!r})"
        told = tab.value(f"{there} ? document.body.textContent : ''")
        if "How to fix it" in told:
            break
    assert "How to fix it" in told
    assert [one for one in tab.requests if not one.startswith(("file:", "data:"))] == []
    tab.close()
