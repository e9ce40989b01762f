"""The selftest passes here, fails where the kit is blind, and covers every family of laws."""

from __future__ import annotations

import pytest

from samplercheck.certifying.faults import KNOWN_FAULTS
from samplercheck.certifying.selftest import SOUND, samplers, selftest
from samplercheck.laws import ALL_LAWS
from samplercheck.targets.target import Target

DEALING = SOUND[:1]
LOSES_THE_LAST = [fault for fault in KNOWN_FAULTS if fault.name == "drops-the-last"]
CHEAP = [fault for fault in KNOWN_FAULTS if fault.name in {"drops-the-last", "swaps-two"}]
NOT_PLANTED = {
    "loses-a-copy": "no sampler repeats its samples",
    "swaps-two-of-the-reference": "no contract has a reference",
    "unlike-its-replicas": "no contract has replicas",
    "never-asks-its-place": "every sampler is told its rank",
    "marks-what-it-wraps": "no sampler wraps another",
    "consumes-too-much": "the one that resumes has a state",
    "loses-count-in-another-world": "no contract is elastic",
}


class LosesTheTail(samplers.Dealing):
    """Drops what does not divide, also where nobody asked for it."""

    def __len__(self):
        return self.length // self.world_size


@pytest.fixture(scope="module")
def findings():
    return list(selftest())


@pytest.mark.slow
def test_it_passes_here(findings):
    assert [one for one in findings if not one.ok] == []


@pytest.mark.slow
def test_every_fault_is_planted_that_fits_a_sound_sampler(findings):
    planted = {one.name for one in findings if one.law}
    assert planted == {fault.name for fault in KNOWN_FAULTS} - NOT_PLANTED.keys()
    assert {one.name for one in findings if not one.law} == {one.name for one in SOUND}


@pytest.mark.slow
def test_every_family_of_laws_has_a_fault(findings):
    assert {one.law[:-2] for one in findings if one.law} == {law.code[:-2] for law in ALL_LAWS}


def test_cheap_faults_are_seen():
    findings = list(selftest(DEALING, faults=CHEAP))
    assert [one for one in findings if not one.ok] == []
    assert [one.name for one in findings] == ["drops-the-last", "swaps-two", "Dealing"]


def test_a_fault_that_is_not_seen_fails_it():
    findings = selftest(DEALING, tuple(law for law in ALL_LAWS if law.code != "SC102"), LOSES_THE_LAST)
    assert [(one.name, one.law, one.says) for one in findings if not one.ok] == [
        ("drops-the-last", "SC102", "NOT SEEN in Dealing")
    ]


def test_a_sound_one_that_is_accused_fails_it():
    accused = Target(factory=LosesTheTail, name="LosesTheTail")
    wrong = [one for one in selftest([accused], faults=()) if not one.ok]
    assert ("LosesTheTail", "SC102", "ACCUSED, and it is sound") in {
        (one.name, one.law, one.says) for one in wrong
    }


def test_without_laws_nothing_is_sound():
    findings = list(selftest(DEALING, (), LOSES_THE_LAST))
    assert [(one.name, one.ok) for one in findings] == [("drops-the-last", False), ("Dealing", False)]
