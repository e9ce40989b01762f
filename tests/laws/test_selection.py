"""Which laws are run: all of them, those that are named, and not those that are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck.laws import ALL_LAWS
from samplercheck.laws.own import forget, law
from samplercheck.laws.selection import find_law, select_laws
from samplercheck.values.errors import LawError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Law

CODES = [one.code for one in ALL_LAWS]


@pytest.fixture
def own_law() -> Iterator[Law]:
    """A law of the user's own, for one test."""
    yield law("MY001", "first-is-zero", "Rank 0 begins every epoch with sample 0.")(lambda _: ())
    forget("MY001")


def test_only_laws_about_faults_are_judged_despite_faults() -> None:
    assert {one.code for one in ALL_LAWS if one.despite_faults} == {"SC001", "SC002", "SC904"}


def codes_of(*select: str, skip: object = ()) -> list[str]:
    """The codes that are chosen."""
    return [one.code for one in select_laws(select, skip)[0]]  # type: ignore[arg-type]


@pytest.mark.usefixtures("own_law")
def test_selecting_nothing_selects_all_laws_and_ones_own() -> None:
    assert codes_of() == [*CODES, "MY001"]
    assert select_laws()[1] == {}


@pytest.mark.parametrize("text", ["SC104", "equal-steps", "SC104-equal-steps", "sc104", " SC104 "])
def test_a_law_is_named_by_code_name_or_label(text: str) -> None:
    assert codes_of(text) == ["SC104"]
    assert find_law(text).code == "SC104"


@pytest.mark.parametrize("text", ["SC105", "minimal-padding", "frugal-tail", "SC105-frugal-tail"])
def test_a_law_is_found_by_its_former_name_as_well(text: str) -> None:
    assert codes_of(text) == ["SC105"]
    assert list(select_laws((), {text: "a pinned setting"})[1]) == ["SC105"]


def test_no_former_name_is_the_name_of_another_law() -> None:
    names = {one.name for one in ALL_LAWS}
    former = [one.former for one in ALL_LAWS if one.former]
    assert len({*former}) == len(former)
    assert not names.intersection(former)


@pytest.mark.usefixtures("own_law")
def test_a_family_is_all_codes_with_its_first_digits() -> None:
    assert codes_of("SC5") == ["SC501", "SC502", "SC503", "SC504", "SC505"]
    assert codes_of("SC0") == ["SC001", "SC002", "SC003"]
    assert codes_of("MY0") == ["MY001"]


def test_a_family_of_one_digit_does_not_take_in_two() -> None:
    assert all(len(code) == len("SC101") for code in codes_of("SC1"))
    assert codes_of("SC10") == ["SC1001", "SC1002"]


def test_selected_laws_keep_the_order_of_their_codes() -> None:
    assert codes_of("SC501", "SC104", "SC104") == ["SC104", "SC501"]


def test_skipped_laws_are_left_out_with_their_reason() -> None:
    chosen, skipped = select_laws(["SC1"], {"SC104": "issue 12", "disjoint": "padding"})
    assert not {"SC104", "SC103"} & {one.code for one in chosen}
    assert {code: (one.code, reason) for code, (one, reason) in skipped.items()} == {
        "SC104": ("SC104", "issue 12"),
        "SC103": ("SC103", "padding"),
    }


def test_skips_can_be_written_as_text_and_name_families() -> None:
    chosen, skipped = select_laws((), ["SC2=no length = no law", "SC104= why "])
    assert not [one.code for one in chosen if one.code.startswith("SC2")]
    assert {code: reason for code, (_, reason) in skipped.items()} == {
        "SC201": "no length = no law",
        "SC202": "no length = no law",
        "SC203": "no length = no law",
        "SC104": "why",
    }


def test_what_is_not_selected_is_not_skipped() -> None:
    chosen, skipped = select_laws(["SC104"], {"SC105": "reason"})
    assert [one.code for one in chosen] == ["SC104"]
    assert skipped == {}


@pytest.mark.parametrize("skip", [["SC104"], ["SC104="], ["SC104=  "], {"SC104": ""}, {"SC104": None}])
def test_a_skip_needs_its_reason(skip: object) -> None:
    with pytest.raises(LawError, match=r"Skipping SC104 needs a reason.*--skip SC104=reason"):
        codes_of(skip=skip)


def test_skipping_everything_is_an_error() -> None:
    with pytest.raises(LawError, match="Skipping SC104 leaves no law to run"):
        select_laws(["SC104"], {"SC104": "reason"})


def test_an_unknown_law_is_refused_with_its_neighbours() -> None:
    with pytest.raises(LawError, match=r"Law 'equal-step' does not exist\. Did you mean SC104-equal-steps"):
        select_laws(["equal-step"])
    with pytest.raises(LawError, match=r"Law 'SC199' does not exist\. Did you mean SC1"):
        find_law("SC199")
    with pytest.raises(LawError, match=r"does not exist\. `samplercheck laws` lists all"):
        select_laws((), {"qqqqqqqqqqqq": "reason"})


def test_a_string_is_no_list_of_laws() -> None:
    with pytest.raises(LawError, match=r"write select=\['SC104'\]"):
        select_laws("SC104")
    with pytest.raises(LawError, match=r"write skip=\['SC104=x'\]"):
        select_laws((), "SC104=x")
    with pytest.raises(LawError, match="7 names no law"):
        select_laws([7])  # type: ignore[list-item]
