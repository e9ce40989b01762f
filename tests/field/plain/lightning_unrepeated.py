"""lightning: UnrepeatedDistributedSampler asserts with fewer samples than ranks, and ignores its seed."""

import sys

from pytorch_lightning.overrides.distributed import UnrepeatedDistributedSampler


def order(seed):
    return list(UnrepeatedDistributedSampler(range(6), num_replicas=1, rank=0, shuffle=True, seed=seed))


try:
    UnrepeatedDistributedSampler(range(1), num_replicas=2, rank=1)
    SC001 = False
except AssertionError as error:
    print("one sample on two ranks: AssertionError", error)
    SC001 = not str(error)
print("seeds 0 to 3:", *map(order, range(4)))
SC303 = all(order(seed) == order(0) for seed in range(4))
sys.exit(SC001 and SC303)
