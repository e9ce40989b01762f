"""Causes: what it means when a law that was broken holds with one thing changed.

Read by ``cause``, in this order: for each law the changes that say most come first. A sentence says
no more than its change has shown, given that the law is broken without it. Values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from samplercheck.explain import change, rebuilt

if TYPE_CHECKING:
    from samplercheck.explain.change import Change

__all__ = ["CAUSES", "Cause"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A change with what it means for some laws and what mends it.

    ``alike`` asks for another thing than that the law holds: that the target yields the very same.
    ``unless`` names laws: where one of them is broken, the change would say something else.
    """

    laws: tuple[str, ...]
    change: Change
    sentence: str
    mend: str = ""
    alike: bool = False
    unless: tuple[str, ...] = ()


PARTITION = ("SC102", "SC103", "SC104", "SC105")
LENGTHS = ("SC201", "SC203")
ORDERS = ("SC301", "SC303", "SC304", "SC305", "SC306")

_ARGUMENTS = (
    Cause(
        laws=("SC301", "SC302", "SC303", "SC309"),
        change=change.flipped("shuffle"),
        alike=True,
        sentence="The argument shuffle is not asked for: on and off yield the same.",
        mend="Shuffle where the argument says so, and nowhere else.",
    ),
    Cause(
        laws=("SC303", "SC309"),
        change=change.other_seed,
        alike=True,
        sentence="The argument seed does not enter the order.",
        mend="Seed the generator with the seed and the epoch.",
    ),
    Cause(
        laws=("SC309", *PARTITION),
        change=change.flipped("drop_last"),
        alike=True,
        sentence="The argument drop_last is not asked for: on and off yield the same.",
        mend="Cut the tail where drop_last says so, and pad it elsewhere.",
    ),
    Cause(
        laws=("SC309",),
        change=change.other_batch,
        alike=True,
        sentence="The argument batch_size is not asked for.",
        mend="Cut batches of the size that was asked for.",
    ),
    *(
        Cause(
            laws=("SC003",),
            change=rebuilt.refused(name, words, is_wrong),
            sentence=f"{words.capitalize()} is not refused when the target is built.",
            mend=f"Raise ValueError for {words} in the constructor.",
        )
        for name, words, is_wrong in (
            ("rank", "a negative rank", lambda value, _: value < 0),
            ("rank", "a rank outside of the world", lambda value, case: not 0 <= value < case.world_size),
            ("world_size", "a world_size below 1", lambda value, _: value < 1),
            ("batch_size", "a batch_size below 1", lambda value, _: value < 1),
        )
    ),
    Cause(
        laws=("SC003",),
        change=rebuilt.all_refused,
        sentence="Several arguments that cannot be are not refused when the target is built.",
        mend="Raise ValueError in the constructor for a rank outside of the world and for sizes below 1.",
    ),
)

_RANDOM_STATE = (
    *(
        Cause(
            laws=("SC403",),
            change=rebuilt.generator_guarded(name),
            sentence=f"It draws from, or seeds, the process's own generator of {name}.",
            mend="Use a generator of your own, seeded with seed and epoch.",
        )
        for name in ("torch", "random", "numpy")
    ),
    Cause(
        laws=(*PARTITION, "SC401", "SC402", "SC501"),
        change=rebuilt.seeded_alike,
        sentence="The order depends on the process's own random state.",
        mend="Draw it from a generator of your own, seeded with seed and epoch alike on all ranks.",
    ),
    Cause(
        laws=(*PARTITION, "SC401"),
        change=rebuilt.seed_without_rank,
        sentence="The rank is added to the seed: every rank deals from an order of its own.",
        mend="Seed the order alike on all ranks, and let the rank choose only the share.",
    ),
    Cause(
        laws=("SC404",),
        change=rebuilt.in_first_place,
        sentence="The order depends on the rank itself, and not only on its place in the data.",
        mend="Seed and deal out by rank // replicas.",
    ),
    Cause(
        laws=("SC402",),
        change=rebuilt.same_object,
        sentence="What an object yields depends on what was built before it in the same process.",
        mend="Keep no counter, cache or generator on the class or the module.",
    ),
)

