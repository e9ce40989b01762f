"""accelerate: under split_batches an IterableDatasetShard has another length than what it yields."""

import sys

from accelerate.data_loader import IterableDatasetShard
from torch.utils.data import IterableDataset


class One(IterableDataset):
    def __len__(self):
        return 1

    def __iter__(self):
        return iter([0])


shard = IterableDatasetShard(One(), 2, num_processes=2, process_index=0, split_batches=True)
print("len", len(shard), "and yields", list(shard))
SC201 = len(shard) != len(list(shard))
sys.exit(SC201)
