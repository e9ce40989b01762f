"""catalyst: DistributedSamplerWrapper fails with one sample for each rank, and passes no set_epoch on."""

import sys

from catalyst.data.sampler import DistributedSamplerWrapper
from torch.utils.data import DistributedSampler, SequentialSampler

try:
    print(list(DistributedSamplerWrapper(SequentialSampler(range(2)), 2, 0)))
    SC001 = False
except TypeError as error:
    print("TypeError", error)
    SC001 = True
inside = DistributedSampler(range(6), 1, 0, shuffle=True)
wrapper = DistributedSamplerWrapper(inside, 1, 0, shuffle=False)
orders = []
for epoch in range(4):
    wrapper.set_epoch(epoch)
    orders.append(list(wrapper))
print("four epochs:", *orders)
SC505 = orders.count(orders[0]) == 4
sys.exit(SC001 and SC505)
