"""What a word, a file or a folder means, how large it may be, and what pruning takes out of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from samplercheck import Case
from samplercheck.running.replaying import prune_fixed
from samplercheck.running.replaying._subjects import ReplayCase, Unreadable, cases_of, check_size, from_token
from samplercheck.running.replaying._verdicts import FAILED, FIXED, ReplayVerdict
from samplercheck.storage.case_file import Breach, StoredCase, read_case
from samplercheck.storage.store import OWNER, Store, script_in
from samplercheck.values.errors import CaseError

if TYPE_CHECKING:
    from pathlib import Path

CASE = Case(length=3, world_size=2)
ONE = Breach(target="pkg:one", law="SC104", found="rank 0 left", place="pkg:one")
TWO = Breach(target="pkg:two", law="SC104", found="rank 1 left", place="pkg:two")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / ".samplercheck")


def put(folder: Path, *broken: Breach, name: str = CASE.id) -> Path:
    """Write a case file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_bytes(StoredCase(CASE, broken).encode())
    return path


def put_script(folder: Path, target: str) -> Path:
    """Write a script where the store would."""
    path = script_in(folder, CASE.id, target)
    path.write_text(f'{OWNER}"{target}"\n')
    return path


# How large


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("n=10000001", "length is 10,000,001"),
        ("n=1000000,epochs=10000", "length x epochs is 10,000,000,000"),
        ("n=2,world=8193", "world_size is 8,193"),
        ("n=2,resume_world=999999999", "resume_world_size is 999,999,999"),
        ("n=2,resume_world=8193", "resume_world_size is 8,193"),
        ("n=2,batch=10000001", "batch_size is 10,000,001"),
        ("n=2,stop=1000000000000000", "stop is 1,000,000,000,000,000"),
        ("n=2,workers=32768", "workers is 32,768"),
    ],
)
def test_no_number_of_a_case_is_beyond_what_the_kit_makes(token: str, said: str) -> None:
    with pytest.raises(CaseError, match=f"{said}, and a case that is replayed has at most"):
        check_size(from_token(token))


@pytest.mark.parametrize("change", [{"repeats": 10**12}, {"replicas": 10**12}], ids=str)
def test_no_number_of_a_contract_is_either(change: dict[str, int]) -> None:
    breach = Breach(target="pkg:one", law="SC104", found="", contract=change)
    with pytest.raises(CaseError, match="has at most"):
        check_size(ReplayCase(case=CASE, law="SC104", breach=breach))


def test_what_the_kit_makes_is_not_refused() -> None:
    check_size(from_token("n=1000000,world=4096,resume_world=8192,batch=5,stop=999999,workers=3,epochs=4"))
    breach = Breach(target="pkg:one", law="SC104", found="", contract={"repeats": 3, "tail": "keep"})
    check_size(ReplayCase(case=CASE.but(epochs=9_000), law="SC104", breach=breach))


# Files


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": 1, "case": {"length": -1}, "broken": []}'])
def test_a_bad_file_is_told_alike_alone_by_its_id_and_in_its_folder(store: Store, content: bytes) -> None:
    store.failures.mkdir(parents=True)
    path = store.failures / f"{CASE.id}.json"
    path.write_bytes(content)
    found = [cases_of(word, store) for word in (str(path), CASE.id, str(path.parent), None)]
    assert found == [found[0]] * 4
    assert [type(one) for one in found[0]] == [Unreadable]


def test_a_file_with_another_case_than_its_id_is_not_replayed_by_the_id(store: Store) -> None:
    path = put(store.failures, ONE, name="abcdefgh")
    (by_id,), (by_path,) = cases_of("abcdefgh", store), cases_of(str(path), store)
    assert isinstance(by_id, Unreadable)
    assert f"holds the case {CASE.id}" in by_id.why
    assert isinstance(by_path, ReplayCase)


def test_an_id_means_all_files_with_it_and_the_same_failure_once(store: Store) -> None:
    known, other = put(store.known, ONE), put(store.failures, ONE, TWO)
    for word in (CASE.id, None):
        found = [one for one in cases_of(word, store) if isinstance(one, ReplayCase)]
        assert [(one.breach, one.path, one.copies) for one in found] == [
            (ONE, known, (other,)),
            (TWO, other, ()),
        ]


def test_a_failure_under_another_contract_is_another_failure(store: Store) -> None:
    put(store.known, ONE)
    kept = Breach(target="pkg:one", law="SC104", found="", place="pkg:one", contract={"tail": "keep"})
    put(store.failures, kept)
    assert len(cases_of(CASE.id, store)) == 2


def test_an_experiment_that_this_version_does_not_know_is_an_error_and_is_not_left_out(store: Store) -> None:
    put(store.failures, replace(ONE, law="SC001", experiments=("epochs", "from the future")))
    (found,) = cases_of(CASE.id, store)
    assert isinstance(found, Unreadable)
    assert "experiment 'from the future'" in found.why


# Pruning


def verdict(subject: ReplayCase | Unreadable, word: str) -> ReplayVerdict:
    return ReplayVerdict(word=word, subject=subject, law="SC104")


def test_what_is_fixed_is_taken_out_of_all_its_files(store: Store) -> None:
    known, other = put(store.known, ONE), put(store.failures, ONE)
    script = put_script(store.failures, "pkg:one")
    lines = [*prune_fixed([verdict(one, FIXED) for one in cases_of(None, store)])]
    assert lines == [f"removed {known}", f"removed {other}"]
    assert [path.exists() for path in (known, other, script)] == [False] * 3


def test_what_is_fixed_goes_with_its_script_and_leaves_the_other_target_its_own(store: Store) -> None:
    path = put(store.failures, ONE, TWO)
    first, second = put_script(store.failures, "pkg:one"), put_script(store.failures, "pkg:two")
    assert first != second
    subjects = cases_of(CASE.id, store)
    words = (FIXED, FAILED)
    lines = [*prune_fixed([verdict(one, word) for one, word in zip(subjects, words, strict=True)])]
    assert lines == [f"took 1 of 2 failures out of {path}"]
    assert read_case(path).broken == (TWO,)
    assert (first.exists(), second.exists()) == (False, True)
