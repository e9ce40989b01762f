"""How a script runs: in each rank in turn or in processes of a group, and what it says in the end.

Copied into scripts as it stands, like the functions of ``_setup``.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import tempfile
import traceback
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from samplercheck.storage.scripts._passes import take_epochs
from samplercheck.storage.scripts._setup import Setup, enter, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_SHOWN = 20
MOST_EPOCHS = 3
ASKED: list[str] = []
LONGEST_WAIT = 20


def pretend_group() -> None:
    """Let torch.distributed answer as in a group while the ranks run in turn, and note that it was asked."""
    import torch.distributed as dist

    answers: dict[str, Callable[[], Any]] = {
        "is_initialized": lambda: "RANK" in os.environ,
        "get_rank": lambda: int(os.environ.get("RANK", "0")),
        "get_world_size": lambda: int(os.environ.get("WORLD_SIZE", "1")),
        "get_backend": lambda: "gloo",
    }
    for name, answer in answers.items():

        def note(*_: Any, name: str = name, answer: Callable[[], Any] = answer, **__: Any) -> Any:
            ASKED.append(name)
            return answer()

        for module in (dist, dist.distributed_c10d):
            setattr(module, name, note)


def in_turn(setup: Setup, experiment: Callable[[Setup, int], Any], start: int) -> list[Any]:
    """Return what an experiment finds in each rank, one after the other."""
    found = []
    for rank in range(setup.case["world_size"]):
        enter(setup, rank, start)
        found.append(experiment(setup, rank))
    return found


def in_turn_or_group(setup: Setup, experiment: Callable[[Setup, int], Any], start: int) -> list[Any]:
    """Return what an experiment finds in turn; where that fails and a group was asked for, in a real one."""
    try:
        return in_turn(setup, experiment, start)
    except Exception:
        if not ASKED:
            raise
        return in_processes(setup, experiment, start)


def in_processes(
    setup: Setup, experiment: Callable[[Setup, int], Any], start: int, hash_seed: str = "0"
) -> list[Any]:
    """Return what an experiment finds in each rank of a real gloo group; what went wrong is raised."""
    os.environ["PYTHONHASHSEED"] = hash_seed
    ranks = setup.case["world_size"]
    with tempfile.TemporaryDirectory() as folder:
        spawn: Any = torch.multiprocessing.spawn  # type: ignore[attr-defined]  # public all the same
        spawn(run_rank, (setup, experiment, start, folder), nprocs=ranks)
        answers = [json.loads(Path(folder, f"{rank}.json").read_text()) for rank in range(ranks)]
    wrong = [f"rank {rank} {answer['error']}" for rank, answer in enumerate(answers) if "error" in answer]
    if wrong:
        raise RuntimeError("; ".join(wrong))
    return [answer["found"] for answer in answers]


def run_rank(
    rank: int, setup: Setup, experiment: Callable[[Setup, int], Any], start: int, folder: str
) -> None:
    """Join the group, carry out the experiment and write down what it finds; runs in a process of its own."""
    import torch.distributed as dist

    enter(setup, rank, start)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{folder}/meeting",
        rank=rank,
        world_size=setup.case["world_size"],
        timeout=timedelta(seconds=LONGEST_WAIT),
    )
    try:
        answer = {"found": experiment(setup, rank)}
        dist.barrier()
    except Exception as error:  # noqa: BLE001  (the process that waits says it)
        answer = {"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
    Path(folder, f"{rank}.json").write_text(json.dumps(answer, default=repr))
    os._exit(0)  # a rank that waits for others in vain would not end by itself


def check_import(place: str) -> None:
    """End with 3 where the target cannot be imported: that says nothing of the fault."""
    try:
        load(place)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever the user's module raises)
        print(f"{place} cannot be imported: {type(error).__name__}: {error}")  # noqa: T201
        print("Nothing was judged. Run this script in the project's root, where the target is found.")  # noqa: T201
        sys.exit(3)


def find_faults(setups: list[Setup], run: Callable[..., Any], law: dict[str, Any], tries: int) -> list[str]:
    """Return what is wrong in some try of each case: small cases may show it by luck, large ones do not."""
    found: list[str] = []
    experiment = partial(law["experiment"], **law["settings"])
    for setup in setups[: law["cases"]]:
        for start in range(tries):
            found = list(law["judge"](setup, run(setup, experiment, start), **law["asks"]))
            if found:
                break
        if not found:
            break
    return found


def judge(
    setups: list[Setup], run: Callable[..., Any], laws: list[dict[str, Any]], tries: int, seconds: int
) -> int:
    """Show and judge, and return the exit status: 1 while a law is broken, or where something hangs."""
    faulthandler.dump_traceback_later(seconds, exit=True)
    status = 0
    try:
        first = partial(take_epochs, number=min(MOST_EPOCHS, setups[0].case["epochs"]))
        for rank, passes in enumerate(run(setups[0], first, 0)):
            for epoch, steps in enumerate(passes):
                more = "" if len(steps) <= MOST_SHOWN else f" and {len(steps) - MOST_SHOWN} more"
                print(f"epoch {epoch}  rank {rank}  {steps[:MOST_SHOWN]}{more}")  # noqa: T201
    except (Exception, SystemExit) as error:  # noqa: BLE001  (the laws below say more)
        print(f"the ranks cannot be shown: {type(error).__name__}: {error}")  # noqa: T201
    for law in laws:
        try:
            found = find_faults(setups, run, law, tries)
        except (Exception, SystemExit):  # noqa: BLE001  (a target that fails keeps no law)
            found = [traceback.format_exc()]
        print(f"\n{'BROKEN' if found else 'holds'}  {law['name']}\n    {law['statement']}")  # noqa: T201
        for fault in found[:3]:
            print(f"    {fault}")  # noqa: T201
        status = 1 if found else status
    return status


def judge_elsewhere(setup: Setup, ranks: list[Any], where: str) -> Iterator[str]:
    """Yield the ranks that yield something else than here in other processes, or in turn in one."""
    processes = where.startswith("processes")
    others = in_processes(setup, take_epochs, 0, "1") if processes else in_turn(setup, take_epochs, 0)
    for rank, (found, other) in enumerate(zip(ranks, others, strict=True)):
        if found != other:
            yield f"rank {rank} yields {found}, and {other} in {where}"


def leave_place_to_group(setup: Setup, rank: int) -> Any:
    """Take the first pass with the place left to the process group, and with it passed by hand."""
    found = setup.passes(rank, 1, setup.build(rank, rank=None, world_size=None))
    return [("the pass, its place read from the group,", found[0], setup.passes(rank, 1)[0])]


def reach_the_end(setup: Setup, rank: int) -> list[str]:
    """Take all epochs; ranks that disagree about a collective do not get so far."""
    setup.passes(rank, setup.case["epochs"])
    return []


def step_together(setup: Setup, rank: int) -> list[str]:
    """Take every epoch with a collective at every step; return where some ranks leave before others."""
    import torch.distributed as dist

    subject = setup.build(rank)
    for epoch in range(setup.case["epochs"]):
        subject = setup.begin(rank, subject, epoch)
        steps, nothing, stepping, step = iter(subject), object(), [True], -1
        while all(stepping):
            flags = [torch.zeros(1) for _ in range(setup.case["world_size"])]
            dist.all_gather(flags, torch.ones(1) * (next(steps, nothing) is not nothing))
            stepping, step = [bool(flag) for flag in flags], step + 1
        if any(stepping):
            return [f"is in step {step} of epoch {epoch}, where the ranks that go on are {stepping}"]
    return []
