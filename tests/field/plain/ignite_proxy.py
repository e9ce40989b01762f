"""ignite: every pass of a DistributedProxySampler seeds torch's global generator with the epoch."""

import sys

import torch
from ignite.distributed.auto import DistributedProxySampler
from torch.utils.data import SequentialSampler


def drawn_after_a_pass(seed):
    torch.manual_seed(seed)
    list(DistributedProxySampler(SequentialSampler(range(2)), 1, 0))
    return float(torch.rand(1))


drawn = [drawn_after_a_pass(seed) for seed in range(4)]
print("what a script with seeds 0 to 3 draws after a pass:", *drawn)
SC403 = len(set(drawn)) == 1
sys.exit(SC403)
