"""Matters: where an argument must make a difference, by what the contract owes.

Read by the causes that say of an argument that nobody asks for it. That is shown only where it must matter:
elsewhere any target yields the same with and without it. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.owed import compute_owed

if TYPE_CHECKING:
    from samplercheck.binding import Binding
    from samplercheck.case import Case

__all__ = ["batch_size_matters", "drop_last_matters", "rank_matters", "seed_matters", "shuffle_matters"]


def rank_matters(binding: Binding, case: Case) -> bool:
    """Whether there is something to deal out, and more than one place to deal it to."""
    return case.length > 0 and compute_owed(case, binding.contract, batched=False).places > 1


def shuffle_matters(binding: Binding, case: Case) -> bool:
    """Whether the argument decides on the order, and there are orders to choose from."""
    return case.length > 1 and binding.contract.order == "auto"


def seed_matters(binding: Binding, case: Case) -> bool:
    """Whether the order is shuffled, and there are orders to choose from."""
    return case.length > 1 and compute_owed(case, binding.contract, batched=False).is_shuffled


def drop_last_matters(binding: Binding, case: Case) -> bool:
    """Whether the argument decides on the tail, and there is one; of samples, or of whole batches."""
    owed = compute_owed(case, binding.contract, batched=False)
    unit = case.batch_size if "batch_size" in binding.named else 1
    return binding.contract.tail == "auto" and owed.appearances % (owed.places * unit) != 0


def batch_size_matters(binding: Binding, case: Case) -> bool:
    """Whether some place fills more than one batch."""
    owed = compute_owed(case, binding.contract, batched=False)
    return owed.appearances > owed.places * case.batch_size
