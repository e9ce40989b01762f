"""``run``: the public way to judge a target, in this process or in a supervised child.

The public ``sc.run``. Imports the engine, and with it torch, on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from samplercheck.engine import Plan, carry_out
from samplercheck.running.attached import check_gather, is_attached, run_attached
from samplercheck.running.config.settings import count_jobs, read_jobs
from samplercheck.running.inferring import with_inferred_contract
from samplercheck.running.supervised import run_isolated
from samplercheck.search.profiles import Progress
from samplercheck.storage.store import Store
from samplercheck.targets.target import Target
from samplercheck.values.choices import ProfileName, WorldName
from samplercheck.values.contract import Contract
from samplercheck.values.report import Report
from samplercheck.values.shard import parse_shard
from samplercheck.values.sizes import sizes_from

__all__ = ["run"]


def run(  # noqa: PLR0913  (the public signature)
    target: Target | Callable[..., Any] | str,
    contract: Contract | None = None,
    profile: ProfileName = "standard",
    worlds: Iterable[WorldName] | None = None,
    select: Iterable[str] = (),
    skip: Mapping[str, str] | Iterable[str] = (),
    seed: int = 0,
    max_time: float | None = None,
    *,
    axes: Mapping[str, Any] | None = None,
    max_cases: int | None = None,
    store: Store | None = None,
    progress: Callable[[Progress], None] | None = None,
    world_settings: Mapping[str, Any] | None = None,
    isolate: bool = False,
    strict: bool = False,
    infer: bool = False,
    shard: str | None = None,
    jobs: int | str = 1,
    length: int | None = None,
    world_size: int | None = None,
    batch_size: int | None = None,
    gather: str | Path | None = None,
) -> Report:
    """Judge a target by all laws of a profile and return the report; a broken law raises nothing.

    ``target`` is a callable, a ``sc.target`` or text that names one. ``worlds`` names where it runs:
    "simulated", "gloo", "nccl" or several; left out it is searched in simulation and then, but for
    the profile quick, tried in gloo. ``world_settings`` belong to these worlds: ``max_ranks`` (of processes),
    ``memory`` (bytes that each may take), ``deadlines``. ``select`` and ``skip`` name
    laws; a skip needs its reason (``{"SC104": "issue 12"}``). ``max_time`` (seconds) and
    ``max_cases`` cut only what follows the small scope. What is of the grade "strict" (an empty
    dataset, nonsense that is accepted ...) is advice; with ``strict`` it breaks its law. With ``infer`` the
    target is judged by the contract that it seems to keep: what the given one leaves to its default is what
    its passes look like. The same target,
    profile, seed and versions give the same report. All of it runs in this process: a deadline interrupts
    what hangs, and the process's generators, environment, directory, streams and signals are put back.
    ``length``, with ``world_size`` and ``batch_size``, is the one size that is tried, however large.
    ``jobs`` processes ("auto": one for each processor) share the cases, with ``isolate`` and the same report.
    ``shard`` tries a part of the cases alone ("2/4", "auto" in a job array); ``samplercheck report`` joins
    the reports of all. With ``gather``, a directory that all ranks of a job share, the world "attached" meets
    by files there and touches no process group. With ``isolate`` it runs in a supervised child process
    instead, which a target may also crash; closures, axes and laws of your own travel there by cloudpickle.
    """
    plan = Plan(
        target=target,
        contract=contract,
        axes=axes,
        profile=profile,
        worlds=worlds,
        select=select,
        skip=skip,  # type: ignore[arg-type]  # entries "SC104=reason" are read later
        seed=seed,
        max_time=max_time,
        max_cases=max_cases,
        store=store,
        strict=strict,
        infers=infer,
        shard=parse_shard(shard, os.environ) if shard else None,
        sizes=sizes_from(length, world_size, batch_size),
        jobs=count_jobs(read_jobs(jobs, "jobs")),
        world_settings={**(world_settings or {}), **({"gather": str(gather)} if gather else {})},
    )
    check_gather(plan)
    if is_attached(plan):
        return run_attached(plan, progress)
    if isolate or plan.jobs > 1:
        return run_isolated(plan, progress)
    return carry_out(with_inferred_contract(plan), progress)
