"""samplercheck: a correctness test-kit for custom PyTorch samplers.

The public names are resolved on first use, so that importing the package loads neither torch,
numpy nor hypothesis.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing's own costs each start some milliseconds, in which Ctrl-C shows a traceback

if TYPE_CHECKING:
    from typing import Any

    from samplercheck.case import Case
    from samplercheck.certification import certify, verify
    from samplercheck.contract import Contract
    from samplercheck.errors import LawBroken, SamplerCheckError
    from samplercheck.finding import Outcome, Violation
    from samplercheck.inferring import infer
    from samplercheck.laws.own import law
    from samplercheck.marking import known, parametrize_with_laws
    from samplercheck.replaying import replay
    from samplercheck.report import Report
    from samplercheck.running import run
    from samplercheck.search import strategies
    from samplercheck.targets import target
    from samplercheck.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "Case",
    "Contract",
    "LawBroken",
    "Outcome",
    "Report",
    "SamplerCheckError",
    "Trace",
    "Violation",
    "certify",
    "infer",
    "known",
    "law",
    "parametrize_with_laws",
    "replay",
    "run",
    "strategies",
    "target",
    "verify",
]

_HOMES = {
    "Case": "samplercheck.case",
    "Contract": "samplercheck.contract",
    "LawBroken": "samplercheck.errors",
    "Outcome": "samplercheck.finding",
    "Report": "samplercheck.report",
    "SamplerCheckError": "samplercheck.errors",
    "Trace": "samplercheck.trace",
    "Violation": "samplercheck.finding",
    "certify": "samplercheck.certification",
    "infer": "samplercheck.inferring",
    "known": "samplercheck.marking",
    "law": "samplercheck.laws.own",
    "parametrize_with_laws": "samplercheck.marking",
    "replay": "samplercheck.replaying",
    "run": "samplercheck.running",
    "strategies": "samplercheck.search.strategies",
    "target": "samplercheck.targets",
    "verify": "samplercheck.certification",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its home on first use."""
    home = f"{__name__}.rules" if name == "rules" else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(home)
    value = module if home.endswith(f".{name}") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
