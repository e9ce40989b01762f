"""Since when: what is said of a law that only cases of more epochs than small ones have break.

Asked by what finds regions.
"""

from __future__ import annotations

from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._recurring import come_in_turns
from samplercheck.explain.conditions import Fails
from samplercheck.explain.words import IN_A_ROW, IN_SOME_ORDERS
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case
from samplercheck.values.owed import MANY_EPOCHS, MANY_SAMPLES

MOST_LONGER, MANY_SEEDS = 60, 24


def takes_longer(inquiry: Inquiry) -> bool:
    """Whether a law is broken only in cases of more epochs than small ones have."""
    few, first = inquiry.search.ledger.small[0].epochs, inquiry.smallest.case
    return not inquiry.page.failing and first.length < MANY_SAMPLES and first.epochs > few


def look_since(inquiry: Inquiry, fails: Fails) -> tuple[str, list[tuple[Case, bool]]]:
    """Return before which epoch the law was not broken, or that it is a matter of orders, and cases."""
    if _is_by_order(inquiry, fails):
        return IN_SOME_ORDERS.format(inquiry.example.violations[0].epoch), []
    told = [(case, said) for case in _with_more_epochs(inquiry) if (said := fails(case)) is not None]
    return _say_since(inquiry), told


def _is_by_order(inquiry: Inquiry, fails: Fails) -> bool:
    """Whether other seeds break the law in as few epochs as small cases have: it is no matter of epochs."""
    few, case = inquiry.search.ledger.small[0].epochs, inquiry.smallest.case
    shown = inquiry.example.violations[0]
    if "seed" not in inquiry.search.binding.named or shown.chance or shown.epoch is None:
        return False
    return any(fails(case.but(seed=case.seed + more, epochs=few)) for more in range(1, MANY_SEEDS))


def _say_since(inquiry: Inquiry) -> str:
    """Say before which epoch a law was not broken; empty where it takes another experiment and no epoch."""
    # Which of few orders are alike may be luck in the smallest case.
    shown = inquiry.example.violations[0]
    epoch = shown.epoch
    if shown.chance:  # it is so in all epochs, of which it takes many to rule luck out
        is_told = shown.evidence.kind == "recurs" and come_in_turns(shown.evidence.passes[:MANY_EPOCHS])
        return _say_epoch(epoch) if is_told and epoch is not None else ""
    if epoch is None or epoch < inquiry.search.ledger.small[0].epochs:
        least = inquiry.smallest.case.epochs - 1
        return f"not before epoch {least}" if least < MANY_EPOCHS - 1 else ""
    return _say_epoch(epoch)


def _say_epoch(epoch: int) -> str:
    """Say that a law is broken in no earlier epoch, as far as epochs were looked at in a row."""
    return IN_A_ROW.format(MANY_EPOCHS, epoch) if epoch > MANY_EPOCHS else f"not before epoch {epoch}"


def _with_more_epochs(inquiry: Inquiry) -> list[Case]:
    """Return small cases of more epochs where nothing but these sets the smallest that fails apart."""
    small = inquiry.search.ledger.small
    if inquiry.search.uses_collectives or inquiry.search.is_of_loaders:
        return []
    case, is_luck = inquiry.smallest.case, inquiry.smallest.violations[0].chance > 0
    is_small = all(
        getattr(case, size) <= max(getattr(one, size) for one in small)
        for size in ("length", "world_size", "batch_size")
    )
    if is_luck or not is_small:
        return []
    most = MOST_LONGER * MANY_EPOCHS // max(MANY_EPOCHS, case.epochs)
    return [one.but(epochs=case.epochs) for one in thin_out(small, most)]
