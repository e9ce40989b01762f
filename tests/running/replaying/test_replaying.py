"""``sc.replay``: bugs of the zoo by id, token and file, before and after the sound twin takes their place."""

from __future__ import annotations

from pathlib import Path

import pytest

import samplercheck as sc
from samplercheck.running.replaying import cases_of, replay_all
from samplercheck.storage.store import Store
from samplercheck.values.errors import CaseError, StoreError, TargetError, UsageError
from tests.support.replayed_zoo import IN_GROUPS, IN_SIMULATION, keep, place, zoo_file
from tests.zoo.cases import NEVER_TWICE, is_strict

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
STORED = [
    (slug, law)
    for slug, law in IN_SIMULATION.items()
    if not callable(zoo_file(slug).CONTRACT.get("frequencies"))
]
"""Bugs of contracts that a file can hold: it holds no functions."""
BUGS = [
    *(pytest.param(slug, law, None, id=slug) for slug, law in STORED),
    *(pytest.param(slug, law, "gloo", id=slug, marks=pytest.mark.gloo) for slug, law in IN_GROUPS.items()),
]


def uneven(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(("slug", "law", "world"), BUGS)
def test_a_bug_fails_by_id_token_and_file_and_its_sound_twin_holds(slug, law, world, tmp_path):
    store = Store(tmp_path)
    case = keep(slug, law, store)
    words = (case.id, str(store.failures / f"{case.id}.json"), f"{law}?{case.token}")
    subjects = [one for word in words for one in cases_of(word, store)]
    assert len(subjects) == 3
    promised = subjects[0].breach.contract
    module = zoo_file(slug)
    broken = {"FAILED"} | ({"FLAKY"} if slug in NEVER_TWICE else set())
    for part, known in (("bug", {"ADVICE"} if is_strict(module) else broken), ("sound", {"HOLDS"})):
        found = replay_all(subjects, place(slug, part), promised, world=world)
        assert [(one.law, one.case, one.runs) for one in found] == [(law, case, 3)] * 3
        assert {one.word for one in found[:2]} <= known
        # A token knows nothing of the code that failed, so that what fails by chance may hold.
        assert found[2].word in (known | {"HOLDS"} if slug in NEVER_TWICE else known)


def test_a_target_of_this_process_is_replayed_by_a_token():
    report = sc.replay("SC104?n=3,world=2", target=uneven)
    assert [one.code for one in report.failures] == ["SC104"]
    assert "replayed: 3 runs in fresh processes" in report.notes
    with pytest.raises(sc.LawBroken, match="SC104"):
        report.raise_for_failures()


def test_a_case_is_replayed_by_all_laws():
    report = sc.replay(
        sc.Case(length=4, world_size=2), target=sc.target(uneven, contract=sc.Contract(tail="keep"))
    )
    assert {one.code for one in report.results if one.outcome is sc.Outcome.HOLDS} >= {"SC102", "SC104"}


def test_a_world_that_does_not_exist_is_an_error():
    with pytest.raises(UsageError, match=r"World 'glo' does not exist\. Did you mean 'gloo'"):
        sc.replay("SC104?n=3,world=2", uneven, world="glo")


@pytest.mark.parametrize(
    ("given", "target", "error", "said"),
    [
        ("SC104?n=3,world=2", None, TargetError, "names no target: add --target"),
        ("?n=3", uneven, CaseError, "begins with '\\?'"),
        ("zzzzzzzz", uneven, UsageError, "is no stored case"),
        (3, uneven, UsageError, "3 cannot be replayed"),
        (Path("nowhere.json"), uneven, StoreError, "is no stored case"),
        (sc.Case(length=2**40), uneven, CaseError, "length is 1,099,511,627,776"),
        ("n=1,epochs=10000,world=70000", uneven, CaseError, "world_size is 70,000"),
        ("\0", uneven, UsageError, "no token"),
    ],
)
def test_what_cannot_be_replayed_is_an_error_with_its_reason(
    given, target, error, said, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        sc.replay(given, target=target)
