"""accelerate: a prepared loader leaves the last batch short on one process, and fills it on two."""

import sys

from accelerate.data_loader import prepare_data_loader
from torch.utils.data import DataLoader


def sizes(processes):
    loader = prepare_data_loader(DataLoader(range(1), 2), num_processes=processes, process_index=0)
    return [len(batch) for batch in loader]


print("sizes of batches of 2 over 1 sample: one process", sizes(1), "two", sizes(2))
SC105 = SC601 = sizes(1) == [1] and sizes(2) == [2]
sys.exit(SC105 and SC601)
