"""The line that is said to decide a failure runs in every failing case and in no near one that holds."""

from __future__ import annotations

import random
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
import torch.utils.data

import samplercheck as sc
from samplercheck import Case
from samplercheck.explain.lines import OwnCode, order_by_nearness
from samplercheck.reports.verdict import verdict_of
from tests.zoo import set_epoch_counts_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from samplercheck.explain.tellings import Telling

CASES = [Case(length=length, world_size=2) for length in range(1, 9)]
OWN = OwnCode(__file__)
pytestmark = pytest.mark.usefixtures("untraced")


class PadsWithTheFirst(torch.utils.data.Sampler[int]):
    """Fills an odd end up with one sample too many."""

    def __init__(self, dataset: Sequence[Any], rank: int, world_size: int) -> None:
        self.length, self.rank, self.world_size = len(dataset), rank, world_size

    def __iter__(self) -> Iterator[int]:
        order = list(range(self.length))
        if self.length % self.world_size:
            order += [0] * (self.world_size - self.length % self.world_size + 1)  # the fault
        return iter(order[self.rank :: self.world_size])


def is_odd(case: Case) -> bool:
    if case.length % 2:
        found = True
        return found  # noqa: RET504  (a line that runs where it fails alone)
    return False


LINES = Path(__file__).read_text(encoding="utf-8").splitlines()
FAULT = next(number for number, line in enumerate(LINES, 1) if line.endswith("# the fault"))


def halves() -> tuple[list[Case], list[Case]]:
    return [case for case in CASES if case.length % 2], [case for case in CASES if not case.length % 2]


def test_the_last_line_that_runs_in_failing_cases_alone_is_named():
    said = OWN.deciding_line(*halves(), is_odd)
    assert "test_lines.py" in said
    assert ": return found; it runs only in failing cases (8 compared)" in said


def test_what_runs_beside_it_as_well_decides_nothing_and_a_function_may_be_asked_for():
    def beside(case: Case) -> bool:
        return is_odd(case)

    assert OWN.deciding_line(*halves(), is_odd, beside=beside) == ""
    assert OWN.deciding_line(*halves(), is_odd, within="beside") == ""
    assert "return found" in OWN.deciding_line(*halves(), is_odd, within="is_odd")


def test_where_no_line_is_of_failing_cases_alone_it_is_one_of_those_that_hold():
    def fails(case: Case) -> bool:
        found = True
        if case.length % 2 == 0:
            found = False
        return found

    said = OWN.deciding_line(*halves(), fails)
    assert ": found = False; failing cases skip it (8 compared)" in said


def test_nothing_is_said_where_the_same_lines_run_where_cases_are_few_or_while_another_tool_traces():
    odd, even = halves()
    assert OWN.deciding_line(odd, even, lambda case: bool(case.length % 2)) == ""
    assert OWN.deciding_line(odd, even[:1], is_odd) == ""
    sys.settrace(lambda *_: None)
    assert OWN.deciding_line(odd, even, is_odd) == ""


def test_code_of_packages_of_python_and_of_the_kit_is_not_the_authors():
    for path in (torch.utils.data.__file__, sys.modules["random"].__file__, sc.__file__, "<string>"):
        assert not OWN.holds(str(path))
    assert OWN.holds(__file__)
    assert OwnCode(str(torch.__file__)).holds(torch.utils.data.__file__)


def test_of_what_raises_it_is_the_authors_last_line_in_the_traceback():
    said = OWN.raising_line(f"{__file__}:1 in build: x\n{torch.__file__}:2 in fill: y")
    assert 'test_lines.py:1: """The line that is said to decide a failure' in said
    assert OWN.raising_line("tasks.py:3 in nowhere: z") == ""


def adapter(items):
    return items.build()  # what another package has


