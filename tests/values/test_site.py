"""The site's address: what pyproject.toml names, what the environment says instead, pages of laws."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from samplercheck.errors import UsageError
from samplercheck.values.site import VARIABLE, find_site, page_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
SITE = "https://docs.example.org/kit/"


def install(where: Path, *headers: str) -> None:
    """Put the metadata of an installed package into a folder."""
    folder = where / "samplercheck-99.dist-info"
    folder.mkdir()
    lines = ("Metadata-Version: 2.4", "Name: samplercheck", "Version: 99", *headers)
    (folder / "METADATA").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([f"Project-URL: Source, {SITE}src", f"Project-URL: Documentation, {SITE}"], SITE),
        ([f"Project-URL: Documentation, {SITE.rstrip('/')}"], SITE),
        ([f"Project-URL: Source, {SITE}"], ""),
        ([], ""),
    ],
    ids=["named", "without a slash", "another address", "none"],
)
def test_the_installed_package_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, headers: list[str], address: str
) -> None:
    install(tmp_path, *headers)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_site({}) == address


def test_what_is_not_installed_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    assert find_site({}) == ""


def test_the_project_names_the_address_that_tests_see() -> None:
    named = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["urls"]["Documentation"]
    assert find_site(os.environ) == named


def test_the_environment_overrules_it() -> None:
    assert find_site({VARIABLE: f" {SITE.rstrip('/')} "}) == SITE
    assert find_site({VARIABLE: ""}) == ""


@pytest.mark.parametrize(
    "text",
    ["docs", "javascript:alert(1)", "https://a b/", "https://a/)](x", "https://a\n/", f"https://{'a' * 300}"],
)
def test_what_cannot_be_linked_is_an_error_that_says_how(text: str) -> None:
    with pytest.raises(UsageError, match=f"{VARIABLE} is .* Write {VARIABLE}=https://"):
        find_site({VARIABLE: text})


def test_laws_of_the_kit_have_a_page_where_a_site_is_known() -> None:
    assert page_of(SITE, "SC104") == f"{SITE}laws/SC104.html"
    assert page_of(SITE, "SC1101") == f"{SITE}laws/SC1101.html"
    assert page_of(SITE, "MY001") == page_of("", "SC104") == ""
