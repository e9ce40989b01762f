"""The laws of what a model was trained on, on histories written by hand; tests/training has whole jobs."""

from __future__ import annotations

from dataclasses import replace
from math import log, perm

import numpy as np
import pytest

from samplercheck import Contract
from samplercheck.laws.history import as_undisturbed, ranks, reshuffles, trained_once
from samplercheck.laws.history.goes_on import LAW as GOES_ON
from samplercheck.laws.history.goes_on import WHOLE_EPOCHS
from samplercheck.laws.history.reshuffles import LAW as RESHUFFLED
from samplercheck.laws.history.trained_once import LAW as ONCE
from samplercheck.values.deliveries import Window
from samplercheck.values.history import Seam, Stretch, TrainedEpoch
from tests.support.histories import HeldDeliveries, a_history

WHOLE, STEPS, SIZES, EPOCHS = WHOLE_EPOCHS, ranks.STEPS, ranks.SIZES, ranks.EPOCHS
NO_SHARES = Contract(sharding="none")
LOST, AGAIN = "loses data", "repeats data"


def a_stretch(*batches, attempt=0, rank=0, epoch=None, has_ended=True, ids=True):
    window = Window(
        counts=np.array([len(one) for one in batches], np.int64),
        sums=np.array([sum(1 << sample for sample in one) for one in batches], np.uint64),
        orders=np.array([hash(one) % 2**63 for one in batches], np.uint64),
    )
    samples = np.array([sample for one in batches for sample in one], np.int64) if ids else None
    taken = HeldDeliveries(window, samples)
    return Stretch(
        attempt=attempt, rank=rank, epoch=epoch, taken=taken, steps=len(batches), has_ended=has_ended
    )


def an_epoch(*stretches, number=0, world=1, is_whole=True):
    return TrainedEpoch(number=number, stretches=stretches, world=world, is_sure=True, is_whole=is_whole)


def a_seam(before=(), after=(), *, is_amid=True):
    return Seam(earlier=0, later=1, epoch=1, steps=2, is_amid=is_amid, before=before, after=after)


def judged(law, *epochs, contract=None, **said):
    """What a law finds in a history of these epochs; None where it sees nothing in it."""
    seen = replace(a_history([], **said), epochs=epochs, contract=contract or Contract())
    return [one.found for one in law.judge(seen)] if law.sees(seen) else None


