"""transformers: DistributedLengthGroupedSampler asserts with more than twice as many ranks as samples."""

import sys

from transformers.trainer_pt_utils import DistributedLengthGroupedSampler

try:
    list(DistributedLengthGroupedSampler(1, num_replicas=3, rank=0, lengths=[1]))
    SC001 = False
except AssertionError as error:
    print("AssertionError", error)
    SC001 = not str(error)  # no refusal that says why
sys.exit(SC001)
