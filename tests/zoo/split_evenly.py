"""A batch is split over the replicas as evenly as it goes, where the model's outputs are gathered by torch's rule.

Cause: code that mirrors DataParallel by hand balances the parts; torch fills all but the last to ceil(batch / replicas).
Hides at: batches that the number of replicas divides, which are nearly all.
"""

SLUG = "split_evenly"
SOURCE = "the facts' last scenario; hand-written scatter beside torch.nn.DataParallel"
STORY = "Per-replica bookkeeping (weights, targets) is off by a few samples in the last batch of an epoch only."


def checked(replicas):
    if replicas < 1:
        raise ValueError(f"{replicas} replicas")


def bug(batch_size, replicas):
    checked(replicas)
    each, more = divmod(batch_size, replicas)
    sizes = [each + (replica < more) for replica in range(replicas)]    # BUG: torch gives the last one less
    return [size for size in sizes if size]


def sound(batch_size, replicas):
    checked(replicas)
    each = -(-batch_size // replicas)
    return [min(each, batch_size - start) for start in range(0, batch_size, each or 1)]


CONTRACT = {}
AXES = {}
EXPECT = {"SC307"}
ALSO = set()
SMALLEST = dict(length=4, world_size=3)
