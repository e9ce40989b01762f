"""speechbrain: DistributedSamplerWrapper fails with one sample for each rank."""

import sys

from speechbrain.dataio.sampler import DistributedSamplerWrapper
from torch.utils.data import SequentialSampler

try:
    print(list(DistributedSamplerWrapper(SequentialSampler(range(2)), num_replicas=2, rank=0)))
    SC001 = False
except TypeError as error:
    print("TypeError", error)
    SC001 = True
sys.exit(SC001)
