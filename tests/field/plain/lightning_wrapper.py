"""lightning: DistributedSamplerWrapper shuffles what it wraps, which its docstring excludes."""

import sys

from lightning_fabric.utilities.distributed import DistributedSamplerWrapper

ranks = [list(DistributedSamplerWrapper(range(6), num_replicas=2, rank=rank)) for rank in (0, 1)]
print("0 to 5 in order, dealt out to two ranks:", *ranks)
SC302 = SC505 = ranks != [[0, 2, 4], [1, 3, 5]]
sys.exit(SC302 and SC505)
