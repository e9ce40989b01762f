"""Rebuilt: the changes of how a target is built and used, one habit at a time.

Listed with their meaning in ``causes``. Each is a function of the original binding, the case, the
rank and the arguments that an experiment has turned. Imports the stand-ins, and with them torch.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from functools import lru_cache, partial
from random import Random
from typing import Any

from torch.utils.data import DistributedSampler, IterableDataset

from samplercheck.explain import seeded, stand_ins
from samplercheck.explain.change import (
    FAR,
    Change,
    Rebuild,
    otherwise_built,
    stand_before,
    stand_before_new,
    stand_before_whole,
)
from samplercheck.targets.binding import Binding
from samplercheck.targets.features import INNERS
from samplercheck.targets.proxy import Proxy
from samplercheck.values.case import Case
from samplercheck.values.limits import most_steps

Turned = dict[str, Any]


def _mapping(change: Callable[[Case], Callable[[Any, int], Any]]) -> Rebuild:
    def rebuild(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
        subject = binding.build(case, rank, turned)
        kind = stand_ins.MappedStream if isinstance(subject, IterableDataset) else stand_ins.Mapped
        return kind(subject, change(case))

    return rebuild


def _seeded_as_first(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    first, own = (partial(binding.build, case, one, turned) for one in (0, rank))
    return seeded.SeededAsFirst(own, first, most_steps(case, binding.contract) + 1) if rank else first()


def _epoch_in_seed(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    seed = turned.get("seed", case.seed)
    return stand_ins.EpochInSeed(
        lambda epoch: binding.build(case, rank, {**turned, "seed": (seed + epoch) % 2**31})
    )


def _seed_apart(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    seed = turned.get("seed", case.seed)
    return binding.build(case, rank, {**turned, "seed": (seed + FAR * rank) % 2**31})


def _for_all_ranks(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    size: int = turned.get("batch_size", case.batch_size)
    return binding.build(case, rank, {**turned, "batch_size": size * case.world_size})


def _same_object(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    return copy.deepcopy(_first_built(binding, case, rank, tuple(sorted(turned.items()))))


@lru_cache(maxsize=1)  # an experiment builds its objects of one rank one after the other
def _first_built(binding: Binding, case: Case, rank: int, turned: tuple[tuple[str, Any], ...]) -> Any:
    return binding.build(case, rank, dict(turned))


def _place_by_hand(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    return binding.build(
        case, rank, {name: value for name, value in turned.items() if name != "rank" or value is not None}
    )


def _on_one_node(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    one = {"LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": case.world_size, "GROUP_RANK": 0, "NODE_RANK": 0}
    os.environ.update({name: str(place) for name, place in one.items()})
    return binding.build(case, rank, turned)


def _take_local_as_rank(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    os.environ["LOCAL_RANK"] = str(rank)
    return binding.build(case, rank, turned)


def _around_inner(stand_in: type[Proxy]) -> Rebuild:
    def rebuild(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
        inners = {
            name: stand_in(turned[name] if name in turned else binding.inner_of(name, case, turned))
            for name in INNERS
            if name in binding.named
        }
        return binding.build(case, rank, {**turned, **inners})

    return rebuild


def _unshuffled(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    if isinstance(subject := binding.build(case, rank, turned), DistributedSampler):
        subject.shuffle = False
    return subject


def _refusing_all(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
    place = {"rank": rank, "world_size": case.world_size, "batch_size": case.batch_size}
    asked = {name: turned[name] for name in place if turned.get(name) is not None}
    for name, value in asked.items():
        if value < (0 if name == "rank" else 1) or (name == "rank" and value >= case.world_size):
            raise ValueError(f"{name}={value} cannot be")
    return binding.build(case, rank, turned)


def _refusing(name: str, is_wrong: Callable[[int, Case], bool]) -> Rebuild:
    def rebuild(binding: Binding, case: Case, rank: int, turned: Turned) -> Any:
        value = turned.get(name)
        if value is not None and is_wrong(value, case):
            raise ValueError(f"{name}={value} cannot be")
        return binding.build(case, rank, turned)

    return rebuild


def _reshuffle(case: Case) -> Callable[[Any, int], Any]:
    orders: dict[int, list[int]] = {}

    def change(index: Any, epoch: int) -> Any:
        if epoch not in orders:
            orders[epoch] = list(range(case.length))
            Random(f"{case.seed}/{epoch}").shuffle(orders[epoch])
        return orders[epoch][index] if 0 <= index < case.length else index

    return change


unshuffled = otherwise_built("the shuffle of DistributedSampler turned off", _unshuffled)
fresh = otherwise_built("a fresh object for every pass", stand_before_new(stand_ins.Fresh))
set_again = otherwise_built("set_epoch called before every pass", stand_before(stand_ins.SetAgain))
never_set = otherwise_built("set_epoch never called", stand_before(stand_ins.Still))
epoch_in_seed = otherwise_built("the epoch added to the seed of a fresh object", _epoch_in_seed, "seed")
passed_on = otherwise_built("set_epoch passed on to what it holds", stand_before(stand_ins.PassedOn))
len_elsewhere = otherwise_built("len() asked of another object", stand_before_new(stand_ins.Unasked))
len_whole = otherwise_built("len() rounded up to an integer", stand_before(stand_ins.Whole))
len_in_batches = otherwise_built(
    "len() divided by batch_size",
    lambda binding, case, rank, turned: stand_ins.InBatches(
        binding.build(case, rank, turned), case.batch_size
    ),
    "batch_size",
)
taken_whole = otherwise_built("every pass run to its end at once", stand_before_whole(stand_ins.TakenWhole))
seeded_alike = otherwise_built("equal random state before every pass", stand_before_new(seeded.SeededAlike))
shuffled_as_lists = otherwise_built(
    "random.shuffle given a list of what it shuffles", stand_before_whole(seeded.ShuffledAsLists)
)
seeded_at_all = otherwise_built(
    "a seed given to generators that have none", stand_before_whole(seeded.SeededAtAll)
)
seeded_as_first = Change(
    "every generator seeded as on rank 0",
    case=lambda case: case if case.world_size > 1 else None,  # one rank has nobody to differ from
    rebuild=_seeded_as_first,
    needs=("rank",),
)
same_object = otherwise_built("copies of one object instead of others built alike", _same_object)
epoch_kept = otherwise_built("set_epoch called again after pickling", stand_before(stand_ins.Kept))
by_value = otherwise_built("functions pickled by value", stand_before(stand_ins.Travelling))
local_as_rank = otherwise_built("the rank in LOCAL_RANK", _take_local_as_rank)
on_one_node = otherwise_built("all ranks on one node", _on_one_node)
placed_by_hand = otherwise_built("the rank passed by hand", _place_by_hand, "rank")
inner_shielded = otherwise_built("the inner sampler shielded from writing", _around_inner(Proxy))
inner_copied = otherwise_built("the inner sampler's batches copied", _around_inner(stand_ins.Copied))
in_first_place = otherwise_built(
    "every rank built as the first of those that share its place",
    lambda binding, case, rank, turned: binding.build(case, rank - rank % binding.contract.replicas, turned),
    "rank",
)
all_refused = otherwise_built("impossible ranks, worlds and batch sizes refused", _refusing_all)
batch_for_all = otherwise_built("batch_size * world_size for batch_size", _for_all_ranks, "batch_size")
seeds_apart = otherwise_built(f"{FAR:,} * rank added to the seed", _seed_apart, "seed", "rank")
as_rank_0 = otherwise_built(
    "every rank built as rank 0", lambda binding, case, _, turned: binding.build(case, 0, turned), "rank"
)
counted_from_0 = otherwise_built(
    "1 subtracted from every index", _mapping(lambda _: lambda index, _: index - 1)
)
made_whole = otherwise_built("every index turned into an int", _mapping(lambda _: lambda i, _: int(i)))
batches_copied = otherwise_built("every batch a list of its own", _mapping(lambda _: lambda index, _: index))
mirrored = otherwise_built(
    "the order reversed", _mapping(lambda case: lambda index, _: case.length - 1 - index)
)
reshuffled = otherwise_built("the dataset itself shuffled in each epoch", _mapping(_reshuffle))
relabelled, reweighed = (
    otherwise_built(reshuffled.text, _mapping(_reshuffle), name) for name in ("labels", "weights")
)


def generator_guarded(generator: str) -> Change:
    """Return the change that puts one of the process's generators back after building and after passes."""
    return otherwise_built(
        f"the state of {generator} put back",
        stand_before_new(lambda make: seeded.Guarded(make, generator)),
    )


def refuse(name: str, words: str, is_wrong: Callable[[int, Case], bool]) -> Change:
    """Return the change that refuses an argument that cannot be."""
    return otherwise_built(f"{words} refused", _refusing(name, is_wrong), name)
