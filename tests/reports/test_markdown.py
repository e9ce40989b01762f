"""Markdown stays text, whatever it is made of."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck.reports.summary import block, code, prose, table_row
from samplercheck.values.layout import printable

AWKWARD = st.text(alphabet=st.sampled_from(list("`|\\<>&*_[]()!@:#~$ \n\r\t\x1b\u00e9a1-+.")), max_size=40)


@given(AWKWARD)
def test_prose_is_one_line_without_anything_that_markdown_or_html_reads(text: str) -> None:
    shown = prose(text)
    assert not re.search(r"[<>`*_\[\]|~\\@$]|^[-+#]|&(?!#\d+;)", shown)
    assert shown.isascii()
    assert html.unescape(shown) == printable(" ".join(text.split()))


@pytest.mark.parametrize(
    "text", ["https://evil.example", "www.evil.example", "WWW.evil", ":bug:", "1. one", "- x"]
)
def test_prose_makes_no_links_lists_or_pictures(text: str) -> None:
    assert prose(text) != text
    assert html.unescape(prose(text)) == text


@given(AWKWARD)
def test_code_cannot_be_closed_from_within(text: str) -> None:
    shown = code(text)
    fence = re.findall("`+", shown)[0]
    inner = shown[len(fence) : -len(fence)]
    assert shown.endswith(fence)
    assert fence not in re.findall("`+", inner)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)\|", shown)


def test_code_of_nothing_is_a_dash() -> None:
    assert code("") == code("  ") == "`-`"


@given(st.lists(AWKWARD, max_size=4))
def test_a_block_cannot_be_closed_from_within(lines: list[str]) -> None:
    first, *inner, last = block(lines)
    assert first == f"{last}text"
    assert len(inner) == len(lines)
    assert not [line for line in inner if last in line or "\n" in line]


def test_long_texts_are_cut() -> None:
    assert len(prose("x" * 1_000)) == 300
    assert len(code("x" * 1_000, 40)) == 42


def test_a_row_has_its_cells() -> None:
    assert table_row("a", "b") == "| a | b |"
