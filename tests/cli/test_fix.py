"""``fix`` prints a wrapper with what became of the laws under it, and writes over nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.running import fixing
from samplercheck.running.fixing import Fix, Round, TriedWrapper
from tests.support.command_line import call, is_screen
from tests.support.handmade import clean, mixed

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

TEXT = "class Fixed:\n    pass\n"


def answer(monkeypatch: pytest.MonkeyPatch, found: Fix) -> list[Any]:
    """Let a fix be found without a run; return the plans that were asked about."""
    plans: list[Any] = []

    def find_fix(plan: Any, _: Any) -> Fix:
        plans.append(plan)
        return found

    monkeypatch.setattr(fixing, "find_fix", find_fix)
    return plans


def test_a_wrapper_that_holds_is_printed_and_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Fix(before=mixed(), best=TriedWrapper(text=TEXT, report=clean()), tried=3)
    plans = answer(monkeypatch, found)
    done = call("fix", "a:b", "--profile", "quick", "--contract", "tail=drop", "--world", "simulated")
    assert done.exit_code == 0, done.output
    assert is_screen(done.output.partition("\n\nclass")[0])
    assert "wrapper     with it all" in done.output
    assert done.output.endswith(f"\n{TEXT}")
    (plan,) = plans
    assert (plan.target, plan.profile, plan.contract, plan.worlds) == (
        "a:b",
        "quick",
        {"tail": "drop"},
        ("simulated",),
    )


def test_what_was_tried_is_named_before_what_held(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = (
        Round(does="deals out one order", profile="quick", left=("SC104", "SC105")),
        Round(does="keeps its place", profile="quick", left=None),
        Round(does="builds it again", profile="quick", left=()),
    )
    best = TriedWrapper(text=TEXT, report=clean())
    answer(monkeypatch, Fix(before=mixed(), best=best, tried=5, rounds=rounds))
    assert (
        """
tried       5 wrappers in the cases that failed
            1. in the profile quick: deals out one order; does not keep SC104
            and SC105
            2. in the profile quick: keeps its place; cannot be judged
            3. in the profile quick: builds it again; keeps all laws
wrapper     with it all"""
        in call("fix", "a:b").output
    )


def test_laws_that_stay_broken_are_named_and_end_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = TriedWrapper(text=TEXT, report=mixed(), still=("SC104",))
    answer(monkeypatch, Fix(before=mixed(), best=trial, tried=3))
    done = call("fix", "a:b")
    assert done.exit_code == 1, done.output
    assert "SC104 still breaks" in " ".join(done.output.split())
    assert TEXT in done.output


def test_what_breaks_a_law_that_the_target_keeps_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, Fix(before=mixed(), tried=3, refused=("SC102",)))
    done = call("fix", "a:b")
    assert done.exit_code == 1, done.output
    assert "class" not in done.output
    assert "none of 3 wrappers keeps all laws" in " ".join(done.output.split())


def test_what_holds_needs_no_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, Fix(before=clean()))
    done = call("fix", "a:b")
    assert done.exit_code == 0, done.output
    assert "there is nothing to fix" in done.output


def test_a_wrapper_for_a_contract_that_may_not_be_meant_says_how_to_ask_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meant = {"words": "order=shuffled", "signs": ["shuffle without being asked"], "left": [], "settled": []}
    before = {**mixed(), "proposal": {**meant, "doubted": [], "found": {}}}
    answer(monkeypatch, Fix(before=before, best=TriedWrapper(text=TEXT, report=clean())))
    said = " ".join(call("fix", "a:b").output.split())
    assert "the wrapper keeps the contract of this run" in said
    assert "meant to shuffle without being asked, add --contract order=shuffled" in said
    answer(monkeypatch, Fix(before=before, tried=3))
    assert "the wrapper keeps" not in call("fix", "a:b").output


def test_a_wrapper_that_shuffles_by_itself_says_what_order_it_does_not_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for remedies in (("own shuffle", "one order dealt out"), ("one order dealt out",)):
        best = TriedWrapper(text=TEXT, report=clean(), remedies=remedies)
        answer(monkeypatch, Fix(before=mixed(), best=best, tried=3))
        done = call("fix", "a:b")
        said = "batches that it makes of samples of like length or label are lost"
        assert (said in " ".join(done.stdout.split())) == ("own shuffle" in remedies)


def test_a_file_is_written_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answer(monkeypatch, Fix(before=mixed(), best=TriedWrapper(text=TEXT, report=clean())))
    path = tmp_path / "fixed.py"
    done = call("fix", "a:b", "--output", str(path))
    assert done.exit_code == 0, done.output
    assert path.read_text() == TEXT
    assert f"wrote {path}" in done.output
    done = call("fix", "a:b", "--output", str(path))
    assert done.exit_code == 2
    assert "nothing is written over" in " ".join(done.output.split())
