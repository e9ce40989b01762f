"""Signs of places: which ranks share the data, and how they take it.

Read by ``_signs`` of what several ranks yield. Values alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.engine.contracts._coverage import RANKS
from samplercheck.engine.contracts._orders import Look, Passes, samples_of, usual_length
from samplercheck.engine.contracts._sign import ALONE, APART, Sign
from samplercheck.laws.law import Scope
from samplercheck.values.contract import Contract
from samplercheck.values.trace import Trace


def shares_places(look: Look, contract: Contract, scope: Scope) -> bool:
    """Whether two ranks both yield the whole, and of four each pair of neighbours its share of it.

    One alone yields no more than that, unless it refuses to be alone: else copies go to neighbours.
    """
    length = usual_length(scope)
    alone, two, four = (look(contract, length, ranks) for ranks in (1, 2, 4))
    repeats = alone.is_whole and len(samples_of(alone, 0)[0]) > length
    if repeats or not (two.is_whole and four.is_whole):
        return False
    (one, its), (first, again, other, last) = (
        [samples_of(trace, rank)[0] for rank in range(places)] for trace, places in ((two, 2), (four, 4))
    )
    alike = one == its and first == again and other == last
    return alike and len({*one}) == length == len({*first, *other}) and len(first) < length


def is_dealt_in_turn(together: Trace) -> bool:
    """Whether the ranks take one stream in turn, as far as one lap shows it: it holds every sample once."""
    taken = [samples_of(together, rank)[0] for rank in range(RANKS)]
    lap = [sample for turn in zip(*taken, strict=False) for sample in turn]
    length = together.case.length
    return sorted(lap[:length]) == list(range(length))


def find_placeless(look: Look, contract: Contract, together: Trace, passes: Passes) -> Iterator[Sign]:
    """Yield that each rank goes through the whole, and whether each would do so in its own way.

    Ranks that are replicas of one another, all of three of them, take shares where there are more.
    """
    more = look(contract, together.case.length, RANKS + 1)
    places = ((together, RANKS), (more, RANKS + 1))
    ranks = [samples_of(one, place) for one, number in places if one.is_whole for place in range(number)]
    if more.is_whole and all(len(one[0]) >= len(passes[0]) - 1 for one in ranks):
        yield ALONE
        if any(one != ranks[0] for one in ranks):
            yield APART
