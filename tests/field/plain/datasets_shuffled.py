"""datasets: the order of a shuffled stream is another one behind one worker than without any."""

import sys

from datasets import Dataset
from torch.utils.data import DataLoader

rows = Dataset.from_dict({"index": list(range(8))}).to_iterable_dataset().shuffle(seed=0, buffer_size=100)
orders = [[row["index"] for row in DataLoader(rows, batch_size=None, num_workers=n)] for n in (0, 1)]
print("no worker, one worker:", *orders)
SC801 = orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])
sys.exit(SC801)