_EPOCHS = (
    Cause(
        laws=("SC301", "SC304", "SC305", "SC306", "SC505"),
        change=rebuilt.passed_on,
        sentence="set_epoch is not passed on to the sampler inside.",
        mend="In set_epoch, call set_epoch of what is wrapped as well.",
    ),
    Cause(
        laws=("SC301", "SC305", "SC306"),
        change=change.seed_1,
        sentence="With seed 0 the epoch has no effect: 0 is multiplied, or taken for no seed at all.",
        mend="Add seed and epoch, or mix them with a hash, and test for None, not for truth.",
    ),
    Cause(
        laws=("SC301", "SC305", "SC306"),
        change=rebuilt.epoch_in_seed,
        sentence="The number of the epoch does not enter the order.",
        mend="Write set_epoch(epoch), and seed the order with seed + epoch.",
    ),
    Cause(
        laws=("SC302",),
        change=rebuilt.never_set,
        sentence="The epoch changes the order even where nothing is shuffled.",
        mend="Use the epoch for shuffling alone.",
    ),
    Cause(
        laws=("SC501",),
        change=rebuilt.set_again,
        sentence="A pass leaves the object in another state, from which only set_epoch brings it back.",
        mend="Let __iter__ begin anew from the epoch that was set, and change nothing else.",
    ),
    Cause(
        laws=("SC504",),
        change=rebuilt.epoch_kept,
        sentence="A copy made through pickle has forgotten its epoch.",
        mend="Keep the epoch in what __getstate__ returns.",
    ),
    Cause(
        laws=("SC504",),
        change=rebuilt.by_value,
        sentence="It holds a function or class that pickle cannot find by its name, such as a lambda.",
        mend="Define it at the top of a module instead.",
    ),
    Cause(
        laws=("SC305",),
        change=rebuilt.reshuffled,
        unless=("SC301",),
        sentence="The samples are dealt out to the ranks first and shuffled afterwards.",
        mend="Shuffle the whole dataset first, alike on all ranks, then deal it out.",
    ),
    Cause(
        laws=("SC306",),
        change=rebuilt.reshuffled,
        unless=("SC301",),
        sentence="The batches are put together first, and shuffled only as a whole.",
        mend="Shuffle the samples first, then cut batches.",
    ),
    Cause(
        laws=("SC106",),
        change=rebuilt.reshuffled,
        unless=("SC301", "SC501"),
        sentence="What is dropped is chosen before the shuffle, so it is the same in every epoch.",
        mend="Shuffle first, then drop the end of the shuffled order.",
    ),
)

_LENGTH = (
    Cause(
        laws=("SC202",),
        change=rebuilt.len_elsewhere,
        sentence="Asking len() changes the object.",
        mend="Compute the length; do not iterate or draw for it.",
    ),
    Cause(
        laws=("SC201",),
        change=rebuilt.len_elsewhere,
        sentence="len() depends on what this object did before, such as an earlier epoch.",
        mend="Compute the length anew for every epoch, or do not keep it.",
        unless=("SC501",),
    ),
    Cause(
        laws=LENGTHS,
        change=rebuilt.len_in_batches,
        sentence="len() counts samples, and passes yield batches.",
        mend="Divide by batch_size, rounded the way the passes are.",
    ),
)

_HABITS = (
    Cause(
        laws=("SC503",),
        change=rebuilt.taken_whole,
        sentence="What a pass leaves when it is given up stays on the object and enters the next one.",
        mend="Keep the state of a pass in the iterator, and begin each one anew.",
    ),
    Cause(
        laws=("SC502",),
        change=rebuilt.taken_whole,
        sentence="Passes that are open at once share a position that is kept on the object.",
        mend="Keep the position in the iterator: a local variable of __iter__.",
    ),
    Cause(
        laws=(*PARTITION, "SC106", *LENGTHS, "SC302", *ORDERS, "SC307", "SC501", "SC502", "SC503"),
        change=rebuilt.fresh,
        sentence="What it yields depends on what this object did before: passes, calls, earlier epochs.",
        mend="Let __iter__ begin anew, from nothing but the arguments and the epoch.",
    ),
    Cause(
        laws=("SC505",),
        change=rebuilt.inner_shielded,
        sentence="It writes on the sampler that it is given.",
        mend="Keep settings of your own on the wrapper.",
    ),
    Cause(
        laws=("SC903",),
        change=rebuilt.placed_by_hand,
        sentence="Left out, the rank is not read from the process group.",
        mend="Use torch.distributed.get_rank() where rank is None.",
    ),
)

