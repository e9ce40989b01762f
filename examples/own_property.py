"""Your own property with Hypothesis, without laws: cases are drawn and shrunk by the kit's strategy.

Run it with ``python examples/own_property.py``, or paste the test into a file of tests.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from torch.utils.data import DistributedSampler

import samplercheck as sc


@settings(max_examples=50, deadline=None, database=None)
@given(case=sc.strategies.cases(max_length=50))
def test_the_ranks_together_hold_every_sample(case: sc.Case) -> None:
    """Unite what all ranks yield, and compare it with the dataset."""
    dataset: Any = range(case.length)
    samplers: list[DistributedSampler[int]] = [
        DistributedSampler(dataset, case.world_size, rank, shuffle=case.shuffle, seed=case.seed)
        for rank in range(case.world_size)
    ]
    united = {index for sampler in samplers for index in sampler}
    if united != set(range(case.length)):
        raise AssertionError(f"{sorted(set(range(case.length)) - united)} are on no rank in {case.token}.")


def main() -> None:
    """Run the property without pytest."""
    test_the_ranks_together_hold_every_sample()
    print("test_the_ranks_together_hold_every_sample: 50 cases passed")


if __name__ == "__main__":
    main()
