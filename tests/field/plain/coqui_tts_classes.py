"""coqui-tts: a PerfectBatchSampler with drop_last counts the batch that it drops."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(find_spec("TTS").origin).parent / "utils"))
from samplers import PerfectBatchSampler

items = [{"class_name": name} for name in "aaabbb"]
sampler = PerfectBatchSampler(items, ["a", "b"], 4, 2, drop_last=True)
batches = list(sampler)
print("len", len(sampler), "and yields", *batches)
SC201 = len(sampler) != len(batches)
sys.exit(SC201)
