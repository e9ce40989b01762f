"""Settings: how far a run looks and where, said in several places, of which the first that speaks wins.

Used where a run is put together. Layers come in the order of their weight: command line, environment,
the target's own table, the general table; what none of them says is left to the profile.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from samplercheck.running.config import _values
from samplercheck.values.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Layer = Mapping[str, "Chosen"]

PREFIX = "SAMPLERCHECK_"
SETTINGS: dict[str, Callable[[Any, str], Any]] = {
    "profile": _values.profile,
    "worlds": _values.worlds,
    "seed": _values.number,
    "max-time": _values.seconds,
    "max-cases": _values.number,
    "max-ranks": partial(_values.number, least=1),
    "max-memory": _values.memory,
}
"""The settings with their readers."""
OF_A_TARGET = ("profile", "worlds", "seed", "max-time", "max-cases")
"""Those that the table of one target may say too; the others are about this machine."""
DEFAULTS = {"profile": "standard", "worlds": (), "seed": 0}
NEARLY = 0.8


class Chosen(NamedTuple):
    """A value, and the words that say where it comes from."""

    value: Any
    origin: str


def layer(origin: str, said: Mapping[str, Any]) -> Layer:
    """Return what one place says; None is silence."""
    return {name: Chosen(value, origin) for name, value in said.items() if value is not None}


def settings(given: Mapping[str, Any], where: str) -> Layer:
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
