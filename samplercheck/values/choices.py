"""Choices: the words that the fields of a contract, and a run, may have, as types; presets.

Type checkers read the types, and signatures show them; lists of them are made from the types.
Standard library alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, get_args

Sharding = Literal["ranks", "none"]
Coverage = Literal["once", "subset", "sampled"]
Tail = Literal["auto", "pad", "drop", "keep"]
TailUnit = Literal["sample", "batch", "group"]
Order = Literal["auto", "shuffled", "sequential", "free"]
Layout = Literal["any", "strided", "contiguous"]
Shuffles = Literal["dataset", "chunks", "share"]
Epochs = Literal["set_epoch", "advance", "either", "fixed"]
AfterBreak = Literal["next", "again", "rest"]
Batches = Literal["fixed", "variable"]
Resume = Literal["auto", "state_dict", "none", "consumed"]
AtEnd = Literal["rest", "next"]
ForeignState = Literal["any", "rank_0", "refused"]
AmbientRng = Literal["independent", "shared"]
Frequencies = Literal["weights", "uniform", "at_least_once", "eventually", "fixed", "unjudged"]
FREQUENCIES = get_args(Frequencies)
"""The words for how often samples come; a function may say it, too."""

Preset = Literal["torch", "evaluation", "endless", "weighted", "single_process"]
PRESETS: tuple[str, ...] = get_args(Preset)
"""The ready contracts that take nothing but fields."""
MAY_BE_FUNCTIONS = ("frequencies", "batch_rule", "reference")
"""The fields of a contract that may hold functions, which no file does."""
OWN_FUNCTION = (
    " A function is declared in Python, where the target is: with samplercheck.target(..., contract=...)."
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
FEATURES = ("labels", "lengths", "weights")
"""What each sample has that a target may ask for: parameters, lists of a case, attributes of its dataset."""
SAFE_REFERENCES = (None, "torch")
"""References that lead to no import of a user's module."""

ProfileName = Literal["quick", "standard", "strict", "nightly", "certify"]
WorldName = Literal["simulated", "gloo", "nccl", "attached", "torchrun"]


def name_function(function: Callable[..., Any]) -> str:
    """Return a callable as ``module:qualname``, or as what it says of itself; alike in each process."""
    name = getattr(function, "__qualname__", None) or _ADDRESS.sub("", repr(function))
    return f"{getattr(function, '__module__', '?')}:{name}"
