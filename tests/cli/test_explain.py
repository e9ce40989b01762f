"""``laws`` and ``explain`` say what the laws say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck.laws import ALL_LAWS
from tests.support.command_line import call, is_screen

if TYPE_CHECKING:
    from samplercheck.laws.law import Law


def flat(text: str) -> str:
    """A text with its line breaks taken out."""
    return " ".join(text.split())


def test_the_list_has_every_law_with_its_statement() -> None:
    done = call("laws")
    assert done.exit_code == 0
    assert is_screen(done.output)
    for law in ALL_LAWS:
        assert f"\n{law.code}" in f"\n{done.output}"
        assert law.name in done.output
        assert flat(law.statement) in flat(done.output)


@pytest.mark.parametrize("law", ALL_LAWS, ids=lambda law: law.label)
def test_the_page_of_a_law_says_all_that_the_law_knows(law: Law) -> None:
    done = call("explain", law.code)
    assert done.exit_code == 0
    assert is_screen(done.output)
    assert done.output.startswith(f"{law.code} {law.name}\n")
    for text in (law.statement, law.why, law.fix, law.intended, ", ".join(law.reads)):
        assert flat(text) in flat(done.output)
    assert ("When it is intended" in done.output) == bool(law.intended)
    assert call("explain", law.name).output == done.output


def test_a_misspelt_law_is_usage_with_the_nearest() -> None:
    done = call("explain", "equal-step")
    assert done.exit_code == 2
    assert "equal-steps" in done.output


@pytest.mark.parametrize("site", ["", "https://docs.example.org/"])
def test_the_page_on_the_web_is_named_where_the_site_is_known(
    monkeypatch: pytest.MonkeyPatch, site: str
) -> None:
    monkeypatch.setenv("SAMPLERCHECK_DOCUMENTATION", site)
    text = call("explain", "SC104").output
    assert text.endswith("\nOn the web\n  https://docs.example.org/laws/SC104.html\n") == bool(site)
    assert ("On the web" in text) == bool(site)


def test_an_address_that_cannot_be_linked_is_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAMPLERCHECK_DOCUMENTATION", "our docs")
    done = call("explain", "SC104")
    assert done.exit_code == 2
    assert "SAMPLERCHECK_DOCUMENTATION is 'our docs'" in done.output