def test_behind_an_adapter_it_is_the_last_line_of_the_package_that_it_builds():
    start = next(
        number for number, line in enumerate(LINES, 1) if line.endswith("# what another package has")
    )
    called = f"{__file__}:{start} in adapter: x"
    there, other = (str(Path(one.__file__)) for one in (hypothesis, pytest))
    said = OwnCode(__file__, "adapter").raising_line(
        f"{called}\n{there}:1 in a: x\n{there}:3 in b: y\n{other}:1 in c: z"
    )
    assert "hypothesis/__init__.py:3" in said
    for own, behind in ((OWN, there), (OwnCode(__file__, "adapter"), torch.__file__)):
        assert f"test_lines.py:{start}: return items.build()" in own.raising_line(
            f"{called}\n{behind}:1 in a: x"
        )


def loops(items):
    while items:  # the loop
        for item in items:
            item.warn()
    for item in items:
        for other in item:
            other.warn()
    return items


def test_of_what_never_ends_it_is_the_loop_and_no_line_inside_of_it_or_none_of_several():
    start = next(number for number, line in enumerate(LINES, 1) if line.endswith("# the loop"))
    said = OWN.endless_line(f"{__file__}:{start + 2} in loops: item.warn()\n/x/logging.py:2 in warn: y")
    assert said.endswith(f"test_lines.py:{start}: while items:")
    assert OWN.endless_line(f"{__file__}:{start + 3} in loops: x").endswith(
        f"{start + 3}: for item in items:"
    )
    assert OWN.endless_line(f"{__file__}:{start + 5} in loops: x") == ""
    assert OWN.endless_line(f"{__file__}:{start + 6} in loops: x").endswith(f"{start + 6}: return items")


def test_cases_that_differ_in_one_thing_are_nearest_and_empty_ones_are_no_neighbours():
    case = Case(length=1, world_size=2)
    others = [Case(length=0, world_size=2), Case(length=3, world_size=3), Case(length=2, world_size=2)]
    assert [one.length for one in order_by_nearness(others, case)] == [2, 3]


def test_a_run_says_the_line_first_thing():
    report = sc.run(PadsWithTheFirst, profile="quick", worlds=["simulated"], select=["SC104", "SC105"])
    failures = [one.failure for one in report.failures if one.failure]
    assert failures
    assert all(f"test_lines.py:{FAULT}: order += [0] * (self.world_size" in one.line for one in failures)
    assert f"test_lines.py:{FAULT}" in verdict_of(report.to_dict()).line
    assert f"test_lines.py:{FAULT}" in str(report)


@pytest.mark.thorough
def test_that_a_line_shuffles_says_nothing_of_an_order_that_depends_on_others():
    report = sc.run(set_epoch_counts_calls.bug, profile="quick", worlds=["simulated"], select=["SC304"])
    (one,) = report.failures
    assert one.failure is not None
    assert "it runs only in failing cases" not in one.failure.line


def seed() -> float:
    return random.Random(7).random()


def seed_with_nothing() -> random.Random:
    return random.Random()


def seed_and_draw() -> int:
    generator = torch.Generator()
    generator.manual_seed(7)
    torch.randperm(3, generator=generator)
    order = [1, 2, 3]
    random.shuffle(order)  # draws
    return len(order)


class Keeps:
    """Keeps its place and a generator, sets its epoch, and says what it has kept."""

    def __init__(self) -> None:
        self.place, self.epoch, self.name = 0, 0, "same"
        self.set_epoch(0)

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        for _ in range(2):
            self.place += 1  # the first change of its place
            yield self.place
        self.place = 0

    def state_dict(self) -> dict[str, int]:
        return {"place": self.place}

    def load_state_dict(self, state: dict[str, int]) -> None:
        if "place" not in state:
            raise KeyError("place")
        self.place = state["place"]


class Draws(Keeps):
    """Draws from a generator of its own, and changes it thereby, and its place as well."""

    def __iter__(self) -> Iterator[int]:
        own = torch.Generator()
        order = torch.randperm(3, generator=own)
        yield from super().__iter__()
        self.name = str(order)


