"""Kills: after which steps a job is killed, and why there; chosen by what the undisturbed job did.

Used by ``drill``. Pure.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from samplercheck.training.course import NEVER, Course
from samplercheck.values.errors import UsageError

STEP = re.compile(r"\d{1,9}\+?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Kill:
    """After which optimizer steps the first start of a job is killed, the second one, and so on.

    A step is its number, from 1 in each start, with ``+`` behind it where the job first does all that belongs
    to the step, as a checkpoint. ``0+`` is before the first one.
    """

    steps: tuple[str, ...]
    why: str = ""

    @classmethod
    def parse(cls, text: str) -> Kill:
        """Read a kill as a command line names it: 17, 17+ or 17/4+."""
        steps = tuple(text.split("/"))
        if not all(STEP.fullmatch(one) and one != "0" for one in steps):
            raise UsageError(
                f"--at {text!r} names no step: write 17, 17+ for after all that belongs to step 17, or 17/4 "
                "for a second kill 4 steps after the new start."
            )
        return cls(steps)

    @property
    def text(self) -> str:
        """The kill as ``parse`` reads it."""
        return "/".join(self.steps)

    @property
    def name(self) -> str:
        """The kill as the name of a folder."""
        return f"kill-{'-'.join(self.steps)}"

    @property
    def place(self) -> tuple[int, int, bool]:
        """What kills are put in order by: how many they are, and the first step."""
        return len(self.steps), int(self.steps[0].rstrip("+")), self.steps[0].endswith("+")

    @property
    def words(self) -> str:
        """The kill in words."""
        told = [_describe_step(one) for one in self.steps]
        return f"killed {', then '.join(told)}{f' ({self.why})' if self.why else ''}"


def _describe_step(step: str) -> str:
    if step == "0+":
        return "before step 1"
    return f"after {'all of ' if step.endswith('+') else ''}step {step.rstrip('+')}"


def choose_kills(course: Course, number: int, seed: int) -> list[Kill]:
    """Return so many kills in the order of their steps: the most telling ones, then some by chance."""
    last = course.steps - 1
    chosen: dict[tuple[str, ...], Kill] = {}
    draws = random.Random(seed)
    for kill in (*_name_kills(course), *_draw_kills(last, number, draws)):
        if len(chosen) < number and kill.place[1] <= last:
            chosen.setdefault(kill.steps, kill)
    return sorted(chosen.values(), key=lambda one: one.place)


def _name_kills(course: Course) -> Iterator[Kill]:
    """Yield kills at telling places, the most telling first."""
    ends = sorted({course.last_step_of(turn) for turn in course.turns()} - {NEVER})
    saves = [step for step in course.saves() if 0 < step < course.steps]
    inner = [step for step in saves if step not in ends] or saves or [max(1, course.steps // 2)]
    first_end = ends[0] if ends else course.steps
    early = [step for step in inner if step < first_end] or inner
    later = [step for step in inner if step > first_end] or inner
    gap = saves[1] - saves[0] if len(saves) > 1 else 1
    yield Kill((f"{early[len(early) // 2] + 1}",), "beside a checkpoint" if saves else "")
    yield Kill((f"{later[len(later) // 2] + 1}",), "in a later epoch" if len(ends) > 1 else "")
    yield Kill((f"{first_end}+",), "at the end of an epoch")
    yield Kill((f"{early[0] + 1}", f"{gap + 1}"), "twice")
    yield Kill((f"{early[-1]}+",), "on a checkpoint" if saves else "")
    yield Kill((f"{early[0]}",), "before a checkpoint is made" if saves else "")
    yield Kill(("0+",), "before the first step")
    yield Kill(("1",), "the first step")
    yield Kill((f"{max(1, course.steps // 2)}",), "the middle")
    yield Kill((f"{first_end}",), "the last step of an epoch")
    yield Kill((f"{later[-1] + 1}", f"{gap}+"), "twice, in a later epoch")


def _draw_kills(last: int, number: int, draws: random.Random) -> Iterable[Kill]:
    """Yield kills at steps by chance, some of them twice."""
    for _ in range(4 * number if last > 0 else 0):
        steps = [draws.randint(1, last)]
        if draws.random() < 0.2:  # noqa: PLR2004  (some)
            steps.append(draws.randint(1, last))
        yield Kill(tuple(f"{one}{draws.choice(('', '+'))}" for one in steps), "by chance")
