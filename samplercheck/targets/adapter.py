"""Adapter: what to paste for a target that the kit cannot build as it is.

Called by ``Binding`` when it refuses a parameter, and by the engine where a target raises an exception in
every case. Imports values alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from samplercheck.values.errors import did_you_mean

if TYPE_CHECKING:
    from samplercheck.targets.binding import Binding
    from samplercheck.values.record import Fault

MISSING = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
UNGIVEN = re.compile(r"missing \d+ required [\w-]+ arguments?: (.+)")
DATASET = "IdentityDataset"
LIKELY = {
    "labels": ("label", "target", "class", "group", "y"),
    "lengths": ("length", "len", "size", "num_tokens", "num_frames"),
    "weights": ("weight", "prob"),
}
"""Of which feature an attribute that a sampler reads from its dataset is likely to be."""
LAST_LINES = 4


def advise_on_parameter(
    name: str,
    parameters: Sequence[inspect.Parameter],
    unknown: Sequence[str],
    bound: Sequence[str],
    options: Sequence[str],
    known: Iterable[str],
) -> str:
    """Return what to do about the first ``unknown`` parameter of a target, with an adapter to paste.

    ``bound`` and ``options`` are the parameters that have values, ``known`` the names that get one.
    """
    short, first = name.rpartition(":")[2], unknown[0]
    taken = ", ".join([*sorted(bound), *options]) or "dataset"
    named = [parameter for parameter in parameters if parameter.name in (*bound, *options, *unknown)]
    arguments = [] if bound or options else ["dataset"]
    arguments += [_format_argument(parameter, is_unknown=parameter.name in unknown) for parameter in named]
    return (
        f"Parameter {first!r} of {name} has no default, and the kit does not bind this name.\n"
        f"{did_you_mean(first, known)}\n"
        f"Either vary it, with axes={{{first!r}: [...]}} or --axis {first}=..., "
        "or paste an adapter:\n\n"
        f"    def build({taken}):\n"
        f"        return {short}({', '.join(arguments)})\n"
    )


def _format_argument(parameter: inspect.Parameter, *, is_unknown: bool) -> str:
    """Return how the adapter passes one parameter; dots stand for what its author must fill in."""
    value = "..." if is_unknown else parameter.name
    return value if parameter.kind is inspect.Parameter.POSITIONAL_ONLY else f"{parameter.name}={value}"


def advise_on_exception(binding: Binding, fault: Fault, cases: int) -> str:
    """Return what to do about a target that raises the same in every case, with an adapter to paste."""
    lines = [line for line in fault.traceback if line.strip()][-LAST_LINES:]
    where = "".join(f"\n    {line.rstrip()}" for line in "\n".join(lines).split("\n"))
    return (
        f"{binding.name} raises {fault.error}: {fault.message}\nbefore it yields anything, in each of "
        f"{cases:,} cases, so that no law can be judged.\n{where}\n\n"
        "Where it needs something that the kit does not hand in, paste an adapter, fill it in, and name it "
        f"as the target:\n\n{_adapter(binding, fault)}"
    )


def _adapter(binding: Binding, fault: Fault) -> str:
    """Return a function that builds the target, and a dataset with what it reads from one."""
    short = binding.name.rpartition(":")[2]
    parameters = list(binding.signature.parameters.values())
    given = [*binding.parameters, *binding.axes]
    more = re.findall(r"'(\w+)'", (UNGIVEN.search(fault.message) or ["", ""])[1])
    attribute = _attribute(fault)
    values = {name: name for name in given} | dict.fromkeys(more, "...")
    for name, bound in binding.parameters.items():
        if attribute and bound == "dataset":
            values[name] = f"Adapted({name})"
    positional = {one.name for one in parameters if one.kind is one.POSITIONAL_ONLY}
    arguments = [value if name in positional else f"{name}={value}" for name, value in values.items()]
    head = _dataset(attribute) if attribute else ""
    taken = ", ".join(given) or "dataset"
    return f"{head}    def build({taken}):\n        return {short}({', '.join(arguments)})\n"


def _attribute(fault: Fault) -> str:
    """Return the attribute of a dataset that the kit's own lacks; nothing for another exception."""
    found = MISSING.search(fault.message)
    return found[2] if found and found[1] == DATASET else ""


def _dataset(attribute: str) -> str:
    likely = (one for one, words in LIKELY.items() if any(word in attribute.lower() for word in words))
    feature = next(likely, "")
    value = f"dataset.{feature}" if feature else "...  # what the sampler reads there"
    return (
        "    class Adapted:\n"
        "        def __init__(self, dataset):\n"
        "            self.dataset = dataset\n"
        f"            self.{attribute} = {value}\n\n"
        "        def __len__(self):\n"
        "            return len(self.dataset)\n\n"
        "        def __getitem__(self, index):\n"
        "            return self.dataset[index]\n\n"
    )
