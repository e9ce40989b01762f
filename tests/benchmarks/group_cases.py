"""The cases of ``groups.py`` as torch's own tests are written; imported by the processes that run them."""

from __future__ import annotations

import os
from datetime import timedelta

from torch.testing._internal.common_distributed import MultiProcContinuousTest, MultiProcessTestCase

from tests.benchmarks.group_bodies import Short, join, run_epoch

PATIENCE = timedelta(seconds=float(os.environ["BENCHMARK_PATIENCE"]))


class _Each(MultiProcessTestCase):
    """Starts its processes for every test."""

    def setUp(self):
        super().setUp()
        self._spawn_processes()

    def test_passes(self):
        join(self.rank, self.world_size, self.file_name, PATIENCE)
        run_epoch(self.rank, self.world_size)

    def test_short(self):
        join(self.rank, self.world_size, self.file_name, PATIENCE)
        run_epoch(self.rank, self.world_size, Short)


class EachOf2(_Each):
    world_size = 2


class EachOf4(_Each):
    world_size = 4


class _Kept(MultiProcContinuousTest):
    """Keeps its processes for all tests of the class."""

    timeout = PATIENCE

    @classmethod
    def backend_str(cls):
        return "gloo"

    @classmethod
    def device_type(cls):
        return "cpu"

    def test_passes(self):
        run_epoch(self.rank, self.world_size)

    def test_short(self):
        run_epoch(self.rank, self.world_size, Short)


class KeptOf2(_Kept):
    world_size = 2


class KeptOf4(_Kept):
    world_size = 4