_INDICES = (
    Cause(
        laws=("SC101",),
        change=rebuilt.counted_from_0,
        sentence="The indices count from 1.",
        mend="Subtract 1: the first sample has index 0.",
    ),
    Cause(
        laws=("SC101",),
        change=rebuilt.made_whole,
        sentence="The indices are whole numbers of another type than int.",
        mend="Divide with //, and convert with int() or .tolist().",
    ),
    Cause(
        laws=("SC302",),
        change=rebuilt.mirrored,
        sentence="The order runs backwards.",
        mend="Yield the dataset's own order, from index 0 up.",
    ),
    Cause(
        laws=("SC302", "SC307"),
        change=rebuilt.dealt_in_blocks,
        sentence="The order is right but dealt out in turn, where blocks are promised.",
        mend="Deal out order[rank * share : (rank + 1) * share], or declare layout='strided'.",
    ),
    Cause(
        laws=("SC302", "SC307"),
        change=rebuilt.dealt_in_turn,
        sentence="The order is right but dealt out in blocks, where turns are promised.",
        mend="Deal out order[rank::world_size], or declare layout='contiguous'.",
    ),
    Cause(
        laws=("SC107",),
        change=rebuilt.dealt_in_turn,
        sentence="The copies of a sample stand side by side, and blocks of the order are dealt out.",
        mend="Deal out in turn: order[rank::world_size].",
    ),
    Cause(
        laws=("SC307",),
        change=change.seed_0,
        sentence="The seed enters the order in another way than in the reference.",
        mend="Seed the generator with seed + epoch, as the reference does.",
    ),
)

TAIL = "The tail that world_size does not divide"

_TAIL = (
    Cause(
        laws=("SC001", "SC904", *PARTITION),
        change=change.as_many_as_ranks,
        sentence="Ranks for which there is no sample of their own are not provided for.",
        mend="Pad by repeating the order as often as needed, and let all ranks take the same path.",
    ),
    Cause(
        laws=("SC001", "SC002"),
        change=change.two_samples,
        sentence="A dataset of a single sample is not provided for.",
    ),
    Cause(
        laws=("SC103", "SC105"),
        change=change.not_divided,
        sentence="A dataset that world_size divides is padded too, though nothing is missing.",
        mend="Round up with ceil(n / world_size), not with n // world_size + 1.",
    ),
    Cause(
        laws=("SC307",),
        change=change.whole_rounds,
        sentence="Only the tail, which world_size does not divide, differs from the reference.",
        mend="Pad with the beginning of the epoch's order, repeated as often as needed.",
    ),
    Cause(
        laws=LENGTHS,
        change=change.whole_rounds,
        sentence=f"{TAIL} is counted in another way by len() than it should be.",
        mend="Round len() the way the passes are rounded: up where they pad, down where they drop.",
    ),
    Cause(
        laws=PARTITION,
        change=change.whole_rounds,
        sentence=f"{TAIL} is not dealt out as the contract says.",
        mend="Pad or cut the order to the next multiple of world_size first, then deal it out.",
    ),
    Cause(
        laws=(*PARTITION, *LENGTHS),
        change=change.whole_batches,
        sentence="The tail that world_size * batch_size does not divide is cut into batches in another way "
        "than the contract says.",
        mend="Pad or cut to whole global batches where the contract asks for them.",
    ),
    Cause(
        laws=(*PARTITION, "SC002"),
        change=change.lengths_1,
        sentence="It depends on the samples' lengths: some are not provided for.",
        mend="Give a sample that is over the budget a batch of its own.",
    ),
)

CAUSES: tuple[Cause, ...] = (
    *_ARGUMENTS,
    *_RANDOM_STATE,
    *_EPOCHS,
    *_LENGTH,
    *_HABITS,
    *_INDICES,
    *_TAIL,
)
