"""pytorch-metric-learning: MPerClassSampler yields more than its length where one pass is longer."""

import sys

from pytorch_metric_learning.samplers import MPerClassSampler

sampler = MPerClassSampler(list(range(51)), m=2, length_before_new_iter=100)
print("len", len(sampler), "and yields", len(list(sampler)))
SC201 = len(sampler) != len(list(sampler))
sys.exit(SC201)
