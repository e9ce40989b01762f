"""Tails: a wrong number of padding is said with the number, and what rounds now up, now down is said so."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import samplercheck as sc
from samplercheck.engine._regions import Where
from samplercheck.engine._tails import name_rounds, traits_of_region
from samplercheck.explain import change
from samplercheck.explain.causes import ABOVE_A_BORDER, OF_TAILS
from samplercheck.explain.words import EXACT, SUFFICIENT
from samplercheck.values.case import Case

if TYPE_CHECKING:
    from collections.abc import Callable


CUT = "What is left over is cut for some lengths (length=5 on 2 ranks) and padded for others ("


def dealt(length: int, rank: int, world_size: int, total: int) -> Any:
    """So many samples, which are filled up with the beginning of the order or cut off, dealt out in turn."""
    order = list(range(length))
    return [order[at % length] for at in range(total)][rank::world_size] if length else []


def pads_the_rest(length: int, rank: int, world_size: int) -> Any:
    return dealt(length, rank, world_size, length + length % world_size)


def rounds(length: int, rank: int, world_size: int) -> Any:
    return dealt(length, rank, world_size, round(length / world_size) * world_size)


def pads_nothing(length: int, rank: int, world_size: int) -> Any:
    return dealt(length, rank, world_size, length)


def cuts(length: int, rank: int, world_size: int) -> Any:
    return dealt(length, rank, world_size, length // world_size * world_size)


def failure_of(target: Callable[..., Any], *codes: str) -> Any:
    chosen = codes or ("SC102", "SC104", "SC105")
    report = sc.run(target, profile="quick", select=chosen, worlds=["simulated"])
    return report.failures[0].failure


@pytest.mark.thorough
def test_a_pad_of_a_wrong_number_is_said_with_a_case_of_too_few_and_one_of_too_many() -> None:
    failure = failure_of(pads_the_rest)
    told = "It pads, but by the wrong number: 1 sample where 2 are needed (length=7 on 3 ranks), "
    assert failure.cause.startswith(told)
    assert failure.cause.endswith("3 samples where 1 is needed (length=7 on 4 ranks).")
    fix = "Pad by -length % world_size samples: repeat the order where it has fewer."
    assert failure.fix == fix  # it has no __len__


def test_what_is_cut_for_some_lengths_and_padded_for_others_is_said_so() -> None:
    failure = failure_of(rounds, "SC102")
    assert failure.cause.startswith(CUT)
    assert failure.fix.startswith("Pad, never cut: each rank gets math.ceil(total / world_size).")


def evens_out_batches(length: int, batch_size: int, rank: int, world_size: int, more: int = 0) -> Any:
    """Padded shares, cut into batches whose sizes differ by one at most."""
    share = dealt(length, rank, world_size, (-(-length // world_size) + more) * world_size)
    count = -(-len(share) // batch_size)
    return [share[at * len(share) // count : (at + 1) * len(share) // count] for at in range(count)]


@pytest.mark.thorough
@pytest.mark.parametrize("more", [0, 1])
def test_a_pad_of_single_samples_is_no_wrong_number_where_whole_batches_would_pad(more: int) -> None:
    contract = sc.Contract(batches="variable")
    target = sc.target(evens_out_batches, contract=contract, axes={"more": [more]})
    if not more:
        assert sc.run(target, profile="quick", select=("SC103",), worlds=["simulated"]).ok
        return
    failure = failure_of(target, "SC103")
    assert "wrong number" not in failure.cause
    assert "-length % world_size" not in failure.fix


def pads_each_half(length: int, rank: int, world_size: int) -> Any:
    """Even and odd samples are padded by themselves, and no pad is longer than what there is."""
    order: list[int] = []
    for half in (range(0, length, 2), range(1, length, 2)):
        order += [*half, *half[: -len(half) % world_size]]
    return order[rank::world_size]


def test_of_parts_that_are_padded_by_themselves_no_number_is_wrong_by_world_size() -> None:
    failure = failure_of(pads_each_half, "SC104")
    assert failure.region
    assert "wrong number" not in failure.cause
    assert "-length % world_size" not in failure.fix


def begins(length: int, rank: int, world_size: int) -> Any:
    """The first two samples of each share, as in a loop that is limited to so many steps."""
    return dealt(length, rank, world_size, -(-length // world_size) * world_size)[:2]


def test_a_padded_part_of_the_dataset_has_no_wrong_number() -> None:
    failure = failure_of(sc.target(begins, contract=sc.Contract(coverage="subset")), "SC103")
    assert "wrong number" not in failure.cause
    assert 'declare tail="pad"' in failure.fix


def dispatches(length: int, batch_size: int, rank: int, world_size: int) -> Any:
    """Each global batch is cut into slices of its size // world_size: the rest of the last one is lost."""
    slices = []
    for start in range(0, length, batch_size * world_size):
        batch = list(range(start, min(start + batch_size * world_size, length)))
        short = world_size - len(batch)
        batch += (list(range(length)) * world_size)[: max(short, 0)]
        size = len(batch) // world_size
        slices.append(batch[rank * size : (rank + 1) * size])
    return slices


