"""Who may say what is imported, and what a stranger's case may cost."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from samplercheck.running.replaying import cases_of
from samplercheck.running.replaying._naming import (
    find_target,
    is_in_tests,
    is_of_user,
    named_as,
    refused_reference,
    say_other_contract,
)
from samplercheck.running.replaying._subjects import MOST_SUBJECTS, ReplayCase, check_size
from samplercheck.storage.case_file import Breach, StoredCase
from samplercheck.storage.signing import belongs_to_user, stamp
from samplercheck.storage.store import Store
from samplercheck.values.errors import CaseError, TargetError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PLACE = "theirs:sampler"
CONFIG = f'[tool.samplercheck.targets.x]\nfactory = "{PLACE}"\n'
TEST = f"import samplercheck as sc\nsc.run({PLACE!r})\n"
STRANGER = 12_345


@pytest.fixture(autouse=True)
def a_key_and_a_path_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setattr("sys.path", [])


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """What makes a file or folder somebody else's: its owner changes where that is allowed, else the user."""
    if not hasattr(os, "geteuid"):
        pytest.skip("owners are of Unix")

    def give(path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, STRANGER, STRANGER)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: STRANGER)

    return give


def a_subject(**changes: Any) -> ReplayCase:
    case = changes.pop("case", sc.Case(length=3, world_size=2))
    breach = Breach(**{"target": PLACE, "law": "SC104", "found": "x", "place": PLACE, **changes})
    return ReplayCase(case=case, law=breach.law, breach=breach)


@pytest.mark.parametrize(("name", "text"), [("pyproject.toml", CONFIG), ("test_x.py", TEST)])
def test_a_project_of_the_users_own_may_name_a_target(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert find_target(a_subject(), None, tmp_path)[0].endswith(PLACE)


@pytest.mark.parametrize("whose", ["folder", "file"])
@pytest.mark.parametrize(("name", "text"), [("pyproject.toml", CONFIG), ("test_x.py", TEST)])
def test_what_is_somebody_elses_names_nothing(
    name: str, text: str, whose: str, tmp_path: Path, give_away: Callable[[Path], None]
) -> None:
    (tmp_path / name).write_text(text)
    give_away(tmp_path if whose == "folder" else tmp_path / name)
    said = "is somebody else's, and not asked" if whose == "folder" else "named by the file alone"
    with pytest.raises(TargetError, match=said):
        find_target(a_subject(), None, tmp_path)
    assert find_target(a_subject(), "mine:sampler", tmp_path) == ("mine:sampler", {})


def test_a_configuration_above_the_project_is_asked_only_if_it_is_the_users(
    tmp_path: Path, give_away: Callable[[Path], None]
) -> None:
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    mine = tmp_path / "mine"
    mine.mkdir()
    assert find_target(a_subject(), None, mine)[0].endswith(PLACE)
    give_away(tmp_path / "pyproject.toml")
    with pytest.raises(TargetError):
        find_target(a_subject(), None, mine)


def test_under_sudo_the_callers_files_are_the_users_too(
    tmp_path: Path, give_away: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_away(tmp_path)
    assert not belongs_to_user(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", str(tmp_path.stat().st_uid))
    assert belongs_to_user(tmp_path)


def test_a_reference_of_a_file_is_followed_by_a_stamp_alone(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(TEST)
    evil = {"reference": "evil:thing"}
    for target in (None, "mine:sampler"):
        assert find_target(a_subject(contract=evil), target, tmp_path)[1] == {}
    own = stamp(tmp_path, PLACE, evil, a_subject().case.id, "SC104")
    assert find_target(a_subject(contract=evil, stamp=own), None, tmp_path)[1] == evil
    other = {"reference": "evil:other"}
    assert find_target(a_subject(contract=other, stamp=own), None, tmp_path)[1] == {}


def test_a_reference_that_is_not_followed_is_named(tmp_path: Path) -> None:
    (said,) = refused_reference(a_subject(contract={"reference": "evil:\x1bthing"}), {"tail": "keep"})
    assert "judged without the reference evil:" in said
    assert "\x1b" not in said
    for named, used in (("torch", {}), ("mine:it", {"reference": "mine:it"}), (None, {})):
        assert refused_reference(a_subject(contract={"reference": named}), used) == ()


def test_a_contract_that_is_not_the_recorded_one_is_named() -> None:
    (said,) = say_other_contract(a_subject(), {"tail": "keep", "tail_unit": "batch"})
    assert said == (
        "judged by the contract tail=keep,tail_unit=batch, and recorded under the default contract: "
        "that may be all that has changed"
    )
    kept = {"tail": "keep"}
    for recorded, used in ((kept, kept), ({**kept, "reference": "evil:it"}, kept), ({}, {})):
        assert say_other_contract(a_subject(contract=recorded), used) == ()


def test_a_target_is_called_what_the_command_line_or_the_configuration_calls_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    for said, name in (("x", "x"), (PLACE, PLACE), ("evil:thing", PLACE)):
        assert named_as(a_subject(target=said), None, tmp_path) == name
    assert named_as(a_subject(target="evil:thing"), "mine:sampler", tmp_path) == "mine:sampler"


def test_tests_that_cannot_be_read_are_passed_over_and_none_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "test_0.py")
    (tmp_path / "test_1.py").symlink_to("/dev/zero")
    (tmp_path / "test_2.py").write_text("samplercheck" + ".x" * 400_000)
    (tmp_path / "test_3.py").write_text("# samplercheck\n" + "-" * 400_000 + "1")
    (tmp_path / "test_4.py").write_bytes(b"samplercheck\xff")
    (tmp_path / "test_5.py").write_text(TEST)
    started = time.monotonic()
    assert is_in_tests(PLACE, tmp_path)
    assert not is_in_tests("other:thing", tmp_path)
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"case": sc.Case(length=1_000_000, world_size=64)}, "comes to 3,072,307,200"),
        ({"case": sc.Case(length=100_000, world_size=1_024, epochs=100)}, "length x world_size x epochs"),
        ({"case": sc.Case(length=2, world_size=8_000, epochs=9_000)}, "length x world_size x epochs"),
        ({"case": sc.Case(length=2, resume_world_size=8_192, epochs=9_000)}, "length x world_size x epochs"),
        ({"case": sc.Case(length=20_000, world_size=50), "law": "SC1001"}, "length x world_size x epochs"),
        ({"case": sc.Case(length=20_000, world_size=50), "experiments": ("draws",)}, "length x world_size"),
        ({"case": sc.Case(length=9), "contract": {"repeats": 10_000_000}}, "length x world_size x epochs"),
        ({"case": sc.Case(length=9, world_size=64, workers=64)}, "world_size x workers comes to 4,096"),
    ],
    ids=str,
)
def test_a_strangers_case_costs_seconds_or_is_refused(changes: dict[str, Any], said: str) -> None:
    subject = a_subject(**changes)
    with pytest.raises(CaseError, match=said) as caught:
        check_size(subject, is_own=False)
    assert f"replay {subject.law}?{subject.case.token} --target" in str(caught.value)
    check_size(subject, is_own=True)
    check_size(ReplayCase(case=subject.case, law=subject.law), is_own=False)  # a token is typed by somebody


