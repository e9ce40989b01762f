"""Changes: the promises that may be given for others, which is all that inference can say.

Read by the search for a contract. What is weaker than the default stands here only where people
choose it by design, and never what would write off the commonest bugs: lost samples (a subset), ranks
that disagree (shared generators) or do not ask for their place (no sharding), no resuming for what
has a state, or one order for all epochs of what has ``set_epoch``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from samplercheck.laws import (
    batch_size,
    complete,
    disjoint,
    elastic,
    follows_weights,
    reference_order,
    resumes_exactly,
    terminates,
)
from samplercheck.values.contract import Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractChange:
    """Fields of a contract with their values.

    ``families`` are those of the laws that judge by these promises: where none of them is broken
    the change fixes nothing; ``fixes`` are laws that must all be broken before it. ``needs`` are
    parameters that the target must name, ``lacks`` those that it must not, ``kind`` what it must
    be, ``shows`` a law that must have held, and not for want of anything to judge. ``price`` says
    how much it gives up.
    """

    fields: Mapping[str, Any]
    families: tuple[str, ...] = ()
    fixes: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    kind: str = ""
    shows: str = ""
    price: int = 1


PARTITION = ("1", "2", "6", "10")
ORDER = ("3", "4", "5", "10")
EVERY = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "10")

# A plain sampler: it knows no ranks, and a training script seeds all of them alike.
ALONE, WEIGHTED = Contract.single_process().changes(), Contract.weighted().changes()

# Who takes ``shuffle`` owes both orders, but for batches that a rule makes (one label in each).
SHUFFLE = frozenset({"shuffle"})
PLACE = frozenset({"rank", "global_rank", "world_size"})
ENDS = frozenset({terminates.LAW.code})

# Who draws with replacement misses some samples and doubles others; who does one of both does something else.
REPLACED = frozenset({complete.LAW.code, disjoint.LAW.code})
SAMPLED = {"coverage": "sampled"}
WEIGHTS = frozenset({"weights"})
SHARES = follows_weights.LAW.code

WEAKER = (
    ContractChange(fields={"tail_unit": "batch"}, families=PARTITION),
    ContractChange(fields={"tail_unit": "group"}, families=PARTITION, needs=frozenset({"labels"})),
    ContractChange(fields={"tail": "pad"}, families=(*PARTITION, "3")),
    ContractChange(fields={"tail": "drop"}, families=(*PARTITION, "3")),
    ContractChange(fields={"tail": "keep"}, families=PARTITION),
    ContractChange(fields={"tail": "keep", "tail_unit": "batch"}, families=PARTITION),
    ContractChange(fields={"repeats": 2}, families=PARTITION),
    ContractChange(fields={"repeats": 3}, families=PARTITION),
    ContractChange(fields={"repeats": 4}, families=PARTITION),
    ContractChange(fields={"batches": "variable"}, families=PARTITION, kind="batches"),
    ContractChange(fields={"order": "shuffled"}, families=ORDER, lacks=SHUFFLE),
    ContractChange(fields={"order": "sequential"}, families=ORDER, lacks=SHUFFLE),
    ContractChange(fields={"order": "free"}, families=ORDER, lacks=SHUFFLE, price=2),
    ContractChange(fields={"order": "free"}, families=ORDER, kind="batches", price=2),
    ContractChange(fields={"epochs": "advance"}, families=(*ORDER, "7", "8")),
    ContractChange(fields={"epochs": "either"}, families=(*ORDER, "7", "8"), price=2),
    ContractChange(fields={"endless": True, "epochs": "fixed"}, families=EVERY, fixes=ENDS, price=2),
    ContractChange(fields={"endless": True}, families=EVERY, fixes=ENDS, price=2),
    ContractChange(fields={"sharding": "none"}, families=(*PARTITION, "3", "4"), price=2, lacks=PLACE),
    *(
        ContractChange(fields=fields, families=EVERY, fixes=fixes, lacks=PLACE, price=price, shows=shows)
        for fields, price, fixes, shows in (
            ({**ALONE, "order": "shuffled"}, 3, frozenset[str](), ""),
            (ALONE, 4, frozenset[str](), ""),
            (WEIGHTED, 4, REPLACED, SHARES),
        )
    ),
    ContractChange(fields=SAMPLED, families=EVERY, fixes=REPLACED, price=2, shows=SHARES, needs=WEIGHTS),
    ContractChange(fields=SAMPLED, families=EVERY, fixes=REPLACED, price=2, shows=SHARES, lacks=PLACE),
)

STRICTER = (
    ContractChange(fields={"reference": "torch", "layout": "strided"}, shows=reference_order.LAW.code),
    ContractChange(fields={"layout": "strided"}),
    ContractChange(fields={"layout": "contiguous"}),
    ContractChange(fields={"tail_unit": "batch"}, needs=frozenset({"batch_size"}), shows=batch_size.LAW.code),
    ContractChange(
        fields={"resume": "consumed"}, needs=frozenset({"consumed"}), shows=resumes_exactly.LAW.code
    ),
    ContractChange(fields={"elastic": True}, shows=elastic.LAW.code),
)


def is_a_design(contract: Contract) -> bool:
    """Whether people choose such a contract; a bug would write these others, and nothing would be checked."""
    return (
        contract.coverage != "subset"
        and contract.resume != "none"
        and (contract.ambient_rng == "independent" or contract.sharding == "none")
        and (contract.epochs != "fixed" or contract.endless)
    )
