"""Runs the small script in ranks that it spawns, without a launcher: ``spawned.py RANKS FOLDER ...``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from torch.multiprocessing.spawn import spawn

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.training.script import main


def run_rank(rank, world, words):
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world)}
    main(words)


if __name__ == "__main__":
    _, world, folder, *words = sys.argv
    # One for each start, which takes the place of that of a start that was killed.
    rendezvous = Path(folder, f"rendezvous.{os.getpid()}")
    rendezvous.touch()
    os.environ["RENDEZVOUS"] = f"file://{rendezvous.resolve()}"
    spawn(run_rank, (int(world), [folder, *words]), nprocs=int(world))
