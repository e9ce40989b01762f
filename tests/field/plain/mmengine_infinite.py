"""mmengine: an InfiniteSampler yields nothing more once its first iterator is gone; two share one stream."""

import sys
from itertools import islice

from mmengine.dataset import InfiniteSampler

sampler = InfiniteSampler(range(4), shuffle=False, seed=0)
passes = [list(islice(iter(sampler), 3)) for _ in range(3)]
print("three passes, each given up after three samples:", *passes)
SC002 = SC501 = SC503 = passes == [[0, 1, 2], [], []]
SC102 = 3 not in {*passes[0], *passes[1], *passes[2]}
SC202 = len(sampler) > 0 == len(list(sampler))
sampler = InfiniteSampler(range(4), shuffle=False, seed=0)
one, two = iter(sampler), iter(sampler)
both = [next(one), next(two), next(one)]
print("two open at once, in turn:", both)
SC502 = both != [0, 0, 1]
sys.exit(SC002 and SC102 and SC202 and SC501 and SC502 and SC503)
