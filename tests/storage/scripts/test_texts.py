"""How lines of texts are filled in, and what is read from headings."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from samplercheck.storage.scripts._texts import PIECES, RECIPES, STEPS, Recipe
from samplercheck.storage.templates import fill, holds

CASE = SimpleNamespace(places=2, size=3, later=True, endless=False, lines=["one", "two"], none_yet=[])


def test_expressions_stand_in_braces() -> None:
    assert fill("a[${places * size}] = {b}", CASE) == ["a[6] = {b}"]
    assert fill("${size}${more}", CASE, more="!") == ["3!"]


def test_several_lines_are_moved_to_the_right_and_none_leave_no_line() -> None:
    assert fill("for a in b:\n    ${lines}\n    ${none_yet}\n\nlast", CASE) == [
        "for a in b:", "    one", "    two", "", "last"
    ]  # fmt: skip


def test_a_line_is_left_out_unless_its_condition_holds() -> None:
    text = "later? a\nnot later? b\nlater and not endless?     c\n    size == 3? d"
    assert fill(text, CASE) == ["a", "    c", "    d"]


@pytest.mark.parametrize(
    ("size", "lines"), [(1, ["a", "b"]), (2, ["c", "d"]), (3, ["e", "f"])], ids=["if", "else if", "else"]
)
def test_else_holds_where_nothing_right_above_it_does(size: int, lines: list[str]) -> None:
    text = "size == 1? a\nsize == 1? b\nelse size == 2? c\nelse size == 2? d\nelse? e\nelse? f"
    assert fill(text, SimpleNamespace(size=size)) == lines


def test_a_condition_of_its_own_begins_another_choice() -> None:
    assert fill("later? a\nendless? b\nelse? c", CASE) == ["a", "c"]


def test_a_name_that_nobody_has_is_an_error() -> None:
    with pytest.raises(AttributeError, match="unheard"):
        fill("${unheard}", CASE)
    with pytest.raises(AttributeError, match="unheard"):
        holds("not unheard", CASE)


def test_no_condition_holds() -> None:
    assert holds("", CASE)


def test_headings_say_which_laws_are_shown_how() -> None:
    check = RECIPES["SC402"].check
    assert RECIPES["SC307"] == Recipe("compare_with_torch", check, 'contract.reference == "torch"')
    assert RECIPES["SC502 beside"] == Recipe("beside", check)
    assert STEPS["take_epoch"].into == "passes"
    assert (STEPS["jumps"].into, STEPS["jumps"].result) == ("pairs", "(first, second)")
    assert STEPS["lengths"].into == ""
    assert "start" in PIECES
