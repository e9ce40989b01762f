"""opacus: ranks of Poisson sampling leave their empty batches out and fall out of step."""

import sys

import torch
import torch.distributed as dist
from opacus.utils.uniform_sampler import DistributedUniformWithReplacementSampler as Poisson

dist.is_initialized = lambda: True
dist.get_world_size = lambda: 2
seen = []
for rank in (0, 1):
    dist.get_rank = lambda rank=rank: rank
    draws = torch.Generator().manual_seed(rank)
    sampler = Poisson(total_size=4, sample_rate=0.25, shuffle_seed=0, generator=draws)
    seen.append((len(sampler), [list(map(int, batch)) for batch in sampler]))
print("len and what comes, on two ranks:", *seen)
SC201 = any(length != len(batches) for length, batches in seen)
lengths = set()
for seed in range(50):
    draws.manual_seed(seed)
    lengths.add(len(list(sampler)))
print("steps of a rank, by 50 seeds:", lengths, "of", len(sampler))
SC104 = len(lengths) > 1
sys.exit(SC104 and SC201)