@pytest.mark.parametrize(
    ("law", "excluded"),
    [
        (STEPS, [{"tail": "keep"}, {"endless": True}]),
        (SIZES, [{"tail": "keep"}, {"batches": "variable"}]),
        (EPOCHS, [{"sharding": "none"}]),
        (WHOLE, [{"coverage": "sampled"}, {"coverage": "subset"}, {"endless": True}]),
        (GOES_ON, [{"coverage": "sampled"}, {"coverage": "subset"}]),
        (RESHUFFLED, [{"epochs": "fixed"}, {"order": "sequential"}]),
        (ONCE, [{"coverage": "sampled"}, {"coverage": "subset"}, {"endless": True}]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_they_apply_to_what_the_contract_promises(law, excluded):
    assert law.applies(Contract())
    assert [promise for promise in excluded if law.applies(Contract(**promise))] == []


def of_ranks(law, *stretches, **said):
    return judged(law, passes=(stretches,), **said)


def test_ranks_take_as_many_steps_from_a_pass_that_all_of_them_ended():
    two, one = a_stretch((0,), (2,)), a_stretch((1,), rank=1, attempt=1)
    assert of_ranks(STEPS, two) is None
    assert of_ranks(STEPS, two, a_stretch((1,), (3,), rank=1)) == []
    assert of_ranks(STEPS, two, one) == [
        "in attempt 2 the ranks take unlike numbers of steps from one pass: 2 and 1"
    ]
    assert of_ranks(STEPS, two, replace(one, has_ended=False)) == []


def test_ranks_have_batches_of_one_size_in_each_step():
    full, short = a_stretch((0, 1), (2, 3), attempt=1), a_stretch((4, 5), (6,), rank=1, attempt=1)
    found = ["in attempt 2 step 1 of a pass has 2 and 1 samples"]
    assert of_ranks(SIZES, full, short) == found
    assert of_ranks(SIZES, full, short, batch_size=None) is None
    assert of_ranks(SIZES, full) is None
    assert of_ranks(SIZES, full, a_stretch((4, 5), rank=1)) == []  # whose steps are fewer, which STEPS says


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ((3, 3), []),
        ((3, 2), ["in attempt 1 the samplers of the ranks are in epochs 3 and 2"]),
        ((3, None), None),
        ((3,), None),
    ],
)
def test_the_samplers_of_ranks_are_in_one_epoch(labels, found):
    stretches = [a_stretch((rank,), rank=rank, epoch=label) for rank, label in enumerate(labels)]
    assert of_ranks(EPOCHS, *stretches) == found


FIRST = an_epoch(a_stretch((0, 1), (2, 3)))
RESUMED = an_epoch(a_stretch((0, 1)), a_stretch((2, 3), attempt=1), number=1)


@pytest.mark.parametrize(
    ("later", "said", "found"),
    [
        ([(2, 3)], {}, True),
        ([(2, 3), (0, 1)], {}, False),
        ([(2, 3), (0, 1), (0,)], {}, False),
        ([(2, 3)], {"seams": ()}, None),
    ],
)
def test_epochs_behind_a_resumed_one_are_as_long_as_those_before(later, said, found):
    last = an_epoch(a_stretch(*later, attempt=1), number=2)
    seen = judged(WHOLE, FIRST, RESUMED, last, **{"seams": (a_seam(),), **said})
    text = "epoch 2, begun by attempt 2 after it had gone on, has 2 samples; 4 are an epoch"
    assert seen == ([text] * found if found is not None else None)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"length": 4}, 1),
        ({"length": 4, "drop_last": True, "batch_size": 1}, 1),  # a sample and a batch may be left out
        ({"length": 4, "drop_last": True, "batch_size": 2}, 0),
        ({"length": 2, "contract": NO_SHARES}, 0),
        ({"length": 2, "contract": Contract(repeats=2)}, 1),
        ({}, None),
    ],
)
def test_where_no_epoch_was_whole_before_later_ones_are_as_long_as_the_dataset(said, found):
    before = an_epoch(a_stretch((0, 1), (2, 3), (4, 5)), world=2)  # in a world of another size
    last = an_epoch(a_stretch((3, 2), attempt=1), number=2)
    seen = judged(WHOLE, before, RESUMED, last, seams=(a_seam(),), **said)
    assert (None if seen is None else len(seen)) == found


def test_an_epoch_goes_on_with_the_steps_that_were_to_come():
    before, other = a_stretch((2, 3), (4, 5)), a_stretch((2, 3), (5, 4), attempt=1)
    assert judged(GOES_ON, seams=(a_seam((before,), (replace(before, attempt=1),)),)) == []
    (found,) = judged(GOES_ON, seams=(a_seam((before,), (other,)),))
    assert found == (
        "attempt 2 goes on in epoch 1 after 2 optimizer steps of attempt 1: in step 1 from there rank 0 gets "
        "other samples than attempt 1 got"
    )
    for seam in (a_seam((before,), (other,), is_amid=False), a_seam((before,), (replace(other, rank=1),))):
        assert judged(GOES_ON, seams=(seam,)) is None


@pytest.mark.parametrize(
    ("old", "new", "sampler", "found"),
    [
        (1, 0, "DistributedSampler", 1),
        (1, 1, "DistributedSampler", 0),
        (None, 1, "DistributedSampler", None),
        (1, None, "DistributedSampler", None),
        (1, 0, "", None),
    ],
)
def test_where_nothing_was_to_come_the_number_of_the_epoch_tells(old, new, sampler, found):
    seam = a_seam((a_stretch(epoch=old),), (a_stretch(epoch=new, attempt=1),))
    seen = judged(GOES_ON, seams=(seam,), sampler=sampler)
    assert (None if seen is None else len(seen)) == found
    assert not found or "for which the sampler was set to epoch 1, with the sampler set to epoch 0" in seen[0]


def once(*batches, ids=True, length=4, **said):
    owed = None if length is None else 2**length - 1
    return judged(ONCE, an_epoch(a_stretch(*batches, ids=ids)), **{"length": length, "owed": owed, **said})


