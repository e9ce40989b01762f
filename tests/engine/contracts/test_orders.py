"""Orders that are meant otherwise are told with their contract: chunks, buffers, epochs of their own."""

from __future__ import annotations

import itertools
import random
from functools import partial

import pytest
from torch.utils.data import DistributedSampler, IterableDataset, Sampler, get_worker_info

import samplercheck as sc
from samplercheck.engine.contracts._orders import LENGTH, shuffles_in_chunks
from samplercheck.running.inferring import propose_for
from tests.engine.contracts.asked import Placed, WholeRounds
from tests.sound.endless import LoaderForEver
from tests.zoo._sound import Strided

CHUNKS, SHARES = {"shuffles": "chunks"}, {"shuffles": "share"}


class Directories(DistributedSampler):
    """Directories of four samples change places, and samples within them; each rank takes a part in a row."""

    def __iter__(self):
        rng = random.Random(f"{self.seed} {self.epoch}")
        samples = range(len(self.dataset))
        chunks = [[*samples[at : at + 4]] for at in range(0, len(samples), 4)]
        if self.shuffle:
            rng.shuffle(chunks)
            chunks = [rng.sample(one, len(one)) for one in chunks]
        order = [one for chunk in chunks for one in chunk]
        order = list(itertools.islice(itertools.cycle(order), self.total_size))
        return iter(order[self.rank * self.num_samples : (self.rank + 1) * self.num_samples])


class SetAfterSet(Placed):
    """One dataset after the other, each shuffled."""

    def __init__(self, datasets, rank, world_size):
        super().__init__(sum(map(len, datasets)), rank, world_size)
        self.sizes = [len(one) for one in datasets]

    def order(self):
        rng, samples = random.Random(f"{self.epoch} of {self.length}"), iter(range(self.length))
        parts = [list(itertools.islice(samples, size)) for size in self.sizes]
        return self.padded([one for part in parts for one in rng.sample(part, len(part))])