def use(kept: Keeps) -> None:
    kept.set_epoch(3)
    kept.load_state_dict(kept.state_dict())
    with pytest.raises(KeyError, match="place"):
        kept.load_state_dict({})
    list(kept)


class Yields:
    """Yields three numbers in two ways, and says so by len()."""

    def __iter__(self) -> Iterator[int]:
        torch.utils.data.get_worker_info()
        yield from (0, 1)
        yield 2  # the last of a pass

    def __len__(self) -> int:
        number = 3
        return number  # noqa: RET504  (a line of its own)


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("draws", "random.shuffle(order); this uses a global generator"),
        ("yields", "yield 2; the rank yields this"),
        ("copied", "yield 2; each worker yields this"),
        ("asks", "torch.utils.data.get_worker_info(); this asks which worker it is"),
        ("len", "return number; len() comes from here"),
    ],
)
def test_the_last_line_that_does_something_is_named(what: Telling, says: str) -> None:
    assert OWN.telling_line(what, lambda: (seed_and_draw(), list(Yields()), len(Yields()))).endswith(says)
    assert OWN.telling_line(what, lambda: None) == ""


def test_a_length_that_another_ones_len_asks_for_is_not_the_one_that_is_told():
    other: dict[str, Any] = {}
    exec(
        compile("class Other:\n    def __len__(self):\n        return len(self.inner)", "other", "exec"),
        other,
    )
    wrapper = other["Other"]()
    wrapper.inner = Yields()
    assert OWN.telling_line("len", lambda: len(wrapper)) == ""
    torchs = torch.utils.data.BatchSampler(Yields(), 2, drop_last=False)
    assert OWN.telling_line("len", lambda: len(torchs)).endswith("return number; len() comes from here")


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("keeps", "self.place += 1; this changes self.place"),
        ("state", 'return {"place": self.place}; state_dict() ends here'),
        ("loads", 'self.place = state["place"]; load_state_dict() ends here'),
        ("epoch", "self.epoch = epoch; set_epoch() ends here"),
    ],
)
def test_a_line_is_known_by_what_it_keeps_saves_or_loads(what: Telling, says: str) -> None:
    assert OWN.telling_line(what, lambda: use(Keeps())).endswith(says)


def test_of_several_lines_that_seed_nobody_knows_which_one_decides() -> None:
    assert OWN.telling_line("seeds", lambda: (seed(), seed())).endswith("this seeds the order")
    assert OWN.telling_line("seeds", lambda: (seed(), seed_and_draw())) == ""
    said = OWN.telling_line("seeds", lambda: (seed(), seed_with_nothing()))
    assert said.endswith("return random.Random(); this seeds the order")


class ShufflesBySeed:
    def shuffled(self, seed: int) -> random.Random:
        return random.Random(seed)

    def mixed(self, seed: int) -> random.Random:
        return random.Random(seed + 1)


def test_a_seed_that_is_handed_on_is_made_by_the_caller() -> None:
    data, epoch = ShufflesBySeed(), 3
    said = OWN.telling_line("seeds", lambda: data.shuffled(5 + epoch))
    assert said.endswith("lambda: data.shuffled(5 + epoch)); this seeds the order")
    said = OWN.telling_line("seeds", lambda: data.mixed(epoch))
    assert said.endswith("return random.Random(seed + 1); this seeds the order")


def test_where_passes_change_several_attributes_nobody_knows_which_one_matters() -> None:
    assert OWN.telling_line("keeps", lambda: use(Draws())) == ""
    said = OWN.telling_line("orders", lambda: use(Draws()))
    assert said.endswith("order = torch.randperm(3, generator=own); this draws from a generator")


class DrawsOnce:
    def __init__(self) -> None:
        own = torch.Generator().manual_seed(0)
        self.order = torch.randperm(3, generator=own)

    def __iter__(self) -> Iterator[int]:
        return iter(self.order.tolist())


