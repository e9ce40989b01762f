"""A batch with fewer items than there are replicas is split into a part for every replica.

Cause: the number of parts is taken for that of the replicas; torch makes as many parts as there are items for.
Hides at: batches of at least so many items, which are all but the last of an epoch.
"""

SLUG = "split_into_empty_parts"
SOURCE = "hand-written scatter beside torch.nn.DataParallel, which then uses fewer replicas"
STORY = "The mean loss of a replica without items is NaN, in the last batch of an epoch only."


def checked(replicas):
    if replicas < 1:
        raise ValueError(f"{replicas} replicas")


def bug(batch_size, replicas):
    checked(replicas)
    each = -(-batch_size // replicas)
    ends = [min(batch_size, each * (replica + 1)) for replica in range(replicas)]
    return [slice(each * replica, end) for replica, end in enumerate(ends)]    # BUG: some of them are empty


def sound(batch_size, replicas):
    return [part for part in bug(batch_size, replicas) if part.start < part.stop]


CONTRACT = {}
AXES = {}
EXPECT = {"SC602"}
ALSO = set()
SMALLEST = dict(length=1, world_size=2)
