"""samplercheck: a correctness test-kit for custom PyTorch samplers.

The public names are resolved on first use, so that importing the package loads neither torch,
numpy nor hypothesis.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing's own costs each start some milliseconds, in which Ctrl-C shows a traceback

if TYPE_CHECKING:
    from typing import Any

    from samplercheck.certifying.certify import certify, verify
    from samplercheck.laws.own import law
    from samplercheck.pytesting.marking import parametrize_with_laws
    from samplercheck.running.config.known import known
    from samplercheck.running.inferring import infer
    from samplercheck.running.replaying import replay
    from samplercheck.running.run import run
    from samplercheck.search import strategies
    from samplercheck.targets.target import target
    from samplercheck.training.audit import audit
    from samplercheck.training.watch import watch
    from samplercheck.values.case import Case
    from samplercheck.values.contract import Contract
    from samplercheck.values.errors import LawBroken, SamplerCheckError
    from samplercheck.values.finding import Outcome, Violation
    from samplercheck.values.report import Report
    from samplercheck.values.trace import Trace

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
    "audit",
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
    "watch",
]

_HOMES = {
    "Case": "samplercheck.values.case",
    "Contract": "samplercheck.values.contract",
    "LawBroken": "samplercheck.values.errors",
    "Outcome": "samplercheck.values.finding",
    "Report": "samplercheck.values.report",
    "SamplerCheckError": "samplercheck.values.errors",
    "Trace": "samplercheck.values.trace",
    "Violation": "samplercheck.values.finding",
    "audit": "samplercheck.training.audit",
    "certify": "samplercheck.certifying.certify",
    "infer": "samplercheck.running.inferring",
    "known": "samplercheck.running.config.known",
    "law": "samplercheck.laws.own",
    "parametrize_with_laws": "samplercheck.pytesting.marking",
    "replay": "samplercheck.running.replaying",
    "run": "samplercheck.running.run",
    "strategies": "samplercheck.search.strategies",
    "target": "samplercheck.targets.target",
    "verify": "samplercheck.certifying.certify",
    "watch": "samplercheck.training.watch",
}

_FACES = ("errors", "rules")


def __getattr__(name: str) -> Any:
    """Import a public name from its home on first use."""
    home = f"{__name__}.{name}" if name in _FACES else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(home)
    value = getattr(module, name, module)  # faces and strategies are modules
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
