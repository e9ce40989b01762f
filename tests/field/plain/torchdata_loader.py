"""torchdata: a loader's state that is loaded and saved again before the first batch is that of the beginning.

StatefulDataLoader of torchdata 0.11.0 in front of its own StatefulDistributedSampler, without workers: the
state is that of the sampler, whose load_state_dict() sets next_yielded and whose state_dict() reads yielded.
"""

import sys

from torchdata.stateful_dataloader import StatefulDataLoader
from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler


def new():
    sampler = StatefulDistributedSampler(range(8), 1, 0, shuffle=False)
    return StatefulDataLoader(range(8), 1, sampler=sampler, collate_fn=list)


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