@pytest.mark.thorough
def test_what_differs_by_the_batch_size_alone_is_told_with_it() -> None:
    cause = failure_of(dispatches, "SC102").cause
    assert cause.startswith("What is left over is cut for some lengths (")
    cut, padded = cause[:-2].split(" (")[1:]
    assert cut.partition(")")[0] != padded


def balances(labels: list[int], rank: int, world_size: int, *, loses: str = "end") -> Any:
    """Repeats rare labels until all are as frequent, and rounds: the end of the order is cut, or another."""
    by_label = [[at for at, one in enumerate(labels) if one == label] for label in sorted({*labels})]
    most = max(map(len, by_label), default=0)
    order = [some[at % len(some)] for some in by_label for at in range(most)]
    share = round(len(order) / world_size)
    ahead = order[len(order) - share * world_size :] if loses == "beginning" else order
    return [ahead[at % len(order)] for at in range(share * world_size)][rank::world_size] if labels else []


def loses_the_beginning(labels: list[int], rank: int, world_size: int) -> Any:
    return balances(labels, rank, world_size, loses="beginning")


@pytest.mark.thorough
def test_where_the_total_is_not_the_length_it_is_said_that_it_is_rounded_down_and_what_is_lost() -> None:
    """One rank shows the total, which several have to yield up to what they cannot share."""
    failure = failure_of(balances, "SC102")
    assert failure.region == "only when the order is cut to a multiple of world_size"
    assert failure.violation.fault == "never yields the end of its order"
    other = failure_of(loses_the_beginning, "SC102")
    assert "order" not in other.region
    assert other.region != "by chance"  # nothing is drawn
    assert other.violation.fault == ""


