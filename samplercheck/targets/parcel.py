"""Parcels: how a target, and whatever belongs to it, travels to another process.

Made where the run is called for and opened where it takes place: in the supervised child and in the
ranks of process groups. What another process can import travels by its name, everything else by
value, so that lambdas, factories of a test and notebooks travel. Imports no torch.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samplercheck.targets._pickler import dump, find_culprit
from samplercheck.targets.binding import Binding
from samplercheck.targets.locate import load_file
from samplercheck.values.errors import TargetError

LONGEST = 200


def pack(binding: Binding) -> bytes:
    """Return the parcel of a bound target; what cannot travel is named in a ``TargetError``.

    Of the axes only the names go along: their values travel as options of the cases.
    """
    return seal(binding.name, _content(binding))


def pack_named(binding: Binding) -> tuple[str, bytes]:
    """Return the name that a bound target has among parcels, and its parcel."""
    parcel = pack(binding)
    return hashlib.sha256(parcel).hexdigest(), parcel


def unpack(parcel: bytes) -> Binding:
    """Return the bound target of a parcel; a ``TargetError`` if it cannot be rebuilt in this process."""
    return _rebuild(open_parcel(parcel))


def seal(name: str, things: Mapping[str, Any]) -> bytes:
    """Return the parcel of ``things``, each known to its reader by its key; ``name`` says whose they are."""
    try:
        data, files = dump(dict(things))
    except Exception as error:  # noqa: BLE001  (whatever a user's object raises when pickled)
        raise TargetError(_complaint(name, things, error)) from None
    path = [str(Path(folder).absolute()) for folder in sys.path]  # "" is a directory that may change
    return pickle.dumps({"name": name, "path": path, "files": files, "data": data})


def open_parcel(parcel: bytes) -> dict[str, Any]:
    """Return the things of a parcel; imports the modules that they come from."""
    outside = pickle.loads(parcel)
    # In the sender's order, so that of two modules with one name the same is found.
    sys.path[:] = [*outside["path"], *(folder for folder in sys.path if folder not in outside["path"])]
    for file in outside["files"]:
        load_file(Path(file))
    try:
        things: dict[str, Any] = pickle.loads(outside["data"])
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  (whatever a user's module raises when imported)
        raise TargetError(
            f"{outside['name']} cannot be rebuilt in another process ({_brief(error)}): "
            "define it in a module that can be imported there, and build what it holds inside the factory."
        ) from None
    return things


def _content(binding: Binding) -> dict[str, Any]:
    return {
        "factory": binding.factory,
        "contract": binding.contract,
        "axes": dict.fromkeys(binding.axes, ()),
        "name": binding.name,
        "saved": binding.saved,
        "reference": None if binding.reference is None else _content(binding.reference),
    }


def _rebuild(content: dict[str, Any]) -> Binding:
    reference, saved = content.pop("reference"), content.pop("saved")
    binding = Binding(**content)
    binding.saved = saved
    binding.reference = None if reference is None else _rebuild(reference)
    return binding


def _complaint(name: str, things: Mapping[str, Any], error: Exception) -> str:
    steps, value, reason = find_culprit(things, error)
    kind = type(value)
    known_as = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    return (
        f"{name} cannot travel to another process: its {', '.join(steps)}, is a {known_as} "
        f"({_brief(reason)}). Make it inside the factory, so that every process has its own, "
        "or name a factory of a module that can be imported."
    )


def _brief(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:LONGEST]
