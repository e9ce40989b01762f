"""Causes that lie in arguments, unused, too wide or taken for another, and in the process's own random state.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import change, rebuilt
from samplercheck.explain.causes._cause import LENGTHS, OF_ALL_NODES, ON_NODES, ORDERS, PARTITION, Cause
from samplercheck.explain.causes._draws import BY_DRAWS, DRAWN_TOGETHER
from samplercheck.explain.change import at_most
from samplercheck.explain.remedies import CUT, DEALT, ORDERED, SEEDED
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.owed import compute_owed


def rank_matters(binding: Binding, case: Case) -> bool:
    """Whether there is something to deal out, and more than one place to deal it to."""
    return case.length > 0 and compute_owed(case, binding.contract, batched=False).places > 1


def shuffle_matters(binding: Binding, case: Case) -> bool:
    """Whether the argument decides on the order, and there are orders to choose from."""
    return case.length > 1 and binding.contract.order == "auto"


def seed_matters(binding: Binding, case: Case) -> bool:
    """Whether the order is shuffled, and there are orders to choose from."""
    return case.length > 1 and compute_owed(case, binding.contract, batched=False).is_shuffled


def drop_last_matters(binding: Binding, case: Case) -> bool:
    """Whether the argument decides on the tail, and there is one; of samples, or of whole batches."""
    owed = compute_owed(case, binding.contract, batched=False)
    unit = case.batch_size if "batch_size" in binding.named else 1
    return binding.contract.tail == "auto" and owed.appearances % (owed.places * unit) != 0


def batch_size_matters(binding: Binding, case: Case) -> bool:
    """Whether some place fills more than one batch of its size or of the one smaller by 1, if any."""
    owed = compute_owed(case, binding.contract, batched=False)
    return owed.appearances > owed.places * max(1, case.batch_size - 1)


ARGUMENTS = (
    Cause(
        laws=("SC301", "SC303", "SC305", "SC306"),
        change=change.asked_to_shuffle,
        sentence="It is asked not to shuffle, and does not: the contract promises a shuffle all the same.",
        fix='Declare order="auto", or do not name shuffle in the target.',
    ),
    Cause(
        laws=("SC301", "SC302", "SC303", "SC309"),
        change=change.flip("shuffle"),
        matters=shuffle_matters,
        sentence="The sampler ignores shuffle: with and without it the order is the same.",
        fix="Shuffle if shuffle is true, and only then.",
        remedies=(ORDERED,),
    ),
    Cause(
        laws=("SC309", *PARTITION),
        change=change.flip("drop_last"),
        matters=drop_last_matters,
        sentence="The sampler ignores drop_last: with and without it the samples are the same.",
        fix="Cut the tail off if drop_last is true, or else pad it.",
        remedies=(DEALT, CUT),
    ),
    Cause(
        laws=("SC309", "SC601"),
        change=change.other_batch,
        matters=batch_size_matters,
        sentence="The sampler ignores batch_size.",
        fix="Cut batches of batch_size samples.",
        remedies=(CUT,),
    ),
    *(
        Cause(
            laws=("SC003",),
            change=rebuilt.refuse(name, words, is_wrong),
            sentence=f"The constructor accepts {words}.",
            fix=f"Raise ValueError for {words} in the constructor.",
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
        sentence="The constructor accepts several invalid arguments.",
        fix="Raise ValueError in the constructor for a rank outside of the world and for sizes below 1.",
    ),
)

RANDOM_STATE = (
    Cause(
        laws=PARTITION,
        change=rebuilt.local_as_rank,
        sentence="The place is read from LOCAL_RANK, which counts the ranks of one node alone.",
        fix="Take RANK, or torch.distributed.get_rank(); LOCAL_RANK chooses a GPU.",
        events=ON_NODES,
        remedies=(DEALT,),
    ),
    Cause(
        laws=PARTITION,
        change=rebuilt.on_one_node,
        besides=(rebuilt.local_as_rank, change.whole_rounds),
        sentence="It depends on the node that a rank is on: on one node it is right, on several it is not.",
        fix="Ranks are numbered node by node: rank = node * LOCAL_WORLD_SIZE + LOCAL_RANK. Take the node "
        "and the place on it from that, and deal out to each node what its ranks share.",
        fixes=dict.fromkeys(("SC104", "SC105"), OF_ALL_NODES),
        events=ON_NODES,
        remedies=(DEALT,),
    ),
    Cause(
        laws=PARTITION,
        change=rebuilt.on_one_node,
        besides=(rebuilt.local_as_rank,),
        sentence="It depends on the node that a rank is on, where length is no multiple of world_size.",
        fix=f"{OF_ALL_NODES} Ranks are numbered so: rank = node * LOCAL_WORLD_SIZE + LOCAL_RANK.",
        events=ON_NODES,
        remedies=(DEALT,),
    ),
    Cause(
        laws=PARTITION,
        change=rebuilt.as_rank_0,
        matters=rank_matters,
        sentence="The sampler ignores its rank: every rank yields the same samples.",
        at="alike",
        fix="Give each rank its share, as in order[rank::world_size], or wrap a sampler that does.",
        having={BY_DRAWS: DRAWN_TOGETHER},
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC401", "SC402", "SC403"),
        change=change.seed_1,
        unless=PARTITION,  # which may go wrong with a random order as well, for one cause
        sentence="Seed 0 is taken for no seed at all: with others the order is fixed.",
        fix="Ask whether the seed is None, not whether it is true.",
        remedies=(SEEDED, ORDERED),
        at="draws",
    ),
    *(
        Cause(
            laws=("SC403",),
            change=rebuilt.generator_guarded(name),
            sentence=f"It draws from, or reseeds, the global random generator of {name}.",
            fix=f"Draw from a generator of your own, such as {generator}.",
            having=dict.fromkeys(
                ("takes sampler", "takes batch_sampler"),
                f"Seed {name} and run the wrapped sampler {within}. Both belong inside: what was there "
                "before is put back, and without the seed ranks may draw apart.",
            ),
            remedies=(SEEDED, ORDERED),
            at="draws",
        )
        for name, generator, within in (
            ("torch", "torch.Generator().manual_seed(seed + epoch)", "in torch.random.fork_rng()"),
            ("random", "random.Random(seed + epoch)", "between random.getstate() and random.setstate()"),
            (
                "numpy",
                "numpy.random.default_rng(seed + epoch)",
                "between numpy.random.get_state() and numpy.random.set_state()",
            ),
        )
    ),
    Cause(
        laws=(*PARTITION, "SC401", "SC402", "SC501"),
        change=rebuilt.seeded_alike,
        sentence="The order depends on the global random generators.",
        fix="Draw with a generator of your own, seeded alike on all ranks: with the seed and, where orders "
        "are to differ, the epoch.",
        remedies=(SEEDED, DEALT, ORDERED),
        at="draws",
    ),
    Cause(
        laws=(*PARTITION, "SC304", "SC401", "SC402", "SC501", "SC502", "SC503", "SC603"),
        change=rebuilt.seeded_at_all,
        along=("SC402",),
        sentence="The order is drawn from a generator that is given no seed.",
        fix="Seed the generator of the order alike on all ranks: with the seed and, to shuffle, the epoch.",
        remedies=(SEEDED, DEALT, ORDERED),
        at="seeds",
    ),
    Cause(
        laws=(*PARTITION, "SC107"),
        change=rebuilt.shuffled_as_lists,
        sentence="random.shuffle overwrites elements of a tensor, or rows of an array, which are views.",
        fix="Give random.shuffle a list, or draw an order with torch.randperm or numpy's permutation.",
        remedies=(ORDERED,),
        at="draws",
    ),
    Cause(
        laws=(*PARTITION, "SC401"),
        change=rebuilt.seeded_as_first,
        unless=("SC402",),
        sentence="The seed of the order differs by rank: ranks deal from different orders.",
        fix="Leave the rank out of the seed: seed + epoch on all ranks. Use the rank only to pick the share.",
        remedies=(DEALT,),
        at="seeds",
    ),
    Cause(
        laws=("SC404",),
        change=rebuilt.in_first_place,
        sentence="The order depends on the rank itself, and not only on its place in the data.",
        fix="Seed and deal out by rank // replicas.",
        remedies=(DEALT,),
    ),
    Cause(
        laws=("SC402",),
        change=rebuilt.same_object,
        sentence="Two objects built with the same arguments differ: something besides the arguments decides.",
        fix="Seed every generator from the arguments; use no clock and no counter on the class or module.",
        remedies=(SEEDED, ORDERED),
    ),
)

BY_INDEX = ("SC101", *PARTITION, *LENGTHS, "SC302", *ORDERS)
BITS = {
    15: "a signed 16-bit integer",
    16: "an unsigned 16-bit integer",
    31: "a signed 32-bit integer",
    32: "an unsigned 32-bit integer",
}

SIZES = tuple(
    Cause(
        laws=BY_INDEX,
        change=at_most("length", 2**bits),
        besides=(at_most("length", 2**bits + 1),),
        sentence=f"It goes wrong from 2**{bits} + 1 samples on: {BITS[bits]} cannot hold the last index.",
        fix=f"Look for what stores an index as {BITS[bits]}, and store it as torch.int64.",
    )
    for bits in (15, 16)
) + tuple(
    Cause(
        laws=("SC001", *BY_INDEX, "SC401", "SC402"),
        change=at_most("seed", 2**bits - 1),
        besides=(at_most("seed", 2**bits),),
        sentence=f"It goes wrong from seed 2**{bits} on, the first that {BITS[bits]} cannot hold.",
        fix=f"Look for what stores the seed as {BITS[bits]}, and use all bits of the seed.",
    )
    for bits in (31, 32)
)

MEANINGS = (
    Cause(
        laws=("SC104", "SC105", "SC309", "SC601", "SC602", "SC603"),
        change=rebuilt.batch_for_all,
        along=("SC601", "SC602"),
        longer=True,
        sentence="batch_size is taken for that of all ranks together, and each rank gets its part of it.",
        fix="If that is meant, check a function that builds it with batch_size * world_size; else let each "
        "rank make batches of batch_size.",
    ),
)
