"""datasets: a node for which no row is left gets an IndexError, where a stream gives it an empty share."""

import sys

from datasets import Dataset
from datasets.distributed import split_dataset_by_node

rows = Dataset.from_dict({"index": [0]})
print("as a stream:", list(split_dataset_by_node(rows.to_iterable_dataset(), 1, 2)))
try:
    print(len(split_dataset_by_node(rows, 1, 2)))
    SC001 = False
except IndexError as error:
    print("in memory: IndexError", error)
    SC001 = True
sys.exit(SC001)
