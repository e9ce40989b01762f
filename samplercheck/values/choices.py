"""Choices: the words that the fields of a contract, and a run, may have, as types and as lists; presets.

Type checkers read the types, and signatures show them; the lists are made of them.
Standard library alone.
"""

from __future__ import annotations

from typing import Literal, get_args

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
ForeignState = Literal["any", "refused"]
AmbientRng = Literal["independent", "shared"]
FREQUENCIES = ("weights", "uniform", "at_least_once", "eventually", "fixed", "unjudged")
"""The words for how often samples come; a function may say it, too."""

Preset = Literal["torch", "evaluation", "endless", "weighted", "single_process"]
PRESETS: tuple[str, ...] = get_args(Preset)
"""The ready contracts that take nothing but fields."""
MAY_BE_FUNCTIONS = ("frequencies", "batch_rule", "reference")
"""The fields of a contract that may hold functions, which no file does."""
SAFE_REFERENCES = (None, "torch")
"""References that lead to no import of a user's module."""

ProfileName = Literal["quick", "standard", "strict", "nightly", "certify"]
WorldName = Literal["simulated", "gloo", "nccl", "attached", "torchrun"]

CHOICES: dict[str, tuple[str, ...]] = {
    "sharding": get_args(Sharding),
    "coverage": get_args(Coverage),
    "tail": get_args(Tail),
    "tail_unit": get_args(TailUnit),
    "order": get_args(Order),
    "layout": get_args(Layout),
    "shuffles": get_args(Shuffles),
    "epochs": get_args(Epochs),
    "after_break": get_args(AfterBreak),
    "batches": get_args(Batches),
    "resume": get_args(Resume),
    "at_end": get_args(AtEnd),
    "foreign_state": get_args(ForeignState),
    "ambient_rng": get_args(AmbientRng),
}
