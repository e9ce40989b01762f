"""The engine: target + case -> experiments in a world -> trace -> laws -> findings -> report.

Imported where ``plan`` is needed too, by the command line: the rest of it, and with it numpy and torch, is
imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samplercheck.engine._history import as_carried_out
    from samplercheck.engine._jobs import Jobs
    from samplercheck.engine._kept_place import refuse_shared_place
    from samplercheck.engine._look import cases_to_look_at, look, serve_cases
    from samplercheck.engine._probe import correct_guess, probe
    from samplercheck.engine._run import carry_out
    from samplercheck.engine.plan import Plan

__all__ = [
    "Jobs",
    "Plan",
    "as_carried_out",
    "carry_out",
    "cases_to_look_at",
    "correct_guess",
    "look",
    "probe",
    "refuse_shared_place",
    "serve_cases",
]

_HOMES = {
    "Jobs": "_jobs",
    "Plan": "plan",
    "as_carried_out": "_history",
    "carry_out": "_run",
    "cases_to_look_at": "_look",
    "correct_guess": "_probe",
    "look": "_look",
    "probe": "_probe",
    "refuse_shared_place": "_kept_place",
    "serve_cases": "_look",
}


def __getattr__(name: str) -> Any:
    """Import a name from its home on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
