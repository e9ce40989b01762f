"""Large datasets are shuffled in piles, one after the other; small ones are a single pile.

Cause: the first stage of a two-stage shuffle deals neighbours into one pile, in place of dealing at random.
Hides at: datasets of no more than a pile, as in every unit test.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "shuffled_pile_by_pile"
SOURCE = "well-known: two-stage shuffles for data larger than memory"
STORY = "Data sorted by class or by source is trained on in that order, a pile at a time."
PILE = 256


class InPiles(Strided):
    def pile_of(self, place):
        return place // PILE                                          # BUG: neighbours share a pile

    def order(self):
        piles = {}
        for place in range(self.length):
            piles.setdefault(self.pile_of(place), []).append(place)
        mixed = permutation(self.length, self.seed, self.epoch)
        return [i for number in sorted(piles) for i in sorted(piles[number], key=mixed.__getitem__)]


class AtRandom(InPiles):
    def pile_of(self, place):
        return self.dealt[place] // PILE

    def order(self):
        self.dealt = permutation(self.length, self.seed + 1, self.epoch)
        return super().order()


def bug(length, rank, world_size, seed):
    return InPiles(length, rank, world_size, seed=seed)


def sound(length, rank, world_size, seed):
    return AtRandom(length, rank, world_size, seed=seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC1002"}
ALSO = set()
SMALLEST = dict(length=3072, world_size=2)
