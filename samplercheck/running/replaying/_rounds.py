"""Rounds: each plan is carried out three times, each time in another fresh process.

Plans for one target share the processes of a round, so that torch is imported three times and not
three times for each; what may hang or crash, or looks back at what ran before it, has its own. Keeps
the clock, imports neither torch nor targets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from samplercheck.engine.plan import Plan
from samplercheck.laws import ALL_LAWS
from samplercheck.running.jobs import Answer, pack_plan
from samplercheck.running.supervised import ask_supervised
from samplercheck.running.watch import Interrupts
from samplercheck.search.profiles import Progress, Show
from samplercheck.values.errors import SamplerCheckError
from samplercheck.worlds import SIMULATED

ROUNDS = 3
ALONE = frozenset(law.code for law in ALL_LAWS if law.runs_alone)


def run_rounds(
    plans: Sequence[Plan], rounds: int = ROUNDS, progress: Show | None = None
) -> list[list[Answer]]:
    """Return the answers of all rounds for each plan; a plan has one world."""
    done, planned = 0, rounds * len(plans)
    groups: dict[tuple[str, str], list[int]] = {}
    for number, plan in enumerate(plans):
        groups.setdefault(_group_of(plan), []).append(number)
    packed = [pack_plan(plan) for plan in plans]  # here, as no two threads may pickle at once
    answers: list[list[Answer]] = [[] for _ in plans]
    with Interrupts() as interrupts:
        for is_real in (False, True):  # real groups have many processes of their own: one at a time
            chosen = [members for (world, _), members in groups.items() if (world != SIMULATED) == is_real]
            batches = [members for members in chosen for _ in range(rounds)]
            with ThreadPoolExecutor(1 if is_real else ROUNDS) as pool:
                futures = [pool.submit(_ask, [packed[one] for one in batch], interrupts) for batch in batches]
                for batch, future in zip(batches, futures, strict=True):
                    for number, answer in zip(batch, future.result(), strict=True):
                        answers[number].append(answer)
                    done += len(batch)
                    if progress is not None:
                        progress(Progress("replay", done, planned))
    return answers


def _group_of(plan: Plan) -> tuple[str, str]:
    """Return what plans have in common that may share processes."""
    (world,) = plan.worlds or (SIMULATED,)
    if not isinstance(plan.target, str):
        return world, "call"
    law = "".join(plan.select)
    alone = id(plan) if law in ALONE or not law or plan.before else 0
    return world, json.dumps([plan.target, plan.contract, alone], sort_keys=True)


def _ask(plans: Sequence[dict[str, Any] | str], interrupts: Interrupts) -> list[Answer]:
    """Return one round's answers; what ends the process for good is the answer to all its plans."""
    if interrupts.count:
        raise KeyboardInterrupt
    try:
        answers = ask_supervised(plans, interrupts)
    except SamplerCheckError as error:
        return [Answer(error=error) for _ in plans]
    if any(answer.report.get("interrupted") for answer in answers):
        raise KeyboardInterrupt
    return answers
