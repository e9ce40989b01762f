"""coqui (trainer): DistributedSamplerWrapper asserts with more than twice as many ranks as samples."""

import sys

from torch.utils.data import SequentialSampler
from trainer.torch import DistributedSamplerWrapper

try:
    print(list(DistributedSamplerWrapper(SequentialSampler(range(1)), num_replicas=3, rank=0)))
    SC001 = False
except AssertionError as error:
    print("AssertionError", error)
    SC001 = True
sys.exit(SC001)
