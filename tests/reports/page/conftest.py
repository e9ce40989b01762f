"""A browser for the tests of the page; without one they are skipped, and say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.browser import Browser, find_browser

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    path = find_browser()
    if not path:
        pytest.skip("no Chromium on this machine: install the package chromium, or set SAMPLERCHECK_BROWSER")
    opened = Browser(path)
    yield opened
    opened.close()
