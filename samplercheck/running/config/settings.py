"""Settings: how far a run looks and where, said in several places, of which the first that speaks wins.

Used where a run is put together. Layers come in the order of their weight: command line, environment,
the target's own table, the general table; what none of them says is left to the profile. Readers take a
value and the words that say where it stands; one that means nothing is an error that names its place.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any, NamedTuple

from samplercheck.search.profiles import PROFILES
from samplercheck.values.errors import UsageError, did_you_mean
from samplercheck.values.shard import HOW, is_shard, parse_shard
from samplercheck.worlds import OTHER_NAMES, WORLDS

PREFIX = "SAMPLERCHECK_"
OF_A_TARGET = ("profile", "worlds", "seed", "max-time", "max-cases", "strict")
"""The settings that the table of one target may say too; the others are about this machine."""
DEFAULTS = {"profile": "standard", "worlds": (), "seed": 0, "strict": False, "jobs": 1}
NEARLY = 0.8
MOST_JOBS = 1_024
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)


# Readers


def check_keys(given: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuse a key that does not exist; nothing that was written may be without effect."""
    words = list(known)
    for key in given:
        if key not in words:
            raise UsageError(f"{where}: key {key!r} does not exist. {did_you_mean(key, words)}")


def table(value: Any, where: str) -> dict[str, Any]:
    """Return a table."""
    if not isinstance(value, dict):
        raise UsageError(f"{where} is {value!r} and has to be a table: write [{where}] and its keys below.")
    return value


def read_profile(value: Any, where: str) -> str:
    """Return the name of a profile."""
    return _choice(value, PROFILES, where, "profile")


def read_worlds(value: Any, where: str) -> tuple[str, ...]:
    """Return names of worlds; "auto" leaves the choice to the profile."""
    return tuple(
        _choice(name, ("auto", *WORLDS, *OTHER_NAMES), where, "world") for name in texts(value, where)
    )


def _choice(value: Any, known: Iterable[str], where: str, what: str) -> str:
    words = list(known)
    if value not in words:
        raise UsageError(f"{where}: there is no {what} {value!r}. {did_you_mean(str(value), words)}")
    return str(value)


def texts(value: Any, where: str) -> tuple[str, ...]:
    """Return one text or several."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list) or not all(isinstance(one, str) and one.strip() for one in several):
        raise UsageError(f'{where} is {value!r} and has to be text or a list of it, as in ["SC1", "SC402"].')
    return tuple(one.strip() for one in several)


def read_number(value: Any, where: str, *, least: int = 0) -> int:
    """Return a whole number."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UsageError(f"{where} is {value!r} and has to be a whole number from {least} up.")
    return value


def read_seconds(value: Any, where: str) -> float:
    """Return a time."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise UsageError(f"{where} is {value!r} and has to be a number of seconds, as in 30.")
    return float(value)


def read_memory(value: Any, where: str) -> int:
    """Return a number of bytes."""
    try:
        return memory_from(str(value))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def read_shard(value: Any, where: str) -> str:
    """Return which part of the cases: "2/4", "auto" or "auto/4", which variables complete."""
    if not isinstance(value, str) or not is_shard(value):
        raise UsageError(f"{where} is {value!r} and has to name a shard: {HOW}.")
    return value.strip()


def read_jobs(value: Any, where: str) -> int | str:
    """Return a number of processes, or "auto" for as many as there are processors."""
    text = str(value).strip()
    if text != "auto" and not (text.isdecimal() and 1 <= int(text) <= MOST_JOBS):
        raise UsageError(f"{where} is {value!r} and has to be a number from 1 to {MOST_JOBS}, or auto.")
    return text if text == "auto" else int(text)


def count_jobs(asked: int | str) -> int:
    """Return how many processes are asked for; "auto" is one for each processor that this one may use."""
    if isinstance(asked, int):
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_flag(value: Any, where: str) -> bool:
    """Return yes or no; the environment says 1 or 0 as well."""
    said = {"true": True, "1": True, "false": False, "0": False}
    if str(value).lower() not in said:
        raise UsageError(f"{where} is {value!r} and has to be true or false.")
    return said[str(value).lower()]


def memory_from(text: str) -> int:
    """Return a number of bytes, given as 512M, 2G or 1.5GiB; K is 1,024."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * UNITS[match[2].upper()]) if match else 0
    if not size:
        raise UsageError(f"Size {text!r} is no amount of memory: write a number and a unit, as in 512M.")
    return size


SETTINGS: dict[str, Callable[[Any, str], Any]] = {
    "profile": read_profile,
    "worlds": read_worlds,
    "seed": read_number,
    "max-time": read_seconds,
    "max-cases": read_number,
    "max-ranks": partial(read_number, least=1),
    "max-memory": read_memory,
    "shard": read_shard,
    "jobs": read_jobs,
    "strict": read_flag,
}
"""The settings with their readers."""


class Chosen(NamedTuple):
    """A value, and the words that say where it comes from."""

    value: Any
    origin: str


Layer = Mapping[str, Chosen]
"""What one place says of settings, by their names."""


def layer(origin: str, said: Mapping[str, Any]) -> Layer:
    """Return what one place says; None is silence."""
    return {name: Chosen(value, origin) for name, value in said.items() if value is not None}


def read_settings(given: Mapping[str, Any], where: str) -> Layer:
    """Return the settings that a table of pyproject.toml says."""
    read = {name: SETTINGS[name](given[name], f"{where}: {name}") for name in SETTINGS if name in given}
    return layer(f"[{where}]", read)


def environment(variables: Mapping[str, str]) -> Layer:
    """Return the settings that the environment says, as in SAMPLERCHECK_MAX_TIME=30.

    A variable that is nearly one of these is an error; others may be the user's own.
    """
    names = {PREFIX + name.upper().replace("-", "_"): name for name in SETTINGS}
    found: dict[str, Chosen] = {}
    for variable, text in variables.items():
        if variable in names and text.strip():
            name = names[variable]
            found[name] = Chosen(SETTINGS[name](_plain(text, name), variable), variable)
        elif variable.startswith(PREFIX) and variable not in names:
            _check_spelling(variable, [one.removeprefix(PREFIX) for one in names])
    return found


def _check_spelling(variable: str, known: list[str]) -> None:
    near = get_close_matches(variable.removeprefix(PREFIX), known, n=1, cutoff=NEARLY)
    if near:
        variables = [PREFIX + one for one in known]
        raise UsageError(
            f"The environment sets {variable}, which says nothing. {did_you_mean(variable, variables)}"
        )


def _plain(text: str, name: str) -> Any:
    """Read text as TOML would: numbers are numbers; worlds are separated by commas."""
    if name == "worlds":
        return [one for one in text.split(",") if one.strip()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


def effective(*layers: Layer) -> dict[str, Chosen]:
    """Return what holds of each setting: the first layer that says it, or the default."""
    return {
        name: next((one[name] for one in layers if name in one), Chosen(DEFAULTS.get(name), "default"))
        for name in SETTINGS
    }


def plan_fields(chosen: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a plan that settings decide; ``variables`` may say which shard this is."""
    own = {name.replace("-", "_"): chosen[name] for name in OF_A_TARGET}
    shard = parse_shard(chosen["shard"], variables) if chosen["shard"] else None
    return {**own, "worlds": tuple(chosen["worlds"]), "shard": shard}


def world_settings(chosen: Mapping[str, Any]) -> dict[str, int]:
    """Return what settings say of process groups on this machine."""
    said = {"max_ranks": chosen["max-ranks"], "memory": chosen["max-memory"]}
    return {name: value for name, value in said.items() if value is not None}
