"""axolotl: SequenceParallelRepeatRandomSampler leaves ranks of different lengths; set_epoch has no effect."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(find_spec("axolotl").origin).parent / "core" / "trainers" / "grpo"))
from sampler import SequenceParallelRepeatRandomSampler as Repeat

ranks = [Repeat(range(3), 1, 2, rank, shuffle=False) for rank in (0, 1)]
print("3 samples, two ranks:", *map(list, ranks), "their lengths:", *map(len, ranks))
SC104 = len({len(list(rank)) for rank in ranks}) > 1
SC201 = any(len(rank) != len(list(rank)) for rank in ranks)
alone = list(Repeat(range(1), 1, 1, 0, batch_size=3, shuffle=False))
print("1 sample, batches of 3:", alone)
SC105 = len(alone) == 2  # "add extra samples to make it evenly divisible by batch_size"

first, late = (Repeat(range(8), 1, 1, 0) for _ in range(2))
passes = [list(first), list(first)]  # two passes of epoch 0
late.set_epoch(5)
of_five = list(late)
SC501 = passes[0] != passes[1]
SC304 = of_five == passes[0]  # epoch 5, gone to at once, is epoch 0
print("epoch 0 twice:", *passes, "epoch 5:", of_five)
other = Repeat(range(8), 1, 1, 0)
open_pass = iter(other)
next(open_pass)
SC502 = SC503 = list(other) != passes[0]  # a pass beside an open one, or after one that was given up
sys.exit(SC104 and SC105 and SC201 and SC304 and SC501 and SC502 and SC503)
