"""lightning: UnrepeatedDistributedSamplerWrapper asserts with few samples, and keeps set_epoch to itself."""

import sys

from pytorch_lightning.overrides.distributed import UnrepeatedDistributedSamplerWrapper
from torch.utils.data import DistributedSampler, SequentialSampler

try:
    UnrepeatedDistributedSamplerWrapper(SequentialSampler(range(1)), num_replicas=2, rank=1)
    SC001 = False
except AssertionError as error:
    print("one sample on two ranks: AssertionError", error)
    SC001 = not str(error)
inside = DistributedSampler(range(6), 1, 0, shuffle=True)
wrapper = UnrepeatedDistributedSamplerWrapper(inside, num_replicas=1, rank=0, shuffle=False)
orders = []
for epoch in range(4):
    wrapper.set_epoch(epoch)
    orders.append(list(wrapper))
print("four epochs:", *orders, "the sampler inside is at epoch", inside.epoch)
SC505 = inside.epoch == 0 and orders.count(orders[0]) == 4
sys.exit(SC001 and SC505)
