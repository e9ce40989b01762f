"""Many samples are drawn chunk by chunk, and a place in its chunk is taken for a sample.

Cause: where the chunk begins is not added to what was drawn from it.
Hides at: datasets of one chunk, which is all that a test has.
"""
import torch

from tests.zoo.filled_up_with_sample_zero import Weighted

SLUG = "chunk_without_its_offset"
SOURCE = "https://github.com/NVIDIA/physicsnemo/issues/1846"
STORY = "Of a large mesh only the points of the first chunk are trained on; small meshes are right."


class Chunked(Weighted):
    """Draws a chunk by what it weighs, then a sample of it: torch.multinomial takes no more categories."""

    MOST = 40

    def order(self):
        if not self.length:
            return []
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        chunks = self.weights.split(self.MOST)
        sums = torch.stack([chunk.sum() for chunk in chunks])
        which = torch.multinomial(sums, self.length, True, generator=generator)
        drawn = torch.empty_like(which)
        for number, chunk in enumerate(chunks):
            places = torch.nonzero(which == number).flatten()
            if len(places):
                samples = torch.multinomial(chunk, len(places), True, generator=generator)
                drawn[places] = samples + self.begin(number)
        return drawn.tolist()

    def begin(self, number):
        return number * self.MOST


class First(Chunked):
    def begin(self, number):
        return 0                                                         # BUG: every chunk is the first


def bug(weights, rank, world_size, seed):
    return First(weights, rank, world_size, seed)


def sound(weights, rank, world_size, seed):
    return Chunked(weights, rank, world_size, seed)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=82, world_size=2, seed=0, epochs=64)