def test_an_order_is_drawn_once_by_the_last_line_that_draws_if_that_is_in_a_constructor() -> None:
    said = OWN.telling_line("once", lambda: list(DrawsOnce()))
    assert said.endswith("self.order = torch.randperm(3, generator=own); this draws the order once")
    assert OWN.telling_line("once", lambda: [*DrawsOnce(), seed_and_draw()]) == ""


def test_no_line_is_named_for_what_a_library_does_or_while_another_tool_traces():
    wrapped = torch.utils.data.DistributedSampler([1, 2], num_replicas=1, rank=0)
    assert OWN.telling_line("seeds", lambda: list(wrapped)) == ""
    assert OWN.telling_line("seeds", lambda: (seed(), list(wrapped))) == ""  # either may decide
    assert OWN.telling_line("yields", lambda: list(wrapped)) == ""
    assert OWN.telling_line(None, seed_and_draw) == ""
    sys.settrace(lambda *_: None)
    assert OWN.telling_line("seeds", seed) == ""


@pytest.mark.parametrize(
    ("slug", "says"),
    [
        ("workers_duplicate_iterable", "each worker yields this"),
        ("rank_plus_worker", "asks which worker it is"),
    ],
)
def test_of_workers_it_is_said_which_line_yields_alike_or_asks_for_the_worker(slug: str, says: str) -> None:
    zoo = import_module(f"tests.zoo.{slug}")
    target = sc.target(zoo.bug, name=slug, contract=sc.Contract(**zoo.CONTRACT), axes=zoo.AXES)
    report = sc.run(target, profile="quick", worlds=["simulated"], select=["SC802"])
    (one,) = report.failures
    assert one.failure is not None
    assert one.failure.line.endswith(says)


class LeavesRestsUncounted(torch.utils.data.Sampler[list[int]]):
    """Its passes hold the rest of each label, of which its length knows nothing."""

    def __init__(self, labels: Sequence[int], batch_size: int) -> None:
        self.labels, self.batch_size = list(labels), batch_size

    def __len__(self) -> int:
        return sum(self.labels.count(label) // self.batch_size for label in set(self.labels))

    def __iter__(self) -> Iterator[list[int]]:
        for label in sorted(set(self.labels)):
            mine = [at for at, other in enumerate(self.labels) if other == label]
            whole = len(mine) // self.batch_size * self.batch_size
            yield from (mine[at : at + self.batch_size] for at in range(0, whole, self.batch_size))
            if mine[whole:]:
                yield mine[whole:]


class KeepsTheTailOnceResumed(torch.utils.data.Sampler[int]):
    """Drops what no whole round takes, but not from the order that it makes after a state was loaded."""

    def __init__(self, dataset: Sequence[Any], num_replicas: int, rank: int) -> None:
        self.length, self.world_size, self.rank = len(dataset), num_replicas, rank
        self.start = self.count = 0

    def __iter__(self) -> Iterator[int]:
        order = list(range(self.length))
        if rest := self.length % self.world_size:
            whole = self.length - rest
            order = order if self.start else order[:whole]
        self.count, self.start = self.start, 0
        for index in order[self.rank :: self.world_size][self.count :]:
            self.count += 1
            yield index
        self.count = 0

    def state_dict(self) -> dict[str, int]:
        return {"count": self.count}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.start = self.count = state["count"]


@pytest.mark.parametrize(
    ("target", "contract", "code", "line"),
    [
        (LeavesRestsUncounted, {"batches": "variable", "order": "free"}, "SC201", "return sum("),
        (KeepsTheTailOnceResumed, {"tail": "drop", "epochs": "fixed"}, "SC701", ""),
    ],
)
def test_no_line_of_a_right_pass_is_named_for_its_length_nor_one_of_each_pass_for_a_resumed_one(
    target: Any, contract: dict[str, Any], code: str, line: str
):
    named = sc.target(target, contract=sc.Contract(**contract))
    report = sc.run(named, profile="quick", select=[code, "SC102"], worlds=["simulated"])
    (failure,) = (one.failure for one in report.failures)
    assert line in failure.line if line else not failure.line