class Buffered(IterableDataset):
    """The commonest stream: a rank's share, of that a worker's, and of that what a buffer holds."""

    def __init__(self, dataset, rank, world_size, seed=0):
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        rng, held = random.Random(f"{self.seed} {self.epoch} {self.rank} {worker}"), []
        total = -(-self.length // self.world_size) * self.world_size
        share = [place % self.length for place in range(self.rank, total, self.world_size)]
        for one in share[worker::workers]:
            held.append(one)
            if len(held) > 4:
                yield held.pop(rng.randrange(4))
        rng.shuffle(held)
        yield from held


class DealtFirst(IterableDataset):
    """Deals out directories of four samples, and shuffles those of a rank and the samples in each."""

    def __init__(self, length, rank, world_size, shuffle=True, seed=0):
        self.length, self.rank, self.world_size, self.shuffle = length, rank, world_size, shuffle
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        directories = [[*range(at, min(at + 4, self.length))] for at in range(0, self.length, 4)]
        mine, rng = directories[self.rank :: self.world_size], random.Random(f"{self.seed} {self.epoch}")
        if self.shuffle:
            mine = [rng.sample(one, len(one)) for one in rng.sample(mine, len(mine))]
        return itertools.chain.from_iterable(mine)


class BufferedShare(Placed):
    """Deals out turns, and draws from what a buffer of three samples holds."""

    def order(self):
        return self.padded(list(range(self.length)))

    def __iter__(self):
        rng, held = random.Random(f"{self.epoch} {self.rank}"), []
        for one in super().__iter__():
            held.append(one)
            if len(held) > 3:
                yield held.pop(rng.randrange(3))
        rng.shuffle(held)
        yield from held


class CountsItsPasses(DistributedSampler):
    """Sets its own epoch whenever it is iterated, so that nobody has to."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.passes = 0

    def __iter__(self):
        self.set_epoch(self.passes)
        self.passes += 1
        return super().__iter__()


@pytest.mark.parametrize(
    ("kind", "contract", "left"),
    [
        (Directories, CHUNKS, ()),
        (SetAfterSet, {**CHUNKS, "order": "shuffled"}, ()),
        (Buffered, {**SHARES, "order": "shuffled"}, ("SC803",)),  # a worker that is kept keeps its epoch
    ],
)
def test_another_order_is_told_with_its_contract(kind, contract, left):
    found = propose_for(sc.target(kind))
    assert found is not None
    assert (found.contract, found.left) == (contract, left)


def test_chunks_that_ranks_keep_are_shares_unless_a_share_is_not_shuffled_whole():
    uneven = sc.Contract(tail="keep", even_steps=False)
    found = propose_for(sc.target(DealtFirst, contract=uneven))
    assert (found.contract, found.settled) == (SHARES, ("SC305",))
    found = propose_for(sc.target(BufferedShare))
    assert (found.contract, found.left) == ({**CHUNKS, "order": "shuffled"}, ())


def shuffled(size, seed):
    """Return an order in which so many neighbours stay together, and are shuffled, as the chunks are."""
    rng = random.Random(seed)
    chunks = [range(at, min(at + size, LENGTH)) for at in range(0, LENGTH, size)]
    return [one for chunk in rng.sample(chunks, len(chunks)) for one in rng.sample(chunk, len(chunk))]


@pytest.mark.parametrize("size", [2, 4, 5, 7, 12])
def test_chunks_of_any_size_are_seen(size):
    assert shuffles_in_chunks([shuffled(size, seed) for seed in range(3)])


def test_a_shuffle_of_all_and_batches_that_are_never_mixed_are_no_chunks():
    for many in range(300):
        assert not shuffles_in_chunks([shuffled(LENGTH, f"{many} {seed}") for seed in range(3)])
    batches = [range(at, at + 2) for at in range(0, LENGTH, 2)]
    rng = random.Random(0)
    orders = [[one for batch in rng.sample(batches, len(batches)) for one in batch] for _ in range(3)]
    assert not shuffles_in_chunks(orders)


class Windows(Placed):
    """Windows of three neighbours change places, each a batch; what does not divide is repeated whole."""

    def order(self):
        windows = [[*range(at, min(at + 3, self.length))] for at in range(0, self.length, 3)]
        random.Random(f"{self.epoch} of {self.length}").shuffle(windows)
        return self.padded(windows)


class Bins:
    """Fixed bins of neighbours, shuffled and shuffled within; the short one comes anywhere. One process."""

    def __init__(self, dataset, batch_size):
        samples = range(len(dataset))
        self.bins = [[*samples[at : at + batch_size]] for at in range(0, len(samples), batch_size)]
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.bins)

    def __iter__(self):
        rng = random.Random(f"{self.epoch} of {len(self.bins)}")
        return iter([rng.sample(one, len(one)) for one in rng.sample(self.bins, len(self.bins))])


class Accumulating(WholeRounds):
    """Leaves out what fills no even number of steps, as the gradients of two are added up."""

    def __init__(self, length, rank, world_size, batch_size, steps=2):
        super().__init__(length, rank, world_size, batch_size)
        self.steps = steps

    def padded(self, order):
        round_size = self.batch_size * self.world_size * self.steps
        return order[: len(order) // round_size * round_size]


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_multiple_of_several_steps_is_told_with_its_contract(steps):
    found = propose_for(sc.target(partial(Accumulating, steps=steps), name="accumulating"))
    assert found is not None
    dropped = {"coverage": "subset", "tail": "drop", "tail_unit": "batch", "order": "shuffled"}
    assert (found.contract, found.left) == (dropped, ())


class AccumulatingSamples(Strided):
    """Deals out samples, so many rounds of them that each rank accumulates whole steps."""

    def __init__(self, length, rank, world_size, seed=0, accumulate=2):
        super().__init__(length, rank, world_size, shuffle=True, seed=seed)
        self.accumulate = accumulate

    def __len__(self):
        return self.length // (self.world_size * self.accumulate) * self.accumulate

    def even(self, ids):
        return ids[: len(self) * self.world_size]


@pytest.mark.parametrize("said", [{}, {"tail": "drop"}])
def test_samples_that_are_accumulated_to_steps_are_told_alike(said):
    found = propose_for(sc.target(AccumulatingSamples, contract=sc.Contract(order="shuffled", **said)))
    assert found is not None
    assert said | found.contract == {"coverage": "subset", "tail": "drop"}
    assert found.left == ()


class FillingSteps(Accumulating):
    """Goes round what it has until that fills an even number of steps."""

    def padded(self, order):
        round_size = self.batch_size * self.world_size * self.steps
        total = -(-len(order) // round_size) * round_size
        return list(itertools.islice(itertools.cycle(order), total))


@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_multiple_of_several_steps_that_is_filled_up_is_told_too(steps):
    found = propose_for(sc.target(partial(FillingSteps, steps=steps), name="filling"))
    assert found is not None
    filled = {"coverage": "sampled", "frequencies": "at_least_once", "order": "shuffled"}
    assert (found.contract, found.left) == (filled, ())


class ForgetsTheRest(Placed):
    """Fills batches with samples of like length, forgets what fills none, and repeats whole batches."""

    def __init__(self, lengths, rank, world_size, batch_size):
        super().__init__(len(lengths), rank, world_size)
        self.buckets, self.batch_size = [length // 4 for length in lengths], batch_size

    def order(self):
        rng, size = random.Random(f"{self.epoch} of {self.length}"), self.batch_size
        batches = []
        for bucket in sorted(set(self.buckets)):
            part = [i for i in range(self.length) if self.buckets[i] == bucket]
            part = rng.sample(part, len(part))
            batches += [part[at : at + size] for at in range(0, len(part) - size + 1, size)]
        return self.padded(batches)


def test_whole_batches_that_fill_up_what_is_left_of_a_part_are_told():
    found = propose_for(sc.target(ForgetsTheRest))
    assert found is not None
    assert {"coverage": "subset", "tail": "pad", "tail_unit": "batch"}.items() <= found.contract.items()
    assert found.left == ()


@pytest.mark.thorough
def test_batches_of_a_size_of_their_own_are_told_with_their_contract():
    windows = propose_for(sc.target(Windows))
    assert windows is not None
    assert (windows.contract, windows.left) == ({"batches": "variable", **CHUNKS, "order": "shuffled"}, ())
    bins = sc.run(Bins, profile="quick", worlds=["simulated"], select=["SC1", "SC3", "SC6"]).proposal
    assert bins is not None
    assert (bins.words, bins.left) == ("batches=variable", ())


class OfOneDataset(Placed):
    """Global batches of one dataset each, the last of each dataset filled up; a rank takes its part."""

    def __init__(self, datasets, rank, world_size, batch_size):
        super().__init__(sum(map(len, datasets)), rank, world_size)
        self.sizes, self.batch_size = [len(one) for one in datasets], batch_size

    def share(self):
        rng, samples = random.Random(f"{self.epoch} of {self.length}"), iter(range(self.length))
        whole, plan = self.batch_size * self.world_size, []
        for size in self.sizes:
            order = rng.sample(part := list(itertools.islice(samples, size)), len(part))
            filled = list(itertools.islice(itertools.cycle(order), -(-size // whole) * whole))
            plan += [filled[at : at + whole] for at in range(0, len(filled), whole)]
        rng.shuffle(plan)
        first = self.rank * self.batch_size
        return [one[first : first + self.batch_size] for one in plan]


class MoreEachTime(Placed):
    """Half of the dataset, then three quarters, then all of it."""

    def order(self):
        order = list(range(self.length * min(4, 2 + self.epoch) // 4))
        random.Random(f"{self.epoch} of {self.length}").shuffle(order)
        return self.padded(order)


class WalksOn:
    """One endless walk through shuffles of the dataset, half of a dataset in each epoch. One process."""

    def __init__(self, length, seed=0):
        self.length, self.rng, self.left = length, random.Random(seed), []

    def __iter__(self):
        for _ in range(-(-self.length // 2)):
            self.left = self.left or self.rng.sample(range(self.length), self.length)
            yield self.left.pop()


@pytest.mark.thorough
def test_a_walk_in_pieces_is_no_part_without_repeats():
    found = sc.run(WalksOn, profile="quick", worlds=["simulated"], select=["SC1"]).proposal
    assert found is not None
    assert found.contract == {"coverage": "sampled", "frequencies": "eventually"}
    assert found.left == ()


@pytest.mark.thorough
def test_batches_of_one_dataset_and_more_samples_each_time_are_told_with_their_contract():
    grouped, growing = (propose_for(sc.target(kind)) for kind in (OfOneDataset, MoreEachTime))
    assert grouped is not None
    filled = {"tail": "pad", "tail_unit": "group", "order": "shuffled"}
    assert (grouped.contract, grouped.left) == (filled, ())
    assert growing is not None
    in_time = {"coverage": "subset", "frequencies": "eventually", "tail": "pad", "order": "shuffled"}
    assert (growing.contract, growing.left) == (in_time, ())


class SomeSteps(DistributedSampler):
    """The first two samples of each share: few are dealt out to their end, which is padded."""

    def __iter__(self):
        return itertools.islice(super().__iter__(), 2)

    def __len__(self):
        return min(2, super().__len__())


def some_steps(dataset, rank, world_size, seed):
    return SomeSteps(dataset, world_size, rank, seed=seed)


def test_the_padding_of_epochs_of_few_steps_is_declared_with_them():
    found = propose_for(sc.target(some_steps))
    assert found is not None
    in_time = {"coverage": "subset", "frequencies": "eventually", "tail": "pad", "order": "shuffled"}
    assert (found.contract, found.left) == (in_time, ())


class SplitInBatches(Placed):
    """Batches of a fixed split, shuffled in each epoch; what fills none on all ranks is dropped."""

    def __init__(self, length, batch_size, rank, world_size):
        super().__init__(length, rank, world_size)
        self.batch_size = batch_size

    def __iter__(self):
        order = random.Random(5).sample(range(self.length), self.length * 4 // 5)
        random.Random(self.epoch).shuffle(order)
        size = self.batch_size * self.world_size
        rounds = (order[at : at + size] for at in range(0, len(order) - size + 1, size))
        return (one[self.rank :: self.world_size] for one in rounds)


class TwoLaps(Placed):
    """Two shuffles of the dataset in each epoch, one after the other."""

    def order(self):
        rng = random.Random(f"{self.epoch} of {self.length}")
        return self.padded([*self.shuffled(rng), *self.shuffled(rng)])

    def shuffled(self, rng):
        return rng.sample(range(self.length), self.length)


class AtRatesOfTheirOwn(Placed):
    """Draws a dataset, whatever its size, then one of its samples."""

    def __init__(self, datasets, rank, world_size):
        super().__init__(sum(map(len, datasets)), rank, world_size)
        self.sizes = [*map(len, datasets)]

    def __iter__(self):
        rng = random.Random(f"{self.epoch} {self.rank}")
        for _ in range(-(-self.length // self.world_size)):
            which = rng.randrange(len(self.sizes))
            yield sum(self.sizes[:which]) + rng.randrange(self.sizes[which])


@pytest.mark.parametrize(
    ("kind", "contract"),
    [
        (SplitInBatches, {"coverage": "subset"}),
        (TwoLaps, {"coverage": "sampled", "frequencies": "at_least_once"}),
        (AtRatesOfTheirOwn, {"coverage": "sampled", "frequencies": "eventually"}),
    ],
)
def test_a_split_that_drops_laps_and_draws_from_datasets_are_told_with_what_they_keep(kind, contract):
    found = propose_for(sc.target(kind))
    assert found is not None
    assert (found.contract, found.left) == ({**contract, "order": "shuffled"}, ())


@pytest.mark.thorough
def test_what_never_ends_and_draws_on_the_process_is_told_without_a_walk():
    found = sc.run(LoaderForEver, profile="quick", worlds=["simulated"], select=["SC002", "SC4"]).proposal
    assert found is not None
    assert (found.contract, found.left) == ({"endless": True, "epochs": "fixed"}, ())


def test_that_set_epoch_has_no_effect_is_a_fault_and_no_contract_is_proposed_for_it():
    found = propose_for(sc.target(CountsItsPasses))
    assert found is None or "epochs" not in found.contract


class KeepsItsPlace:
    """Every pass is an epoch, and begins with what is left of one that was broken off."""

    def __init__(self, length, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.epoch = self.done = 0

    def __iter__(self):
        order = random.Random(f"{self.seed} {self.epoch}").sample(range(self.length), self.length)
        total = -(-self.length // self.world_size) * self.world_size
        padded = [*itertools.islice(itertools.cycle(order), total)]
        for sample in padded[self.rank :: self.world_size][self.done :]:
            self.done += 1
            yield sample
        self.epoch, self.done = self.epoch + 1, 0

    def state_dict(self):
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state):
        self.epoch, self.done = state["epoch"], state["done"]


@pytest.mark.thorough
def test_what_keeps_its_place_is_told_to_go_on_after_a_break():
    found = propose_for(sc.target(KeepsItsPlace))
    assert found is not None
    promise = {"epochs": "advance", "after_break": "rest", "order": "shuffled"}
    assert (found.contract, found.left) == (promise, ())


class TakesSteps(Sampler):
    """So many steps are an epoch, and the next pass goes on with the walk, also after a break."""

    def __init__(self, dataset, rank, world_size, seed, steps=7):
        self.length, self.rank, self.world_size, self.seed = len(dataset), rank, world_size, seed
        self.steps, self.place = steps, 0

    def __iter__(self):
        for _ in range(self.steps if self.length else 0):
            lap, at = divmod(self.place + self.rank, self.length)
            self.place += self.world_size
            yield random.Random(f"{self.seed} {lap}").sample(range(self.length), self.length)[at]

    def state_dict(self):
        return {"place": self.place}

    def load_state_dict(self, state):
        self.place = state["place"]


@pytest.mark.thorough
def test_a_walk_in_steps_goes_on_beyond_what_a_break_has_left():
    found = propose_for(sc.target(TakesSteps))
    assert found is not None
    assert {"epochs": "advance", "after_break": "rest", "frequencies": "eventually"}.items() <= (
        found.contract.items()
    )
    assert not {"SC701", "SC702"} & {*found.left}


class FirstForTheLast(Strided):
    """Deals out the samples of each label in another order each epoch, the first one in place of the last."""

    def __init__(self, labels, rank, world_size, seed=0):
        super().__init__(len(labels), rank, world_size, shuffle=True, seed=seed)
        self.labels = labels

    def order(self):
        groups = [[at for at, one in enumerate(self.labels) if one == label] for label in {*self.labels}]
        kept = [sample for group in groups for sample in group[:-1] + group[:1] * (len(group) > 1)]
        return random.Random(f"{self.seed}/{self.epoch}").sample(kept, len(kept))


def test_what_takes_the_same_samples_in_each_epoch_does_not_seem_to_draw():
    found = propose_for(sc.target(FirstForTheLast, contract=sc.Contract(order="free")))
    assert found is None
