"""Adapter: what to paste for a target that the kit cannot build as it is.

Called by ``Binding`` when it refuses a parameter, and by the engine where a target raises an exception in
every case. Imports values alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING as UNSET
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from samplercheck.targets.locate import Place
from samplercheck.targets.unusable import advise_on_method, advise_on_unusable

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
SIZED = frozenset({"dataset", "length", "sampler", "batch_sampler", "labels", "lengths", "weights"})
"""What tells a sampler how many samples there are; where all of it lacks, an unknown parameter does."""
SETTINGS = re.compile("c(on)?fi?g|conf|settings|param|arg|opt")
"""Names of parameters that hold settings, and so say nothing of samples."""
SUGGESTED = {
    "num_epochs": "48",
    "max_epochs": "48",
    "total_epochs": "48",
    "chunk_size": "4",
    "block_size": "4",
    "window": "4",
    "window_size": "4",
    "buffer_size": "4",
    "num_buckets": "2",
    "max_tokens": "16",
    "max_length": "16",
    "max_len": "16",
    "shards": "[[one] for one in dataset]",
    "dataset_sizes": "[length // 3, length - length // 3]",
    "dataset_lengths": "[length // 3, length - length // 3]",
}
"""What an adapter may hand in for parameters of a target's own, to begin with."""
NUMBERS = re.compile("difficult|scor|dur|cost|loss|prior|time|num|count")
"""Names of parameters that hold a number of each sample."""
OF_SAMPLES = re.compile("samples|items|records|examples|rows|documents|images|texts|files|paths|urls|data")
"""Names of parameters that hold the samples themselves, though some are nearer to another name."""
CONSUMED = (
    "Parameter {first!r} of {name} has no default. It says where training resumes, and the kit\n"
    "binds it under a contract that says so: --contract resume=consumed, or Contract(resume='consumed').\n"
)
ALIKE = 0.8
TOLD = frozenset({"batch_size", "shuffle", "drop_last", "seed", "rank", "world_size"})
"""What a dataclass of settings may be given of a case, by the names of its fields."""


def advise_on_parameter(
    name: str,
    parameters: Sequence[inspect.Parameter],
    unknown: Sequence[str],
    bound: Sequence[str],
    options: Sequence[str],
    known: Mapping[str, str],
) -> str:
    """Return what to do about the first ``unknown`` parameter of a target, with an adapter to paste.

    ``bound`` and ``options`` are the parameters that have values; ``known`` says what each name that gets
    one means. What an unknown name is likely to mean is passed on, dots stand for all else.
    """
    first = unknown[0]
    if first == "self" and (advice := advise_on_method(name, list(unknown[1:]))):
        return advice
    if known.get(first) == "consumed":
        return CONSUMED.format(first=first, name=name)
    likely = _guess_meanings(unknown, {known[one] for one in bound}, known)
    open_ended = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    ready = {one: SUGGESTED[one] for one in unknown if one in SUGGESTED}
    settings = _list_settings([one for one in parameters if one.name in unknown], known)
    guessed = {one: likely.get(one, settings.get(one, ("...",))[0]) for one in unknown} | ready
    values = {one: one for one in (*bound, *options)} | guessed
    more = [one for name, one in likely.items() if one not in bound and name not in ready]
    told = [one for name, (_, some) in settings.items() if name not in likely for one in some]
    more += [one for one in dict.fromkeys(told) if one in TOLD.difference(map(known.get, bound), more)]
    wanted = re.findall(r"\b(dataset|length)\b", " ".join(ready.values()))
    more += [one for one in dict.fromkeys(wanted) if one not in (*bound, *more)]
    taken = [*sorted(bound), *options, *more] or ["dataset"]
    arguments = ["dataset"] if taken == ["dataset"] and open_ended and not bound else []
    arguments += [_format_argument(one, values[one.name]) for one in parameters if one.name in values]
    guess = f"Did you mean {likely[first]!r}? " if first in likely and first not in ready else ""
    guess += f"It binds {', '.join(dict.fromkeys(known.values()))} and names like these."
    number = ready[first] if ready.get(first, "").isdigit() else "..."
    dots = ", fill in the dots," if "..." in " ".join(values.values()) else ""
    return (
        f"Parameter {first!r} of {name} has no default, and the kit does not bind this name.\n"
        f"{guess}\n"
        f"Either vary it, with axes={{{first!r}: [...]}} or --axis {first}={number}, or paste this adapter"
        f" into a new file check.py{_place(name)}{dots} and run check.py:{_call(name)}:\n\n"
        + _import(name, *(made.partition("(")[0] for made, _ in settings.values()))
        + _function(name, taken, arguments)
    )


