"""Runs the small script in ranks that it starts, without a launcher: ``spawned.py RANKS FOLDER ...``.

They are spawned, or forked off where the number is followed by ``forked``: then torch is loaded once.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from torch.multiprocessing.spawn import start_processes

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.training.script import main


def run_rank(rank, world, words):
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world)}
    main(words)


if __name__ == "__main__":
    _, number, folder, *words = sys.argv
    world = int(number.removesuffix("forked"))
    # One for each start, which takes the place of that of a start that was killed.
    rendezvous = Path(folder, f"rendezvous.{os.getpid()}")
    rendezvous.touch()
    os.environ["RENDEZVOUS"] = f"file://{rendezvous.resolve()}"
    method = "fork" if number.endswith("forked") else "spawn"
    if method == "fork":
        importlib.import_module("torch._dynamo")  # which each rank would load
    start_processes(run_rank, (world, [folder, *words]), nprocs=world, start_method=method)
