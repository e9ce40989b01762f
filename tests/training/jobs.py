"""Jobs of the small script, in processes of their own that are copies of one which has torch loaded."""

from __future__ import annotations

import multiprocessing
import os

import samplercheck as sc

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    ["torch.distributed", "torch._dynamo", "samplercheck.training.watch", "samplercheck.training.taps"]
)
PATIENCE = 100


def _run_rank(rank, world, rendezvous, words):
    import torch

    from samplercheck.training import taps
    from tests.training.script import main

    taps.FLUSHED_EACH = 0.0  # these jobs take less than that in all
    torch.set_num_threads(1)
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world), "RENDEZVOUS": rendezvous}
    main(words)
    os._exit(0)


def run(folder, *words, world=1):
    """Run the script once in so many ranks; return how each of them ended."""
    rendezvous = f"file://{folder}/rendezvous.{len(list(folder.glob('rendezvous.*')))}"
    (folder / rendezvous.rpartition("/")[2]).touch()
    asked = [str(folder), *map(str, words)]
    ranks = [_context.Process(target=_run_rank, args=(one, world, rendezvous, asked)) for one in range(world)]
    for one in ranks:
        one.start()
    for one in ranks:
        one.join(PATIENCE)
    ended = [one.exitcode for one in ranks]
    for one in ranks:
        one.kill()
    return ended


def run_killed(folder, *words, die, world=1, then=None):
    """Run the script, killed after each of some steps, and then to its end; return what the audit says."""
    for step in die:
        assert run(folder, *words, "--die", step, world=world) == [-9] * world
    assert set(run(folder, *words, world=then or world)) == {0}
    return sc.audit(folder / "ledger")


def broken(report):
    """Name the laws that a job breaks."""
    return {result.code for result in report.failures}
