"""lightning: _IndexBatchSamplerWrapper is its own iterator, and two passes take batches from each other."""

import sys

from pytorch_lightning.overrides.distributed import _IndexBatchSamplerWrapper
from torch.utils.data import BatchSampler

batches = _IndexBatchSamplerWrapper(BatchSampler(range(6), 2, drop_last=False))
alone = list(batches)
one, two = iter(batches), iter(batches)
both = list(zip(one, two, strict=False))
print("alone:", *alone, "two in turn:", *both)
SC502 = both != list(zip(alone, alone, strict=True))
sys.exit(SC502)