def test_the_files_of_a_replay_cost_no_more_together_than_a_few_large_ones() -> None:
    cost, subject = 0, a_subject(case=sc.Case(length=9_000, world_size=64))
    for _ in range(8):
        cost = check_size(subject, is_own=False, before=cost)
    with pytest.raises(CaseError, match="of all files comes to 251,596,800"):
        check_size(subject, is_own=False, before=cost)
    assert check_size(subject, is_own=True, before=cost) == cost


def test_cases_that_are_to_be_run_before_cost_as_much() -> None:
    before = tuple(sc.Case(length=9_000, world_size=64, seed=seed).token for seed in range(40))
    with pytest.raises(CaseError, match="length x world_size x epochs"):
        check_size(a_subject(before=before), is_own=False)


def test_a_stamp_is_of_what_is_run_and_of_what_has_to_run_before(tmp_path: Path) -> None:
    own = a_subject()
    assert own.breach is not None
    signed = stamp(tmp_path, *own.breach.stamped(own.case.id))
    assert is_of_user(a_subject(stamp=signed), tmp_path)
    for more in ({"before": (own.case.token,)}, {"experiments": ("draws",)}, {"place": "evil:thing"}):
        assert not is_of_user(a_subject(stamp=signed, **more), tmp_path)


def test_too_many_failures_at_once_are_refused(tmp_path: Path) -> None:
    breaches = tuple(Breach(target=f"a:x{number}", law="SC104", found="x") for number in range(600))
    for name in ("a", "b"):
        content = StoredCase(sc.Case(length=ord(name)), breaches).encode()
        (tmp_path / f"{name}.json").write_bytes(content)
    with pytest.raises(UsageError, match=f"More than {MOST_SUBJECTS:,} failures"):
        cases_of(str(tmp_path), Store(tmp_path))


@pytest.mark.parametrize("word", ["x" * 5_000, "a\0b", "x/" * 3_000])
def test_a_word_that_can_be_no_name_is_usage(word: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no stored case, file or folder"):
        cases_of(word, Store(tmp_path))
