"""Law SC604: every batch keeps the contract's own rule.

Judged by the engine where the contract has a ``batch_rule`` (docs/rules.md B9), with the features that the
target was given. Empty batches are the business of law no-empty-batch. Imports values and features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from samplercheck.laws._passes import excess, yields_batches
from samplercheck.laws.law import Law, Scope, first_few
from samplercheck.targets.features import feature
from samplercheck.values.batch_rules import READY, at_least, distinct
from samplercheck.values.case import Case
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices

NAMES = ("labels", "lengths", "weights")
CLOSED = "Where batches are closed: the rule is to hold for each, the last one too."
PADDED = "Where batches are closed and padded: the rule is to hold for each, the last one too."
MADE = (
    "What puts samples into one batch, as not the last ones alone break the rule: ask it of the samples "
    "themselves, and not of their places in an order."
)
SINGLE = "What puts samples into one batch: the rule is to hold for each."
FILLED = "What puts samples into one batch, and what fills up the last one: the rule is to hold for each."
"""Of single batches, which are the first ones and the last, where samples come again."""
CHOSEN = (
    "How the labels of a batch are chosen: draws with replacement, as of random.choices, may take one of "
    "them several times, and no other."
)
APART = (
    "How a batch is drawn: all of it at once and without replacement, as by random.sample; a second "
    "draw, or one with replacement, may take again what the first took."
)
ALONE = "Which samples are dealt out: this one breaks the rule in a batch by itself."


class SampleFeatures(Mapping[str, Any]):
    """What a batch rule may ask for, by name: features of a case, and values of the target's own axes."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._known: dict[str, Any] = dict(case.options)

    def __getitem__(self, name: str) -> Any:
        if name not in self._known and name in NAMES:
            self._known[name] = feature(self._case, name)
        return self._known[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"There is no feature and no axis {name!r}.") from None

    def __iter__(self) -> Iterator[str]:
        return iter((*NAMES, *dict(self._case.options)))

    def __len__(self) -> int:
        return len(NAMES) + len(self._case.options)


def applies(scope: Scope) -> bool:
    """Whether the contract has a rule for batches."""
    return scope.contract.batch_rule is not None


def sees(trace: Trace) -> bool:
    """Whether batches of the dataset's own samples were yielded."""
    return yields_batches(trace) and all(epoch.is_in_range for epoch in trace.epochs)


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first batch of each pass that breaks the rule."""
    rule, features = trace.contract.batch_rule, SampleFeatures(trace.case)
    assert callable(rule)
    found, is_last = [], []
    for epoch in trace.epochs:
        for rank, pass_ in zip(epoch.ranks, epoch.passes, strict=True):
            for step, batch in enumerate(pass_.batches()):
                members = batch.tolist()
                if members and not rule(members, features):
                    values = _describe(rule, features, members)
                    found.append(_violation(rank, epoch.number, step, members, values))
                    is_last.append(step == pass_.steps - 1)
                    break
    is_chosen = isinstance(rule, at_least) and trace.contract.coverage == "sampled"
    is_throughout = getattr(rule, "feature", "") != "lengths" and not all(is_last)
    is_single = all(pass_.steps <= 1 for epoch in trace.epochs for pass_ in epoch.passes)
    for one in found:
        hint = one.hint
        if isinstance(rule, distinct):
            hint = APART
        elif hint == CLOSED:
            at_end = _at_end(trace, is_single=is_single)
            hint = CHOSEN if is_chosen else MADE if is_throughout else at_end
        yield replace(one, hint=hint, fault=rule.breach if isinstance(rule, READY) else "")


def _at_end(trace: Trace, *, is_single: bool) -> str:
    """Say where to look for what breaks the rule in last batches: at padding where samples come again."""
    is_padded = any(excess(epoch, trace.owed.repeats).any() for epoch in trace.epochs)
    if is_single:
        return FILLED if is_padded else SINGLE
    return PADDED if is_padded else CLOSED


def _describe(rule: Any, features: SampleFeatures, members: list[int]) -> str:
    """Say what the batch has of the feature that the rule is about, where it says which, and the rule."""
    name = getattr(rule, "feature", "")
    values = f" ({name} {brief([features[name][index] for index in members])})" if name in NAMES else ""
    return f"{values} against {rule}" if isinstance(rule, READY) else values


def _violation(rank: int, epoch: int, step: int, members: list[int], values: str) -> Violation:
    return Violation(
        found=f"rank {rank} yields the batch {brief(members)}{values} in step {step} of epoch {epoch}",
        rank=rank,
        epoch=epoch,
        step=step,
        indices=limit_indices(members),
        hint=ALONE if len(members) == 1 else CLOSED,
    )


LAW = Law(
    code="SC604",
    name="keeps-batch-rule",
    former="batches-as-promised",
    statement="Every batch keeps the contract's batch rule (one label per batch, token budget ...).",
    fault="batches break the declared rule",
    consequence="wrong batches",
    judge=judge,
    applies=applies,
    sees=sees,
    why=(
        "A loss, a kernel or a memory plan relies on what batches have in common. One that mixes tasks, "
        "exceeds its token budget or has a single class trains on something else, or ends in an "
        "out-of-memory error, and mostly at the seams: the last batch, the padding, the sample that does not "
        "fit."
    ),
    fix="Check the rule where batches are closed, for the last one and for repeated samples too.",
    intended="Declare another batch_rule, or none.",
)
