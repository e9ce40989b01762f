"""A fault in one experiment is told of once, and leaves every law that reads others to be judged as usual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch.distributed as dist

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.worlds import open_world, settings_for
from tests.support.complaints import complaints
from tests.zoo._sound import Strided, permutation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FEW = ("SC001", "SC102", "SC301", "SC501", "SC502", "SC503", "SC504", "SC903")
COUNTS = "SC102", "SC501"

pytestmark = pytest.mark.usefixtures("brief")


class OpenOnce(Strided):
    """Refuses a second pass while one is open, as some streams do."""

    is_open = False

    def __iter__(self) -> Iterator[Any]:
        if self.is_open:
            raise KeyError("a pass is open")
        self.is_open = True
        yield from self.share()
        self.is_open = False


class Forgetful(OpenOnce):
    """Does so, and draws one order for all epochs."""

    def order(self) -> list[int]:
        return permutation(self.length, self.seed, 0) if self.shuffle else super().order()


class NoCopy(Strided):
    """Fails when its copy, made by pickle, is iterated."""

    def __getstate__(self) -> dict[str, Any]:
        return {"length": self.length}


def report_of(kind: Callable[..., Any], *select: str) -> sc.Report:
    def make(length: int, shuffle: bool, seed: int, rank: int, world_size: int) -> Any:
        return kind(length, rank, world_size, shuffle=shuffle, seed=seed)

    target = sc.target(make, name=kind.__name__)
    return carry_out(
        Plan(target=target, profile="quick", worlds=("simulated",), select=select or FEW, explains=False)
    )


@pytest.mark.parametrize(
    ("kind", "blocked", "experiments"),
    [(OpenOnce, {"SC502", "SC503"}, {"interleaved", "abandoned"}), (NoCopy, {"SC504"}, {"pickled"})],
)
def test_a_fault_beside_the_usual_epochs_blocks_the_laws_that_read_it_and_no_others(
    kind: type[Strided], blocked: set[str], experiments: set[str]
) -> None:
    report = report_of(kind)
    said = complaints(report)
    assert said.keys() == {"SC001", *blocked}
    assert all("(SC001)" in said[code] for code in blocked)
    failure = next(one.failure for one in report.failures if one.failure)
    assert {one.experiment for one in failure.violations} <= experiments
    judged = {one.code: one.judged for one in report.results}
    usual = {one.code: one.judged for one in report_of(Strided).results}
    assert {code: judged[code] for code in COUNTS} == {code: usual[code] for code in COUNTS}


def test_what_a_target_does_wrong_besides_is_found_in_its_smallest_case() -> None:
    report = report_of(Forgetful)
    failures = {one.code: one.failure for one in report.failures}
    assert failures.keys() == {"SC001", "SC301"}
    assert failures["SC301"] is not None
    assert (failures["SC301"].case.length, failures["SC301"].case.world_size) == (2, 1)
    assert failures["SC301"].scene is not None


class Meets(OpenOnce):
    """Does so too, and its ranks wait for one another before each pass."""

    def share(self) -> list[int]:
        dist.barrier()
        return super().share()


@pytest.mark.parametrize(
    ("kind", "world"),
    [
        (OpenOnce, "simulated"),
        (Meets, "simulated"),
        pytest.param(OpenOnce, "gloo", marks=(pytest.mark.gloo, pytest.mark.thorough)),
        pytest.param(Meets, "gloo", marks=pytest.mark.gloo),
    ],
)
def test_all_ranks_go_on_together_behind_a_fault_that_is_not_final(kind: type[Strided], world: str) -> None:
    def make(length: int, rank: int, world_size: int) -> Any:
        return kind(length, rank, world_size)

    asked = ("epochs", "interleaved", "again", "pickled")
    settings = settings_for(world, {"max_ranks": 2})
    with open_world(world, **settings) as opened:
        trace = opened.trace(sc.target(make).bind(), sc.Case(length=4, world_size=2, epochs=1), asked)
    assert (trace.deadlock, trace.not_carried) == ("", "")
    assert [(one.experiment, one.rank, one.error) for one in trace.faults] == [
        ("interleaved", 0, "KeyError"),
        ("interleaved", 1, "KeyError"),
    ]
    usual = trace.narrow(("epochs", "again", "pickled"))
    assert usual.is_whole
    assert usual.faithful == {"again", "pickled"}
    assert not trace.narrow(("epochs", "interleaved")).is_whole
