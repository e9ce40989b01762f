"""Collective log: where the ranks of a simulated world hand in their collectives, one rank after the other.

Used by simulated groups, inside ranks, and by the lockstep, which answers. At the first collective
without an answer the running rank is suspended. Imports torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from samplercheck.values.record import Fault, Record
from samplercheck.values.wording import describe_deadlock, name_ranks, ordinal
from samplercheck.worlds.simulation.results import Request

Result = TypeVar("Result")
Answer = tuple["Request", "list[Tensor]"]
ELSEWHERE = "This case needs a process group."
CALL = 4  # a collective costs as much as writing so many tensors


class Suspended(BaseException):
    """A rank has reached a collective whose result is not known yet, or something that is not simulated.

    Control flow through the target's code: none of its handlers may catch it by ``Exception``.
    """


class CollectiveLog:
    """Serves all groups of a world; it knows which rank is running and what was answered before.

    ``answers`` are those to the first collectives of this run, ``used`` of which it has had; ``waiting``
    and ``problem`` say where it had to stop.
    """

    def __init__(self) -> None:
        self.made: dict[tuple[int, ...], int] = {}
        self.strays: list[Any] = []
        self.store: Any = None
        self.begin(0)

    def begin(self, rank: int, answers: Sequence[Answer] = (), used: int = 0) -> None:
        """Begin a run of one rank: a process of its own, which has made no groups yet.

        The first answers may be ``used`` by what is not run again.
        """
        self.place = rank
        self.answers = answers
        self.used = used
        self.waiting: Request | None = None
        self.problem = ""
        if self.made:
            self.made.clear()
            for group in self.strays:
                if group.is_open:
                    dist.destroy_process_group(group)
            self.strays.clear()

    @property
    def is_stopped(self) -> bool:
        """Whether the rank was suspended, whatever it made of it."""
        return self.waiting is not None or self.problem != ""

    def number(self, members: tuple[int, ...]) -> int:
        """Count the groups that this run has made of the same members, from 1."""
        self.made[members] = self.made.get(members, 0) + 1
        return self.made[members]

    def refuse(self, what: str) -> NoReturn:
        """Stop the rank at something that simulation cannot carry."""
        self.problem = self.problem or f"Rank {self.place} {what}. {ELSEWHERE}"
        raise Suspended(self.problem)

    def ask(self, request: Request) -> Work:
        """Write the known results into the rank's tensors, or suspend the rank."""
        if self.is_stopped:
            raise Suspended
        if self.used == len(self.answers):
            request.keep()
            self.waiting = request
            raise Suspended
        asked, given = self.answers[self.used]
        if not asked.same_as(request):
            self.refuse(
                f"was run again with the results of its collectives and handed in something else at its "
                f"{request.name}: real randomness, the clock or state left between runs decides it"
            )
        self.used += 1
        for output, result in zip(request.outputs, given, strict=True):
            output.detach().copy_(result.view(output.shape))
        return Work(request.outputs)


@dataclass(slots=True, eq=False)
class RankProgress:
    """How far one rank has come in one experiment: it waits, or has ended with or without a fault.

    ``results`` are those of its parts that have ended, of which ``met`` so many have been met in this run.
    They have used the first ``past`` answers and left the record ``kept``; ``cost`` is that of the other
    answers.
    """

    rank: int
    log: CollectiveLog
    answers: list[Answer] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    met: int = 0
    past: int = 0
    kept: Record = field(default_factory=Record)
    cost: int = 0
    waiting: Request | None = None
    where: str = ""
    record: Record = field(default_factory=Record)
    fault: Fault | None = None

    def once(self, part: Callable[[], Result]) -> Result:
        """Do a part of the experiment, unless it ended in an earlier run; return its result."""
        if self.met == len(self.results):
            self.results.append(part())
            self.kept, self.past, self.cost = self.record.copy(), self.log.used, 0
        self.met += 1
        result: Result = self.results[self.met - 1]
        return result

    def add_answer(self, answer: Answer) -> None:
        """Add the result of the collective that the rank waits in."""
        self.answers.append(answer)
        self.cost += CALL + len(answer[1])
        self.waiting = None

    def describe_wait(self, *, fully: bool) -> str:
        """Say which collective the rank waits in; nothing if it does not."""
        if self.waiting is None:
            return ""
        called = self.waiting.describe() if fully else self.waiting.name
        number = self.waiting.number
        among = f" among {name_ranks(self.waiting.members)}" if number else ""
        among += f", group {number} of these" if number > 1 else ""
        return f"{called}{among} (the {ordinal(len(self.answers) + 1)} collective{self.where})"


def describe_progress(ranks: Sequence[RankProgress]) -> str:
    """Say what each rank does: "rank 0 waits in ..., ranks 1-3 have finished"."""
    names = [rank.waiting.name if rank.waiting is not None else "" for rank in ranks]
    fully = len(set(names)) == 1
    return describe_deadlock((rank.rank, rank.describe_wait(fully=fully), rank.fault) for rank in ranks)


class Work(dist.Work):
    """A collective that is complete; what ``async_op=True`` returns."""

    def __init__(self, outputs: list[Tensor]) -> None:
        super().__init__()
        self._outputs = outputs

    def wait(self, *_: Any, **__: Any) -> bool:
        """Return True at once."""
        return True

    is_completed = is_success = wait

    def exception(self) -> None:
        """Return nothing: there is no error, and nothing to wait for."""

    synchronize = exception

    def result(self) -> list[Tensor]:
        """Return the tensors that were written."""
        return self._outputs

    def get_future(self) -> Any:
        """Return a future that holds the tensors that were written."""
        future: Any = torch.futures.Future()
        future.set_result(self._outputs)
        return future
