"""Short epochs go on where the last one ended, and begin again where a whole one no longer fits.

Cause: the rest of the dataset is shorter than an epoch, and is skipped.
Hides at: every single epoch, and any length that is a multiple of the epoch's.
"""
SLUG = "window_never_reaches_the_end"
SOURCE = "written for this project"
STORY = "With epochs of a fixed number of steps the last samples of the dataset are never trained on."


class Window:
    """Half of the dataset in each pass, going on where the last one ended."""

    def __init__(self, length):
        self.length, self.start = length, 0

    def __len__(self):
        return -(-self.length // 2) if self.length < 3 else self.length // 2

    def __iter__(self):
        start, self.start = self.start, self.after(self.start + len(self))
        return iter([index % self.length for index in range(start, start + len(self))])

    def after(self, end):
        return end % max(1, self.length)


class Skipping(Window):
    def after(self, end):
        return end if end + len(self) <= self.length else 0     # BUG: what is left does not fill an epoch


def bug(length):
    return Skipping(length)


def sound(length):
    return Window(length)


CONTRACT = dict(sharding="none", coverage="subset", frequencies="uniform", order="free", epochs="advance")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=1)