def loses_a_chunk(length: int, rank: int, world_size: int, chunk_size: int = 4) -> Any:
    """The last chunk is never read, and what is left is padded."""
    whole = length // chunk_size * chunk_size if length > chunk_size else length
    return dealt(whole, rank, world_size, -(-whole // world_size) * world_size)


@pytest.mark.thorough
def test_what_is_lost_as_well_where_ranks_share_evenly_is_not_laid_to_the_tail() -> None:
    failure = failure_of(loses_a_chunk, "SC102")
    assert failure.cause == "The last, short chunk is never read: 1 sample of 5 with chunk_size=4."
    assert "math.ceil(length / chunk_size) chunks, not length // chunk_size." in failure.fix


def loses_one_of_a_chunk(length: int, rank: int, world_size: int) -> Any:
    """One sample of a chunk that is not full is lost, and what is left is padded."""
    whole = length - 1 if length > 4 and length % 4 else length
    return dealt(whole, rank, world_size, -(-whole // world_size) * world_size)


def test_where_another_number_is_lost_than_a_chunk_has_left_it_is_not_laid_to_chunks() -> None:
    failure = failure_of(loses_one_of_a_chunk, "SC102")
    assert not failure.cause
    assert "a single rank loses samples, too" in failure.hint


@pytest.mark.parametrize("target", [pads_nothing, cuts])
def test_what_never_pads_is_told_to(target: Callable[..., Any]) -> None:
    failure = failure_of(target)
    assert failure.cause.startswith("The tail that world_size does not divide is ")
    assert failure.fix.startswith("Pad the order to a multiple of world_size before dealing it out")


def balanced(labels: list[int], rank: int, world_size: int) -> Any:
    """Repeats rare labels until all come equally often, and rounds to the nearest number for each rank."""
    groups = [[at for at, one in enumerate(labels) if one == label] for label in sorted(set(labels))]
    most = max(map(len, groups), default=0)
    order = [at for group in groups for at in (group * most)[:most]]
    total = round(len(order) / world_size) * world_size
    return [order[at % len(order)] for at in range(total)][rank::world_size] if order else []


@pytest.mark.thorough
def test_what_is_missing_from_one_case_is_one_mistake() -> None:
    report = sc.run(balanced, profile="quick", select=["SC102", "SC105"], worlds=["simulated"])
    complete, padding = report.failures
    assert padding.failure.failing > complete.failure.failing
    assert padding.failure.follows == complete.code
    assert complete.failure.cause.startswith(CUT)


def by_batches(length: int, rank: int, world_size: int, batch_size: int) -> Any:
    """Whole batches are dealt out in turn, and the last one as it is."""
    batches = [list(range(at, min(at + batch_size, length))) for at in range(0, length, batch_size)]
    return [sample for batch in batches[rank::world_size] for sample in batch]


@pytest.mark.thorough
def test_where_a_law_fails_names_the_number_that_its_cause_goes_by() -> None:
    failure = failure_of(by_batches, "SC104")
    assert failure.cause.startswith("The last, incomplete round of batches")
    assert "world_size * batch_size" in failure.region


@pytest.mark.parametrize(
    ("least", "ranks", "inside"),
    [(2, "world_size >= 2 and ", 10), (1, "", 15)],
    ids=["several ranks", "one rank"],
)
def test_a_round_of_batches_asks_for_several_ranks_where_one_rank_never_fails(
    least: int, ranks: str, inside: int
) -> None:
    """What cannot happen on one rank is no exception to a condition."""
    small = [
        Case(length=length, world_size=world, batch_size=2)
        for world in (1, 2, 4)
        for length in (1, 3, 5, 7, 9)
    ]
    failing = [case for case in small if case.world_size >= least]
    holding = [case for case in small if case.world_size < least]
    inquiry: Any = SimpleNamespace(failing=failing, holding=holding)
    cause: Any = SimpleNamespace(change=change.whole_batches)
    where = name_rounds(inquiry, Where(f"{SUFFICIENT} shuffle"), cause)
    assert where.text == f"only when {ranks}length % (world_size * batch_size) != 0"
    assert where.inside == inside


def test_draws_that_are_right_where_weights_are_alike_are_wrong_only_where_they_differ() -> None:
    cause: Any = SimpleNamespace(change=change.weights_alike)
    inquiry: Any = SimpleNamespace(failing=[], holding=[])
    assert name_rounds(inquiry, Where(), cause).text == "only when len(set(weights)) > 1"
    assert name_rounds(inquiry, Where("shuffle"), cause).text == "shuffle"


def test_a_cause_is_that_of_tails_where_nothing_fails_without_one() -> None:
    rounds = "length % (world_size * batch_size) != 0"
    assert traits_of_region(Where(f"{EXACT} world_size >= 2 and {rounds}")) == {OF_TAILS}
    assert traits_of_region(Where(f"{SUFFICIENT} {rounds}")) == set()
    assert traits_of_region(Where(f"{EXACT} ({rounds} or shuffle)")) == set()
    assert traits_of_region(Where(f"{EXACT} max(lengths) > 4")) == {ABOVE_A_BORDER}


def pads_for_all_ranks(length: int, rank: int, world_size: int) -> Any:
    """Two neighbours share a place in the data, and the order is padded as if none did."""
    return dealt(length, rank // 2, world_size // 2, -(-length // world_size) * world_size)


@pytest.mark.thorough
def test_ranks_that_share_a_place_are_counted_once() -> None:
    contract = sc.Contract(replicas=2, epochs="fixed")
    failure = failure_of(sc.target(pads_for_all_ranks, contract=contract), "SC103")
    assert failure.cause.startswith("It pads to a multiple of all ranks, of which 2 share a place in")
    assert failure.fix.startswith("Pad by -length % (world_size // 2) samples")
