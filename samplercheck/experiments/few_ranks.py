"""Which ranks are run where not all are: in large worlds, of passes that repeat the usual ones, and resumed.

Asked by simulated worlds, and by experiments that resume. A target that does not repeat itself shows it on
any rank, or on the first, the last or one at a border; the others are taken to have yielded what they yielded
in the usual epochs. In small worlds all ranks do it, but for a search that looks again where a law is broken:
where it fails is told by these cases.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from random import Random

from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.record import Record
from samplercheck.values.trace import REPEATED

FEW_RANKS, MANY_RANKS = 2, 8
DRAWN = 2
BY_FEW = frozenset(REPEATED) - {"lengths"}
"""Experiments whose passes should be those of the usual epochs, rank by rank. What ``len()`` says differs by
rank, and where a seed or an argument must make a difference, it may be on any rank."""
STOPPED_BY_FEW = frozenset({"resumed", "resumed_again", "saved"})


def ranks_that_repeat(case: Case, contract: Contract, *, by_two: bool = False) -> frozenset[int] | None:
    """Return the ranks that carry out all experiments, the first with them; None where all do.

    All do where passes can be compared over all ranks together alone: those of one run belong together.
    ``by_two`` where in small worlds the first and one other are enough, another one in each case.
    """
    world, least = case.world_size, FEW_RANKS if by_two else MANY_RANKS
    if world <= least or contract.ambient_rng == "shared" or contract.advances or contract.is_one_walk:
        return None
    if world <= MANY_RANKS:
        return frozenset({0, _in_turn(case)})
    rest, node = case.length % world, MANY_RANKS
    random = Random(f"{case.length} {world} {case.seed}")
    drawn = (random.randrange(world) for _ in range(DRAWN))
    return frozenset({0, 1, node - 1, node, world // 2, world - 1, max(0, rest - 1), rest, *drawn})


def is_stopped(rank: int, case: Case, contract: Contract, *, by_two: bool = False) -> bool:
    """Whether a rank is stopped and resumed: of many ranks a few are, the first and the last with them.

    In small worlds the first and one other are, where each goes through all of the data, or ``by_two``.
    """
    world = case.world_size
    if FEW_RANKS < world <= MANY_RANKS and (by_two or contract.sharding == "none"):
        return rank in (0, _in_turn(case))
    return world <= MANY_RANKS or rank in (0, 1, world // 2, world - 1)


def was_left_to_two(case: Case, contract: Contract, reads: AbstractSet[str]) -> bool:
    """Whether two ranks of a small case did, ``by_two``, for all of them what is to be read, and more can."""
    if not FEW_RANKS < case.world_size <= MANY_RANKS:
        return False
    is_stopped_in_two = contract.sharding == "ranks" and not STOPPED_BY_FEW.isdisjoint(reads)
    return is_stopped_in_two or ranks_that_repeat(case, contract, by_two=True) is not None


def _in_turn(case: Case) -> int:
    """Return a rank of a case other than the first, in other cases another one."""
    turn = case.length + case.batch_size + case.seed + case.shuffle + 2 * case.drop_last
    return 1 + turn % (case.world_size - 1)


def choose_ranks(case: Case, node: int, most: int) -> frozenset[int]:
    """Return so many ranks of a large world: the ends, the borders of nodes and shares, and drawn ones."""
    world, rest = case.world_size, case.length % case.world_size
    telling = [0, world - 1, node - 1, node, world // 2, world // 2 - 1, world - node, world - node - 1]
    telling += [rest, rest - 1, 1]
    chosen = {rank for rank in telling if 0 <= rank < world}
    random = Random(f"{case.length} {world} {case.seed} ranks")
    most = min(most, world)
    while len(chosen) < most:
        first = random.randrange(world) // node * node
        chosen |= {first, min(world - 1, first + random.randrange(node))}
    return frozenset(chosen)


def repeat_as_usual(first: Record, usual: Record) -> Record:
    """Return what a rank is taken to have recorded where the first did so much: its usual passes again."""
    passes = [usual.pass_of(one.epoch) for one in first.passes]
    return Record(passes=[one for one in passes if one is not None], as_usual=True)
