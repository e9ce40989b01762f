"""What is slow with many samples is not said to hang; what hangs is, however many samples it takes."""

from __future__ import annotations

import random
import threading
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine import Plan, _fit, _growth, carry_out
from samplercheck.engine._checks import Avoided
from samplercheck.engine._fallback import TOO_SLOW
from samplercheck.engine._growth import LONG, LONGEST_OF_STEEP, SHORT, Growth, class_of, least_of
from samplercheck.engine._search import Search
from samplercheck.laws.law import Scope
from samplercheck.search.dear import for_dear_samples
from samplercheck.search.profiles import find_profile
from samplercheck.targets.binding import Binding
from samplercheck.values.sizes import OF_ONE
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.support.brief import look_briefly
from tests.zoo._sound import Strided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.worlds import HomeWorld

SECONDS = 0.4
WAITED = 0.005
DEAR_TURNS = 1_200
QUICK = find_profile("quick")


class Linear(Strided):
    """Sound, and as quick as samplers are."""


class Quadratic(Strided):
    """Sound: looks at all samples for each one."""

    def order(self) -> list[int]:
        return [i for i in super().order() if not any(i < 0 for _ in range(self.length))]


class DearAndQuadratic(Strided):
    """Sound: does much for each pair of samples."""

    def order(self) -> list[int]:
        return [i for i in super().order() if not any(sum(range(400)) < i for _ in range(self.length))]


class SlowForEach(Strided):
    """Sound: does much for each sample, and yields when all of it is done."""

    def order(self) -> list[int]:
        return [i for i in super().order() if sum(range(60_000)) > i]


class HangsFromFarOn(Strided):
    """Never comes to an end with more than 900 samples."""

    def order(self) -> list[int]:
        while self.length > 900:
            random.random()
        return super().order()


@pytest.fixture
def home() -> Iterator[HomeWorld]:
    with open_world("simulated", deadlines=Deadlines(seconds=SECONDS)) as world:
        yield world


def grown(home: HomeWorld, factory: Any, length: int) -> tuple[bool, Growth]:
    """Whether a case that met its deadline is explained by the growth of what it takes."""
    binding, growth = sc.target(factory).bind(), Growth(home)
    trace = home.trace(binding, Case(length=length, world_size=2), ("epochs",), "samples")
    assert [fault.kind for fault in trace.faults] == ["deadline"]
    return growth.explains(binding, trace), growth


@pytest.mark.thorough
@pytest.mark.parametrize(("factory", "length"), [(Quadratic, 12_000), (SlowForEach, 1_024)])
def test_what_is_slow_is_told_from_what_hangs(home: HomeWorld, factory: Any, length: int) -> None:
    is_slow, growth = grown(home, factory, length)
    assert is_slow
    assert growth.limit is not None
    assert growth.limit <= length
    assert growth.forbids(Case(length=length))
    assert not growth.forbids(Case(length=16))


def test_what_hangs_from_a_length_on_hangs(home: HomeWorld) -> None:
    is_slow, growth = grown(home, HangsFromFarOn, 1_000)
    assert not is_slow
    assert growth.limit is None


@pytest.mark.thorough
@pytest.mark.parametrize(("factory", "limit"), [(Linear, None), (Quadratic, LONGEST_OF_STEEP + 1)])
def test_what_grows_faster_than_the_data_is_tried_with_no_long_ones(factory: Any, limit: int | None) -> None:
    with open_world("simulated") as home:
        growth = Growth(home)
        growth.look(sc.target(factory).bind(), (), "samples")
    assert growth.limit == limit
    assert growth.steep == (None if limit is None else (512, 1))


@pytest.mark.parametrize(
    ("of_pairs", "longest", "limit"),
    [
        (0.0, LONG, None),
        (0.2e-9, 4 * LONG, None),
        (0.6e-9, 4 * LONG, LONGEST_OF_STEEP + 1),
        (0.6e-6, LONG, LONGEST_OF_STEEP + 1),
    ],
)
def test_what_grows_a_little_faster_than_the_data_is_measured_once_more(
    home: HomeWorld, monkeypatch: pytest.MonkeyPatch, of_pairs: float, longest: int, limit: int | None
) -> None:
    growth, lengths = Growth(home), []

    def seconds(_: Binding, case: Case, kind: str) -> float:
        lengths.append(case.length)
        return case.length * 1e-6 + case.length**2 * of_pairs

    monkeypatch.setattr(growth, "_seconds", seconds)
    growth.look(sc.target(Linear).bind(), (), "samples")
    assert (max(lengths), growth.limit) == (longest, limit)


