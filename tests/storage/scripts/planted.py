"""Each sound sampler, alone and with each fault that certificates plant, as attributes of this module.

``sound_NAME`` is one of ``tests.sound.samplers``, ``KIND_NAME`` the same behind a mutant of that kind.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import samplercheck as sc
from samplercheck.certifying.faults import KNOWN_FAULTS, STREAMS
from samplercheck.certifying.faults.mutant import MutantFactory
from tests.sound.samplers import SOUND

__all__ = ["PROMISES", "kind_for"]

FACTORIES = {name: factory for name, factory, _, _ in SOUND}
PROMISES = {name: (sc.Contract(**contract), axes) for name, _, contract, axes in SOUND}
KINDS = {kind.__name__: kind for kind in (*(fault.kind for fault in KNOWN_FAULTS), *STREAMS.values())}


def kind_for(kind: type, *, is_stream: bool) -> str:
    """Return the name of a mutant's kind; that of a stream has to be one."""
    return (STREAMS.get(kind, kind) if is_stream else kind).__name__


@cache
def __getattr__(text: str) -> Any:
    kind, _, name = text.partition("_")
    if name not in FACTORIES or kind not in {"sound", *KINDS}:
        raise AttributeError(text)
    if kind == "sound":
        return FACTORIES[name]
    contract, axes = PROMISES[name]
    return MutantFactory(sc.target(FACTORIES[name], contract=contract, axes=axes).bind(), KINDS[kind])
