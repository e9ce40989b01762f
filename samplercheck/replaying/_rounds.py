"""Rounds: each subject is run three times, each time in another fresh process.

Subjects of one target share the processes of a round, so that torch is imported three times and not
three times for each; what may hang or crash, or looks back at what ran before it, has its own. Keeps
the clock, imports neither torch nor targets.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from samplercheck.errors import SamplerCheckError
from samplercheck.laws import ALL_LAWS
from samplercheck.replaying._subjects import SIMULATED
from samplercheck.supervision import Interrupts, ask_supervised
from samplercheck.supervision.request import RunRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from samplercheck.replaying._naming import Named
    from samplercheck.replaying._subjects import Subject

__all__ = ["ROUNDS", "Answer", "Trial", "run_rounds"]

ROUNDS = 3
ALONE = frozenset(law.code for law in ALL_LAWS if law.runs_alone)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one run said: its report and the digest of the target's source, or an error."""

    report: dict[str, Any] = field(default_factory=dict)
    source: str = ""
    error: SamplerCheckError | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A subject, with the question that is asked of it in each round, and the world in which it is asked."""

    subject: Subject
    world: str
    question: dict[str, Any]

    @classmethod
    def of(cls, subject: Subject, named: Named, world: str) -> Trial:
        """Return the trial of a target that is named by text."""
        request = RunRequest(
            target=named.target,
            contract=named.contract,
            axes={name: [value] for name, value in subject.case.options},
            profile="quick",
            worlds=(world,),
            select=(subject.law,) if subject.law else (),
            directory=None,
            cases=(subject.case.token,),
        )
        return cls(subject=subject, world=world, question={"request": request.to_dict()})

    @property
    def company(self) -> tuple[str, str]:
        """What trials have in common that may share processes."""
        request = self.question.get("request")
        if request is None:
            return self.world, "call"
        alone = id(self.subject) if self.subject.law in ALONE or not self.subject.law else 0
        return self.world, json.dumps([request["target"], request["contract"], alone], sort_keys=True)


def run_rounds(trials: Sequence[Trial]) -> list[list[Answer]]:
    """Return the answers of all rounds for each trial."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, trial in enumerate(trials):
        groups.setdefault(trial.company, []).append(number)
    answers: list[list[Answer]] = [[] for _ in trials]
    with Interrupts() as interrupts:
        for is_real in (False, True):  # real groups have many processes of their own: one at a time
            chosen = [members for (world, _), members in groups.items() if (world != SIMULATED) == is_real]
            batches = [members for members in chosen for _ in range(ROUNDS)]
            with ThreadPoolExecutor(1 if is_real else ROUNDS) as pool:
                asked = [pool.submit(_ask, [trials[one] for one in batch], interrupts) for batch in batches]
            for batch, future in zip(batches, asked, strict=True):
                for number, answer in zip(batch, future.result(), strict=True):
                    answers[number].append(answer)
    return answers


def _ask(trials: Iterable[Trial], interrupts: Interrupts) -> list[Answer]:
    """Return one round's answers; what ends the process for good is the answer to all its questions."""
    questions = [trial.question for trial in trials]
    if interrupts.count:
        raise KeyboardInterrupt
    try:
        return [_answer(one) for one in ask_supervised(questions, interrupts)]
    except SamplerCheckError as error:
        return [Answer(error=error) for _ in questions]


def _answer(plain: dict[str, Any]) -> Answer:
    if "error" in plain:
        from samplercheck import errors

        name, text = plain["error"]
        return Answer(error=getattr(errors, name, SamplerCheckError)(text))
    if plain["report"]["interrupted"]:
        raise KeyboardInterrupt
    return Answer(report=plain["report"], source=plain["source"])
