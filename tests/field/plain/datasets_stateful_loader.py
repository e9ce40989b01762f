"""datasets: a stream's state that is loaded and saved again before the first sample is that of the beginning.

datasets 5.2.0 behind StatefulDataLoader of torchdata 0.11.0: IterableDataset.load_state_dict() keeps what it
is given for the next pass, and state_dict() returns what the last pass has counted. The loader still says 3.
"""

import sys

import datasets
from torchdata.stateful_dataloader import StatefulDataLoader

rows = datasets.Dataset.from_dict({"index": list(range(8))})


def read(batch):
    return [row["index"] for row in batch]


def new():
    return StatefulDataLoader(rows.to_iterable_dataset(num_shards=1), batch_size=1, collate_fn=read)


first = new()
items = iter(first)
done = [next(items) for _ in range(3)]
state = first.state_dict()

second = new()
second.load_state_dict(state)
again = second.state_dict()  # the job ends before its first step

third = new()
third.load_state_dict(again)
rest = list(third)
print(f"SC707: after {done} a state that is loaded and saved again leads to {rest}")
sys.exit(done + rest != [[number] for number in range(8)])
