"""The undisturbed job: what it is trained on when nobody kills it, and how much of that it repeats.

Called by ``drill`` before anything is killed. What it says decides where kills are, and what is compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from samplercheck.laws.history import as_undisturbed
from samplercheck.training.assembly import Told, is_trained_on
from samplercheck.training.audit import read_folder, tell_folder
from samplercheck.training.course import Course
from samplercheck.training.drills.trainings import USE_DIR, Training, Trainings
from samplercheck.values.contract import Contract
from samplercheck.values.errors import InputError, UsageError
from samplercheck.values.history import Promise

PROMISES: tuple[Promise, ...] = ("same-order", "once", "numbers")


@dataclass(frozen=True, kw_only=True)
class Undisturbed:
    """What the undisturbed job was trained on, and how far another agrees: a ``promise``, or None."""

    told: dict[str, Told]
    aside: list[str]
    promise: Promise | None
    seconds: float

    @property
    def course(self) -> Course:
        """What the lowest rank did with the loader that most steps were trained on."""
        leads = [one.attempts[-1].lead for one in self.told.values()]
        return max(leads, key=lambda one: one.steps)

    def beside(self, told: Mapping[str, Told], promise: Promise | None) -> dict[str, Told]:
        """Return histories that know this one, to be compared with it."""
        known = {}
        for name, one in told.items():
            usual = self.told[name].history if promise else None
            history = replace(one.history, undisturbed=usual, promise=promise or "numbers")
            known[name] = one._replace(history=history)
        return known


def take_undisturbed(
    trainings: Trainings,
    words: Sequence[str],
    promise: Promise | None,
    contract: Contract,
    length: int | None,
) -> Undisturbed:
    """Run the job to its end, and, where nobody says what it promises, once more."""
    first = _run(trainings, "undisturbed", words)
    told, aside = tell_folder(first.ledger, contract, length)
    usual = Undisturbed(told=told, aside=aside, promise=promise, seconds=first.endings[0].seconds)
    if promise is not None:
        return usual
    second = _run(trainings, "undisturbed-2", words)
    again, _ = tell_folder(second.ledger, contract, length)
    refuse_leak(usual, again)
    return replace(usual, promise=_find_promise(usual, again))


def _run(trainings: Trainings, name: str, words: Sequence[str]) -> Training:
    training = trainings.begin(name)
    ending = training.start(words)
    if not ending.is_good:
        said = "".join(f"\n  {line}" for line in ending.said)
        raise UsageError(
            f"the job {ending.text.partition(':')[0]}, before anything was killed. Let it end well by "
            "itself first:"
            f"{said}"
        )
    try:
        loaders = read_folder(training.ledger)
    except InputError:
        raise UsageError(
            "no DataLoader was watched: none was iterated in a Python process of the command that can import "
            "samplercheck and reads PYTHONPATH. Start the training with the Python that has samplercheck."
        ) from None
    if not any(map(is_trained_on, loaders.values())):
        raise UsageError(
            "no optimizer stepped on a batch, so there is no step to kill the job at. Does it go on from the "
            f"checkpoint of a job that has ended? {USE_DIR}"
        )
    return training


def refuse_leak(usual: Undisturbed, told: Mapping[str, Told]) -> None:
    """Refuse a job that begins with what another training has left behind."""
    for name in usual.told.keys() & told.keys():
        before, course = usual.told[name].attempts[0].lead, told[name].attempts[0].lead
        begins = course.begins_with()
        if begins != before.begins_with() and any(before.steps_at(begins)):
            raise UsageError(
                "the job goes on from the checkpoint of another training, outside of the directory that each "
                f"training has. {USE_DIR}"
            )


def _find_promise(usual: Undisturbed, again: Mapping[str, Told]) -> Promise | None:
    """Return the most that two undisturbed trainings have in common."""
    if again.keys() != usual.told.keys():
        return None
    for promise in PROMISES:
        beside = usual.beside(again, promise).values()
        if not any(list(as_undisturbed.judge(one.history)) for one in beside):
            return promise
    return None
