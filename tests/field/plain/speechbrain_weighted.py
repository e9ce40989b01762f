"""speechbrain: of two passes opened before either is read the second draws something else."""

import sys

from speechbrain.dataio.sampler import ReproducibleWeightedRandomSampler

sampler = ReproducibleWeightedRandomSampler([1.0] * 6, 6, True, seed=0)
alone = list(sampler)
one, two = iter(sampler), iter(sampler)
both = [list(one), list(two)]
print("alone:", alone, "two open at once:", *both)
SC502 = both != [alone, alone]
sys.exit(SC502)
