"""Unjudged: what no law looks at under a contract, and why; the rest of "not tried" is about the run.

Called at the end of a run. Imports laws and values.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.engine._probe import ONE_ORDER
from samplercheck.laws import follows_weights
from samplercheck.laws.law import Scope, begins_with_a_lap, draws_apart, has_laps, is_dealt_in_turn
from samplercheck.targets.features import INNERS
from samplercheck.values.owed import draws_by_seeds
from samplercheck.values.wording import UNSEEDED

LATER = "endless passes behind their first lap: whether each later lap holds all samples"
EVER = "endless passes behind their first lap: whether all samples come again (SC102)"
BEGINNING = "whether endless passes begin with each sample once (SC103): some may be held back for later laps"
SHARING = 'whether ranks share one endless walk (SC103): only layout="strided" says who takes what of it'
DRAWING = 'whether ranks draw alike (SC103): there is one draw under epochs="fixed", which luck could explain'
HOW_OFTEN = 'how often samples come (SC1001): there is one draw under epochs="fixed", and no other seed'
ONE_DRAW = "how often samples come (SC1001), but for weight 0: all passes of a first look are one draw"
LEFT_OUT = (
    "which samples a subset leaves out in every epoch, and how often others come (SC1001): "
    'frequencies="uniform", "eventually", "fixed" or a function promises it, cycle=k of k epochs together'
)
ORDER = (
    'whether epochs are shuffled, each in another way (SC301, SC305, SC306, SC1002): order="free" promises '
    'nothing of it, order="shuffled" does'
)
STANDS = (
    "whether epochs are shuffled (SC301): those of a first look have one order, which is not the dataset's; "
    'order="shuffled" demands that they differ'
)
MIXING = (
    "whether all orders are equally likely, and batches and ranks are mixed (SC305, SC306, SC1002): "
    'shuffles="chunks" promises nothing of it'
)
SAME_SHARES = (
    'whether a rank gets the same samples in every epoch, as shuffles="share" has it: no law asks for that'
)
NEVER_SET = (
    'epochs that are set: the contract says epochs="{}", so the set_epoch of the target was never called '
    '(epochs="set_epoch" or "either" calls it)'
)
ALIKE = (
    'whether ranks share the data (SC104, SC401): sharding="none" means that each goes through all of it, '
    "alike or in an order of its own"
)
DRAWN_ALIKE = (
    'whether ranks draw the same samples (SC103): sharding="none" lets them, coverage="sampled" without it '
    "does not"
)
UNTRIED_INNER = (
    f"{UNSEEDED}, as RandomSampler does: unless ranks seed alike, they may overlap and lose samples"
)


def _list_unjudged_laps(scope: Scope) -> Iterator[str]:
    """Yield what no law looks at in endless passes."""
    contract, by_batch = scope.contract, scope.kind == "batches" or scope.may_group
    if by_batch or contract.order == "free" or not is_dealt_in_turn(contract):
        yield LATER if has_laps(contract) else EVER
    if not begins_with_a_lap(scope):
        yield BEGINNING
    if contract.sharding == "ranks" and not is_dealt_in_turn(contract):
        yield SHARING


def _list_unjudged_draws(scope: Scope) -> Iterator[str]:
    """Yield what one draw, or one for each rank, says nothing of."""
    contract = scope.contract
    if contract.coverage == "sampled" and contract.sharding == "ranks" and not draws_apart(contract):
        yield DRAWING
    if contract.promises_frequencies and not follows_weights.applies(scope):
        yield HOW_OFTEN
    elif contract.promises_frequencies and contract.coverage == "sampled" and ONE_ORDER in scope.traits:
        yield from () if draws_by_seeds(contract, scope.named) else (ONE_DRAW,)


def list_unjudged(scope: Scope) -> Iterator[str]:
    """Yield what no law looks at under this contract, and why."""
    contract = scope.contract
    ranks = contract.sharding == "ranks"
    if contract.endless and contract.coverage == "once":
        yield from _list_unjudged_laps(scope)
    promises = contract.promises_frequencies or contract.keeps_part or contract.cycle > 1
    if contract.coverage == "subset" and not promises:
        yield LEFT_OUT
    yield from _list_unjudged_draws(scope)
    if not ranks and {"rank", "world_size"} & scope.named:
        yield DRAWN_ALIKE if contract.coverage == "sampled" else ALIKE
    if "set_epoch" in scope.traits and not contract.sets_epochs:
        yield NEVER_SET.format(contract.epochs)
    if ranks and scope.named & set(INNERS):
        yield UNTRIED_INNER
    if contract.order == "free" and contract.epochs != "fixed":
        yield STANDS if ONE_ORDER in scope.traits and not scope.may_group else ORDER
    if contract.shuffles == "chunks" and scope.can_shuffle:
        yield MIXING
    if contract.shuffles == "share":
        yield SAME_SHARES
