"""Which of the larger cases that break a law are run again to find where it fails: none that are dear."""

from __future__ import annotations

from typing import Any

import pytest

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine._probe import probe
from samplercheck.engine._regions import cases_beyond
from samplercheck.engine._search import Search
from samplercheck.laws import ALL_LAWS
from samplercheck.worlds import open_world
from tests.zoo._sound import Strided

COMPLETE = next(law for law in ALL_LAWS if law.code == "SC102")
FIRST_THAT_FAILS = Case(length=2**16 + 1)


class SixteenBits(Strided):
    """Indices are kept in 16 bits."""

    def order(self) -> Any:
        return [i & 0xFFFF for i in super().order()]


@pytest.mark.parametrize(("times", "is_run"), [(1, True), (16, True), (64, False)])
def test_a_sampler_that_costs_what_usual_ones_do_has_its_large_cases_run_again(
    times: int, *, is_run: bool
) -> None:
    """A usual one in Python is measured as 4 times the usual, more on a busy machine."""
    binding = sc.target(SixteenBits).bind()
    with open_world("simulated") as home:
        search = Search(home, binding, probe(home, binding, ()), (COMPLETE,))
        search.try_case(FIRST_THAT_FAILS, counts=False)
        search.dear_sample = times
        (page,) = search.ledger.broken
        assert cases_beyond(search, page) == [FIRST_THAT_FAILS] * is_run
