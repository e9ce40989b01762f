"""Causes that lie in what a DataLoader and its workers do with a target.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import change, loaded, rebuilt
from samplercheck.explain.causes._cause import Cause
from samplercheck.explain.remedies import COUNTED

LOADING = (
    Cause(
        laws=("SC801",),
        change=loaded.drawn_apart,
        sentence=(
            "The sampler shares its generator with the DataLoader, which draws on it whenever workers start: "
            "for every epoch, or once where they are persistent."
        ),
        fix="Give the sampler a generator of its own, and the DataLoader another one or none.",
    ),
    Cause(
        laws=("SC801",),
        change=rebuilt.batches_copied,
        besides=(loaded.opened_late,),
        sentence="A batch that was yielded is changed for the next one: a DataLoader gives its workers the "
        "list itself, later.",
        fix="Yield a new list for each batch.",
    ),
    Cause(
        laws=("SC801",),
        change=loaded.ended,
        sentence="An iterator that was at its end begins again when it is asked once more, as workers make a "
        "DataLoader ask.",
        fix="Make __iter__ a generator; or raise StopIteration each time once it has been raised.",
    ),
    Cause(
        laws=("SC801",),
        change=loaded.opened_late,
        besides=(loaded.ended,),
        sentence="Calling iter() changes the object, and a DataLoader calls it twice whenever it starts "
        "workers.",
        fix="Make __iter__ a generator: what it counts is then counted when the first item is requested.",
    ),
    Cause(
        laws=("SC802",),
        change=loaded.split,
        sentence="Every worker yields all that its rank has.",
        fix="In __iter__, yield the worker's part alone: see get_worker_info().",
        at="copied",
    ),
    Cause(
        laws=("SC802",),
        change=loaded.dealt_out,
        besides=(loaded.split,),
        sentence="All workers of a rank yield the same part of what it has.",
        fix="Let each worker take its part by get_worker_info().id: from there each num_workers-th sample.",
        at="copied",
    ),
    Cause(
        laws=("SC801", "SC802"),
        change=loaded.workers_seeded_alike,
        sentence="Each worker shuffles by a seed of its own.",
        fix="Seed the order alike in all workers, with seed + epoch: not with get_worker_info().seed or id, "
        "or by the generators of the process, which torch seeds otherwise in each worker.",
    ),
    Cause(
        laws=("SC802",),
        change=change.whole_shares,
        sentence="What the workers of all ranks cannot share evenly goes to none, to two, or to few ranks.",
        fix="Give each worker every num_workers-th of the rank's samples, from the worker's id on.",
    ),
    Cause(
        laws=("SC803",),
        change=loaded.epoch_shared,
        sentence="set_epoch reaches the object in the main process, but not its copies in running workers.",
        fix="In __init__, make one tensor with share_memory_() for the epoch; fill_() it in set_epoch.",
        at="epoch",
    ),
    Cause(
        laws=("SC804",),
        change=loaded.drawn_as_delivered,
        sentence="The state counts what the sampler handed out, which is more than the loader has delivered.",
        fix="Count in the loader what it yields, and save that number instead of the sampler's.",
        remedies=(COUNTED,),
        at="state",
    ),
)
