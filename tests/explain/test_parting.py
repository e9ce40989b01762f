"""The line at which ranks part, and those that change or read what a wrapper wraps."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.data.distributed import DistributedSampler

import samplercheck as sc
from samplercheck import Case
from samplercheck.explain.causes._dealing import TAIL
from samplercheck.explain.lines import OwnCode
from samplercheck.worlds import open_world
from tests.zoo._sound import permutation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from samplercheck.explain.tellings import Telling


pytestmark = pytest.mark.usefixtures("untraced")


def line_of(what: Telling, target: Any, *experiments: str) -> str:
    """The line that does something in a case of two ranks, without where it is."""
    binding = sc.target(target).bind()
    case = Case(length=5, world_size=2)
    with open_world("simulated") as world:
        run = partial(world.trace, binding, case, experiments or ("epochs",))  # no line of this file
        said = OwnCode(__file__).telling_line(what, run)
    return said.partition(": ")[2].partition(";")[0]


def in_turn(length: int, rank: int, world_size: int) -> Any:
    order = list(range(length))
    return iter(order[rank::world_size])


def by_a_test(length: int, rank: int, world_size: int) -> Iterator[int]:
    for index in range(length):
        if index % world_size == rank:
            yield index


def by_a_loop(length: int, rank: int, world_size: int) -> Iterator[int]:
    order = list(range(length))
    for index in order[rank::world_size]:
        yield int(index)


def in_blocks(length: int, rank: int, world_size: int) -> Iterator[int]:
    share = -(-length // world_size)
    start = rank * share
    yield from range(start, min(length, start + share))


class WhenBuilt:
    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.place = (rank, world_size)
        self.indices = list(range(length))[rank::world_size]

    def __iter__(self) -> Iterator[int]:
        return iter(self.indices)


class OfTorch(DistributedSampler[int]):
    def __init__(self, dataset: Any, num_replicas: int, rank: int) -> None:
        super().__init__(dataset, num_replicas, rank, shuffle=False)

    def __iter__(self) -> Iterator[int]:
        mine = list(super().__iter__())
        return iter(mine[::-1])


def of_tensors(length: int, rank: int, world_size: int) -> Iterator[Any]:
    order = torch.randperm(length, generator=torch.Generator().manual_seed(0))
    shares = [order[place::world_size] for place in range(world_size)]
    yield from shares[rank].tolist()


def greeted_by_one(length: int, rank: int, world_size: int) -> Any:
    said = []
    if rank == 0:
        said.append("hello")
    return iter(range(rank, length, world_size))


def alike(length: int, rank: int, world_size: int) -> Any:
    return islice(range(length), 0, None, 1)


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (in_turn, "return iter(order[rank::world_size])"),
        (by_a_test, "if index % world_size == rank:"),
        (by_a_loop, "for index in order[rank::world_size]:"),
        (in_blocks, "yield from range(start, min(length, start + share))"),
        (of_tensors, "yield from shares[rank].tolist()"),
        (WhenBuilt, "self.indices = list(range(length))[rank::world_size]"),
        (OfTorch, "mine = list(super().__iter__())"),
        (greeted_by_one, ""),  # what one rank alone runs need not be what deals out
        (alike, ""),
    ],
)
def test_the_line_behind_which_ranks_hold_or_yield_other_samples_deals_out(
    target: Callable[..., Any], line: str
) -> None:
    assert line_of("deals", target) == line


class Wrapper:
    def __init__(self, sampler: Any, num_replicas: int, rank: int) -> None:
        self.sampler, self.world_size, self.rank = sampler, num_replicas, rank

    def set_epoch(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self.sampler)[self.rank :: self.world_size])

    def __len__(self) -> int:
        return len(self.sampler) // self.world_size


class Marks(Wrapper):
    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        self.sampler.seed = 1_234 + epoch


class ReadsOnce(Wrapper):
    def __init__(self, sampler: Any, num_replicas: int, rank: int) -> None:
        super().__init__(sampler, num_replicas, rank)
        self.sampler = list(sampler)

    def set_epoch(self, epoch: int) -> None:
        """Nothing is told of it."""


class GrowsBatches(Wrapper):
    def __init__(self, batch_sampler: Any, num_replicas: int, rank: int) -> None:
        super().__init__(batch_sampler, num_replicas, rank)

    def __iter__(self) -> Iterator[Any]:
        for batch in self.sampler:
            batch += [0]
            yield batch


@pytest.mark.parametrize(
    ("what", "target", "line"),
    [
        ("marks", Marks, "self.sampler.seed = 1_234 + epoch"),
        ("marks", GrowsBatches, "batch += [0]"),
        ("marks", Wrapper, ""),
        ("reads", ReadsOnce, "self.sampler = list(sampler)"),
    ],
)
def test_the_line_that_changes_or_reads_what_is_wrapped_is_named(
    what: Telling, target: Callable[..., Any], line: str
) -> None:
    assert line_of(what, target, "wrapped") == line


def forgets_the_epoch(length: int, rank: int, world_size: int) -> Any:
    return permutation(length, 7, 0)[rank::world_size]


def shuffles_twice(length: int, rank: int, world_size: int) -> Any:
    once = permutation(length, 7, 0)
    again = permutation(length, 8, 0)
    return [once[at] for at in again][rank::world_size]


@pytest.mark.parametrize("what", ["seeds", "orders"])
def test_of_a_function_in_another_file_the_line_that_calls_it_is_named(what: Telling) -> None:
    assert line_of(what, forgets_the_epoch) == "return permutation(length, 7, 0)[rank::world_size]"


def test_of_several_lines_that_call_such_a_function_nobody_knows_which_one_decides() -> None:
    assert line_of("seeds", shuffles_twice).startswith("generator.manual_seed(")


def by_hash(length: int, rank: int, world_size: int) -> Any:
    names = {f"name{index}": index for index in range(length)}
    order = [names[name] for name in set(names)]
    return order[rank::world_size]


def by_hashes(length: int, rank: int, world_size: int) -> Any:
    order = sorted(range(length), key=lambda index: hash(f"{index}"))
    seen = {index for index in order if index}
    return [*seen, 0][rank::world_size]


def test_the_one_line_that_makes_a_set_or_asks_for_a_hash_is_named() -> None:
    assert line_of("hashes", by_hash) == "order = [names[name] for name in set(names)]"
    assert line_of("hashes", by_hashes) == ""
    assert line_of("hashes", in_turn) == ""


def test_what_is_padded_or_cut_wrongly_is_not_said_to_lie_where_it_is_dealt_out() -> None:
    (tail,) = (one for one in TAIL if "is dealt out unevenly, so" in one.words.get("SC104", ""))
    assert tail.place_for("SC104", frozenset()) == "deals"
    assert {tail.place_for(code, frozenset()) for code in ("SC102", "SC103", "SC105")} == {None}
