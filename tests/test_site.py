"""The built site: its links lead somewhere, it asks no other site, and everybody can read it.

``SAMPLERCHECK_SITE`` names the folder that ``sphinx-build`` wrote; ``.ci/run`` builds it. Without it, or
without a browser, these tests are skipped.
"""

from __future__ import annotations

import os
import re
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
