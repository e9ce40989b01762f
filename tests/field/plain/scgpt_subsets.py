"""scgpt: a SubsetsBatchSampler fails with one batch in all, and in its second epoch with more."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(find_spec("scgpt").origin).parent))
from data_sampler import SubsetsBatchSampler

try:
    print("one batch:", *SubsetsBatchSampler([range(2)], 2))
    fails_with_one = False
except TypeError as error:
    print("one batch: TypeError", error)
    fails_with_one = True
sampler = SubsetsBatchSampler([range(2), range(2, 4)], 2)
print("first epoch:", *sampler)
try:
    print("second epoch:", *sampler)
    SC001 = False
except RuntimeError as error:
    print("second epoch: RuntimeError", error)
    SC001 = fails_with_one
sys.exit(SC001)
