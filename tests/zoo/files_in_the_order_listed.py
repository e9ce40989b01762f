"""The order of the samples is that in which the file system lists their files.

Cause: os.listdir() and glob promise no order, and another machine, or a copied directory, has another one.
Hides at: one machine.
"""
import os
from functools import lru_cache
from pathlib import Path

from tests.zoo._sound import Strided

SLUG = "files_in_the_order_listed"
SOURCE = "our own; the class of readers that take os.listdir() or glob as it comes"
STORY = "Each node deals out an order of its own: samples are trained on twice, and others never."

WORLDS = ("gloo",)
FOLDER = Path(__file__).parent


@lru_cache
def numbers():
    names = sorted(name for name in os.listdir(FOLDER) if name.endswith(".py"))
    return {name: number for number, name in enumerate(names)}


class Listed(Strided):
    """One file for each sample, as far as there are files."""

    def names(self):
        return os.listdir(FOLDER)                     # BUG: in whatever order the file system has them

    def order(self):
        found = [numbers()[name] for name in self.names() if numbers().get(name, self.length) < self.length]
        return found + list(range(len(found), self.length))


class Sorted(Listed):
    def names(self):
        return sorted(os.listdir(FOLDER))


def bug(length, rank, world_size):
    return Listed(length, rank, world_size)


def sound(length, rank, world_size):
    return Sorted(length, rank, world_size)


CONTRACT = dict(order="free", epochs="fixed")
AXES = {}
EXPECT = {"SC402"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
