"""Sizes: whether a target is told, in any way, how many samples there are in a case.

Asked before a run. One that makes a dataset of its own, of whatever size, would seem to lose, repeat and
invent samples in every case. Imports what targets are bound by.
"""

from __future__ import annotations

import inspect

from samplercheck.targets.binding import Binding
from samplercheck.targets.features import INNERS, OF_PARTS
from samplercheck.targets.unusable import advise_on_class
from samplercheck.values.choices import FEATURES
from samplercheck.values.errors import TargetError

TELL = frozenset({"dataset", "length", "case", *FEATURES, *INNERS, *OF_PARTS})
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
UNTOLD = (
    "No parameter of {name} says how many samples there are: it can only use a dataset of its own, in each "
    "case the same.\nName a parameter dataset (or length), and build the sampler or loader of that:\n\n"
    "    def build({taken}):\n        ...  # what {short} does, with this dataset\n"
)


def refuse_unsized(binding: Binding) -> None:
    """Refuse a target that cannot know the size of its dataset; what other names hand on may tell it."""
    parameters = binding.signature.parameters.values()
    is_open = bool(binding.axes) or any(one.kind in VARIADIC for one in parameters)
    if is_open or binding.named & TELL:
        return
    if advice := advise_on_class(binding):
        raise TargetError(advice)
    short = binding.name.rpartition(":")[2]
    taken = ", ".join(["dataset", *binding.parameters])
    raise TargetError(UNTOLD.format(name=binding.name, short=short, taken=taken))
