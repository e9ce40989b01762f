"""torch_geometric: DynamicBatchSampler yields samples again after one that it skips, and empty batches."""

import sys
from types import SimpleNamespace

from torch_geometric.loader import DynamicBatchSampler


def batches(*sizes):
    data = [SimpleNamespace(num_nodes=size) for size in sizes]
    return [batch for batch in DynamicBatchSampler(data, max_num=2, skip_too_big=True)]  # noqa: C416


print("sizes 1, 9, 1, at most 2:", *batches(1, 9, 1), "size 9:", *batches(9))
SC103 = [index for batch in batches(1, 9, 1) for index in batch].count(2) > 1
SC602 = [] in batches(9)
sys.exit(SC103 and SC602)