def test_the_samples_themselves_say_which_came_twice_and_which_never():
    assert once((0, 1), (3, 2)) == []
    assert once((0, 1), (3,)) == ["epoch 0 was trained on 3 samples: no 2"]
    assert once((0, 1), (3, 2), (1,)) == ["epoch 0 was trained on 5 samples: 1 more than once"]
    assert once((0, 1), (3, 1)) == [
        "epoch 0 was trained on 4 samples: no 2",
        "epoch 0 was trained on 4 samples: 1 more than once",
    ]
    assert once((0, 1), (3, 2), (7, 7)) == ["epoch 0 was trained on 6 samples: 7 more than once"]
    assert once((0, 1), (3, 2), length=None) is None


def test_ids_that_are_names_are_counted_and_held_against_one_another():
    assert once((20, 30), (50, 40)) == []
    assert once((20, 30), (50, 20)) == ["epoch 0 was trained on 4 samples: 20 more than once"]
    assert once((20, 30), (50,)) == ["epoch 0 was trained on 3 samples: 1 samples too few"]


def test_without_ids_their_number_their_steps_and_their_sum_say_it():
    assert once((0, 1), (3, 2), ids=False) == []
    assert once((0, 1), (3,), ids=False) == ["epoch 0 was trained on 3 samples: 1 samples too few"]
    assert once((0, 1), (3, 2), (1,), ids=False) == ["epoch 0 was trained on 5 samples: 1 samples too many"]
    again = ["epoch 0 was trained on 4 samples: steps that came twice, with 2 samples"]
    assert once((0, 1), (0, 1), ids=False) == again
    others = ["epoch 0 was trained on 4 samples: other samples: some came twice, others never"]
    assert once((0, 1), (3, 1), ids=False) == others
    for ids in (True, False):  # equal samples are no repetition
        assert once((0, 1), (0, 1), ids=ids, tells_apart=False) == []
        assert len(once((0, 1), (0,), ids=ids, tells_apart=False)) == 1
    assert once((0, 1), (3, 1), ids=False, owed=None) == []
    assert once((0, 1), (3, 1), ids=False, contract=NO_SHARES) == others


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("contract", [NO_SHARES.but(tail="keep"), Contract(repeats=2, tail="keep")])
def test_where_samples_come_more_than_once_so_do_steps(contract, ids):
    """On ranks that each read all, or by copies."""
    world = 3 - contract.repeats
    said = {"length": 4, "owed": 15, "contract": contract}
    for last, number, lost in (
        ([(2, 3)], 8, None),
        ([(2,)], 7, "3 too seldom" if ids else "1 samples too few"),
        ([(2, 3), (1,)], 9, "1 more than once" if ids else "1 samples too many"),
    ):
        shares = [(0, 1), (2, 3)], [(0, 1), *last]
        own = [a_stretch(*one, rank=rank % world, ids=ids) for rank, one in enumerate(shares)]
        found = judged(ONCE, an_epoch(*own, world=world), **said)
        assert found == ([f"epoch 0 was trained on {number} samples: {lost}"] if lost else [])


def test_an_epoch_that_was_resumed_is_held_to_the_others():
    twice = an_epoch(a_stretch((0, 1)), a_stretch((0, 1), (2, 3), attempt=1), number=1)
    assert judged(ONCE, FIRST, RESUMED) == []
    assert judged(ONCE, FIRST, twice) == [
        "epoch 1 (attempts 1 and 2) was trained on 6 samples: 0, 1 more than once"
    ]
    assert judged(ONCE, twice) is None
    other = an_epoch(a_stretch((0, 1), (2, 4)))  # epochs of other samples do not say which are due
    lost = an_epoch(a_stretch((0, 1)), a_stretch((2,), attempt=1), number=2)
    assert judged(ONCE, FIRST, lost) == ["epoch 2 (attempts 1 and 2) was trained on 3 samples: no 3"]
    few = ["epoch 2 (attempts 1 and 2) was trained on 3 samples: 1 samples too few"]
    assert judged(ONCE, FIRST, other, lost) == few
    whole = an_epoch(a_stretch((0, 1)), a_stretch((2, 5), attempt=1), number=2)
    assert judged(ONCE, FIRST, other, whole) == []
    doubled = an_epoch(a_stretch((0, 1)), a_stretch((2, 1), attempt=1), number=2)
    assert judged(ONCE, FIRST, other, doubled) == [
        "epoch 2 (attempts 1 and 2) was trained on 4 samples: 1 more than once"
    ]


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ((2, 3), []),
        ((2,), []),
        ((), ["1 samples too few"]),
        ((2, 3, 4), ["1 samples too many"]),
    ],
)
def test_an_epoch_that_was_resumed_has_as_many_samples_as_some_other_one_in_a_world_of_its_size(rest, found):
    usual = [an_epoch(a_stretch(*steps, ids=False)) for steps in ([(0, 1), (2, 3)], [(0, 1), (2,)])]
    usual.append(an_epoch(a_stretch((0,), ids=False), a_stretch((1,), rank=1, ids=False), world=2))
    last = an_epoch(a_stretch((0, 1), ids=False), a_stretch(rest, attempt=1, ids=False), number=1)
    assert [one.partition(": ")[2] for one in judged(ONCE, *usual, last)] == found


