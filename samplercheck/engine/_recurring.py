"""Orders that recur among the epochs of two cases: whether they agree, and how often luck would show that.

Asked by evidence. A pattern has for each epoch the number of the first epoch that is like it.
"""

from __future__ import annotations

from collections import Counter
from math import inf

from samplercheck.values.finding import Violation
from samplercheck.values.owed import MANY_EPOCHS


def agree(pattern: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the same epochs are alike; of more epochs those that both have are asked."""
    shared = min(len(pattern), len(other), MANY_EPOCHS)
    return pattern[:shared] == other[:shared] and (len(pattern) != len(other) or pattern == other)


def chance_of_two(other: tuple[int, ...], pattern: tuple[int, ...]) -> float:
    """Return the chance that the first two epochs that are alike in a pattern are so in another; or infinity.

    Which others are alike may come with the length: an epoch that is worked out from the samples so far.
    """
    later = next(place for place, first in enumerate(pattern) if place != first)
    if later >= len(other) or other[later] != other[pattern[later]]:
        return inf
    pairs = sum(size * (size - 1) for size in Counter(other).values())
    return pairs / (len(other) * (len(other) - 1))


def chance_in_turns(violation: Violation) -> float:
    """Return the chance of orders that come in turns, or stand still after some; 1 for any other pattern."""
    pattern = violation.evidence.passes
    return violation.chance * 2.0 ** len(set(pattern)) if come_in_turns(pattern) else 1.0


def come_in_turns(pattern: tuple[int, ...]) -> bool:
    """Whether orders come in turns, or the last one again and again."""
    orders = len(set(pattern))
    in_turns = all(first == place % orders for place, first in enumerate(pattern))
    return in_turns or all(first == min(place, orders - 1) for place, first in enumerate(pattern))
