"""Limits: after how many steps a pass is cut, given up or stopped, and how far luck is believed.

Asked by experiments, by scripts, which do the same, when a contract is proposed, and of certificates.
Standard library alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.owed import LAPS, MANY_EPOCHS, MANY_LAPS, MOST_GROUPS

NEGLIGIBLE = 1e-13
"""What luck shows with a smaller chance is asked for, whatever was tried before."""
MOST_FOUND = 3
"""So many violations of one case are enough: more of the same say nothing new."""
MOST_DRAWN = 2**17
LONGEST, LONGEST_DRAWN = 4, 16
"""A pass as long as so many datasets has no end; repeat factors of rare classes make long ones of draws."""
FURTHER = 500
"""So many times the data a pass that was cut is followed, once, to see whether it ends."""
FAR = 12
"""So many steps into an endless pass, of several laps where ranks share them, a run is stopped as well."""


def bound_false_alarms(verdicts: Iterable[int]) -> float:
    """Bound the chance that luck alone breaks a law in a run that gave so many verdicts, law by law.

    Each of them may show a few things, and none counts that luck shows more often than is negligible. What
    a target reads from the clock, and deadlines on a busy machine, are no luck of orders and not in it.
    """
    return max(1, sum(verdicts)) * MOST_FOUND * NEGLIGIBLE


def step_cap(case: Case, contract: Contract) -> int:
    """Return the number of steps after which a pass counts as endless, or is enough of an endless one."""
    epoch = case.length * contract.repeats
    if contract.endless:
        lap = lap_of(case, contract)
        return max(lap * LAPS, far_step(case, contract) + lap)
    # How many are drawn with replacement is the target's own choice, whatever the length.
    is_drawn = contract.coverage == "sampled"
    laps, drawn = (LONGEST_DRAWN, MOST_DRAWN) if is_drawn else (LONGEST, 0)
    # Each group may be filled up to a global batch.
    rounds = 4 + min(case.length, MOST_GROUPS)
    return laps * epoch + rounds * case.world_size * case.batch_size + 64 + drawn


def most_steps(case: Case, contract: Contract) -> int:
    """Return how many steps of a pass any experiment takes: many laps of an endless one, in many epochs."""
    are_many = contract.endless and case.epochs >= MANY_EPOCHS
    return max(step_cap(case, contract), MANY_LAPS * lap_of(case, contract) if are_many else 0)


def lap_of(case: Case, contract: Contract) -> int:
    """Return how many steps of an endless pass are a rank's share of the dataset."""
    return -(-case.length * contract.repeats // case.world_size)


def lap_sizes(case: Case, places: int) -> list[int]:
    """Return how many samples a lap of all ranks may have: all, or cut or filled up to rounds or batches."""
    rounds = (places, places * case.batch_size)
    sizes = {case.length, *(one * (case.length // one) for one in rounds)}
    return sorted(filter(None, sizes | {one * -(-case.length // one) for one in rounds}))


def far_step(case: Case, contract: Contract) -> int:
    """Return how far into an endless pass a run is stopped at most: as many steps as samples, where few.

    What counts rounds of the dataset, and not of a rank's share of it, goes wrong there alone.
    """
    return max(lap_of(case, contract), min(case.length * contract.repeats, FAR))


def quarter_of(case: Case, contract: Contract) -> int:
    """Return after how many steps a pass is given up: a quarter of a rank's share, one step at least.

    How many samples a subset has is the target's own choice: its passes are given up after their first step.
    An endless walk through no samples never gets there.
    """
    if contract.endless and not case.length:
        return 0
    if contract.coverage == "subset":
        return 1
    share = case.length * contract.repeats // case.world_size
    return max(1, share // case.batch_size // 4)
