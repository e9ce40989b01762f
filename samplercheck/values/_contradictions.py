"""Contradictions: which promises of a contract exclude each other.

Asked when a contract is made. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.values.contract import Contract


def contradictions(contract: Contract) -> tuple[tuple[bool, str], ...]:
    """Return for each pair of promises that exclude each other whether a contract makes both, and why not."""
    return *_of_fields(contract), *_of_torch(contract)


def _of_fields(contract: Contract) -> tuple[tuple[bool, str], ...]:
    return (
        (
            contract.repeats > 1 and contract.coverage == "sampled",
            'repeats needs coverage="once" or "subset".',
        ),
        (
            contract.frequencies != "weights" and contract.coverage == "once",
            'frequencies need coverage="sampled" or coverage="subset".',
        ),
        (
            contract.repeats_some and (contract.coverage != "sampled" or contract.endless),
            'frequencies="at_least_once" needs coverage="sampled", and epochs that end.',
        ),
        (
            contract.keeps_part and (contract.coverage != "subset" or contract.endless),
            'frequencies="fixed" needs coverage="subset", and epochs that end.',
        ),
        (contract.keeps_part and contract.tail == "drop", 'what is dropped is no "fixed" part.'),
        (contract.keeps_part and contract.cycle > 1, 'a cycle has other parts, and frequencies="fixed" one.'),
        (contract.repeats_some and contract.tail == "drop", 'what is dropped does not come "at_least_once".'),
        (
            contract.cycle > 1 and (contract.coverage != "subset" or contract.endless),
            'a cycle of epochs needs coverage="subset", and epochs that end.',
        ),
        (contract.tail_first and contract.repeats == 1, "tail_first is about samples that are repeated."),
        (contract.top_up and contract.batches == "fixed", 'top_up needs batches="variable".'),
        (contract.empty_batches and contract.batches == "fixed", 'empty_batches need batches="variable".'),
        (contract.shuffles == "share" and contract.sharding == "none", 'a share needs sharding="ranks".'),
        (
            contract.elastic and contract.resume == "none",
            'elastic=True is about resuming, and resume="none".',
        ),
        (
            contract.foreign_state == "refused" and contract.resume in ("none", "consumed"),
            'foreign_state="refused" is about states, and this contract has none.',
        ),
        (contract.layout != "any" and contract.sharding == "none", 'a layout needs sharding="ranks".'),
        (
            contract.replicas > 1 and contract.sharding == "none",
            'replicas share a shard; sharding="none" has none.',
        ),
        (contract.endless and contract.tail == "drop", "an endless target has no tail to drop."),
        (
            contract.endless and contract.advances,
            'an endless pass has no next epoch; where a new iterator goes on, declare after_break="rest".',
        ),
        (
            contract.after_break == "rest" and contract.ambient_rng == "shared",
            'after_break="rest" is compared index for index, and ambient_rng="shared" fixes no order.',
        ),
        (
            contract.after_break == "again" and not contract.advances,
            'after_break="again" is about passes that advance: set_epoch begins an epoch again anyway.',
        ),
        (
            contract.epochs == "fixed" and (contract.cycle > 1 or contract.comes_in_time),
            'a cycle, or what comes "eventually", needs epochs that differ.',
        ),
    )


def _of_torch(contract: Contract) -> tuple[tuple[bool, str], ...]:
    torch = contract.reference == "torch"
    plain = contract.sharding == "ranks" and contract.coverage == "once" and not contract.endless
    return (
        (torch and not plain, 'reference="torch" shares one finite epoch, each sample once.'),
        (
            torch and (contract.tail not in ("auto", "pad", "drop")),
            'reference="torch" never keeps an uneven tail.',
        ),
        (torch and contract.tail_unit == "group", 'reference="torch" knows no groups.'),
        (torch and contract.layout == "contiguous", 'reference="torch" deals out strided.'),
        (torch and contract.repeats > 1, 'reference="torch" yields each sample once.'),
        (torch and contract.advances, 'reference="torch" goes to an epoch by set_epoch.'),
        (torch and contract.shuffles != "dataset", 'reference="torch" shuffles the whole dataset.'),
        (torch and contract.order == "free", 'reference="torch" fixes the order; order="free" does not.'),
    )
