"""What simulated worlds put in the place of torch's own functions, and take away again."""

from __future__ import annotations

import traceback

import pytest
import torch
import torch.distributed as dist

from samplercheck.worlds import open_world
from samplercheck.worlds.simulation.opening import ACCELERATORS


@pytest.mark.parametrize("name", [one for one in ACCELERATORS if hasattr(getattr(torch, one), "traceback")])
def test_no_stack_is_written_down_for_a_seed_that_no_accelerator_waits_for(name: str) -> None:
    accelerator = getattr(torch, name)
    kept = traceback.format_stack
    with open_world("simulated"):
        assert accelerator.traceback.format_stack() == []
        assert traceback.format_stack is kept  # of the target's own code they are what they were
    assert accelerator.traceback is traceback


def test_the_functions_of_torch_are_put_back() -> None:
    usual = dist.new_group, dist.get_backend
    with open_world("simulated"):
        assert dist.new_group is not usual[0]
    assert (dist.new_group, dist.get_backend) == usual
