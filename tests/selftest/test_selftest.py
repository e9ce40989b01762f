"""The selftest passes here, fails where the kit is blind, and covers every family of laws."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samplercheck.laws import ALL_LAWS
from samplercheck.selftest import PAIRS, samplers, selftest

FEW = PAIRS[2:3]
CHEAP = {"SC102", "SC302"}


def test_every_family_of_laws_has_a_bug():
    assert {pair.law[:-2] for pair in PAIRS} == {law.code[:-2] for law in ALL_LAWS}
    assert all(issubclass(pair.bug, pair.sound) for pair in PAIRS)


@pytest.mark.parametrize(
    "pairs",
    [
        tuple(pair for pair in PAIRS if pair.law in CHEAP),
        pytest.param(PAIRS, marks=pytest.mark.slow),
    ],
    ids=["some", "all"],
)
def test_it_passes_here(pairs):
    told = list(selftest(pairs))
    assert [one for one in told if not one.ok] == []
    assert len(told) == len(pairs) + len({pair.sound for pair in pairs})


def test_a_bug_that_is_not_seen_fails_it():
    told = list(selftest(FEW, tuple(law for law in ALL_LAWS if law.code != "SC102")))
    assert [(one.name, one.law, one.says) for one in told if not one.ok] == [
        ("LosesTheTail", "SC102", "NOT SEEN")
    ]


def test_a_sound_one_that_is_accused_fails_it():
    wrong = replace(FEW[0], sound=FEW[0].bug)
    told = [one for one in selftest((wrong,)) if not one.ok]
    assert ("LosesTheTail", "SC102", "ACCUSED, and it is sound") in {
        (one.name, one.law, one.says) for one in told
    }


def test_without_laws_nothing_is_sound():
    told = list(selftest(FEW, ()))
    assert [(one.name, one.ok) for one in told] == [("LosesTheTail", False), ("Dealing", False)]
    assert samplers.Dealing.__name__ == "Dealing"