def test_of_what_is_dear_and_grows_fast_no_pass_is_measured_that_takes_seconds() -> None:
    with open_world("simulated") as home:
        growth = Growth(home)
        growth.look(sc.target(DearAndQuadratic).bind(), (), "samples")
    longest = max(case.length for case in growth.measured)
    assert longest < SHORT
    assert (growth.limit, growth.steep) == (longest + 1, (longest // 2, 1))


@pytest.mark.thorough
def test_a_slow_target_keeps_the_laws_and_the_report_says_what_was_not_tried() -> None:
    plan = Plan(
        target=Quadratic,
        contract=sc.Contract(),
        select=("SC102",),
        profile="quick",
        explains=False,
    )
    report = carry_out(plan)
    assert report.ok
    (said,) = [text for text in report.not_tried if "each sample takes" in text]
    assert "which are smaller and fewer" in said
    assert all(one.is_complete for one in report.tried)
    assert "32," not in "".join(one.scope for one in report.tried)


class Counted(Strided):
    """Counts the samples that it deals with."""

    met = 0

    def order(self) -> list[int]:
        type(self).met += self.length
        return super().order()


class CountedDear(Counted):
    """Takes long for each of them."""

    met = 0

    def order(self) -> list[int]:
        return [i for i in super().order() if sum(range(DEAR_TURNS)) > i]


@pytest.mark.thorough
def test_a_run_meets_fewer_samples_of_a_target_that_takes_long_for_each() -> None:
    for factory in (Counted, CountedDear):
        with look_briefly(frontier=QUICK.frontier):
            assert sc.run(sc.target(factory), profile="quick", worlds=["simulated"]).ok
    assert CountedDear.met < Counted.met / 2


class AgreesOnASeed(Strided):
    """Takes the seed of rank 0, for which all wait."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int = 0) -> None:
        seeds: list[Any] = [seed]
        if world_size > 1:
            torch.distributed.broadcast_object_list(seeds)
        super().__init__(length, rank, world_size, seed=seeds[0])


@pytest.mark.thorough
def test_ranks_that_wait_for_each_other_are_drawn_in_smaller_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    widest, try_case = {}, Search.try_case
    for factory in (Linear, AgreesOnASeed):
        worlds: list[int] = []

        def note(search: Search, case: Case, worlds: list[int] = worlds, **options: Any) -> bool:
            worlds.append(case.world_size)
            return try_case(search, case, **options)

        monkeypatch.setattr(Search, "try_case", note)
        plan = Plan(target=factory, max_cases=20, worlds=("simulated",), select=("SC102",), explains=False)
        assert carry_out(plan).ok
        widest[factory] = max(worlds)
    assert widest[AgreesOnASeed] <= 32 < widest[Linear]


@pytest.mark.parametrize(("factory", "is_dear"), [(Linear, False), (SlowForEach, True)])
def test_what_takes_long_for_few_samples_is_dear(factory: Any, is_dear: bool) -> None:
    with open_world("simulated") as home:
        growth = Growth(home)
        growth.look_at_short(sc.target(factory).bind(), (), "samples")
    assert (growth.dear_pass > 1) is is_dear


def test_what_does_not_end_is_measured_no_more() -> None:
    taken = iter([0.02, 0.01, None, 0.5])
    assert least_of(lambda: next(taken), 4) is None
    assert next(taken) == 0.5
    assert least_of(iter([0.015, 0.0, 0.01]).__next__, 3) == 0.01
    assert least_of(iter([0.0, 0.0]).__next__, 2) == 0.0


def test_what_takes_long_is_measured_twice_at_most() -> None:
    taken = iter([0.25, 0.125, 0.0625])
    assert least_of(lambda: next(taken), 3) == 0.125
    assert next(taken) == 0.0625


@pytest.mark.parametrize(
    ("taken", "times", "left"),
    [
        ([0.5, 9.0], 1, 1),  # what is usual is measured once
        ([4.4, 0.5, 9.0], 1, 1),
        ([4.4, 4.2, 3.5, 9.0], 4, 0),  # just beyond a border: measured again, and not there
        ([4.4, 4.2, 4.3, 9.0], 16, 0),
        ([9.0, 8.0, 3.5, 3.5], 16, 2),
        ([4.2, 4.4, None], None, 0),
    ],
)
def test_what_is_just_beyond_the_border_of_a_class_is_measured_again(
    taken: list[float | None], times: int | None, left: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_growth, "TURN", 1e9)  # on a machine that is not slow
    measured = iter(taken)
    assert class_of(lambda: next(measured), 2, 1.0) == times
    assert len([*measured]) == left


class Joins(Strided):
    """Reads ahead in a thread, and waits for it when a loop breaks off."""

    def __iter__(self) -> Iterator[int]:
        stop = threading.Event()

        def read() -> None:
            stop.wait()
            time.sleep(WAITED)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            yield from super().__iter__()
        finally:
            stop.set()
            reader.join()


def joins(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Joins:
    return Joins(length, rank, world_size, shuffle=shuffle, seed=seed)


@pytest.mark.thorough
def test_what_waits_for_threads_has_a_smaller_small_scope() -> None:
    with look_briefly(frontier=0, sweep=0, patience=(4,)):
        plan = Plan(target=joins, select=("SC101",), profile="quick", worlds=("simulated",), explains=False)
        report = carry_out(plan)
    assert report.ok
    assert [text for text in report.not_tried if "waits for threads" in text]
    assert report.tried[0].cases < 100


@pytest.mark.thorough
def test_nothing_is_left_out_of_what_usual_targets_are_tried_with_by_quick() -> None:
    plan = Plan(target=Linear, profile="quick", worlds=("simulated",), explains=False)
    report = carry_out(plan)
    assert report.ok
    assert not [text for text in report.not_tried if "takes about" in text]


@pytest.mark.thorough
def test_a_case_that_is_asked_for_and_too_slow_is_undecided() -> None:
    plan = Plan(
        target=SlowForEach,
        contract=sc.Contract(),
        select=("SC002",),
        cases=(Case(length=1_024),),
        worlds=("simulated",),
        explains=False,
        world_settings={"deadlines": Deadlines(seconds=SECONDS)},
    )
    report = carry_out(plan)
    assert [result.outcome.value for result in report.results if result.code == "SC002"] == ["unknown"]
    assert TOO_SLOW.startswith("not tried")


def searching(region: Any = None) -> Any:
    """What fitting asks of a search; the target hangs in a ``region``."""
    avoided = Avoided(OF_ONE)
    avoided.region = region
    return SimpleNamespace(
        has_given_up=False,
        binding=Binding(Linear, sc.Contract(), {}, "linear"),
        scope=Scope(contract=sc.Contract(), named=frozenset()),
        kind="samples",
        course=[],
        waits=1,
        avoided=avoided,
    )


def test_nothing_is_measured_where_the_target_hangs() -> None:
    def fail(*_: object) -> None:
        raise AssertionError

    everywhere = SimpleNamespace(covers=lambda table: [True] * len(table.cases))
    growth = SimpleNamespace(measured=[], limit=None, steep=None, look=fail)
    fitted = _fit.fit_large(
        find_profile("standard"), searching(everywhere), SimpleNamespace(growth=growth), ((),)
    )  # type: ignore[arg-type]
    assert fitted == for_dear_samples(find_profile("standard"), _fit.DEAREST, _fit.DEAREST)


@pytest.mark.parametrize(
    ("dear", "asked"),
    [
        (1, [(4, LONG)]),
        (4, [(4, LONG), (1, _fit.FAR), (4, _fit.FAR)]),
        (64, [(4, LONG), (1, 2_757), (4, 2_757)]),
    ],
)
def test_long_cases_are_measured_where_samples_are_dear_and_none_longer_than_those_to_come(
    dear: int, asked: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def measure(*asked: Any) -> int:
        ranks, longest = asked[4:6]
        seen.append((ranks, longest))
        return dear if ranks > 1 else 4 * dear

    monkeypatch.setattr(_fit, "_times_a_sample", measure)
    growth = SimpleNamespace(measured=[], limit=None, steep=None, look=lambda *_: None)
    search = searching()
    standard = find_profile("standard")
    fitted = _fit.fit_large(standard, search, SimpleNamespace(growth=growth), ((),))  # type: ignore[arg-type]
    assert seen == asked
    assert (fitted.large_total < for_dear_samples(standard, dear).large_total) == (dear > 1)


@pytest.mark.parametrize(
    ("taken", "asked", "dear"),
    [
        ([2 * _fit.SURELY], [(_fit.RANKS, SHORT), (1, SHORT)], True),
        ([2 * _fit.ENOUGH], [(_fit.RANKS, SHORT)] * 2 + [(1, SHORT)] * 2, True),
        ([2 * _fit.ENOUGH, 0.0], [(_fit.RANKS, SHORT)] * 2 + [(_fit.RANKS, LONG)] * 4, False),
    ],
)
def test_a_short_case_that_takes_long_is_measured_once_more_if_that_may_be_something_else(
    taken: list[float], asked: list[tuple[int, int]], dear: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[tuple[int, int]] = []

    def measure(_search: Any, case: Case) -> float:
        measured.append((case.world_size, case.length))
        return taken[min(len(measured), len(taken)) - 1]

    monkeypatch.setattr(_fit, "_seconds_of", measure)
    growth = SimpleNamespace(measured=[], limit=None, steep=None, look=lambda *_: None)
    search = searching()
    _fit.fit_large(find_profile("standard"), search, SimpleNamespace(growth=growth), ((),))  # type: ignore[arg-type]
    assert measured == asked
    assert (search.dear_sample > 1) == dear


@pytest.mark.parametrize(
    ("profile", "broken", "is_whole", "halved"),
    [
        ("quick", ("a law",), True, True),
        ("quick", (), True, False),
        ("quick", ("a law",), False, False),
        ("standard", ("a law",), True, False),
    ],
)
def test_where_small_cases_break_a_law_a_quick_run_looks_half_as_far(
    profile: str, broken: tuple[str, ...], is_whole: bool, halved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fit, "_times_a_sample", lambda *_: 1)
    growth = SimpleNamespace(measured=[], limit=None, steep=None, look=lambda *_: None)
    search = searching()
    search.ledger, search.shard = SimpleNamespace(broken=broken), SimpleNamespace(is_whole=is_whole)
    asked = find_profile(profile)
    fitted = _fit.fit_large(asked, search, SimpleNamespace(growth=growth), ((),))  # type: ignore[arg-type]
    assert fitted.frontier_total * (2 if halved else 1) == for_dear_samples(asked, 1).frontier_total
