"""The store: failing cases kept, read again and merged, and files that are no stored cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck import Case, Outcome, Violation
from samplercheck.laws import ALL_LAWS
from samplercheck.storage import scripts
from samplercheck.storage.case_file import LARGEST_FILE
from samplercheck.storage.store import OWNER, Store, script_in
from samplercheck.targets.provenance import Provenance
from samplercheck.values.errors import StoreError
from samplercheck.values.finding import Failure
from samplercheck.values.report import LawResult
from tests.support.strategies import any_cases

LAWS = {law.code: law for law in ALL_LAWS}
CASE = Case(length=3, world_size=2)


def broken(case, code="SC104", found="rank 0 left"):
    failure = Failure(case=case, violation=Violation(found=found))
    return LawResult(law=LAWS[code], outcome=Outcome.BROKEN, failure=failure)


def content(store, case=CASE):
    return json.loads((store.failures / f"{case.id}.json").read_text())


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / ".samplercheck")


def test_what_is_kept_is_read_again_the_smallest_first(store):
    larger, smaller = CASE, Case(length=1, world_size=2)
    store.keep("pkg:x", [broken(larger), broken(smaller, "SC102")])
    assert store.cases_of("pkg:x") == (smaller, larger)
    assert store.cases_of("pkg:y") == ()


def test_a_script_that_cannot_be_made_costs_no_other_case(store, monkeypatch):
    def fail(*_):
        raise AttributeError("often")

    monkeypatch.setattr(scripts, "script_of", fail)
    provenance = Provenance(target=(target := sc.target(DistributedSampler)), binding=target.bind())
    other = Case(length=1, world_size=2)
    with pytest.raises(StoreError, match=r"AttributeError: often\. This is a fault of samplercheck itself\."):
        store.keep("pkg:x", [broken(CASE), broken(other)], provenance)
    assert store.cases_of("pkg:x") == (other, CASE)


def test_no_script_is_written_that_says_that_the_failure_holds(store):
    provenance = Provenance(target=(target := sc.target(DistributedSampler)), binding=target.bind())
    results = [broken(CASE, "SC104"), broken(CASE, "SC502")]
    written = store.keep("pkg:x", results, provenance)[CASE]
    assert set(written) == {"SC104", "SC502"}
    assert store.keep("pkg:x", results, provenance, lambda _: False) == {CASE: {}}
    assert not list(store.failures.glob("*.py"))
    assert store.paths_of(CASE.id)


@pytest.mark.thorough
@given(case=any_cases())
def test_every_case_can_be_kept(case, tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    store.keep("pkg:x", [broken(case)])
    assert store.cases_of("pkg:x") == (case,)


def test_a_file_is_named_by_its_case_and_lists_what_it_breaks(store):
    store.keep("pkg:x", [broken(CASE, "SC104"), broken(CASE, "SC102", "lost 0")])
    assert [one.name for one in store.failures.iterdir()] == [f"{CASE.id}.json"]
    assert content(store) == {
        "format": 1,
        "case": CASE.to_dict(),
        "broken": [
            {"target": "pkg:x", "law": "SC102", "found": "lost 0"},
            {"target": "pkg:x", "law": "SC104", "found": "rank 0 left"},
        ],
    }


def test_two_targets_with_one_case_share_its_file(store):
    store.keep("pkg:x", [broken(CASE)])
    store.keep("pkg:y", [broken(CASE, found="other")])
    assert store.cases_of("pkg:x") == store.cases_of("pkg:y") == (CASE,)
    assert [(one["target"], one["found"]) for one in content(store)["broken"]] == [
        ("pkg:x", "rank 0 left"),
        ("pkg:y", "other"),
    ]


def test_a_law_found_again_is_written_again_and_others_stay(store):
    store.keep("pkg:x", [broken(CASE, "SC102"), broken(CASE, "SC104")])
    store.keep("pkg:x", [broken(CASE, "SC104", "said better")])
    assert [(one["law"], one["found"]) for one in content(store)["broken"]] == [
        ("SC102", "rank 0 left"),
        ("SC104", "said better"),
    ]


def test_a_run_without_failures_writes_nothing_and_deletes_nothing(store):
    holds = LawResult(law=LAWS["SC104"], outcome=Outcome.HOLDS)
    store.keep("pkg:x", [holds])
    assert not store.directory.exists()
    store.keep("pkg:x", [broken(CASE)])
    store.keep("pkg:x", [holds])
    assert store.cases_of("pkg:x") == (CASE,)


def test_a_store_that_does_not_exist_is_empty(store):
    assert store.cases_of("pkg:x") == ()
    assert not store.directory.exists()


def test_the_store_ignores_itself_but_for_known_cases(store):
    store.keep("pkg:x", [broken(CASE)])
    ignore = store.directory / ".gitignore"
    assert ignore.read_text() == "*\n!known/\n!known/**\n"
    ignore.write_text("mine\n")
    store.keep("pkg:x", [broken(Case(length=1))])
    assert ignore.read_text() == "mine\n"


def test_nothing_but_the_file_is_left_behind(store):
    for _ in range(2):
        store.keep("pkg:x", [broken(CASE)])
    assert sorted(one.name for one in store.directory.iterdir()) == [".gitignore", "failures"]
    assert [one.name for one in store.failures.iterdir()] == [f"{CASE.id}.json"]


def test_other_files_in_the_folder_are_left_alone(store):
    store.keep("pkg:x", [broken(CASE)])
    (store.failures / f"{CASE.id}.py").write_text("print()\n")
    (store.failures / f"{CASE.id}.123.tmp").write_text("{")
    assert store.cases_of("pkg:x") == (CASE,)


# Scripts


def test_each_target_has_a_script_of_its_own_the_first_by_the_id_alone(tmp_path):
    first, other, third = "pkg.one:Sampler", "pkg.two:Sampler", "a name \u2028 of its own"
    assert script_in(tmp_path, CASE.id, first) == tmp_path / f"{CASE.id}.py"
    (tmp_path / f"{CASE.id}.py").write_text(f'{OWNER}"{first}"\nprint()\n')
    assert script_in(tmp_path, CASE.id, first) == tmp_path / f"{CASE.id}.py"
    found = [script_in(tmp_path, CASE.id, name) for name in (first, other, third)]
    assert len(set(found)) == 3
    assert found[1].name.startswith(f"{CASE.id}-sampler-")
    assert all(path.name.isascii() for path in found)
    (tmp_path / f"{CASE.id}.py").unlink()
    assert script_in(tmp_path, CASE.id, other) == tmp_path / f"{CASE.id}.py"


def test_a_target_whose_script_has_a_name_of_its_own_keeps_it(tmp_path):
    (tmp_path / f"{CASE.id}.py").write_text(f'{OWNER}"pkg:one"\n')
    own = script_in(tmp_path, CASE.id, "pkg:two")
    own.write_text(f'{OWNER}"pkg:two"\n')
    (tmp_path / f"{CASE.id}.py").unlink()
    assert script_in(tmp_path, CASE.id, "pkg:two") == own


def test_a_case_is_shared_where_several_targets_have_failed_in_it(store):
    store.keep("pkg:x", [broken(CASE, "SC102"), broken(CASE, "SC104")])
    assert not store.is_shared(CASE.id)
    store.keep("pkg:y", [broken(CASE)])
    assert store.is_shared(CASE.id)
    assert not store.is_shared("abcdefgh")


# Files that are no stored cases

GOOD = {"format": 1, "case": CASE.to_dict(), "broken": [{"target": "pkg:x", "law": "SC104", "found": ""}]}


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"", "is no stored case"),
        (b"{", "is no stored case"),
        (b"[]", "is no stored case"),
        (b"[" * 100_000, "is no stored case"),
        (b'{"format": 1, "case": ' + b"[" * 100_000, "is no stored case"),
        (b"\xff\xfe", "is no stored case"),
        (b'{"format": 1, "case": {"\xff": 1}, "broken": []}', "is no stored case"),
        (json.dumps({**GOOD, "more": 1}).encode(), "unknown field `more`"),
        (json.dumps({**GOOD, "broken": [{"target": 5}]}).encode(), "is no stored case"),
        (json.dumps({**GOOD, "format": 2}).encode(), "has format 2, this version reads 1"),
        (json.dumps({**GOOD, "format": "1"}).encode(), "is no stored case"),
        (json.dumps({**GOOD, "case": {"length": -1}}).encode(), "length=-1 is not legal"),
        (json.dumps({**GOOD, "case": {}}).encode(), "needs a length"),
        (json.dumps({**GOOD, "case": {"length": 1, "options": 7}}).encode(), "options=7 is not a mapping"),
        (json.dumps({**GOOD, "case": {"length": 1, "features": {"lengths": 7}}}).encode(), "needs 1 numbers"),
        (json.dumps({**GOOD, "case": {"length": 1, "lenght": 1}}).encode(), "Did you mean 'length'"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_a_file_that_is_no_stored_case_is_an_error_that_names_it(store, written, said):
    store.failures.mkdir(parents=True)
    path = store.failures / f"{CASE.id}.json"
    path.write_bytes(written)
    with pytest.raises(StoreError, match=said) as caught:
        store.cases_of("pkg:x")
    assert str(path) in str(caught.value)


def test_a_file_larger_than_any_case_is_refused_unread(store):
    store.failures.mkdir(parents=True)
    with (store.failures / "huge.json").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(StoreError, match=rf"huge\.json .*: it is larger than {LARGEST_FILE:,} bytes"):
        store.cases_of("pkg:x")


def test_a_directory_in_the_place_of_a_file_is_refused(store):
    (store.failures / "odd.json").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"odd\.json is no stored case"):
        store.cases_of("pkg:x")


def test_a_damaged_file_is_not_written_over(store):
    store.failures.mkdir(parents=True)
    path = store.failures / f"{CASE.id}.json"
    path.write_text("{ not what was written")
    with pytest.raises(StoreError, match="is no stored case: JSON is malformed"):
        store.keep("pkg:x", [broken(CASE)])
    assert path.read_text() == "{ not what was written"


def test_a_store_that_cannot_be_written_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=f"The failing case {CASE.id} cannot be stored in"):
        Store(tmp_path / "file").keep("pkg:x", [broken(CASE)])


# Where a store is found


def test_the_nearest_store_upwards_is_found_and_where_there_is_none_one_would_be_here(tmp_path, monkeypatch):
    below = tmp_path / "tests" / "unit"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert Store.nearest(below).directory == Path(".samplercheck")
    (tmp_path / ".samplercheck").mkdir()
    assert Store.nearest(below).directory == tmp_path / ".samplercheck"
    (below / ".samplercheck").mkdir()
    assert Store.nearest(below).directory == Path(".samplercheck")


def test_a_store_knows_whether_it_is_the_one_that_is_found_once_something_is_in_it(tmp_path):
    below = tmp_path / "tests"
    below.mkdir()
    store = Store(tmp_path / ".samplercheck")
    assert store.is_nearest(below)
    assert not Store(tmp_path / "elsewhere").is_nearest(tmp_path)
    assert not Store(below / ".samplercheck").is_nearest(tmp_path)
    (below / ".samplercheck").mkdir()
    assert not store.is_nearest(below)


def test_the_project_of_a_store_holds_the_working_directory(tmp_path, monkeypatch):
    below = tmp_path / "project" / "tests"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert Store(tmp_path / "project" / ".samplercheck").project == tmp_path / "project"
    assert Store(tmp_path / "another" / ".samplercheck").project == below


def test_a_script_that_is_larger_than_any_is_not_read(tmp_path):
    with (tmp_path / "x.py").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(StoreError, match=r"x\.py is no script: it is larger than"):
        script_in(tmp_path, "x", "pkg:x")
