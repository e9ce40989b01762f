"""``fix`` prints a wrapper with what became of the laws under it, and writes over nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.running import fixing
from samplercheck.running.fixing import Fix, TriedWrapper
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
