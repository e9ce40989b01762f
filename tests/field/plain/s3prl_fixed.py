"""s3prl: all passes of a FixedBatchSizeBatchSampler draw from one generator, and len() is a pass."""

import sys

from s3prl.dataio.sampler import FixedBatchSizeBatchSampler


def of_epoch_one():
    sampler = FixedBatchSizeBatchSampler(range(8), 2, shuffle=True, seed=0)
    sampler.set_epoch(1)
    return sampler


plain, asked = of_epoch_one(), of_epoch_one()
len(asked)
first, second = list(plain), list(plain)
print("epoch 1:", first, "again:", second)
SC501 = first != second
SC202 = list(asked) != first
sampler = of_epoch_one()
next(iter(sampler))
SC503 = list(sampler) != first
sampler = of_epoch_one()
one, two = iter(sampler), iter(sampler)
SC502 = [list(one), list(two)] != [first, first]
print("other after len():", SC202, "after a pass given up:", SC503, "beside another pass:", SC502)
sys.exit(SC202 and SC501 and SC502 and SC503)
