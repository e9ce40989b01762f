"""lhotse: batches beyond max_duration at the end of an epoch on several ranks."""

import sys

from lhotse import CutSet
from lhotse.cut import MonoCut
from lhotse.dataset.sampling import DynamicBucketingSampler

DURATIONS = [16.0] + [2.0] * 8
CUTS = CutSet.from_cuts([MonoCut(id=str(n), start=0, duration=d, channel=0) for n, d in enumerate(DURATIONS)])


def sampler(rank, world):
    return DynamicBucketingSampler(
        CUTS, max_duration=17.0, duration_bins=[3.0, 7.0], world_size=world, rank=rank, shuffle=False
    )


def batches(one):
    return [[cut.duration for cut in batch] for batch in one]


def fits(batch):
    return len(batch) == 1 or max(batch) * len(batch) <= 17


alone, three = batches(sampler(0, 1)), [batches(sampler(rank, 3)) for rank in range(3)]
print("alone:", alone, "on three ranks:", *three)
SC604 = all(map(fits, alone)) and not all(fits(batch) for rank in three for batch in rank)
sys.exit(SC604)
