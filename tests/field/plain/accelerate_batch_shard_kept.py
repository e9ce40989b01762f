"""accelerate: BatchSamplerShard fills up the last batch in place, in the list of what it wraps."""

import sys

from accelerate.data_loader import BatchSamplerShard


class Kept:
    batch_size, drop_last = 2, False
    batches = ([0, 1], [2])

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        return iter(self.batches)


list(BatchSamplerShard(Kept(), 2, 1))
print("the wrapped batches were [0, 1], [2] and are", *Kept.batches)
SC505 = Kept.batches != ([0, 1], [2])
sys.exit(SC505)
