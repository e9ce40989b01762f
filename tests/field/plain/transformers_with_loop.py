"""transformers: DistributedSamplerWithLoop leaves ranks of different lengths, and counts nothing it adds."""

import sys
from collections import Counter

from transformers.trainer_pt_utils import DistributedSamplerWithLoop


def ranks(length, batch, world):
    return [
        DistributedSamplerWithLoop(range(length), batch, num_replicas=world, rank=rank, shuffle=False)
        for rank in range(world)
    ]


two = [list(rank) for rank in ranks(3, 4, 2)]
print("3 samples, batches of 4, two ranks:", *two)
SC104 = len(two[0]) != len(two[1])
SC105 = len(two[0]) % 4 != 0  # "a round multiple of batch_size samples"
(one,) = ranks(3, 2, 1)
print("len", len(one), "and yields", list(one))
SC201 = len(one) != len(list(one))
times = Counter(index for rank in ranks(7, 2, 3) for index in rank)
print("7 samples, batches of 2, three ranks: they come", *times.items(), "where 12 fill all batches")
SC103 = times.total() == 12 and max(times.values()) == 3
sys.exit(SC103 and SC104 and SC105 and SC201)
