"""chemprop: a pass that has begun goes on with the order of the next one, once that is opened."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(find_spec("chemprop").origin).parent / "data"))
from samplers import SeededSampler

whole = list(map(int, SeededSampler(6, 0)))
sampler = SeededSampler(6, 0)
first = iter(sampler)
found = [int(next(first))]
other = iter(sampler)
found += map(int, first)
print("alone:", whole, "with another opened behind its first sample:", found)
SC502 = sorted(found) != sorted(whole)
sys.exit(SC502)
