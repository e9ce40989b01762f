"""A run in this process, which has no other one to ask, says what fails by what other cases have left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import samplercheck as sc
from tests.engine import test_history as elsewhere

BUILT: list[int] = []


class Counts:
    """Loses its last sample on rank 0 where ``always``, or once many were built in its process."""

    def __init__(self, length: int, rank: int, world_size: int, *, always: bool = False) -> None:
        BUILT.append(length)
        self.lost = int(rank == 0 and (always or len(BUILT) > 200))
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self) -> Any:
        return iter(range(self.rank, max(0, self.length - self.lost), self.world_size))


def always_wrong(length: int, rank: int, world_size: int) -> Counts:
    return Counts(length, rank, world_size, always=True)


def of_another_module(length: int, rank: int, world_size: int) -> Any:
    return elsewhere.CountsInItsClass(length, rank, world_size)


@pytest.fixture(autouse=True)
def as_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    BUILT.clear()
    monkeypatch.setattr(elsewhere.CountsInItsClass, "begun", 0)


@pytest.mark.parametrize(
    ("target", "state"),
    [
        (Counts, "the global test_left_here.BUILT"),
        (of_another_module, "the class attribute CountsInItsClass.begun"),
    ],
)
def test_what_fails_behind_other_cases_alone_names_what_they_have_left(
    target: Callable[..., Any], state: str
) -> None:
    report = sc.run(target, profile="quick", select=["SC102"])
    (result,) = report.failures
    assert result.failure is not None
    assert (
        result.failure.cause
        == f"It depends on what ran before in this process: {state} keeps what other cases have left."
    )
    assert "put back as it was before the run this case holds, without it fails" in result.failure.evidence
    assert len(BUILT) > 200 or elsewhere.CountsInItsClass.begun > 120  # what was left is there as before


def test_what_fails_by_itself_is_not_blamed_on_what_others_have_left() -> None:
    report = sc.run(always_wrong, profile="quick", select=["SC102"])
    (result,) = report.failures
    assert result.failure is not None
    assert BUILT
    assert "ran before" not in result.failure.cause
