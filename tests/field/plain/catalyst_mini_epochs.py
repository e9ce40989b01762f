"""catalyst: the last mini epoch of a MiniEpochSampler is shorter than its length."""

import sys

from catalyst.data.sampler import MiniEpochSampler
from torch.utils.data import Sampler

Sampler.__init__ = lambda self, data_source=None: None  # torch's took a data source until 2.12
sampler = MiniEpochSampler(3, 2)
epochs = [(len(sampler), list(sampler)) for _ in range(2)]
print("len and what comes:", *epochs)
SC201 = any(length != len(order) for length, order in epochs)
sys.exit(SC201)
