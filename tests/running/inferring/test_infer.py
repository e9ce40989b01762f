"""The strictest contract that holds is found, and what a bug would write is not proposed."""

from __future__ import annotations

import itertools
import signal
from functools import partial

import pytest
from torch.utils.data import DistributedSampler, RandomSampler

import samplercheck as sc
from samplercheck.laws import ALL_LAWS
from samplercheck.running.inferring import inference_of
from tests.support.inferred import (
    AllOnEveryRank,
    Balances,
    Chunks,
    DrawsADataset,
    DrawsHalf,
    Forever,
    Loses,
)
from tests.zoo import endless_ranks_walk_apart
from tests.zoo.cases import zoo

MANY_BUILT = 100
SIMULATED = {law.code for law in ALL_LAWS} - {"SC901", "SC902", "SC903"}
ADVICE = {"SC003"}
"""What says nothing of a contract unless a run is strict."""


@pytest.mark.slow
def test_torchs_sampler_is_torchs_sampler():
    assert sc.infer(DistributedSampler) == sc.Contract.torch()


@pytest.mark.thorough
def test_uneven_chunks_are_a_kept_tail_and_say_what_refuted_the_default():
    found = inference_of(Chunks)
    assert found.contract == sc.Contract(tail="keep", layout="contiguous")
    (weaker,) = found.weaker
    assert (weaker.field, weaker.value) == ("tail", "keep")
    assert weaker.refuted is not None
    assert (weaker.refuted.promise, weaker.refuted.code) == ("tail='auto'", "SC104")
    assert weaker.refuted.token == "n=1,world=2,batch=1"
    assert [one.promise for one in found.stricter] == ["layout='strided'"]


@pytest.mark.slow
def test_what_never_stops_is_endless():
    with pytest.warns(UserWarning, match="endless=True"):
        assert sc.infer(Forever) == sc.Contract(
            endless=True, epochs="fixed", order="shuffled", layout="strided"
        )


@pytest.mark.slow
def test_no_layout_is_promised_of_endless_ranks_that_walk_apart():
    found = inference_of(endless_ranks_walk_apart.bug)
    assert found.contract == sc.Contract(endless=True, epochs="fixed", order="shuffled")
    assert [(one.promise, one.code) for one in found.stricter] == [("layout='strided'", "SC103")]


@pytest.mark.slow
def test_who_is_told_a_rank_and_does_not_ask_for_it_keeps_no_contract():
    with pytest.raises(sc.LawBroken, match=r"nearest, Contract\(\), it breaks SC103 disjoint in n=2"):
        sc.infer(AllOnEveryRank)


@pytest.mark.thorough
def test_lost_samples_are_no_contract():
    with pytest.raises(sc.LawBroken, match=r"No contract describes .*SC102 complete in n=1,world=1"):
        sc.infer(Loses)


class RaisesWhenEmpty(Chunks):
    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        self.length = length

    def __iter__(self):
        if not self.length:
            raise RuntimeError("empty")
        return super().__iter__()


@pytest.mark.thorough
def test_an_empty_dataset_refuses_nothing():
    assert inference_of(RaisesWhenEmpty).contract == sc.Contract(tail="keep", layout="contiguous")


def test_ctrl_c_ends_it():
    """The user's Ctrl-C is no fault of a target that happens to run."""
    built = itertools.count()

    def chunks(length, rank, world_size):
        if next(built) == MANY_BUILT:
            signal.raise_signal(signal.SIGINT)
        return Chunks(length, rank, world_size)

    with pytest.raises(KeyboardInterrupt):
        inference_of(chunks)


@pytest.mark.thorough
def test_what_is_given_stays():
    found = inference_of(Chunks, sc.Contract(tail="keep", layout="any"))
    assert found.contract.tail == "keep"
    assert found.weaker == ()  # it was given, and not inferred
    assert {one.field: one.value for one in found.promises} == found.contract.changes()  # and is pasted


@pytest.mark.slow
def test_a_plain_sampler_shares_nothing():
    with pytest.warns(UserWarning, match="keeps less than the default contract"):
        contract = sc.infer(RandomSampler)
    assert (contract.sharding, contract.order, contract.coverage) == ("none", "shuffled", "once")


@pytest.mark.slow
def test_a_plain_sampler_is_shown_what_several_ranks_would_get_of_it():
    refuted = {one.field: one.refuted for one in inference_of(RandomSampler).weaker}
    assert all(refuted.values())
    assert (refuted["sharding"].promise, refuted["sharding"].code) == ("sharding='ranks'", "SC103")


@pytest.mark.slow
@pytest.mark.parametrize("module", [one for one in zoo() if one.CONTRACT == {}], ids=lambda one: one.SLUG)
def test_who_keeps_the_default_is_never_offered_less(module):
    found = inference_of(sc.target(module.sound, axes=module.AXES))
    assert found.weaker == ()
    assert found.left == ()


@pytest.mark.slow
@pytest.mark.parametrize("module", [one for one in zoo() if one.CONTRACT == {}], ids=lambda one: one.SLUG)
def test_a_bug_is_never_passed_off_as_the_default(module):
    found = inference_of(sc.target(module.bug, axes=module.AXES))
    said = found.weaker or found.left or found.anyway or found.unsure
    assert said or module.EXPECT.isdisjoint(SIMULATED - ADVICE)


@pytest.mark.thorough
def test_datasets_that_are_drawn_at_rates_of_their_own_keep_the_contract_that_a_run_proposes():
    found = inference_of(DrawsADataset)
    drawn = sc.Contract(coverage="sampled", frequencies="eventually", order="shuffled")
    assert (found.contract, found.left, found.excused) == (drawn, (), ())
    assert found.signs == ("draw with replacement, datasets at rates of their own",)
    proposal = sc.run(DrawsADataset, profile="quick", worlds=["simulated"]).proposal
    assert proposal is not None
    assert (sc.Contract(**proposal.contract), proposal.left) == (drawn, ())


@pytest.mark.thorough
def test_ranks_that_balance_labels_apart_are_not_excused_as_draws():
    """Each rank yields the samples of rare labels often enough, of another order: some come on none."""
    meant = sc.Contract(coverage="sampled", frequencies="at_least_once", order="shuffled")
    sound = inference_of(Balances)
    assert (sound.contract, sound.left, sound.excused) == (meant, (), ())
    found = inference_of(partial(Balances, apart=True))
    assert (found.contract, [one.code for one in found.left]) == (meant, ["SC102"])


@pytest.mark.thorough
def test_what_is_drawn_for_no_reason_is_named_and_not_excused():
    with pytest.raises(sc.LawBroken, match=r"coverage='sampled'.* would excuse SC102 complete"):
        sc.infer(DrawsHalf)
