"""pytorch-nlp: a rank without a share of the last batch gets an empty one."""

import sys

from torch.utils.data import BatchSampler
from torchnlp.samplers import DistributedBatchSampler

batches = list(DistributedBatchSampler(BatchSampler(range(5), 4, drop_last=False), num_replicas=2, rank=1))
print("5 samples in batches of 4, rank 1 of 2:", *batches)
SC602 = [] in batches
sys.exit(SC602)