def _place(target: str) -> str:
    """Say where the file of an adapter stands, or what it has to import where no line can say that."""
    if not _module(target):
        return f" that imports {_short(target)}"
    place = Place.of(target)
    return f" beside {place.importable}.py" if place.is_file else ""


def _import(target: str, *beside: str) -> str:
    """Return the line that imports a target, and more from its module; nothing where it has no place."""
    module, names = _module(target), dict.fromkeys((_short(target).partition(".")[0], *beside))
    return f"    from {module} import {', '.join(names)}\n\n" if module else ""


def _module(target: str) -> str:
    """Return the name by which the module of a target is imported; nothing where it has none."""
    module = Place.of(target).importable
    return module if "<" not in target and all(part.isidentifier() for part in module.split(".")) else ""


def _list_settings(
    parameters: Sequence[inspect.Parameter], known: Mapping[str, str]
) -> dict[str, tuple[str, list[str]]]:
    """Return of parameters that are dataclasses how one is made, and what the kit has for its fields or dots.

    Fields that have a default and say nothing of a case are left out.
    """
    found = {}
    for parameter in parameters:
        kind = parameter.annotation
        if inspect.isclass(kind) and is_dataclass(kind):
            meanings = {one: known.get(one.name, "") for one in fields(kind) if one.init}
            given = {
                one.name: meaning if meaning in TOLD else "..."
                for one, meaning in meanings.items()
                if meaning in TOLD or (one.default is UNSET and one.default_factory is UNSET)
            }
            made = f"{kind.__name__}({', '.join(map('='.join, given.items()))})"
            found[parameter.name] = made, [*given.values()]
    return found


def _guess_meanings(unknown: Sequence[str], taken: set[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return what unknown parameters are likely to mean, each something else and nothing that is bound.

    Where nothing else tells how many samples there are, the first is taken for it.
    """
    found: dict[str, str] = {}
    for name in unknown:
        near = get_close_matches(name, known, n=1, cutoff=ALIKE)
        meaning = "dataset" if OF_SAMPLES.fullmatch(name) else known[near[0]] if near else ""
        if meaning and meaning not in taken and meaning not in found.values():
            found[name] = meaning
    if not SIZED & {*taken, *found.values()}:
        first = next((one for one in unknown if not SETTINGS.search(one)), "")
        found |= {first: "lengths" if NUMBERS.search(first) else "dataset"} if first else {}
    return found


def _format_argument(parameter: inspect.Parameter, value: str) -> str:
    """Return how the adapter passes one parameter."""
    return value if parameter.kind is inspect.Parameter.POSITIONAL_ONLY else f"{parameter.name}={value}"


def advise_on_exception(binding: Binding, fault: Fault, cases: int) -> str:
    """Return what to do about a target that raises the same in every case, with an adapter to paste."""
    if advice := advise_on_unusable(binding, fault, cases):
        return advice
    lines = [line for line in fault.traceback if line.strip()][-LAST_LINES:]
    where = "".join(f"\n    {line.rstrip()}" for line in "\n".join(lines).splitlines())
    return (
        f"{binding.name} raises {fault.error}: {fault.message}\nbefore it yields anything, in each of "
        f"{cases:,} cases, so that no law can be judged.\n{where}\n\n"
        "Where it needs something that the kit does not hand in, paste an adapter, fill it in, and name it "
        f"as the target:\n\n{_adapter(binding, fault)}"
    )


def _adapter(binding: Binding, fault: Fault) -> str:
    """Return a function that builds the target, and a dataset with what it reads from one."""
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
    return _import(binding.name) + head + _function(binding.name, given or ["dataset"], arguments)


def _function(target: str, taken: list[str], arguments: list[str]) -> str:
    """Return the lines of an adapter, which is called otherwise than its target."""
    head = f"    def {_call(target)}({', '.join(taken)}):\n"
    return f"{head}        return {_short(target)}({', '.join(arguments)})\n"


def _short(target: str) -> str:
    return target.rpartition(":")[2].rpartition("<locals>.")[2]


def _call(target: str) -> str:
    """Return what an adapter is called: otherwise than its target."""
    return "build" if _short(target) != "build" else "adapted"


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
