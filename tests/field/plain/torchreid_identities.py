"""torchreid: RandomIdentitySampler yields less than its length where persons are left over for no batch."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(find_spec("torchreid").origin).parent / "reid" / "data"))
from sampler import RandomIdentitySampler

images = [("", person, 0, 0) for person in (0, 0, 0, 0, 1, 1)]
sampler = RandomIdentitySampler(images, batch_size=4, num_instances=2)
print("len", len(sampler), "and yields", len(list(sampler)))
SC201 = len(sampler) != len(list(sampler))
sys.exit(SC201)
