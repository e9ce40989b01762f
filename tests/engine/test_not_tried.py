"""What no law looks at under a contract is said, and nothing is said of what is judged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
import torch

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.engine import Plan, _one_size, carry_out
from samplercheck.engine._not_tried import REPLICAS
from samplercheck.engine._probe import ONE_ORDER
from samplercheck.engine._unjudged import (
    ALIKE,
    BEGINNING,
    DRAWING,
    DRAWN_ALIKE,
    EVER,
    HOW_OFTEN,
    LATER,
    MIXING,
    NEVER_SET,
    ONE_DRAW,
    ORDER,
    SAME_SHARES,
    SHARING,
    STANDS,
    UNTRIED_INNER,
    list_unjudged,
)
from samplercheck.laws.law import Scope
from samplercheck.storage.case_file import Breach, StoredCase
from samplercheck.storage.store import Store
from samplercheck.values.finding import Outcome
from tests.support.brief import look_briefly

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_one_draw_says_nothing_of_how_often_samples_come_and_other_seeds_do() -> None:
    fixed = Contract(coverage="sampled", epochs="fixed", sharding="none")
    assert told(fixed) == [HOW_OFTEN]
    assert told(fixed, frozenset({"seed"})) == []


def test_passes_that_are_all_one_draw_say_nothing_of_how_often_samples_come() -> None:
    for contract, alike in (
        (Contract.weighted(), [ONE_DRAW]),
        (Contract.weighted(frequencies="unjudged"), []),
    ):
        scope = Scope(contract=contract, named=frozenset(), traits=frozenset({ONE_ORDER}))
        assert [one for one in list_unjudged(scope) if one == ONE_DRAW] == alike
        assert ONE_DRAW not in told(contract)


@pytest.mark.usefixtures("brief")
def test_a_small_scope_without_a_sample_is_told() -> None:
    def cut(length: int, rank: int, world_size: int, at: int = 16) -> range:
        return range(rank, length // at * at, world_size)

    some, none = (partial(cut, at=one) for one in (2, 16))
    for build, is_empty in ((some, False), (none, True)):
        said = Contract(coverage="subset", tail="keep", order="free")
        target = sc.target(build, name="cut")
        report = carry_out(Plan(target=target, contract=said, profile="quick", worlds="simulated"))
        assert (
            any("of the small scope does a rank yield anything" in one for one in report.not_tried)
            is is_empty
        )


@pytest.mark.usefixtures("brief")
def holding(length: int, rank: int, world_size: int, block_size: int = 2**18, seeds: int = 2**30) -> range:
    return range(rank, length, world_size)


def test_a_size_by_default_beyond_all_that_was_tried_is_named() -> None:
    report = sc.run(sc.target(holding, contract=Contract(tail="keep")), profile="quick", select=["SC102"])
    (line,) = (one for one in report.not_tried if one.startswith("more samples than"))
    assert line.startswith("more samples than block_size=262,144, which --length 262145 tries")


def test_a_number_of_consumed_samples_is_named_where_nothing_says_that_it_tells_how_to_resume() -> None:
    def build(length: int, rank: int, world_size: int, start_index: int = 0) -> range:
        return range(rank, length - length % world_size, world_size)

    said = Contract(tail="drop")
    report = carry_out(Plan(target=build, contract=said, profile="quick", worlds="simulated"))
    assert report.not_tried[0].startswith("resuming: start_index may say where")


def test_who_wraps_a_sampler_is_told_that_none_without_a_seed_was_tried() -> None:
    assert told(Contract(), frozenset({"sampler", "rank"})) == [UNTRIED_INNER]
    assert told(Contract(sharding="none"), frozenset({"sampler"})) == []


def told(contract: Contract, named: frozenset[str] = frozenset()) -> list[str]:
    return list(list_unjudged(Scope(contract=contract, named=named)))


def shares_of_twelve(length: int, rank: int, world_size: int) -> list[list[int]]:
    size = 12 // world_size
    order = [*range(rank, length - length % (size * world_size), world_size)]
    return [order[at : at + size] for at in range(0, len(order), size)]


def test_a_batch_that_ranks_share_is_not_tried_on_more_ranks_than_it_has_samples() -> None:
    contract = Contract(tail="drop", tail_unit="batch")
    report = carry_out(Plan(target=shares_of_twelve, contract=contract, profile="quick", worlds="simulated"))
    assert report.ok
    assert any(
        "on more than 12 ranks: batches of so many samples have no part" in text for text in report.not_tried
    )


@pytest.mark.parametrize(
    ("contract", "lines"),
    [
        (Contract(), []),
        (Contract.torch(), []),
        (Contract.endless(), [LATER, SHARING]),
        (Contract.endless(layout="strided"), []),
        (Contract.endless(layout="strided", order="free"), [LATER]),
        (Contract.endless(layout="contiguous"), [LATER, SHARING]),
        (Contract.endless(sharding="none"), [LATER]),
        (Contract.endless(batches="variable", layout="strided"), [EVER, BEGINNING, SHARING]),
        (Contract.endless(coverage="sampled"), [HOW_OFTEN]),
        (Contract(coverage="sampled", epochs="fixed"), [DRAWING, HOW_OFTEN]),
        (Contract(coverage="sampled", epochs="fixed", frequencies="unjudged"), [DRAWING]),
        (Contract(coverage="sampled", order="free"), [ORDER]),
        (Contract(coverage="sampled", sharding="none", epochs="fixed"), [HOW_OFTEN]),
    ],
)
def test_what_is_not_judged_is_said(contract: Contract, lines: list[str]) -> None:
    assert told(contract) == lines


def test_that_ranks_are_alike_on_purpose_is_said_where_a_rank_is_named() -> None:
    plain, shared = Contract(sharding="none"), Contract()
    assert told(plain, frozenset({"rank"})) == [ALIKE]
    assert told(plain, frozenset({"length"})) == told(shared, frozenset({"rank"})) == []
    drawn = Contract.weighted(epochs="fixed", frequencies="unjudged", order="shuffled")
    assert told(drawn, frozenset({"rank"})) == [DRAWN_ALIKE]


class SeededAnew:
    """Shuffles with a generator that each pass makes anew from the same seed."""

    def __init__(self, data_source, seed):
        self.length, self.seed = len(data_source), seed

    def __iter__(self):
        yield from torch.randperm(self.length, generator=torch.Generator().manual_seed(self.seed)).tolist()


class Moves(SeededAnew):
    """The same with a generator of its own."""

    def __init__(self, data_source, seed):
        super().__init__(data_source, seed)
        self.generator = torch.Generator().manual_seed(seed)

    def __iter__(self):
        yield from torch.randperm(self.length, generator=self.generator).tolist()


def in_order(length):
    return range(length)


@pytest.mark.parametrize(("factory", "said"), [(SeededAnew, STANDS), (Moves, ORDER), (in_order, ORDER)])
def test_one_shuffled_order_in_all_epochs_is_said_where_nobody_promises_others(factory, said):
    with look_briefly():
        report = sc.run(factory, profile="quick")
    assert report.ok
    assert [text for text in report.not_tried if text.startswith("whether epochs are shuffled")] == [said]


def test_a_set_epoch_that_the_contract_leaves_uncalled_is_said() -> None:
    """A sampler that draws by its epoch is then judged by one draw, again and again."""

    def lines(contract: Contract) -> list[str]:
        has_it = frozenset({"set_epoch"})
        return list(list_unjudged(Scope(contract=contract, named=frozenset(), traits=has_it)))

    advances = Contract(epochs="advance")
    assert lines(advances) == [NEVER_SET.format("advance")]
    assert lines(advances.but(epochs="fixed")) == [NEVER_SET.format("fixed")]
    assert told(advances) == lines(advances.but(epochs="either")) == lines(Contract()) == []


def test_chunks_leave_equal_chances_open() -> None:
    chunks = Contract(shuffles="chunks", order="shuffled")
    assert told(chunks) == [MIXING.format("SC106, ")]
    assert told(chunks.but(order="sequential")) == []


def test_that_ranks_keep_their_samples_is_asked_by_no_law() -> None:
    share = Contract(shuffles="share", order="shuffled")
    assert told(share) == [SAME_SHARES]
    assert told(share.but(shuffles="dataset")) == []


def test_what_groups_samples_may_hold_them_back() -> None:
    assert told(Contract.endless(), frozenset({"lengths"})) == [LATER, BEGINNING, SHARING]


def whole(length: int, rank: int, world_size: int) -> list[int]:
    """The dataset on every rank, in its order."""
    if not 0 <= rank < world_size:
        raise ValueError(rank)
    return list(range(length))


def looked_at(**plan: object) -> sc.Report:
    """A short run of what gives every rank the whole dataset on purpose."""
    target = sc.target(whole, name="whole", contract=Contract(sharding="none"))
    with look_briefly():
        return carry_out(
            Plan(target=target, profile="quick", worlds=["simulated"], select=["SC102"], **plan)  # type: ignore[arg-type]
        )


def test_a_run_says_first_that_its_ranks_are_alike_on_purpose() -> None:
    assert looked_at().not_tried[0] == ALIKE


HEAVY = (
    Case(length=3_000, world_size=1_000, epochs=10_000),
    Case(length=3, world_size=3_000_000, epochs=1),
    Case(length=3, resume_world_size=3_000_000),
    Case(length=3, world_size=2, workers=1_000),
)


def of_a_place(length: int, dp_rank: int, dp_size: int) -> range:
    return range(dp_rank, length, dp_size)


def test_who_takes_a_place_in_the_data_is_told_that_no_two_ranks_shared_one() -> None:
    for replicas in (1, 2):
        contract = Contract(tail="keep", epochs="fixed", replicas=replicas)
        target = sc.target(of_a_place, name="of_a_place", contract=contract)
        with look_briefly():
            report = carry_out(Plan(target=target, profile="quick", worlds=["simulated"], select=["SC102"]))
        assert (REPLICAS in report.not_tried) is (replicas == 1)


def test_stored_cases_that_would_take_minutes_are_left_to_replay_and_that_is_said(tmp_path: Path) -> None:
    """By whom they were written does not matter: they may have come with a project."""
    store = Store(tmp_path)
    store.known.mkdir()
    for case in (*HEAVY, Case(length=2)):
        breach = Breach(target="whole", law="SC102", found="x")
        (store.known / f"{case.id}.json").write_bytes(StoredCase(case, (breach,)).encode())
    report = looked_at(store=store)
    assert (report.tried[0].phase, report.tried[0].cases) == ("stored", 1)
    assert [note for note in report.notes if note.startswith("4 stored cases left out, too large")]


def test_stored_cases_have_the_size_that_batches_have_now(tmp_path: Path) -> None:
    """They may have been stored when the target had batches of another size, or by an earlier version."""
    store = Store(tmp_path)
    store.known.mkdir()
    case, breach = Case(length=6, world_size=2), Breach(target="fours", law="SC102", found="x")
    (store.known / f"{case.id}.json").write_bytes(StoredCase(case, (breach,)).encode())
    target = sc.target(drops_fours, name="fours", contract=sc.Contract(tail="drop", tail_unit="batch"))
    report = sc.run(target, profile="quick", select=["SC102"], store=store)
    assert (report.tried[0].phase, report.tried[0].cases) == ("stored", 1)
    assert report.ok


def drops_fours(length: int, rank: int, world_size: int) -> list[list[int]]:
    whole = 4 * world_size
    starts = range(0, length - length % whole, whole)
    return [list(range(start + rank, start + whole, world_size)) for start in starts]


def test_stored_cases_take_seconds_all_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_one_size, "MOST_STORED", 1_300)
    store = Store(tmp_path)
    store.known.mkdir()
    for length in range(2, 6):
        case, breach = Case(length=length, world_size=2), Breach(target="whole", law="SC102", found="x")
        (store.known / f"{case.id}.json").write_bytes(StoredCase(case, (breach,)).encode())
    report = looked_at(store=store)
    assert (report.tried[0].phase, report.tried[0].cases) == ("stored", 2)


class AtLeastThreeLabels:
    """Refuses what it cannot make a batch of; all else is as it should be."""

    def __init__(self, labels: list[int]) -> None:
        if len(set(labels)) < 3:
            raise ValueError("too few labels")
        self.length = len(labels)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.length))


@pytest.mark.thorough
def test_cases_that_are_refused_for_their_labels_are_counted_and_the_others_are_judged() -> None:
    contract = Contract.single_process(order="sequential")
    report = sc.run(AtLeastThreeLabels, contract=contract, profile="quick")
    assert not report.failures
    assert next(one for one in report.results if one.code == "SC102").outcome is Outcome.HOLDS
    (said,) = (one for one in report.not_tried if "refuses" in one)
    assert said.endswith("most often by ValueError: too few labels")
    assert int(said.partition(" ")[0].replace(",", "")) > 0
