"""torchvision: DistributedSampler asserts with more than twice as many ranks as samples."""

import sys

from torchvision.datasets.samplers import DistributedSampler

try:
    print(list(DistributedSampler(range(1), 3, 0)))
    SC001 = False
except AssertionError as error:
    print("AssertionError", error)
    SC001 = not str(error)  # no refusal that says why
sys.exit(SC001)
