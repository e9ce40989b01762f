"""datasets: after a resume every epoch is only the rest of the first, where nothing calls set_epoch."""

import sys

from datasets import Dataset
from torchdata.stateful_dataloader import StatefulDataLoader

rows = Dataset.from_dict({"index": [0, 1, 2]})
old, new = (StatefulDataLoader(rows.to_iterable_dataset(), 1) for _ in range(2))
iterator = iter(old)
next(iterator)
new.load_state_dict(old.state_dict())
epochs = [[int(row["index"]) for row in new] for _ in range(3)]
print("resumed after 0, three epochs:", *epochs)
SC702 = epochs == [[1, 2]] * 3

old, new = (StatefulDataLoader(rows.to_iterable_dataset(), 1) for _ in range(2))
list(old)
new.load_state_dict(old.state_dict())  # saved between two epochs
epochs = [[int(row["index"]) for row in new] for _ in range(3)]
print("saved after the first epoch, three epochs:", *epochs)
SC701 = [] in epochs[1:]
sys.exit(SC701 and SC702)
