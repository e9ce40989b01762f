"""Empty buckets are taken out, all but the first.

Cause: range(len(buckets) - 1, 0, -1) ends before 0.
Hides at: datasets with a sample that is short enough for the first bucket.
"""
from tests.zoo._sound import Strided

SLUG = "first_bucket_never_checked"
SOURCE = "jaywalnut310/vits#194, daniilrobnikov/vits2#4"
STORY = "A dataset without very short clips ends the job with a division by zero."

LIMITS = (0, 2, 4, 1_000)


class Buckets(Strided):
    """Bucket after bucket, each padded from its own front to whole rounds."""

    last = -1

    def __init__(self, lengths, rank, world_size):
        super().__init__(len(lengths), rank, world_size)
        ends = zip(LIMITS, LIMITS[1:], strict=False)
        self.buckets = [[i for i, size in enumerate(lengths) if low < size <= high] for low, high in ends]
        for place in range(len(self.buckets) - 1, self.last, -1):
            if not self.buckets[place]:
                self.buckets.pop(place)

    def share(self):
        filled = [self.filled(bucket)[self.rank :: self.world_size] for bucket in self.buckets]
        return [sample for bucket in filled for sample in bucket]

    def filled(self, bucket):
        short = -len(bucket) % self.world_size
        times, rest = divmod(short, len(bucket))      # as many rounds through the bucket as are missing
        return bucket + bucket * times + bucket[:rest]

    def __len__(self):
        return len(self.share())


class KeepsFirst(Buckets):
    last = 0                                          # BUG: never gets to the first


def bug(lengths, rank, world_size):
    return KeepsFirst(lengths, rank, world_size)


def sound(lengths, rank, world_size):
    return Buckets(lengths, rank, world_size)


CONTRACT = dict(coverage="sampled", tail="pad", order="free", epochs="fixed")
AXES = {}
EXPECT = {"SC001"}
ALSO = {"SC201"}
SMALLEST = dict(length=1, world_size=1)
