"""The reference sampler ``"torch"``: DistributedSampler, told what the contract owes.

Built like a target inside a rank; imports torch only when asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.owed import owed_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.case import Case
    from samplercheck.contract import Contract

__all__ = ["torch_reference"]


def torch_reference(contract: Contract) -> Callable[..., Any]:
    """Return the factory of torch's own sampler under a contract.

    Shuffling and dropping follow what is owed, so that a target which names neither is compared
    with the sampler that its contract describes.
    """
    from torch.utils.data import DistributedSampler

    def build(dataset: Any, dp_rank: int, dp_size: int, case: Case) -> Any:
        owed = owed_in(case, contract, batched=False)
        return DistributedSampler(
            dataset,
            num_replicas=dp_size,
            rank=dp_rank,
            shuffle=owed.is_shuffled,
            seed=case.seed,
            drop_last=owed.tail == "drop",
        )

    return build
