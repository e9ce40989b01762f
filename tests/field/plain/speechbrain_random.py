"""speechbrain: of two passes opened before either is read the second has another order."""

import sys

from speechbrain.dataio.sampler import ReproducibleRandomSampler

sampler = ReproducibleRandomSampler(range(6), seed=0)
alone = list(sampler)
one, two = iter(sampler), iter(sampler)
both = [list(one), list(two)]
print("alone:", alone, "two open at once:", *both)
SC502 = both != [alone, alone]
sys.exit(SC502)