def test_of_an_epoch_that_worlds_of_two_sizes_took_the_length_says_what_it_owes():
    own = (a_stretch((2 + rank,), attempt=1, rank=rank) for rank in (0, 1))
    moved = an_epoch(a_stretch((0, 1)), *own, number=1, world=2)
    assert judged(ONCE, FIRST, moved) is None
    assert judged(ONCE, moved, length=4) == []
    lost = ["epoch 1 (attempts 1 and 2) was trained on 4 samples: no 4"]
    assert judged(ONCE, moved, length=5, contract=Contract(tail="keep")) == lost


@pytest.mark.parametrize(
    ("epochs", "said", "text"),
    [
        ([FIRST], {}, ""),
        ([an_epoch(a_stretch((0, 1), (2, 3), ids=False))], {"length": 4}, ""),
        ([FIRST, an_epoch(a_stretch((0, 1), ids=False))], {"length": 4}, trained_once.EXACT),
        ([an_epoch(a_stretch((0, 1), ids=False))], {"draws": True}, ""),
    ],
)
def test_where_sums_alone_were_compared_that_is_said(epochs, said, text):
    assert trained_once.in_part(replace(a_history([], **said), epochs=tuple(epochs))) == text


@pytest.mark.parametrize(
    ("what", "said", "number"),
    [
        ("order_of_all", {"length": 6}, perm(6)),
        ("order", {"length": 6}, perm(6, 3)),
        ("order_of_all", {}, perm(5)),  # of ranks that are filled up a sample may come twice
        ("order", {}, perm(5, 2)),
        ("order", {"contract": Contract(tail="keep")}, perm(6, 3)),
        ("order_of_all", {"length": 5, "sampler": "DistributedSampler"}, perm(5)),
    ],
)
def test_as_many_orders_are_counted_as_there_are_at_least(what, said, number):
    shares = (a_stretch((rank,), (2 + rank,), (4 + rank,), rank=rank) for rank in (0, 1))
    seen = replace(a_history([]), **said)
    counted = reshuffles._count_orders(seen, an_epoch(*shares, world=2), what)
    assert counted == pytest.approx(log(number))


@pytest.mark.parametrize(
    ("orders", "said", "found"),
    [
        ([0, 1, 0], {"shuffled": True}, 1),
        ([0, 0], {"shuffled": True}, 1),
        ([0, 1, 0], {"shuffled": None}, 1),
        ([0, 0], {"shuffled": None}, None),  # not seen to shuffle
        ([0, 1, 0], {"shuffled": False}, None),
        ([0, 1, 0], {"shuffled": True, "tells_apart": False}, None),
        ([0], {"shuffled": True}, None),
    ],
)
def test_orders_that_come_again_are_told_of_what_shuffles(orders, said, found):
    epochs = [
        an_epoch(a_stretch(*[(sample * step % 17,) for sample in range(1, 17)]), number=number)
        for number, step in enumerate(one + 2 for one in orders)
    ]
    seen = judged(RESHUFFLED, *epochs, **said)
    assert (None if seen is None else len(seen)) == found
    if found:
        assert seen[0] == f"epoch {len(orders) - 1} (attempt 1) comes in the order of epoch 0 (attempt 1)"


def test_too_few_and_short_epochs_to_be_judged_are_told_of():
    short = [an_epoch(a_stretch((0,), (1,), (2,)), number=number) for number in range(3)]
    long = an_epoch(a_stretch(*((sample,) for sample in range(30))))
    told = "3 whole epochs of 3 samples come in one order by accident too often to be judged"
    for epochs, said, text in (
        (short, {}, told),
        (short[:1], {}, ""),
        (short, {"shuffled": False}, ""),
        (short, {"tells_apart": False}, ""),
        ([long, long], {}, ""),
    ):
        seen = replace(a_history([], **said), epochs=tuple(epochs))
        assert reshuffles.why_unseen(seen).partition(":")[0] == text


