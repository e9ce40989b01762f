"""Contradictions: which promises of a contract exclude each other.

Asked when a contract is made. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.values.contract import Contract

STATELESS = ("none", "consumed")


def contradictions(contract: Contract) -> dict[str, bool]:
    """Return why promises exclude each other, pair by pair, and whether a contract makes both."""
    tables = (_of_coverage, _of_dealing, _of_epochs, _of_resuming, _of_torch)
    return {reason: broken for table in tables for reason, broken in table(contract).items()}


def _of_coverage(contract: Contract) -> dict[str, bool]:
    sampled, drops, cycles = contract.coverage == "sampled", contract.tail == "drop", contract.cycle > 1
    subset_ends = contract.coverage == "subset" and not contract.endless
    return {
        'repeats needs coverage="once" or "subset".': contract.repeats > 1 and sampled,
        'frequencies need coverage="sampled" or coverage="subset".': (
            contract.frequencies != "weights" and contract.coverage == "once"
        ),
        'frequencies="at_least_once" needs coverage="sampled", and epochs that end.': (
            contract.repeats_some and (not sampled or contract.endless)
        ),
        'frequencies="fixed" needs coverage="subset", and epochs that end.': (
            contract.keeps_part and not subset_ends
        ),
        'a cycle has other parts, and frequencies="fixed" one.': contract.keeps_part and cycles,
        'what is dropped does not come "at_least_once".': contract.repeats_some and drops,
        'a cycle of epochs needs coverage="subset", and epochs that end.': cycles and not subset_ends,
    }


def _of_dealing(contract: Contract) -> dict[str, bool]:
    alone, fixed = contract.sharding == "none", contract.batches == "fixed"
    return {
        "tail_first is about samples that are repeated.": contract.tail_first and contract.repeats == 1,
        'top_up needs batches="variable".': contract.top_up and fixed,
        'empty_batches need batches="variable".': contract.empty_batches and fixed,
        'even_steps=False keeps what is uneven: declare sharding="ranks" and tail="keep".': (
            not contract.even_steps and (alone or (contract.coverage == "once" and contract.tail != "keep"))
        ),
        'a share needs sharding="ranks".': contract.shuffles == "share" and alone,
        'a layout needs sharding="ranks".': contract.layout != "any" and alone,
        'replicas share a shard; sharding="none" has none.': contract.replicas > 1 and alone,
    }


def _of_epochs(contract: Contract) -> dict[str, bool]:
    return {
        "an endless target has no tail to drop.": contract.endless and contract.tail == "drop",
        'an endless pass has no next epoch; where a new iterator goes on, declare after_break="rest".': (
            contract.endless and contract.advances
        ),
        'after_break="rest" is compared index for index, and ambient_rng="shared" fixes no order.': (
            contract.after_break == "rest" and contract.ambient_rng == "shared"
        ),
        'after_break="again" is about passes that advance: set_epoch begins an epoch again anyway.': (
            contract.after_break == "again" and not contract.advances
        ),
        'a cycle, or what comes "eventually", needs epochs that differ.': (
            contract.epochs == "fixed" and (contract.cycle > 1 or contract.comes_in_time)
        ),
    }


def _of_resuming(contract: Contract) -> dict[str, bool]:
    return {
        'elastic=True is about resuming, and resume="none".': contract.elastic and contract.resume == "none",
        'at_end="next" is about states of epochs that end, and this contract has none.': (
            contract.at_end == "next" and (contract.resume in STATELESS or contract.endless)
        ),
        'after_break="rest" is one walk, in which an epoch has no end.': (
            contract.at_end == "next" and contract.after_break == "rest"
        ),
        f'foreign_state="{contract.foreign_state}" is about states, and this contract has none.': (
            contract.foreign_state != "any" and contract.resume in STATELESS
        ),
    }


def _of_torch(contract: Contract) -> dict[str, bool]:
    plain = contract.sharding == "ranks" and contract.coverage == "once" and not contract.endless
    others = {
        'reference="torch" shares one finite epoch, each sample once.': not plain,
        'reference="torch" never keeps an uneven tail.': contract.tail not in ("auto", "pad", "drop"),
        'reference="torch" knows no groups.': contract.tail_unit == "group",
        'reference="torch" deals out strided.': contract.layout == "contiguous",
        'reference="torch" yields each sample once.': contract.repeats > 1,
        'reference="torch" goes to an epoch by set_epoch.': contract.advances,
        'reference="torch" shuffles the whole dataset.': contract.shuffles != "dataset",
        'reference="torch" fixes the order; order="free" does not.': contract.order == "free",
    }
    return others if contract.reference == "torch" else {}
