"""pytorch-nlp: the length of a DistributedSampler is that of all ranks."""

import sys

from torchnlp.samplers import DistributedSampler

sampler = DistributedSampler(range(3), 2, 1)
print("len", len(sampler), "and yields", list(sampler))
SC201 = len(sampler) != len(list(sampler))
sys.exit(SC201)
