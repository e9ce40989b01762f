"""nequip: a pass that is given up ends training, unless it was the first."""

import sys
from importlib.util import find_spec
from pathlib import Path

import torch

sys.path.append(str(Path(find_spec("nequip").origin).parent / "data"))
from _sampler import PartialSampler

sampler = PartialSampler(range(6), generator=torch.Generator().manual_seed(0))
for epoch in range(2):
    sampler.step_epoch(epoch)
    steps = iter(sampler)
    print("epoch", epoch, next(steps), *(() if epoch else steps))
sampler.step_epoch(2)
try:
    print("epoch 2:", *sampler)
    SC001 = False
except AssertionError:
    print("epoch 2: AssertionError")
    SC001 = True
sys.exit(SC001)
