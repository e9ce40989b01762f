"""What is said of epochs that are all alike: where the epoch is to come into the order.

Read by law SC301. Imports values alone.
"""

from __future__ import annotations

from samplercheck.values.trace import Trace

ENDINGS = {
    "set_epoch": "whatever epoch was set",
    "advance": "although every pass is a new epoch",
    "either": "although every pass is a new epoch, by set_epoch or without it",
}
HINTS = {
    "set_epoch": (
        "whether set_epoch reaches the generator that shuffles: seed it with seed + epoch, and in a wrapper "
        "pass set_epoch on"
    ),
    "advance": "what seeds the shuffle: give it a count of passes, or a generator of the object's own",
    "either": "what seeds the shuffle: seed + epoch, which set_epoch sets and each finished pass counts up",
}
NOWHERE = (
    "what names the epoch, as there is no set_epoch for a training loop: add it, and make the order from it "
    "and the seed, or pass it on to the sampler that is wrapped"
)
GIVEN = "what becomes of the argument epoch: it belongs in the order, or in set_epoch of the sampler inside"


def hint_at_epoch(trace: Trace) -> str:
    """Say where the epoch is to come into the order: by set_epoch, an argument, or a count of passes."""
    epochs = trace.contract.epochs
    if epochs != "set_epoch":
        return HINTS[epochs]
    is_built_again = trace.of("epochs")[0].notes.get("built_for_epochs", False)
    return GIVEN if is_built_again else NOWHERE if _lacks_set_epoch(trace) else HINTS[epochs]


def _lacks_set_epoch(trace: Trace) -> bool:
    """Whether the target was seen to have no set_epoch."""
    return not trace.of("epochs")[0].notes.get("has_set_epoch", True)
