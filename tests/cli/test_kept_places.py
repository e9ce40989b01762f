"""What keeps the place that it asked for first is refused by each verb that stands for all ranks itself."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

KEPT = """
import functools
import torch.distributed as dist

@functools.cache
def place():
    return dist.get_rank(), dist.get_world_size()

class Kept:
    def __init__(self, dataset):
        self.length = len(dataset)
        self.rank, self.world_size = place()
    def __iter__(self):
        return iter(range(self.rank, self.length // self.world_size * self.world_size, self.world_size))
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "words", [("show", "kept.py:Kept"), ("compare", "kept.py:Kept", "torch.utils.data:DistributedSampler")]
)
def test_a_kept_place_is_neither_drawn_nor_compared(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text(KEPT)
    done = subprocess.run(
        [sys.executable, "-m", "samplercheck", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 2
    assert "the cache of place()" in done.stderr
