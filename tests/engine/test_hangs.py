"""A condition of what hung before a search ended: it fits what was tried, and other small cases test it."""

from __future__ import annotations

from samplercheck import Case
from samplercheck.engine._hangs import find_tried_region

TRIED = [Case(length=length, world_size=world) for length in (0, 1) for world in (1, 2, 3, 4)]


def hangs(case: Case) -> bool:
    return bool(case.length) and 2 * case.length < case.world_size


def find(tried: list[Case], most: int = 100) -> tuple[str, int]:
    """Return the condition, and how many cases were run for it of which nothing was known."""
    asked: list[Case] = []

    def fails(case: Case) -> bool | None:
        asked.append(case)
        return hangs(case) if len(asked) <= most else None

    region = find_tried_region({case: hangs(case) for case in tried}, fails)
    return (region.text if region else ""), len(asked)


def test_other_small_cases_refute_what_fits_few_alone() -> None:
    text, asked = find(TRIED)
    assert text == "length >= 1 and 2 * length < world_size"
    assert asked < 60
    assert find(TRIED[:-1])[0] == text


def test_nothing_is_said_where_it_could_not_be_tested_or_nothing_is_known() -> None:
    assert find(TRIED, most=0)[0] == ""
    assert find(TRIED[:2])[0] == ""
    weighted = [case.but(features=(("weights", (1.0,) * case.length),)) for case in TRIED]
    assert find(weighted)[0] == ""
