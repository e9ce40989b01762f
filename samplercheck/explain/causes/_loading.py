"""Causes that lie in what workers of a DataLoader do with their copies of an object.

Read by ``cause`` through ``CAUSES``. Values alone.
"""

from __future__ import annotations

from samplercheck.explain import change, loaded
from samplercheck.explain.causes._cause import Cause

__all__ = ["LOADING"]

LOADING = (
    Cause(
        laws=("SC801",),
        change=loaded.drawn_apart,
        sentence=(
            "The sampler shares its generator with the DataLoader, which draws on it whenever workers start: "
            "for every epoch, or once where they are kept."
        ),
        fix="Give the sampler a generator of its own, and the DataLoader another one or none.",
    ),
    Cause(
        laws=("SC801",),
        change=loaded.opened_late,
        sentence="Opening a pass changes the object, and a DataLoader with workers opens the first twice.",
        fix="Count passes where the first item is asked for: make __iter__ a generator.",
    ),
    Cause(
        laws=("SC802",),
        change=loaded.split,
        sentence="Every worker yields all that its rank has.",
        fix="In __iter__, ask torch.utils.data.get_worker_info() and yield the worker's part alone.",
    ),
    Cause(
        laws=("SC802",),
        change=change.whole_shares,
        sentence="What does not divide between the workers of all ranks is given to none of them, or twice.",
        fix="Deal out in turn: every num_workers-th of the rank's samples, from the worker's id on.",
    ),
    Cause(
        laws=("SC803",),
        change=loaded.epoch_shared,
        sentence="set_epoch reaches the object of the main process, and not its copies in running workers.",
        fix="Keep the epoch in a tensor with share_memory_(), or count the passes in __iter__.",
    ),
    Cause(
        laws=("SC804",),
        change=loaded.drawn_as_delivered,
        sentence="The state is that of the sampler, which is asked for more than the loader has delivered.",
        fix="Count in the loader what it yields, and save that number in place of the sampler's.",
    ),
)
