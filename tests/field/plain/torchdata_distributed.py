"""torchdata: a state that is loaded and saved again before the first item is that of the beginning.

StatefulDistributedSampler of torchdata 0.11.0: load_state_dict() sets next_yielded, and state_dict() reads
yielded.
"""

import sys

from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler


def new():
    return StatefulDistributedSampler(range(8), 1, 0, shuffle=False)


first = new()
items = iter(first)
done = [next(items) for _ in range(3)]
state = first.state_dict()

second = new()
second.load_state_dict(dict(state))
again = second.state_dict()  # the job ends before its first step

third = new()
third.load_state_dict(dict(again))
rest = list(third)
print(f"SC707: after {done} the state is {state}, loaded and saved again {again}; then comes {rest}")
sys.exit(done + rest != list(range(8)))
