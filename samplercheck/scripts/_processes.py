"""For failures that only process groups show: an experiment in one process for each rank.

Copied into scripts as it stands, like the functions of ``_bench``.
"""

from __future__ import annotations

import json
import os
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from samplercheck.scripts._bench import seed_generators, take_place

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.scripts._bench import Bench

__all__ = ["PARTS"]

LONGEST_WAIT = 20


def in_processes(
    bench: Bench, experiment: Callable[[Bench, int], Any], start: int, hash_seed: str = "0"
) -> list[Any]:
    """Return what an experiment finds in each rank of a real gloo group; what went wrong is raised."""
    os.environ["PYTHONHASHSEED"] = hash_seed
    ranks = bench.case["world_size"]
    with tempfile.TemporaryDirectory() as folder:
        spawn: Any = torch.multiprocessing.spawn  # type: ignore[attr-defined]  # public all the same
        spawn(one_rank, (bench, experiment, start, folder), nprocs=ranks)
        answers = [json.loads(Path(folder, f"{rank}.json").read_text()) for rank in range(ranks)]
    wrong = [f"rank {rank} {one['error']}" for rank, one in enumerate(answers) if "error" in one]
    if wrong:
        raise RuntimeError("; ".join(wrong))
    return [one["found"] for one in answers]


def one_rank(
    rank: int, bench: Bench, experiment: Callable[[Bench, int], Any], start: int, folder: str
) -> None:
    """Join the group, carry out the experiment and write down what it found; runs in a process of its own."""
    import torch.distributed as dist

    take_place(bench, rank)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/meeting",
        rank=rank,
        world_size=bench.case["world_size"],
        timeout=timedelta(seconds=LONGEST_WAIT),
    )
    seed_generators(start if bench.promise["ambient"] == "shared" else 1000 * start + rank)
    try:
        answer = {"found": experiment(bench, rank)}
        dist.barrier()
    except Exception as error:  # noqa: BLE001  (told by the process that waits)
        answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
    Path(folder, f"{rank}.json").write_text(json.dumps(answer, default=repr))
    os._exit(0)  # a rank that waits for others in vain would not end by itself


PARTS: tuple[Any, ...] = (in_processes, one_rank)
