"""Desk: where the ranks of a simulated world hand in their collectives, one rank after the other.

Used by simulated groups, inside ranks, and by the lockstep, which answers. At the first collective
without an answer the running rank is suspended. Imports torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from samplercheck.worlds.simulation.results import Request

__all__ = ["ELSEWHERE", "Answer", "Desk", "Suspended", "Turn", "Work"]

Answer = tuple["Request", "list[Tensor]"]
ELSEWHERE = "This case needs a process group."


class Suspended(BaseException):
    """A rank has reached a collective whose result is not known yet, or something that is not simulated.

    Control flow through the target's code: none of its handlers may catch it by ``Exception``.
    """


class Turn:
    """One run of one rank: the answers to its first collectives, and where it had to stop."""

    __slots__ = ("answers", "problem", "used", "waiting")

    def __init__(self, answers: Sequence[Answer] = ()) -> None:
        self.answers = answers
        self.used = 0
        self.waiting: Request | None = None
        self.problem = ""

    @property
    def stopped(self) -> bool:
        """Whether the rank was suspended, whatever it made of it."""
        return self.waiting is not None or self.problem != ""


class Desk:
    """Serves all groups of a world; it knows which rank is running and what was answered before."""

    def __init__(self) -> None:
        self.place = 0
        self.turn = Turn()
        self.made: dict[tuple[int, ...], int] = {}
        self.strays: list[Any] = []
        self.store: Any = None

    def begin(self, rank: int, answers: Sequence[Answer] = ()) -> None:
        """Begin a run of one rank: a process of its own, which has made no groups yet."""
        self.place = rank
        self.turn = Turn(answers)
        if self.made:
            self.made.clear()
            for group in self.strays:
                if group.is_open:
                    dist.destroy_process_group(group)
            self.strays.clear()

    def number(self, members: tuple[int, ...]) -> int:
        """Count the groups that this run has made of the same members, from 1."""
        self.made[members] = self.made.get(members, 0) + 1
        return self.made[members]

    def refuse(self, what: str) -> NoReturn:
        """Stop the rank at something that simulation cannot carry."""
        turn = self.turn
        turn.problem = turn.problem or f"Rank {self.place} {what}. {ELSEWHERE}"
        raise Suspended(turn.problem)

    def ask(self, request: Request) -> Work:
        """Write the known results into the rank's tensors, or suspend the rank."""
        turn = self.turn
        if turn.stopped:
            raise Suspended
        if turn.used == len(turn.answers):
            request.keep()
            turn.waiting = request
            raise Suspended
        asked, given = turn.answers[turn.used]
        if not asked.same_as(request):
            self.refuse(
                f"was run again with the results of its collectives and handed in something else at its "
                f"{request.name}: real randomness, the clock or state kept between runs decides it"
            )
        turn.used += 1
        for output, result in zip(request.outputs, given, strict=True):
            output.detach().copy_(result.view(output.shape))
        return Work(request.outputs)


class Work(dist.Work):
    """A collective that is complete; what ``async_op=True`` returns."""

    def __init__(self, outputs: list[Tensor]) -> None:
        super().__init__()
        self._outputs = outputs

    def wait(self, *_: Any, **__: Any) -> bool:
        """Return at once."""
        return True

    def is_completed(self) -> bool:
        """Return True."""
        return True

    def is_success(self) -> bool:
        """Return True."""
        return True

    def exception(self) -> None:
        """Return nothing: there is no error."""

    def synchronize(self) -> None:
        """Return at once."""

    def result(self) -> list[Tensor]:
        """Return the tensors that were written."""
        return self._outputs

    def get_future(self) -> Any:
        """Return a future that holds the tensors that were written."""
        future: Any = torch.futures.Future()
        future.set_result(self._outputs)
        return future
