"""Limits: after how many steps a pass is cut, given up or stopped.

Asked by experiments, by scripts, which do the same, and when a contract is proposed. Standard library alone.
"""

from __future__ import annotations

from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.owed import LAPS, MANY_EPOCHS, MANY_LAPS, MOST_GROUPS

MOST_DRAWN = 2**17
LONGEST, LONGEST_DRAWN = 4, 16
"""A pass as long as so many datasets has no end; repeat factors of rare classes make long ones of draws."""
FAR = 12
"""So many steps into an endless pass, of several laps where ranks share them, a run is stopped as well."""


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
