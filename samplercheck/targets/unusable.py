"""Unusable: what to do about a target that builds nothing to iterate, needs an object, or knows no length.

Asked before a run, and for the messages of ``adapter``, which knows how targets are called.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

from samplercheck.targets._forwarded import VARIADIC
from samplercheck.targets.features import INNERS, OF_PARTS
from samplercheck.values.choices import FEATURES
from samplercheck.values.errors import TargetError

if TYPE_CHECKING:
    from samplercheck.targets.binding import Binding
    from samplercheck.values.record import Fault

BUILDS = "the sampler, batch sampler, loader or stream of one rank"
UNITERABLE = re.compile(r"'(\w+)' object is (not iterable|a dataset)\b.*")
LOADERS = re.compile(r"(get_)?(train_?)?(data_?)?loader|(get_)?train_dataloader")
"""What a method is called that makes the loader of a training."""
TORCH = "torch.utils.data.dataset.Dataset"
METHOD = (
    "{name} is a method: it needs an object of {owner}. Name a function that makes one, and returns "
    "{builds}:\n\n"
    "    def build(dataset):\n"
    "        made = {owner}(...)\n"
    "        made.dataset = dataset  # in place of the data that {method} reads\n"
    "        return made.{method}({arguments})\n"
)
NOTHING = "{name} returns None, in each of {cases:,} cases: let it return {builds}."
DATASET = (
    "{name} makes a dataset, whose samples are no indices. What is judged is the order in which they are "
    "read: name the sampler, or a function that returns {builds}:\n\n"
    "    def build(dataset, rank, world_size):\n"
    "        return ...  # the sampler or loader that reads {short}, made for this dataset\n"
)
HOLDER = (
    "{name} makes what cannot be iterated. Its method {method} makes a loader: let it read the kit's "
    "dataset, and name this function as the target:\n\n"
    "    def build({taken}):\n"
    "        made = {short}({arguments})\n"
    "        made.dataset = dataset  # in place of the data that {method} reads\n"
    "        return made.{method}()\n"
)
OTHER = (
    "{name} makes what cannot be iterated ({message}), in each of {cases:,} cases. Name a function that "
    "returns {builds}."
)
TELL = frozenset({"dataset", "length", "case", *FEATURES, *INNERS, *OF_PARTS})
UNTOLD = (
    "No parameter of {name} says how many samples there are: it can only use a dataset of its own, in each "
    "case the same.\nName a parameter dataset (or length), and build the sampler or loader of that:\n\n"
    "    def build({taken}):\n        ...  # what {short} does, with this dataset\n"
)


def advise_on_method(name: str, others: list[str]) -> str:
    """Return what to do about a method that is named as a target; nothing for what is none."""
    owner, dot, method = name.rpartition(":")[2].rpartition(".")
    arguments = ", ".join(f"{one}=..." for one in others)
    told = METHOD.format(name=name, owner=owner, method=method, arguments=arguments, builds=BUILDS)
    return told if dot else ""


def advise_on_class(binding: Binding) -> str:
    """Return what to do about a class of which it is known that its objects are not iterated; or nothing."""
    kind = _find_kind(binding.factory)
    return _fill(kind, binding) if kind else ""


def advise_on_unusable(binding: Binding, fault: Fault, cases: int) -> str:
    """Return what to do where what a target makes cannot be iterated; nothing for another exception."""
    found = UNITERABLE.fullmatch(fault.message)
    if found is None or fault.phase != "iter" or any(line.strip() for line in fault.traceback):
        return ""
    kind = DATASET if found[2] == "a dataset" else _find_kind(binding.factory) or OTHER
    return _fill(NOTHING if found[1] == "NoneType" else kind, binding, message=fault.message, cases=cases)


def _fill(text: str, binding: Binding, *, message: str = "", cases: int = 0) -> str:
    given = [*binding.parameters, *binding.axes]
    return text.format(
        name=binding.name,
        short=binding.name.rpartition(":")[2],
        builds=BUILDS,
        cases=cases,
        message=message,
        method=_find_loader(binding.factory),
        taken=", ".join(dict.fromkeys(("dataset", *given))),
        arguments=", ".join(f"{one}={one}" for one in given),
    )


def _find_kind(factory: Any) -> str:
    """Return what to say of a class without ``__iter__`` that is a dataset or makes loaders."""
    if not inspect.isclass(factory) or hasattr(factory, "__iter__"):
        return ""
    if any(f"{one.__module__}.{one.__name__}" == TORCH for one in factory.__mro__):
        return DATASET
    return HOLDER if _find_loader(factory) else ""


def _find_loader(factory: Any) -> str:
    """Return the method of a class that makes the loader of a training, or nothing."""
    return next((name for name in dir(factory) if LOADERS.fullmatch(name)), "")


def refuse_unsized(binding: Binding) -> None:
    """Refuse a target that cannot know the size of its dataset; what other names hand on may tell it.

    One that makes a dataset of its own, of whatever size, would seem to lose, repeat and invent samples.
    """
    parameters = binding.signature.parameters.values()
    is_open = bool(binding.axes) or any(one.kind in VARIADIC for one in parameters)
    if is_open or binding.named & TELL:
        return
    if advice := advise_on_class(binding):
        raise TargetError(advice)
    short = binding.name.rpartition(":")[2]
    taken = ", ".join(["dataset", *binding.parameters])
    raise TargetError(UNTOLD.format(name=binding.name, short=short, taken=taken))
