"""Changes: what is stricter than a contract that holds, and which contracts people choose by design.

Read by the search for a contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from samplercheck.laws import batch_size, complete, disjoint, elastic, reference_order, resumes_exactly
from samplercheck.values.choices import FEATURES
from samplercheck.values.contract import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChange:
    """Fields of a contract with their values, which promise more.

    ``needs`` are parameters that the target must name, ``shows`` a law that must have held, and not for want
    of anything to judge; before that one that it ``supposes``.
    """

    fields: Mapping[str, Any]
    needs: frozenset[str] = frozenset()
    shows: str = ""
    supposes: str = ""


# Who draws with replacement misses some samples and doubles others; who does one of both does something else.
REPLACED = frozenset({complete.LAW.code, disjoint.LAW.code})

PLACE = frozenset({"rank", "global_rank", "world_size"})
SAYS_HOW_OFTEN = frozenset({*FEATURES, "datasets", "shares", "dataset"})

STRICTER = (
    ContractChange(fields={"reference": "torch", "layout": "strided"}, shows=reference_order.LAW.code),
    ContractChange(fields={"layout": "strided"}),
    ContractChange(fields={"layout": "contiguous"}),
    ContractChange(fields={"tail_unit": "batch"}, needs=frozenset({"batch_size"}), shows=batch_size.LAW.code),
    ContractChange(
        fields={"resume": "consumed"}, needs=frozenset({"consumed"}), shows=resumes_exactly.LAW.code
    ),
    ContractChange(fields={"elastic": True}, shows=elastic.LAW.code, supposes=resumes_exactly.LAW.code),
)


def is_a_design(contract: Contract, named: AbstractSet[str]) -> bool:
    """Whether people choose such a contract for a target that names these parameters.

    A bug leaves one part of the dataset in all epochs, and draws what is dealt out to ranks with replacement
    where nothing says how often samples come.
    """
    if contract.coverage == "sampled":
        return contract.frequencies != "weights" or not named & PLACE or bool(named & SAYS_HOW_OFTEN)
    others = contract.comes_in_time or contract.repeats > 1 or contract.tail_unit == "batch"
    return contract.coverage != "subset" or others