def beside_usual(*epochs, promise="same-order", ids=True):
    """What is found of a job beside an undisturbed one, of two epochs that hold 0 to 3 each."""
    usual = replace(a_history([]), epochs=two_epochs(ids=ids))
    seen = replace(a_history([], promise=promise, undisturbed=usual), epochs=epochs)
    assert as_undisturbed.LAW.sees(seen)
    return [(one.found, one.consequence) for one in as_undisturbed.judge(seen)]


def two_epochs(*steps, ids=True, attempt=1):
    """Two epochs of two ranks: the second ends for rank 0 with these steps."""
    first = an_epoch(a_stretch((0,), (2,), ids=ids), a_stretch((1,), (3,), rank=1, ids=ids), world=2)
    begun, other = a_stretch((3,), ids=ids), a_stretch((2,), (0,), rank=1, ids=ids)
    rest = a_stretch(*(steps or [(1,)]), attempt=attempt, ids=ids)
    return first, an_epoch(begun, rest, other, number=1, world=2)


@pytest.mark.parametrize(
    ("steps", "found", "harm"),
    [
        ([(1,)], None, ""),
        (
            [(2,)],
            "attempt 2 has other samples in step 1 of epoch 1 on rank 0 than the undisturbed job",
            AGAIN,
        ),
        ([()], "attempt 2 has other samples in step 1 of epoch 1 on rank 0 than the undisturbed job", LOST),
        ([(1,), (0,)], "the training goes on for 1 step after its end", AGAIN),
    ],
)
@pytest.mark.parametrize("ids", [True, False])
def test_each_rank_takes_the_steps_of_the_undisturbed_job(steps, found, harm, ids):
    seen = beside_usual(*two_epochs(*steps, ids=ids), ids=ids)
    if found is None:
        assert seen == []
        return
    ((text, consequence),) = seen
    assert text.partition("; ")[0] == found
    assert consequence == (harm if ids or steps != [(2,)] else "wrong order")
    if not ids and steps != [(2,)]:
        assert text.endswith("; epoch 1 has 1 sample too " + ("many" if harm == AGAIN else "few"))


def test_an_epoch_that_is_short_ends_the_training_early():
    first, second = two_epochs()
    ((text, harm),) = beside_usual(
        first, replace(second, stretches=second.stretches[:1] + second.stretches[2:])
    )
    assert text.startswith(
        "the training ends before step 1 of epoch 1 on rank 0: 1 step too few; in epoch 1 "
    )
    assert harm == LOST


@pytest.mark.parametrize(
    ("promise", "steps", "found"),
    [
        ("once", [(1,)], ""),
        (
            "once",
            [(2,)],
            "4 samples, undisturbed on 4; in epoch 1 the model is trained on 2 once more than it",
        ),
        ("numbers", [(2,)], ""),
        ("numbers", [(1, 1)], "5 samples, undisturbed on 4"),
        ("numbers", [()], "3 samples, undisturbed on 4"),
    ],
)
def test_less_may_be_promised_than_one_order(promise, steps, found):
    seen = beside_usual(*two_epochs(*steps), promise=promise)
    assert len(seen) == bool(found)
    for text, harm in seen:
        assert text.startswith(f"epoch 1 is trained on {found}")
        assert harm == (LOST if steps == [()] else AGAIN)


def test_nothing_is_compared_where_it_is_not_known_what_came_of_an_epoch_or_of_the_undisturbed_job():
    unsure = replace(FIRST, is_sure=False)
    for undisturbed, epochs in ((None, (FIRST,)), (a_history([]), (FIRST, unsure))):
        seen = replace(a_history([], undisturbed=undisturbed), epochs=epochs)
        assert not as_undisturbed.LAW.sees(seen)


@pytest.mark.parametrize(
    ("samples", "shuffled", "is_told"), [(8, True, True), (16, True, False), (8, None, False)]
)
def test_that_two_alike_of_short_epochs_may_be_an_accident_is_told(samples, shuffled, is_told):
    steps = [(sample,) for sample in range(samples)]
    epochs = tuple(an_epoch(a_stretch(*steps), number=number) for number in range(3))
    said = reshuffles.in_part(replace(a_history([], shuffled=shuffled), epochs=epochs))
    assert said.startswith("an order that came only twice may be an accident") is is_told
